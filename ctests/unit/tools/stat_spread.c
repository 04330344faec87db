/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Means, spreads and ratios of repeated measurements, beside numbers worked out by hand.
 */
#include "../../../utils/stat/stat_spread.h"

#include <math.h>

#include "../unit_test.h"

static void assert_near(double got, double want)
{
	if (fabs(got - want) > 1e-6 * fabs(want))
		fail_msg("%.12g in place of %.12g", got, want);
}

TEST(test_spread)
{
	static const double four[] = {1, 2, 3, 4}, far[] = {1e15, 1e15 + 1, 1e15 + 2}, one[] = {7};
	struct stat_spread s = stat_spread_of(four, 4);

	assert_int_equal(s.n, 4);
	assert_near(s.mean, 2.5);
	assert_near(s.deviation, sqrt(5. / 3));
	assert_near(s.error, sqrt(5. / 3) / 2);
	assert_near(stat_spread_percent(&s), 100 * sqrt(5. / 3) / 2 / 2.5);
	/* t of 3 degrees of freedom. */
	assert_near(stat_spread_half(&s), 3.1824 * sqrt(5. / 3) / 2);
	s = stat_spread_of(far, 3);
	assert_near(s.mean, 1e15 + 1);
	assert_near(s.deviation, 1);
	s = stat_spread_of(one, 1);
	assert_near(s.mean, 7);
	assert_true(s.deviation == 0 && s.error == 0 && isinf(stat_spread_half(&s)));
	s = stat_spread_of(NULL, 0);
	assert_true(s.mean == 0 && s.error == 0 && stat_spread_percent(&s) == 0);
}

/* Beyond 2^63, too. */
TEST(test_whole)
{
	assert_int_equal(stat_spread_whole(0), 0);
	assert_int_equal(stat_spread_whole(0.4), 0);
	assert_int_equal(stat_spread_whole(2.5), 3);
	assert_true(stat_spread_whole(0x1p63) == UINT64_C(1) << 63);
	assert_true(stat_spread_whole(0x1p64 - 2048) == UINT64_MAX - 2047);
	assert_true(stat_spread_whole((double)UINT64_MAX) == UINT64_MAX);
}

static struct stat_change change(const double *a, unsigned n, const double *b, unsigned m)
{
	struct stat_spread x = stat_spread_of(a, n), y = stat_spread_of(b, m);

	return stat_spread_change(&x, &y);
}

/* A value that is the same in each run is the mean, to the last digit, and does not spread: a mean that
 * is rounded otherwise with 10 runs than with 8 would give a verdict. */
TEST(test_equal)
{
	static const double value[] = {1, 3, 7, 1e15 + 1, 0x1p53 - 1, 0x1p64};
	static const double whole[] = {5, 1, 2, 3, 4, 6, 7, 8, 9, 15};
	double runs[100];

	for (unsigned v = 0; v < sizeof(value) / sizeof(value[0]); v++) {
		for (unsigned n = 1; n <= 100; n++) {
			struct stat_spread s;

			runs[n - 1] = value[v];
			s = stat_spread_of(runs, n);
			assert_true(s.mean == value[v] && s.deviation == 0 && s.error == 0);
		}
		for (unsigned n = STAT_CHANGE_RUNS; n <= 100; n++) {
			struct stat_change c = change(runs, n, runs, 8);

			assert_int_equal(c.verdict, STAT_SAME);
			assert_true(c.ratio == 1 && c.low == 1 && c.high == 1);
		}
	}
	assert_true(stat_spread_of(whole, 10).mean == 6);
}

/* Both have relative errors of sqrt(5/3)/2/m for means m, and 6 degrees of freedom where
 * these are alike: t is 2.4469. */
TEST(test_interval)
{
	static const double a[] = {101, 102, 103, 104}, b[] = {202, 204, 206, 208};
	struct stat_change c = change(a, 4, b, 4);
	double half = 2.4469 * sqrt(2) * sqrt(5. / 3) / 2 / 102.5;

	assert_true(c.has_ratio && c.has_interval);
	assert_near(c.ratio, 2);
	assert_near(c.low, 2 * exp(-half));
	assert_near(c.high, 2 * exp(half));
	assert_int_equal(c.verdict, STAT_MORE);
	c = change(b, 4, a, 4);
	assert_near(c.low, exp(-half) / 2);
	assert_int_equal(c.verdict, STAT_LESS);
	c = change(a, 4, a, 4);
	assert_int_equal(c.verdict, STAT_SAME);
	assert_true(c.low < 1 && c.high > 1);
}

TEST(test_no_verdict_without_spread)
{
	static const double a[] = {100, 100, 100, 100}, b[] = {200, 200, 200, 200}, none[] = {0, 0, 0, 0};
	struct stat_change c = change(a, 1, b, 1);

	assert_true(c.has_ratio && !c.has_interval);
	assert_near(c.ratio, 2);
	assert_int_equal(c.verdict, STAT_UNKNOWN);
	c = change(a, 4, b, 1);
	assert_false(c.has_interval);
	/* An interval, but too few runs for a verdict, however far apart they are. */
	c = change(a, 3, b, 4);
	assert_true(c.has_interval);
	assert_int_equal(c.verdict, STAT_UNKNOWN);
	/* Counts that never differ say it all. */
	c = change(a, 4, b, 4);
	assert_near(c.low, 2);
	assert_near(c.high, 2);
	assert_int_equal(c.verdict, STAT_MORE);
	/* There is no ratio to a mean of 0. */
	c = change(none, 4, b, 4);
	assert_false(c.has_ratio || c.has_interval);
	assert_int_equal(c.verdict, STAT_UNKNOWN);
	c = change(b, 4, none, 4);
	assert_true(c.has_ratio && c.ratio == 0 && !c.has_interval);
}

static uint32_t seed = 1;

static double uniform(void)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) / 16777216.;
}

static double normal(double mean, double deviation)
{
	return mean + deviation * sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

/* An interval of 95 % holds the truth in 95 of 100 cases, also with few runs whose spreads differ. */
TEST(test_held)
{
	unsigned held = 0, called = 0;
	const unsigned cases = 20000;

	for (unsigned i = 0; i < cases; i++) {
		double a[8], b[5];
		struct stat_change c;

		for (unsigned k = 0; k < 8; k++)
			a[k] = normal(1000, 10);
		for (unsigned k = 0; k < 5; k++)
			b[k] = normal(1000, 30);
		c = change(a, 8, b, 5);
		held += c.low <= 1 && c.high >= 1;
		called += c.verdict == STAT_LESS || c.verdict == STAT_MORE;
	}
	assert_in_range(held, cases * 94 / 100, cases * 97 / 100);
	assert_int_equal(called, cases - held);
}

UNIT_TESTS(stat_spread, NULL, NULL)
