/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.h - multiplexing in one thread (MPX, sections 4 and 5.2): the master event list, the groups that
 * take turns on the counters, and event sets that overlap.
 *
 * Terms:
 * - master event list: the events of the thread's sets, each once; active: contained in a running set.
 * - group: events that the counters hold at the same time. Ordinary groups take turns; the current group is
 *   the one that has its turn.
 * - run of a group: the time from its start on the counters to its halt. A turn of an ordinary group is one
 *   run, and ends with a tick, a signal of the timer.
 * - round: one turn of each ordinary group that has an active event, in random order.
 * - slot: index of an ordinary group in the plan, which is the list of these groups and their order.
 * - place: an event's group and its index there. A pinned event keeps its place while it is not active.
 * - unlimited: an event that needs no turn. Its group, a steady group, runs at the same time as any other.
 * - idle group: has only the clock, the covariate and the always-counted events; runs while only events
 *   that need no turn are active.
 * - always-counted: in every ordinary group, and so exempt from turns.
 * - base: the time and counts at which an event became active during a run of its group; its counts begin
 *   there.
 * - pace: growth of T for each ns of the thread's CPU time.
 * - lost slice: a slice that could not be started or read, or that ended far too late.
 * - _sig: ending of functions that a signal handler may call.
 * - slice, gap, T, size, covariate, stretch, mark, window, burden: stat/stat.h.
 *
 * The core depends on neither PAPI nor the unit: a backend counts, and a timer outside the core ends the
 * slices.
 *
 * Context: all calls come from the thread whose events are counted. Only mpxi_core_tick_sig is for
 * handlers, which may interrupt the thread at any instruction. A tick that interrupts a call of the core is
 * deferred to the end of that call.
 */
#ifndef MPXI_CORE_H
#define MPXI_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/backend.h"
#include "stat/stat.h"

struct mpxi_core;
struct mpxi_set;

struct mpxi_core_options {
	const struct mpxi_backend_ops *ops;
	void *backend;
	uint64_t seed; /* seed of the random order of the groups */
	/* Called in ordinary context with on = true when several groups begin to share the counters, so
	 * that ticks must end slices from now on, and with on = false when one group is left or none.
	 * Returns 0 or an error. */
	int (*sharing)(void *arg, bool on);
	void *arg;
	/* Return the CPU time in ns of the counted thread, also in a handler; NULL: unknown. A tick ends
	 * a slice only if the thread has used at least half of slice_ns of CPU time since the last
	 * slice's end. With slice_ns 0, any tick ends a slice. The core also uses the CPU time to
	 * estimate how long no group could count. */
	uint64_t (*cpu_sig)(void *cpu);
	void *cpu;
	uint64_t slice_ns;
	/* apart: the counted thread is not the calling thread, and continues while groups change.
	 * by_cpu: sizes of samples, and so T, are ns of the counted thread's CPU time. */
	bool apart, by_cpu;
	bool covariate; /* the backend's samples contain a covariate */
	/*
	 * Called in ordinary context when no tick has come for the length of some slices. Repairs the timer
	 * and the signal's handler as far as possible. Returns true if no tick could come because the
	 * thread has blocked the signal, or because the program uses the signal for itself.
	 */
	bool (*overdue)(void *arg);
};

int mpxi_core_create(const struct mpxi_core_options *options, struct mpxi_core **core);
/* Destroy the core and its remaining sets. */
void mpxi_core_destroy(struct mpxi_core *core);
/* Free the core in a forked child. The backend's groups are neither stopped nor closed, since that would
 * affect the parent. */
void mpxi_core_forget(struct mpxi_core *core);

/*
 * End the time slice of the current group. Return true if groups were switched; false if the tick was
 * deferred, too early, or nothing shares the counters. A tick during a deferred switch is dropped: the
 * slice that it would end has only begun. All but the first of the ticks that were queued while the thread
 * had blocked the signal are dropped, too.
 */
bool mpxi_core_tick_sig(struct mpxi_core *core);

/* True if a tick would end a slice now. */
bool mpxi_core_is_due_sig(const struct mpxi_core *core);

/* True if the thread is in a call of the core. A tick is then deferred to the end of that call. */
bool mpxi_core_is_held_sig(const struct mpxi_core *core);

/* True if the core is held by a call that no longer exists, because a handler of the program has left
 * that call with longjmp. frame is the stack frame of the present call. A frame above that of the
 * holding call shows that the holding call has ended. */
bool mpxi_core_was_left(const struct mpxi_core *core, const void *frame);

/* Protect a section that no switch may interrupt. Nests. */
void mpxi_core_hold(struct mpxi_core *core);
void mpxi_core_release(struct mpxi_core *core);

/* ---- event sets ---------------------------------------------------------------- */

int mpxi_set_create(struct mpxi_core *core, struct mpxi_set **set);
/* Destroy a set, after stopping it if it runs. */
void mpxi_set_destroy(struct mpxi_set *set);

/* Add an event and return its index in the set, from 0. Errors: MPXI_EISRUN, MPXI_ECNFLCT (the event is
 * already in the set, or no counter can hold it even alone), MPXI_ENOMEM, the backend's. */
int mpxi_set_add(struct mpxi_set *set, uint32_t event);
/* Remove an event. The indexes of later events decrease by one. Errors: MPXI_EISRUN, MPXI_ENOEVNT. */
int mpxi_set_remove(struct mpxi_set *set, uint32_t event);

/*
 * Put the event into every group while the set runs (on), or let it take turns. Another running set that
 * counts the event is not disturbed. An event that needs no turns stays as it is. Error: MPXI_EISRUN.
 */
int mpxi_set_always(struct mpxi_set *set, unsigned index, bool on);
bool mpxi_set_is_always(const struct mpxi_set *set, unsigned index);
/*
 * Find a conflict in a set with a covariate or always-counted events. Return the index of an event that no
 * group can count together with the set's covariate and its always-counted events. If the covariate and the
 * always-counted events do not fit together, this is the index of an always-counted event. Return the
 * number of events if there is no conflict, or a negative error: the backend's, MPXI_ENOMEM.
 */
int mpxi_set_conflict(struct mpxi_set *set);

/*
 * Set the set's covariate; NULL: none. While the set runs, the covariate is in every group. Only sets that
 * request the covariate have windows by it. Earlier counts are discarded. Errors: MPXI_EISRUN, MPXI_ENOMEM,
 * MPXI_ENOSUPP (all sets already have a covariate (options.covariate), or the backend does not support
 * covariates of sets).
 */
int mpxi_set_covariate(struct mpxi_set *set, const uint32_t *event);
/* Get the covariate that mpxi_set_covariate has set. False: the set has none. */
bool mpxi_set_has_covariate(const struct mpxi_set *set, uint32_t *event);

/* Start counting from zero. Errors: MPXI_EISRUN, MPXI_EINVAL (the set is empty), MPXI_ECNFLCT (another
 * running set has another covariate, or events of the running sets do not fit with the always-counted
 * events), the backend's. After an error nothing has changed. */
int mpxi_set_start(struct mpxi_set *set);
/*
 * Prepare a set that a handler will start: give each event a place, which it keeps until the set is
 * destroyed. Errors as for mpxi_set_start; after an error nothing has changed. After success, start, stop,
 * read, take and reset of this set neither allocate nor lock. A handler that finds the core not held may
 * call these functions if it may call the backend's _sig functions and options.sharing.
 */
int mpxi_set_admit(struct mpxi_set *set);
/* Stop counting. The counts can be read until the next start. Return MPXI_ENOTRUN, or the backend's
 * error if the last counts could not be read. In the latter case the set has stopped all the same. */
int mpxi_set_stop(struct mpxi_set *set);
/* Set the counts to zero, even those of a running set. */
int mpxi_set_reset(struct mpxi_set *set);

/* Extend the windows of all events to the present time. After an error of the backend the windows hold
 * the earlier state. */
int mpxi_set_read(struct mpxi_set *set);

/* Read as mpxi_set_read, and restart the counts from zero at the same moment. */
int mpxi_set_take(struct mpxi_set *set);

/*
 * Do as mpxi_set_take, but cheaply for many short stretches. If no slice has ended since the last step, set
 * *pieces to true; mpxi_set_piece then returns the counts of the stretch. Otherwise set *pieces to false;
 * the windows then hold the counts. While no event takes turns, the clock is not read, and the time of a
 * stretch is included in that of a later stretch. Errors: MPXI_ENOMEM (at the first step), the backend's.
 */
int mpxi_set_step(struct mpxi_set *set, bool *pieces);
const struct mpxi_piece *mpxi_set_piece(const struct mpxi_set *set, unsigned index);

/* True if slices were lost between the start and the last read or stop. */
bool mpxi_set_lost(const struct mpxi_set *set);
/* Compute the estimates of a running set as integers, without their standard errors; -1: not counted
 * yet. The windows are not updated. Takes a few ns for each event; mpxi_set_read takes hundreds. */
int mpxi_set_values(struct mpxi_set *set, enum mpxi_estimator estimator, long long *value);

bool mpxi_set_runs(const struct mpxi_set *set);
unsigned mpxi_set_events(const struct mpxi_set *set);
uint32_t mpxi_set_event(const struct mpxi_set *set, unsigned index);
/* Return the event's window as of the last mpxi_set_read or stop. */
const struct mpxi_window *mpxi_set_window(const struct mpxi_set *set, unsigned index);
/* Return the event's window by the covariate. NULL: there is no covariate, or the covariate's count is
 * incomplete. */
const struct mpxi_window *mpxi_set_window_by_covariate(const struct mpxi_set *set, unsigned index);
/* Return the one of these two windows that the estimate uses. Not for handlers, since it uses floating
 * point. */
const struct mpxi_window *mpxi_set_best_window(const struct mpxi_set *set, unsigned index,
					       enum mpxi_estimator estimator);

/*
 * Make the set, from its next start on, also keep the sum of the counts of events i and k in the slices in
 * which both were counted. This sum shows how the errors of the two estimates correlate. Each call needs a
 * matching mpxi_set_unpair; an event that leaves the set removes its pairs. Errors: MPXI_EISRUN,
 * MPXI_ENOMEM.
 */
int mpxi_set_pair(struct mpxi_set *set, unsigned i, unsigned k);
void mpxi_set_unpair(struct mpxi_set *set, unsigned i, unsigned k);
/* Return the window of a pair as of the last mpxi_set_read or stop. NULL: the pair was not requested. */
const struct mpxi_window *mpxi_set_pair_window(const struct mpxi_set *set, unsigned i, unsigned k);

/* ---- introspection --------------------------------------------------------------- */

struct mpxi_master {
	uint32_t event;
	unsigned references;  /* sets that contain it */
	unsigned activations; /* running sets that contain it */
	uint64_t count;       /* count in all slices (C_e), including the running slice */
	uint64_t size;        /* time of all these slices (S_e) */
	uint64_t slices;      /* ended slices */
	unsigned group;       /* from 0; UINT_MAX: in no group */
	bool current;         /* its group is on the counters now      */
};

struct mpxi_core_info {
	uint64_t time;    /* T, from the creation of the core on */
	uint64_t slices;  /* ended slices */
	uint64_t lost;    /* lost slices */
	unsigned groups;  /* groups that take turns */
	unsigned events;  /* events in the master list */
	unsigned running; /* running sets */
	size_t memory;    /* bytes                     */
};

/* Fill up to n entries, in ascending order of events, and return the number of entries in the list. */
unsigned mpxi_core_master(struct mpxi_core *core, struct mpxi_master *list, unsigned n);
void mpxi_core_info(struct mpxi_core *core, struct mpxi_core_info *info);

#endif
