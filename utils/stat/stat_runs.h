/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_runs.h - the counts of several runs of a program: of each run, and the means with their spread.
 *
 * Terms: stat/stat_session.h.
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
	unsigned *flags; /* combined flags of each event; UPC_COUNTER_NEVER if no run counted it */
	double *scratch;
};

/* Copy a run's n_events values and flags. Return 0, or -1 if memory is short. */
int stat_runs_add(struct stat_runs *runs, const struct stat_sample *sample, unsigned n_events);

/* Return the spread of event i over the runs that counted the event, or the spread of a time. */
struct stat_spread stat_runs_event(const struct stat_runs *runs, unsigned i);
struct stat_spread stat_runs_time(const struct stat_runs *runs, enum stat_time time);

/* Return true if a run's program ended with a status other than 0, and not by --timeout. */
bool stat_run_failed(const struct stat_one_run *run);
unsigned stat_runs_failed(const struct stat_runs *runs);

void stat_runs_free(struct stat_runs *runs);

#endif
