/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * left.h - what lies in a process's file of raw counts (counts.h), read by others: when it is gone, or
 * while it goes on. Files may be anything.
 */
#ifndef UPCS_LEFT_H
#define UPCS_LEFT_H

#include "count/counts.h"
#include "count/functions.h"

struct upcs_left;

/* All of it. NULL: there is none, or no memory for it. */
struct upcs_left *upcs_left_read(const char *path);
void upcs_left_free(struct upcs_left *left);

/* No thread of the process began or ended while it was read, nor since before; which is how often any
 * had, and asked for before records are looked at. */
bool upcs_left_is_still(const struct upcs_left *left, uint32_t before);
bool upcs_left_changes(const char *path, uint32_t *before);

/* Makes the records of the process's threads whole, and those that run ended. */
void upcs_left_settle(const struct upcs_left *left, struct upcs_results *results, uint32_t process);
/* The same for a copy of one thread's record, by its index; its process may go on. */
void upcs_left_whole(const struct upcs_left *left, struct upcs_thread *copy, uint32_t index);
/* Adds what was done in each function, by its number. */
void upcs_left_add(const struct upcs_left *left, uint64_t to[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC]);

#endif
