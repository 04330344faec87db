/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sum.c - values, errors and flags of sums.
 */
#include "region/sum.h"

#include <math.h>

#include "stat/level.h"

#define HALVINGS 60
#define MOST 1e6 /* degrees of freedom; more are equal to INFINITY */

const char *upcr_flag_word(unsigned i)
{
	static const char *const word[UPCR_FLAGS] = {"rough",    "lost",   "partial",
						     "borrowed", "uneven", "slowed"};

	return i < UPCR_FLAGS ? word[i] : "";
}

struct upcr_value upcr_exact(uint64_t count)
{
	double value = (double)count;

	return (struct upcr_value){.value = value,
				   .whole = count,
				   .freedom = INFINITY,
				   .low = value,
				   .high = value,
				   .coverage = 1};
}

struct upcr_value upcr_uncounted(void)
{
	return (struct upcr_value){.freedom = INFINITY, .high = INFINITY, .uncounted = true};
}

struct upcr_value upcr_estimated(double value, double error, double low, double high, double coverage,
				 unsigned flags)
{
	return (struct upcr_value){.value = value,
				   .error = error,
				   .freedom = upcr_freedom(fmax(high - value, value - low), error),
				   .low = low,
				   .high = flags & UPCR_PARTIAL ? INFINITY : high,
				   .coverage = coverage,
				   .flags = flags,
				   .estimated = 1};
}

double upcr_freedom(double half, double error)
{
	double ratio = half / error, low = 1, high = MOST, middle = 1;
	int i;

	if (!(error > 0) || !(ratio > mpxi_level_default_student(MOST)))
		return INFINITY;
	if (ratio >= mpxi_level_default_student(1))
		return 1;
	for (i = 0; i < HALVINGS && high - low > 1e-9 * low; i++) {
		middle = sqrt(low * high);
		if (mpxi_level_default_student(middle) > ratio)
			low = middle;
		else
			high = middle;
	}
	return middle;
}

/* Add the fields that both kinds of sums treat alike. */
static void add_value_part(struct upcr_value *sum, const struct upcr_value *part)
{
	sum->value += part->value;
	if (__builtin_add_overflow(sum->whole, part->whole, &sum->whole))
		sum->whole = UINT64_MAX;
	if (part->estimated)
		sum->coverage = sum->estimated ? fmin(sum->coverage, part->coverage) : part->coverage;
	else if (!sum->estimated)
		sum->coverage = 1;
	sum->flags |= part->flags;
	sum->estimated += part->estimated;
	sum->uncounted |= part->uncounted;
}

/* Set the interval of the sum. Its lower end is not below the exact parts. */
static void enclose_sum_bounds(struct upcr_value *sum)
{
	double half = 0;

	if (sum->error > 0)
		half = sum->error * mpxi_level_default_student(fmin(sum->freedom, MOST));
	sum->low = fmin(sum->value, fmax((double)sum->whole, sum->value - half));
	sum->high = upcr_is_lower_bound(sum) ? INFINITY : sum->value + half;
}

/* Add the part, unless both sum and part have estimates. The first estimate keeps its interval, moved by the
 * exact parts. False if nothing was added. */
static bool take_first(struct upcr_value *sum, const struct upcr_value *part)
{
	const struct upcr_value before = *sum;

	if (before.estimated && part->estimated)
		return false;
	add_value_part(sum, part);
	if (part->estimated) {
		sum->error = part->error;
		sum->freedom = part->freedom;
	} else if (!before.estimated) {
		sum->freedom = INFINITY;
	}
	sum->low = before.low + part->low;
	sum->high = before.high + part->high;
	return true;
}

void upcr_add_same(struct upcr_value *sum, const struct upcr_value *part)
{
	double below;

	if (take_first(sum, part))
		return;
	below = sum->error / sqrt(sum->freedom) + part->error / sqrt(part->freedom);
	sum->error += part->error;
	sum->freedom = below > 0 ? sum->error * sum->error / (below * below) : INFINITY;
	add_value_part(sum, part);
	enclose_sum_bounds(sum);
}

void upcr_add_independent(struct upcr_value *sum, const struct upcr_value *part)
{
	double a = sum->error * sum->error, b = part->error * part->error, below;

	if (take_first(sum, part))
		return;
	below = a * a / sum->freedom + b * b / part->freedom;
	sum->error = sqrt(a + b);
	sum->freedom = below > 0 ? (a + b) * (a + b) / below : INFINITY;
	add_value_part(sum, part);
	enclose_sum_bounds(sum);
}
