/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_time.c - how long events should have counted and how long they did. Part of the perf source.
 *
 * A group's leader is enabled while the context runs, and the kernel reports how long the leader was enabled
 * and how long it had its counters. All members that are not halted share these times, so a member's times
 * are differences of its group's times. They cost a read only at a halt, at a continue, and when a member
 * joins a running group:
 *
 *   counting: group - member.time   halted: member.time
 *
 * The mean over targets is rounded down, which changes the difference of two means by less than a nanosecond.
 * The time lost is kept instead of the time running, since both only grow: the running time, enabled less
 * lost, is then at most enabled.
 *
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#include "perf/perf_groups.h"

static uint64_t mean_of_targets(unsigned __int128 sum, unsigned targets)
{
	return targets ? (uint64_t)(sum / targets) : 0;
}

/* Return all of the group's times since it was opened. The clock measures the times of a control group
 * (perf_clock.c). */
static struct upci_source_time whole_group_time(const struct upci_perf_group *g)
{
	unsigned __int128 running = 0, lost = 0;
	unsigned i;

	if (g->by_clock)
		return g->clocked;
	for (i = 0; i < g->targets; i++) {
		running += g->span[i].running;
		lost += g->span[i].lost;
	}
	return (struct upci_source_time){.enabled = mean_of_targets(running + lost, g->targets),
					 .lost = mean_of_targets(lost, g->targets)};
}

/* Return a - b. Each difference may wrap below 0, since a member's times may begin before the group's time
 * 0. */
static struct upci_source_time subtract_source_time(struct upci_source_time a, struct upci_source_time b)
{
	return (struct upci_source_time){.enabled = a.enabled - b.enabled, .lost = a.lost - b.lost};
}

struct upci_source_time upci_perf_group_time(const struct upci_perf_group *g)
{
	return subtract_source_time(whole_group_time(g), g->passed);
}

void upci_perf_begin_time(const struct upci_perf *p, const struct upci_perf_group *g,
			  struct upci_perf_member *m)
{
	m->time = m->halted ? (struct upci_source_time){0} : upci_perf_group_time(g);
	m->since = p->rebases;
}

/* Return a member's times. A rebase does not visit the members. If a member's times are older than the last
 * rebase, they count from the group's base, or are 0 while the member is halted. */
static struct upci_source_time time_of(const struct upci_perf *p, const struct upci_perf_group *g,
				       const struct upci_perf_member *m)
{
	const bool old = m->since != p->rebases;

	if (m->halted)
		return old ? (struct upci_source_time){0} : m->time;
	return subtract_source_time(upci_perf_group_time(g), old ? g->base : m->time);
}

void upci_perf_hold_time(const struct upci_perf *p, const struct upci_perf_group *g,
			 struct upci_perf_member *m)
{
	m->time = time_of(p, g, m);
	m->since = p->rebases;
}

void upci_perf_go_on_time(const struct upci_perf *p, const struct upci_perf_group *g,
			  struct upci_perf_member *m)
{
	m->time = subtract_source_time(upci_perf_group_time(g), time_of(p, g, m));
	m->since = p->rebases;
}

struct upci_source_time upci_perf_time(struct upci_perf *p, int handle)
{
	const struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g;

	/* The child of a fork has no members until they are opened again. */
	if (handle < 0 || (unsigned)handle >= p->handles || !m->used || m->waits)
		return (struct upci_source_time){0};
	g = upci_perf_group_of(p, m->group);
	if (g->aged && p->running)
		(void)upci_perf_look(p, g);
	return time_of(p, g, m);
}

int upci_perf_pass_over(struct upci_perf *p, uint64_t *value, uint8_t *state)
{
	unsigned g;
	int error;

	for (g = 0; g < p->groups; g++)
		p->group[g].passed = subtract_source_time(whole_group_time(&p->group[g]), p->group[g].passed);
	error = upci_perf_read(p, value, state);
	for (g = 0; g < p->groups; g++)
		p->group[g].passed = subtract_source_time(whole_group_time(&p->group[g]), p->group[g].passed);
	return error;
}

void upci_perf_rebase(struct upci_perf *p)
{
	unsigned g, i;

	for (g = 0; g < p->groups; g++) {
		struct upci_perf_group *group = &p->group[g];

		/* A group that cannot be read keeps its earlier times. */
		if (group->aged && p->running)
			(void)upci_perf_look(p, group);
		group->base = upci_perf_group_time(group);
		for (i = 0; i < group->targets; i++) {
			struct upci_perf_span *s = &group->span[i];

			s->running_base = s->running;
			s->lost_base = s->lost;
			s->failed = false;
		}
	}
	p->rebases++;
}
