/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divergent.c - which nodes stand apart from the others.
 *
 * Median and MAD alone name nodes wrongly where nodes differ by much for good reasons: with half of
 * them in one narrow group the MAD is that group's. The width of the middle three quarters is not
 * deceived by two groups, and in logarithms not by long tails.
 */
#include <math.h>
#include <stdlib.h>

#include "jobstat/divergent.h"
#include "jobstat/spread.h"

/* So many widths of the core are between it and a node that stands apart. A core of few nodes is
 * narrow by chance more often. Found by trial: ctests/unit/service/divergent.c has the noises. */
#define STRICT 6.0
#define STRICT_FEW 120.0 /* by the square of how many more than two they are */

/* Between two groups there are so many widths of the wider one. */
#define BETWEEN 12.0

/* Rates below this share of the median are as good as none: their logarithms are this one's. */
#define FLOOR 1e-3

unsigned divergent_most(unsigned n)
{
	return n < 8 ? 1 : n < 16 ? 2 : n / 8;
}

static double widths(unsigned core)
{
	return STRICT + STRICT_FEW / (((double)core - 2) * ((double)core - 2));
}

void divergent_limits(double *x, unsigned n, bool strict, struct divergent_limits *limits)
{
	double median, low, high, width;
	const unsigned most = divergent_most(n), middle = n / 2;

	*limits = (struct divergent_limits){.median = NAN, .low = -INFINITY, .high = INFINITY};
	if (n == 0)
		return;
	/* The lower ones are before the middle then, and the higher ones behind it. */
	median = spread_median(x, n);
	limits->median = median;
	/* Where most nodes have nothing, one that has something has no others to be compared with. */
	if (n < DIVERGENT_NODES_MIN || !(median > 0))
		return;
	low = fmax(spread_select(x, middle + 1, most), median * FLOOR);
	high = spread_select(x + middle, n - middle, n - 1 - most - middle);
	if (strict) {
		width = log(high / low) * widths(n - 2 * most);
		limits->low = low * exp(-width);
		limits->high = high * exp(width);
	} else {
		/* One width, without logarithms. */
		limits->low = low * (low / high);
		limits->high = high * (high / low);
	}
	limits->low = fmin(limits->low, median * (1 - DIVERGENT_EFFECT));
	limits->high = fmax(limits->high, median * (1 + DIVERGENT_EFFECT));
	/* Nothing is below the floor. */
	if (limits->low < median * FLOOR)
		limits->low = -INFINITY;
	limits->can = true;
}

int divergent_side(const struct divergent_limits *limits, double x)
{
	if (!limits->can || isnan(x))
		return 0;
	return x < limits->low ? -1 : x > limits->high;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

unsigned divergent_groups(double *x, unsigned n)
{
	if (n < DIVERGENT_NODES_MIN)
		return 0;
	qsort(x, n, sizeof(*x), by_size);
	if (!(x[0] > 0))
		return 0;
	for (unsigned i = 2; i + 2 <= n; i++) {
		const double width = fmax(log(x[i - 1] / x[0]), log(x[n - 1] / x[i]));

		if (x[i - 1] < x[i] * (1 - DIVERGENT_EFFECT) && log(x[i] / x[i - 1]) > width * BETWEEN)
			return i;
	}
	return 0;
}

int divergent_run(const signed char *side, unsigned n, unsigned *first, unsigned *length)
{
	unsigned begin = 0;
	int best = 0;

	*first = *length = 0;
	for (unsigned i = 0; i < n; i++) {
		if (i == 0 || side[i] != side[i - 1])
			begin = i;
		if (side[i] != 0 && i + 1 - begin > *length) {
			*first = begin;
			*length = i + 1 - begin;
			best = side[i];
		}
	}
	return best;
}
