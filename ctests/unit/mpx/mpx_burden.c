/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting that slows the counted: which counts are a burden to which event, in a core, over threads, and
 * what they put an estimate off by.
 */
#include <math.h>

#include "mpx_fake.h"
#include "stat/burden.h"

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted) + 1e-12))
		fail_msg("%.17g instead of %.17g", value, wanted);
}

/* Two of four events slow; each has a group of its own. */
static struct mpxi_set *count_two_that_slow(unsigned slices)
{
	struct mpxi_set *set;

	fake_create(1);
	fake.slow = 2;
	set = fake_running(0, 3);
	fake_slices(slices, 1000);
	assert_int_equal(mpxi_set_read(set), 0);
	return set;
}

TEST(burdens_of_slices_add_up)
{
	const struct mpxi_set *set = count_two_that_slow(40);
	uint64_t all = fake_window(set, 0)->sums.count + fake_window(set, 1)->sums.count;
	unsigned i;

	assert_true(all > 0);
	for (i = 0; i < 4; i++) {
		const struct mpxi_window *window = fake_window(set, i);

		assert_int_equal(window->burdens, all);
		assert_int_equal(window->burden, i < 2 ? window->sums.count : 0);
	}
	fake_destroy();
}

TEST(a_set_has_those_since_its_start)
{
	struct mpxi_set *set = count_two_that_slow(40);

	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(fake_window(set, 0)->burdens, 0);
	assert_int_equal(fake_window(set, 0)->burden, 0);
	fake_destroy();
}

/* Events that share a group have all of its counts: each is in two events' slices. */
TEST(events_of_a_group_share_its_burden)
{
	struct mpxi_set *set;
	uint64_t all, sum = 0;
	unsigned i;

	fake_create(2);
	fake.slow = 2;
	set = fake_running(0, 3);
	fake_slices(40, 1000);
	assert_int_equal(mpxi_set_read(set), 0);
	all = fake_window(set, 0)->sums.count + fake_window(set, 1)->sums.count;
	for (i = 0; i < 4; i++) {
		assert_int_equal(fake_window(set, i)->burdens, all);
		sum += fake_window(set, i)->burden;
	}
	assert_int_equal(sum, 2 * all);
	fake_destroy();
}

TEST(burdens_of_threads_add_up)
{
	const struct mpxi_set *set = count_two_that_slow(40);
	struct mpxi_window window = *fake_window(set, 0);
	struct mpxi_pool one = {0}, other = {0};
	struct mpxi_result result;

	mpxi_pool_add(&one, &window, MPXI_AUTO, false);
	window.source++;
	mpxi_pool_add(&other, &window, MPXI_AUTO, false);
	mpxi_pool_add(&other, &window, MPXI_AUTO, false);
	mpxi_pool_merge(&one, &other, MPXI_AUTO);
	assert_int_equal(one.burden, 3 * window.burden);
	assert_int_equal(one.burdens, 3 * window.burdens);
	mpxi_pool_result(&one, MPXI_AUTO, &result);
	assert_near(result.burden, (double)window.burden / (double)window.sums.size);
	assert_near(result.burdens, (double)window.burdens / (double)window.time);
	/* By a covariate nothing is put off. */
	window.by_covariate = true;
	mpxi_pool_add(&one, &window, MPXI_AUTO, false);
	assert_int_equal(one.burdens, 3 * window.burdens);
	fake_destroy();
}

static struct mpxi_result slowed_by(double burden, double burdens)
{
	struct mpxi_result result = {
		.estimate = {.value = 1000, .low = 900, .high = 1100},
		.count = 100,
		.burden = burden,
		.burdens = burdens,
	};

	mpxi_burden_judge(&result, 2);
	return result;
}

TEST(the_interval_has_what_it_is_off_by)
{
	struct mpxi_result result = slowed_by(.1, .02);

	/* A fifth of its own time, 4 % of all. */
	assert_true(result.slowed);
	assert_near(result.estimate.value, 1000);
	assert_near(result.estimate.low, 900 - 1.5 * 1000 * .16 / .8);
	assert_near(result.estimate.high, 1100 + 1.5 * 1000 * .16 / .8);
	/* One that is rare itself. */
	result = slowed_by(0, .02);
	assert_true(result.slowed);
	assert_near(result.estimate.high, 1100 + 1.5 * 1000 * .04);
	/* All are slowed alike. */
	result = slowed_by(.02, .02);
	assert_true(result.slowed);
	assert_near(result.estimate.high, 1100);
	/* The interval begins at the count or above. */
	result = slowed_by(.4, .02);
	assert_near(result.estimate.low, 100);
}

TEST(little_is_not_worth_a_word)
{
	struct mpxi_result result = slowed_by(.005, .004);

	assert_false(result.slowed);
	assert_near(result.estimate.high, 1100);
	result = (struct mpxi_result){.estimate = {.value = 7, .low = 7, .high = 7, .exact = true},
				      .burden = 1};
	mpxi_burden_judge(&result, 1);
	assert_false(result.slowed);
	assert_near(result.estimate.high, 7);
}

static struct mpxi_ratio ratio_slowed_by(double a, double b)
{
	struct mpxi_ratio ratio = {.value = 10, .low = 9, .high = 11};

	mpxi_burden_judge_ratio(&ratio, a, b, 2);
	return ratio;
}

TEST(a_ratio_has_what_it_is_off_by)
{
	/* A fifth of the numerator's time, 4 % of the denominator's. */
	struct mpxi_ratio ratio = ratio_slowed_by(.1, .02);

	assert_true(ratio.slowed);
	assert_near(ratio.value, 10);
	assert_near(ratio.low, 9 - 10 * (.16 + .1) / .8);
	assert_near(ratio.high, 11 + 10 * (.16 + .1) / .8);
	/* The other way round, and never below 0. */
	ratio = ratio_slowed_by(.02, .45);
	assert_near(ratio.low, 0);
	assert_near(ratio.high, 11 + 10 * (.86 + .45) / .96);
	/* By the same share: two tracepoints may differ in their cost. */
	ratio = ratio_slowed_by(.1, .1);
	assert_true(ratio.slowed);
	assert_near(ratio.high, 11 + 10 * .1 / .8);
	ratio = ratio_slowed_by(.005, .004);
	assert_false(ratio.slowed);
	assert_near(ratio.high, 11);
	ratio = (struct mpxi_ratio){.value = 10, .low = 10, .high = 10, .exact = true};
	mpxi_burden_judge_ratio(&ratio, .2, 0, 2);
	assert_false(ratio.slowed);
	assert_near(ratio.high, 10);
	/* The denominator may be 0. */
	ratio = (struct mpxi_ratio){.value = NAN, .low = 0, .high = INFINITY};
	mpxi_burden_judge_ratio(&ratio, .2, 0, 2);
	assert_true(isnan(ratio.value) && ratio.low == 0 && isinf(ratio.high));
}

UNIT_TESTS(mpx_burden, NULL, NULL)
