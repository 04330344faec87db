/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A covariate that an event set asks for: it is in every group while the set runs, and windows by it
 * are the set's; other sets with the same events go by the clock; another one at the same time is
 * refused. And what fails.
 */
#include <math.h>

#include "mpx_fake.h"

#define COVARIATE 100u /* comes at rate 101 */
#define OTHER 200u     /* 201 */

static struct mpxi_set *set_by(uint32_t from, uint32_t to, uint32_t covariate)
{
	struct mpxi_set *set = fake_set(from, to);

	assert_int_equal(mpxi_set_covariate(set, &covariate), 0);
	return set;
}

/* The window by the covariate: of size of time, both in its counts. */
static void assert_by(const struct mpxi_set *set, uint32_t code, uint64_t rate, uint64_t time, uint64_t size)
{
	const struct mpxi_window *window = mpxi_set_window_by_covariate(set, fake_index(set, code));
	struct mpxi_estimate estimate;
	double truth;

	assert_non_null(window);
	assert_true(window->by_covariate);
	assert_int_equal(window->clock_time, time);
	assert_int_equal(window->clock_size, size);
	assert_int_equal(window->time, rate * time);
	assert_int_equal(window->sums.size, rate * size);
	assert_int_equal(window->sums.count, (code % FAKE_EVENTS + 1) * size);
	/* Rates are even, so gaps are filled in to the last count, where the slices beside are by this
	 * covariate. */
	mpxi_estimate(window, MPXI_INTERPOLATED, &estimate);
	truth = (double)((code % FAKE_EVENTS + 1) * time);
	assert_true(estimate.never || fabs(estimate.value - truth) <= 1e-6 * truth);
}

static uint64_t size_of(const struct mpxi_set *set, uint32_t code)
{
	return fake_window(set, code)->sums.size;
}

/* It is counted beside groups that take turns, and known of all the time. */
TEST(of_one_set)
{
	struct mpxi_set *set;
	uint32_t event = 0;

	fake_make(2, 0, false);
	set = fake_set(0, 3);
	assert_false(mpxi_set_has_covariate(set, &event));
	assert_int_equal(mpxi_set_covariate(set, &(uint32_t){COVARIATE}), 0);
	assert_true(mpxi_set_has_covariate(set, &event) && event == COVARIATE);
	assert_int_equal(mpxi_set_conflict(set), 4);
	assert_int_equal(fake.covariate, FAKE_NOWHERE);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(fake.timed->covariate, COVARIATE);
	assert_int_equal(mpxi_set_covariate(set, NULL), MPXI_EISRUN);
	fake_slices(20, 10);
	fake.now += 5;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_by(set, 0, 101, 205, size_of(set, 0));
	assert_by(set, 3, 101, 205, size_of(set, 3));
	assert_int_equal(size_of(set, 0) + size_of(set, 2), 205);
	assert_int_equal(mpxi_set_stop(set), 0);
	/* An event that comes later has a window as well. */
	assert_int_equal(mpxi_set_add(set, 7), 4);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(20, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_by(set, 7, 101, 200, size_of(set, 7));
	assert_int_equal(mpxi_set_remove(set, 0), 0);
	assert_int_equal(mpxi_set_covariate(set, NULL), 0);
	assert_null(mpxi_set_window_by_covariate(set, 0));
	assert_int_equal(mpxi_set_add(set, 0), 4);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_null(mpxi_set_window_by_covariate(set, 0));
	fake_destroy();
}

/* Sets that run have the same groups: one by the covariate in the middle of others by the clock. */
TEST(among_others)
{
	struct mpxi_set *clock, *by, *steady;

	fake_make(1, 0, false);
	clock = fake_set(0, 2);
	steady = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED);
	assert_int_equal(mpxi_set_start(clock), 0);
	assert_int_equal(mpxi_set_start(steady), 0);
	fake_slices(7, 10);
	fake.now += 3;
	by = set_by(1, 2, COVARIATE);
	assert_int_equal(mpxi_set_add(by, FAKE_UNLIMITED), 2);
	assert_int_equal(mpxi_set_start(by), 0);
	fake_slices(30, 10);
	fake.now += 4;
	assert_int_equal(mpxi_set_read(by), 0);
	assert_by(by, 1, 101, 304, size_of(by, 1));
	assert_by(by, 2, 101, 304, size_of(by, 2));
	assert_by(by, FAKE_UNLIMITED, 101, 304, 304);
	assert_int_equal(mpxi_set_read(clock), 0);
	assert_null(mpxi_set_window_by_covariate(clock, 0));
	assert_int_equal(fake_window(clock, 1)->time, 377);
	assert_int_equal(fake_window(clock, 1)->sums.count, 2 * size_of(clock, 1));
	assert_int_equal(mpxi_set_stop(by), 0);
	/* It stays until groups are made. */
	assert_int_equal(fake.timed->covariate, COVARIATE);
	fake_running(9, 9);
	assert_int_not_equal(fake.timed->covariate, COVARIATE);
	fake_slices(8, 10);
	/* And comes again, in the middle of a slice. */
	fake.now += 6;
	assert_int_equal(mpxi_set_start(by), 0);
	fake_slices(8, 10);
	assert_int_equal(mpxi_set_stop(by), 0);
	assert_by(by, 1, 101, 80, size_of(by, 1));
	fake.now += 2;
	assert_int_equal(mpxi_set_start(by), 0);
	fake_slices(8, 10);
	assert_int_equal(mpxi_set_stop(by), 0);
	assert_by(by, 2, 101, 80, size_of(by, 2));
	assert_int_equal(mpxi_set_stop(clock), 0);
	assert_int_equal(fake_window(clock, 1)->sums.count, 2 * size_of(clock, 1));
	assert_int_equal(mpxi_set_stop(steady), 0);
	assert_int_equal(fake_window(steady, FAKE_UNLIMITED)->sums.count, size_of(steady, FAKE_UNLIMITED));
	fake_destroy();
}

/* In sums of others that only the events of one set have: whose by_covariate is new in a slice. */
TEST(new_in_a_slice)
{
	struct mpxi_set *by, *clock, *later;

	fake_make(4, 0, false);
	clock = fake_set(0, 1);
	by = set_by(2, 2, COVARIATE);
	assert_int_equal(mpxi_set_start(by), 0);
	assert_int_equal(mpxi_set_start(clock), 0);
	fake.now += 7;
	/* Its group goes on, and has the covariate already. */
	later = set_by(0, 1, COVARIATE);
	assert_int_equal(mpxi_set_start(later), 0);
	fake.now += 5;
	assert_int_equal(mpxi_set_read(later), 0);
	assert_by(later, 0, 101, 5, 5);
	assert_true(fake_window(later, 0)->exact);
	fake.now += 5;
	assert_int_equal(mpxi_set_stop(by), 0);
	assert_by(by, 2, 101, 17, 17);
	assert_int_equal(mpxi_set_stop(later), 0);
	assert_by(later, 1, 101, 10, 10);
	assert_int_equal(mpxi_set_stop(clock), 0);
	fake_destroy();
}

/* The same where groups take turns: whichever runs then. */
TEST(new_in_turns)
{
	struct mpxi_set *by, *clock, *later;
	unsigned k;

	for (k = 0; k < 4; k++) {
		fake_make(2, 0, false);
		clock = fake_set(0, 1);
		by = set_by(2, 3, COVARIATE);
		assert_int_equal(mpxi_set_start(by), 0);
		assert_int_equal(mpxi_set_start(clock), 0);
		fake_slices(6 + k, 10);
		fake.now += 7;
		later = set_by(0, 1, COVARIATE);
		assert_int_equal(mpxi_set_start(later), 0);
		fake.now += 3;
		fake_slices(8, 10);
		fake.now += 5;
		assert_int_equal(mpxi_set_stop(later), 0);
		assert_by(later, 0, 101, 88, size_of(later, 0));
		assert_by(later, 1, 101, 88, size_of(later, 1));
		assert_int_equal(mpxi_set_stop(by), 0);
		assert_by(by, 2, 101, 10 * (6 + k) + 95, size_of(by, 2));
		assert_int_equal(mpxi_set_stop(clock), 0);
		fake_destroy();
	}
}

/* One at a time; the next one may be another one. */
TEST(another)
{
	struct mpxi_set *one, *two, *all;

	fake_make(2, 0, false);
	all = fake_set(0, 4);
	one = set_by(0, 2, COVARIATE);
	two = set_by(0, 2, OTHER);
	assert_int_equal(mpxi_set_start(all), 0);
	assert_int_equal(mpxi_set_start(one), 0);
	fake_slices(9, 10);
	assert_int_equal(mpxi_set_start(two), MPXI_ECNFLCT);
	assert_non_null(strstr(mpxi_last_message(), "another covariate"));
	fake_slices(9, 10);
	assert_int_equal(mpxi_set_stop(one), 0);
	assert_by(one, 0, 101, 180, size_of(one, 0));
	assert_int_equal(mpxi_set_start(two), 0);
	assert_int_equal(fake.timed->covariate, OTHER);
	fake_slices(9, 10);
	assert_int_equal(mpxi_set_start(one), MPXI_ECNFLCT);
	fake_slices(9, 10);
	assert_int_equal(mpxi_set_stop(two), 0);
	assert_by(two, 0, 201, 180, size_of(two, 0));
	assert_int_equal(mpxi_set_stop(all), 0);
	assert_int_equal(fake_window(all, 4)->time, 360);
	assert_int_equal(fake_window(all, 4)->sums.count, 5 * size_of(all, 4));
	/* The covariate also counts in a set without turns. */
	mpxi_set_destroy(one);
	one = set_by(FAKE_UNLIMITED, FAKE_UNLIMITED, COVARIATE);
	assert_int_equal(mpxi_set_start(one), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(one), 0);
	assert_by(one, FAKE_UNLIMITED, 101, 10, 10);
	fake_destroy();
}

/* With what is in every group as well. */
TEST(with_always)
{
	struct mpxi_set *set;

	fake_make(2, 0, false);
	set = set_by(0, 2, COVARIATE);
	assert_int_equal(mpxi_set_always(set, 1, true), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(20, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(fake_window(set, 1)->exact);
	assert_by(set, 1, 101, 200, 200);
	assert_by(set, 0, 101, 200, size_of(set, 0));
	fake_destroy();
}

/* Where all sets have one it is that. */
TEST(of_all)
{
	struct mpxi_set *set;

	fake_create(2);
	set = fake_set(0, 1);
	assert_int_equal(mpxi_set_covariate(set, &(uint32_t){COVARIATE}), MPXI_ENOSUPP);
	fake_destroy();
}

/* Whatever fails in a start, the groups have the covariate that they had. */
TEST(failures)
{
	unsigned k;

	for (k = 1; k < 400; k++) {
		struct mpxi_set *clock, *by;
		int error;

		fake_make(2, 0, false);
		clock = fake_running(0, 4);
		fake_slices(6, 10);
		by = set_by(1, 6, COVARIATE);
		fake_fail(FAKE_FITS | FAKE_OPEN | FAKE_MEMORY, k, 1);
		error = mpxi_set_start(by);
		assert_int_equal(error != 0, fake.failed != 0);
		fake_fail(0, 0, 0);
		assert_true(error ? fake.timed->covariate != COVARIATE : fake.timed->covariate == COVARIATE);
		fake_slices(12, 10);
		assert_int_equal(mpxi_set_read(clock), 0);
		assert_int_equal(fake_window(clock, 1)->time, 180);
		assert_int_equal(fake_window(clock, 1)->sums.count, 2 * size_of(clock, 1));
		if (error)
			assert_int_equal(mpxi_set_start(by), 0);
		fake_slices(12, 10);
		assert_int_equal(mpxi_set_stop(by), 0);
		assert_by(by, 5, 101, error ? 120 : 240, size_of(by, 5));
		fake_destroy();
		if (!error)
			return;
	}
	fail_msg("something fails in each of them");
}

/* A start that none of the new groups can follow: the former ones, without a covariate, go on. */
TEST(starts_fail)
{
	struct mpxi_set *clock, *by;

	fake_make(2, 0, false);
	clock = fake_running(0, 2);
	fake_slices(4, 10);
	by = set_by(0, 2, COVARIATE);
	fake_fail(FAKE_START, 1, 4);
	assert_int_equal(mpxi_set_start(by), MPXI_ESYS);
	fake_fail(0, 0, 0);
	assert_int_not_equal(fake.timed->covariate, COVARIATE);
	assert_int_not_equal(fake.covariate, COVARIATE);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(clock), 0);
	assert_int_equal(fake_window(clock, 1)->time, 80);
	assert_int_equal(mpxi_set_start(by), 0);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(by), 0);
	assert_by(by, 0, 101, 40, size_of(by, 0));
	fake_destroy();
}

UNIT_TESTS(mpx_covariate, NULL, NULL)
