/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulated.h - counts in a program that upc_run simulates. Each node of each thread has an account in the
 * simulator (doorbell.h), and all events are counted all the time. This library's own work belongs to no
 * node.
 * Terms: region/region.h.
 */
#ifndef UPCR_SIMULATED_H
#define UPCR_SIMULATED_H

#include <stdbool.h>
#include <stddef.h>

#include "region/sum.h"

/* Prepare for simulated counts. False, with the reason in why, if the program is not simulated, or without
 * accounts. */
bool upcr_simulated_begin(char *why, size_t size);
/* True if the simulator has a count of this name, such as FP_OPS. */
bool upcr_simulated_has(const char *event);

struct upcr_tree;
/* Switch the calling thread to the account of its tree's current node (enter), or to none (leave). thread: a
 * number from 0, unique in the process. enter returns false if the simulator is out of memory: from then on,
 * no node of the process has counts. */
bool upcr_simulated_enter(unsigned thread, const struct upcr_tree *tree);
void upcr_simulated_leave(void);
/* Close the accounts of an ended thread; the counts of its first `nodes` nodes are not read again. */
void upcr_simulated_end(unsigned thread, unsigned nodes);
/* Write the counts of any thread up to now to value. */
void upcr_simulated_get(unsigned thread, unsigned node, const char *const *event, unsigned events,
			struct upcr_value *value);

#endif
