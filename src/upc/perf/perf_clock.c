/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_clock.c - measures by clock how long CPUs and control groups were counted. The kernel's times stand
 * still for a pinned group in error state and for a control group without a CPU. Part of the perf source.
 * Terms: perf/perf.h, base/target.h.
 */
#include "base/now.h"
#include "perf/perf_groups.h"

/* True if the context is measured by clock. Tasks are not, since they either have a CPU or not. A flexible
 * group is never in error state. */
static bool has_clock(const struct upci_perf *p)
{
	return p->context.cgroup || (!p->context.pid && !p->context.flexible);
}

void upci_perf_start_clock(struct upci_perf *p)
{
	p->clock_at = has_clock(p) ? upci_now_ns() : 0;
}

void upci_perf_stop_clock(struct upci_perf *p)
{
	p->clock = upci_perf_clock(p);
	p->clock_at = 0;
}

uint64_t upci_perf_clock(const struct upci_perf *p)
{
	return p->clock + (p->clock_at ? upci_now_ns() - p->clock_at : 0);
}

/*
 * Advance the times of a control group, whose rates are per wall-clock time: a group that had half the CPU
 * did half the work per second. While the group has CPUs, a share of that time, summed over all CPUs, is
 * lost. This function counts the same share of wall-clock time as lost. Nothing is lost in time without a
 * CPU.
 */
void upci_perf_age(const struct upci_perf *p, struct upci_perf_group *g)
{
	const uint64_t clock = upci_perf_clock(p);
	unsigned __int128 had = 0, lost = 0, had_more, lost_more;
	uint64_t more = clock - g->aged_at;
	unsigned i;

	for (i = 0; i < g->targets; i++) {
		had += g->span[i].running + g->span[i].lost;
		lost += g->span[i].lost;
	}
	had_more = had - g->had;
	lost_more = lost - g->had_lost;
	if (lost_more > had_more)
		lost_more = had_more;
	g->clocked.enabled += more;
	g->clocked.lost += had_more ? (uint64_t)(more * lost_more / had_more) : 0;
	g->had = had;
	g->had_lost = lost;
	g->aged_at = clock;
}
