/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * score.h - copies counts that blocks add to in the emulator's memory.
 *
 * From plugin interface 2 on, QEMU adds without a call only to its scoreboards: an array of numbers
 * for each vCPU, in the emulator's heap. Each thread therefore has an array in the process's file
 * (counts.h). Folding the thread copies its vCPU's numbers from the scoreboards to that array, and all
 * other code reads only that array. A scoreboard has room for UPCS_SCORE_KINDS kinds of blocks, and
 * more scoreboards are made as kinds are added.
 *
 *   - The emulator enlarges all scoreboards with realloc when a thread begins. Between a call that
 *     makes a thread and that thread's beginning, the scoreboards must not be read
 *     (upcs_threads.coming).
 *   - A vCPU's numbers are copied for the last time in the thread's exit call, and then cleared for
 *     the next thread on this vCPU.
 *   - A forked child inherits its parent's numbers and clears them.
 *   - A killed process loses its counts since the last copy, UPCS_SCORE_AGE_MS old or older if copying takes
 *     long (fold.c). The process's counts are then marked as lower bounds.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_SCORE_H
#define UPCS_SCORE_H

#include <stdint.h>

#include "count/thread_private.h"

#define UPCS_SCORE_KINDS 512u /* kinds per scoreboard: one page per vCPU */
#define UPCS_SCORE_AGE_MS 10
#define UPCS_SCORES_MAX (UPCS_KINDS_MAX / UPCS_SCORE_KINDS)

/* Copy the thread's counts from its vCPU. Must not run while threads are coming. */
void upcs_score_take_locked(struct upcs_counted *thread);
/* Copy the thread's counts for the last time, and clear its vCPU's numbers. */
void upcs_score_finish_locked(struct upcs_counted *thread);
/* Clear the counts of all vCPUs, in a forked child. */
void upcs_score_clear_locked(void);

#endif
