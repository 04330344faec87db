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
	double seconds;
	int status; /* as wait gives it */
	bool timed_out;
	struct rusage usage;
	uint64_t *values;
};

struct stat_runs {
	struct stat_one_run *run;
	unsigned n;
	unsigned *flags; /* of all runs, each event's */
	double *scratch;
};

/* Keeps a run's n_events values: 0, or -1 when there is no memory. */
int stat_runs_add(struct stat_runs *runs, const struct stat_sample *sample, unsigned n_events);

/* The spread of event i, and of times. */
struct stat_spread stat_runs_event(const struct stat_runs *runs, unsigned i);
struct stat_spread stat_runs_seconds(const struct stat_runs *runs);
struct stat_spread stat_runs_user_seconds(const struct stat_runs *runs);
struct stat_spread stat_runs_system_seconds(const struct stat_runs *runs);

/* Whether a run's program did not end with status 0, nor by --timeout. */
bool stat_run_failed(const struct stat_one_run *run);
unsigned stat_runs_failed(const struct stat_runs *runs);

void stat_runs_free(struct stat_runs *runs);

#endif
