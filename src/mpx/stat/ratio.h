/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ratio.h - one estimate over another. Errors of events that were counted in the same slices are correlated;
 * doc/design/ESTIMATOR.md has the mathematics. Pure; not for handlers: floating point.
 */
#ifndef MPXI_RATIO_H
#define MPXI_RATIO_H

#include <stdbool.h>

#include "stat/outcome.h"

/* The windows of two events in one stretch. */
struct mpxi_pair_windows {
	const struct mpxi_window *a, *b;
	/* The sum of their counts in the slices in which both were counted; NULL: not recorded. */
	const struct mpxi_window *both;
};

/* True if both were counted in the same slices and no others. False if pair->both is NULL. */
bool mpxi_pair_is_one_sample(const struct mpxi_pair_windows *pair);

struct mpxi_ratio {
	double value;          /* of a over b; NaN if either is unknown, or b is 0 */
	double standard_error; /* standard error of value; NaN like value */
	double low, high;      /* 95 % interval; high is INFINITY if b may be 0 */
	bool exact;
	bool never;   /* one of them was not counted in this stretch */
	bool rough;   /* too few slices                                                     */
	bool open;    /* b may be 0                                                         */
	bool uneven;  /* most of the error is what other events' long slices may contain */
	bool slowed;  /* counting slowed the program (burden.h) */
	bool guessed; /* the errors' correlation is unknown: the worst case is assumed */
};

void mpxi_ratio(const struct mpxi_pair_windows *pair, enum mpxi_estimator estimator,
		struct mpxi_ratio *ratio);

/* ---- for code that combines several estimates (joint.c) ------------------------------------- */

/* One event's contribution to a ratio or a joint. */
struct mpxi_part {
	struct mpxi_outcome outcome;
	double count, coverage;
	double variance; /* of the outcome, including unseen */
	double floor;    /* lower bound of the error's variance, for few counts */
	bool exact, never;
};

void mpxi_part_of(const struct mpxi_window *window, enum mpxi_estimator estimator, struct mpxi_part *part);

/* The correlation of two events' errors. */
struct mpxi_bond {
	enum {
		MPXI_ALIKE,   /* counted in the same slices, which show the correlation */
		MPXI_APART,   /* in turn: an excess in one's slices is missing in the other's gaps */
		MPXI_UNKNOWN, /* in the same slices for only a part of the time, or not recorded */
	} kind;
	double of_noise, of_change, closely; /* MPXI_ALIKE: covariances, named as in an outcome */
	double worst;                        /* largest deviation from these covariances, or else from 0 */
};

void mpxi_bond_of(const struct mpxi_pair_windows *pair, const struct mpxi_part *a, const struct mpxi_part *b,
		  enum mpxi_estimator estimator, struct mpxi_bond *bond);

#endif
