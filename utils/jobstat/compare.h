/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare.h - comparison of a job's nodes in one metric: the nodes that stand apart over the whole job and
 * in its parts, and the smallest difference that would name a node.
 *
 * A node is named if its rate over the whole job stands apart from the others', and its rates in at least
 * half of the job's parts stand apart on the same side.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_COMPARE_H
#define JOBSTAT_COMPARE_H

#include "jobstat/jobstat_data.h"

#define COMPARE_PARTS 32u /* maximum number of parts */

/* Limits of what a comparison must detect. If a node at half the median or at twice the median would not
 * be named, the nodes are too unlike to be compared. */
#define COMPARE_LESS 0.5
#define COMPARE_MORE 1.0

struct compare {
	unsigned nodes, parts;
	double *whole; /* [nodes]: rates over the job; NAN: not compared */
	double *part;  /* [parts][nodes]: rates in the job's parts; NAN: no value */

	/* Set by compare_run. */
	enum jobstat_comparison comparison;
	double less, more; /* smallest differences that name any one node, as shares of the median */
	double median;     /* median of whole[] */
	signed char *side; /* [nodes]: -1 or 1: the node is named as below or above */
	double *share;     /* [nodes]: share of the parts in which the node stands apart on the same side */
	signed char *in_part; /* [parts][nodes]: side on which the node stands apart in this part alone */
	double part_median[COMPARE_PARTS];

	/* Private. */
	double *sorted, *below, *above; /* below, above: [nodes][COMPARE_PARTS]: factors */
	unsigned *had;                  /* [nodes]: number of parts with a value */
};

/* Allocate arrays for this number of nodes. Return 0, or -1 if out of memory. compare_close frees them in
 * both cases. */
int compare_open(struct compare *c, unsigned nodes);
void compare_close(struct compare *c);

/* Compare whole[] and part[]. */
void compare_run(struct compare *c);

#endif
