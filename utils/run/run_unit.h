/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_unit.h - the node's Universal Performance Counter unit, shown to other processes while the program
 * runs. upc_top and monitors that use upc.h read the unit.
 *
 * A counter has one input at a time. Input 0 of counters 0 to 69 carries the events of PU0 and PU1, input 1
 * those of PU2 and PU3. The unit counts one of these pairs of cores, chosen at the beginning of the run.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_UNIT_H
#define RUN_UNIT_H

#include "run/run_counts.h"

/* Counts are requested when the last ones are shown, so their age is up to twice this time, less than
 * UPCS_RESULTS_AGE_MS. */
#define RUN_UNIT_EVERY_NS 4000000

enum run_unit_cores {
	RUN_UNIT_PU01,
	RUN_UNIT_PU23,
};

struct run_unit;

/* Check a unit's name. Return 0, or -1 after printing the error. */
int run_unit_check(const char *name);

/*
 * Show the unit, with all counters at 0. If a process of the user shows a unit with this name, the unit
 * becomes NAME-2, NAME-3 and so on, with a message. Return NULL after printing an error.
 */
struct run_unit *run_unit_create(const char *name, enum run_unit_cores cores);
const char *run_unit_name(const struct run_unit *unit);

/* Show the threads' present counts: those of ended threads from counts, the others from results. The file may
 * have any content, but the shown counts never shrink. */
void run_unit_update(struct run_unit *unit, const struct run_counts *counts,
		     const struct upcs_results *results);

/* Show the counts of the report. */
void run_unit_finish(struct run_unit *unit, const struct run_counts *counts);

/* End the unit. Monitors keep the last values. */
void run_unit_destroy(struct run_unit *unit);

/* Remove a unit of this name that a killed upc_run has left, but not one with a living owner. */
void run_unit_remove(const char *name);

#endif
