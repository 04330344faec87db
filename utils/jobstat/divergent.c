/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divergent.c - finds the nodes that stand apart from the others.
 *
 * Median and MAD (median absolute deviation) name nodes wrongly if nodes differ widely for good reasons:
 * with half of the nodes in one narrow group, the MAD is the MAD of this group. The width of the middle
 * three quarters is robust against two groups and, on a logarithmic scale, against long tails.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>

#include "jobstat/divergent.h"

/* Smallest distance of a divergent node from the core, in widths of the core. A core of few nodes is
 * narrow by chance more often, so STRICT_FEW adds to the distance. Both values were found by trial with
 * the noises in ctests/unit/service/divergent.c. */
#define STRICT 6.0
#define STRICT_FEW 120.0 /* divided by the square of (core nodes - 2) */

/* Smallest gap between two groups, in widths of the wider group. */
#define BETWEEN 12.0

/* Rates below this share of the median count as zero. They are raised to this share before the logarithm. */
#define FLOOR 1e-3

unsigned divergent_most(unsigned n)
{
	return n < 8 ? 1 : n < 16 ? 2 : n / 8;
}

static double strict_widths(unsigned core)
{
	return STRICT + STRICT_FEW / (((double)core - 2) * ((double)core - 2));
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void divergent_sort(double *x, unsigned n)
{
	if (n > 0)
		qsort(x, n, sizeof(*x), by_size);
}

struct divergent_limits divergent_limits(const double *x, unsigned n, bool strict, int away)
{
	struct divergent_limits limits = {.median = NAN, .low = -INFINITY, .high = INFINITY};
	const double effect = strict ? DIVERGENT_EFFECT : DIVERGENT_EFFECT / 2;
	const unsigned most = divergent_most(n);
	double low, high, width;

	if (n == 0)
		return limits;
	limits.median = x[(n - 1) / 2] / 2 + x[n / 2] / 2;
	if (n < DIVERGENT_NODES_MIN)
		return limits;
	/* A node that moves to one end shifts the indices of the nodes in between by one. */
	limits.median = x[(n - 1) / 2 + (unsigned)away] / 2 + x[n / 2 + (unsigned)away] / 2;
	/* If most nodes have a zero rate, a node with a rate has no others for comparison. */
	if (!(limits.median > 0))
		return limits;
	low = fmax(x[away < 0 ? most - 1 : most], limits.median * FLOOR);
	high = x[away > 0 ? n - most : n - 1 - most];
	if (strict) {
		width = log(high / low) * strict_widths(n - 2 * most);
		limits.low = low * exp(-width);
		limits.high = high * exp(width);
	} else {
		limits.low = low;
		limits.high = high;
	}
	limits.low = fmin(limits.low, limits.median * (1 - effect));
	limits.high = fmax(limits.high, limits.median * (1 + effect));
	/* Rates below the floor are not distinguished, so a limit there cannot be crossed. */
	if (limits.low < limits.median * FLOOR)
		limits.low = -INFINITY;
	limits.can = true;
	return limits;
}

int divergent_side(const struct divergent_limits *limits, double x)
{
	if (!limits->can || isnan(x))
		return 0;
	return x < limits->low ? -1 : x > limits->high;
}

unsigned divergent_groups(const double *x, unsigned n)
{
	if (n < DIVERGENT_NODES_MIN || !(x[0] > 0))
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
