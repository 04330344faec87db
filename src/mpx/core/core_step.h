/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_step.h - a set that runs goes from one stretch to the next, thousands of times in a slice.
 *
 * The mark of a stretch's begin has twenty sums of each event. Most of these stretches end in the
 * slice in which they begin, and need none of them: counts, sizes and T do. A step therefore keeps the
 * event as it was at the slice's begin and its slice so far; the mark is made from these when a caller
 * asks for it.
 */
#ifndef MPXI_CORE_STEP_H
#define MPXI_CORE_STEP_H

#include "core/core_set.h"

/* An event at a step. */
struct mpxi_moment {
	uint64_t in_run; /* its group's count of it */
	bool runs;
	struct mpxi_piece piece; /* the stretch that has ended */
	struct mpxi_slice running;
	struct mpxi_stat stat, by_covariate;
};

struct mpxi_step {
	bool waits;                   /* entries' starts are to be made of the moments */
	uint64_t changes, lost, time; /* the core's, at the step                       */
	unsigned slots;               /* likewise: groups that took turns              */
	uint64_t ran;                 /* the time of the slice, then                   */
	struct mpxi_lengths lengths;  /* without it                                    */
	/* By the covariate; ran: of its count. */
	uint64_t covariate, covariate_ran;
	struct mpxi_lengths covariates;
	bool steady; /* no event takes turns, and T is not asked for   */
	unsigned steps, room;
	struct mpxi_moment moment[];
};

/* Room for all of the set's events. MPXI_ENOMEM. */
int mpxi_step_reserve(struct mpxi_set *set);
/* Whoever looks at an entry's start calls this first: a step leaves it to be made. */
void mpxi_step_finish(struct mpxi_set *set);
/* The set starts, or begins anew, in another way. */
void mpxi_step_forget(struct mpxi_set *set);
void mpxi_step_clear(struct mpxi_set *set);

#endif
