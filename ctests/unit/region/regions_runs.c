/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Means of runs: exact ones, those of estimates and of regions and events that some runs do not have.
 */
#include "../unit_test.h"
#include "regions/regions_runs.h"

enum { A, B, EVENTS = 2, RUNS = 4 };

/* A run with a process of one thread: so much of the first event, exact or an estimate, in region "a". */
static void add_run(struct regions_data *data, double value, double error, bool in_b)
{
	struct regions_process *process = regions_add_process(data);
	struct regions_row *row;

	process->events = 1 + (data->runs > 0);
	row = regions_add_row(process, regions_add_thread(process), regions_path(data, 0, A));
	row->calls = 3;
	row->seconds = 1 + .5 * data->runs;
	row->value[0] =
		error > 0 ? upcr_estimated(value, error, 0, 2 * value, 1, 0) : upcr_exact((uint64_t)value);
	if (data->runs)
		row->value[1] = upcr_exact(5);
	if (in_b) {
		row = regions_add_row(process, &process->thread[0], regions_path(data, 0, B));
		row->calls = 1;
		row->value[0] = upcr_exact(8);
	}
	data->runs++;
}

static void begin(struct regions_data *data)
{
	assert_true(regions_begin(data));
	assert_int_equal(regions_number(&data->names, "a"), A);
	assert_int_equal(regions_number(&data->names, "b"), B);
	assert_int_equal(regions_number(&data->events, "first"), 0);
	assert_int_equal(regions_number(&data->events, "second"), 1);
}

/* As many runs as there are values, each with all of its value in "a". */
static void begin_runs(struct regions_data *data, struct regions_runs *runs, const double values[RUNS],
		       double error)
{
	begin(data);
	for (unsigned i = 0; i < RUNS; i++)
		add_run(data, values[i], error, false);
	assert_true(regions_runs_sum(data, REGIONS_BY_NAME, runs));
}

static struct util_measured mean(const struct regions_runs *runs, uint32_t key, uint32_t measure, unsigned n)
{
	unsigned counted;
	const struct util_measured of = regions_runs_mean(runs, 0, RUNS, key, measure, false, &counted);

	assert_int_equal(counted, n);
	return of;
}

TEST(test_exact)
{
	static const double values[] = {100, 101, 103, 104};
	struct regions_data data;
	struct regions_runs runs;
	struct regions_sums sums;
	struct util_measured of;

	begin(&data);
	for (unsigned i = 0; i < RUNS; i++)
		add_run(&data, values[i], 0, i > 1);
	assert_true(regions_runs_sum(&data, REGIONS_BY_NAME, &runs));
	of = mean(&runs, A, REGIONS_EVENT, RUNS);
	assert_false(of.exact || of.open);
	assert_true(of.value == 102 && of.freedom == RUNS - 1);
	assert_true(fabs(of.error - sqrt(10. / 3) / 2) < 1e-12);
	of = mean(&runs, A, REGIONS_CALLS, RUNS);
	assert_true(of.exact && of.value == 3);
	of = mean(&runs, A, REGIONS_SECONDS, RUNS);
	assert_true(!of.exact && of.value == 1.75);
	/* The first run has not counted it. */
	of = mean(&runs, A, REGIONS_EVENT + 1, RUNS - 1);
	assert_true(of.exact && of.value == 5);
	/* Two runs were not in it: nothing of it was there. */
	assert_true(mean(&runs, B, REGIONS_CALLS, RUNS).value == .5);
	of = mean(&runs, B, REGIONS_EVENT, RUNS);
	assert_true(!of.exact && of.value == 4);
	assert_true(regions_runs_means(&runs, &sums));
	assert_int_equal(sums.line[A].counts.calls, 3);
	assert_true(sums.line[B].counts.calls == .5);
	assert_true(sums.line[A].counts.seconds == 1.75);
	assert_true(sums.line[A].counts.value[0].value == 102 && sums.line[A].counts.value[0].low < 102);
	assert_true(sums.line[A].of_threads[1].min == 100 && sums.line[A].of_threads[1].max == 104);
	assert_int_equal(sums.threads, 1);
	regions_sums_free(&sums);
	regions_runs_free(&runs);
	regions_free(&data);
}

static const double alternate[RUNS] = {100, 101, 100, 101};

/* Runs are nearer to each other than their errors say. */
TEST(test_estimates)
{
	struct regions_data data;
	struct regions_runs runs;
	struct util_measured of;

	begin_runs(&data, &runs, alternate, 20);
	of = mean(&runs, A, REGIONS_EVENT, RUNS);
	assert_true(of.value == 100.5 && of.error == 10 && !of.exact);
	regions_runs_free(&runs);
	regions_free(&data);
}

/* Runs drift by far more than the two of a pair differ. */
TEST(test_pairs)
{
	struct regions_pair pair[] = {{0, 1}, {3, 2}};
	double change[2];
	const struct regions_pairs pairs = {pair, change, 2};
	static const double values[] = {100, 103, 205, 200};
	struct regions_data data;
	struct regions_runs runs;
	struct util_difference d;
	unsigned counted;

	begin_runs(&data, &runs, values, 0);
	d = regions_runs_compare(&runs, &pairs, A, REGIONS_EVENT, false, &counted);
	assert_int_equal(counted, 2);
	assert_true(d.before.value == 150 && d.after.value == 154 && d.change == 4);
	/* Differences are 3 and 5. */
	assert_true(fabs(d.error - 1) < 1e-12 && d.freedom == 1);
	/* The first run has not counted it, and its partner is left out. */
	d = regions_runs_compare(&runs, &pairs, A, REGIONS_EVENT + 1, false, &counted);
	assert_int_equal(counted, 1);
	assert_true(d.before.exact && d.after.exact && d.change == 0 && d.chance == 1);
	regions_runs_free(&runs);
	regions_free(&data);
	/* The order changes from pair to pair. */
	assert_true(regions_turn(0, 0) == 0 && regions_turn(0, 1) == 1);
	assert_true(regions_turn(1, 0) == 3 && regions_turn(1, 1) == 2);
}

/* The errors of estimates count where pairs are nearer to each other. */
TEST(test_pairs_of_estimates)
{
	struct regions_pair pair[] = {{0, 1}, {2, 3}};
	double change[2];
	const struct regions_pairs pairs = {pair, change, 2};
	struct regions_data data;
	struct regions_runs runs;
	struct util_difference d;
	unsigned counted;

	begin_runs(&data, &runs, alternate, 20);
	d = regions_runs_compare(&runs, &pairs, A, REGIONS_EVENT, false, &counted);
	assert_true(d.change == 1 && fabs(d.error - 20) < 1e-12);
	regions_runs_free(&runs);
	regions_free(&data);
}

UNIT_TESTS(regions_runs, NULL, NULL)
