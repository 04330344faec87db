/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slices that are lost, late, or of length 0: their time still counts as the sets' time, and the sets report
 * them.
 */
#include "mpx_fake.h"

#include "stat/pool.h"

#define SLICE 4000000 /* CPU time: 1000 of the clock */

static struct mpxi_estimate estimate_of(const struct mpxi_set *set, uint32_t code)
{
	struct mpxi_estimate estimate;

	mpxi_estimate(fake_window(set, code), MPXI_INTERPOLATED, &estimate);
	return estimate;
}

/* Within a part in so many, and in its interval. */
static void assert_estimate(const struct mpxi_set *set, uint32_t code, uint64_t time, double part)
{
	const struct mpxi_estimate estimate = estimate_of(set, code);
	const double truth = (double)time * (code == FAKE_CLOCK ? 1 : (double)fake.rate[code % FAKE_EVENTS]);

	assert_false(estimate.exact);
	assert_false(estimate.never);
	assert_true(estimate.value >= truth - truth / part && estimate.value <= truth + truth / part);
	assert_true(estimate.low <= truth + truth / part && estimate.high >= truth - truth / part);
}

/* One slice, whose end cannot be read if fails. */
static void slice_that(bool fails)
{
	fake.now += 1000;
	fake_fail(FAKE_STOP, fails, 1);
	fake_tick();
	fake_fail(0, 0, 0);
}

TEST(half_of_the_stops_fail)
{
	struct mpxi_set *set;
	uint64_t begin, time;
	double coverage = 0;
	unsigned i;

	fake_create(1);
	fake.pace = 3;
	set = fake_running(0, 3);
	begin = fake.now;
	for (i = 0; i < 4000; i++)
		slice_that(i * 7919 % 4 < 2 && i > 8);
	assert_int_equal(mpxi_set_stop(set), 0);
	time = fake.now - begin;
	for (i = 0; i < 4; i++) {
		assert_int_equal(fake_window(set, i)->time, time);
		assert_estimate(set, i, time, 100);
		coverage += estimate_of(set, i).coverage;
	}
	assert_true(coverage > .48 && coverage < .52);
	assert_true(mpxi_set_lost(set));
	assert_int_equal(fake_info().lost, 1995);
	fake_destroy();
}

/*
 * Lost time seven times as long as the slices before, in which the rate is such a part of theirs: the
 * interval has the truth in it. pools: 0 for the set's window, 1 for a pool, 2 for two merged ones.
 */
static void lose_at_rate(double part, unsigned pools)
{
	struct mpxi_pool pool = {0}, other;
	struct mpxi_result result;
	struct mpxi_set *set;
	double rate, truth;

	fake_create(1);
	fake.pace = 3;
	set = fake_running(0, 1);
	rate = (double)fake.rate[0];
	fake_slices(100, 1000);
	fake_fail(FAKE_START | FAKE_READ | FAKE_STOP, 1, INT_MAX);
	fake.now += 700000;
	assert_int_equal(mpxi_set_stop(set), MPXI_ESYS);
	truth = (pools > 1 ? pools : 1) * (100000 * rate + 700000 * rate * part);
	mpxi_pool_add(&pool, fake_window(set, 0), MPXI_INTERPOLATED, mpxi_set_lost(set));
	other = pool;
	if (pools > 1)
		mpxi_pool_merge(&pool, &other, MPXI_INTERPOLATED);
	if (pools)
		mpxi_pool_result(&pool, MPXI_INTERPOLATED, &result);
	else
		mpxi_result_of_window(fake_window(set, 0), MPXI_INTERPOLATED, mpxi_set_lost(set), &result);
	assert_true(result.lost);
	assert_true(result.estimate.low <= truth && truth <= result.estimate.high);
	assert_true(result.estimate.low >= (double)result.count);
	assert_true(result.estimate.high <= 2.1 * 800000 * rate * (pools > 1 ? pools : 1));
	fake_destroy();
}

TEST(lost_time_may_have_held_another_rate)
{
	unsigned pools;

	for (pools = 0; pools <= 2; pools++) {
		lose_at_rate(0, pools);
		lose_at_rate(1, pools);
		lose_at_rate(1.9, pools);
	}
}

/* T is as fast as it has been, with a handler that takes its time. */
TEST(at_the_pace_of_slices)
{
	struct mpxi_set *set;
	uint64_t time;

	fake_create(1);
	fake.pace = 3;
	fake.cost = 50;
	set = fake_running(0, 1);
	fake_slices(100, 1000);
	assert_int_equal(mpxi_set_read(set), 0);
	time = fake_window(set, 0)->time;
	slice_that(true);
	assert_int_equal(mpxi_set_read(set), 0);
	assert_in_range(fake_window(set, 0)->time - time, 900, 1100);
	fake_destroy();
}

/* As after the program has closed the descriptors: no group counts, and no tick comes. */
TEST(closed_for_good)
{
	struct mpxi_set *set, *beside;
	uint64_t begin, time;
	unsigned i;

	fake_create(1);
	fake.pace = 3;
	set = fake_set(0, 1);
	beside = fake_set(FAKE_CLOCK, FAKE_CLOCK);
	assert_true(mpxi_set_add(beside, FAKE_BESIDE) >= 0);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_start(beside), 0);
	begin = fake.now;
	fake_slices(100, 1000);
	fake_fail(FAKE_START | FAKE_READ | FAKE_STOP, 1, INT_MAX);
	fake.now += 700000;
	assert_int_equal(mpxi_set_stop(set), MPXI_ESYS);
	time = fake.now - begin;
	assert_true(mpxi_set_lost(set));
	for (i = 0; i < 2; i++) {
		assert_int_equal(fake_window(set, i)->time, time);
		assert_estimate(set, i, time, 100);
		assert_true(estimate_of(set, i).coverage < .07);
	}
	/* The other one goes on, and so does its time. */
	fake.now += 200000;
	time += 200000;
	(void)mpxi_set_stop(beside);
	assert_true(mpxi_set_lost(beside));
	assert_int_equal(fake_window(beside, FAKE_CLOCK)->time, time);
	assert_estimate(beside, FAKE_CLOCK, time, 100);
	assert_estimate(beside, FAKE_BESIDE, time, 100);
	assert_true(estimate_of(beside, FAKE_CLOCK).coverage < .12);
	fake_destroy();
}

/* A stop that is the first call to fail returns an error; its windows have the counts up to the loss. */
TEST(closed_and_told_once)
{
	struct mpxi_set *set;
	uint64_t begin, time;
	unsigned i;

	fake_create(1);
	fake.pace = 3;
	set = fake_running(0, 1);
	begin = fake.now;
	fake_slices(100, 1000);
	fake.counted_to = fake.now + 500;
	fake_fail(FAKE_START | FAKE_READ, 1, INT_MAX);
	fake.now += 700000;
	assert_int_equal(mpxi_set_stop(set), MPXI_ESYS);
	time = fake.now - begin;
	assert_true(mpxi_set_lost(set));
	for (i = 0; i < 2; i++) {
		assert_int_equal(fake_window(set, i)->time, time);
		assert_estimate(set, i, time, 100);
	}
	/* The half slice is not lost. */
	assert_int_equal(fake_window(set, 0)->sums.size + fake_window(set, 1)->sums.size, 100500);
	fake_destroy();
}

/* No group can be started for a while. */
TEST(nothing_starts)
{
	struct mpxi_set *set, *steady;
	uint64_t begin;

	fake_create(1);
	fake.pace = 3;
	set = fake_set(0, 2);
	steady = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED);
	assert_true(mpxi_set_add(set, FAKE_CLOCK) >= 0);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_start(steady), 0);
	begin = fake.now;
	fake_slices(30, 1000);
	fake_fail(FAKE_START, 1, INT_MAX);
	fake_slices(10, 1000);
	fake.now += 500;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(fake_window(set, 0)->time, 40500);
	assert_true(mpxi_set_lost(set));
	fake.now += 500;
	fake_fail(0, 0, 0);
	fake_slices(30, 1000);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(fake.now - begin, 71000);
	assert_int_equal(fake_window(set, 0)->time, 71000);
	assert_estimate(set, 0, 71000, 100);
	assert_estimate(set, FAKE_CLOCK, 71000, 100);
	/* The unlimited event beside them was counted all the time. */
	assert_int_equal(mpxi_set_stop(steady), 0);
	assert_int_equal(fake_window(steady, FAKE_UNLIMITED)->sums.count, 71000);
	assert_int_equal(fake_window(steady, FAKE_UNLIMITED)->sums.size, 71000);
	assert_true(fake_window(steady, FAKE_UNLIMITED)->exact);
	fake_destroy();
}

static void fail_stops_beside(const struct fake_group *group)
{
	if (fake_is_beside(group))
		fake_fail(FAKE_STOP, 1, 1);
}

/* Events that are counted all the time: a read that failed leaves a gap. */
TEST(steady_that_fail)
{
	const uint32_t code = FAKE_UNLIMITED + 4;
	struct mpxi_set *set;

	fake_create(1);
	fake.pace = 3;
	set = fake_running(code, code);
	fake.now += 10000;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, code, 10000);
	fake.now += 10000;
	fake_fail(FAKE_READ, 2, 1); /* the one of T is read first */
	assert_int_equal(mpxi_set_read(set), MPXI_ESYS);
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, code, 20000);
	fake.now += 10000;
	/* The one of T is also stopped first. */
	fake.on_stop = fail_stops_beside;
	fake_fail(FAKE_READ, 2, 1);
	assert_int_equal(mpxi_set_stop(set), MPXI_ESYS);
	assert_int_equal(fake_window(set, code)->time, 30000);
	assert_int_equal(fake_window(set, code)->sums.size, 20000);
	assert_estimate(set, code, 30000, 1000);
	assert_true(mpxi_set_lost(set));
	fake_destroy();
}

/* Ticks that have waited while the thread had the signal blocked come all at once. */
TEST(ticks_that_wait)
{
	struct mpxi_set *set;
	uint64_t slices;
	unsigned i;

	fake_create_sliced(1, SLICE);
	set = fake_running(0, 1);
	fake_slices(10, 1000);
	slices = fake_info().slices;
	assert_int_equal(slices, 10);
	assert_int_equal(mpxi_set_read(set), 0);
	assert_false(mpxi_set_lost(set));
	fake.now += 267000;
	assert_true(mpxi_core_is_due_sig(fake.core));
	assert_true(fake_tick());
	assert_false(mpxi_core_is_due_sig(fake.core));
	for (i = 0; i < 266; i++)
		assert_false(fake_tick());
	assert_int_equal(fake_info().slices, slices + 1);
	/* A tick that waits for the end of a call ends no slice either. */
	mpxi_core_hold(fake.core);
	assert_false(fake_tick());
	mpxi_core_release(fake.core);
	assert_int_equal(fake_info().slices, slices + 1);
	fake.now += 499;
	assert_false(fake_tick());
	fake.now += 1;
	assert_true(fake_tick());
	/* One slice stands for all that time. */
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(mpxi_set_lost(set));
	fake_destroy();
}

/* Calls notice that no tick comes, and look for the reason. */
TEST(ticks_that_do_not_come)
{
	struct mpxi_set *set;

	fake_create_sliced(1, SLICE);
	set = fake_running(0, 1);
	fake.now += 3999;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(fake.sought, 0);
	/* The thread may have been in the kernel. */
	fake.now += 1;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(fake.sought, 1);
	assert_false(mpxi_set_lost(set));
	fake.blocked = true;
	assert_int_equal(mpxi_set_take(set), 0);
	assert_true(mpxi_set_lost(set));
	fake.now += 1000;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(fake.sought, 2);
	assert_false(mpxi_set_lost(set));
	fake.now += 3000;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(mpxi_set_lost(set));
	/* A time in which there are no ticks is not one without them. */
	fake.now += 100000;
	fake.sought = 0;
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(fake.sought, 0);
	assert_false(mpxi_set_lost(set));
	/* However that may be, a hundred slices in one are worth a word. */
	fake.blocked = false;
	assert_int_equal(mpxi_set_start(set), 0);
	fake.now += 99999;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_false(mpxi_set_lost(set));
	fake.now += 1;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(mpxi_set_lost(set));
	fake_destroy();
}

UNIT_TESTS(mpx_lost, NULL, NULL)
