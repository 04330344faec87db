/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burden.c - what counting took of the time, and what that puts an estimate off by.
 */
#include <math.h>

#include "stat/burden.h"

/* The cost is one of calm loops, and not of each place that counts. */
#define CARE 1.5
/* No more of the time than that goes into counting, whatever the cost says. */
#define MOST .9

void mpxi_burden_judge(struct mpxi_result *result, double cost)
{
	struct mpxi_estimate *e = &result->estimate;
	double own = fmin(result->burden * cost, MOST), all = fmin(result->burdens * cost, MOST), off;

	if (e->exact || e->never || fmax(own, all) <= MPXI_BURDEN)
		return;
	result->slowed = true;
	/* While it runs at the rate of its slices it comes to rate (1 - own), and in truth to rate (1 - all).
	 */
	off = CARE * e->value * fabs(own - all) / (1 - own);
	e->low = fmax(e->low - off, fmin((double)result->count, e->low));
	e->high += off;
}
