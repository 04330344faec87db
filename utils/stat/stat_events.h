/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_events.h - the events that upc_stat counts: selected before anything runs, then added to units if the
 * machine allows.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_EVENTS_H
#define STAT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat_select.h"
#include "upc.h"

/* An event that could not be added, and the reason. */
struct stat_refused {
	const char *name;
	char *reason;
	bool named; /* the user named the event, not through a glob */
};

/* A ratio: one of the n_own events, and its terms. */
struct stat_ratio {
	unsigned event;
	unsigned first, n; /* range in the array term */
};

struct stat_events {
	struct upc_catalogue *catalogue;
	unsigned quota;  /* maximum number of events to add, at most n_wanted */
	bool by_process; /* each own unit counts a process, so events of process scope go to own units */
	bool of_places;  /* CPUs or the machine are counted, so events of thread and process scope are not
			    available */
	bool of_group;   /* a control group is counted, for which /proc and /sys have no counts */

	struct upc_event_info *wanted;
	unsigned n_wanted;
	uint32_t *named; /* codes of events that the user named, not through a glob */
	unsigned n_named;

	/* Added events: first the n_own events of the own units, then the events of the shared unit. */
	struct upc_event_info *info;
	uint32_t *code;
	unsigned n, n_own;

	/* The ratio over several own units is computed from the sums of its terms. Each unit counts the
	 * terms anyway. */
	struct stat_ratio *ratio;
	unsigned n_ratios;
	uint32_t *term; /* terms of all ratios, one ratio after another */
	unsigned n_terms;

	struct stat_refused *refused;
	unsigned n_refused;
};

void stat_events_free(struct stat_events *events);

/* Add the events of a comma-separated list to the wanted events. A name may be a glob. Return 0, or -1 after
 * printing an error. */
int stat_events_parse(struct stat_events *events, const char *list);

/* Add the default events of the given choice to the wanted events. Return 0, or -1 after printing an
 * error. */
int stat_events_choose(struct stat_events *events, enum stat_choice kind);

/*
 * Add the wanted events to the unit own, up to the quota. If shared is not NULL, own is the first of several
 * own units: events that are not specific to one own unit go to shared, and own also gets the terms of its
 * ratios. An event that cannot be added is appended to refused with its reason, and the next event is tried.
 * Return the number of added events, or UPC_ENOMEM.
 */
int stat_events_add(struct stat_events *events, struct upc_unit *own, struct upc_unit *shared);

/* Add the same events to another own unit, with the terms of their ratios. If shared is not NULL, add the
 * other events to shared. Return 0 or the error. */
int stat_events_give(const struct stat_events *events, struct upc_unit *own, struct upc_unit *shared);

/* Print the refused events to standard error, once for each reason. Return 0, or -1 if the user named a
 * refused event. */
int stat_events_report(const struct stat_events *events);

/*
 * Read n events of a unit, or the final values of a stopped unit. The counters' UPC_COUNTER_LOST, _PARTIAL
 * and _NEVER are added to flags. Values that cannot be read are unchanged. Return 0 or the error; with
 * UPC_ELOST and UPC_EPARTIAL the values are valid.
 */
int stat_events_read(struct upc_unit *unit, const uint32_t *code, unsigned n, uint64_t *values,
		     unsigned *flags);

#endif
