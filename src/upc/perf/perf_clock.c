/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_clock.c - how long CPUs were counted, by a clock that goes on where the kernel has given
 * up a pinned group: for it such a group stands still. Part of the perf source.
 */
#include <time.h>

#include "perf/perf_groups.h"

static uint64_t now_ns(void)
{
	struct timespec now = {0, 0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of tasks there is no such clock: they have a CPU or not. */
static bool has_clock(const struct upci_perf *p)
{
	return !p->context.pid && !p->context.cgroup && !p->context.flexible;
}

void upci_perf_start_clock(struct upci_perf *p)
{
	p->clock_at = has_clock(p) ? now_ns() : 0;
}

void upci_perf_stop_clock(struct upci_perf *p)
{
	p->clock = upci_perf_clock(p);
	p->clock_at = 0;
}

uint64_t upci_perf_clock(const struct upci_perf *p)
{
	return p->clock + (p->clock_at ? now_ns() - p->clock_at : 0);
}
