/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - plays a script of input signals to a unit: an engine, and a place in the script, which all units
 * of a thread share.
 *
 * Terms:
 *   script     a file of input signals ("upc-trace 1", trace.h), which stand for the events of a machine
 *   lines      of a script: c (cycles with signals), e (flips a bit of a counter), s (sync mark), and
 *              w and r, which write and read registers
 *   sync mark  a point in the script at which a play ends
 *   play       to advance the thread's place to the next sync mark
 *   place      the number of the script's operation that comes next; an operation is a line
 *   replay     the engine of one unit, and how far it has run the script
 *   catch up   to run the engine up to its thread's place
 *
 * More terms: engine/engine.h.
 *
 * All units of a thread share one place in the script. A unit that is used catches up first: its engine runs
 * the part of the script that another unit of the thread has played meanwhile. The engine's configuration and
 * run bit have not changed since that time. Each unit thus sees all signals, whichever unit plays.
 */
#ifndef UPCI_REPLAY_H
#define UPCI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"

struct upci_script;
struct upci_replay;

/*
 * Read and check a script that drives units. Only c, e and s lines are allowed, since such a script contains
 * no software. Return 0, or an error with message: UPC_EINVAL (the path), UPC_EPERM, UPC_ENOEVENT (no such
 * file), UPC_EWIRING (FILE:LINE: the mistake), UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_script_load(const char *path, struct upci_script **script);
/* Free a script, of which no replay may exist. NULL is allowed. */
void upci_script_free(struct upci_script *script);

/*
 * Create an engine in reset state at cycle 0, with the calling thread's place in the script. The first use
 * takes the stopped engine to that place. The sink is called in the cycle of the event, before the next
 * cycle. It may call upci_replay_read, write and flip, and nothing else in this file. Return 0, or UPC_ENOMEM
 * with message.
 */
int upci_replay_create(struct upci_script *script, const struct upci_engine_sink *sink,
		       struct upci_replay **replay);
void upci_replay_destroy(struct upci_replay *replay);

/* Take the unit to its thread's place in the script. True if it was behind: counters may have changed. A call
 * from a sink does nothing and returns false. */
bool upci_replay_catch_up(struct upci_replay *replay);

/* Play to the next sync mark, or to the end, and return true. False if nothing is left, or for a call from a
 * sink. */
bool upci_replay_play(struct upci_replay *replay);
bool upci_replay_left(const struct upci_replay *replay);

/* Access a register of the engine by offset. Return 0 or UPC_EFAULT. This function and the three below do not
 * catch up: the caller calls upci_replay_catch_up first. */
int upci_replay_read(struct upci_replay *replay, unsigned offset, uint64_t *value);
/* Copy all registers, without the side effects of a read (engine.h). */
void upci_replay_peek(const struct upci_replay *replay, uint64_t *counter, uint8_t *field, bool *suspect);
int upci_replay_write(struct upci_replay *replay, unsigned offset, uint64_t value);
void upci_replay_flip(struct upci_replay *replay, unsigned counter, unsigned bit);

/* Return the number of cycles that the engine ran with the run bit set. */
uint64_t upci_replay_cycles(const struct upci_replay *replay);

/* True while a sink of this replay is being called. */
bool upci_replay_in_sink(const struct upci_replay *replay);

/* True if the calling thread created the replay, so that its place in the script is this thread's. */
bool upci_replay_is_callers(const struct upci_replay *replay);

/* In a forked child, end a sink call that another thread was in. If the calling thread is in a sink, it stays
 * there. */
void upci_replay_forked(struct upci_replay *replay);

#endif
