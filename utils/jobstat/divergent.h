/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divergent.h - which nodes stand apart from the others, without knowing how any should be.
 *
 * The core of the nodes are those in the middle, without one in eight at each end (two of 8 to 15, one of
 * fewer). A node stands apart where it is farther from the core than several times the core is wide, and by
 * no less than a share of the median. Rates are compared by their ratios, so that nodes which differ by
 * factors are not outliers of a narrow middle. Where more stand apart than were left out, they are another
 * group of nodes, and no outliers: a core that they are in is wide.
 */
#ifndef JOBSTAT_DIVERGENT_H
#define JOBSTAT_DIVERGENT_H

#include <stdbool.h>

/* Fewer nodes than these tell nothing about one of them. */
#define DIVERGENT_NODES_MIN 5

/* A node differs by this share of the median at least: rank 0 of a job, which also does its output, differs
 * by less. */
#define DIVERGENT_EFFECT 0.1

/* The normal range; without can it is not known, and low and high are infinite. */
struct divergent_limits {
	double median, low, high;
	bool can;
};

/* How many of n may stand apart: one in eight, two of 8 to 15, one of fewer. */
unsigned divergent_most(unsigned n);

/* Puts n values in order. */
void divergent_sort(double *x, unsigned n);

/* Limits of n values in order. strict: one comparison decides alone; else it does together with others of the
 * same node at other times, and the limits are the core's ends and half of the least difference. away: 0; or
 * -1 or 1: the widest limits that there can be when any one of the nodes moves below, or above, all others.
 */
struct divergent_limits divergent_limits(const double *x, unsigned n, bool strict, int away);

/* -1: below, 1: above, 0: within. NAN is within. */
int divergent_side(const struct divergent_limits *limits, double x);

/* Whether n values in order are two groups of two or more, each narrow beside what is between
 * them: which of them are bad, if any, nobody can tell. Returns how many the lower group has, or 0. */
unsigned divergent_groups(const double *x, unsigned n);

/* How the parts of the time went for one node: side[i] of part i. The longest run of parts at one
 * side; returns that side, or 0, with the first part and the number. */
int divergent_run(const signed char *side, unsigned n, unsigned *first, unsigned *length);

#endif
