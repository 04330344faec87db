/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimate.c - computes from a window's sums an estimate of the true count, its standard error and the
 * interval that contains the true count in 95 of 100 cases. doc/design/ESTIMATOR.md has the mathematics
 * and the measured accuracy.
 */
#include <math.h>
#include <string.h>

#include "stat/outcome.h"

/* Return Student's t for f degrees of freedom: from the table below 4, else the expansion in 1/f around the
 * normal quantile. */
double mpxi_student(double f)
{
	static const double table[] = {12.706, 12.706, 4.303, 3.182, 2.776};
	const double z = MPXI_NORMAL;

	if (f < 1)
		return table[1];
	if (f < 4) {
		unsigned below = (unsigned)f;

		return table[below] + (f - below) * (table[below + 1] - table[below]);
	}
	return z + (z * z * z + z) / (4 * f) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * f * f) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * z * z * z - 15 * z) / (384 * f * f * f);
}

static double positive_part(double x)
{
	return x > 0 ? x : 0;
}

/* Return p, the share of the time in which the event was counted. */
static double counted_part(const struct mpxi_window *w)
{
	return fmin((double)w->sums.size / (double)w->time, 1);
}

static bool is_saturated(const struct mpxi_window *w)
{
	const struct mpxi_sums *s = &w->sums;
	const mpxi_u128 top = ~(mpxi_u128)0;
	const mpxi_i128 top_signed = (mpxi_i128)(top >> 1);

	return s->gap == top_signed || s->steps == top || s->lag == top_signed || s->cc == top_signed ||
	       s->cs == top_signed || s->ss == top_signed || s->weight == UINT64_MAX ||
	       s->apart == UINT64_MAX || s->held == UINT64_MAX || s->squares == top ||
	       s->count == UINT64_MAX || s->size == UINT64_MAX;
}

/* Return the noise variance per unit of time from pairs alone, as if all differences were noise. */
static double pair_noise(const struct mpxi_sums *s)
{
	double scale = ldexp(1, -2 * MPXI_DIFFERENCE_BITS);

	return s->apart ? (double)s->steps * scale / (double)s->apart : 0;
}

static struct mpxi_outcome estimate_ratio(const struct mpxi_window *w)
{
	const struct mpxi_sums *s = &w->sums;
	double p = counted_part(w), time = (double)w->time, size = (double)s->size;
	double n = (double)s->slices, triples = (double)s->triples;
	double r = (double)s->count / size;
	double dd = positive_part((double)s->cc - 2 * r * (double)s->cs + r * r * (double)s->ss);
	struct mpxi_outcome o = {.value = (double)s->count / p};

	if (triples < 2) {
		o.variance = pair_noise(s) * time * (time - size) / size;
		o.of_noise = o.of_change = o.closely = o.variance;
		o.freedom = s->pairs ? 1 : 0;
		return o;
	}
	/* Second differences overlap: they are worth about half as many independent ones. */
	o.freedom = triples / 1.944;
	o.noise = dd / (6 * triples);
	o.variance = o.of_noise = o.of_change = o.closely = o.noise * n * (1 - p) / (p * p);
	return o;
}

double mpxi_outcome_variance(double of_noise, double of_change, double closely, double differences)
{
	/* With few differences the products contain little information; then noise is the cautious
	 * assumption. */
	double weight = positive_part(differences - 3) / (positive_part(differences - 3) + 4);
	double least = fmin(of_noise, of_change), most = fmax(of_noise, of_change);

	return weight * fmin(fmax(closely, least), most) + (1 - weight) * of_noise;
}

static struct mpxi_outcome estimate_interpolated(const struct mpxi_window *w)
{
	const struct mpxi_sums *s = &w->sums;
	double scale = ldexp(1, -2 * MPXI_DIFFERENCE_BITS), n = (double)s->pairs;
	double gap = ldexp((double)s->gap, -MPXI_GAP_BITS), apart = (double)s->apart;
	double steps = (double)s->steps * scale / 12, all = pair_noise(s), lag = all;
	double noisy = (double)s->weight + (double)(w->time - s->size);
	struct mpxi_outcome o = {.value = (double)s->count + gap, .freedom = n / 3};

	if (w->unknown && w->unknown < w->time)
		o.value *= (double)w->time / (double)(w->time - w->unknown);
	if (s->lag_apart)
		lag = (double)s->lag * scale / (double)s->lag_apart;
	/* Without a gap between slices, all unseen time is before the first or after the last slice. */
	if (s->apart)
		steps *= 1 + (double)s->held / apart;
	else
		all = positive_part(lag);
	o.of_noise = all * noisy;
	o.of_change = steps;
	o.closely = all > 0 ? lag * noisy + (1 - lag / all) * steps : steps;
	o.variance = mpxi_outcome_variance(o.of_noise, o.of_change, o.closely, n);
	o.noise = s->slices ? all * (double)s->size / (double)s->slices : 0;
	return o;
}

/*
 * Return the error that unequal slice lengths may cause. In a program with long phases in the kernel, which
 * ticks do not interrupt, a long slice contains an unknown share of the counts that its time would normally
 * have: between none and all. The error is that of the share of the slices' excess length that other
 * events' slices have beyond this event's share. The residuals of the event's own slices are weighted by
 * the variation of their lengths. If other slices were longer than the event's slices ever were, nothing is
 * known about them.
 */
static double estimate_unseen(const struct mpxi_window *w)
{
	const double prior = .9; /* measured: doc/design/ESTIMATOR.md */
	const struct mpxi_sums *s = &w->sums;
	double n = fmax((double)s->slices, 1), size = (double)s->size, count = (double)s->count;
	double strange = (double)w->lengths.excess - (double)s->excess * (double)w->lengths.slices / n;
	double scale = (double)s->squares / size * (double)w->time / (double)w->lengths.squares;
	double longer = positive_part(1 - (1 + 1 / sqrt(n)) * scale), spread = 0, missing = 1,
	       rate = count / size;

	if (s->triples && s->ss > 0 && rate > 0) {
		double dd = (double)s->cc - 2 * rate * (double)s->cs + rate * rate * (double)s->ss;

		spread = (double)s->ss * n / (6 * (double)s->triples);
		missing = fmin(positive_part(dd) / (rate * rate * (double)s->ss), 1);
	}
	if (s->long_size < s->size)
		rate = (count - (double)s->long_count) / (size - (double)s->long_size);
	if (strange == 0)
		return 0;
	/* For long slices alone: the event's long slices are worth excess^2 / squares slices of equal
	 * length. */
	if (s->excess) {
		double excess = (double)s->excess, squares = (double)s->excesses;

		scale = squares / excess * (double)w->lengths.excess / (double)w->lengths.excesses;
		longer = fmax(longer, 1 - (1 + sqrt(squares) / excess) * scale);
	} else {
		longer = 1;
	}
	longer *= prior;
	return rate * strange *
	       sqrt((missing * spread + longer * strange * strange) / (spread + strange * strange));
}

/* Return the factor by which unlike slice lengths increase the variance: 1 if the unseen slices were as
 * long as the seen ones, more if they were longer. */
static double weigh_unlike_slices(const struct mpxi_window *w)
{
	double seen = (double)w->sums.squares, all = (double)w->lengths.squares;
	double more = (double)w->time / (double)w->sums.size, up = more - 1;

	return up > 0 ? fmax((all - seen + up * up * seen) / (seen * up * more), 1) : 1;
}

static struct mpxi_outcome estimate_uneven(const struct mpxi_window *w)
{
	struct mpxi_outcome o = estimate_ratio(w);
	double size = (double)w->sums.size, time = (double)w->time, effective;

	effective = fmin(size * size / (double)w->sums.squares,
			 counted_part(w) * time * time / (double)w->lengths.squares);
	o.freedom = fmin(o.freedom, fmax(effective - 1, 0) / 1.5);
	o.variance *= weigh_unlike_slices(w);
	o.of_noise = o.of_change = o.closely = o.variance;
	o.unseen = estimate_unseen(w);
	return o;
}

/*
 * Return the variance caused by integer counts. If an event comes very regularly, each slice contains a
 * fraction of a count too much or too little, of variance 1/6, and the gap next to the slice has the
 * opposite error. The variances above assume that the two are independent.
 */
static double whole_counts(const struct mpxi_sums *s, double noise, double p)
{
	double n = (double)s->slices;

	return (double)s->count > n / 2 ? n * fmin(noise, 1. / 6) * (1 - p) / p : 0;
}

/*
 * Return the error of the time between slices of an attached thread. While its groups changed, the thread
 * either continued or was held up by the interrupts of the change. T includes half of that time, and the
 * interval extends from none of it to all.
 */
static double unseen_between(const struct mpxi_window *w, double value)
{
	return value * (double)w->lengths.between / 2 / (double)w->time / MPXI_NORMAL;
}

struct mpxi_outcome mpxi_outcome_of(const struct mpxi_window *window, enum mpxi_estimator estimator)
{
	const struct mpxi_sums *s = &window->sums;
	struct mpxi_outcome o;
	double whole, between;

	/* A window without a gap of its own contains nothing interpolated: the difference of its marks
	 * belongs to the gap before it. */
	bool filled = estimator != MPXI_RATIO && !is_saturated(window) && s->size < window->time;

	if (filled && estimator != MPXI_INTERPOLATED && mpxi_lengths_differ(&window->lengths))
		o = estimate_uneven(window);
	else if (filled)
		o = estimate_interpolated(window);
	else
		o = estimate_ratio(window);
	whole = whole_counts(s, o.noise, counted_part(window));
	o.whole = whole;
	o.variance += whole;
	o.of_noise += whole;
	o.of_change += whole;
	o.closely += whole;
	o.value = fmax(o.value, (double)s->count);
	between = unseen_between(window, o.value);
	o.unseen = sqrt(o.unseen * o.unseen + between * between);
	o.left = is_saturated(window);
	return o;
}

double mpxi_outcome_floor(const struct mpxi_outcome *o, double count, double p)
{
	/* A few counts do not show their variance: assume that of rare events (Poisson). */
	double poisson = fmax(count, 1) * (1 - p) / (p * p);
	double little = fmin(1, 9 / fmax(count * count, 1));

	return o->freedom < 1 ? poisson : poisson * little;
}

void mpxi_estimate_interval(struct mpxi_estimate *estimate, double t, double z)
{
	const struct mpxi_basis *b = &estimate->basis;
	/* The variance of a count is proportional to the true count, not to its estimate: the interval has
	 * the true counts N with (N - value)^2 <= t^2 variance N / value. */
	double a = fmax(t * t * b->variance, z * z * b->floor) / fmax(b->value, 1 / b->part);
	double high = b->value + a / 2 + sqrt(a * b->value + a * a / 4);
	/* low * high is value squared; computing low as a difference would lose digits. */
	double low = b->value > 0 ? fmax(b->value * (b->value / high), b->count) : b->count;

	estimate->low = b->sure + low;
	estimate->high = b->sure + high;
}

void mpxi_outcome_settle(const struct mpxi_outcome *o, double count, double p, struct mpxi_estimate *estimate)
{
	double floor = mpxi_outcome_floor(o, count, p), variance = o->variance + o->unseen * o->unseen;

	estimate->rough = o->freedom < 2 || o->left;
	/* Errors below half a percent are not reported. */
	estimate->uneven = o->unseen * o->unseen > variance / 2 && fabs(o->unseen) > .005 * o->value;
	estimate->value = o->value;
	estimate->standard_error = sqrt(fmax(variance, floor));
	estimate->basis = (struct mpxi_basis){.value = o->value,
					      .variance = variance,
					      .floor = floor,
					      .freedom = o->freedom,
					      .count = count,
					      .part = p};
	mpxi_estimate_interval(estimate, mpxi_student(o->freedom), MPXI_NORMAL);
}

static double whole_variance(const struct mpxi_window *window)
{
	struct mpxi_outcome o = mpxi_outcome_of(window, MPXI_AUTO);

	return o.variance + o.unseen * o.unseen;
}

const struct mpxi_window *mpxi_window_choose(const struct mpxi_window *clock,
					     const struct mpxi_window *covariate,
					     enum mpxi_estimator estimator)
{
	/* Minimum gain of the covariate: without it the choice, which depends on this very interval, would
	 * bias it. */
	const double gain = .7;
	const uint64_t counts = 100; /* in a slice: fewer counts vary too much for a clock */

	/* The covariate was not counted between the groups of an attached thread. */
	if (!covariate || clock->lengths.between || estimator == MPXI_RATIO ||
	    estimator == MPXI_INTERPOLATED || clock->exact)
		return clock;
	/* Pieces are combined by their time, so they need the clock. */
	if (clock->turns / MPXI_ROUNDS < clock->groups || !covariate->sums.size || !covariate->time)
		return clock;
	if (estimator == MPXI_COVARIATE)
		return covariate;
	if (covariate->time / counts < covariate->lengths.slices)
		return clock;
	return whole_variance(covariate) < gain * whole_variance(clock) ? covariate : clock;
}

void mpxi_estimate(const struct mpxi_window *window, enum mpxi_estimator estimator,
		   struct mpxi_estimate *estimate)
{
	const struct mpxi_sums *s = &window->sums;
	double count = (double)s->count;
	struct mpxi_outcome o;

	memset(estimate, 0, sizeof(*estimate));
	if (window->exact) {
		*estimate = (struct mpxi_estimate){
			.value = count, .low = count, .high = count, .coverage = 1, .exact = true};
		return;
	}
	if (!s->size || !window->time) {
		estimate->never = estimate->rough = true;
		estimate->low = estimate->high = count;
		return;
	}
	o = mpxi_outcome_of(window, estimator);
	mpxi_outcome_settle(&o, count, counted_part(window), estimate);
	estimate->coverage = fmin((double)mpxi_window_size(window) / (double)mpxi_window_time(window), 1);
}

void mpxi_estimate_include(struct mpxi_estimate *estimate, long long given)
{
	const double value = (double)given;

	/* value is at least the count, and so is the interval. */
	estimate->low = fmin(estimate->low, value);
	estimate->high = fmax(estimate->high, value);
}
