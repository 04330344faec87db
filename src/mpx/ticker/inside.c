/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.c - is PAPI active in the thread that a signal has interrupted?
 *
 * A program counter outside of PAPI says little: PAPI calls libc, an overflow handler
 * runs on top of PAPI's dispatch, a handler of the program's interrupts PAPI. A thread
 * inside a library has an address of the library's code on the stack: a return address,
 * or the program counter in a signal's frame. The words of the stack are searched for
 * such an address. Without one the thread is outside, which is nearly always so and costs
 * a fraction of a microsecond.
 *
 * A word that is there may be left over from a call that is over. No stack is walked to
 * tell that: a coroutine's return address may not be there yet, tables of unwinding may
 * be wrong, and both would crash the program. PAPI calls little that is not its own, and
 * inside_apart.c knows of code that it does not call. There, PAPI can be active only
 * below the frame of a signal: of PAPI's own (its handler has called the program's), or
 * of one that has interrupted PAPI or what it calls. A word therefore counts where
 *
 *   the program counter, or that in a signal's frame below the word, is not apart, or
 *   the frame of a signal lies above the word.
 *
 * A word that is left over puts ticks off while the program is in libc and the like, and
 * what is not known. Ticks are put off for STALE_TICKS in a row at most, none of them in
 * PAPI's own code, and for STALE_NS of CPU time, after which the slice is lost anyway
 * (core.c). No call of PAPI's is in libc so long. A tick at the end of a system call says less, since PAPI
 * spends its time in those: 16 of them are as one.
 *
 * A handler's calls: process_vm_readv and getpid (inside_stack.c), and clock_gettime,
 * all three only where a word is found or the stack is not the thread's own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_getattr_np, REG_RIP */
#endif
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "core/error.h"
#include "ticker/inside.h"
#include "ticker/inside_apart.h"
#include "ticker/inside_program.h"
#include "ticker/inside_ranges.h"
#include "ticker/inside_stack.h"

#define SCAN_MAX ((size_t)128 << 10)
/* Where signals are blocked that were not: in a handler, PAPI may lie far above. */
#define SCAN_FAR ((size_t)4 << 20)

#define STALE_TICKS 100
#define STALE_NS UINT64_C(400000000)
#define USER_TICK 16 /* a tick at the end of a system call: 1 */

static atomic_bool copies;  /* the kernel copies stacks: not in some sandboxes */
static atomic_bool unknown; /* PAPI is in the program itself, where is not known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of adding; no handler takes it */
static unsigned ranges_known; /* when code apart was looked for; the lock is held */

static struct mpxi_code own[2]; /* of a program that has PAPI in itself; the lock is held */

struct stale {
	unsigned ticks; /* that were put off for a word, in a row */
	uint64_t since; /* the first, in CPU time */
};

struct inside {
	struct mpxi_stack stack;
	uint64_t blocked; /* signals, in ordinary context */
	struct stale stale;
};

/* NULL: not prepared. Partner: the handler on the same thread. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct inside *volatile self;

/* Whichever of the two libraries are there. */
extern int PAPI_read(int, long long *) __attribute__((weak));
extern const char *upc_last_message(void) __attribute__((weak));
/* glibc's: where the main thread's stack was before its first function. */
extern void *__libc_stack_end __attribute__((weak));

static int add_inside_range_locked(uintptr_t begin, uintptr_t end)
{
	if (mpxi_ranges_add_locked(begin, end))
		return MPXI_OK;
	return mpxi_error(MPXI_ENOMEM, "too many pieces of code belong to PAPI and libupc; are they "
				       "loaded several times?");
}

/* Where there is new code of PAPI's, what it calls is not what it was. */
static void find_apart_locked(void)
{
	const unsigned n = mpxi_ranges_used_sig();

	if (n == ranges_known)
		return;
	ranges_known = n;
	mpxi_apart_find_locked(mpxi_ranges_meet, own);
}

int mpxi_inside_add(uintptr_t begin, uintptr_t end)
{
	int error;

	if (!begin || begin >= end)
		return mpxi_error(MPXI_EINVAL, "a range of code that is empty");
	pthread_mutex_lock(&lock);
	error = add_inside_range_locked(begin, end);
	if (!error) {
		find_apart_locked();
		atomic_store(&unknown, false);
	}
	pthread_mutex_unlock(&lock);
	return error;
}

static bool object_holds(const struct dl_phdr_info *info, uintptr_t address)
{
	size_t i;

	for (i = 0; address && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

static bool object_is_papis(const struct dl_phdr_info *info)
{
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;

	return !strncmp(name, "libpapi", 7) || !strncmp(name, "libupc", 6);
}

/* PAPI is linked into the program, which has its symbols if it is not stripped. */
static int add_program(const struct dl_phdr_info *info, int *error)
{
	static bool found; /* the lock is held */
	struct mpxi_code code[4];
	unsigned n, i;

	if (found)
		return 0;
	n = mpxi_inside_program(info->dlpi_addr, code, own);
	found = n > 0;
	if (!n && object_holds(info, (uintptr_t)PAPI_read))
		*error = MPXI_ENOSUPP;
	for (i = 0; i < n; i++)
		if (add_inside_range_locked(code[i].begin, code[i].end))
			*error = MPXI_ENOMEM;
	return 0;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	int *error = argument;
	size_t i;

	(void)size;
	if (!object_is_papis(info)) {
		if (!object_holds(info, (uintptr_t)PAPI_read) &&
		    !object_holds(info, (uintptr_t)upc_last_message))
			return 0;
		if (!info->dlpi_name[0]) /* the program */
			return add_program(info, error);
		/* This library, preloaded, has PAPI's names itself to pass the calls on. */
		if (object_holds(info, (uintptr_t)mpxi_inside_sig))
			return 0;
	}
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    add_inside_range_locked(begin, begin + p->p_memsz))
			*error = MPXI_ENOMEM;
	}
	return 0;
}

/* Above its oldest frame lie a thread's own record, or the program's arguments and
 * environment and up to 8 KiB of nothing: that is not looked through. */
static void lower_end(struct mpxi_stack *stack, uintptr_t end)
{
	if (end > (uintptr_t)__builtin_frame_address(0) && end < stack->end)
		stack->end = end;
}

static void find_stack(struct mpxi_stack *stack)
{
	const char *preload = getenv("LD_PRELOAD");
	pthread_attr_t attr;
	void *begin;
	size_t size;

	/* Memcheck would complain of every word that nobody has written, but not of copies. */
	if (preload && strstr(preload, "vgpreload_"))
		return;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &begin, &size)) {
		stack->begin = (uintptr_t)begin;
		stack->end = (uintptr_t)begin + size;
		lower_end(stack, (uintptr_t)pthread_self());
		if (&__libc_stack_end)
			lower_end(stack, (uintptr_t)__libc_stack_end);
	}
	pthread_attr_destroy(&attr);
}

/* The signals below 65, of which the kernel's set is. */
static uint64_t set_of(const sigset_t *set)
{
	uint64_t bits;

	memcpy(&bits, set, sizeof(bits));
	return bits;
}

static int prepare_thread(void)
{
	struct inside *made;
	sigset_t blocked;

	if (self)
		return MPXI_OK;
	made = malloc(sizeof(*made));
	if (!made)
		return mpxi_error(MPXI_ENOMEM, "out of memory for a thread's stack");
	/* The copy's pages stay untouched until there is a stack to be copied. */
	made->stack.begin = made->stack.end = 0;
	made->stale = (struct stale){0, 0};
	find_stack(&made->stack);
	sigemptyset(&blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	made->blocked = set_of(&blocked);
	atomic_signal_fence(memory_order_release);
	self = made;
	return MPXI_OK;
}

int mpxi_inside_find(void)
{
	int error = MPXI_OK;

	atomic_store(&copies, mpxi_stack_copies());
	pthread_mutex_lock(&lock);
	dl_iterate_phdr(add_object, &error);
	if (error == MPXI_ENOSUPP && !mpxi_ranges_used_sig())
		atomic_store(&unknown, true);
	find_apart_locked();
	pthread_mutex_unlock(&lock);
	if (error == MPXI_ENOSUPP)
		return mpxi_error(MPXI_ENOSUPP,
				  "PAPI is linked into the program itself, which has no symbols: a "
				  "signal cannot tell PAPI from the program; do not strip it, or link "
				  "with libpapi.so");
	return error;
}

int mpxi_inside_prepare(void)
{
	int error = prepare_thread();

	return error ? error : mpxi_inside_find();
}

void mpxi_inside_leave(void)
{
	struct inside *gone = self;

	self = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	free(gone);
}

/* Was the thread in the kernel? The instruction before the program counter says so. */
static bool is_at_system_call(uintptr_t pc)
{
#if defined(__x86_64__)
	static const unsigned char call[] = {0x0f, 0x05};
#else
	static const unsigned char call[] = {0x01, 0x00, 0x00, 0xd4}; /* aarch64 */
#endif
	unsigned char before[sizeof(call)];

	return mpxi_stack_copy_sig(before, pc - sizeof(call), sizeof(call)) &&
	       !memcmp(before, call, sizeof(call));
}

static uint64_t inside_cpu_ns(void)
{
	struct timespec now = {0, 0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A word was found, and PAPI may be active. Have there been so many that it cannot be? */
static bool is_stale(struct stale *stale, uintptr_t pc)
{
	const uint64_t now = inside_cpu_ns();

	if (!stale->ticks)
		stale->since = now;
	stale->ticks += is_at_system_call(pc) ? 1 : USER_TICK;
	if (stale->ticks < STALE_TICKS * USER_TICK || now - stale->since < STALE_NS)
		return false;
	stale->ticks = 0;
	return true;
}

/* The interrupted code. */
struct place {
	uintptr_t pc, sp;
	size_t most;       /* bytes that are looked at */
	bool is_alternate; /* a signal's stack */
};

static void place_on_stack(struct place *place, const struct inside *inside, const ucontext_t *u)
{
	const uintptr_t below = place->sp - (uintptr_t)u->uc_stack.ss_sp;

	place->most = set_of(&u->uc_sigmask) & ~inside->blocked ? SCAN_FAR : SCAN_MAX;
	place->is_alternate = below < u->uc_stack.ss_size;
	/* Behind an alternate stack lies anything. The end of other stacks is not known. */
	if (place->is_alternate && u->uc_stack.ss_size - below < place->most)
		place->most = u->uc_stack.ss_size - below;
}

static bool words_say(struct mpxi_stack *stack, const struct place *place)
{
	const size_t most = place->most;
	uintptr_t end = stack->end;

	if (place->sp >= stack->begin && place->sp < stack->end) {
		end = end - place->sp > most ? place->sp + most : end;
		if (!mpxi_stack_has_word_sig(place->sp, end))
			return false;
	} else if (!atomic_load_explicit(&copies, memory_order_relaxed)) {
		return true;
	}
	return mpxi_stack_look_sig(stack, place->pc, place->sp, most, place->is_alternate,
				   mpxi_apart_has_sig);
}

bool mpxi_inside_sig(void *context)
{
	const ucontext_t *u = context;
	struct inside *inside = self;
	struct place place = {0, 0, 0, false};
	uintptr_t link = 0;
	bool may;

	if (atomic_load_explicit(&unknown, memory_order_relaxed))
		return true;
	if (!mpxi_ranges_used_sig())
		return false;
	if (!inside)
		return true;
#if defined(__x86_64__)
	place.pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	place.sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	place.pc = u->uc_mcontext.pc;
	place.sp = u->uc_mcontext.sp;
	/* A leaf function keeps its return address in a register. */
	link = mpxi_plain_sig(u->uc_mcontext.regs[30]);
#endif
	if (mpxi_ranges_have_sig(place.pc) || mpxi_ranges_have_sig(link)) {
		inside->stale.ticks = 0;
		return true;
	}
	place_on_stack(&place, inside, u);
	may = words_say(&inside->stack, &place);
	if (may && !is_stale(&inside->stale, place.pc))
		return true;
	inside->stale.ticks = 0;
	return false;
}
