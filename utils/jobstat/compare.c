/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare.c - finds the nodes that stand apart in one metric, and the smallest difference that would name a
 * node.
 *
 * The smallest difference follows from the limits that would hold if any one node moved below, or above,
 * all others. Each node's own rates are used, so the result holds for the node that is hardest to name.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/compare.h"
#include "jobstat/divergent.h"
#include "jobstat/spread.h"

/* Smallest share of the parts in which a named node must stand apart. */
#define PERSISTENT 0.5

/* A node below this share of the median is excluded from the smallest difference, because multiplying a
 * rate near zero by a factor is no useful test. */
#define IDLE 1e-3

int compare_open(struct compare *c, unsigned nodes)
{
	const size_t n = nodes + 1, all = n * COMPARE_PARTS;

	*c = (struct compare){.nodes = nodes,
			      .whole = calloc(n, sizeof(*c->whole)),
			      .part = calloc(all, sizeof(*c->part)),
			      .side = calloc(n, 1),
			      .share = calloc(n, sizeof(*c->share)),
			      .in_part = calloc(all, 1),
			      .sorted = calloc(n, sizeof(*c->sorted)),
			      .below = calloc(all, sizeof(*c->below)),
			      .above = calloc(all, sizeof(*c->above)),
			      .had = calloc(n, sizeof(*c->had))};
	return c->whole && c->part && c->side && c->share && c->in_part && c->sorted && c->below &&
			       c->above && c->had
		       ? 0
		       : -1;
}

void compare_close(struct compare *c)
{
	free(c->whole);
	free(c->part);
	free(c->side);
	free(c->share);
	free(c->in_part);
	free(c->sorted);
	free(c->below);
	free(c->above);
	free(c->had);
}

static unsigned compare_sort(struct compare *c, const double *x)
{
	unsigned n = 0;

	for (unsigned k = 0; k < c->nodes; k++)
		if (!isnan(x[k]))
			c->sorted[n++] = x[k];
	divergent_sort(c->sorted, n);
	return n;
}

/* Compute the sides of the n nodes that have a value in x. Return false, with no node named, if more nodes
 * stand apart than divergent_most permits. */
static bool compare_sides(const struct compare *c, const double *x, unsigned n, signed char *side)
{
	const struct divergent_limits limits = divergent_limits(c->sorted, n, true, 0);
	unsigned apart = 0;

	for (unsigned k = 0; k < c->nodes; k++) {
		side[k] = (signed char)divergent_side(&limits, x[k]);
		apart += side[k] != 0;
	}
	if (apart <= divergent_most(n))
		return true;
	memset(side, 0, c->nodes);
	return false;
}

static void compare_part(struct compare *c, unsigned p)
{
	const double *x = &c->part[(size_t)p * c->nodes];
	const unsigned n = compare_sort(c, x);
	const struct divergent_limits is = divergent_limits(c->sorted, n, false, 0);
	const struct divergent_limits down = divergent_limits(c->sorted, n, false, -1);
	const struct divergent_limits up = divergent_limits(c->sorted, n, false, 1);

	compare_sides(c, x, n, &c->in_part[(size_t)p * c->nodes]);
	c->part_median[p] = is.median;
	for (unsigned k = 0; k < c->nodes; k++) {
		const size_t at = (size_t)k * COMPARE_PARTS + c->had[k];

		if (isnan(x[k]))
			continue;
		c->had[k]++;
		c->share[k] += c->side[k] != 0 && divergent_side(&is, x[k]) == c->side[k];
		/* If x[k] changed by a factor less than below or greater than above, the node would stand
		 * apart in this part. */
		c->below[at] = down.can && x[k] > 0 ? down.low / x[k] : -INFINITY;
		c->above[at] = up.can && x[k] > 0 ? up.high / x[k] : INFINITY;
	}
}

/* Compute the factors that name node k: any factor below factor[0] or above factor[1]. */
static void compare_factors(const struct compare *c, unsigned k, const struct divergent_limits *down,
			    const struct divergent_limits *up, double factor[2])
{
	const unsigned n = c->had[k];

	factor[0] = down->low / c->whole[k];
	factor[1] = up->high / c->whole[k];
	if (n == 0)
		return;
	factor[0] = fmin(factor[0], spread_select(&c->below[(size_t)k * COMPARE_PARTS], n, n / 2));
	factor[1] = fmax(factor[1], spread_select(&c->above[(size_t)k * COMPARE_PARTS], n, (n - 1) / 2));
}

void compare_run(struct compare *c)
{
	const unsigned n = compare_sort(c, c->whole);
	const struct divergent_limits down = divergent_limits(c->sorted, n, true, -1);
	const struct divergent_limits up = divergent_limits(c->sorted, n, true, 1);
	const bool few = compare_sides(c, c->whole, n, c->side);

	c->median = divergent_limits(c->sorted, n, true, 0).median;
	c->less = c->more = NAN;
	for (unsigned k = 0; k < c->nodes; k++) {
		c->had[k] = 0;
		c->share[k] = 0;
	}
	for (unsigned p = 0; p < c->parts; p++)
		compare_part(c, p);
	for (unsigned k = 0; k < c->nodes; k++) {
		if (c->had[k] > 0)
			c->share[k] /= c->had[k];
		if (c->share[k] < PERSISTENT)
			c->side[k] = 0;
	}
	c->comparison = n < DIVERGENT_NODES_MIN         ? JOBSTAT_FEW
			: !down.can || !(c->median > 0) ? JOBSTAT_ZERO
			: !few                          ? JOBSTAT_WIDE
							: JOBSTAT_COMPARED;
	if (c->comparison != JOBSTAT_COMPARED)
		return;
	c->less = c->more = 0;
	for (unsigned k = 0; k < c->nodes; k++) {
		double factor[2];

		if (isnan(c->whole[k]) || c->side[k] != 0 || c->whole[k] < c->median * IDLE)
			continue;
		compare_factors(c, k, &down, &up, factor);
		c->less = fmax(c->less, 1 - factor[0]);
		c->more = fmax(c->more, factor[1] - 1);
	}
	if (c->less > COMPARE_LESS || c->more > COMPARE_MORE)
		c->comparison = JOBSTAT_WIDE;
}
