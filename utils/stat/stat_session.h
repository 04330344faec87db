/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_session.h - one measurement of upc_stat, from the creation of the units to the last report.
 *
 * Terms:
 *   part           a thread, process, CPU, core, socket or NUMA node whose counts are reported separately
 *   own unit       a unit that counts one part or, if no parts are counted separately, the whole target
 *   shared unit    the unit that counts, once for all parts, the events that own units do not count
 *   own event      an event that each own unit counts; own events precede the shared unit's in all arrays
 *   place          a CPU, process or thread that gets a unit at the start (stat_places.h)
 *   run            one execution of the program; --repeat has several
 *   sample         the values of all events in an interval or in a whole run (stat_sample.h)
 *   ratio          an event that is computed from counts, its terms (stat_ratio)
 *   flags          UPC_COUNTER_LOST, _PARTIAL and _NEVER of a value
 *   wanted events  the events that the user or the default choice asks for; refused ones cannot be added
 *   choice         how many of the machine's events upc_stat counts by default (stat_select.h)
 *   all others     lib/common.h
 */
#ifndef STAT_SESSION_H
#define STAT_SESSION_H

#include "stat/stat_places.h"
#include "stat/stat_report.h"
#include "lib/stat_run.h"
#include "stat/stat_runs.h"
#include "stat/stat_threads.h"

/* The target of the measurement, and the options of its runs. */
struct stat_plan {
	struct stat_places_plan whom; /* the target if other is set */
	bool other;                   /* whom is the target, not the program */
	char *const *command;         /* the program; NULL: none     */
	pid_t process;                /* process whose threads are counted separately; 0: none */
	int64_t interval;             /* ns; 0: no reports before the end */
	int64_t delay, timeout;       /* ns; 0: none                  */
	unsigned repeat;              /* number of runs of the program */
};

struct stat_units {
	struct upc_unit *own, *shared; /* first own unit; shared unit, if there are several own units */
	struct stat_places places;
};

struct stat_session {
	const struct stat_plan *plan;
	struct stat_events events; /* initially the wanted events only */
	struct stat_report report;
	struct stat_run run;
	struct stat_units units;
	bool by_place, tracing, timed_out;
	struct stat_threads threads;
	struct stat_runs runs;
	uint64_t *totals, *before, *deltas;
	unsigned *flags;
	int64_t start, last;
};

/* Measure and report. Return the exit status. If a signal ended the program, the same signal ends this
 * process. */
int stat_session_run(struct stat_session *session);

void stat_session_free(struct stat_session *session);

#endif
