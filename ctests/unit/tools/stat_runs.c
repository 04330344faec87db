/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The means, spreads and failures of several runs of a program, beside numbers worked out by hand.
 */
#include "../../../utils/stat/stat_runs.h"

#include <math.h>

#include "../unit_test.h"

#define EVENTS 2
#define EXITED(status) ((status) << 8)

/* Adds run k of three, from 0. */
static void add(struct stat_runs *runs, unsigned k)
{
	static const uint64_t values[][EVENTS] = {{10, 7}, {20, 7}, {60, 7}};
	static const unsigned flags[][EVENTS] = {{0, UPC_COUNTER_PARTIAL}, {0, 0}, {0, UPC_COUNTER_LOST}};
	static const int status[] = {EXITED(0), 9, EXITED(3)};
	const struct stat_sample sample = {
		.seconds = 1 + k,
		.values = values[k],
		.flags = flags[k],
		.status = status[k],
		.usage = {.ru_utime = {.tv_sec = 2 * k, .tv_usec = 500000},
			  .ru_stime = {.tv_usec = 1000 * k}},
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
	assert_near(stat_runs_seconds(&runs).mean, 2);
	assert_near(stat_runs_user_seconds(&runs).mean, 2.5);
	assert_near(stat_runs_system_seconds(&runs).mean, 0.001);
	/* A flag of any run is a flag of all. */
	assert_int_equal(runs.flags[0], 0);
	assert_int_equal(runs.flags[1], UPC_COUNTER_PARTIAL | UPC_COUNTER_LOST);
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
