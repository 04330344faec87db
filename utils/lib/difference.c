/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * difference.c - two measurements of the same numbers.
 */
#include "lib/difference.h"

#include <math.h>
#include <stdlib.h>

#include "stat/level.h"

#define LEVEL .95

double util_measured_half(const struct util_measured *measured)
{
	return measured->exact ? 0
			       : measured->error * mpxi_level_student(LEVEL, fmin(measured->freedom, 1e6));
}

void util_difference_find(struct util_difference *d)
{
	double a = d->before.exact ? 0 : d->before.error * d->before.error;
	double b = d->after.exact ? 0 : d->after.error * d->after.error, half = 0, freedom = INFINITY, below;

	d->change = d->after.value - d->before.value;
	d->low = d->high = d->change;
	d->chance = 1;
	if (d->before.open || d->after.open)
		return;
	if (!(a + b > 0)) {
		d->chance = d->change == 0 ? 1 : 0;
		return;
	}
	below = a * a / d->before.freedom + b * b / d->after.freedom;
	if (below > 0)
		freedom = (a + b) * (a + b) / below;
	half = sqrt(a + b) * mpxi_level_student(LEVEL, fmin(freedom, 1e6));
	d->low -= half;
	d->high += half;
	d->chance = mpxi_level_chance(fabs(d->change) / sqrt(a + b), fmin(freedom, 1e6));
}

static int by_chance(const void *a, const void *b)
{
	double p = (*(struct util_difference *const *)a)->chance,
	       q = (*(struct util_difference *const *)b)->chance;

	return p < q ? -1 : p > q;
}

static void judge(struct util_difference *d, bool told)
{
	if (d->before.open || d->after.open)
		d->verdict = UTIL_OPEN;
	else if (told)
		d->verdict = d->change < 0 ? UTIL_LESS : UTIL_MORE;
	else
		d->verdict = d->before.exact && d->after.exact ? UTIL_SAME : UTIL_NOT_TOLD;
}

bool util_difference_judge(struct util_difference *list, size_t n)
{
	struct util_difference **order = malloc((n + 1) * sizeof(struct util_difference *));
	size_t i, known = 0, left;
	bool told = true;

	if (!order)
		return false;
	/* What is exact is no matter of chance, and takes none of the others' chances. */
	for (i = 0; i < n; i++) {
		struct util_difference *d = &list[i];

		if (d->before.open || d->after.open || (d->before.exact && d->after.exact))
			judge(d, d->chance < .5);
		else
			order[known++] = d;
	}
	qsort(order, known, sizeof(struct util_difference *), by_chance);
	for (i = 0, left = known; i < known; i++, left--) {
		told = told && order[i]->chance <= (1 - LEVEL) / (double)left;
		judge(order[i], told);
	}
	free(order);
	return true;
}
