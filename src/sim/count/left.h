/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * left.h - reads a process's file of raw counts (counts.h) from another process, after the process has ended
 * or while it runs. The files may have any content.
 *
 * Terms: count/thread.h.
 */
#ifndef UPCS_LEFT_H
#define UPCS_LEFT_H

#include "count/counts.h"
#include "count/functions.h"

struct upcs_left;

/* Read the whole file. Return NULL if there is no valid file or memory is short. */
struct upcs_left *upcs_left_read(const char *path);
void upcs_left_free(struct upcs_left *left);

/* upcs_left_changes stores in *before how often a thread of the process began or ended so far, and returns
 * false if there is no valid file. The caller calls it before reading records. upcs_left_is_still returns
 * true if no thread began or ended since. */
bool upcs_left_is_still(const struct upcs_left *left, uint32_t before);
bool upcs_left_changes(const char *path, uint32_t *before);

/* Complete the records of the process's threads, and mark those that still run as ended. */
void upcs_left_settle(const struct upcs_left *left, struct upcs_results *results, uint32_t process);
/* Complete a copy of one thread's record, by the record's index. The process may still run. */
void upcs_left_whole(const struct upcs_left *left, struct upcs_thread *copy, uint32_t index);
/* Add the tally of each function, by the function's number. */
void upcs_left_add(const struct upcs_left *left, uint64_t to[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC]);

#endif
