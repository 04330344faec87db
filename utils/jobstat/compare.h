/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare.h - the nodes of a job in one metric: which of them stand apart over the whole job and in its
 * parts, and how much a node would have to differ to be named.
 *
 * A node is named where its rate over the whole job stands apart from the others', and does so in at least
 * half of the job's parts.
 */
#ifndef JOBSTAT_COMPARE_H
#define JOBSTAT_COMPARE_H

#include "jobstat/jobstat_data.h"

#define COMPARE_PARTS 32u /* at most */

/* Above these differences nodes are too unlike to be compared: half the median, and twice. */
#define COMPARE_LESS 0.5
#define COMPARE_MORE 1.0

struct compare {
	unsigned nodes, parts;
	double *whole; /* [nodes]: rates over the job; NAN: not to be compared */
	double *part;  /* [parts][nodes]: rates in its parts; NAN: none        */

	/* Set by compare_run. */
	enum jobstat_comparison comparison;
	double less, more;    /* the smallest differences that name any one node, shares of the median */
	double median;        /* of the whole rates */
	signed char *side;    /* [nodes]: -1 or 1: the node is named */
	double *share;        /* [nodes]: of the parts in which it stands apart likewise */
	signed char *in_part; /* [parts][nodes]: who stands apart in the part alone */
	double part_median[COMPARE_PARTS];

	/* Private. */
	double *sorted, *below, *above; /* below, above: [nodes][COMPARE_PARTS] */
	unsigned *had;                  /* [nodes]: parts with a value */
};

/* Room for so many nodes. 0, or -1: out of memory; compare_close frees in both cases. */
int compare_open(struct compare *c, unsigned nodes);
void compare_close(struct compare *c);

/* Compares whole[] and part[]. */
void compare_run(struct compare *c);

#endif
