/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_places.h - a unit for each of several CPUs or processes, and their rows in a report:
 * each by itself, or those of one core, socket or NUMA node together.
 */
#ifndef STAT_PLACES_H
#define STAT_PLACES_H

#include "stat/number_list.h"
#include "stat/stat_parts.h"

struct stat_places {
	struct stat_parts units; /* as they are counted  */
	struct stat_parts rows;  /* as they are reported */
	unsigned *row;           /* of each unit         */
	unsigned *member;        /* scratch: the units of a row */
};

/* The way to count each element of the list; by says what makes a row. */
struct stat_places_plan {
	struct upc_unit_options options; /* of each, but for its number */
	struct number_list list;
	enum stat_by by;
};

/* Creates the unit of one of the list, for the caller to give events. 0, or -1, said. */
int stat_places_unit(const struct stat_places_plan *plan, struct upc_catalogue *catalogue, unsigned i,
		     struct upc_unit **unit);

/* The first unit has its events: makes all others and their records. The unit is theirs from
 * here on. 0, or -1 with the error said. */
int stat_places_ready(struct stat_places *places, const struct stat_places_plan *plan,
		      const struct stat_events *events, struct upc_unit *first);

/* 0, or -1 with the error said. */
int stat_places_start(struct stat_places *places);
void stat_places_stop(struct stat_places *places);

/* Brings units and rows up to date. */
void stat_places_read(struct stat_places *places);

void stat_places_free(struct stat_places *places);

#endif
