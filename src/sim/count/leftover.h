/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leftover.h - what runs have left in /dev/shm whose upc_run was killed: the next one of the
 * same user removes it.
 *
 * A run has a results file, which upc_run holds a lock on as long as it lives, and files
 * of counts beside it, whose names begin with that of the results file and a dot. Files
 * without a locked results file belong to nobody. Processes of such a run go on with
 * what they have mapped.
 */
#ifndef UPCS_LEFTOVER_H
#define UPCS_LEFTOVER_H

#include <stdbool.h>

#define UPCS_LEFTOVER_DIRECTORY "/dev/shm"
#define UPCS_LEFTOVER_PREFIX "upc-run-"

/* Locks a results file, for as long as the descriptor is open. False where somebody is removing
 * it, or has. */
bool upcs_leftover_hold(int fd);

/* Removes the caller's leftovers. Files of these names may be anything. */
void upcs_leftover_remove(void);

#endif
