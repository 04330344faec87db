/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The means, spreads and failures of several runs of a program, beside numbers worked out by hand.
 */
#include "../../../utils/stat/stat_runs.h"

#include <math.h>

#include "../unit_test.h"

#define EVENTS 4
#define EXITED(status) ((status) << 8)

/* Adds run k of three, from 0. */
static void add(struct stat_runs *runs, unsigned k)
{
	static const uint64_t values[][EVENTS] = {{10, 7, 0, 0}, {20, 7, 0, 8}, {60, 7, 0, 10}};
	static const unsigned never = UPC_COUNTER_NEVER;
	const unsigned flags[][EVENTS] = {
		{0, UPC_COUNTER_PARTIAL, never, never}, {0, 0, never, 0}, {0, UPC_COUNTER_LOST, never, 0}};
	static const int status[] = {EXITED(0), 9, EXITED(3)};
	const struct stat_sample sample = {
		.values = values[k],
		.flags = flags[k],
		.end = {.seconds = {1 + k, 2 * k + .5, .001 * k}, .status = status[k]},
	};

	assert_int_equal(stat_runs_add(runs, &sample, EVENTS), 0);
}

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-9)
		fail_msg("%.12g in place of %.12g", got, want);
}

TEST(test_means)
{
	struct stat_runs runs = {.n = 0};
	struct stat_spread spread;

	for (unsigned k = 0; k < 3; k++)
		add(&runs, k);
	spread = stat_runs_event(&runs, 0);
	assert_int_equal(spread.n, 3);
	assert_near(spread.mean, 30);
	/* 20, 10 and 30 from it: 1400 by 2. */
	assert_near(spread.deviation, sqrt(700));
	spread = stat_runs_event(&runs, 1);
	assert_near(spread.mean, 7);
	assert_near(spread.deviation, 0);
	assert_near(stat_runs_time(&runs, STAT_ELAPSED).mean, 2);
	assert_near(stat_runs_time(&runs, STAT_USER).mean, 2.5);
	assert_near(stat_runs_time(&runs, STAT_SYSTEM).mean, 0.001);
	/* A flag of any run is a flag of all. */
	assert_int_equal(runs.flags[0], 0);
	assert_int_equal(runs.flags[1], UPC_COUNTER_PARTIAL | UPC_COUNTER_LOST);
	/* Not counted is what no run has counted; the mean is that of the others. */
	assert_int_equal(runs.flags[2], UPC_COUNTER_NEVER);
	assert_int_equal(stat_runs_event(&runs, 2).n, 0);
	assert_int_equal(runs.flags[3], UPC_COUNTER_PARTIAL);
	spread = stat_runs_event(&runs, 3);
	assert_int_equal(spread.n, 2);
	assert_near(spread.mean, 9);
	assert_int_equal(runs.run[0].flags[3], UPC_COUNTER_NEVER);
	stat_runs_free(&runs);
}

TEST(test_failed)
{
	struct stat_runs runs = {.n = 0};

	for (unsigned k = 0; k < 3; k++)
		add(&runs, k);
	assert_false(stat_run_failed(&runs.run[0]));
	assert_true(stat_run_failed(&runs.run[1]));
	assert_true(stat_run_failed(&runs.run[2]));
	assert_int_equal(stat_runs_failed(&runs), 2);
	stat_runs_free(&runs);
	assert_int_equal(stat_runs_failed(&runs), 0);
}

UNIT_TESTS(stat_runs, NULL, NULL)
