/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_stack.c - searches the words of a stack.
 *
 * Libc calls of the handler: process_vm_readv and getpid, which are system calls.
 *
 * A signal frame is recognized by the constants that the kernel writes into each frame: on x86-64 the
 * segment selectors, on aarch64 the head of the first record after the registers. The kernel writes 0 to
 * uc_link and does not read it. Our own handler sets uc_link (timer.c), so that the remains of a tick below
 * the stack pointer do not count as a frame.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv, REG_RIP */
#endif
#include <stdatomic.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "ticker/inside_ranges.h"
#include "ticker/inside_stack.h"

#define WORD sizeof(uintptr_t)
#define PAGE ((uintptr_t)4096) /* page size, or a fraction of it */
/* Minimum distance above a hit in which a signal frame is searched for. */
#define FRAME_NEAR ((uintptr_t)64 << 10)
/* Bytes to search on the stack from which a handler was entered. */
#define FRAMES_FAR ((size_t)128 << 10)
#define STACKS 4 /* a thread's own, an alternate one, coroutines' */

/* These functions read other functions' frames, to which sanitizers would object. */
#define READS_FRAMES __attribute__((no_sanitize("address", "thread")))

/* ---- the thread's own stack ------------------------------------------------------------- */

#define BLOCK 32 /* words; constant, so that compilers vectorize the loop */

/* True if any word of a block may lie in the span. The comparison is signed, since all vector units have
 * that. */
READS_FRAMES static inline bool block_hits(const uintptr_t *word, struct mpxi_span span)
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

READS_FRAMES static bool any_of(const uintptr_t *word, const uintptr_t *stop, struct mpxi_span span)
{
	for (; word < stop; word++)
		if ((uint32_t)*word - span.first <= span.less && mpxi_ranges_have_sig(mpxi_plain_sig(*word)))
			return true;
	return false;
}

/* Test a block against each range. If the libraries lie far apart, the hull contains other code: a static
 * program has this library between the two, and leaves addresses of this library on its stack. */
static __attribute__((noinline)) bool look_closer(const uintptr_t *word, struct mpxi_span hull)
{
	const unsigned n = mpxi_ranges_used_sig();
	unsigned i;

	for (i = 0; i < n; i++)
		if (block_hits(word, mpxi_ranges_span_sig(i)))
			return any_of(word, word + BLOCK, hull);
	return false;
}

/* Search the thread's own stack. These instructions are counted with the program's in every slice: 1.6 a
 * word. */
bool mpxi_stack_has_word_sig(uintptr_t sp, uintptr_t end)
{
	const uintptr_t *word = (const uintptr_t *)(sp & ~(WORD - 1));
	const uintptr_t *stop = (const uintptr_t *)end;
	const struct mpxi_span hull = mpxi_ranges_hull_sig();

	if (stop - word < BLOCK)
		return any_of(word, stop, hull);
	for (; stop - word >= BLOCK; word += BLOCK)
		if (block_hits(word, hull) && look_closer(word, hull))
			return true;
	/* The last block overlaps the previous one, which had no hit. */
	word = stop - BLOCK;
	return block_hits(word, hull) && look_closer(word, hull);
}

/* ---- any stack ----------------------------------------------------------------------- */

/* Copy page by page, since the kernel copies each iovec entry completely or not at all. Return the number
 * of bytes copied. */
static size_t copy_sig(void *to, uintptr_t from, size_t size)
{
	struct iovec local = {to, size}, remote[MPXI_STACK_COPY * WORD / PAGE + 2];
	unsigned n = 0;
	size_t left = size, piece;
	ssize_t copied;

	while (left) {
		piece = PAGE - from % PAGE;
		piece = piece < left ? piece : left;
		remote[n++] = (struct iovec){(void *)from, piece};
		from += piece;
		left -= piece;
	}
	copied = process_vm_readv(getpid(), &local, 1, remote, n, 0);
	return copied > 0 ? (size_t)copied : 0;
}

bool mpxi_stack_copy_sig(void *to, uintptr_t from, size_t size)
{
	return copy_sig(to, from, size) == size;
}

bool mpxi_stack_copies(void)
{
	const uintptr_t word = 1;
	uintptr_t copy = 0;

	return mpxi_stack_copy_sig(&copy, (uintptr_t)&word, sizeof(word)) && copy == word;
}

struct look {
	struct mpxi_stack *stack;
	bool (*is_apart)(uintptr_t pc);
	bool may;    /* some pc so far is in code that PAPI may call */
	bool hit;    /* a word was an address in PAPI's code */
	bool inside; /* the result, once known */
	uintptr_t hit_at;
	bool frame; /* a signal frame was found */
	uintptr_t start[STACKS];
	unsigned starts;
};

/* The interrupted code, according to a signal frame. */
struct frame {
	uintptr_t pc, sp, link;
};

#if defined(__x86_64__)
/* cs 0x33, gs and fs 0, ss 0x2b: the same in all 64-bit programs. */
#define IS_MARK(word) ((word) == 0x002b000000000033u)
#define MARK_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_CSGSFS])
#define PC_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])
#define SP_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
/* FPSIMD_MAGIC, and the record's size. */
#define IS_MARK(word) ((word) == 0x0000021046508001u)
#define MARK_AT offsetof(ucontext_t, uc_mcontext.__reserved)
#define PC_AT offsetof(ucontext_t, uc_mcontext.pc)
#define SP_AT offsetof(ucontext_t, uc_mcontext.sp)
#else
#define IS_MARK(word) ((void)(word), false)
#define MARK_AT 0
#define PC_AT 0
#define SP_AT 0
#endif

READS_FRAMES static bool stack_peek(const struct mpxi_stack *stack, uintptr_t *to, uintptr_t from)
{
	if (from >= stack->begin && from < stack->end) {
		*to = *(const uintptr_t *)from;
		return true;
	}
	return mpxi_stack_copy_sig(to, from, WORD);
}

static bool read_frame(const struct mpxi_stack *stack, uintptr_t mark, struct frame *frame)
{
	const uintptr_t context = mark - MARK_AT;

	return stack_peek(stack, &frame->pc, context + PC_AT) &&
	       stack_peek(stack, &frame->sp, context + SP_AT) &&
	       stack_peek(stack, &frame->link, context + offsetof(ucontext_t, uc_link)) && !frame->link;
}

static void meet_frame(struct look *look, uintptr_t at, uintptr_t stop)
{
	struct frame frame;

	if (!read_frame(look->stack, at, &frame))
		return;
	look->frame = true;
	/* PAPI is below the handler: PAPI's own handler has called it, or the signal has interrupted a call
	 * of PAPI. */
	if (look->hit || mpxi_ranges_have_sig(frame.pc))
		look->inside = true;
	look->may = look->may || !look->is_apart(frame.pc);
	/* The handler runs on a separate stack: continue on the interrupted one. */
	if ((frame.sp < at || frame.sp > stop) && look->starts < STACKS)
		look->start[look->starts++] = frame.sp & ~(WORD - 1);
}

/* Check n words; word points to them, or to a copy, and at is their address. */
READS_FRAMES static void meet_words(struct look *look, const uintptr_t *word, size_t n, uintptr_t at,
				    uintptr_t stop)
{
	const struct mpxi_span hull = mpxi_ranges_hull_sig();
	size_t i;

	for (i = 0; i < n && !look->inside; i++, at += WORD) {
		if (IS_MARK(word[i])) {
			meet_frame(look, at, stop);
		} else if ((uint32_t)word[i] - hull.first <= hull.less &&
			   mpxi_ranges_have_sig(mpxi_plain_sig(word[i]))) {
			look->hit = true;
			look->hit_at = at;
			look->inside = look->may;
		}
	}
}

static size_t stack_smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void look_from(struct look *look, uintptr_t at, size_t bytes)
{
	struct mpxi_stack *stack = look->stack;
	const bool own = at >= stack->begin && at < stack->end;
	uintptr_t stop = own && bytes > stack->end - at ? stack->end : at + bytes;
	size_t size, got, most = PAGE - at % PAGE; /* first one page, since the end is usually near */

	for (; !look->inside && at < stop; at += size) {
		size = stack_smaller(most, stop - at);
		got = own ? size : copy_sig(stack->copy, at, size);
		meet_words(look, own ? (const uintptr_t *)at : stack->copy, got / WORD, at, stop);
		/* The stack pointer always points to memory: if the copy there fails, the answer is
		 * unknown. */
		look->inside |= !got && at == look->start[0];
		if (got < size)
			break;
		if (look->hit && stop < look->hit_at + FRAME_NEAR)
			stop = look->hit_at + FRAME_NEAR;
		if (own && stop > stack->end)
			stop = stack->end;
		most = sizeof(stack->copy);
	}
}

bool mpxi_stack_look_sig(struct mpxi_stack *stack, uintptr_t pc, uintptr_t sp, size_t bytes, bool in_handler,
			 bool (*is_apart)(uintptr_t pc))
{
	struct look look = {.stack = stack, .is_apart = is_apart, .may = !is_apart(pc)};
	unsigned i;

	look.start[look.starts++] = sp & ~(WORD - 1);
	for (i = 0; i < look.starts && !look.inside; i++)
		look_from(&look, look.start[i], i ? FRAMES_FAR : bytes);
	/* On an alternate stack a frame must exist. Valgrind's frames differ, and those of emulators may:
	 * without a visible way back the answer is true. */
	return look.inside || (in_handler && !look.frame);
}
