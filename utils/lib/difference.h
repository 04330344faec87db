/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * difference.h - two measurements of the same numbers: which of these differ by more than their errors
 * explain. Pure.
 */
#ifndef UTIL_DIFFERENCE_H
#define UTIL_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct util_measured {
	double value, error, freedom; /* standard error, its degrees of freedom (INFINITY: it is known) */
	bool exact;                   /* error is 0: any difference is one     */
	bool open;                    /* a lower bound, or not counted: nothing is said */
};

/* Half of the 95 % interval; 0 of what is exact. */
double util_measured_half(const struct util_measured *measured);

enum util_verdict {
	UTIL_OPEN,     /* one of them is                                     */
	UTIL_UNJUDGED, /* by the caller: runs are too few                    */
	UTIL_SAME,     /* both are exact, and equal                          */
	UTIL_NOT_TOLD, /* not by more than their errors, among so many others */
	UTIL_LESS,     /* the second is                                      */
	UTIL_MORE,
};

struct util_difference {
	struct util_measured before, after;
	double change, low, high; /* after - before, with its 95 % interval            */
	double error, freedom;    /* of the change, as of struct util_measured */
	double chance;            /* of a difference as large where there is none: 0 to 1 */
	enum util_verdict verdict;
};

/* Finds all but the verdict from before and after, which are independent: Welch's t. */
void util_difference_find(struct util_difference *difference);

/* Finds all but the verdict from differences of n pairs, which it sorts: their mean without the largest and
 * the smallest fifth, as single disturbances of a machine are far larger than what is looked for (Yuen's t).
 * error is not made less than it is. */
void util_difference_find_pairs(struct util_difference *difference, double *of_pair, size_t n);

/* Verdicts on all of a list: with 95 % none of those that are called less or more is called so by
 * chance (Holm's order of chances). False: out of memory. */
bool util_difference_judge(struct util_difference *list, size_t n);

#endif
