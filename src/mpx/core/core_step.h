/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_step.h - a running set that ends one stretch and begins the next with a step (mpxi_set_step),
 * possibly thousands of times in a slice.
 *
 * The mark at a stretch's begin has twenty sums for each event. Most of these stretches end in the slice in
 * which they begin, and need only counts, sizes and T. A step therefore does not compute marks. It keeps a
 * copy of each event's sums over ended slices, and the event's running slice so far. mpxi_step_finish
 * computes the mark from these two when a caller needs the mark.
 *
 * Terms: core/core.h, stat/stat.h.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_CORE_STEP_H
#define MPXI_CORE_STEP_H

#include "core/core_set.h"

/* The state of an event at a step. */
struct mpxi_moment {
	uint64_t in_run; /* event's count in its group's current run */
	bool runs;
	struct mpxi_piece piece; /* counts of the stretch that the step has ended */
	struct mpxi_slice running;
	struct mpxi_stat stat, by_covariate;
};

struct mpxi_step {
	bool waits; /* the entries' marks must still be computed from moment[] */
	/* core->changes and core->lost at the last full step; T at the last step */
	uint64_t changes, lost, time;
	unsigned slots;              /* core->active_slots at the last full step */
	uint64_t ran;                /* length of the running slice at the last step */
	struct mpxi_lengths lengths; /* core->lengths, which lacks the running slice, at the last full step */
	/* The covariate's count at the last step, its count in the running slice then, and
	 * core->covariates at the last full step. */
	uint64_t covariate, covariate_ran;
	struct mpxi_lengths covariates;
	bool steady; /* no event takes turns, and T need not be read */
	unsigned steps, room;
	struct mpxi_moment moment[];
};

/* Reserve room for all of the set's events. Return 0 or MPXI_ENOMEM. */
int mpxi_step_reserve(struct mpxi_set *set);
/* Compute the entries' marks (entry.start) that a step has deferred. Code that reads these marks calls
 * this function first. */
void mpxi_step_finish(struct mpxi_set *set);
/* Discard the deferred marks when a stretch begins without a step. */
void mpxi_step_forget(struct mpxi_set *set);
void mpxi_step_clear(struct mpxi_set *set);

#endif
