/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.c - finds out whether PAPI is active in the thread that a signal has interrupted.
 *
 * A program counter outside PAPI does not show that PAPI is inactive: PAPI calls libc, an overflow handler
 * runs on top of PAPI's dispatch, and a handler of the program may have interrupted PAPI. A thread that is
 * inside a library has an address of the library's code on its stack: a return address, or the program
 * counter in a signal frame. mpxi_inside_sig searches the words of the stack for such an address. If there
 * is no such address, the thread is outside. This is nearly always the case, and the search takes a
 * fraction of a microsecond.
 *
 * A hit may be left over from a call that has returned. Unwinding the stack could show this, but could also
 * crash the program: a coroutine's return address may not have been written yet, and unwind tables may be
 * wrong. PAPI calls little code outside itself, and inside_apart.c lists code that PAPI does not call
 * ("apart"). While code that is apart runs, PAPI can be active only in one of two cases: the handler of
 * PAPI's own signal has called the program's handler, or a signal has interrupted PAPI or a function that
 * PAPI has called. A hit therefore counts only if
 *
 * the program counter, or the program counter in a signal frame at a lower address than the hit, is not
 * apart, or a signal frame lies above the word.
 *
 * A leftover address thus defers ticks while the program is in libc or in unknown code. Deferring ends
 * after STALE_TICKS ticks in a row and STALE_NS of CPU time have passed, when the slice is lost anyway
 * (core.c). A tick that interrupts PAPI's own code resets the count of ticks. No function of libc that PAPI
 * calls runs for so long. A tick at the end of a system call is weaker evidence, since PAPI spends its time
 * in system calls. Therefore 16 such ticks count as one (USER_TICK).
 *
 * The handler calls these functions of libc: process_vm_readv and getpid (inside_stack.c), and
 * clock_gettime. It calls them only after a hit, or on another stack than the thread's own.
 *
 * Terms: ticker/inside.h.
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
/* Bytes to search if more signals are blocked than in ordinary context. The thread is then in a handler
 * of the program, and PAPI's frames may lie far above on the stack. */
#define SCAN_FAR ((size_t)4 << 20)

#define STALE_TICKS 100
#define STALE_NS UINT64_C(400000000)
#define USER_TICK 16 /* weight of a tick in user code; a tick at the end of a system call has weight 1 */

static atomic_bool copies;  /* mpxi_stack_copies() was true */
static atomic_bool unknown; /* PAPI is linked into the program, and its addresses are unknown */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* serializes adding of ranges; no handler takes
							    it */
static unsigned ranges_known; /* number of ranges when the code that is apart was last listed; under lock */

static struct mpxi_code own[2]; /* code of the program itself, if PAPI is linked into it; under lock */

struct stale {
	unsigned ticks; /* weight of the consecutive ticks that were deferred because of a hit */
	uint64_t since; /* CPU time at the first of these ticks, ns */
};

struct inside {
	struct mpxi_stack stack;
	uint64_t blocked; /* signals blocked in ordinary context */
	struct stale stale;
};

/* State of this thread, which the handler on the same thread reads; NULL: mpxi_inside_prepare was not
 * called. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct inside *volatile self;

/* Weak: either library may be missing. */
extern int PAPI_read(int, long long *) __attribute__((weak));
extern const char *upc_last_message(void) __attribute__((weak));
/* A variable of glibc: the main thread's stack pointer at the start of the program. */
extern void *__libc_stack_end __attribute__((weak));

static int add_inside_range_locked(uintptr_t begin, uintptr_t end)
{
	if (mpxi_ranges_add_locked(begin, end))
		return MPXI_OK;
	return mpxi_error(MPXI_ENOMEM, "too many pieces of code belong to PAPI and libupc; are they "
				       "loaded several times?");
}

/* List the code that is apart again if ranges were added, since new code of PAPI may call other code. */
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

/* Add the ranges of PAPI in the program itself, which are found through its symbols. A stripped program
 * has no symbols. */
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
		/* The preloaded libmpx defines functions with PAPI's names, which forward the calls. It
		 * is not PAPI. */
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

/* Lower the stack's end to `end', which is just above its oldest frame. The memory above need not be
 * searched: it has the thread's descriptor, or the program's arguments, its environment and up to 8 KiB
 * of padding. */
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

	/* Under valgrind's memcheck, only read copies of the stack, since memcheck would report each
	 * uninitialized word that is read in place. */
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

/* Return the signals 1 to 64 as bits; the kernel's signal sets have only these. */
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
	/* Do not clear the copy buffer, so that its pages get no memory until a stack must be copied. */
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

/* True if the thread was in a system call: the instruction before the program counter is a system call
 * instruction. */
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

/* Count a tick that had a hit. Return true if the hits have lasted for so many ticks and for so long
 * that PAPI cannot be active. */
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

/* Position of the interrupted code. */
struct place {
	uintptr_t pc, sp;
	size_t most;       /* maximum number of bytes to search */
	bool is_alternate; /* on an alternate signal stack */
};

static void place_on_stack(struct place *place, const struct inside *inside, const ucontext_t *u)
{
	const uintptr_t below = place->sp - (uintptr_t)u->uc_stack.ss_sp;

	place->most = set_of(&u->uc_sigmask) & ~inside->blocked ? SCAN_FAR : SCAN_MAX;
	place->is_alternate = below < u->uc_stack.ss_size;
	/* Do not search past the end of an alternate stack. The end of other stacks is unknown. */
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
	/* A leaf function keeps its return address in register x30. */
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
