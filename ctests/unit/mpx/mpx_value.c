/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the value of a plain read with the estimate that has an error, over random histories. Cases that
 * are not plain are left to the estimate.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/stat.h"

/* The spacing of all slices of all events. */
static struct mpxi_spacing spacing;

/* One event's history so far, and a set that was started in it. */
struct history {
	uint64_t random, now;
	unsigned bits; /* of a slice's count */
	struct mpxi_stat stat;
	struct mpxi_slice running;
	bool runs;
	struct mpxi_mark start;
};

/* A gap, which may be none, and a slice, which may be cut short at any place. */
static void go_on(struct history *h)
{
	uint64_t begin = h->now + random_next(&h->random) % 3 * (random_next(&h->random) % 1000000);
	uint64_t length = random_next(&h->random) % 1000000;

	if (h->runs) {
		mpxi_stat_slice_sig(&h->stat, &h->running, &spacing);
		h->runs = false;
	}
	h->now = begin;
	if (random_next(&h->random) % 4 == 0)
		return;
	h->running = (struct mpxi_slice){
		.begin = begin,
		.end = begin + length,
		.count = length ? random_next(&h->random) % ((uint64_t)1 << h->bits) : 0,
	};
	h->now = h->running.end;
	h->runs = true;
}

static const struct mpxi_slice *running(const struct history *h)
{
	return h->runs ? &h->running : NULL;
}

static struct mpxi_estimate estimate(const struct history *h, enum mpxi_estimator estimator)
{
	struct mpxi_window window = {0};
	struct mpxi_mark end;
	struct mpxi_estimate e;

	mpxi_stat_read(&h->stat, running(h), h->now, &end);
	mpxi_window_add(&window, &h->start, &end);
	window.exact = window.sums.size == window.time;
	mpxi_estimate(&window, estimator, &e);
	return e;
}

static bool value_of(const struct history *h, enum mpxi_estimator estimator, int64_t *value)
{
	struct mpxi_line line;

	if (!mpxi_stat_line(&h->stat, running(h), h->now, &h->start, estimator, &line))
		return false;
	*value = mpxi_line_value(&line, 0);
	return true;
}

static unsigned compare(const struct history *h, enum mpxi_estimator estimator)
{
	struct mpxi_estimate e = estimate(h, estimator);
	int64_t value;

	if (!value_of(h, estimator, &value))
		return 0;
	assert_false(e.never);
	/* The sums round each gap down, and both are rounded to whole counts. */
	if (fabs((double)value - e.value) > 1 + 1e-9 * e.value)
		fail_msg("%lld, not %.3f", (long long)value, e.value);
	return 1;
}

TEST(test_as_the_estimate)
{
	unsigned plain[2] = {0}, reads = 0, seed, i;

	for (seed = 1; seed <= 2000; seed++) {
		struct history h = {.random = seed * 0x9e3779b97f4a7c15u};
		unsigned before, after;

		h.bits = (unsigned)(random_next(&h.random) % 40);
		before = (unsigned)(random_next(&h.random) % 6);
		after = 1 + (unsigned)(random_next(&h.random) % 30);
		mpxi_stat_open(&h.stat, 0);
		for (i = 0; i < before; i++)
			go_on(&h);
		mpxi_stat_start(&h.stat, running(&h), h.now, &h.start);
		for (i = 0; i < after; i++) {
			go_on(&h);
			reads++;
			plain[0] += compare(&h, MPXI_RATIO);
			plain[1] += compare(&h, MPXI_INTERPOLATED);
		}
	}
	/* It is not that nothing was compared. */
	assert_true(plain[0] > reads / 10 * 9);
	assert_true(plain[1] > reads / 10 * 8);
}

/* Between slices of the event a line holds as long as it is. */
TEST(test_lines)
{
	static const enum mpxi_estimator both[] = {MPXI_RATIO, MPXI_INTERPOLATED};
	unsigned lines = 0, seed, i;

	for (seed = 1; seed <= 2000; seed++) {
		struct history h = {.random = seed * 0x9e3779b97f4a7c15u, .bits = 12};
		unsigned n = 3 + (unsigned)(random_next(&h.random) % 10);
		uint64_t gone_by = random_next(&h.random) % 10000000;
		struct mpxi_line line;
		int64_t value;

		mpxi_stat_open(&h.stat, 0);
		mpxi_stat_start(&h.stat, NULL, 0, &h.start);
		for (i = 0; i < n; i++)
			go_on(&h);
		if (h.runs)
			mpxi_stat_slice_sig(&h.stat, &h.running, &spacing);
		h.runs = false;
		for (i = 0; i < 2; i++) {
			if (!mpxi_stat_line(&h.stat, NULL, h.now, &h.start, both[i], &line))
				continue;
			lines++;
			value = mpxi_line_value(&line, gone_by);
			h.now += gone_by;
			if (fabs((double)value - estimate(&h, both[i]).value) > 1 + 1e-9 * (double)value)
				fail_msg("%lld, not %.3f", (long long)value, estimate(&h, both[i]).value);
			h.now -= gone_by;
		}
	}
	assert_true(lines > 3000);
}

TEST(test_exact)
{
	struct history h = {.now = 1000};
	int64_t value;

	mpxi_stat_open(&h.stat, 1000);
	mpxi_stat_start(&h.stat, NULL, 1000, &h.start);
	/* More than a double holds. */
	h.running = (struct mpxi_slice){1000, 5000, 0, ((uint64_t)1 << 53) + 1, 0};
	h.runs = true;
	h.now = 5000;
	assert_true(value_of(&h, MPXI_INTERPOLATED, &value));
	assert_true(value == ((int64_t)1 << 53) + 1);
	assert_true(value_of(&h, MPXI_COVARIATE, &value));
	assert_true(value == ((int64_t)1 << 53) + 1);
}

TEST(test_left_to_the_estimate)
{
	struct history h = {0};
	struct mpxi_slice s = {100, 200, 0, 5, 0};
	int64_t value = -7;

	mpxi_stat_open(&h.stat, 0);
	mpxi_stat_start(&h.stat, NULL, 0, &h.start);
	/* Never counted. */
	h.now = 100;
	assert_false(value_of(&h, MPXI_RATIO, &value));
	assert_false(value_of(&h, MPXI_INTERPOLATED, &value));
	/* Not at the begin, and no slice has ended. */
	h.running = s;
	h.runs = true;
	h.now = 200;
	assert_false(value_of(&h, MPXI_INTERPOLATED, &value));
	assert_true(value_of(&h, MPXI_RATIO, &value));
	assert_int_equal(value, 10);
	/* The covariate's slope is in the window. */
	mpxi_stat_slice_sig(&h.stat, &s, &spacing);
	h.runs = false;
	h.now = 300;
	value = -7;
	assert_false(value_of(&h, MPXI_COVARIATE, &value));
	assert_int_equal(value, -7);
	assert_true(value_of(&h, MPXI_INTERPOLATED, &value));
	assert_int_equal(value, 15);
}

TEST(test_hostile_counts)
{
	struct history h = {0};
	struct mpxi_slice s = {10, 20, 0, UINT64_MAX, 0};
	int64_t value;

	mpxi_stat_open(&h.stat, 0);
	mpxi_stat_start(&h.stat, NULL, 0, &h.start);
	mpxi_stat_slice_sig(&h.stat, &s, &spacing);
	h.now = 30;
	assert_false(value_of(&h, MPXI_RATIO, &value));
	assert_false(value_of(&h, MPXI_INTERPOLATED, &value));
	/* A line that would leave the range in time stays at its end. */
	assert_true(mpxi_line_value(&(struct mpxi_line){5, 1e18, 1e9}, UINT64_MAX >> 1) > 0);
	assert_true(mpxi_line_value(&(struct mpxi_line){5, -1e18, 0}, 0) == 5);
	/* Counts that fit, and an estimate that does not. */
	h.stat = (struct mpxi_stat){0};
	mpxi_stat_open(&h.stat, 0);
	s.count = (uint64_t)1 << 61;
	mpxi_stat_slice_sig(&h.stat, &s, &spacing);
	h.now = (uint64_t)1 << 40;
	assert_false(value_of(&h, MPXI_RATIO, &value));
	assert_false(value_of(&h, MPXI_INTERPOLATED, &value));
}

UNIT_TESTS(mpx_value, NULL, NULL)
