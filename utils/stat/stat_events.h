/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_events.h - the events that upc_stat counts: chosen before anything
 * runs, then added to units as far as the machine lets them.
 */
#ifndef STAT_EVENTS_H
#define STAT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat_select.h"
#include "upc.h"

/* An event that could not be added, and why. */
struct stat_refused {
	const char *name;
	char *reason;
	bool named; /* by the user, not by a glob */
};

/* An event, one of the n_own, and its terms. */
struct stat_ratio {
	unsigned event;
	unsigned first, n; /* in the list of terms */
};

struct stat_events {
	struct upc_catalogue *catalogue;
	unsigned quota;  /* so many are added, or all that are wanted */
	bool by_process; /* each own unit has a process: what counts one is its own, too */
	bool of_places;  /* CPUs or the machine are counted: no thread and no process is */
	bool of_group;   /* a control group is counted; /proc and /sys have no counts of one */

	struct upc_event_info *wanted;
	unsigned n_wanted;
	uint32_t *named; /* codes of those that the user has named, not by a glob */
	unsigned n_named;

	/* Added ones: those of the first unit, then those of the second. */
	struct upc_event_info *info;
	uint32_t *code;
	unsigned n, n_own;

	/* A ratio over several own units is that of the sums of its terms, which the units count
	 * anyway. */
	struct stat_ratio *ratio;
	unsigned n_ratios;
	uint32_t *term; /* of all ratios, one after the other */
	unsigned n_terms;

	struct stat_refused *refused;
	unsigned n_refused;
};

void stat_events_free(struct stat_events *events);

/* Wants the events of a list with commas; a name may be a glob. Returns 0, or
 * -1 with the error said. */
int stat_events_parse(struct stat_events *events, const char *list);

/* Wants those that nobody had to name; returns as above. */
int stat_events_choose(struct stat_events *events, enum stat_choice kind);

/*
 * Adds what is wanted to the unit own, up to the quota. Where there is a unit
 * shared, too, that gets what is not a thread's alone, and own gets the terms of its
 * ratios as well, since it is the first of several. An event that cannot be added is kept with the
 * reason, and the rest goes on. Returns how many are added, or UPC_ENOMEM.
 */
int stat_events_add(struct stat_events *events, struct upc_unit *own, struct upc_unit *shared);

/* Gives other units the events that were added: all own ones, with the terms of their
 * ratios; and all others, where there is a unit shared. Returns 0 or the error. */
int stat_events_give(const struct stat_events *events, struct upc_unit *own, struct upc_unit *shared);

/* Says on standard error what was refused, once for each reason. Returns 0, or -1: the user has named
 * an event that was. */
int stat_events_report(const struct stat_events *events);

/*
 * Reads n events of a unit, or takes what a stopped one holds; flags get the
 * counters' UPC_COUNTER_LOST, _PARTIAL and _NEVER. Values that cannot be read
 * stay as they are. Returns 0 or the error, also when values are good
 * (UPC_ELOST, UPC_EPARTIAL).
 */
int stat_events_read(struct upc_unit *unit, const uint32_t *code, unsigned n, uint64_t *values,
		     unsigned *flags);

#endif
