/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - the engine's calls of libmpx. Each thread has one event set, which runs all the time and
 * switches from region to region. libmpx is opened only if events are requested. In a program that upc_run
 * simulates, the simulator counts (simulated.h).
 * Terms: region/region.h.
 */
#ifndef UPCR_COUNTS_H
#define UPCR_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/settings.h"
#include "region/sum.h"
#include "region/whole.h"

/* Open libmpx for these events (names separated by commas), or let the simulator count them. False if nothing
 * is counted; why, of size bytes, then has the reason in words. */
bool upcr_counts_begin(const char *events, uint64_t slice_ns, bool simulate, char *why, size_t size);
/* Return the number of requested events; 0 before upcr_counts_begin. */
unsigned upcr_counts_events(void);
const char *upcr_counts_event(unsigned i); /* NULL: no event i */
/* True if libmpx or the simulator counts. */
bool upcr_counts_any(void);
bool upcr_counts_are_simulated(void);
/* Return why event i is refused or, for an i beyond the events, why a set does not run. NULL: unknown. */
const char *upcr_counts_reason(unsigned i);
uint64_t upcr_counts_slice(void);
/* Write the name of the calling thread's clock to text; "" if nothing is counted. */
void upcr_counts_clock(char *text, size_t size);

/* A thread's event set. Only that thread may call these functions, except upcr_counts_kept. */
struct upcr_set {
	int number;
	int events;                     /* number of events in the set */
	int16_t place[UPCR_EVENTS_MAX]; /* index of each requested event in the set; -1: refused */
	uint64_t *early; /* counts from before the set started, to be added to node `first`; NULL: none */
	unsigned first;
};

/* Start the set in the node. The counts of the early counters (whole.h) are added to this node. Call
 * refused() for each event that libmpx refuses. False if nothing is counted. */
bool upcr_counts_start(struct upcr_set *set, unsigned node, struct upcr_early *early,
		       void (*refused)(void *arg, const char *event), void *arg);
struct upcr_tree;
/* Simulated counts: switch the calling thread's account to the tree's current node (enter) or to none
 * (leave). enter returns false if nothing is counted any more. */
bool upcr_counts_enter(const struct upcr_set *set, const struct upcr_tree *tree);
void upcr_counts_leave(void);
/* Switch the set to another node. False on failure: nothing has changed. */
bool upcr_counts_switch(const struct upcr_set *set, unsigned node);
/* Stop the set. upcr_counts_go_on starts it again, in the node; false if libmpx refuses. */
void upcr_counts_stop(const struct upcr_set *set);
bool upcr_counts_go_on(const struct upcr_set *set, unsigned node);
/* Destroy the set. nodes: how many of its first nodes are closed; their counts are not read again. */
void upcr_counts_end(const struct upcr_set *set, unsigned nodes);

/* Write the set's counts in a node to value, one for each requested event. */
void upcr_counts_get(const struct upcr_set *set, unsigned node, struct upcr_value *value);
/* The same, from any thread, while the set's own thread makes none of these calls. */
void upcr_counts_kept(const struct upcr_set *set, unsigned node, struct upcr_value *value);

#endif
