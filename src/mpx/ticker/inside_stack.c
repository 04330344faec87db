/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_stack.c - searches the words of a stack.
 *
 * In a handler, this file calls process_vm_readv and getpid of libc, which are plain system calls.
 *
 * A signal frame is recognized by the constants that the kernel writes into each frame: on x86-64 the
 * segment selectors, on aarch64 the head of the first record after the registers. The kernel writes 0 to
 * uc_link and does not read it. The handler in timer.c sets uc_link, so that the remains of an earlier tick
 * on the stack do not count as a signal frame.
 *
 * Terms: ticker/inside.h.
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
/* Number of bytes above a hit in which a signal frame is sought in any case. */
#define FRAME_NEAR ((uintptr_t)64 << 10)
/* Number of bytes to search on the stack on which the thread was when the handler was called. */
#define FRAMES_FAR ((size_t)128 << 10)
#define STACKS 4 /* maximum number of stacks to search: the thread's own, an alternate one, coroutines' */

/* Marks functions that read other functions' stack frames, which sanitizers would report. */
#define READS_FRAMES __attribute__((no_sanitize("address", "thread")))

/* ---- the thread's own stack ------------------------------------------------------------- */

#define BLOCK 32 /* words; a constant, so that compilers vectorize the loop */

/* True if the low 32 bits of any word of a block lie in the span. The comparison is signed, since all
 * vector units have signed comparisons. */
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

/* Compare a block with each range. If PAPI and libupc lie far from each other, the hull contains other
 * code: in a static program libmpx may lie between the two, and its addresses are on the stack. */
static __attribute__((noinline)) bool look_closer(const uintptr_t *word, struct mpxi_span hull)
{
	const unsigned n = mpxi_ranges_used_sig();
	unsigned i;

	for (i = 0; i < n; i++)
		if (block_hits(word, mpxi_ranges_span_sig(i)))
			return any_of(word, word + BLOCK, hull);
	return false;
}

/* Search the thread's own stack. The counters count these instructions as the program's in every slice,
 * 1.6 for each word. */
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
	bool may;    /* some program counter so far is not apart */
	bool hit;    /* a word so far was a hit */
	bool inside; /* true once PAPI is known to be active */
	uintptr_t hit_at;
	bool frame; /* a signal frame was found */
	uintptr_t start[STACKS];
	unsigned starts;
};

/* The registers of the interrupted code in a signal frame, and the frame's uc_link. */
struct frame {
	uintptr_t pc, sp, link;
};

#if defined(__x86_64__)
/* Segment selectors cs 0x33, gs 0, fs 0 and ss 0x2b, which are the same in all 64-bit programs. */
#define IS_MARK(word) ((word) == 0x002b000000000033u)
#define MARK_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_CSGSFS])
#define PC_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])
#define SP_AT offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
/* FPSIMD_MAGIC, and the size of the record. */
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
	/* PAPI is active: either a hit lies at a lower address than the frame, so PAPI's own handler has
	 * called the program's handler, or the signal has interrupted PAPI itself. */
	if (look->hit || mpxi_ranges_have_sig(frame.pc))
		look->inside = true;
	look->may = look->may || !look->is_apart(frame.pc);
	/* The handler runs on another stack than the interrupted code. Search that code's stack, too. */
	if ((frame.sp < at || frame.sp > stop) && look->starts < STACKS)
		look->start[look->starts++] = frame.sp & ~(WORD - 1);
}

/* Check n words. word points to the words or to a copy of them, and at is their address on the stack. */
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
		/* The stack pointer always points to mapped memory. If copying from there fails, nothing
		 * is known, and the result is true. */
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
	/* An alternate stack must contain a signal frame. If none was recognized (valgrind's frames
	 * differ, and those of emulators may), the interrupted stack was not searched, and the result is
	 * true. */
	return look.inside || (in_handler && !look.frame);
}
