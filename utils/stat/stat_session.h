/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_session.h - one measurement of upc_stat, from the creation of the units to the last report.
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
	bool other;                   /* the target is not the program */
	char *const *command;         /* the program; NULL: none     */
	pid_t process;                /* process whose threads are counted separately; 0: none */
	int64_t interval;             /* ns; 0: no reports before the end */
	int64_t delay, timeout;       /* ns; 0: none                  */
	unsigned repeat;              /* number of runs of the program */
};

struct stat_units {
	struct upc_unit *own, *shared; /* shared: only in addition to threads or places */
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
