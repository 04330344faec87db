/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divergent.h - finds the nodes that stand apart from the others, without knowing what is normal.
 *
 * The core of the nodes is what remains without one node in eight at each end (two nodes if there are 8 to
 * 15, one if there are fewer). A node stands apart if its distance from the core is several times the
 * core's width and its difference from the median is at least a certain share of the median. Distances
 * and widths are ratios of rates, so that nodes which differ by factors are not outliers of a narrow core.
 * If more nodes differ than were left out at one end, they are a second group and no outliers: the core
 * then contains some of them and is wide.
 */
#ifndef JOBSTAT_DIVERGENT_H
#define JOBSTAT_DIVERGENT_H

#include <stdbool.h>

/* Minimum number of nodes for a comparison. */
#define DIVERGENT_NODES_MIN 5

/* Smallest difference by which a node stands apart, as a share of the median. Rank 0 of a job, which also
 * does the job's output, differs by less. */
#define DIVERGENT_EFFECT 0.1

/* The normal range. If can is false, the range is unknown, and low and high are infinite. */
struct divergent_limits {
	double median, low, high;
	bool can;
};

/* Return how many of n nodes may stand apart: one in eight, two if n is 8 to 15, one if n is less. */
unsigned divergent_most(unsigned n);

/* Sort n values. */
void divergent_sort(double *x, unsigned n);

/* Return the normal range of n sorted values. If strict is set, this comparison decides alone. Otherwise it
 * is one of several comparisons of the same nodes at different times; each limit is then the core's end, or
 * half of DIVERGENT_EFFECT from the median if this is farther. With away -1 or 1 the limits are the widest
 * that can result when any one of the nodes moves below (-1) or above (1) all others; normally away is 0. */
struct divergent_limits divergent_limits(const double *x, unsigned n, bool strict, int away);

/* Return -1 below the limits, 1 above, 0 within. NAN is within. */
int divergent_side(const struct divergent_limits *limits, double x);

/* Return the number of nodes in the lower group if n sorted values are two groups of two or more, each
 * narrow compared with the gap between them; else 0. The values do not show which group is bad, if any. */
unsigned divergent_groups(const double *x, unsigned n);

/* Find the longest run of parts in which one node stands apart on the same side; side[i] is its side in
 * part i. Return this side, with the run's first part and length, or 0. */
int divergent_run(const signed char *side, unsigned n, unsigned *first, unsigned *length);

#endif
