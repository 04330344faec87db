/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside.c - finds PAPI's code on the interrupted stack.
 *
 * That the program counter lies elsewhere says little: PAPI calls libc, an overflow
 * handler runs on top of PAPI's dispatch, a handler of the program's interrupts PAPI.
 * But who is inside a library has left an address of its code behind: a return address,
 * or the program counter in a signal's frame. So first the words of the stack are
 * looked through. None in the libraries: surely outside, which is nearly always so and
 * costs a fraction of a microsecond. A word that is there may be left over from a call
 * that is over; then the stack is walked by the unwind tables, up to the oldest such
 * word and no further.
 *
 * A handler's calls: _Unwind_Backtrace, _Unwind_GetIPInfo, _Unwind_GetCFA. They work on
 * the stack, and find the tables by _dl_find_object where libgcc (12) and glibc (2.35)
 * have it: no lock, no allocation. Older ones go by dl_iterate_phdr, under a lock of the
 * loader's: a thread that has a word of PAPI's on its stack and is in dlopen would find
 * the loader's list half changed. Nothing better is to be had there.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr, pthread_getattr_np, REG_RIP */
#endif
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "core/error.h"
#include "ticker/inside.h"
#include "ticker/inside_program.h"

#define RANGES 16
#define SCAN_MAX (128u << 10)
#define FRAMES_MAX 256 /* of 0.1 to 0.2 us each, in the rare case that they are walked */

/* Only ever appended to; used is stored after the entry, for handlers on any thread. */
static struct {
	uintptr_t begin, end;
} ranges[RANGES];
static atomic_uint used;
/* From the lowest of them to the highest, as a span; stored after used. */
static atomic_uint_least64_t hull_of_all;
static atomic_bool unknown; /* PAPI is in the program itself, where is not known */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of adding; no handler takes it */

/* The thread's stack, 0: not known. Partner: the handler on the same thread. */
static _Thread_local __attribute__((tls_model("initial-exec"))) volatile uintptr_t stack_begin, stack_end;

/* Whichever of the two libraries are there. */
extern int PAPI_read(int, long long *) __attribute__((weak));
extern const char *upc_last_message(void) __attribute__((weak));
/* glibc's: where the main thread's stack was before its first function. */
extern void *__libc_stack_end __attribute__((weak));

/* A span (see oldest_word): its first address and how far it goes, in 32 bits each. */
static uint64_t hull_of_ranges(unsigned n)
{
	uintptr_t low = ranges[0].begin, high = ranges[0].end;
	unsigned i;

	for (i = 1; i < n; i++) {
		low = ranges[i].begin < low ? ranges[i].begin : low;
		high = ranges[i].end > high ? ranges[i].end : high;
	}
	high = high - low - 1 < UINT32_MAX ? high - low - 1 : UINT32_MAX;
	return (uint64_t)(uint32_t)low << 32 | high;
}

static int add_locked(uintptr_t begin, uintptr_t end)
{
	unsigned n = atomic_load(&used), i;

	for (i = 0; i < n; i++)
		if (begin >= ranges[i].begin && end <= ranges[i].end)
			return MPXI_OK;
	if (n == RANGES)
		return mpxi_error(MPXI_ENOMEM,
				  "more than %d pieces of code belong to PAPI and "
				  "libupc; are they loaded several times?",
				  RANGES);
	ranges[n].begin = begin;
	ranges[n].end = end;
	atomic_store(&used, n + 1);
	atomic_store(&hull_of_all, hull_of_ranges(n + 1));
	return MPXI_OK;
}

int mpxi_inside_add(uintptr_t begin, uintptr_t end)
{
	int error;

	if (!begin || begin >= end)
		return mpxi_error(MPXI_EINVAL, "a range of code that is empty");
	pthread_mutex_lock(&lock);
	error = add_locked(begin, end);
	if (!error)
		atomic_store(&unknown, false);
	pthread_mutex_unlock(&lock);
	return error;
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	size_t i;

	for (i = 0; address && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

static bool named(const struct dl_phdr_info *info)
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
	n = mpxi_inside_program(info->dlpi_addr, code);
	found = n > 0;
	if (!n && holds(info, (uintptr_t)PAPI_read))
		*error = MPXI_ENOSUPP;
	for (i = 0; i < n; i++)
		if (add_locked(code[i].begin, code[i].end))
			*error = MPXI_ENOMEM;
	return 0;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	int *error = argument;
	size_t i;

	(void)size;
	if (!named(info)) {
		if (!holds(info, (uintptr_t)PAPI_read) && !holds(info, (uintptr_t)upc_last_message))
			return 0;
		if (!info->dlpi_name[0]) /* the program */
			return add_program(info, error);
		/* This library, preloaded, has PAPI's names itself to pass the calls on. */
		if (holds(info, (uintptr_t)mpxi_inside_sig))
			return 0;
	}
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && add_locked(begin, begin + p->p_memsz))
			*error = MPXI_ENOMEM;
	}
	return 0;
}

/* Above its oldest frame lie a thread's own record, or the program's arguments and
 * environment and up to 8 KiB of nothing: that is not looked through. */
static void lower_end(uintptr_t end)
{
	if (end > (uintptr_t)__builtin_frame_address(0) && end < stack_end)
		stack_end = end;
}

static void find_stack(void)
{
	const char *preload = getenv("LD_PRELOAD");
	pthread_attr_t attr;
	void *begin;
	size_t size;

	/* Memcheck would complain of every word that nobody has written: walk there. */
	if (stack_end || (preload && strstr(preload, "vgpreload_")))
		return;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &begin, &size)) {
		stack_begin = (uintptr_t)begin;
		stack_end = (uintptr_t)begin + size;
		lower_end((uintptr_t)pthread_self());
		if (&__libc_stack_end)
			lower_end((uintptr_t)__libc_stack_end);
	}
	pthread_attr_destroy(&attr);
}

static _Unwind_Reason_Code nothing(struct _Unwind_Context *context, void *argument)
{
	(void)context;
	(void)argument;
	return _URC_NO_REASON;
}

int mpxi_inside_prepare(void)
{
	int error = MPXI_OK;

	pthread_mutex_lock(&lock);
	dl_iterate_phdr(add_object, &error);
	if (error == MPXI_ENOSUPP && !atomic_load(&used))
		atomic_store(&unknown, true);
	pthread_mutex_unlock(&lock);
	find_stack();
	_Unwind_Backtrace(nothing, NULL);
	if (error == MPXI_ENOSUPP)
		return mpxi_error(MPXI_ENOSUPP,
				  "PAPI is linked into the program itself, which has no symbols: a "
				  "signal cannot tell PAPI from the program; do not strip it, or link "
				  "with libpapi.so");
	return error;
}

static bool in_ranges(uintptr_t address)
{
	const unsigned n = atomic_load_explicit(&used, memory_order_acquire);
	unsigned i;

	for (i = 0; i < n; i++)
		if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
			return true;
	return false;
}

/* A word as an address: without what signs it. */
static inline uintptr_t plain(uintptr_t word)
{
#ifdef __aarch64__
	return word & (((uintptr_t)1 << 48) - 1);
#else
	return word;
#endif
}

/*
 * Of a word the low 32 bits decide first, as vectors of them are had with the fewest
 * instructions: whether it lies `less' or less behind `first', modulo 2^32. What signs an
 * address lies above them; what else has such bits is told apart later.
 */
struct span {
	uint32_t first, less;
};

static inline struct span span_of(uintptr_t begin, uintptr_t end)
{
	uintptr_t less = end - begin - 1;

	return (struct span){(uint32_t)begin, less > UINT32_MAX ? UINT32_MAX : (uint32_t)less};
}

#define BLOCK 32 /* words; constant, so that compilers make vectors of the loop */

/* The comparison is one of signed numbers, which vectors of all machines have. */
__attribute__((no_sanitize("address", "thread"))) static inline bool block_hits(const uintptr_t *word,
										struct span span)
{
	const uint32_t first = span.first + 0x80000000u;
	const int32_t less = (int32_t)(span.less - 0x80000000u);
	uint32_t hit = 0;
	unsigned i;

#pragma GCC unroll 8
	for (i = 0; i < BLOCK; i++)
		hit |= -(uint32_t)((int32_t)((uint32_t)word[i] - first) <= less);
	return hit != 0;
}

__attribute__((no_sanitize("address", "thread"))) static uintptr_t
oldest_of(const uintptr_t *word, const uintptr_t *stop, struct span span)
{
	while (stop-- > word)
		if ((uint32_t)*stop - span.first <= span.less && in_ranges(plain(*stop)))
			return (uintptr_t)stop;
	return 0;
}

/* The hull has much else in it where the libraries lie apart: a static program has us
 * between the two, and addresses of our own are left on its stack. */
static __attribute__((noinline)) uintptr_t look_closer(const uintptr_t *word, struct span hull)
{
	const unsigned n = atomic_load_explicit(&used, memory_order_acquire);
	unsigned i;

	for (i = 0; i < n; i++)
		if (block_hits(word, span_of(ranges[i].begin, ranges[i].end)))
			return oldest_of(word, word + BLOCK, hull);
	return 0;
}

/*
 * Where the oldest word of [sp, end) that is an address in the libraries lies, 0: none.
 * These instructions are counted with the program's in every slice: they are 1.6 a word.
 * It reads other functions' frames, to which sanitizers would object.
 */
static uintptr_t oldest_word(uintptr_t sp, uintptr_t end)
{
	const uintptr_t *word = (const uintptr_t *)(sp & ~(sizeof(*word) - 1));
	const uintptr_t *stop = (const uintptr_t *)end;
	const bool blocks = stop - word >= BLOCK;
	const uint64_t packed = atomic_load_explicit(&hull_of_all, memory_order_acquire);
	const struct span hull = {(uint32_t)(packed >> 32), (uint32_t)packed};
	uintptr_t found;

	for (; stop - word >= BLOCK; stop -= BLOCK) {
		found = block_hits(stop - BLOCK, hull) ? look_closer(stop - BLOCK, hull) : 0;
		if (found)
			return found;
	}
	if (!blocks)
		return oldest_of(word, stop, hull);
	/* The last block overlaps the one before, which had none. */
	return stop > word && block_hits(word, hull) ? look_closer(word, hull) : 0;
}

struct walk {
	uintptr_t oldest;
	unsigned frames;
	bool started, inside, passed;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	int interrupted = 0;
	uintptr_t address = _Unwind_GetIPInfo(context, &interrupted);

	/* Above the first interrupted frame are our handler's own. */
	walk->started |= interrupted != 0;
	if (walk->started && in_ranges(address)) {
		walk->inside = true;
		return _URC_END_OF_STACK;
	}
	if (walk->started && _Unwind_GetCFA(context) > walk->oldest) {
		walk->passed = true;
		return _URC_END_OF_STACK;
	}
	if (++walk->frames < FRAMES_MAX)
		return _URC_NO_REASON;
	walk->inside = true; /* not known */
	return _URC_END_OF_STACK;
}

/* oldest is where the last word lies that needs an explanation; UINTPTR_MAX: not known. */
static bool walk_sig(uintptr_t oldest)
{
	struct walk walk = {.oldest = oldest};

	_Unwind_Backtrace(visit, &walk);
	if (walk.inside || walk.passed)
		return walk.inside;
	/* No way further: the end of the stack, or code without tables. */
	return !walk.started || oldest != UINTPTR_MAX;
}

bool mpxi_inside_sig(void *context)
{
	const ucontext_t *u = context;
	uintptr_t pc = 0, sp = 0, link = 0, end, oldest;

	if (atomic_load_explicit(&unknown, memory_order_relaxed))
		return true;
	if (!atomic_load_explicit(&used, memory_order_acquire))
		return false;
#if defined(__x86_64__)
	pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	pc = u->uc_mcontext.pc;
	sp = u->uc_mcontext.sp;
	link = plain(u->uc_mcontext.regs[30]);
#else
	(void)u; /* the stack is walked */
#endif
	if (in_ranges(pc))
		return true;
	if (sp < stack_begin || sp >= stack_end)
		return walk_sig(UINTPTR_MAX); /* an alternate stack, or a coroutine's */
	end = stack_end - sp > SCAN_MAX ? sp + SCAN_MAX : stack_end;
	oldest = oldest_word(sp, end);
	/* A leaf function keeps its return address in a register. */
	if (!oldest && !in_ranges(link))
		return false;
	return walk_sig(oldest ? oldest : sp);
}
