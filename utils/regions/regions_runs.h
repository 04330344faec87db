/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_runs.h - sums of several runs: of each run, their means, and what a mean is known to. Pure.
 */
#ifndef REGIONS_RUNS_H
#define REGIONS_RUNS_H

#include "lib/difference.h"
#include "regions/regions_sums.h"

/* With fewer runs on a side nothing is said of a difference; the same number as in stat/stat_spread.h. */
#define REGIONS_RUNS_JUDGED 4

struct regions_runs {
	struct regions_sums *of; /* [n] */
	bool *has;               /* [n * events]: the run has counted it somewhere */
	unsigned n;
};

/* Sums of all runs. False: out of memory. To be freed in any case. */
bool regions_runs_sum(const struct regions_data *data, enum regions_by by, struct regions_runs *runs);
void regions_runs_free(struct regions_runs *runs);

/* A line's measures: calls, seconds, or an event (REGIONS_EVENT + its number). */
enum { REGIONS_CALLS, REGIONS_SECONDS, REGIONS_EVENT };

/*
 * The mean of some of the runs, of those that have counted the event. Its error is the spread between the
 * runs, which has the estimates' own errors in it, but not less than these say. A mean of equal exact counts
 * is exact. *counted: how many of the runs have it.
 */
struct util_measured regions_runs_mean(const struct regions_runs *runs, unsigned first, unsigned n,
				       uint32_t key, uint32_t measure, bool own, unsigned *counted);

/* Means of all runs as lines: values are estimates, and of_threads is how inclusive values spread over the
 * runs. False: out of memory. */
bool regions_runs_means(const struct regions_runs *runs, struct regions_sums *means);

#endif
