/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_private.h - what the files of the core share: core.c switches groups, core_plan.c
 * changes which there are, core_active.c which of them run; core_set.c has the event sets,
 * core_life.c the core itself.
 *
 * The core is in the hands of one thread and of its handler. Ordinary code holds it
 * (busy); a handler that finds it held notes that a slice is over and leaves.
 * Nothing here is ever seen half-changed, and there is no lock.
 */
#ifndef MPXI_CORE_PRIVATE_H
#define MPXI_CORE_PRIVATE_H

#include <stdatomic.h>

#include "core/core.h"
#include "core/group.h"
#include "core/plan.h"

/* Groups that take turns, and what is in each of them. */
struct mpxi_plan {
	struct mpxi_group **slot; /* [slots] */
	unsigned slots;
	struct mpxi_order order;
	struct mpxi_event **always; /* [alwayses], ascending by code */
	unsigned alwayses;
	struct mpxi_group *idle;         /* of no other event: the clock while all that runs is steady */
	struct mpxi_covariate covariate; /* that a set has asked for */
};

/*
 * T beside the thread's CPU time. While something is to run, T goes on with the CPU time, at
 * the pace that it had in slices that were read: so much of it as no group has counted can be
 * told when a group fails.
 */
struct mpxi_pace {
	bool known;             /* something is to run       */
	bool stalled;           /* and nothing could be run  */
	uint64_t cpu, time;     /* a moment of both          */
	uint64_t cpus, times;   /* what both have gone on by lately, in slices that were read */
	uint64_t ended, sought; /* CPU time at the last slice's end; when it was last found overdue */
};

struct mpxi_core {
	struct mpxi_core_options options;
	unsigned number; /* of all cores that the process has made */
	/* Partner of each: mpxi_core_tick_sig, on the same thread. */
	atomic_uint busy;
	uintptr_t holder; /* where on the stack the outermost hold was */
	atomic_bool pending;

	/* T, and the covariate's count over it, up to the current group's last sample, and
	 * how much of its present run is in them. Without a current group T stands still where
	 * nothing is to run; else it is brought up by the pace. */
	uint64_t time, covariate;
	uint64_t taken_size, taken_covariate;
	struct mpxi_pace pace;

	struct mpxi_plan plan;
	struct mpxi_plan former; /* before the change that is being made (changing) */
	bool changing;
	struct mpxi_group *current;             /* one of plan's, or idle; NULL: nothing runs */
	unsigned active_slots, active_ordinary; /* groups, and events, that take turns */
	unsigned largest;                       /* events that a group has ever held */
	bool sharing;                           /* slices are being ended by ticks */
	/* Whether fewer groups would do is asked when other events are active than when it
	 * was asked last, and not before ticks have ended so many slices: regions that come
	 * and go faster than slices keep their groups. */
	bool may_shrink;
	uint64_t shrink_at;

	/* Groups of unlimited events, which run beside it. */
	struct mpxi_group **steady;
	unsigned steadies, active_others; /* active events that are in no slot */
	struct mpxi_event nobody;         /* in the place of an event that has left the list */
	bool vacancies;                   /* there may be such places */

	struct mpxi_groups groups;
	struct mpxi_event **event; /* the master event list, ascending by code */
	unsigned events, events_room;
	struct mpxi_set *first_set;
	struct mpxi_pair *first_pair; /* of sets that run (core_pair.h) */
	unsigned running_sets;
	struct mpxi_covariate covariate_wish; /* of so many of them */
	unsigned covariate_wishes;
	uint64_t runs, samples, slices, turns, lost;
	uint64_t lost_time;                      /* in T, in which no group counted             */
	struct mpxi_lengths lengths, covariates; /* of slices, by the clock and by the covariate */
	uint64_t burden;                         /* counts of events that delay the program, in slices */
	uint64_t changes;                        /* runs of groups that have begun or ended */
	size_t memory;                           /* of sets */
};

/* ---- core.c ---- */

/* Where in the master list the event is, or would be. */
unsigned mpxi_core_find(const struct mpxi_core *core, uint32_t code);
/* Samples the group of an unlimited event, once in a call of mpxi_core_sample_begin. */
int mpxi_core_sample_begin(struct mpxi_core *core);
int mpxi_core_sample_beside(struct mpxi_core *core, const struct mpxi_event *event);
/* A group of unlimited events that could not be read, perhaps: what was not is a gap, and it
 * begins anew. */
void mpxi_core_renew(struct mpxi_core *core, struct mpxi_group *group);
/* Begins and ends a run of a group; the end enters the slices of its events. T is to be
 * at now for one that is not the current group. */
int mpxi_core_run_sig(struct mpxi_core *core, struct mpxi_group *group);
int mpxi_core_halt_sig(struct mpxi_core *core, struct mpxi_group *group);
/* Those so far, with the slice that runs. */
void mpxi_core_lengths(const struct mpxi_core *core, struct mpxi_lengths *lengths);
void mpxi_core_covariates(const struct mpxi_core *core, struct mpxi_lengths *lengths);
/* An event's slice has ended. */
void mpxi_core_enter_sig(const struct mpxi_core *core, struct mpxi_event *event,
			 const struct mpxi_slice *slice, struct mpxi_spacing spacing[2]);
/* Halts the current group, if any, and runs the next one that is active. */
int mpxi_core_switch_sig(struct mpxi_core *core);
/* Something is to run from now on, or nothing any more. */
void mpxi_core_pace_begin(struct mpxi_core *core);
void mpxi_core_pace_end(struct mpxi_core *core);
/* Slices are ended by ticks from now on. */
void mpxi_core_expect_ticks(struct mpxi_core *core);
/* In a call of the program, T being at now: looks whether ticks should have come by now. */
void mpxi_core_seek_ticks(struct mpxi_core *core);
/* The event's slice so far, at T, as its group's last sample has it. False: it does
 * not run. */
bool mpxi_core_running(const struct mpxi_core *core, const struct mpxi_event *event,
		       struct mpxi_slice *slice);

/* ---- core_plan.c ---- */

/* Gives a place to those of n events that have none. mpxi_plan_keep or mpxi_plan_undo settles the
 * change; after an error there is nothing to settle. */
int mpxi_plan_admit(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n);
/* Fewer groups, where active events have become few enough; returns whether there are.
 * To be kept or undone too. */
bool mpxi_plan_shrink(struct mpxi_core *core);
void mpxi_plan_keep(struct mpxi_core *core);
/* As before the change, but for the time that it took. To be settled anew. */
void mpxi_plan_undo(struct mpxi_core *core);
/* The event, which is not active, leaves the master list. */
void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_clear(struct mpxi_core *core);

/* ---- core_always.c ---- */

/* mpxi_draft_place of n events, or mpxi_draft_shrink for n = 0, with these in each list besides. */
int mpxi_always_place(const struct mpxi_core *core, struct mpxi_codes always, struct mpxi_draft *draft,
		      struct mpxi_event *const *event, unsigned n);
/* Events that are to be in every group; and those that take turns then, and are active or pinned.
 * list has room for all; returns how many. */
unsigned mpxi_always_wanted(const struct mpxi_core *core, struct mpxi_event **list);
unsigned mpxi_always_others(const struct mpxi_core *core, struct mpxi_event **list);

/* ---- core_covariate.c ---- */

bool mpxi_covariate_is(const struct mpxi_covariate *a, const struct mpxi_covariate *b);
/* Sets the covariate of groups that are checked and opened from now on. */
void mpxi_covariate_choose(struct mpxi_core *core, const struct mpxi_covariate *covariate);
/* The covariate of the sets that run, or are about to; and whether no group has it yet. */
struct mpxi_covariate mpxi_covariate_wanted(const struct mpxi_core *core);
bool mpxi_covariate_is_missing(const struct mpxi_core *core);
/* The plan has another one from now on, and nothing runs that counted the former one. */
void mpxi_covariate_changed(struct mpxi_core *core);

/* ---- core_active.c ---- */

/* One more set, or one less, that runs has the event. T is at now. */
void mpxi_plan_activate(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_deactivate(struct mpxi_core *core, struct mpxi_event *event);
/* The event, with its group off the counters, is in every group from now on, or takes turns. T is at
 * now. */
void mpxi_plan_join(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_part(struct mpxi_core *core, struct mpxi_event *event);
/* After activations have changed: what need not run is halted, what has to run runs,
 * ticks are asked for or not. Errors come from what is to run anew. */
int mpxi_plan_settle(struct mpxi_core *core);

/* ---- core_list.c ---- */

/* The event of this code, which one more set has; where it is new the backend is asked whether
 * any counter can hold it. MPXI_ECNFLCT, MPXI_ENOMEM, the backend's. */
int mpxi_list_reference(struct mpxi_core *core, uint32_t code, struct mpxi_event **found);
void mpxi_list_unreference(struct mpxi_core *core, struct mpxi_event *event);

/* ---- core_set.c ---- */

void mpxi_sets_clear(struct mpxi_core *core, bool quietly);

#endif
