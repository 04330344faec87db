/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulated.h - counts of a program that upc_run simulates: each node of each thread has an account
 * of the simulator's (doorbell.h), and nothing takes turns. The library's own work belongs to no node.
 */
#ifndef UPCR_SIMULATED_H
#define UPCR_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>

#include "region/sum.h"

/* False, with why in words: it is not simulated, or not with accounts. */
bool upcr_simulated_begin(char *why, size_t size);
/* Is there a count of this name, such as FP_OPS? */
bool upcr_simulated_has(const char *event);

struct upcr_tree;
/* The calling thread: goes on in its tree's current node, or in none. thread: a number that no other of the
 * process has, from 0. False: there is no memory, and nothing has a count any more. */
bool upcr_simulated_enter(unsigned thread, const struct upcr_tree *tree);
void upcr_simulated_leave(void);
/* The thread has ended: its first nodes, so many, are not asked for again. */
void upcr_simulated_end(unsigned thread, unsigned nodes);
/* Gives the counts of any thread, up to now. */
void upcr_simulated_get(unsigned thread, unsigned node, const char *const *event, unsigned events,
			struct upcr_value *value);

#endif
