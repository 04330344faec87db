/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - a unit behind a script of input signals: an engine, and a place in the
 * script, which all units of a thread share (design sections 3 and 5).
 *
 * A thread's script has one time. A unit that is used catches up first: it is taken
 * through the part of the script that another unit of the thread has played since,
 * with its own configuration and run bit, as they were then. So each unit sees all
 * the signals, whichever of them plays.
 */
#ifndef UPCI_REPLAY_H
#define UPCI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"
#include "engine/exact.h"

struct upci_script;

/*
 * Reads and checks a script that drives units: of its lines only c, e and s are
 * allowed, there being no software in it. Errors with message: UPC_EINVAL (the
 * path), UPC_EPERM, UPC_ENOEVENT (there is no such file), UPC_EWIRING (FILE:LINE:
 * what is wrong), UPC_ENOMEM, UPC_ESYSTEM.
 */
int upci_script_load(const char *path, struct upci_script **script);
/* No unit of it may exist. NULL is allowed. */
void upci_script_free(struct upci_script *script);

/*
 * An engine in reset state at cycle 0, and the calling thread's place in the script:
 * the engine is taken there, stopped, by its first use. What may be done with it is in exact.h;
 * it plays to the next sync mark, or the end. The sink is called with the
 * engine at rest, in the cycle in which the event happened and before the next: it may
 * read, write and flip, and nothing else; catch_up and play do nothing from there.
 * Errors with message: UPC_ENOMEM.
 */
int upci_replay_create(struct upci_script *script, const struct upci_engine_sink *sink,
		       struct upci_exact **exact);

#endif
