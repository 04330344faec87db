/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * score.h - counts that blocks add to in the emulator's memory, and that are taken over from there.
 *
 * From interface 2 on QEMU adds without a call only to its scoreboards: an array of numbers for
 * each vCPU, which lies in the emulator's heap. A thread therefore has an array of the process's
 * file (counts.h) into which its vCPU's numbers in the scoreboards are copied, whenever it is folded;
 * all others read that array alone. A scoreboard has room for so many kinds of blocks: with
 * the kinds come more of them.
 *
 *   - The emulator enlarges all scoreboards with realloc, on a thread that begins: between a call that
 *     makes a thread and that thread's beginning they may not be looked at (upcs_threads.coming).
 *   - A vCPU's numbers are taken over for the last time in its call of exit, and are zero for the
 *     next thread that has it.
 *   - A forked child has its parent's: they are cleared.
 *   - A process that is killed takes what it has counted since with it: UPCS_SCORE_AGE_MS, or more
 *     where taking over takes long (fold.c). Its numbers are lower bounds then, and say so.
 */
#ifndef UPCS_SCORE_H
#define UPCS_SCORE_H

#include <stdint.h>

#include "count/thread_private.h"

#define UPCS_SCORE_KINDS 512u /* of a scoreboard: a page a vCPU */
#define UPCS_SCORE_AGE_MS 10
#define UPCS_SCORES_MAX (UPCS_KINDS_MAX / UPCS_SCORE_KINDS)

/* Copies what the thread's vCPU has. Not while threads are coming. */
void upcs_score_take_locked(struct upcs_counted *thread);
/* For the last time: the vCPU's are zero then. */
void upcs_score_finish_locked(struct upcs_counted *thread);
/* Those of all vCPUs are zero: in a forked child. */
void upcs_score_clear_locked(void);

#endif
