/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_session.h - one measurement of upc_stat: whom it counts, from the units' making to
 * the last report.
 */
#ifndef STAT_SESSION_H
#define STAT_SESSION_H

#include "stat/stat_places.h"
#include "stat/stat_report.h"
#include "lib/stat_run.h"
#include "stat/stat_runs.h"
#include "stat/stat_threads.h"

/* The target of the measurement. */
struct stat_plan {
	struct stat_places_plan whom; /* where it is not the program */
	bool other;                   /* ... which it is not         */
	char *const *command;         /* the program; NULL: none     */
	pid_t process;                /* whose threads are counted by themselves; 0: none */
	int64_t interval;             /* ns; 0: no reports in between */
	int64_t delay, timeout;       /* ns; 0: none                  */
	unsigned repeat;              /* so many runs of the program  */
};

struct stat_units {
	struct upc_unit *own, *shared; /* shared: beside threads or places only */
	struct stat_places places;
};

struct stat_session {
	const struct stat_plan *plan;
	struct stat_events events; /* wanted ones, to begin with */
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

/* Measures and reports. Returns the exit status; when a signal ended the program it does
 * not return. */
int stat_session_run(struct stat_session *session);

void stat_session_free(struct stat_session *session);

#endif
