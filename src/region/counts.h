/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.h - the border to libmpx: one event set in each thread, which runs all the time and goes
 * from region to region. libmpx is opened only where events are wanted. In a program that upc_run
 * simulates, the simulator counts (simulated.h).
 */
#ifndef UPCR_COUNTS_H
#define UPCR_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/settings.h"
#include "region/sum.h"
#include "region/whole.h"

/* Opens libmpx for these events (names with commas), or has the simulator count them. False, with why in
 * words: nothing is counted. */
bool upcr_counts_begin(const char *events, uint64_t slice_ns, bool simulate, char *why, size_t size);
/* The number of events that were asked for; 0 before upcr_counts_begin. */
unsigned upcr_counts_events(void);
const char *upcr_counts_event(unsigned i); /* NULL: there is none */
/* Is there anything to count with? */
bool upcr_counts_any(void);
bool upcr_counts_are_simulated(void);
/* Why event i is refused, or, beyond them, why a set does not run; NULL: it is not known. */
const char *upcr_counts_reason(unsigned i);
uint64_t upcr_counts_slice(void);
/* The clock of the calling thread; "" where nothing counts. */
void upcr_counts_clock(char *text, size_t size);

/* A thread's set. Its calls but upcr_counts_kept are the thread's own. */
struct upcr_set {
	int number;
	int events;                     /* of the set                     */
	int16_t place[UPCR_EVENTS_MAX]; /* of each event in it; -1: refused */
	uint64_t *early;                /* counted before it ran, for its first node; NULL: nothing */
	unsigned first;
};

/* It runs, in the node, which has what early has counted. refused is called for each event that libmpx
 * refuses. */
bool upcr_counts_start(struct upcr_set *set, unsigned node, struct upcr_early *early,
		       void (*refused)(void *arg, const char *event), void *arg);
struct upcr_tree;
/* Where counts are simulated: the calling thread's are the current node's, or nobody's. False: nothing is
 * counted any more. */
bool upcr_counts_enter(const struct upcr_set *set, const struct upcr_tree *tree);
void upcr_counts_leave(void);
/* False: nothing has changed. */
bool upcr_counts_switch(const struct upcr_set *set, unsigned node);
/* It stops, and goes on where it was. */
void upcr_counts_stop(const struct upcr_set *set);
bool upcr_counts_go_on(const struct upcr_set *set, unsigned node);
/* The set's counts in its first nodes, so many, are not read again. */
void upcr_counts_end(const struct upcr_set *set, unsigned nodes);

/* Gives the set's counts in a node, one value for each event that was asked for. */
void upcr_counts_get(const struct upcr_set *set, unsigned node, struct upcr_value *value);
/* From any thread, while the set's thread makes none of these calls. */
void upcr_counts_kept(const struct upcr_set *set, unsigned node, struct upcr_value *value);

#endif
