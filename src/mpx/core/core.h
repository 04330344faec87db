/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core.h - multiplexing in one thread (MPX, sections 4 and 5.2): the master event
 * list, the groups that take turns on the counters, and event sets that overlap.
 * Knows neither PAPI nor the unit: a backend counts, and somebody else's timer ends
 * the slices.
 *
 * Context: all calls come from one thread, the one whose events are counted; only
 * mpxi_core_tick_sig is for handlers, which find the thread at any instruction. A tick
 * that finds the thread inside a call is put off to the end of that call.
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
	uint64_t seed; /* of the order in which groups take turns */
	/* Groups have begun to share the counters (true), or need not any more: slices
	 * are to be ended by ticks, or not. Called in ordinary context. */
	int (*sharing)(void *arg, bool on);
	void *arg;
	/* The CPU time in ns of the thread that is counted, also in a handler; NULL: not known. A
	 * tick ends no slice before half of slice_ns of it is over (0: any does), and time that no
	 * group could count is told by it. */
	uint64_t (*cpu_sig)(void *cpu);
	void *cpu;
	uint64_t slice_ns;
	/* Another thread is counted, which goes on while groups change; and whether sizes of samples
	 * are ns of its CPU time. */
	bool apart, by_cpu;
	bool covariate; /* the backend's samples have one */
	/* No tick has come for some slices: whether none could come, as the thread has blocked
	 * the signal, or the program has taken it. Ordinary context; mends what it can. */
	bool (*overdue)(void *arg);
};

int mpxi_core_create(const struct mpxi_core_options *options, struct mpxi_core **core);
/* Sets that are still there are destroyed with it. */
void mpxi_core_destroy(struct mpxi_core *core);
/* In a forked child: as destroy, but the backend's groups are neither stopped nor
 * closed, since that would be the parent's. */
void mpxi_core_forget(struct mpxi_core *core);

/* The time slice of the current group is over. Returns whether groups were switched
 * (false: put off, too early, or nothing shares). One that comes during a switch that was put
 * off is dropped: the slice that it would end has only begun. Ticks that have waited while the thread
 * had the signal blocked are dropped too, all but the first. */
bool mpxi_core_tick_sig(struct mpxi_core *core);

/* Whether a tick would end a slice now. */
bool mpxi_core_is_due_sig(const struct mpxi_core *core);

/* The thread is in a call of the core, which a tick is put off to the end of. */
bool mpxi_core_is_held_sig(const struct mpxi_core *core);

/* The core is held, and by nobody: a handler of the program has jumped out of the call that
 * held it, since a later one, whose frame this is, lies above it on the stack. */
bool mpxi_core_was_left(const struct mpxi_core *core, const void *frame);

/* A caller that is in the middle of something that no switch may interrupt. Nests. */
void mpxi_core_hold(struct mpxi_core *core);
void mpxi_core_release(struct mpxi_core *core);

/* ---- event sets ---------------------------------------------------------------- */

int mpxi_set_create(struct mpxi_core *core, struct mpxi_set **set);
/* Stops it first where it runs. */
void mpxi_set_destroy(struct mpxi_set *set);

/* The event's index in the set, from 0. Errors: MPXI_EISRUN, MPXI_ECNFLCT (it is in the
 * set already, or no counter can hold it even alone), MPXI_ENOMEM, the backend's. */
int mpxi_set_add(struct mpxi_set *set, uint32_t event);
/* Later events move down by one. MPXI_EISRUN, MPXI_ENOEVNT. */
int mpxi_set_remove(struct mpxi_set *set, uint32_t event);

/*
 * While the set runs, the event is in every group (on), or takes its turns. Counting for another
 * running set goes on. One that needs no turns anyhow stays as it is. MPXI_EISRUN.
 */
int mpxi_set_always(struct mpxi_set *set, unsigned index, bool on);
bool mpxi_set_is_always(const struct mpxi_set *set, unsigned index);
/* Index of an event that no group can count beside the set's covariate and those of the set that are
 * in every group, or one of them, where no group can count them all; as many as there are: none.
 * Negative: the backend's error, MPXI_ENOMEM. */
int mpxi_set_conflict(struct mpxi_set *set);

/*
 * The set's covariate; NULL: none. While it runs it is in every group; windows by it are those of
 * this set alone, and what was counted is forgotten. MPXI_EISRUN, MPXI_ENOMEM; MPXI_ENOSUPP: all
 * sets have one anyhow (options.covariate), or the backend cannot.
 */
int mpxi_set_covariate(struct mpxi_set *set, const uint32_t *event);
/* False: it has none of its own. */
bool mpxi_set_has_covariate(const struct mpxi_set *set, uint32_t *event);

/* Counts of earlier times are forgotten. MPXI_EISRUN, MPXI_EINVAL (empty), MPXI_ECNFLCT (another
 * set that runs has another covariate; events
 * of the sets that run do not fit beside those that are in every group), the backend's; after an
 * error nothing has changed. */
int mpxi_set_start(struct mpxi_set *set);
/*
 * For sets that a handler starts: the events get their places now, and keep them until
 * the set is destroyed. Errors as of start; nothing has changed. Once it has succeeded
 * start, stop, read, take and reset of this set neither allocate nor lock, and a handler
 * may call them that finds the core not held, as far as the backend's _sig functions
 * and options.sharing may be called there.
 */
int mpxi_set_admit(struct mpxi_set *set);
/* The counts can be read until the next start. MPXI_ENOTRUN; the backend's error when the last counts
 * could not be read: the set has stopped all the same. */
int mpxi_set_stop(struct mpxi_set *set);
/* Counts are zero from now on; of a running set too. */
int mpxi_set_reset(struct mpxi_set *set);

/* Brings the windows of all events up to now. The backend's error: the windows hold
 * what was known before. */
int mpxi_set_read(struct mpxi_set *set);

/* The same, and counts are zero from the very same moment on. */
int mpxi_set_take(struct mpxi_set *set);

/*
 * As mpxi_set_take, for stretches that are many and short: where no slice has ended since the last
 * step, pieces is set, and mpxi_set_piece tells what the events have counted; else the windows do.
 * Where no event takes turns a piece's time is in a later one: the clock is not read for it.
 * MPXI_ENOMEM, at the first; the backend's.
 */
int mpxi_set_step(struct mpxi_set *set, bool *pieces);
const struct mpxi_piece *mpxi_set_piece(const struct mpxi_set *set, unsigned index);

/* Slices were lost, or ended far too late, between the start and the last read or stop. */
bool mpxi_set_lost(const struct mpxi_set *set);
/* Whole estimates of a set that runs, without their errors; -1: not counted yet. The
 * windows are of earlier reads then. A few ns an event, where mpxi_set_read takes hundreds. */
int mpxi_set_values(struct mpxi_set *set, enum mpxi_estimator estimator, long long *value);

bool mpxi_set_runs(const struct mpxi_set *set);
unsigned mpxi_set_events(const struct mpxi_set *set);
uint32_t mpxi_set_event(const struct mpxi_set *set, unsigned index);
/* The window as of the last mpxi_set_read or stop. */
const struct mpxi_window *mpxi_set_window(const struct mpxi_set *set, unsigned index);
/* The same by the covariate; NULL: there is none, or it is not known of all the time. */
const struct mpxi_window *mpxi_set_window_by_covariate(const struct mpxi_set *set, unsigned index);
/* The one of both that an estimate is made of. Not for handlers: floating point. */
const struct mpxi_window *mpxi_set_best_window(const struct mpxi_set *set, unsigned index,
					       enum mpxi_estimator estimator);

/*
 * From its next start on the set also sums up what it counts of two of its events together, in the
 * slices that both were counted in; how errors of the two go together is in that. MPXI_EISRUN,
 * MPXI_ENOMEM. To be given up as often as it was asked for; an event that leaves takes its pairs
 * along.
 */
int mpxi_set_pair(struct mpxi_set *set, unsigned i, unsigned k);
void mpxi_set_unpair(struct mpxi_set *set, unsigned i, unsigned k);
/* As mpxi_set_window, of both; NULL: it was not asked for. */
const struct mpxi_window *mpxi_set_pair_window(const struct mpxi_set *set, unsigned i, unsigned k);

/* ---- introspection --------------------------------------------------------------- */

struct mpxi_master {
	uint32_t event;
	unsigned references;  /* sets that have it                     */
	unsigned activations; /* of them, those that run               */
	uint64_t count;       /* C_e, with the running slice           */
	uint64_t size;        /* S_e                                   */
	uint64_t slices;      /* ended                                 */
	unsigned group;       /* from 0; UINT_MAX: in none             */
	bool current;         /* its group is on the counters now      */
};

struct mpxi_core_info {
	uint64_t time;    /* T since the core was made */
	uint64_t slices;  /* ended                     */
	uint64_t lost;    /* slices that the backend failed to start, or to read; late ones */
	unsigned groups;  /* that take turns           */
	unsigned events;  /* in the master list        */
	unsigned running; /* sets                      */
	size_t memory;    /* bytes                     */
};

/* Fills up to n entries, ascending by event; returns how many there are. */
unsigned mpxi_core_master(struct mpxi_core *core, struct mpxi_master *list, unsigned n);
void mpxi_core_info(struct mpxi_core *core, struct mpxi_core_info *info);

#endif
