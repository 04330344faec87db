/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_read.c - reads the counts of a context's groups, and judges whether they counted all the time. Part of
 * the perf source. perf_user.c reads in user mode.
 * Terms: perf/perf.h, base/target.h.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/perf.h"
#include "perf/perf_groups.h"
#include "base/words.h"

bool upci_perf_ever_enabled(const struct upci_perf *p)
{
	return p->ever_enabled;
}

/* Return how long a target's group should have counted, in ns. When the kernel puts a group into error state,
 * its enabled time stands still from some moment after the group was last seen to count. */
static uint64_t enabled_ns(const struct upci_perf *p, struct upci_perf_span *s,
			   const struct upci_perf_head *head, bool failed)
{
	const uint64_t clock = upci_perf_clock(p);
	uint64_t enabled = head->enabled + s->added;

	if (failed && !p->refused) {
		s->since += clock - s->at;
		if (s->good + s->since > enabled)
			enabled = s->good + s->since;
		s->added = enabled - head->enabled;
	} else {
		s->good = enabled;
		s->since = 0;
	}
	s->at = clock;
	return enabled;
}

/* Record the times of a target's group at a read. After a refused start, which returned an error to the
 * caller, nothing should have counted: time lost then does not change states. */
static void keep_span(const struct upci_perf *p, struct upci_perf_span *s, const struct upci_perf_head *head,
		      bool failed)
{
	uint64_t enabled = enabled_ns(p, s, head, failed), lost = enabled - head->running;

	if (head->running > enabled)
		lost = 0;
	if (p->refused)
		s->lost_base += lost - s->lost;
	else
		s->failed |= failed;
	s->lost = lost;
	s->running = head->running;
	s->counted = head->leader;
}

/*
 * Read the group of one target by fd, until the group has no more than the given number of events. Return the
 * result of read().
 *
 * An event whose descriptor is closed stays in its group while another process has a copy of the descriptor:
 * a child between fork and exec, or a reader of /proc. Such a copy soon goes away, so the read is repeated
 * for up to 100 ms.
 */
static ssize_t read_members(const struct upci_perf *p, int fd, unsigned events)
{
	static const struct timespec pause = {0, 100000};
	const struct upci_perf_head *head = (const struct upci_perf_head *)p->buffer;
	ssize_t got = read(fd, p->buffer, p->buffer_bytes);
	unsigned tries;

	for (tries = 0; tries < 1000; tries++) {
		if (got < 0 ? errno != ENOSPC : got == 0 || head->events <= events)
			break;
		nanosleep(&pause, NULL);
		got = read(fd, p->buffer, p->buffer_bytes);
	}
	return got;
}

int upci_perf_look_at(struct upci_perf *p, const struct upci_perf_group *g, unsigned target, unsigned more)
{
	const unsigned members = g->members + more;
	size_t want = sizeof(struct upci_perf_head) + members * sizeof(uint64_t);
	ssize_t got = read_members(p, g->leader[target], members + 1);
	const struct upci_perf_head *head = (const struct upci_perf_head *)p->buffer;
	bool failed = got == 0;
	int error;

	/* The leader of a pinned group that had no room in the PMU returns end of file. The earlier counts
	 * still exist, and a read of any member returns the whole group. */
	if (failed && g->members) {
		p->buffer[0] = 0;
		got = read_members(p, p->member[g->handle[0]].fd[target], members + 1);
	}
	if (got < 0 && errno != ENOSPC)
		return upci_fail(UPC_ESYSTEM, "reading a perf group: %s", upci_words_of_errno(errno));
	if (got < 0 || ((size_t)got >= want && head->events > members + 1))
		return upci_fail(UPC_ESYSTEM,
				 "a perf event that was removed is still in its group, since another "
				 "process keeps a copy of its descriptor: end that process");
	if ((size_t)got < want || head->events != members + 1) {
		error = upci_perf_is_apart(p, head, (size_t)got)
				? upci_perf_read_apart(p, g, target)
				: upci_fail(UPC_ESYSTEM, "reading a perf group of %u events gave %llu",
					    members + 1, (unsigned long long)head->events);
		if (error)
			return error;
	}
	if (head->enabled)
		p->ever_enabled = true;
	keep_span(p, &g->span[target], head, failed);
	return failed;
}

/* Read one target's group. The first target sets the sums, and the others are added. */
static int read_group(struct upci_perf *p, const struct upci_perf_group *g, unsigned target, uint64_t *value)
{
	const uint64_t *counts = p->buffer + sizeof(struct upci_perf_head) / sizeof(uint64_t);
	int error = upci_perf_look_at(p, g, target, 0);
	unsigned i;

	if (error < 0)
		return error;
	for (i = 0; i < g->members; i++)
		value[g->handle[i]] = target ? value[g->handle[i]] + counts[i] : counts[i];
	return 0;
}

int upci_perf_look(struct upci_perf *p, struct upci_perf_group *g)
{
	int given_up = 0, one;
	unsigned i;

	for (i = 0; i < g->targets; i++) {
		one = upci_perf_look_at(p, g, i, 0);
		if (one < 0)
			return one;
		given_up |= one;
	}
	g->aged = false;
	if (g->by_clock)
		upci_perf_age(p, g);
	return given_up;
}

static enum upci_source_state judge_group(const struct upci_perf_group *g)
{
	bool whole = true, ran = false;
	unsigned i;

	for (i = 0; g->key != UPCI_PERF_SOFTWARE && i < g->targets; i++) {
		const struct upci_perf_span *s = &g->span[i];

		whole = whole && !s->failed && s->lost <= s->lost_base;
		ran = ran || s->running > s->running_base;
	}
	return whole ? UPCI_SOURCE_EXACT : ran ? UPCI_SOURCE_PARTIAL : UPCI_SOURCE_NEVER;
}

/* Return a member's state, given its group's state. A member has never counted if its group has not had its
 * counters since the member was added. A member that counts may have lost its overflow signals. */
static enum upci_source_state judge_member(const struct upci_perf *p, const struct upci_perf_group *g,
					   int handle, enum upci_source_state how)
{
	if (how == UPCI_SOURCE_PARTIAL && upci_perf_ran(g) <= p->member[handle].ran)
		return UPCI_SOURCE_NEVER;
	if (how == UPCI_SOURCE_EXACT && p->samplers.top && g->key != UPCI_PERF_SOFTWARE && !p->refused &&
	    upci_samplers_starved(&p->samplers, handle))
		return UPCI_SOURCE_SILENT;
	return how;
}

/*
 * Read a group that runs on the calling thread without a system call. False if a member has no page, or if
 * its counter is not on the CPU now or was not all the time: the state then depends on the kernel's times.
 */
static bool read_in_user_mode(struct upci_perf *p, const struct upci_perf_group *g, uint64_t *value,
			      uint8_t *state)
{
	bool counts = false;
	unsigned i;

	if (!p->running || !g->user.map || judge_group(g) != UPCI_SOURCE_EXACT ||
	    !upci_user_here(p->context.pid, p->context.tid))
		return false;
	for (i = 0; i < g->members; i++) {
		int handle = g->handle[i];
		const struct upci_perf_member *m = &p->member[handle];
		enum upci_user_answer answer =
			m->page ? upci_user_read(m->page, &value[handle]) : UPCI_USER_ASK;

		if (answer == UPCI_USER_ASK || (answer == UPCI_USER_STOPPED && !m->halted))
			return false;
		counts |= answer == UPCI_USER_COUNTS;
		state[handle] = UPCI_SOURCE_EXACT;
	}
	p->ever_enabled |= counts;
	return counts;
}

/* Set the values of told members from the group's last read. */
static void read_told(const struct upci_perf *p, const struct upci_perf_group *g, uint64_t *value,
		      uint8_t *state)
{
	const struct upci_perf_member *m;
	int h;

	for (h = g->first_told; h >= 0; h = m->next_told) {
		m = &p->member[h];
		value[h] = m->halted ? m->count : upci_perf_told(g, m->told) - m->begin;
		state[h] = UPCI_SOURCE_EXACT;
	}
}

/* Set the values of waiting members, which have no perf event yet. */
static void read_waiting(const struct upci_perf *p, uint64_t *value, uint8_t *state)
{
	unsigned h;

	for (h = 0; h < p->handles; h++)
		if (p->member[h].used && p->member[h].waits) {
			value[h] = 0;
			state[h] = UPCI_SOURCE_EXACT;
		}
}

int upci_perf_read(struct upci_perf *p, uint64_t *value, uint8_t *state)
{
	unsigned g, i;
	int error = 0;

	for (g = 0; g < p->groups && !error; g++) {
		struct upci_perf_group *group = &p->group[g];
		enum upci_source_state how;

		how = UPCI_SOURCE_EXACT;
		if (read_in_user_mode(p, group, value, state)) {
			group->aged = true;
			if (!p->samplers.top)
				continue;
		} else {
			for (i = 0; i < group->targets && !error; i++)
				error = read_group(p, group, i, value);
			group->aged = false;
			if (group->by_clock && !error)
				upci_perf_age(p, group);
			how = judge_group(group);
		}
		read_told(p, group, value, state);
		for (i = 0; i < group->members; i++)
			state[group->handle[i]] = (uint8_t)judge_member(p, group, group->handle[i], how);
	}
	if (p->waiting)
		read_waiting(p, value, state);
	return error;
}
