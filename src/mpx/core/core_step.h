/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_step.h - a running set that steps from one stretch to the next, thousands of times in a slice.
 *
 * The mark of a stretch's begin has twenty sums for each event. Most of these stretches end in the slice in
 * which they begin, and need only counts, sizes and T. A step therefore keeps the state of the event at the
 * slice's begin and its slice so far. mpxi_step_finish computes the mark from these when a caller needs it.
 */
#ifndef MPXI_CORE_STEP_H
#define MPXI_CORE_STEP_H

#include "core/core_set.h"

/* An event at a step. */
struct mpxi_moment {
	uint64_t in_run; /* its count in its group's current run */
	bool runs;
	struct mpxi_piece piece; /* the ended stretch */
	struct mpxi_slice running;
	struct mpxi_stat stat, by_covariate;
};

struct mpxi_step {
	bool waits;                   /* the entries' starts must still be computed from the moments */
	uint64_t changes, lost, time; /* the core's, at the step */
	unsigned slots;               /* groups that took turns, at the step */
	uint64_t ran;                 /* time of the running slice, at the step */
	struct mpxi_lengths lengths;  /* without the running slice */
	/* The same by the covariate; covariate_ran is its count in the running slice. */
	uint64_t covariate, covariate_ran;
	struct mpxi_lengths covariates;
	bool steady; /* no event takes turns, and T need not be read */
	unsigned steps, room;
	struct mpxi_moment moment[];
};

/* Reserve room for all of the set's events. MPXI_ENOMEM. */
int mpxi_step_reserve(struct mpxi_set *set);
/* Compute the entries' starts that a step has deferred. Every reader of an entry's start calls this first. */
void mpxi_step_finish(struct mpxi_set *set);
/* Discard the step when the set starts, or restarts, in another way. */
void mpxi_step_forget(struct mpxi_set *set);
void mpxi_step_clear(struct mpxi_set *set);

#endif
