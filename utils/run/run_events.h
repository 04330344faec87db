/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_events.h - selects the counts to show, by names and globs.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_EVENTS_H
#define RUN_EVENTS_H

#include <stdbool.h>

#include "run/run_counts.h"

#define RUN_EVENT_NAME_MAX 48

struct run_events {
	bool asked; /* --events was given; otherwise all items of the used cores are shown */
	bool plain; /* --events had no glob, so zeros are shown as well */
	/* By place: [0] the sum of all cores, [1 + c] core c. */
	bool shown[1 + UPCS_CORES][UPCS_ITEMS];
};

/* Select all items that running a program produces. */
void run_events_all(struct run_events *events);

/* Hide UPCS_UNKNOWN if its count is 0 and --events was not given. Called when the counts are known. */
void run_events_seen(struct run_events *events, const struct run_vector *whole);

/* Select items by names and globs separated by commas. PU0_JPIPE_ADD_SUB is the event of one core,
 * JPIPE_ADD_SUB the sum of all cores. Return 0, or -1 after printing the error. */
int run_events_parse(struct run_events *events, const char *list);

/* has_item: true if the item is shown for any place. has_core: true if any item is shown for the place. */
bool run_events_has_item(const struct run_events *events, unsigned item);
bool run_events_has_core(const struct run_events *events, unsigned place);

/* Write the name of an item for a place, such as PU0_LD_INS for place 1. */
void run_event_name(unsigned place, unsigned item, char name[RUN_EVENT_NAME_MAX]);

#endif
