/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_runs.h - what several runs of one program have counted: each by itself, and their
 * means with the spread.
 */
#ifndef STAT_RUNS_H
#define STAT_RUNS_H

#include "stat/stat_sample.h"
#include "stat/stat_spread.h"

struct stat_one_run {
	struct stat_end end;
	uint64_t *values;
	unsigned *flags;
};

struct stat_runs {
	struct stat_one_run *run;
	unsigned n;
	unsigned *flags; /* of all runs, each event's: not counted is what no run has counted */
	double *scratch;
};

/* Keeps a run's n_events values and flags: 0, or -1 when there is no memory. */
int stat_runs_add(struct stat_runs *runs, const struct stat_sample *sample, unsigned n_events);

/* The spread of event i over the runs that have counted it, and that of a time. */
struct stat_spread stat_runs_event(const struct stat_runs *runs, unsigned i);
struct stat_spread stat_runs_time(const struct stat_runs *runs, enum stat_time time);

/* Whether a run's program did not end with status 0, nor by --timeout. */
bool stat_run_failed(const struct stat_one_run *run);
unsigned stat_runs_failed(const struct stat_runs *runs);

void stat_runs_free(struct stat_runs *runs);

#endif
