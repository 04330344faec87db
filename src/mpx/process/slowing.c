/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slowing.c - judges whether counting has slowed the program, and so a result, from the time that one count
 * of a tracepoint takes on this machine.
 *
 * Terms: process/thread.h.
 */
#include "process/thread.h"
#include "stat/burden.h"

static double cost_of_count(struct mpxi_thread *thread)
{
	double cost;

	if (thread)
		mpxi_core_hold(thread->core);
	cost = mpxi_papi_cost(thread ? thread->papi : NULL);
	if (thread)
		mpxi_core_release(thread->core);
	return cost;
}

/* True if counting may have slowed the thread. If not, the cost of a count need not be measured. */
static bool may_slow(double burden)
{
	return burden * MPXI_PAPI_COST_MOST > MPXI_BURDEN;
}

void mpxi_thread_judge(struct mpxi_thread *thread, struct mpxi_result *result)
{
	if (may_slow(result->burden) || may_slow(result->burdens))
		mpxi_burden_judge(result, cost_of_count(thread));
}

void mpxi_thread_judge_ratio(struct mpxi_thread *thread, const struct mpxi_pair_windows *pair,
			     struct mpxi_ratio *ratio)
{
	double a = mpxi_window_burden(pair->a), b = mpxi_window_burden(pair->b);

	if ((may_slow(a) || may_slow(b)) && !mpxi_pair_is_one_sample(pair))
		mpxi_burden_judge_ratio(ratio, a, b, cost_of_count(thread));
}
