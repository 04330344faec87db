/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_set.h - an event set: core_set.c creates it, core_count.c counts with it.
 */
#ifndef MPXI_CORE_SET_H
#define MPXI_CORE_SET_H

#include "core/core_private.h"

/* One event of a set. */
struct mpxi_entry {
	struct mpxi_event *event;
	struct mpxi_mark start;
	bool always;               /* the set requests the event in every group */
	bool whole;                /* it was being counted at the start */
	bool needs_no_turn;        /* nothing took turns with it at the start */
	uint64_t breaks, burden;   /* the event's, at the start */
	struct mpxi_window window; /* as of the last read or stop */
};

/* An event's start and window by the covariate. */
struct mpxi_beside {
	struct mpxi_mark start;
	struct mpxi_window window;
};

struct mpxi_step; /* core_step.h */

struct mpxi_set {
	struct mpxi_core *core;
	struct mpxi_set *next, *previous;
	bool running;
	bool admitted;                            /* its events have reserved places */
	bool has_lost;                            /* slices were lost, as of the last read or stop */
	uint64_t lost, lost_time, slices, burden; /* the core's, at the start */
	uint64_t ended_at;                        /* 1 + the core's slices at the last read or stop */
	struct mpxi_lengths lengths, covariates;  /* the core's, at the start */
	bool continues;                           /* it was started in the slice of ended_at */
	unsigned entries, room;
	struct mpxi_entry *entry;
	struct mpxi_beside *beside;      /* [entries]; NULL: no covariate */
	struct mpxi_covariate covariate; /* the one that it requests */
	struct mpxi_event **event;       /* [entries]: the same as entry[].event */
	/* Lines for plain reads of a running set, from time lines_at on. They are valid until a run of a
	 * group begins or ends. Entries listed in again have no valid line. */
	struct mpxi_line *line; /* [entries] */
	unsigned *again, agains;
	uint64_t lines_at, lines_changes;              /* the core's, at that time */
	enum mpxi_estimator lines_estimator, lines_by; /* requested estimator; estimator that the lines use */
	struct mpxi_pair **pair;                       /* [pairs]: core_pair.h */
	unsigned pairs;
	struct mpxi_step *step; /* NULL: the set has never switched regions */
};

/* ---- core_count.c ---- */

/* Sample all groups that count the set's events, each once. */
int mpxi_set_sample(struct mpxi_set *set);
/* Record the start of the set and its events, except the marks. All samples are of now. */
void mpxi_set_mark_rest(struct mpxi_set *set);
/* Compute the events' windows from the set's start to the last samples. known: the samples are of now. */
void mpxi_set_bring_all_up(struct mpxi_set *set, bool known);

/* core_always.c: add the set's requests when it starts to run, or withdraw them. */
void mpxi_always_wish(struct mpxi_set *set);
void mpxi_always_unwish(struct mpxi_set *set);
/* core_covariate.c: add or withdraw the set's request. MPXI_ECNFLCT (another set requests another
 * covariate), MPXI_ENOMEM. */
int mpxi_covariate_wish(struct mpxi_set *set);
void mpxi_covariate_unwish(struct mpxi_set *set);

#endif
