/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_axis.c - axis marks at 1, 2 or 5 times a power of ten; on a time axis, at steps of a clock.
 *
 * Terms: page/page.h.
 */
#include <math.h>
#include <stdio.h>

#include "page/page_axis.h"

#define LARGE 1e300 /* larger values are drawn at this value; a sum of two of them is still finite */

static double drawable_axis_value(double value)
{
	return isnan(value) ? 0 : fmin(fmax(value, -LARGE), LARGE);
}

/* Return the least of 1, 2, 5, 10 ... that is not below size. */
static double nice_axis_step(double size)
{
	const double power = pow(10, floor(log10(size))), part = size / power;

	return power * (part <= 1 + 1e-9 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

struct page_scale page_scale_of(double least, double most, unsigned steps)
{
	struct page_scale scale = {fmin(0, drawable_axis_value(least)), fmax(0, drawable_axis_value(most)), 0,
				   0};
	double range = scale.high - scale.low;

	if (range < 1e-300) {
		range = 1;
		scale.high = 1;
	}
	scale.step = nice_axis_step(range / (steps ? steps : 1));
	scale.low = scale.step * floor(scale.low / scale.step + 1e-9);
	scale.high = scale.step * ceil(scale.high / scale.step - 1e-9);
	if (scale.step < 1)
		scale.decimals = (unsigned)fmin(12, ceil(-log10(scale.step) - 1e-9));
	return scale;
}

unsigned page_scale_marks(const struct page_scale *scale)
{
	return (unsigned)lround((scale->high - scale->low) / scale->step) + 1;
}

double page_scale_mark(const struct page_scale *scale, unsigned k)
{
	const double value = scale->low + k * scale->step;

	return fabs(value) < scale->step / 2 ? 0 : value;
}

double page_prefix_of(double size, const char **letters)
{
	static const char *const prefix[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G", "T", "P", "E"};
	const int none = 3, all = sizeof(prefix) / sizeof(*prefix);
	int k;

	size = fabs(drawable_axis_value(size));
	k = size > 0 ? (int)fmin(fmax(floor(log10(size) / 3 + 1e-12) + none, -1), all) : none;
	if (k < 0 || k >= all)
		k = none;
	*letters = prefix[k];
	return pow(1000, k - none);
}

#define MINUTE 60.
#define HOUR 3600.
#define DAY 86400.

double page_time_step(double seconds, unsigned steps)
{
	static const double clock[] = {1,      2,          5,          10,          15,          30,
				       MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
				       HOUR,   2 * HOUR,   3 * HOUR,   6 * HOUR,    12 * HOUR,   DAY};
	const double wanted = drawable_axis_value(seconds) / (steps ? steps : 1);
	size_t i;

	if (wanted <= 0)
		return 1;
	if (wanted < .5)
		return nice_axis_step(wanted);
	for (i = 0; i < sizeof(clock) / sizeof(*clock); i++)
		if (clock[i] >= wanted)
			return clock[i];
	return DAY * nice_axis_step(wanted / DAY);
}

const char *page_time_unit(double step)
{
	return step < 1 ? "s" : step < MINUTE ? "h:mm:ss" : step < DAY ? "h:mm" : "days";
}

void page_format_time(double seconds, double step, char text[PAGE_TIME_MAX])
{
	const char *sign = seconds < 0 ? "\xe2\x88\x92" : "";
	const double size = fabs(drawable_axis_value(seconds)), hours = floor(size / HOUR);
	const int minute = (int)(fmod(size, HOUR) / MINUTE), second = (int)fmod(size, MINUTE);

	if (size > 1e9 * DAY)
		snprintf(text, PAGE_TIME_MAX, "%s%.3g d", sign, size / DAY);
	else if (step < 1)
		snprintf(text, PAGE_TIME_MAX, "%s%.*f s", sign,
			 (int)fmin(9, ceil(-log10(fmax(step, 1e-9)) - 1e-9)), size);
	else if (step < MINUTE)
		snprintf(text, PAGE_TIME_MAX, "%s%.0f:%02d:%02d", sign, hours, minute, second);
	else if (step < DAY)
		snprintf(text, PAGE_TIME_MAX, "%s%.0f:%02d", sign, hours, minute);
	else
		snprintf(text, PAGE_TIME_MAX, "%s%.0f d", sign, size / DAY);
}
