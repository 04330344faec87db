/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_unit.h - the node's one Universal Performance Counter unit, shown to other processes
 * while the program runs: upc_top and upc.h's monitors read it.
 *
 * A counter has one input at a time. Input 0 of counters 0 to 69 carries the events of PU0 and
 * PU1, input 1 those of PU2 and PU3: one pair of cores is counted, chosen when the run
 * begins.
 */
#ifndef RUN_UNIT_H
#define RUN_UNIT_H

#include "run/run_counts.h"

/* Counts are asked for when the last ones are shown: twice that is less than UPCS_RESULTS_AGE_MS. */
#define RUN_UNIT_EVERY_NS 4000000

enum run_unit_cores {
	RUN_UNIT_PU01,
	RUN_UNIT_PU23,
};

struct run_unit;

/* Whether a unit may have this name. 0, or -1 with the error said. */
int run_unit_check(const char *name);

/*
 * Shows it, all counters at 0. Where a process of the user shows one of that name, it is
 * NAME-2, NAME-3, ..., which is said. NULL with the error said.
 */
struct run_unit *run_unit_create(const char *name, enum run_unit_cores cores);
const char *run_unit_name(const struct run_unit *unit);

/* Shows what the threads have counted so far, in counts those that have ended and are no more in the
 * file. It may be anything; counts never shrink. */
void run_unit_update(struct run_unit *unit, const struct run_counts *counts,
		     const struct upcs_results *results);

/* Shows the counts of the report. */
void run_unit_finish(struct run_unit *unit, const struct run_counts *counts);

/* Ends it: who reads it keeps what was shown last. */
void run_unit_destroy(struct run_unit *unit);

/* Removes a unit of that name that a killed upc_run has left; not one that is shown. */
void run_unit_remove(const char *name);

#endif
