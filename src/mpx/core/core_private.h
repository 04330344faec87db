/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_private.h - declarations shared by the files of the core: core.c switches groups, core_plan.c
 * changes the plan, core_active.c decides which groups run, core_set.c has the event sets, core_life.c
 * creates and destroys the core.
 *
 * Only one thread and its handler use a core. Ordinary code holds the core (busy); a handler that finds the
 * core held records that a slice is over (pending) and returns. Thus the handler never sees a half-made
 * change, and the core needs no lock.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_CORE_PRIVATE_H
#define MPXI_CORE_PRIVATE_H

#include <stdatomic.h>

#include "core/core.h"
#include "core/group.h"
#include "core/plan.h"

/* The ordinary groups, and the events that are in each of these groups. */
struct mpxi_plan {
	struct mpxi_group **slot; /* [slots] */
	unsigned slots;
	struct mpxi_order order;
	struct mpxi_event **always; /* [alwayses], ascending by code */
	unsigned alwayses;
	struct mpxi_group *idle;         /* the idle group */
	struct mpxi_covariate covariate; /* covariate with which the groups were opened */
};

/*
 * Relation between T and the thread's CPU time. While an event is active, T advances with the CPU time, at
 * the pace measured over the slices that were read. When a group fails, the pace gives the time in which no
 * group counted.
 */
struct mpxi_pace {
	bool known;           /* an event is active, and cpu and time are valid */
	bool stalled;         /* an event is active, but no group could be started */
	uint64_t cpu, time;   /* the thread's CPU time, and T, at the same moment */
	uint64_t cpus, times; /* recent growth of CPU time and of T over slices that were read */
	/* CPU time at the last slice's end; CPU time from which on a tick is awaited */
	uint64_t ended, sought;
};

struct mpxi_core {
	struct mpxi_core_options options;
	unsigned number; /* number of this core among all cores of the process */
	/* The stores to busy, and the loads and stores of pending, pair with those in
	 * mpxi_core_tick_sig, which a handler calls on the same thread. */
	atomic_uint busy;
	uintptr_t holder; /* stack frame of the outermost mpxi_core_hold */
	atomic_bool pending;

	/* time is T and covariate is the covariate's count, both up to the current group's last sample.
	 * taken_size and taken_covariate are the parts of them that come from the group's present run.
	 * Without a current group, T stands still while no event is active; otherwise T advances by the
	 * pace. */
	uint64_t time, covariate;
	uint64_t taken_size, taken_covariate;
	struct mpxi_pace pace;

	struct mpxi_plan plan;
	struct mpxi_plan former; /* plan before a change that is not yet kept or undone (changing) */
	bool changing;
	struct mpxi_group *current; /* an ordinary group, or plan.idle; NULL: neither runs */
	/* ordinary groups with active events; active events that take turns */
	unsigned active_slots, active_ordinary;
	unsigned largest; /* largest number of events in any group so far */
	bool sharing;     /* ticks end slices */
	/* Conditions for an attempt to reduce the number of groups: the active events have changed since
	 * the last attempt (may_shrink), and the number of slices that ticks have ended (turns) has
	 * reached shrink_at. Sets that start and stop faster than slices end therefore keep their
	 * groups. */
	bool may_shrink;
	uint64_t shrink_at;

	/* The steady groups, which run at the same time as the current group. */
	struct mpxi_group **steady;
	unsigned steadies, active_others; /* active events that take no turns */
	struct mpxi_event nobody;         /* placeholder for an event that has left the master list */
	bool vacancies;                   /* some group may contain the placeholder */

	struct mpxi_groups groups;
	struct mpxi_event **event; /* the master event list, ascending by code */
	unsigned events, events_room;
	struct mpxi_set *first_set;
	struct mpxi_pair *first_pair; /* list of the running sets' pairs (core_pair.h) */
	unsigned running_sets;
	struct mpxi_covariate covariate_wish; /* covariate that covariate_wishes running sets request */
	unsigned covariate_wishes;
	uint64_t runs, samples, slices, turns, lost;
	uint64_t lost_time; /* part of T in which no group counted */
	/* lengths of all slices, in T and in counts of the covariate */
	struct mpxi_lengths lengths, covariates;
	uint64_t burden;  /* counts of events that delay the program, in all ended slices */
	uint64_t changes; /* number of starts and halts of groups */
	size_t memory;    /* bytes allocated for sets */
};

/* ---- core.c ---- */

/* Return the index of the event in the master list, or the index at which to insert it. */
unsigned mpxi_core_find(const struct mpxi_core *core, uint32_t code);
/* Begin to sample: advance T and sample the current group. Then mpxi_core_sample_beside samples the
 * group of an unlimited event, unless the group has been sampled since the last mpxi_core_sample_begin. */
int mpxi_core_sample_begin(struct mpxi_core *core);
int mpxi_core_sample_beside(struct mpxi_core *core, const struct mpxi_event *event);
/* Restart a steady group if its last read may have failed. The unread time becomes a gap. */
void mpxi_core_renew(struct mpxi_core *core, struct mpxi_group *group);
/* Start and halt a group. The halt records the slices of the group's events. If the group is not the
 * current one, the caller must have advanced T to the present. */
int mpxi_core_run_sig(struct mpxi_core *core, struct mpxi_group *group);
int mpxi_core_halt_sig(struct mpxi_core *core, struct mpxi_group *group);
/* Fill in the slice lengths so far, including the running slice, in T and in counts of the covariate. */
void mpxi_core_lengths(const struct mpxi_core *core, struct mpxi_lengths *lengths);
void mpxi_core_covariates(const struct mpxi_core *core, struct mpxi_lengths *lengths);
/* Record the ended slice of an event. */
void mpxi_core_enter_sig(const struct mpxi_core *core, struct mpxi_event *event,
			 const struct mpxi_slice *slice, struct mpxi_spacing spacing[2]);
/* Halt the current group, if any, and start the next active one. */
int mpxi_core_switch_sig(struct mpxi_core *core);
/* Begin to measure the pace when an event becomes active; end it when none is active any more. */
void mpxi_core_pace_begin(struct mpxi_core *core);
void mpxi_core_pace_end(struct mpxi_core *core);
/* Note that ticks end slices from now on, so that missing ticks can be detected. */
void mpxi_core_expect_ticks(struct mpxi_core *core);
/* Check whether ticks are overdue. Called in calls of the program, after T was advanced to the present. */
void mpxi_core_seek_ticks(struct mpxi_core *core);
/* Fill in the event's running slice up to T, from its group's last sample. Return false if the event is
 * not being counted. */
bool mpxi_core_running(const struct mpxi_core *core, const struct mpxi_event *event,
		       struct mpxi_slice *slice);

/* ---- core_plan.c ---- */

/* Give a place to each of n events that has none. The caller then finishes the change with
 * mpxi_plan_keep or mpxi_plan_undo. After an error no change is left to finish. */
int mpxi_plan_admit(struct mpxi_core *core, struct mpxi_event *const *event, unsigned n);
/* Reduce the number of ordinary groups if few enough events are active. Return true if the number was
 * reduced; the caller must then keep or undo the change. */
bool mpxi_plan_shrink(struct mpxi_core *core);
void mpxi_plan_keep(struct mpxi_core *core);
/* Restore the plan from before the change; time that passed without counts stays lost. mpxi_plan_settle
 * must follow. */
void mpxi_plan_undo(struct mpxi_core *core);
/* Remove an event from its group, since it leaves the master list. The event is not active. */
void mpxi_plan_expel(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_clear(struct mpxi_core *core);

/* ---- core_always.c ---- */

/* Call mpxi_draft_place for n events, or mpxi_draft_shrink for n = 0, with the always-counted events in
 * each list. */
int mpxi_always_place(const struct mpxi_core *core, struct mpxi_codes always, struct mpxi_draft *draft,
		      struct mpxi_event *const *event, unsigned n);
/* mpxi_always_wanted lists the events that running or starting sets want in every group.
 * mpxi_always_others lists the other events that take turns and are active or pinned. list has room for
 * all events. Return the number of listed events. */
unsigned mpxi_always_wanted(const struct mpxi_core *core, struct mpxi_event **list);
unsigned mpxi_always_others(const struct mpxi_core *core, struct mpxi_event **list);

/* ---- core_covariate.c ---- */

bool mpxi_covariate_is(const struct mpxi_covariate *a, const struct mpxi_covariate *b);
/* Set the covariate of groups that are checked and opened from now on. */
void mpxi_covariate_choose(struct mpxi_core *core, const struct mpxi_covariate *covariate);
/* Return the covariate that running or starting sets request. mpxi_covariate_is_missing is true if the
 * plan's groups were opened without this covariate. */
struct mpxi_covariate mpxi_covariate_wanted(const struct mpxi_core *core);
bool mpxi_covariate_is_missing(const struct mpxi_core *core);
/* Reset the sums by covariate after the plan's covariate has changed. No group that counts the former
 * covariate may be running. */
void mpxi_covariate_changed(struct mpxi_core *core);

/* ---- core_active.c ---- */

/* Count one more or one fewer running set that contains the event. The caller has advanced T. */
void mpxi_plan_activate(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_deactivate(struct mpxi_core *core, struct mpxi_event *event);
/* Move the event into every group, or let it take turns again. The event's group is halted, and the
 * caller has advanced T. */
void mpxi_plan_join(struct mpxi_core *core, struct mpxi_event *event);
void mpxi_plan_part(struct mpxi_core *core, struct mpxi_event *event);
/* Apply changed activations: halt the groups without active events, start the groups that must run, and
 * request ticks or cancel them (options.sharing). Return 0, or the error of a group that did not start
 * or of options.sharing. */
int mpxi_plan_settle(struct mpxi_core *core);

/* ---- core_list.c ---- */

/* Find or create the event with this code in the master list, and add a reference. For a new event, ask
 * the backend whether any counter can hold the event. Errors: MPXI_ECNFLCT, MPXI_ENOMEM, the backend's. */
int mpxi_list_reference(struct mpxi_core *core, uint32_t code, struct mpxi_event **found);
void mpxi_list_unreference(struct mpxi_core *core, struct mpxi_event *event);

/* ---- core_set.c ---- */

void mpxi_sets_clear(struct mpxi_core *core, bool quietly);

#endif
