/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_private.h - declarations shared by the files of the core: core.c switches groups, core_plan.c
 * changes the plan, core_active.c decides which groups run, core_set.c has the event sets, core_life.c
 * creates and destroys the core.
 *
 * Only one thread and its handler use a core. Ordinary code holds the core (busy); a handler that finds it
 * held records that a slice is over and returns. Thus the handler never sees a half-made change, and the
 * core needs no lock.
 */
#ifndef MPXI_CORE_PRIVATE_H
#define MPXI_CORE_PRIVATE_H

#include <stdatomic.h>

#include "core/core.h"
#include "core/group.h"
#include "core/plan.h"

/* The groups that take turns, and the events in each of them. */
struct mpxi_plan {
	struct mpxi_group **slot; /* [slots] */
	unsigned slots;
	struct mpxi_order order;
	struct mpxi_event **always; /* [alwayses], ascending by code */
	unsigned alwayses;
	struct mpxi_group *idle;         /* group without other events: the clock while only steady groups
					    run */
	struct mpxi_covariate covariate; /* the one that a set has requested */
};

/*
 * Relation between T and the thread's CPU time. While something is to run, T advances with the CPU time, at
 * the pace of the slices that were read. When a group fails, the pace gives the time that no group has
 * counted.
 */
struct mpxi_pace {
	bool known;             /* something is to run */
	bool stalled;           /* and no group could be started */
	uint64_t cpu, time;     /* both times at one moment */
	uint64_t cpus, times;   /* recent growth of both, over slices that were read */
	uint64_t ended, sought; /* CPU time at the last slice's end; and when it was last found overdue */
};

struct mpxi_core {
	struct mpxi_core_options options;
	unsigned number; /* number of this core among all cores of the process */
	/* Partner of each atomic: mpxi_core_tick_sig, on the same thread. */
	atomic_uint busy;
	uintptr_t holder; /* stack address of the outermost hold */
	atomic_bool pending;

	/* T and the covariate's count, up to the current group's last sample; and the share of the group's
	 * present run that they include. Without a current group, T stands still if nothing is to run;
	 * otherwise it advances by the pace. */
	uint64_t time, covariate;
	uint64_t taken_size, taken_covariate;
	struct mpxi_pace pace;

	struct mpxi_plan plan;
	struct mpxi_plan former; /* plan before an uncommitted change (changing) */
	bool changing;
	struct mpxi_group *current;             /* a group of plan, or plan.idle; NULL: none runs */
	unsigned active_slots, active_ordinary; /* active groups, and active events, that take turns */
	unsigned largest;                       /* largest number of events in any group so far */
	bool sharing;                           /* ticks end slices */
	/* Conditions for trying fewer groups: the active events have changed since the last try
	 * (may_shrink), and ticks have ended shrink_at slices. Regions that come and go faster than slices
	 * therefore keep their groups. */
	bool may_shrink;
	uint64_t shrink_at;

	/* Groups of unlimited events, which run at the same time as current. */
	struct mpxi_group **steady;
	unsigned steadies, active_others; /* active events that are in no slot */
	struct mpxi_event nobody;         /* placeholder for an event that has left the list */
	bool vacancies;                   /* some group may contain nobody */

	struct mpxi_groups groups;
	struct mpxi_event **event; /* the master event list, ascending by code */
	unsigned events, events_room;
	struct mpxi_set *first_set;
	struct mpxi_pair *first_pair; /* list of the running sets' pairs (core_pair.h) */
	unsigned running_sets;
	struct mpxi_covariate covariate_wish; /* requested by covariate_wishes running sets */
	unsigned covariate_wishes;
	uint64_t runs, samples, slices, turns, lost;
	uint64_t lost_time;                      /* part of T in which no group counted */
	struct mpxi_lengths lengths, covariates; /* of slices, by the clock and by the covariate */
	uint64_t burden;                         /* counts of events that delay the program, in slices */
	uint64_t changes;                        /* starts and ends of group runs */
	size_t memory;                           /* bytes of sets */
};

/* ---- core.c ---- */

/* Return the index of the event in the master list, or the index at which to insert it. */
unsigned mpxi_core_find(const struct mpxi_core *core, uint32_t code);
/* Begin a round of samples: advance T and sample the current group. mpxi_core_sample_beside samples the
 * group of an unlimited event, once in a round. */
int mpxi_core_sample_begin(struct mpxi_core *core);
int mpxi_core_sample_beside(struct mpxi_core *core, const struct mpxi_event *event);
/* Restart a group of unlimited events if its last read may have failed. The unread time becomes a gap. */
void mpxi_core_renew(struct mpxi_core *core, struct mpxi_group *group);
/* Start and halt a group. The halt records the slices of its events. If the group is not the current one,
 * the caller must have advanced T to now. */
int mpxi_core_run_sig(struct mpxi_core *core, struct mpxi_group *group);
int mpxi_core_halt_sig(struct mpxi_core *core, struct mpxi_group *group);
/* Return the slice lengths so far, including the running slice. */
void mpxi_core_lengths(const struct mpxi_core *core, struct mpxi_lengths *lengths);
void mpxi_core_covariates(const struct mpxi_core *core, struct mpxi_lengths *lengths);
/* Record the ended slice of an event. */
void mpxi_core_enter_sig(const struct mpxi_core *core, struct mpxi_event *event,
			 const struct mpxi_slice *slice, struct mpxi_spacing spacing[2]);
/* Halt the current group, if any, and start the next active one. */
int mpxi_core_switch_sig(struct mpxi_core *core);
/* Begin to measure the pace, since something is to run from now on; or end it. */
void mpxi_core_pace_begin(struct mpxi_core *core);
void mpxi_core_pace_end(struct mpxi_core *core);
/* Start to expect ticks: from now on they end slices. */
void mpxi_core_expect_ticks(struct mpxi_core *core);
/* Check whether ticks are overdue. Called in calls of the program, with T at now. */
void mpxi_core_seek_ticks(struct mpxi_core *core);
/* Fill in the event's slice up to T, from its group's last sample. False: the event is not being counted. */
bool mpxi_core_running(const struct mpxi_core *core, const struct mpxi_event *event,
		       struct mpxi_slice *slice);

/* ---- core_plan.c ---- */

/* Give a place to each of n events that has none. mpxi_plan_keep or mpxi_plan_undo finishes the change;
 * after an error there is none to finish. */
int mpxi_plan_admit(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n);
/* Reduce the number of groups if few enough events are active; return true if it was reduced. Then the
 * change must be kept or undone, too. */
bool mpxi_plan_shrink(struct mpxi_core *core);
void mpxi_plan_keep(struct mpxi_core *core);
/* Restore the plan from before the change, though not the time that it took. mpxi_plan_settle must follow. */
void mpxi_plan_undo(struct mpxi_core *core);
/* Remove an inactive event that leaves the master list from its group. */
void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_clear(struct mpxi_core *core);

/* ---- core_always.c ---- */

/* Call mpxi_draft_place for n events, or mpxi_draft_shrink for n = 0, with the always-counted events in
 * each list. */
int mpxi_always_place(const struct mpxi_core *core, struct mpxi_codes always, struct mpxi_draft *draft,
		      struct mpxi_event *const *event, unsigned n);
/* List the events that should be in every group; or those that then take turns and are active or pinned.
 * list has room for all events. Return the number of listed events. */
unsigned mpxi_always_wanted(const struct mpxi_core *core, struct mpxi_event **list);
unsigned mpxi_always_others(const struct mpxi_core *core, struct mpxi_event **list);

/* ---- core_covariate.c ---- */

bool mpxi_covariate_is(const struct mpxi_covariate *a, const struct mpxi_covariate *b);
/* Set the covariate of groups that are checked and opened from now on. */
void mpxi_covariate_choose(struct mpxi_core *core, const struct mpxi_covariate *covariate);
/* Return the covariate of the running or starting sets; and whether the plan's groups still lack it. */
struct mpxi_covariate mpxi_covariate_wanted(const struct mpxi_core *core);
bool mpxi_covariate_is_missing(const struct mpxi_core *core);
/* Reset the state by covariate after the plan's covariate has changed. No group that counted the former one
 * may be running. */
void mpxi_covariate_changed(struct mpxi_core *core);

/* ---- core_active.c ---- */

/* Add or remove a running set that has the event. The caller has advanced T. */
void mpxi_plan_activate(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_deactivate(struct mpxi_core *core, struct mpxi_event *event);
/* Move the event into every group, or let it take turns again. Its group is halted, and the caller has
 * advanced T. */
void mpxi_plan_join(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_part(struct mpxi_core *core, struct mpxi_event *event);
/* Apply changed activations: halt the groups that need not run, start those that must, and request ticks or
 * cancel them. Errors come from starting groups. */
int mpxi_plan_settle(struct mpxi_core *core);

/* ---- core_list.c ---- */

/* Find or create the list's event with this code, and add a reference. For a new event, ask the backend
 * whether any counter can hold it. MPXI_ECNFLCT, MPXI_ENOMEM, the backend's. */
int mpxi_list_reference(struct mpxi_core *core, uint32_t code, struct mpxi_event **found);
void mpxi_list_unreference(struct mpxi_core *core, struct mpxi_event *event);

/* ---- core_set.c ---- */

void mpxi_sets_clear(struct mpxi_core *core, bool quietly);

#endif
