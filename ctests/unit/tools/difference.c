/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Differences of measurements: chances of Student's distribution, exact and open ones, and how often
 * anything of a list is called different where nothing is.
 */
#include "../unit_test.h"
#include "lib/difference.h"
#include "stat/level.h"

TEST(test_chance)
{
	static const double freedom[] = {1, 2, 5, 30, 999, 5000};
	size_t i;

	for (i = 0; i < sizeof(freedom) / sizeof(freedom[0]); i++) {
		double t = mpxi_level_student(.95, freedom[i]);

		assert_true(fabs(mpxi_level_chance(t, freedom[i]) - .05) < 1e-4);
	}
	assert_true(mpxi_level_chance(0, 5) == 1);
}

static struct util_difference between(struct util_measured before, struct util_measured after)
{
	struct util_difference d = {.before = before, .after = after};

	util_difference_find(&d);
	return d;
}

TEST(test_kinds)
{
	const struct util_measured exact = {.value = 100, .exact = true},
				   other = {.value = 101, .exact = true};
	const struct util_measured open = {.value = 1000, .open = true};
	const struct util_measured rough = {.value = 100, .error = 10, .freedom = 8};
	const struct util_measured far = {.value = 300, .error = 10, .freedom = 8};
	struct util_difference list[] = {between(exact, exact), between(exact, other), between(other, exact),
					 between(exact, open),  between(rough, exact), between(rough, far),
					 between(far, rough)};
	static const enum util_verdict wanted[] = {UTIL_SAME,     UTIL_MORE, UTIL_LESS, UTIL_OPEN,
						   UTIL_NOT_TOLD, UTIL_MORE, UTIL_LESS};
	size_t i;

	assert_true(util_difference_judge(list, sizeof(list) / sizeof(list[0])));
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		assert_int_equal(list[i].verdict, wanted[i]);
	/* Welch: 200 with an error of sqrt(200), 16 degrees of freedom. */
	assert_true(fabs(list[5].low - (200 - sqrt(200) * mpxi_level_student(.95, 16))) < 1e-9);
	assert_true(fabs(list[5].high - (200 + sqrt(200) * mpxi_level_student(.95, 16))) < 1e-9);
	assert_true(util_difference_judge(list, 0));
}

/* The error of pairs' differences counts, and not that of either side. */
TEST(test_pairs)
{
	const struct util_measured rough = {.value = 100, .error = 10, .freedom = 9};
	const struct util_measured next = {.value = 102, .error = 10, .freedom = 9};
	double few[] = {3, 1, 2, 2};
	double ten[] = {2.5, 1.5, 2, 90, 2.5, 1.5, -90, 2, 2.5, 1.5};
	struct util_difference d = {.before = rough, .after = next};

	util_difference_find_pairs(&d, few, 4);
	assert_true(d.change == 2 && d.freedom == 3 && fabs(d.error - sqrt(2. / 3) / 2) < 1e-12);
	assert_true(fabs(d.high - (2 + d.error * mpxi_level_student(.95, 3))) < 1e-9);
	/* An error that is known beforehand. */
	d.error = 3;
	util_difference_find_pairs(&d, few, 4);
	assert_true(d.error == 3 && d.chance > .5);
	/* Two at each end are left out: the mean is that of two each of 1.5, 2 and 2.5, and the squares are
	 * those of four each of 1.5 and 2.5, and two of 2. */
	d.error = 0;
	util_difference_find_pairs(&d, ten, 10);
	assert_true(fabs(d.change - 2) < 1e-12 && d.freedom == 5 && fabs(d.error - sqrt(2. / 30)) < 1e-12);
	assert_true(d.chance < .01);
	assert_true(util_difference_judge(&d, 1));
	assert_int_equal(d.verdict, UTIL_MORE);
	assert_true(between(rough, next).chance > .5);
}

/* A measurement of a truth: its error has deviation 1; .error is that deviation, estimated from
 * as many squares as freedom. */
static struct util_measured measured(double truth, unsigned freedom, uint64_t *random)
{
	struct util_measured m = {.value = truth + random_normal(random), .freedom = freedom};
	unsigned i;

	for (i = 0; i < freedom; i++) {
		double z = random_normal(random);

		m.error += z * z / freedom;
	}
	m.error = sqrt(m.error);
	return m;
}

enum { LISTS = 2000, FEW_LISTS = 200, N = 20 };

/* Nothing differs, but for one that does by 12 errors: it is found, and in 95 % of the lists alone. */
TEST(test_lists)
{
	unsigned lists = getenv("UPC_TEST_INEXACT") ? FEW_LISTS : LISTS, wrong = 0, found = 0, i, k;
	struct util_difference list[N];
	uint64_t random = 1;

	for (i = 0; i < lists; i++) {
		unsigned called = 0;

		for (k = 0; k < N; k++) {
			struct util_measured before = measured(1000, 10 + k, &random);

			list[k] = between(before, measured(k ? 1000 : 1012, 30 - k, &random));
		}
		assert_true(util_difference_judge(list, N));
		for (k = 1; k < N; k++)
			called += list[k].verdict >= UTIL_LESS;
		wrong += called > 0;
		found += list[0].verdict == UTIL_MORE;
	}
	print_message("# wrong in %u, found in %u of %u lists\n", wrong, found, lists);
	/* 5 %, and four standard deviations of that. */
	assert_true(wrong < lists * (.05 + 4 * sqrt(.05 * .95 / lists)));
	assert_true(found > lists * .98);
}

UNIT_TESTS(difference, NULL, NULL)
