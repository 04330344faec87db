/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of estimates: values, errors, flags, bounds; and how often intervals hold the truth, of
 * parts whose truth is known.
 */
#include "../unit_test.h"
#include "region/sum.h"
#include "stat/level.h"

static struct upcr_value estimated(double value, double error, double freedom, unsigned flags)
{
	double half = error * mpxi_level_default_student(freedom);

	return upcr_estimated(value, error, value - half, value + half, .5, flags);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b));
}

TEST(test_freedom)
{
	static const double wanted[] = {1, 1.5, 2, 3, 7.25, 30, 1000, 90000};
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		double got = upcr_freedom(3 * mpxi_level_default_student(wanted[i]), 3);

		assert_true(fabs(got - wanted[i]) < 1e-3 * wanted[i]);
	}
	assert_true(isinf(upcr_freedom(1.959, 1)));
	assert_true(isinf(upcr_freedom(0, 0)));
	assert_true(upcr_freedom(100, 1) == 1);
}

TEST(test_exact)
{
	struct upcr_value sum = {0}, part = upcr_exact(((uint64_t)1 << 53) + 1);

	assert_true(upcr_is_exact(&sum));
	upcr_add_same(&sum, &part);
	part = upcr_exact(2);
	upcr_add_independent(&sum, &part);
	assert_true(upcr_is_exact(&sum));
	assert_true(sum.whole == ((uint64_t)1 << 53) + 3);
	assert_true(sum.error == 0 && sum.low == sum.value && sum.high == sum.value && sum.coverage == 1);
	part = upcr_exact(UINT64_MAX);
	upcr_add_same(&sum, &part);
	assert_true(sum.whole == UINT64_MAX);
}

TEST(test_errors)
{
	struct upcr_value a = estimated(100, 3, 10, 0), b = estimated(200, 4, 20, 0), same = {0}, apart = {0};

	upcr_add_same(&same, &a);
	/* One estimate is what it was. */
	assert_true(near(same.low, a.low) && near(same.high, a.high) && near(same.freedom, 10));
	upcr_add_same(&same, &b);
	assert_true(near(same.value, 300) && near(same.error, 7));
	upcr_add_independent(&apart, &b);
	upcr_add_independent(&apart, &a);
	assert_true(near(apart.value, 300) && near(apart.error, 5));
	assert_true(near(apart.freedom, 625 / (81 / 10. + 256 / 20.)));
	assert_true(near(apart.high - 300, 5 * mpxi_level_default_student(apart.freedom)));
	/* As if of one error: between the two. */
	assert_true(same.freedom > 10 && same.freedom < 20);
}

/* The order of parts does not matter. */
TEST(test_order)
{
	struct upcr_value part[5] = {upcr_exact(7), estimated(10, 1, 3, UPCR_ROUGH), upcr_exact(0),
				     estimated(20, 2, 9, UPCR_LOST), estimated(5, .5, 50, 0)};
	struct upcr_value forth = {0}, back = {0};
	int i;

	part[3].coverage = .25;
	for (i = 0; i < 5; i++) {
		upcr_add_same(&forth, &part[i]);
		upcr_add_same(&back, &part[4 - i]);
	}
	assert_true(near(forth.value, 42) && near(back.value, 42));
	assert_true(near(forth.error, back.error) && near(forth.freedom, back.freedom));
	assert_true(near(forth.low, back.low) && near(forth.high, back.high));
	assert_int_equal(forth.flags, UPCR_ROUGH | UPCR_LOST);
	assert_int_equal(back.flags, UPCR_ROUGH | UPCR_LOST);
	assert_true(near(forth.coverage, .25) && near(back.coverage, .25));
	assert_true(forth.low >= 7);
}

/* Nothing is below what was counted exactly. */
TEST(test_floor)
{
	struct upcr_value part[3] = {upcr_exact(7), estimated(10, 8, 3, 0), estimated(20, 15, 3, 0)},
			  sum = {0};
	int i;

	for (i = 0; i < 3; i++)
		upcr_add_independent(&sum, &part[i]);
	assert_true(near(sum.value, 37) && near(sum.low, 7));
}

TEST(test_bounds)
{
	struct upcr_value sum = {0}, part = upcr_exact(10);

	upcr_add_same(&sum, &part);
	part = upcr_uncounted();
	upcr_add_same(&sum, &part);
	assert_false(upcr_is_exact(&sum));
	assert_true(upcr_is_lower_bound(&sum) && isinf(sum.high) && near(sum.value, 10) && near(sum.low, 10));
	part = estimated(5, 1, 10, 0);
	upcr_add_independent(&sum, &part);
	assert_true(upcr_is_lower_bound(&sum) && isinf(sum.high) && near(sum.value, 15));
	assert_true(sum.low >= 10 && sum.low < 15);
	sum = (struct upcr_value){0};
	part = upcr_estimated(5, 0, 5, 5, 1, UPCR_PARTIAL);
	upcr_add_same(&sum, &part);
	part = estimated(5, 1, 10, 0);
	upcr_add_same(&sum, &part);
	assert_true(upcr_is_lower_bound(&sum) && isinf(sum.high));
}

/* ---- how often the truth is inside ---------------------------------------------------------- */

/* An estimate of a truth of 1000 with that error, of which the standard error is found from so
 * many differences. */
static struct upcr_value measured(double noise, double deviation, unsigned freedom, uint64_t *random)
{
	double squares = 0, z;
	unsigned i;

	for (i = 0; i < freedom; i++) {
		z = random_normal(random);
		squares += z * z;
	}
	return estimated(1000 + noise * deviation, deviation * sqrt(squares / freedom), freedom, 0);
}

enum { TRIALS = 4000, FEW_TRIALS = 400, PARTS = 6 }; /* few: under valgrind */

/* share: of each error that all parts have in common: 0 to 1; against: every second's has the other
 * sign. Returns how often the interval holds the truth. */
static double holds(void (*add)(struct upcr_value *, const struct upcr_value *), double share, bool against)
{
	unsigned trial, i, inside = 0, trials = getenv("UPC_TEST_INEXACT") ? FEW_TRIALS : TRIALS;
	uint64_t random = 1;

	for (trial = 0; trial < trials; trial++) {
		double common = random_normal(&random);
		struct upcr_value sum = {0}, part;

		for (i = 0; i < PARTS; i++) {
			double noise = share * common + sqrt(1 - share * share) * random_normal(&random);

			part = measured(against && i % 2 ? -noise : noise, 1 + 5 * i, 4 + 3 * i, &random);
			add(&sum, &part);
		}
		inside += sum.low <= 1000 * PARTS && sum.high >= 1000 * PARTS;
	}
	return (double)inside / trials;
}

/* Of 4,000 trials at 95 % the standard deviation is 0.35 %, of 400 1.1 %. */
TEST(test_truth)
{
	double independent = holds(upcr_add_independent, 0, false);
	double one = holds(upcr_add_same, 1, false);
	double slack = getenv("UPC_TEST_INEXACT") ? .03 : 0;

	print_message("# independent %.3f, one error %.3f\n", independent, one);
	assert_true(independent > .935 - slack && independent < .965 + slack);
	/* One error, of which each part has an estimate of its own. */
	assert_true(one > .935 - slack);
	/* Too wide, never too narrow. */
	assert_true(holds(upcr_add_same, 0, false) > .98 - slack);
	assert_true(holds(upcr_add_same, .7, false) > .95 - slack);
	assert_true(holds(upcr_add_same, 1, true) > .99 - slack);
}

UNIT_TESTS(region_sum, NULL, NULL)
