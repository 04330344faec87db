/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burden.c - corrects intervals for the share of the time that counting itself took.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>

#include "stat/burden.h"

/* Safety factor: the cost was measured in a quiet loop, and a count costs more elsewhere. */
#define CARE 1.5
/* Upper limit of the share of the time that counting can have taken; a larger result means that cost is
 * wrong. */
#define MOST .9

void mpxi_burden_judge(struct mpxi_result *result, double cost)
{
	struct mpxi_estimate *e = &result->estimate;
	double own = fmin(result->burden * cost, MOST), all = fmin(result->burdens * cost, MOST), off;

	if (e->exact || e->never || fmax(own, all) <= MPXI_BURDEN)
		return;
	result->slowed = true;
	/* Delays reduced the rate in the event's slices to (1 - own) of the undelayed rate, and the mean
	 * rate of all time to (1 - all) of it. */
	off = CARE * e->value * fabs(own - all) / (1 - own);
	mpxi_result_widen(result, off);
}

void mpxi_burden_judge_ratio(struct mpxi_ratio *ratio, double a, double b, double cost)
{
	double above = fmin(a * cost, MOST), below = fmin(b * cost, MOST), most = fmax(above, below), off;

	if (ratio->exact || isnan(ratio->value) || !(most > MPXI_BURDEN))
		return;
	ratio->slowed = true;
	off = ratio->value * (fabs(above - below) + (CARE - 1) * most) / (1 - above);
	ratio->low = fmax(ratio->low - off, 0);
	ratio->high += off;
}
