/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.h - multiplexing in one thread (MPX, sections 4 and 5.2): the master event
 * list, the groups that take turns on the counters, and event sets that overlap.
 * The core depends on neither PAPI nor the unit: a backend counts, and a timer outside
 * the core ends the slices.
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
	/* Called in ordinary context when groups begin to share the counters (on: ticks must end slices
	 * from now on) and when they no longer do. Returns 0 or an error. */
	int (*sharing)(void *arg, bool on);
	void *arg;
	/* Return the CPU time in ns of the counted thread, also in a handler; NULL: unknown. A tick does
	 * not end a slice before half of slice_ns of this time has passed (slice_ns 0: any tick does). The
	 * core also uses this time to estimate how long no group could count. */
	uint64_t (*cpu_sig)(void *cpu);
	void *cpu;
	uint64_t slice_ns;
	/* apart: the counted thread is another thread, which continues while groups change. by_cpu: sizes
	 * of samples are ns of its CPU time. */
	bool apart, by_cpu;
	bool covariate; /* the backend's samples contain a covariate */
	/*
	 * Called in ordinary context when no tick has come for some slices. Returns true if no tick could
	 * come because the thread has blocked the signal, or the program has taken it. Repairs what it can.
	 */
	bool (*overdue)(void *arg);
};

int mpxi_core_create(const struct mpxi_core_options *options, struct mpxi_core **core);
/* Destroy the core and its remaining sets. */
void mpxi_core_destroy(struct mpxi_core *core);
/* Free the core in a forked child, without stopping or closing the backend's groups, which would affect the
 * parent. */
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

/* True if the thread is in a call of the core, to whose end a tick is deferred. */
bool mpxi_core_is_held_sig(const struct mpxi_core *core);

/* True if the core is held by a call that no longer exists: a handler of the program has left it with a
 * jump. The caller's frame, of a later call, lies above the holder on the stack. */
bool mpxi_core_was_left(const struct mpxi_core *core, const void *frame);

/* Protect a section that no switch may interrupt. Nests. */
void mpxi_core_hold(struct mpxi_core *core);
void mpxi_core_release(struct mpxi_core *core);

/* ---- event sets ---------------------------------------------------------------- */

int mpxi_set_create(struct mpxi_core *core, struct mpxi_set **set);
/* Destroy a set, after stopping it if it runs. */
void mpxi_set_destroy(struct mpxi_set *set);

/* Add an event and return its index in the set, from 0. Errors: MPXI_EISRUN, MPXI_ECNFLCT (it is already in
 * the set, or no counter can hold it even alone), MPXI_ENOMEM, the backend's. */
int mpxi_set_add(struct mpxi_set *set, uint32_t event);
/* Remove an event. The indexes of later events decrease by one. MPXI_EISRUN, MPXI_ENOEVNT. */
int mpxi_set_remove(struct mpxi_set *set, uint32_t event);

/*
 * Put the event into every group while the set runs (on), or let it take turns. Another running set that
 * counts the event is not disturbed. An event that needs no turns stays as it is. MPXI_EISRUN.
 */
int mpxi_set_always(struct mpxi_set *set, unsigned index, bool on);
bool mpxi_set_is_always(const struct mpxi_set *set, unsigned index);
/*
 * Find a conflict in a set with a covariate or always-counted events. Return the index of an event that no
 * group can count together with the set's covariate and its always-counted events, or of one of these if no
 * group can count all of them. Return the number of events if there is no conflict. Negative: the backend's
 * error, MPXI_ENOMEM.
 */
int mpxi_set_conflict(struct mpxi_set *set);

/*
 * Set the set's covariate; NULL: none. While the set runs, the covariate is in every group. Only this set
 * has windows by this covariate. Earlier counts are discarded. MPXI_EISRUN, MPXI_ENOMEM, MPXI_ENOSUPP (all
 * sets already have a covariate (options.covariate), or the backend does not support it).
 */
int mpxi_set_covariate(struct mpxi_set *set, const uint32_t *event);
/* Get the set's covariate. False: the set has no covariate of its own. */
bool mpxi_set_has_covariate(const struct mpxi_set *set, uint32_t *event);

/* Start counting from zero. MPXI_EISRUN, MPXI_EINVAL (empty), MPXI_ECNFLCT (another running set has another
 * covariate; events of the running sets do not fit with the events that are in every group), the backend's.
 * After an error nothing has changed. */
int mpxi_set_start(struct mpxi_set *set);
/*
 * Prepare a set that a handler will start: assign places to the events now, which they keep until the set
 * is destroyed. Errors as for start; nothing has changed then. After success, start, stop, read, take and
 * reset of this set neither allocate nor lock. A handler that finds the core not held may call them if the
 * backend's _sig functions and options.sharing may be called in that handler.
 */
int mpxi_set_admit(struct mpxi_set *set);
/* Stop counting. The counts can be read until the next start. MPXI_ENOTRUN, or the backend's error if the
 * last counts could not be read: the set has stopped all the same. */
int mpxi_set_stop(struct mpxi_set *set);
/* Set the counts to zero, even those of a running set. */
int mpxi_set_reset(struct mpxi_set *set);

/* Update the windows of all events to now. After the backend's error the windows hold the earlier state. */
int mpxi_set_read(struct mpxi_set *set);

/* Read as above, and restart the counts from zero at the same moment. */
int mpxi_set_take(struct mpxi_set *set);

/*
 * Do as mpxi_set_take, but cheaply for many short stretches. If no slice has ended since the last step,
 * *pieces becomes true and mpxi_set_piece returns the counts of the stretch; else the windows hold them.
 * While no event takes turns, the clock is not read, and a piece's time is included in a later piece.
 * Errors: MPXI_ENOMEM (at the first step), the backend's.
 */
int mpxi_set_step(struct mpxi_set *set, bool *pieces);
const struct mpxi_piece *mpxi_set_piece(const struct mpxi_set *set, unsigned index);

/* True if slices were lost, or ended far too late, between the start and the last read or stop. */
bool mpxi_set_lost(const struct mpxi_set *set);
/* Compute whole estimates of a running set, without their errors; -1: not counted yet. The windows stay at
 * an earlier read. Takes a few ns an event, while mpxi_set_read takes hundreds. */
int mpxi_set_values(struct mpxi_set *set, enum mpxi_estimator estimator, long long *value);

bool mpxi_set_runs(const struct mpxi_set *set);
unsigned mpxi_set_events(const struct mpxi_set *set);
uint32_t mpxi_set_event(const struct mpxi_set *set, unsigned index);
/* Return the event's window as of the last mpxi_set_read or stop. */
const struct mpxi_window *mpxi_set_window(const struct mpxi_set *set, unsigned index);
/* Return the event's window by the covariate. NULL: there is no covariate, or its count is incomplete. */
const struct mpxi_window *mpxi_set_window_by_covariate(const struct mpxi_set *set, unsigned index);
/* Return the window of the two that the estimate uses. Not for handlers, since it uses floating point. */
const struct mpxi_window *mpxi_set_best_window(const struct mpxi_set *set, unsigned index,
					       enum mpxi_estimator estimator);

/*
 * Make the set also sum the counts of two of its events together, from its next start on, in the slices in
 * which both were counted. These sums show how the errors of the two correlate. Each call needs a matching
 * mpxi_set_unpair; an event that leaves the set removes its pairs. MPXI_EISRUN, MPXI_ENOMEM.
 */
int mpxi_set_pair(struct mpxi_set *set, unsigned i, unsigned k);
void mpxi_set_unpair(struct mpxi_set *set, unsigned i, unsigned k);
/* Return the window of a pair, as mpxi_set_window. NULL: the pair was not requested. */
const struct mpxi_window *mpxi_set_pair_window(const struct mpxi_set *set, unsigned i, unsigned k);

/* ---- introspection --------------------------------------------------------------- */

struct mpxi_master {
	uint32_t event;
	unsigned references;  /* sets that contain it */
	unsigned activations; /* running ones among them */
	uint64_t count;       /* C_e, including the running slice */
	uint64_t size;        /* S_e                                   */
	uint64_t slices;      /* ended slices */
	unsigned group;       /* from 0; UINT_MAX: in no group */
	bool current;         /* its group is on the counters now      */
};

struct mpxi_core_info {
	uint64_t time;    /* T since the core was created */
	uint64_t slices;  /* ended slices */
	uint64_t lost;    /* slices that the backend failed to start or to read, and late ones */
	unsigned groups;  /* groups that take turns */
	unsigned events;  /* events in the master list */
	unsigned running; /* running sets */
	size_t memory;    /* bytes                     */
};

/* Fill up to n entries, in ascending order of events, and return the number of entries in the list. */
unsigned mpxi_core_master(struct mpxi_core *core, struct mpxi_master *list, unsigned n);
void mpxi_core_info(struct mpxi_core *core, struct mpxi_core_info *info);

#endif
