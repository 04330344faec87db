/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_set.h - an event set: core_set.c creates it, core_count.c counts with it.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_CORE_SET_H
#define MPXI_CORE_SET_H

#include "core/core_private.h"

/* One event of a set. */
struct mpxi_entry {
	struct mpxi_event *event;
	struct mpxi_mark start;
	bool always;               /* the set wants the event always counted */
	bool whole;                /* the event was being counted when the stretch began */
	bool needs_no_turn;        /* the event took no turns when the stretch began */
	uint64_t breaks, burden;   /* values of event->breaks and event->burden when the stretch began */
	struct mpxi_window window; /* as of the last read or stop */
};

/* As start and window of an entry, with the covariate's count in place of T. */
struct mpxi_beside {
	struct mpxi_mark start;
	struct mpxi_window window;
};

struct mpxi_step; /* core_step.h */

struct mpxi_set {
	struct mpxi_core *core;
	struct mpxi_set *next, *previous;
	bool running;
	bool admitted; /* mpxi_set_admit has given its events pinned places */
	bool has_lost; /* slices were lost between the start and the last read or stop */
	/* values of the same members of core when the stretch began */
	uint64_t lost, lost_time, slices, burden;
	uint64_t ended_at; /* 1 + core->slices at the last read or stop; 0: never read */
	/* values of mpxi_core_lengths and mpxi_core_covariates when the stretch began */
	struct mpxi_lengths lengths, covariates;
	bool continues; /* the stretch began in the slice in which the stretch before it ended */
	unsigned entries, room;
	struct mpxi_entry *entry;
	struct mpxi_beside *beside;      /* [entries]; NULL: the set has no covariate */
	struct mpxi_covariate covariate; /* covariate that the set requests */
	struct mpxi_event **event;       /* [entries]: the same as entry[].event */
	/* Estimates for mpxi_set_values as straight lines: while an event's group does not run, its
	 * estimate grows linearly with T. The lines begin at T = lines_at, and are valid until a run of
	 * any group begins or ends. The array `again' has the indexes of the entries without a valid
	 * line, whose estimates are computed at each call. */
	struct mpxi_line *line; /* [entries] */
	unsigned *again, agains;
	uint64_t lines_at, lines_changes; /* core->time and core->changes when the lines were computed */
	/* requested estimator; estimator with which the lines were computed */
	enum mpxi_estimator lines_estimator, lines_by;
	struct mpxi_pair **pair; /* [pairs]: see core_pair.h */
	unsigned pairs;
	struct mpxi_step *step; /* state of mpxi_set_step (core_step.h); NULL: not used yet */
};

/* ---- core_count.c ---- */

/* Advance T, and sample all groups that count the set's events, each once. */
int mpxi_set_sample(struct mpxi_set *set);
/* Record the begin of a stretch in the set and its entries, except the entries' marks. The caller has
 * just sampled all groups. */
void mpxi_set_mark_rest(struct mpxi_set *set);
/* Compute the events' windows from the begin of the stretch to the last samples. known: sampling has
 * just succeeded for all groups. */
void mpxi_set_bring_all_up(struct mpxi_set *set, bool known);

/* core_always.c: record or withdraw that the set wants events always counted, when the set starts or
 * stops. */
void mpxi_always_wish(struct mpxi_set *set);
void mpxi_always_unwish(struct mpxi_set *set);
/* core_covariate.c: record or withdraw that the set wants its covariate in every group. Errors:
 * MPXI_ECNFLCT (another running set requests another covariate), MPXI_ENOMEM. */
int mpxi_covariate_wish(struct mpxi_set *set);
void mpxi_covariate_unwish(struct mpxi_set *set);

#endif
