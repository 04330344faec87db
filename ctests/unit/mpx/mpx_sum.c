/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What threads have counted, added up: values, errors, and what may be said of the sum.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/sum.h"

/* One that shared its counter, with all that a sum takes of it. */
static struct mpxi_result estimated(double value, double error, double low, double high)
{
	return (struct mpxi_result){
		.estimate =
			{
				.value = value,
				.standard_error = error,
				.low = low,
				.high = high,
			},
		.count = 10,
		.size = 100,
		.time = 400,
		.slices = 3,
		.threads = 1,
	};
}

static struct mpxi_result exact(uint64_t count)
{
	return (struct mpxi_result){
		.estimate =
			{
				.value = (double)count,
				.low = (double)count,
				.high = (double)count,
				.coverage = 1,
				.exact = true,
			},
		.count = count,
		.size = 500,
		.time = 500,
		.slices = 7,
		.threads = 1,
	};
}

/* A thread that has run so long, and whose event never got a slice. */
static struct mpxi_result never(uint64_t time)
{
	return (struct mpxi_result){
		.estimate = {.never = true, .rough = true},
		.time = time,
		.threads = 1,
	};
}

static struct mpxi_result sum_of(const struct mpxi_result *part, unsigned n)
{
	struct mpxi_sum sum = {0};
	struct mpxi_result result;
	unsigned i;

	for (i = 0; i < n; i++)
		mpxi_sum_add(&sum, &part[i]);
	/* What was there before must not show. */
	memset(&result, 0xff, sizeof(result));
	mpxi_sum_result(&sum, &result);
	assert_int_equal(result.threads, 0);
	assert_int_equal(result.missed, 0);
	assert_false(result.partial);
	return result;
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-12 * fabs(wanted)))
		fail_msg("%.17g instead of %.17g", value, wanted);
}

static void test_of_nothing_nothing_is_known(void **state)
{
	struct mpxi_result result = sum_of(NULL, 0);

	(void)state;
	assert_true(result.estimate.never);
	assert_true(result.estimate.rough);
	assert_false(result.estimate.exact);
	assert_false(result.lost);
	assert_near(result.estimate.value, 0);
	assert_near(result.estimate.low, 0);
	assert_near(result.estimate.high, 0);
	assert_near(result.estimate.coverage, 0);
	assert_int_equal(result.count, 0);
	assert_int_equal(result.time, 0);
}

static void test_exact_parts_make_an_exact_sum(void **state)
{
	const struct mpxi_result part[] = {exact(1000), exact(0), exact(234)};
	struct mpxi_result result = sum_of(part, 3);

	(void)state;
	assert_true(result.estimate.exact);
	assert_false(result.estimate.never);
	assert_false(result.estimate.rough);
	assert_near(result.estimate.value, 1234);
	assert_near(result.estimate.standard_error, 0);
	assert_near(result.estimate.low, 1234);
	assert_near(result.estimate.high, 1234);
	assert_near(result.estimate.coverage, 1);
	assert_int_equal(result.count, 1234);
	assert_int_equal(result.size, 1500);
	assert_int_equal(result.time, 1500);
	assert_int_equal(result.slices, 21);
}

/* 3, 4 and 5 are a right triangle, and so are 5, 12 and 13, 8, 15 and 17. */
static void test_errors_add_up_as_squares(void **state)
{
	const struct mpxi_result part[] = {
		estimated(100, 3, 95, 108),
		estimated(1000, 4, 988, 1015),
	};
	struct mpxi_result result = sum_of(part, 2);

	(void)state;
	assert_near(result.estimate.value, 1100);
	assert_near(result.estimate.standard_error, 5);
	assert_near(result.estimate.low, 1100 - 13);
	assert_near(result.estimate.high, 1100 + 17);
	assert_false(result.estimate.exact);
	assert_false(result.estimate.never);
	assert_false(result.estimate.rough);
	assert_int_equal(result.count, 20);
	assert_int_equal(result.size, 200);
	assert_int_equal(result.time, 800);
	assert_int_equal(result.slices, 6);
	assert_near(result.estimate.coverage, .25);
}

static void test_an_estimate_among_exact_parts_is_an_estimate(void **state)
{
	const struct mpxi_result part[] = {exact(50), estimated(100, 3, 95, 108)};
	struct mpxi_result result = sum_of(part, 2);

	(void)state;
	assert_false(result.estimate.exact);
	assert_near(result.estimate.value, 150);
	assert_near(result.estimate.standard_error, 3);
	assert_near(result.estimate.low, 145);
	assert_near(result.estimate.high, 158);
	assert_near(result.estimate.coverage, 600. / 900);
}

/* The interval does not reach below what was counted. */
static void test_low_is_not_below_the_counts(void **state)
{
	struct mpxi_result part[] = {estimated(100, 40, 20, 180), estimated(100, 40, 20, 180)};
	struct mpxi_result result;

	(void)state;
	part[0].count = 60;
	part[1].count = 70;
	result = sum_of(part, 2);
	assert_near(result.estimate.low, 130);
	assert_near(result.estimate.high, 200 + hypot(80, 80));
}

static void test_a_thread_that_was_never_counted_makes_it_rough(void **state)
{
	const struct mpxi_result part[] = {exact(50), never(300)};
	struct mpxi_result result = sum_of(part, 2);

	(void)state;
	assert_false(result.estimate.never);
	assert_false(result.estimate.exact);
	assert_true(result.estimate.rough);
	assert_near(result.estimate.value, 50);
	assert_int_equal(result.time, 800);
	assert_near(result.estimate.coverage, 500. / 800);
}

/* It can have missed nothing. */
static void test_a_thread_that_did_not_run_changes_nothing(void **state)
{
	const struct mpxi_result part[] = {never(0), exact(50)};
	struct mpxi_result result = sum_of(part, 2);

	(void)state;
	assert_true(result.estimate.exact);
	assert_false(result.estimate.rough);
	assert_near(result.estimate.coverage, 1);
}

static void test_only_threads_that_were_never_counted(void **state)
{
	const struct mpxi_result part[] = {never(300), never(0)};
	struct mpxi_result result = sum_of(part, 2);

	(void)state;
	assert_true(result.estimate.never);
	assert_true(result.estimate.rough);
	assert_false(result.estimate.exact);
	assert_int_equal(result.time, 300);
	assert_near(result.estimate.coverage, 0);
}

/* One is enough, at any place; also one that has counted nothing. */
static void test_rough_and_lost_stay(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct mpxi_result part[] = {
			estimated(100, 3, 95, 108),
			estimated(100, 3, 95, 108),
			never(0),
		};
		struct mpxi_result result;

		part[i].lost = true;
		result = sum_of(part, 3);
		assert_true(result.lost);
		assert_false(result.estimate.rough);
		part[i].lost = false;
		part[i].estimate.rough = true;
		result = sum_of(part, 3);
		assert_false(result.lost);
		assert_int_equal(result.estimate.rough, i < 2);
	}
}

static void test_counts_saturate(void **state)
{
	struct mpxi_result part[] = {exact(UINT64_MAX - 4), exact(5), exact(7)};
	struct mpxi_result result = sum_of(part, 1);

	(void)state;
	assert_true(result.count == UINT64_MAX - 4);
	part[0].size = part[0].time = part[0].slices = UINT64_MAX;
	result = sum_of(part, 3);
	assert_true(result.count == UINT64_MAX);
	assert_true(result.size == UINT64_MAX);
	assert_true(result.time == UINT64_MAX);
	assert_true(result.slices == UINT64_MAX);
	assert_true(result.estimate.exact);
}

/* A backend's clock may have counted more of the slices than of the time around them. */
static void test_coverage_is_not_above_one(void **state)
{
	struct mpxi_result part = estimated(100, 3, 95, 108);

	(void)state;
	part.size = part.time + 1;
	assert_near(sum_of(&part, 1).estimate.coverage, 1);
}

static void test_a_window_is_a_result(void **state)
{
	const struct mpxi_window window = {
		.sums = {.count = 30, .size = 250, .slices = 4},
		.time = 1000,
	};
	struct mpxi_estimate wanted;
	struct mpxi_result result;

	(void)state;
	mpxi_estimate(&window, MPXI_RATIO, &wanted);
	memset(&result, 0xff, sizeof(result));
	mpxi_result_of_window(&window, MPXI_RATIO, true, &result);
	assert_int_equal(result.count, 30);
	assert_int_equal(result.size, 250);
	assert_int_equal(result.time, 1000);
	assert_int_equal(result.slices, 4);
	assert_int_equal(result.threads, 1);
	assert_int_equal(result.missed, 0);
	assert_true(result.lost);
	assert_false(result.partial);
	assert_near(result.estimate.value, 120);
	assert_near(result.estimate.standard_error, wanted.standard_error);
	assert_near(result.estimate.coverage, .25);
	mpxi_result_of_window(&window, MPXI_RATIO, false, &result);
	assert_false(result.lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_nothing_nothing_is_known),
		cmocka_unit_test(test_exact_parts_make_an_exact_sum),
		cmocka_unit_test(test_errors_add_up_as_squares),
		cmocka_unit_test(test_an_estimate_among_exact_parts_is_an_estimate),
		cmocka_unit_test(test_low_is_not_below_the_counts),
		cmocka_unit_test(test_a_thread_that_was_never_counted_makes_it_rough),
		cmocka_unit_test(test_a_thread_that_did_not_run_changes_nothing),
		cmocka_unit_test(test_only_threads_that_were_never_counted),
		cmocka_unit_test(test_rough_and_lost_stay),
		cmocka_unit_test(test_counts_saturate),
		cmocka_unit_test(test_coverage_is_not_above_one),
		cmocka_unit_test(test_a_window_is_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
