/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ratio.h - one estimate over another. Errors of events that were counted in the same slices go
 * together; doc/design/ESTIMATOR.md has the mathematics. Pure; not for handlers: floating point.
 */
#ifndef MPXI_RATIO_H
#define MPXI_RATIO_H

#include <stdbool.h>

#include "stat/outcome.h"

/* The windows of two events in one stretch. */
struct mpxi_pair_windows {
	const struct mpxi_window *a, *b;
	/* The sum of their counts in the slices that both were counted in; NULL: it was not kept. */
	const struct mpxi_window *both;
};

/* Both were counted in the same slices and no others. Also false where pair->both is NULL. */
bool mpxi_pair_is_one_sample(const struct mpxi_pair_windows *pair);

struct mpxi_ratio {
	double value;          /* of a over b; NaN where nothing is known of one, or b is 0 */
	double standard_error; /* of value, likewise                                        */
	double low, high;      /* 95 % interval; high is INFINITY where b may be 0          */
	bool exact;
	bool never;   /* one was not counted in this stretch                                */
	bool rough;   /* too few slices                                                     */
	bool open;    /* b may be 0                                                         */
	bool uneven;  /* most of the error is what long slices of others may have in them   */
	bool slowed;  /* by counting (burden.h)                                             */
	bool guessed; /* how their errors go together is not known: taken as bad as it can be */
};

void mpxi_ratio(const struct mpxi_pair_windows *pair, enum mpxi_estimator estimator,
		struct mpxi_ratio *ratio);

/* ---- for who puts several together (joint.c) --------------------------------------------- */

/* An event's part. */
struct mpxi_part {
	struct mpxi_outcome outcome;
	double count, coverage;
	double variance; /* of the outcome, with what was not seen       */
	double floor;    /* of the error of what has few counts          */
	bool exact, never;
};

void mpxi_part_of(const struct mpxi_window *window, enum mpxi_estimator estimator, struct mpxi_part *part);

/* How the errors of two go together. */
struct mpxi_bond {
	enum {
		MPXI_ALIKE,   /* counted in the same slices: as these say                         */
		MPXI_APART,   /* in turn: what one's slices have too much, the other's gaps have   */
		MPXI_UNKNOWN, /* in the same slices for a part of the time, or nothing was kept    */
	} kind;
	double of_noise, of_change, closely; /* MPXI_ALIKE: covariances, as of an outcome */
	double worst;                        /* how far it may be from that; else from 0  */
};

void mpxi_bond_of(const struct mpxi_pair_windows *pair, const struct mpxi_part *a, const struct mpxi_part *b,
		  enum mpxi_estimator estimator, struct mpxi_bond *bond);

#endif
