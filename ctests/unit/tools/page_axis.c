/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_axis.c - scales: marks are where people expect them, and all that is drawn is between the ends.
 */
#include <math.h>

#include "page/page_axis.h"

#include "../unit_test.h"

static void assert_scale(double least, double most, double low, double high, double step, unsigned decimals)
{
	const struct page_scale scale = page_scale_of(least, most, 5);

	assert_true(fabs(scale.low - low) < 1e-9 * step);
	assert_true(fabs(scale.high - high) < 1e-9 * step);
	assert_true(fabs(scale.step - step) < 1e-9 * step);
	assert_int_equal(scale.decimals, decimals);
	assert_int_equal(page_scale_marks(&scale), lround((high - low) / step) + 1);
}

TEST(scales)
{
	const struct page_scale below = page_scale_of(-3, 7, 5);

	assert_scale(0, 10, 0, 10, 2, 0);
	assert_scale(3, 7, 0, 8, 2, 0);
	assert_scale(0, .31, 0, .4, .1, 1);
	assert_scale(0, 1.2, 0, 1.5, .5, 1);
	assert_scale(0, 2e9, 0, 2e9, 5e8, 0);
	assert_scale(-3, 7, -4, 8, 2, 0);
	assert_scale(-8, -3, -8, 0, 2, 0);
	assert_scale(0, 0, 0, 1, .2, 1);
	assert_scale(NAN, NAN, 0, 1, .2, 1);
	assert_true(page_scale_mark(&below, 2) == 0 && !signbit(page_scale_mark(&below, 2)));
}

/* Whatever the numbers, marks are few and hold them. */
TEST(scales_of_any_numbers)
{
	int k, m;

	for (k = -320; k <= 308; k++)
		for (m = 1; m < 10; m++) {
			const double most = m * pow(10, k);
			const struct page_scale scale = page_scale_of(-most / 3, most, 5);

			assert_in_range(page_scale_marks(&scale), 2, 12);
			assert_true(scale.high >= fmin(most, 1e300) * (1 - 1e-9));
			assert_true(scale.low <= -fmin(most / 3, 1e300) * (1 - 1e-9) || most < 1e-299);
			assert_true(scale.step > 0 && isfinite(scale.step));
		}
	assert_in_range(page_scale_marks(&(struct page_scale){-1e300, 1e300, 5e299, 0}), 5, 5);
}

static void assert_prefix(double size, double power, const char *wanted)
{
	const char *letters;

	assert_true(fabs(page_prefix_of(size, &letters) / power - 1) < 1e-12);
	assert_string_equal(letters, wanted);
}

TEST(prefixes)
{
	assert_prefix(0, 1, "");
	assert_prefix(999.9, 1, "");
	assert_prefix(1000, 1e3, "k");
	assert_prefix(2.5e9, 1e9, "G");
	assert_prefix(-2.5e9, 1e9, "G");
	assert_prefix(.02, 1e-3, "m");
	assert_prefix(2e-6, 1e-6, "\xc2\xb5");
	assert_prefix(1e18, 1e18, "E");
	assert_prefix(1e21, 1, "");
	assert_prefix(1e-12, 1, "");
	assert_prefix(NAN, 1, "");
	assert_prefix(INFINITY, 1, "");
}

static void assert_time(double whole, double step, double time, const char *wanted)
{
	char text[PAGE_TIME_MAX];

	assert_true(fabs(page_time_step(whole, 5) / step - 1) < 1e-9);
	page_format_time(time, step, text);
	assert_string_equal(text, wanted);
}

TEST(times)
{
	char text[PAGE_TIME_MAX];

	assert_time(0, 1, 0, "0:00:00");
	assert_time(1, .2, .4, "0.4 s");
	assert_time(.05, .01, .03, "0.03 s");
	assert_time(60, 15, 45, "0:00:45");
	assert_time(3600, 900, 2700, "0:45");
	assert_time(7 * 3600, 2 * 3600, 4 * 3600, "4:00");
	assert_time(86400, 6 * 3600, 64800, "18:00");
	assert_time(30 * 86400., 10 * 86400., 20 * 86400., "20 d");
	assert_time(60, 15, -45,
		    "\xe2\x88\x92"
		    "0:00:45");
	assert_string_equal(page_time_unit(60), "h:mm");
	assert_string_equal(page_time_unit(1), "h:mm:ss");
	assert_true(page_time_step(NAN, 5) == 1 && page_time_step(-5, 5) == 1 && page_time_step(5, 0) == 5);
	page_format_time(INFINITY, 1, text);
	page_format_time(-1e300, 1e-300, text);
	page_format_time(NAN, NAN, text);
}

UNIT_TESTS(page_axis, NULL, NULL)
