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

/* Runs of two sides that were made one behind the other. */
struct regions_pairs {
	struct regions_pair {
		unsigned before, after;
	} * pair;       /* [n] */
	double *change; /* [n], for the function below */
	unsigned n;
};

/* Compares pairs as far as both of their runs have counted the event: means of both sides, and the change,
 * whose error is the spread of the pairs' differences, but not less than the estimates' errors say. *counted:
 * how many of the pairs these are. */
struct util_difference regions_runs_compare(const struct regions_runs *runs,
					    const struct regions_pairs *pairs, uint32_t key, uint32_t measure,
					    bool own, unsigned *counted);

/*
 * Turns of two sides: the order within a pair of runs changes from pair to pair, so that neither side gains
 * by a drift. Numbers are places in the order of all runs, from 0.
 */
static inline unsigned regions_turn(unsigned pair, unsigned side)
{
	return 2 * pair + ((pair & 1) ^ side);
}

/* Means of all runs as lines: values are estimates, and of_threads is how inclusive values spread over the
 * runs. False: out of memory. */
bool regions_runs_means(const struct regions_runs *runs, struct regions_sums *means);

#endif
