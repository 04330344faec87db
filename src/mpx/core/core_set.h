/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_set.h - an event set, as core_set.c makes it and core_count.c counts with it.
 */
#ifndef MPXI_CORE_SET_H
#define MPXI_CORE_SET_H

#include "core/core_private.h"

/* One event of a set. */
struct mpxi_entry {
	struct mpxi_event *event;
	struct mpxi_mark start;
	bool always;               /* the set wants it in every group */
	bool whole;                /* it was counted from then on */
	bool needs_no_turn;        /* nothing took turns with it then */
	uint64_t breaks, burden;   /* the event's, then */
	struct mpxi_window window; /* as of the last read or stop */
};

/* The same by the covariate. */
struct mpxi_beside {
	struct mpxi_mark start;
	struct mpxi_window window;
};

struct mpxi_step; /* core_step.h */

struct mpxi_set {
	struct mpxi_core *core;
	struct mpxi_set *next, *previous;
	bool running;
	bool admitted;                            /* its events have places that are kept */
	bool has_lost;                            /* slices, as of the last read or stop */
	uint64_t lost, lost_time, slices, burden; /* the core's, at the start */
	uint64_t ended_at;                        /* the core's slices at the last read or stop, and 1 */
	struct mpxi_lengths lengths, covariates;  /* the core's, at the start */
	bool continues;                           /* it was started in the slice of that */
	unsigned entries, room;
	struct mpxi_entry *entry;
	struct mpxi_beside *beside;      /* [entries]; NULL: there is no covariate */
	struct mpxi_covariate covariate; /* that it asks for */
	struct mpxi_event **event;       /* [entries]: the same as entry[].event */
	/* For plain reads of a set that runs: lines from the time lines_at on, good until a
	 * run of a group begins or ends. Entries in again have no valid line. */
	struct mpxi_line *line; /* [entries] */
	unsigned *again, agains;
	uint64_t lines_at, lines_changes;              /* the core's, then */
	enum mpxi_estimator lines_estimator, lines_by; /* asked for; of which the lines are */
	struct mpxi_pair **pair;                       /* [pairs]: core_pair.h */
	unsigned pairs;
	struct mpxi_step *step; /* NULL: it never went from one region to another */
};

/* ---- core_count.c ---- */

/* Samples all groups that the set's events are counted in, each once. */
int mpxi_set_sample(struct mpxi_set *set);
/* Notes the start of the set and its events, all but the marks. Sums have been sampled up to now. */
void mpxi_set_mark_rest(struct mpxi_set *set);
/* The events' windows from the set's start to what has been sampled. known: that is now. */
void mpxi_set_bring_all_up(struct mpxi_set *set, bool known);

/* core_always.c: the set runs from now on, and wants what it wants; or does no more. */
void mpxi_always_wish(struct mpxi_set *set);
void mpxi_always_unwish(struct mpxi_set *set);
/* core_covariate.c: likewise. MPXI_ECNFLCT, another set's is another one; MPXI_ENOMEM. */
int mpxi_covariate_wish(struct mpxi_set *set);
void mpxi_covariate_unwish(struct mpxi_set *set);

#endif
