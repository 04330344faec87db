/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turns.h - events of a set that cannot all have a counter at once.
 *
 * Terms:
 * - set: an event set of PAPI's component upc. lib: the table of libupc's functions (libupc.h).
 * - unit: libupc's set of 256 counters (upc.h). The set's unit is its first one; a spread set has more.
 * - turn, slice, group, core, tick: core/core.h.
 * - spread set: a multiplexed set whose events are in several units, or take turns (spread.h).
 * - ticker: a thread's timer, which ends the slices of one core at a time (slices.h). holder: the set's
 *   pointer to it.
 * - counted thread: the thread whose events are counted, and whose signals end the slices.
 * - to report, reported: to print a message for the user; a reported error carries an offset (MPXI_TOLD).
 * - plain event: not a sum of other events.
 * - PMU: the processor's hardware counters.
 *
 * Such events take turns in groups, which the core of MPX (core/core.h) switches, and their counts are
 * estimates.
 */
#ifndef MPXI_TURNS_H
#define MPXI_TURNS_H

#include <stdint.h>

#include "runtime/libupc.h"

/* The value of an event that has had no time slice. It equals no possible count. */
#define MPXI_NEVER UINT64_MAX

/*
 * Offset of errors that were already reported to the user. The functions below and in spread.h return
 * either an error of libupc, whose message libupc has, or PAPI's error minus MPXI_TOLD, if the message was
 * already reported (options.tell).
 */
#define MPXI_TOLD 1000

struct mpxi_turns;

struct mpxi_turns_options {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue;
	struct upc_unit_options unit; /* options of each group's unit */
	int counted;                  /* the thread that the units count */
	uint64_t slice_ns;
	unsigned group_max; /* maximum number of events in a group; 0: as many as fit */
	/* Reports the last message of MPX's core, and returns error - MPXI_TOLD. */
	int (*tell)(int error);
};

int mpxi_turns_create(const struct mpxi_turns_options *options, struct mpxi_turns **turns);
/* Destroy the groups. Does nothing if turns is NULL. Context: any thread. */
void mpxi_turns_destroy(struct mpxi_turns *turns);

/*
 * Add an event that consists of perf events only. Errors: PAPI_ENOSUPP - MPXI_TOLD (a level or a quotient,
 * which cannot be estimated from slices), UPC_ECONFLICT (no counter can hold the event even alone).
 */
int mpxi_turns_add(struct mpxi_turns *turns, uint32_t code);
void mpxi_turns_remove(struct mpxi_turns *turns, uint32_t code);
unsigned mpxi_turns_events(const struct mpxi_turns *turns);

/*
 * Start, stop or reset the events; start and reset set the counts to 0. If the events do not fit
 * together, mpxi_turns_start must be called by the counted thread, which then receives the ticks.
 * No other thread may use the set until the stop (mpxi_turns_check).
 */
int mpxi_turns_start(struct mpxi_turns *turns);
int mpxi_turns_stop(struct mpxi_turns *turns);
int mpxi_turns_reset(struct mpxi_turns *turns);
/*
 * Read the counts in the order in which events were added. A count is never less than at the
 * previous read, and is MPXI_NEVER for an event that has had no slice. After an error counts
 * contains the values of the previous read.
 */
int mpxi_turns_read(struct mpxi_turns *turns, uint64_t *counts);
/*
 * True if time slices were lost, or ended far too late, between the start and the last read or
 * stop.
 */
int mpxi_turns_lost(const struct mpxi_turns *turns);

/*
 * Return 0 if the calling thread may use the set. Return a reported error if another thread, whose
 * signals end the slices, is using the set.
 */
int mpxi_turns_check(const struct mpxi_turns *turns);
/*
 * True if the set was created in another process. The groups are then a forked child's copies of its
 * parent's, and cannot be used.
 */
int mpxi_turns_inherited(const struct mpxi_turns *turns);

/*
 * Defer ticks between mpxi_turns_hold and mpxi_turns_release. Both functions do nothing if turns is
 * NULL.
 */
void mpxi_turns_hold(struct mpxi_turns *turns);
void mpxi_turns_release(struct mpxi_turns *turns);

#endif /* MPXI_TURNS_H */
