/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leftover.h - removes files in /dev/shm of runs whose upc_run was killed. The next upc_run of the same user
 * removes them.
 *
 * A run has a results file, locked by upc_run as long as upc_run lives, and files of counts next to it, whose
 * names begin with the results file's name and a dot. Files without a locked results file are leftovers. If a
 * leftover's run still has processes, they continue with the files that they have mapped.
 */
#ifndef UPCS_LEFTOVER_H
#define UPCS_LEFTOVER_H

#include <stdbool.h>

#define UPCS_LEFTOVER_DIRECTORY "/dev/shm"
#define UPCS_LEFTOVER_PREFIX "upc-run-"

/* Lock a results file for as long as the descriptor is open. Return false if another process is removing the
 * file, or has removed it. */
bool upcs_leftover_hold(int fd);

/* Remove the caller's leftovers. Files with these names may have any content. */
void upcs_leftover_remove(void);

#endif
