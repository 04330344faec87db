/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sum.c - adds up what threads have counted.
 */
#include <math.h>

#include "stat/sum.h"

void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result)
{
	*result = (struct mpxi_result){
		.count = window->sums.count,
		.size = window->sums.size,
		.time = window->time,
		.slices = window->sums.slices,
		.threads = 1,
		.lost = lost,
	};
	mpxi_estimate(window, estimator, &result->estimate);
}

static void add(uint64_t *sum, uint64_t x)
{
	if (__builtin_add_overflow(*sum, x, sum))
		*sum = UINT64_MAX;
}

void mpxi_sum_add(struct mpxi_sum *sum, const struct mpxi_result *part)
{
	const struct mpxi_estimate *e = &part->estimate;

	sum->lost |= part->lost;
	add(&sum->time, part->time);
	if (e->never) {
		sum->unknown += part->time > 0;
		return;
	}
	sum->exact += e->exact;
	sum->estimated += !e->exact;
	sum->rough |= e->rough;
	sum->value += e->value;
	sum->variance += e->standard_error * e->standard_error;
	sum->below += (e->value - e->low) * (e->value - e->low);
	sum->above += (e->high - e->value) * (e->high - e->value);
	add(&sum->count, part->count);
	add(&sum->size, part->size);
	add(&sum->slices, part->slices);
}

void mpxi_sum_result(const struct mpxi_sum *sum, struct mpxi_result *result)
{
	struct mpxi_estimate *e = &result->estimate;

	*result = (struct mpxi_result){
		.count = sum->count,
		.size = sum->size,
		.time = sum->time,
		.slices = sum->slices,
		.lost = sum->lost,
	};
	e->never = !sum->exact && !sum->estimated;
	e->exact = sum->exact && !sum->estimated && !sum->unknown;
	e->rough = sum->rough || sum->unknown || e->never;
	e->value = sum->value;
	e->standard_error = sqrt(sum->variance);
	e->low = fmax(sum->value - sqrt(sum->below), (double)sum->count);
	e->high = sum->value + sqrt(sum->above);
	if (e->exact)
		e->coverage = 1;
	else if (sum->time)
		e->coverage = fmin((double)sum->size / (double)sum->time, 1);
}
