/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat.c - adds an event's slices to its sums, and computes marks and windows from the sums.
 *
 * A gap of length g between the slices (c1, s1) and (c2, s2) is filled in with their common rate, g (c1 +
 * c2) / (s1 + s2). The mean of the two rates would be worse: a slice a hundred times shorter than the other
 * one would have the same weight, and its noise would count a hundredfold. Time that has a slice on one
 * side only is filled in with the rate of that slice, and is called held.
 *
 * Three terms are kept for the error of this interpolation (estimate.c combines them):
 * - the weight with which noise in a slice enters the error: w is the sum of g / (s1 + s2) over the gaps
 *   next to the slice, and `weight' is the sum of s w^2;
 * - differences between consecutive slices, u = (c2 s1 - c1 s2) / (s1 + s2), which are 0 at a constant rate.
 *   Their squares contain both noise and changes of the rate. `steps', scaled to the gap, sums
 *   4 g^2 u^2 / (s1 s2). Noise of variance v per unit of time contributes v 4 g^2 / (s1 + s2) to it, and
 *   `apart' sums the factor of v;
 * - products of two consecutive differences, which distinguish noise from change: a slice with too many
 *   counts causes a step up and a step down, a lasting change only one step. `lag' sums -4 u u'. Noise
 *   contributes v 4 m m' / s2 to it, with m = s1 s2 / (s1 + s2), and `lag_apart' sums the factor of v.
 *   MPXI_RATIO does not use gaps. Its variance is computed from second differences c0 - 2 c1 + c2 of three
 *   consecutive slices, since a sum of squares around the mean would treat a program's phases as noise.
 *
 * Ranges. Counts, sizes and times are below 2^63, so that the sum of two fits a uint64_t, and its product
 * with a third one fits 127 bits. `gap' has 96 bits for the integer part. A difference u is limited to 2^52
 * counts (62 bits with its fraction), so that a product of four of them fits; second differences are
 * limited to 2^62. Sums saturate at the end of their type.
 *
 * Terms: stat/stat.h.
 */
#include <string.h>

#include "stat/stat.h"

static void add_u64(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static void add_u128(mpxi_u128 *sum, mpxi_u128 value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = MPXI_U128_MAX;
}

/* Add with saturation: a sum that reaches MPXI_I128_MAX stays there. */
static void add_i128(mpxi_i128 *sum, mpxi_i128 value)
{
	if (*sum != MPXI_I128_MAX && __builtin_add_overflow(*sum, value, sum))
		*sum = MPXI_I128_MAX;
}

/* Fill in the time g, which has a slice on one side only, with the rate of that slice. w is the slice's
 * weight on its other side. Return the slice's weight in g. */
static uint64_t hold_slice(struct mpxi_sums *sums, uint64_t g, uint64_t count, uint64_t size, uint64_t w)
{
	struct mpxi_held held;

	mpxi_spacing_hold(&held, g, size, w);
	add_i128(&sums->gap, mpxi_times_count(&held.times, count));
	add_u64(&sums->weight, held.heavier);
	add_u64(&sums->held, held.held);
	return held.weight;
}

/* Fill in the gap between two slices, with the counts last and count. */
static void fill_gap(struct mpxi_sums *sums, const struct mpxi_spacing *spacing, uint64_t last,
		     uint64_t count)
{
	if (__builtin_add_overflow(last, count, &count))
		count = UINT64_MAX;
	add_i128(&sums->gap, mpxi_times_count(&spacing->times, count));
	add_u64(&sums->weight, spacing->heavier);
}

static void enter_pair(struct mpxi_sums *sums, const struct mpxi_spacing *spacing, int64_t u)
{
	add_u128(&sums->steps, mpxi_spacing_square(spacing, u));
	add_u64(&sums->apart, spacing->apart);
	sums->pairs++;
}

static void enter_lag(struct mpxi_sums *sums, const struct mpxi_spacing *spacing, int64_t u, int64_t v)
{
	add_i128(&sums->lag, (mpxi_i128)u * v * -2 * 2);
	add_u64(&sums->lag_apart, spacing->lag_apart);
}

static void enter_triple(struct mpxi_sums *sums, const struct mpxi_spacing *spacing,
			 const struct mpxi_past *a, const struct mpxi_past *b, const struct mpxi_past *c)
{
	mpxi_i128 count = mpxi_second_difference(a->count, b->count, c->count);
	int64_t size = spacing->bend;

	add_i128(&sums->cc, count * count);
	add_i128(&sums->cs, count * size);
	add_i128(&sums->ss, (mpxi_i128)size * size);
	sums->triples++;
}

static struct mpxi_past past_of_slice(const struct mpxi_slice *slice)
{
	return (struct mpxi_past){slice->count, slice->end - slice->begin};
}

/* Return the part of a slice's length beyond MPXI_LONG typical lengths. */
static uint64_t excess_of_length(uint64_t length, uint64_t typical)
{
	return typical && length / MPXI_LONG > typical ? length - MPXI_LONG * typical : 0;
}

static void enter_slice(struct mpxi_sums *sums, const struct mpxi_past *slice, uint64_t typical)
{
	uint64_t more = excess_of_length(slice->size, typical);

	add_u64(&sums->count, slice->count);
	add_u64(&sums->size, slice->size);
	add_u128(&sums->squares, (mpxi_u128)slice->size * slice->size);
	if (!more)
		return;
	add_u64(&sums->long_count, slice->count);
	add_u64(&sums->long_size, slice->size);
	add_u64(&sums->excess, more);
	add_u128(&sums->excesses, (mpxi_u128)more * more);
}

void mpxi_lengths_add_running(struct mpxi_lengths *lengths, uint64_t length)
{
	uint64_t more = excess_of_length(length, lengths->typical);

	if (!length)
		return;
	lengths->slices++;
	add_u64(&lengths->excess, more);
	add_u128(&lengths->excesses, (mpxi_u128)more * more);
	add_u128(&lengths->squares, (mpxi_u128)length * length);
}

/* Update the typical length. A long slice enters with MPXI_LONG typical lengths only, so that the next
 * long slice is still found long. */
static uint64_t typical_after(uint64_t typical, uint64_t length)
{
	if (!typical)
		return length;
	length -= excess_of_length(length, typical);
	return typical - typical / 16 + length / 16;
}

void mpxi_lengths_add_sig(struct mpxi_lengths *lengths, uint64_t length)
{
	uint64_t last = lengths->last, step = length > last ? length - last : last - length;

	if (!length)
		return;
	mpxi_lengths_add_running(lengths, length);
	if (last)
		add_u128(&lengths->steps, (mpxi_u128)step * step);
	lengths->last = length;
	lengths->typical = typical_after(lengths->typical, length);
}

void mpxi_lengths_add_between_sig(struct mpxi_lengths *lengths, uint64_t time)
{
	add_u64(&lengths->between, time);
}

void mpxi_stat_open(struct mpxi_stat *stat, uint64_t now)
{
	struct mpxi_sums sums = stat->sums;

	memset(stat, 0, sizeof(*stat));
	stat->sums = sums;
	stat->gap_begin = now;
}

/* Return the lengths of a slice (size), of the gap g before it, and of the slices before that gap. */
static struct mpxi_spacing spacing_of(const struct mpxi_stat *stat, uint64_t g, uint64_t size)
{
	return (struct mpxi_spacing){.size = size,
				     .gap = g,
				     .last = stat->last.size,
				     .previous = stat->previous.size,
				     .last_weight = stat->last_weight};
}

static bool is_spaced(const struct mpxi_stat *stat, uint64_t g, uint64_t size,
		      const struct mpxi_spacing *spacing)
{
	return spacing->size == size && spacing->gap == g && spacing->last == stat->last.size &&
	       spacing->previous == stat->previous.size && spacing->last_weight == stat->last_weight;
}

static void follow_slice(struct mpxi_stat *stat, uint64_t g, const struct mpxi_past *ended,
			 struct mpxi_spacing *spacing)
{
	struct mpxi_sums *sums = &stat->sums;
	int64_t u;

	if (!is_spaced(stat, g, ended->size, spacing)) {
		*spacing = spacing_of(stat, g, ended->size);
		mpxi_spacing_fill(spacing);
		mpxi_spacing_pair(spacing);
	}
	fill_gap(sums, spacing, stat->last.count, ended->count);
	stat->last_weight = spacing->weight;
	u = mpxi_spacing_difference(spacing, stat->last.count, ended->count);
	enter_pair(sums, spacing, u);
	if (stat->previous.size) {
		enter_lag(sums, spacing, stat->difference, u);
		enter_triple(sums, spacing, &stat->previous, &stat->last, ended);
	}
	stat->difference = u;
}

void mpxi_stat_slice_sig(struct mpxi_stat *stat, const struct mpxi_slice *slice, struct mpxi_spacing *spacing)
{
	struct mpxi_past ended = past_of_slice(slice);
	struct mpxi_sums *sums = &stat->sums;
	uint64_t g = slice->begin - stat->gap_begin;

	/* A slice of length 0 has no rate. Add only its counts. */
	if (!ended.size) {
		add_u64(&sums->count, ended.count);
		return;
	}
	if (stat->last.size) {
		follow_slice(stat, g, &ended, spacing);
	} else {
		stat->last_weight = hold_slice(sums, g, ended.count, ended.size, 0);
		stat->first = ended;
	}
	enter_slice(sums, &ended, slice->typical);
	sums->slices++;
	stat->previous = stat->last;
	stat->last = ended;
	stat->gap_begin = slice->end;
}

void mpxi_stat_read(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    struct mpxi_mark *mark)
{
	uint64_t g = (running ? running->begin : now) - stat->gap_begin;
	struct mpxi_past so_far = {0};
	struct mpxi_spacing spacing;

	if (running)
		so_far = past_of_slice(running);
	mark->sums = stat->sums;
	mark->now = now;
	mark->unfilled = 0;
	mark->first = stat->first;
	if (!stat->last.size) {
		mark->unfilled = g;
		mark->first = so_far;
	} else if (so_far.size) {
		spacing = spacing_of(stat, g, so_far.size);
		mpxi_spacing_fill(&spacing);
		fill_gap(&mark->sums, &spacing, stat->last.count, so_far.count);
	} else {
		hold_slice(&mark->sums, g, stat->last.count, stat->last.size, stat->last_weight);
	}
	if (running)
		enter_slice(&mark->sums, &so_far, running->typical);
}

void mpxi_stat_start(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		     struct mpxi_mark *mark)
{
	mpxi_stat_read(stat, running, now, mark);
	/* The error of the gap in which the stretch begins belongs to the window that contains the end
	 * of the gap. */
	mark->sums.weight = stat->sums.weight;
	mark->sums.held = stat->sums.held;
}

static uint64_t since_u64(uint64_t end, uint64_t start)
{
	return end == UINT64_MAX ? end : end - start;
}

static mpxi_u128 since_u128(mpxi_u128 end, mpxi_u128 start)
{
	return end == MPXI_U128_MAX ? end : end - start;
}

static mpxi_i128 since_i128(mpxi_i128 end, mpxi_i128 start)
{
	mpxi_i128 between;

	if (end == MPXI_I128_MAX || __builtin_sub_overflow(end, start, &between))
		return MPXI_I128_MAX;
	return between;
}

static void add_sums(struct mpxi_sums *sums, const struct mpxi_sums *end, const struct mpxi_sums *start)
{
#define ADD(kind, field) add_##kind(&sums->field, since_##kind(end->field, start->field))
	ADD(u64, slices);
	ADD(u64, count);
	ADD(u64, size);
	ADD(u64, long_count);
	ADD(u64, long_size);
	ADD(u64, excess);
	ADD(u128, squares);
	ADD(u128, excesses);
	ADD(u64, pairs);
	ADD(u64, triples);
	ADD(u64, weight);
	ADD(u64, apart);
	ADD(u64, lag_apart);
	ADD(u64, held);
	ADD(i128, gap);
	ADD(u128, steps);
	ADD(i128, lag);
	ADD(i128, cc);
	ADD(i128, cs);
	ADD(i128, ss);
#undef ADD
}

/* Add the counts in the window's part of the time before the event's first slice. */
static void add_unfilled(struct mpxi_window *window, const struct mpxi_mark *start,
			 const struct mpxi_mark *end)
{
	uint64_t count = end->first.count, size = end->first.size;
	struct mpxi_held before;

	if (!size) {
		add_u64(&window->unknown, end->unfilled - start->unfilled);
	} else if (end->unfilled) {
		hold_slice(&window->sums, end->unfilled - start->unfilled, count, size, 0);
	} else if (start->unfilled && window->sums.gap != MPXI_I128_MAX) {
		/* The first slice ended in this window and filled in all the time before it, so sums.gap
		 * includes the part before the window. Subtract that part. */
		mpxi_spacing_hold(&before, start->unfilled, size, 0);
		window->sums.gap -= mpxi_times_count(&before.times, count);
	}
}

void mpxi_window_add(struct mpxi_window *window, const struct mpxi_mark *start, const struct mpxi_mark *end)
{
	add_sums(&window->sums, &end->sums, &start->sums);
	add_unfilled(window, start, end);
	add_u64(&window->time, end->now - start->now);
}

void mpxi_lengths_between(struct mpxi_lengths *lengths, const struct mpxi_lengths *start,
			  const struct mpxi_lengths *end)
{
	lengths->slices = since_u64(end->slices, start->slices);
	lengths->excess = since_u64(end->excess, start->excess);
	lengths->squares = since_u128(end->squares, start->squares);
	lengths->excesses = since_u128(end->excesses, start->excesses);
	lengths->steps = since_u128(end->steps, start->steps);
	lengths->between = since_u64(end->between, start->between);
}

bool mpxi_lengths_differ(const struct mpxi_lengths *lengths)
{
	/* If the lengths were independent, half of the sum of squared steps would estimate their
	 * variance. The limit of a fiftieth of the sum of squares corresponds to lengths that differ by
	 * up to a quarter from their mean. */
	return lengths->slices > 2 && lengths->steps / 2 >= lengths->squares / 50;
}
