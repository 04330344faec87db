/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ratio.h - the quotient of two events' estimates, a over b, with its interval. Errors of events that were
 * counted in the same slices are correlated; doc/design/ESTIMATOR.md has the mathematics. Pure; not for
 * handlers: floating point.
 *
 * Terms: stat/stat.h.
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

/* True if both events were counted in the same slices, and in no others. False if pair->both is NULL. */
bool mpxi_pair_is_one_sample(const struct mpxi_pair_windows *pair);

struct mpxi_ratio {
	double value;          /* estimate of a over that of b; NaN if either is unknown, or b is 0 */
	double standard_error; /* standard error of value; NaN like value */
	double low, high;      /* 95 % interval; high is INFINITY if b may be 0 */
	bool exact;
	bool never;   /* one of the events was not counted in this stretch */
	bool rough;   /* too few slices                                                     */
	bool open;    /* b may be 0                                                         */
	bool uneven;  /* most of the error comes from long slices of other events, whose counts are unknown */
	bool slowed;  /* counting slowed the program (burden.h) */
	bool guessed; /* the errors' correlation is unknown: the worst case is assumed */
};

void mpxi_ratio(const struct mpxi_pair_windows *pair, enum mpxi_estimator estimator,
		struct mpxi_ratio *ratio);

/* ---- for code that combines several estimates (joint.c) ------------------------------------- */

/* One event's contribution to a ratio or a joint estimate (joint.h). */
struct mpxi_part {
	struct mpxi_outcome outcome;
	double count, coverage;
	double variance; /* variance of the outcome plus the square of outcome.unseen */
	double floor;    /* lower bound of the error's variance, for few counts */
	bool exact, never;
};

void mpxi_part_of(const struct mpxi_window *window, enum mpxi_estimator estimator, struct mpxi_part *part);

/* The correlation between the errors of two events, a and b. */
struct mpxi_bond {
	enum {
		MPXI_ALIKE, /* counted in the same slices, which show the correlation */
		/* counted in different slices: the errors have opposite signs, or one event is exact */
		MPXI_APART,
		MPXI_UNKNOWN, /* counted in the same slices for only a part of the time, or not recorded */
	} kind;
	/* for MPXI_ALIKE: covariances, with the names of mpxi_outcome's variances */
	double of_noise, of_change, closely;
	/* largest possible deviation of the covariance from these values; for the other kinds, from 0 */
	double worst;
};

void mpxi_bond_of(const struct mpxi_pair_windows *pair, const struct mpxi_part *a, const struct mpxi_part *b,
		  enum mpxi_estimator estimator, struct mpxi_bond *bond);

#endif
