/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slowing.c - judges results by the cost that a count has on this machine.
 */
#include "process/thread.h"
#include "stat/burden.h"

void mpxi_thread_judge(struct mpxi_thread *thread, struct mpxi_result *result)
{
	if (!(result->burden > 0 || result->burdens > 0))
		return;
	if (thread)
		mpxi_core_hold(thread->core);
	mpxi_burden_judge(result, mpxi_papi_cost(thread ? thread->papi : NULL));
	if (thread)
		mpxi_core_release(thread->core);
}
