/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Means, deviations and medians of upc_jobstat.
 */
#include <math.h>

#include "../unit_test.h"
#include "jobstat/spread.h"

static void assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * (fabs(b) + 1)))
		fail_msg("%.17g is not %.17g", a, b);
}

TEST(test_none)
{
	struct spread none = {0};

	spread_add(&none, NAN, 1);
	spread_add(&none, 7, 0);
	assert_int_equal(none.n, 0);
	assert_true(isnan(spread_mean(&none)) && isnan(spread_sd(&none)) && isnan(spread_min(&none)) &&
		    isnan(spread_max(&none)));
	spread_add(&none, 7, 2);
	assert_near(spread_mean(&none), 7);
	assert_true(isnan(spread_sd(&none)));
}

TEST(test_known)
{
	const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct spread spread = {0};

	for (unsigned i = 0; i < 8; i++)
		spread_add(&spread, x[i], 1);
	assert_near(spread_mean(&spread), 5);
	assert_near(spread_sd(&spread), sqrt(32.0 / 7));
	assert_near(spread_min(&spread), 2);
	assert_near(spread_max(&spread), 9);
}

/* A weight of three is a number three times, but for the mean alone: the deviation is of n numbers. */
TEST(test_weights)
{
	struct spread spread = {0};

	spread_add(&spread, 1, 3);
	spread_add(&spread, 5, 1);
	assert_near(spread_mean(&spread), 2);
	assert_near(spread_sd(&spread), sqrt(3.0 * 2));
}

/* Great numbers that differ by little keep their digits. */
TEST(test_digits)
{
	struct spread spread = {0};

	for (int i = 0; i < 1000; i++)
		spread_add(&spread, 1e15 + i % 2, 1);
	assert_near(spread_sd(&spread), sqrt(250.0 / 999));
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Against sorting, with equal numbers, of all lengths. */
TEST(test_order)
{
	uint64_t seed = 5;
	double x[70], sorted[70], copy[70];

	for (unsigned n = 1; n <= 70; n++)
		for (unsigned kind = 0; kind < 4; kind++) {
			for (unsigned i = 0; i < n; i++)
				x[i] = kind == 0   ? (double)(random_next(&seed) % 1000)
				       : kind == 1 ? (double)(random_next(&seed) % 3)
				       : kind == 2 ? i
						   : -(double)i;
			memcpy(sorted, x, sizeof(x));
			qsort(sorted, n, sizeof(*sorted), by_value);
			for (unsigned at = 0; at < n; at++) {
				memcpy(copy, x, sizeof(x));
				assert_near(spread_select(copy, n, at), sorted[at]);
			}
			memcpy(copy, x, sizeof(x));
			assert_near(spread_median(copy, n), (sorted[n / 2] + sorted[(n - 1) / 2]) / 2);
		}
}

UNIT_TESTS(jobstat_spread, NULL, NULL)
