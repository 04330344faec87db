/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat.c - sums over an event's time slices, and marks in them.
 *
 * A gap of length g between the slices (c1, s1) and (c2, s2) is filled in by their
 * common rate, g (c1 + c2) / (s1 + s2): with the mean of the two rates a slice of a
 * hundredth of its length would weigh as much as a whole one, and its noise would
 * count a hundredfold. Time that has a slice on one side only is filled in by that
 * one's rate, and called held.
 *
 * For the error of that three things are kept (estimate.c puts them together):
 * - the weight with which noise in a slice enters: w is the sum of g / (s1 + s2) over
 *   the gaps beside it, and `weight' the sum of s w^2;
 * - differences between slices that follow one another, u = (c2 s1 - c1 s2) / (s1 + s2),
 *   which are 0 at a constant rate. Their squares hold both noise and changes of the
 *   rate: `steps', scaled to the gap, sums 4 g^2 u^2 / (s1 s2), of which noise of
 *   variance v per unit of time makes v 4 g^2 / (s1 + s2), summed in `apart';
 * - products of two differences in turn, which tell the two from each other: a slice
 *   with too many counts makes one up and one down, a lasting change only one. `lag'
 *   sums -4 u u', of which noise makes v 4 m m' / s2 with m = s1 s2 / (s1 + s2),
 *   summed in `lag_apart'.
 * The ratio and the covariate estimator have no use for gaps. They take the variance
 * from second differences c0 - 2 c1 + c2, as a sum of squares around the mean would
 * take a program's phases for noise.
 *
 * Ranges. Counts, sizes and times are below 2^63, so that sums of two fit a uint64_t
 * and products with a third one 127 bits. `gap' has 96 bits for whole counts. A
 * difference u is cut off at 2^52 counts (62 bits with its fraction), so that a
 * product of four of them fits; second differences at 2^62. A weight is cut off at
 * 2^20: a gap a million times as long as the slices beside it. Sums that would leave
 * their type stay at its end.
 */
#include <string.h>

#include "stat.h"

#define LIMIT       ((uint64_t)1 << 62)
#define WEIGHT_BITS 16
#define WEIGHT_MAX  ((uint64_t)1 << (20 + WEIGHT_BITS))
#define FACTOR_BITS 12
#define FACTOR_MAX  (8 << FACTOR_BITS)
#define U128_MAX    (~(mpxi_u128)0)
#define I128_MAX    ((mpxi_i128)(U128_MAX >> 1))

static void add_u64(uint64_t *sum, mpxi_u128 value)
{
	mpxi_u128 total = *sum + value;

	*sum = value > UINT64_MAX || total > UINT64_MAX ? UINT64_MAX : (uint64_t)total;
}

static void add_u128(mpxi_u128 *sum, mpxi_u128 value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = U128_MAX;
}

/* Once at the end of the range, always there. */
static void add_i128(mpxi_i128 *sum, mpxi_i128 value)
{
	if (*sum != I128_MAX && __builtin_add_overflow(*sum, value, sum))
		*sum = I128_MAX;
}

static uint64_t minimum(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* value * 2^bits / divisor. Division of 128 bits by 128 is the dearest thing here, and
 * nearly always needless. */
static mpxi_u128 divided(mpxi_u128 value, unsigned bits, uint64_t divisor)
{
	mpxi_u128 whole;

	if (value <= UINT64_MAX >> bits)
		return ((uint64_t)value << bits) / divisor;
	if (value <= U128_MAX >> bits)
		return (value << bits) / divisor;
	whole = value / divisor;
	if (whole > U128_MAX >> bits)
		return U128_MAX;
	return (whole << bits) | ((value % divisor) << bits) / divisor;
}

/* The counts of time g at the rate count / size. */
static mpxi_i128 filled(uint64_t g, uint64_t count, uint64_t size)
{
	mpxi_u128 counts = divided((mpxi_u128)g * count, MPXI_GAP_BITS, size);

	return counts < (mpxi_u128)I128_MAX ? (mpxi_i128)counts : I128_MAX;
}

static uint64_t weight(uint64_t g, uint64_t size)
{
	mpxi_u128 w = divided(g, WEIGHT_BITS, size);

	return w < WEIGHT_MAX ? (uint64_t)w : WEIGHT_MAX;
}

static mpxi_u128 weighted(uint64_t size, uint64_t w)
{
	return ((mpxi_u128)size * w >> WEIGHT_BITS) * w >> WEIGHT_BITS;
}

/* A slice's weight grows by more from w. */
static void add_weight(struct mpxi_sums *sums, uint64_t size, uint64_t w, uint64_t more)
{
	add_u64(&sums->weight, weighted(size, minimum(w + more, WEIGHT_MAX)) - weighted(size, w));
}

/* g^2 / size. */
static mpxi_u128 squared_apart(uint64_t g, uint64_t size)
{
	return (mpxi_u128)g * g / size;
}

/* Time g with a slice at one side only. */
static void hold(struct mpxi_sums *sums, uint64_t g, uint64_t count, uint64_t size, uint64_t w)
{
	mpxi_u128 held = squared_apart(g, size);

	add_i128(&sums->gap, filled(g, count, size));
	add_weight(sums, size, w, weight(g, size));
	/* A rate that changes at any place of g is off by twice as much at its end as
	 * between two slices: four times in the square, of 2 g^2 / s. */
	add_u64(&sums->held, held > UINT64_MAX / 8 ? UINT64_MAX : 8 * held);
}

/* Time g between slices; returns what it adds to the weight of both. */
static uint64_t fill(struct mpxi_sums *sums, uint64_t g, const struct mpxi_past *a,
		     const struct mpxi_past *b, uint64_t a_weight)
{
	uint64_t size = a->size + b->size, more = weight(g, size), count;

	if (__builtin_add_overflow(a->count, b->count, &count))
		count = UINT64_MAX;
	add_i128(&sums->gap, filled(g, count, size));
	add_weight(sums, a->size, a_weight, more);
	add_weight(sums, b->size, 0, more);
	return more;
}

/* u of two slices, in 2^-MPXI_DIFFERENCE_BITS. */
static int64_t difference(const struct mpxi_past *a, const struct mpxi_past *b)
{
	mpxi_u128 up = (mpxi_u128)b->count * a->size, down = (mpxi_u128)a->count * b->size;
	mpxi_u128 u = divided(up > down ? up - down : down - up, MPXI_DIFFERENCE_BITS,
			      a->size + b->size);
	int64_t cut = u < LIMIT ? (int64_t)u : (int64_t)LIMIT;

	return up > down ? cut : -cut;
}

/*
 * A change of the rate makes less of a difference between slices of unequal lengths,
 * and more of an error. With e = 4 s1 s2 / (s1 + s2)^2, which is 1 for equal ones,
 * the square has e of what the change makes of equal ones, the error 1 + 3 (1 - e):
 * (4 - 3 e) / e, in 2^-FACTOR_BITS. Cut off where e says little but noise.
 */
static uint64_t unequal(uint64_t a_size, uint64_t b_size)
{
	uint64_t total = a_size + b_size;
	uint64_t part = (uint64_t)divided(minimum(a_size, b_size), FACTOR_BITS, total);
	uint64_t e = part * ((1 << FACTOR_BITS) - part) * 4 >> FACTOR_BITS;

	if (!e)
		return FACTOR_MAX;
	return minimum((((4 << FACTOR_BITS) - 3 * e) << FACTOR_BITS) / e, FACTOR_MAX);
}

static mpxi_u128 scaled(mpxi_u128 value, uint64_t factor)
{
	if (value > U128_MAX / (32 << FACTOR_BITS))
		return value > U128_MAX / 32 ? U128_MAX : (value >> FACTOR_BITS) * factor;
	return value * factor >> FACTOR_BITS;
}

static void enter_pair(struct mpxi_sums *sums, uint64_t g, const struct mpxi_past *a,
		       const struct mpxi_past *b, int64_t u)
{
	uint64_t a_size = a->size, b_size = b->size;
	uint64_t absolute = (uint64_t)(u < 0 ? -u : u);
	/* (2 g u)^2 / (s1 s2), in an order that keeps both fraction and range. */
	mpxi_u128 by_a = divided((mpxi_u128)g * absolute, 1, a_size);
	mpxi_u128 by_b = divided((mpxi_u128)g * absolute, 1, b_size), square;
	uint64_t factor = unequal(a_size, b_size);

	if (__builtin_mul_overflow(by_a, by_b, &square))
		square = U128_MAX;
	add_u128(&sums->steps, scaled(square, factor));
	add_u64(&sums->apart, scaled(squared_apart(g, a_size + b_size), 4 * factor));
	sums->pairs++;
}

static void enter_lag(struct mpxi_sums *sums, const struct mpxi_past *a,
		      const struct mpxi_past *b, const struct mpxi_past *c, int64_t u, int64_t v)
{
	mpxi_u128 part = (mpxi_u128)a->size * b->size / (a->size + b->size);

	add_i128(&sums->lag, (mpxi_i128)u * v * -2 * 2);
	add_u64(&sums->lag_apart, part * 4 * c->size / (b->size + c->size));
}

static int64_t second_difference(uint64_t a, uint64_t b, uint64_t c)
{
	mpxi_i128 d = (mpxi_i128)a + c - (mpxi_i128)b - b;

	if (d > (mpxi_i128)LIMIT)
		return (int64_t)LIMIT;
	return d < -(mpxi_i128)LIMIT ? -(int64_t)LIMIT : (int64_t)d;
}

static void enter_triple(struct mpxi_sums *sums, const struct mpxi_past *a,
			 const struct mpxi_past *b, const struct mpxi_past *c)
{
	mpxi_i128 count = second_difference(a->count, b->count, c->count);
	mpxi_i128 size = second_difference(a->size, b->size, c->size);
	mpxi_i128 x;

	add_i128(&sums->cc, count * count);
	add_i128(&sums->cs, count * size);
	add_i128(&sums->ss, size * size);
	sums->triples++;
	/* Without a covariate the memory behind here is left alone. */
	if (!(a->covariate | b->covariate | c->covariate))
		return;
	x = second_difference(a->covariate, b->covariate, c->covariate);
	add_i128(&sums->cx, count * x);
	add_i128(&sums->sx, size * x);
	add_i128(&sums->xx, x * x);
}

static struct mpxi_past past(const struct mpxi_slice *slice)
{
	return (struct mpxi_past){slice->count, slice->end - slice->begin, slice->covariate};
}

static void enter(struct mpxi_sums *sums, const struct mpxi_past *slice)
{
	add_u64(&sums->count, slice->count);
	add_u64(&sums->size, slice->size);
	add_u64(&sums->covariate, slice->covariate);
}

void mpxi_stat_open(struct mpxi_stat *stat, uint64_t now)
{
	struct mpxi_sums sums = stat->sums;

	memset(stat, 0, sizeof(*stat));
	stat->sums = sums;
	stat->gap_begin = now;
}

void mpxi_stat_slice_sig(struct mpxi_stat *stat, const struct mpxi_slice *slice)
{
	struct mpxi_past ended = past(slice);
	struct mpxi_sums *sums = &stat->sums;
	uint64_t g = slice->begin - stat->gap_begin;
	int64_t u;

	/* No time, no rate; counts that came all the same are counts. */
	if (!ended.size) {
		add_u64(&sums->count, ended.count);
		return;
	}
	if (!stat->last.size) {
		hold(sums, g, ended.count, ended.size, 0);
		stat->last_weight = weight(g, ended.size);
		stat->first = ended;
	} else {
		stat->last_weight = fill(sums, g, &stat->last, &ended, stat->last_weight);
		u = difference(&stat->last, &ended);
		enter_pair(sums, g, &stat->last, &ended, u);
		if (stat->previous.size) {
			enter_lag(sums, &stat->previous, &stat->last, &ended, stat->difference, u);
			enter_triple(sums, &stat->previous, &stat->last, &ended);
		}
		stat->difference = u;
	}
	enter(sums, &ended);
	sums->slices++;
	stat->previous = stat->last;
	stat->last = ended;
	stat->gap_begin = slice->end;
}

void mpxi_stat_read(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    uint64_t covariate, struct mpxi_mark *mark)
{
	uint64_t g = (running ? running->begin : now) - stat->gap_begin;
	struct mpxi_past so_far = {0};

	if (running)
		so_far = past(running);
	mark->sums = stat->sums;
	mark->now = now;
	mark->covariate = covariate;
	mark->unfilled = 0;
	mark->first = stat->first;
	if (!stat->last.size) {
		mark->unfilled = g;
		mark->first = so_far;
	} else if (so_far.size) {
		fill(&mark->sums, g, &stat->last, &so_far, stat->last_weight);
	} else {
		hold(&mark->sums, g, stat->last.count, stat->last.size, stat->last_weight);
	}
	enter(&mark->sums, &so_far);
}

void mpxi_stat_start(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		     uint64_t covariate, struct mpxi_mark *mark)
{
	mpxi_stat_read(stat, running, now, covariate, mark);
	/* The open gap's error is that of the window which sees its end. */
	mark->sums.weight = stat->sums.weight;
	mark->sums.held = stat->sums.held;
}

static uint64_t since_u64(uint64_t end, uint64_t start)
{
	return end == UINT64_MAX ? end : end - start;
}

static mpxi_u128 since_u128(mpxi_u128 end, mpxi_u128 start)
{
	return end == U128_MAX ? end : end - start;
}

static mpxi_i128 since_i128(mpxi_i128 end, mpxi_i128 start)
{
	mpxi_i128 between;

	if (end == I128_MAX || __builtin_sub_overflow(end, start, &between))
		return I128_MAX;
	return between;
}

static void add_sums(struct mpxi_sums *sums, const struct mpxi_sums *end,
		     const struct mpxi_sums *start)
{
#define ADD(kind, field) add_##kind(&sums->field, since_##kind(end->field, start->field))
	ADD(u64, slices);
	ADD(u64, count);
	ADD(u64, size);
	ADD(u64, covariate);
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
	ADD(i128, cx);
	ADD(i128, sx);
	ADD(i128, xx);
#undef ADD
}

/* The window's part of the time before the first slice. */
static void add_unfilled(struct mpxi_window *window, const struct mpxi_mark *start,
			 const struct mpxi_mark *end)
{
	uint64_t count = end->first.count, size = end->first.size;

	if (!size) {
		add_u64(&window->unknown, end->unfilled - start->unfilled);
	} else if (end->unfilled) {
		hold(&window->sums, end->unfilled - start->unfilled, count, size, 0);
	} else if (start->unfilled && window->sums.gap != I128_MAX) {
		/* Filled in since, with what is before the window. */
		window->sums.gap -= filled(start->unfilled, count, size);
	}
}

static void end_cluster(struct mpxi_window *window)
{
	mpxi_i128 count = (mpxi_i128)minimum(window->cluster_count, LIMIT);
	mpxi_i128 size = (mpxi_i128)minimum(window->cluster_size, LIMIT);

	if (!window->cluster_size)
		return;
	add_i128(&window->cluster_cc, count * count);
	add_i128(&window->cluster_cs, count * size);
	add_i128(&window->cluster_ss, size * size);
	window->clusters++;
	window->cluster_count = window->cluster_size = 0;
}

void mpxi_window_add(struct mpxi_window *window, const struct mpxi_mark *start,
		     const struct mpxi_mark *end)
{
	if (window->cluster_slice != start->sums.slices)
		end_cluster(window);
	add_u64(&window->cluster_count, since_u64(end->sums.count, start->sums.count));
	add_u64(&window->cluster_size, since_u64(end->sums.size, start->sums.size));
	if (start->sums.slices != end->sums.slices)
		end_cluster(window);
	window->cluster_slice = end->sums.slices;
	add_sums(&window->sums, &end->sums, &start->sums);
	add_unfilled(window, start, end);
	add_u64(&window->time, end->now - start->now);
	add_u64(&window->covariate, end->covariate - start->covariate);
	window->windows++;
}
