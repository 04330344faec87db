/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * estimate.c - computes from a window's sums an estimate of the true count, its standard error and the
 * interval that contains the true count in 95 of 100 cases. doc/design/ESTIMATOR.md has the mathematics
 * and the measured accuracy.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>
#include <string.h>

#include "stat/outcome.h"

/* Return the two-sided 95 % quantile of Student's t for f degrees of freedom. Uses a table below 4, and
 * above an expansion in 1/f around the normal quantile. */
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

/* Return the variance per unit of time if all differences between consecutive slices are noise. */
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
	/* Consecutive second differences overlap, so they are worth about half as many independent
	 * differences. */
	o.freedom = triples / 1.944;
	o.noise = dd / (6 * triples);
	o.variance = o.of_noise = o.of_change = o.closely = o.noise * n * (1 - p) / (p * p);
	return o;
}

double mpxi_outcome_variance(double of_noise, double of_change, double closely, double differences)
{
	/* With few differences, closely contains little information. Then noise is the cautious
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
	/* If no slice had a gap before it, all time without slices is before the first or after the last
	 * slice. */
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
 * Return the error that unequal slice lengths may cause. Ticks do not end slices while the program is in
 * the kernel. In a program with long phases there, a long slice contains an unknown part of the counts that
 * its time would normally have: between none and all. `strange' is the excess length of all groups' long
 * slices beyond this event's share of it, and the result is the possible error of the counts in that time.
 * The residuals of the event's own slices show how large this part is (missing). They are weighted by the
 * variation of the lengths of these slices (spread). If other groups' slices were longer than any slice of
 * the event, nothing is known about them (longer).
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
	/* Compare the long slices alone in the same way. The event's long slices are worth excess^2 /
	 * squares slices of equal length. */
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

/* Return the factor by which unequal slice lengths increase the variance: 1 if the slices of other
 * groups were as long as the event's, more if they were longer. */
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
 * Return the variance that is due to counts being integers. If an event occurs very regularly, each slice
 * contains a fraction of a count too much or too little, with variance 1/6, and the gap next to the slice
 * has the opposite error. The variances computed above assume that the errors of slice and gap are
 * independent.
 */
static double whole_counts(const struct mpxi_sums *s, double noise, double p)
{
	double n = (double)s->slices;

	return (double)s->count > n / 2 ? n * fmin(noise, 1. / 6) * (1 - p) / p : 0;
}

/*
 * Return the error from the time between slices, if the counted thread is another thread. While its groups
 * changed, the thread either continued or was held up by the interrupts of the change. T includes half of
 * that time, and the interval covers from none to all of it.
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

	/* Interpolate only if the event was not counted all the time in this window. Otherwise the
	 * window has no gap of its own, and the growth of sums.gap corrects the gap before the window. */
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
	/* A few counts do not show their variance. Assume the variance of rare events (Poisson). */
	double poisson = fmax(count, 1) * (1 - p) / (p * p);
	double little = fmin(1, 9 / fmax(count * count, 1));

	return o->freedom < 1 ? poisson : poisson * little;
}

void mpxi_estimate_interval(struct mpxi_estimate *estimate, double t, double z)
{
	const struct mpxi_basis *b = &estimate->basis;
	/* The variance of a count is proportional to the true count, not to its estimate. The interval
	 * therefore contains the true counts N with (N - value)^2 <= t^2 variance N / value. */
	double a = fmax(t * t * b->variance, z * z * b->floor) / fmax(b->value, 1 / b->part);
	double high = b->value + a / 2 + sqrt(a * b->value + a * a / 4);
	/* Use low * high = value^2, since computing low as a difference would lose digits. */
	double low = b->value > 0 ? fmax(b->value * (b->value / high), b->count) : b->count;

	estimate->low = b->sure + low;
	estimate->high = b->sure + high;
}

void mpxi_outcome_settle(const struct mpxi_outcome *o, double count, double p, struct mpxi_estimate *estimate)
{
	double floor = mpxi_outcome_floor(o, count, p), variance = o->variance + o->unseen * o->unseen;

	estimate->rough = o->freedom < 2 || o->left;
	/* Possible errors below half a percent do not set the flag. */
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
	/* The covariate must reduce the variance at least by this factor. Without such a margin the
	 * choice, which depends on the estimated variances, would bias the interval. */
	const double gain = .7;
	/* the covariate's minimum counts in a slice: with fewer, its count varies too much to serve as a
	 * clock */
	const uint64_t counts = 100;

	/* If the counted thread is another thread (lengths.between), the covariate was not counted
	 * between slices. */
	if (!covariate || clock->lengths.between || estimator == MPXI_RATIO ||
	    estimator == MPXI_INTERPOLATED || clock->exact)
		return clock;
	/* Pieces are combined with their times as weights, so they need the clock. */
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

	/* value is not below C_e, so low does not fall below it either. */
	estimate->low = fmin(estimate->low, value);
	estimate->high = fmax(estimate->high, value);
}
