/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_places.h - a unit for each of several CPUs, processes or threads, and their rows in a report. A row
 * shows one of them, or all CPUs of one core, socket or NUMA node.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_PLACES_H
#define STAT_PLACES_H

#include "stat/number_list.h"
#include "stat/stat_parts.h"

struct stat_places {
	struct stat_parts units; /* one part for each unit */
	struct stat_parts rows;  /* one part for each row of the report */
	unsigned *row;           /* [units]: index of the unit's row */
	unsigned *member;        /* [units]: scratch for the units of one row */
};

/* How to count each element of the list. by is the kind of rows. */
struct stat_places_plan {
	struct upc_unit_options options; /* options of all units, except the CPU or process, which list has */
	struct number_list list;
	enum stat_by by;
};

/* Create the unit for element i of the list. The caller adds the events. Return 0, or -1 after printing an
 * error. */
int stat_places_unit(const struct stat_places_plan *plan, struct upc_catalogue *catalogue, unsigned i,
		     struct upc_unit **unit);

/* Create all other units and their records, after the first unit has its events. places owns the first unit
 * from here on. Return 0, or -1 after printing an error. */
int stat_places_ready(struct stat_places *places, const struct stat_places_plan *plan,
		      const struct stat_events *events, struct upc_unit *first);

/* Start all units. Return 0, or -1 after printing an error. */
int stat_places_start(struct stat_places *places);
void stat_places_stop(struct stat_places *places);

/* Update units and rows. */
void stat_places_read(struct stat_places *places);

void stat_places_free(struct stat_places *places);

#endif
