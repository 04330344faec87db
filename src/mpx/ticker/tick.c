/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tick.c - the core options that concern time.
 */
#include <time.h>

#include "ticker/tick.h"
#include "ticker/timer.h"

static uint64_t cpu_of_thread_sig(void *cpu)
{
	(void)cpu;
	return mpxi_timer_cpu_sig();
}

void mpxi_tick_options(struct mpxi_core_options *options, uint64_t slice_ns, const void *owner)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	options->cpu_sig = cpu_of_thread_sig;
	options->cpu = NULL;
	options->slice_ns = slice_ns;
	options->seed = (uint64_t)now.tv_nsec * UINT64_C(6364136223846793005) ^ (uintptr_t)owner;
}
