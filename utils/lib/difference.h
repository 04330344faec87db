/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * difference.h - compares two measurements of the same numbers, and finds the numbers that differ by more
 * than their errors explain. The functions depend on their arguments only.
 */
#ifndef UTIL_DIFFERENCE_H
#define UTIL_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct util_measured {
	double value, error, freedom; /* standard error, its degrees of freedom (INFINITY: a known error) */
	bool exact;                   /* error is 0: any difference is significant */
	bool open;                    /* a lower bound, or not counted: not compared */
};

/* Return half of the 95 % interval, or 0 for an exact value. */
double util_measured_half(const struct util_measured *measured);

enum util_verdict {
	UTIL_OPEN,     /* before or after is open */
	UTIL_UNJUDGED, /* set by the caller: there are too few runs for a verdict */
	UTIL_SAME,     /* both are exact and equal */
	UTIL_NOT_TOLD, /* no significant difference among all tests */
	UTIL_LESS,     /* after is less than before */
	UTIL_MORE,
};

struct util_difference {
	struct util_measured before, after;
	double change, low, high; /* after - before, and its 95 % interval */
	double error, freedom;    /* standard error of change, and its degrees of freedom */
	double chance;            /* p-value: probability of such a change by chance, 0 to 1 */
	enum util_verdict verdict;
};

/* Compute all fields except the verdict from before and after, which are independent (Welch's t). */
void util_difference_find(struct util_difference *difference);

/* Compute all fields except the verdict from the differences of n pairs, which are sorted. The change is
 * their mean without the largest and the smallest fifth, because single disturbances of a machine are far
 * larger than the effects to find (Yuen's t). The error that the caller has set is a lower limit of the
 * computed error. */
void util_difference_find_pairs(struct util_difference *difference, double *of_pair, size_t n);

/* Set the verdicts of a list: with 95 % probability, no element is called less or more by chance (Holm's
 * method). Return false if memory is short. */
bool util_difference_judge(struct util_difference *list, size_t n);

#endif
