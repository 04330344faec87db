/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * difference.c - compares two measurements of the same numbers.
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

/* Compute low, high and chance from the change, its error and its degrees of freedom. */
static void difference_test(struct util_difference *d)
{
	double half;

	d->low = d->high = d->change;
	d->chance = 1;
	if (d->before.open || d->after.open)
		return;
	if (!(d->error > 0)) {
		d->chance = d->change == 0 ? 1 : 0;
		return;
	}
	half = d->error * mpxi_level_student(LEVEL, fmin(d->freedom, 1e6));
	d->low -= half;
	d->high += half;
	d->chance = mpxi_level_chance(fabs(d->change) / d->error, fmin(d->freedom, 1e6));
}

void util_difference_find(struct util_difference *d)
{
	const double a = d->before.exact ? 0 : d->before.error * d->before.error;
	const double b = d->after.exact ? 0 : d->after.error * d->after.error;
	const double below = a * a / d->before.freedom + b * b / d->after.freedom;

	d->change = d->after.value - d->before.value;
	d->error = sqrt(a + b);
	d->freedom = below > 0 ? (a + b) * (a + b) / below : INFINITY;
	difference_test(d);
}

static int difference_by_size(const void *a, const void *b)
{
	const double p = *(const double *)a, q = *(const double *)b;

	return p < q ? -1 : p > q;
}

void util_difference_find_pairs(struct util_difference *d, double *of_pair, size_t n)
{
	const size_t cut = n / 5, left = n - 2 * cut;
	double sum = 0, squares = 0;

	qsort(of_pair, n, sizeof(*of_pair), difference_by_size);
	for (size_t i = cut; i < cut + left; i++)
		sum += of_pair[i];
	d->change = left ? sum / (double)left : 0;
	/* Winsorize: each excluded value is replaced by the nearest one that is kept. */
	for (size_t i = 0; i < cut; i++) {
		of_pair[i] = of_pair[cut];
		of_pair[n - 1 - i] = of_pair[n - 1 - cut];
	}
	for (size_t i = 0; i < cut; i++)
		sum += of_pair[cut] + of_pair[n - 1 - cut];
	for (size_t i = 0; i < n; i++)
		squares += (of_pair[i] - sum / (double)n) * (of_pair[i] - sum / (double)n);
	d->freedom = left > 1 ? (double)(left - 1) : 1;
	if (left > 1)
		d->error = fmax(d->error, sqrt(squares / (double)(left * (left - 1))));
	difference_test(d);
}

static int by_chance(const void *a, const void *b)
{
	double p = (*(struct util_difference *const *)a)->chance,
	       q = (*(struct util_difference *const *)b)->chance;

	return p < q ? -1 : p > q;
}

static void judge_difference(struct util_difference *d, bool told)
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
	/* A difference between exact values is not due to chance, so it is not one of the tests. */
	for (i = 0; i < n; i++) {
		struct util_difference *d = &list[i];

		if (d->before.open || d->after.open || (d->before.exact && d->after.exact))
			judge_difference(d, d->chance < .5);
		else
			order[known++] = d;
	}
	qsort(order, known, sizeof(struct util_difference *), by_chance);
	for (i = 0, left = known; i < known; i++, left--) {
		told = told && order[i]->chance <= (1 - LEVEL) / (double)left;
		judge_difference(order[i], told);
	}
	free(order);
	return true;
}
