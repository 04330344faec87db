/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_spread.c - means of repeated measurements, their spread, and ratios of two means.
 */
#include "stat/stat_spread.h"

#include <math.h>

struct stat_spread stat_spread_of(const double *value, unsigned n)
{
	struct stat_spread spread = {.n = n};
	double beyond = 0, squares = 0;

	if (n == 0)
		return spread;
	/* Sum the differences from the first value: the mean of equal values is then exact, and their
	 * spread is 0. */
	for (unsigned i = 1; i < n; i++)
		beyond += value[i] - value[0];
	spread.mean = value[0] + beyond / n;
	/* Use differences from the mean, not a sum of squares, so that the spread of counts near 10^15 that
	 * differ by 1 is not lost to rounding. */
	for (unsigned i = 0; i < n; i++)
		squares += (value[i] - spread.mean) * (value[i] - spread.mean);
	if (n > 1)
		spread.deviation = sqrt(squares / (n - 1));
	spread.error = spread.deviation / sqrt(n);
	return spread;
}

uint64_t stat_spread_whole(double mean)
{
	/* The mean of counts of 2^64 - 1, as a double, is 2^64, which uint64_t cannot hold. */
	return mean < 0x1p64 ? (uint64_t)round(mean) : UINT64_MAX;
}

double stat_spread_percent(const struct stat_spread *spread)
{
	return spread->mean != 0 ? 100 * spread->error / fabs(spread->mean) : 0;
}

/* Return the 97.5 % quantile of Student's t for any real number f >= 1 of degrees of freedom. Between the
 * table's entries the function interpolates linearly in 1/f, which approximates t closely. */
static double student_quantile(double f)
{
	static const struct {
		double f, t;
	} table[] = {
		{1, 12.7062}, {1.25, 8.0280}, {1.5, 6.0167}, {2, 4.3027},        {2.5, 3.5747}, {3, 3.1824},
		{4, 2.7764},  {5, 2.5706},    {6, 2.4469},   {8, 2.3060},        {10, 2.2281},  {15, 2.1314},
		{20, 2.0860}, {30, 2.0423},   {60, 2.0003},  {INFINITY, 1.9600},
	};
	unsigned i = 1;

	if (f <= 1)
		return table[0].t;
	while (f > table[i].f)
		i++;
	return table[i].t + (table[i - 1].t - table[i].t) * (1 / f - 1 / table[i].f) /
				    (1 / table[i - 1].f - 1 / table[i].f);
}

double stat_spread_half(const struct stat_spread *spread)
{
	return spread->n < 2 ? INFINITY : student_quantile(spread->n - 1) * spread->error;
}

/*
 * Compute the 95 % interval of the ratio. The ratio's relative error combines the errors of both means
 * (first-order Taylor expansion); its degrees of freedom are Welch's. The interval is computed for the
 * logarithm of the ratio, so that its lower end is never below 0, and its reciprocal is the interval of a /
 * b.
 */
static void find_ratio_interval(const struct stat_spread *a, const struct stat_spread *b,
				struct stat_change *of)
{
	double ra = a->error / fabs(a->mean), rb = b->error / fabs(b->mean);
	double square = ra * ra + rb * rb, f, half;

	of->has_interval = true;
	of->low = of->high = of->ratio;
	if (square == 0)
		return;
	f = square * square / (pow(ra, 4) / (a->n - 1) + pow(rb, 4) / (b->n - 1));
	half = student_quantile(f) * sqrt(square);
	of->low = of->ratio * exp(-half);
	of->high = of->ratio * exp(half);
}

struct stat_change stat_spread_change(const struct stat_spread *a, const struct stat_spread *b)
{
	struct stat_change of = {.has_ratio = a->mean != 0 && b->n > 0};

	if (!of.has_ratio)
		return of;
	of.ratio = b->mean / a->mean;
	if (a->n < 2 || b->n < 2 || of.ratio <= 0)
		return of;
	find_ratio_interval(a, b, &of);
	if (a->n >= STAT_CHANGE_RUNS && b->n >= STAT_CHANGE_RUNS)
		of.verdict = of.low > 1 ? STAT_MORE : of.high < 1 ? STAT_LESS : STAT_SAME;
	return of;
}
