/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_events.h - which counts of a run are shown: names, globs, and why some cannot be had.
 */
#ifndef RUN_EVENTS_H
#define RUN_EVENTS_H

#include <stdbool.h>

#include "run/run_counts.h"

#define RUN_EVENT_NAME_MAX 48

struct run_events {
	bool asked; /* --events was given: else everything of the cores that were used */
	bool plain; /* ... without a glob: all were meant, zeros too */
	/* [0] the sum of all cores, [1 + c] of core c. */
	bool shown[1 + UPCS_CORES][UPCS_ITEMS];
};

/* Everything that is produced. */
void run_events_all(struct run_events *events);

/* Called when the counts of a run are known: hides UPCS_UNKNOWN where it has no counts, unless events
 * were asked for. */
void run_events_seen(struct run_events *events, const struct run_vector *whole);

/* Names and globs with commas between: PU0_JPIPE_ADD_SUB is of a core, JPIPE_ADD_SUB the
 * sum of all. 0, or -1 with the error said. */
int run_events_parse(struct run_events *events, const char *list);

/* Whether anything is shown of an item, and of a core or the sum. */
bool run_events_has_item(const struct run_events *events, unsigned item);
bool run_events_has_core(const struct run_events *events, unsigned place);

/* The name of an item in a place of shown. */
void run_event_name(unsigned place, unsigned item, char name[RUN_EVENT_NAME_MAX]);

#endif
