/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_events.h - selects the counts to show, by names and globs.
 */
#ifndef RUN_EVENTS_H
#define RUN_EVENTS_H

#include <stdbool.h>

#include "run/run_counts.h"

#define RUN_EVENT_NAME_MAX 48

struct run_events {
	bool asked; /* --events was given; otherwise all items of the used cores are shown */
	bool plain; /* --events had no glob, so zeros are shown as well */
	/* [0] the sum of all cores, [1 + c] core c. */
	bool shown[1 + UPCS_CORES][UPCS_ITEMS];
};

/* Select everything that is produced. */
void run_events_all(struct run_events *events);

/* Hide UPCS_UNKNOWN if its count is 0 and --events was not given. Called when the counts are known. */
void run_events_seen(struct run_events *events, const struct run_vector *whole);

/* Parse names and globs separated by commas. PU0_JPIPE_ADD_SUB is the event of a core, JPIPE_ADD_SUB the sum
 * of all cores. Return 0, or -1 after printing the error. */
int run_events_parse(struct run_events *events, const char *list);

/* True if an item is shown for any place, and if a place (the sum or a core) has any item shown. */
bool run_events_has_item(const struct run_events *events, unsigned item);
bool run_events_has_core(const struct run_events *events, unsigned place);

/* Write the name of an item in a place of shown. */
void run_event_name(unsigned place, unsigned item, char name[RUN_EVENT_NAME_MAX]);

#endif
