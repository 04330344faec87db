/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_runs.h - sums of several runs: the sums of each run, their means, and the errors of the means.
 * Pure.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_RUNS_H
#define REGIONS_RUNS_H

#include "lib/difference.h"
#include "regions/regions_sums.h"

/* A difference is not judged if a side has fewer runs than this. The same number as in stat/stat_spread.h. */
#define REGIONS_RUNS_JUDGED 4

struct regions_runs {
	struct regions_sums *of; /* [n] */
	bool *has;               /* [n * events]: the run has counted the event somewhere */
	unsigned n;
};

/* Sum all runs. False: out of memory. The caller frees runs in either case. */
bool regions_runs_sum(const struct regions_data *data, enum regions_by by, struct regions_runs *runs);
void regions_runs_free(struct regions_runs *runs);

/* Measures of a line: calls, seconds, or an event (REGIONS_EVENT + its number). */
enum { REGIONS_CALLS, REGIONS_SECONDS, REGIONS_EVENT };

/*
 * Return the mean over those of the runs first to first + n - 1 that have counted the event. Its error is the
 * spread between the runs, which includes the estimates' own errors; the result's error is at least as large
 * as these. The mean of equal exact counts is exact. *counted: number of runs that have the event.
 */
struct util_measured regions_runs_mean(const struct regions_runs *runs, unsigned first, unsigned n,
				       uint32_t key, uint32_t measure, bool own, unsigned *counted);

/* Pairs of runs of two sides, made one after the other. */
struct regions_pairs {
	struct regions_pair {
		unsigned before, after;
	} * pair;       /* [n] */
	double *change; /* [n], used by regions_runs_compare */
	unsigned n;
};

/* Compare the pairs whose two runs have counted the event: the means of both sides, and the change, whose
 * error is the spread of the pairs' differences, at least as large as the estimates' errors. *counted: number
 * of these pairs. */
struct util_difference regions_runs_compare(const struct regions_runs *runs,
					    const struct regions_pairs *pairs, uint32_t key, uint32_t measure,
					    bool own, unsigned *counted);

/*
 * Return the position of a run, from 0, in the order of all runs of two sides that take turns. The order
 * within a pair alternates, so that a drift favours neither side.
 */
static inline unsigned regions_turn(unsigned pair, unsigned side)
{
	return 2 * pair + ((pair & 1) ^ side);
}

/* Make lines from the means of all runs. Values are estimates, and of_threads is the spread of inclusive
 * values over the runs. False: out of memory. */
bool regions_runs_means(const struct regions_runs *runs, struct regions_sums *means);

#endif
