/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - a unit behind a script of input signals: an engine, and a place in the
 * script, which all units of a thread share.
 *
 * A thread's script has one time. A unit that is used catches up first: it is taken
 * through the part of the script that another unit of the thread has played since,
 * with its own configuration and run bit, as they were then. Each unit thus sees all
 * the signals, whichever of them plays.
 */
#ifndef UPCI_REPLAY_H
#define UPCI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"

struct upci_script;
struct upci_replay;

/*
 * Reads and checks a script that drives units: of its lines only c, e and s are
 * allowed, there being no software in it. Errors with message: UPC_EINVAL (the
 * path), UPC_EPERM, UPC_ENOEVENT (there is no such file), UPC_EWIRING (FILE:LINE:
 * what is wrong), UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_script_load(const char *path, struct upci_script **script);
/* No replay of it may exist. NULL is allowed. */
void upci_script_free(struct upci_script *script);

/*
 * An engine in reset state at cycle 0, and the calling thread's place in the script:
 * the engine is taken there, stopped, by its first use. The sink is called with the
 * engine at rest, in the cycle in which the event happened and before the next: it may
 * call upci_replay_read, write and flip, and nothing else here.
 * Errors with message: UPC_ENOMEM.
 */
int upci_replay_create(struct upci_script *script, const struct upci_engine_sink *sink,
		       struct upci_replay **replay);
void upci_replay_destroy(struct upci_replay *replay);

/* Takes the unit to its thread's place in the script. True when there was something
 * to catch up with: counters may have changed. False, and nothing done, from a sink. */
bool upci_replay_catch_up(struct upci_replay *replay);

/* Plays on to the next sync mark, or the end: true; false where nothing was left, or
 * from a sink. */
bool upci_replay_play(struct upci_replay *replay);
bool upci_replay_left(const struct upci_replay *replay);

/* Register accesses as they are on the engine, by offset; 0 or UPC_EFAULT. They do
 * not catch up: the caller has. */
int upci_replay_read(struct upci_replay *replay, unsigned offset, uint64_t *value);
/* All at once, without what reading does (engine.h). */
void upci_replay_peek(const struct upci_replay *replay, uint64_t *counter, uint8_t *field, bool *suspect);
int upci_replay_write(struct upci_replay *replay, unsigned offset, uint64_t value);
void upci_replay_flip(struct upci_replay *replay, unsigned counter, unsigned bit);

/* Cycles that it was taken through with the run bit set. */
uint64_t upci_replay_cycles(const struct upci_replay *replay);

/* Whether a sink of this replay is being called. */
bool upci_replay_in_sink(const struct upci_replay *replay);

/* Whether its place in the script is the calling thread's. */
bool upci_replay_is_callers(const struct upci_replay *replay);

/* In a forked child: a sink that another thread was in is over; the calling thread stays in its own. */
void upci_replay_forked(struct upci_replay *replay);

#endif
