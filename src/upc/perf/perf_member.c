/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_member.c - adds, removes, halts and continues events while their groups run, and sets the periods
 * after which they signal. Part of the perf source.
 * Terms: perf/perf.h, base/source.h, base/target.h.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/perf.h"
#include "perf/perf_fit.h"
#include "perf/perf_groups.h"
#include "perf/perf_open.h"
#include "base/process.h"

/* Make room for one more member of a group and for its value in a read. */
static int reserve_place_locked(struct upci_perf *p, struct upci_perf_group *g)
{
	size_t bytes = sizeof(struct upci_perf_head) + (g->members + 1) * sizeof(uint64_t);

	if (g->members == g->room) {
		unsigned room = g->room ? g->room * 2 : 16;
		int *grown = realloc(g->handle, room * sizeof(int));

		if (!grown)
			return UPC_ENOMEM;
		g->handle = grown;
		g->room = room;
	}
	if (bytes > p->buffer_bytes) {
		uint64_t *grown = realloc(p->buffer, bytes * 2);

		if (!grown)
			return UPC_ENOMEM;
		p->buffer = grown;
		p->buffer_bytes = bytes * 2;
	}
	return 0;
}

int upci_perf_reserve_handle(struct upci_perf *p, const char *name)
{
	struct upci_perf_member *grown;
	unsigned h;

	for (h = 0; h < p->handles && p->member[h].used; h++)
		;
	if (h < p->handles)
		return (int)h;
	upci_process_lock();
	grown = realloc(p->member, (h + 1) * sizeof(*grown));
	if (grown) {
		p->member = grown;
		memset(&grown[h], 0, sizeof(*grown));
		p->handles++;
	}
	upci_process_unlock();
	return grown ? (int)h : upci_fail(UPC_ENOMEM, "%s: no memory", name);
}

/* Open an event for reads in user mode or, if the kernel refuses that, without. */
static int open_member(const struct upci_perf_group *g, const struct perf_event_attr *attr, unsigned target)
{
	struct perf_event_attr with = *attr;
	int fd;

	with.config1 |= g->user.config1;
	fd = upci_perf_open(&with, &g->target[target], g->leader[target]);
	if (fd >= 0 || with.config1 == attr->config1 || (errno != EINVAL && errno != EOPNOTSUPP))
		return fd;
	return upci_perf_open(attr, &g->target[target], g->leader[target]);
}

/* A halted leader would halt the whole group. */
bool upci_perf_can_lead(const struct upci_perf_member *m)
{
	return upci_perf_is_software(&m->spec) && !upci_perf_is_time(&m->spec) && !m->halted;
}

/* Add a told member, which counts by its group's leader from here on. begin is the leader's value now. If
 * children inherit, the group belongs to the present batch and began with this batch, so begin stays 0. */
static int join_told(struct upci_perf *p, struct upci_perf_group *g, int handle,
		     const struct upci_perf_member *member, bool inherits)
{
	struct upci_perf_member m = *member;
	int error = 0;

	if (!m.halted && (g->members || g->first_told >= 0) && !inherits) {
		error = upci_perf_look(p, g);
		m.begin = upci_perf_told(g, m.told);
	}
	if (error < 0)
		return error;
	upci_process_lock();
	error = reserve_place_locked(p, g);
	if (!error) {
		m.next_told = g->first_told;
		upci_perf_begin_time(p, g, &m);
		p->member[handle] = m;
		g->first_told = handle;
	}
	upci_process_unlock();
	return error ? upci_fail(UPC_ENOMEM, "%s: no memory", m.name) : 0;
}

/* Open a member in all targets of a group, or in none. */
static int join_group(struct upci_perf *p, struct upci_perf_group *g, int handle,
		      const struct upci_perf_member *member, const struct perf_event_attr *attr)
{
	const bool late = p->running && !attr->inherit && g->key == UPCI_PERF_SOFTWARE;
	const struct perf_event_mmap_page *page;
	const char *name = member->name;
	int error, *fd;
	unsigned i;

	upci_process_lock();
	error = reserve_place_locked(p, g);
	upci_process_unlock();
	fd = error ? NULL : malloc(g->targets * sizeof(int));
	if (!fd)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	for (i = 0; i < g->targets; i++) {
		fd[i] = open_member(g, attr, i);
		if (fd[i] < 0 && !upci_perf_is_offline(p, errno)) {
			error = upci_perf_fail(name, &g->target[i], g->key != UPCI_PERF_SOFTWARE);
			upci_perf_forget_and_close(&fd, i);
			return error;
		}
		/* Read the group now, since the event counts from here on and tracepoints take long to open.
		 * A hardware group was read before (check_counts). The new event may have put it into error
		 * state, and a read would record that in the states of the other events. */
		error = late ? upci_perf_look_at(p, g, i, 1) : 0;
		if (error < 0) {
			upci_perf_forget_and_close(&fd, i + 1);
			return error;
		}
	}
	if (late && g->by_clock)
		upci_perf_age(p, g);
	page = g->user.map ? upci_user_map(fd[0]) : NULL;
	upci_process_lock();
	p->member[handle] = *member;
	upci_perf_begin_time(p, g, &p->member[handle]);
	p->member[handle].fd = fd;
	p->member[handle].page = page;
	g->handle[g->members++] = handle;
	upci_process_unlock();
	return 0;
}

/*
 * Check that a running group is not in error state before it is asked for one more counter. Return 0,
 * UPC_ECONFLICT, or another negative error. A group in error state could not show whether this event has
 * room, and enabling the group again would hide its missed counts.
 */
static int check_counts(struct upci_perf *p, struct upci_perf_group *g, const char *name)
{
	int given_up = upci_perf_look(p, g);

	return given_up > 0 ? upci_fit_fail_beside(name) : given_up;
}

/*
 * Make the kernel schedule an event that joins or continues in a running group. The kernel (6.18) schedules
 * such an event when it schedules the event's own PMU. Tracepoints, clocks and other software events are
 * three PMUs, and a group is scheduled with the PMU of its leader. A temporary event on the leader's PMU
 * makes the kernel schedule the group now, and the other members miss nothing. If there is no descriptor for
 * the temporary event, the group is disabled and enabled again, and misses a moment.
 */
static int schedule_now(const struct upci_perf_group *g)
{
	struct perf_event_attr attr = g->attr;
	unsigned i;
	int error = 0, fd;

	attr.disabled = attr.inherit = attr.inherit_thread = 0;
	for (i = 0; i < g->targets && !error; i++) {
		fd = upci_perf_open(&attr, &g->target[i], -1);
		if (fd >= 0) {
			close(fd);
		} else if (errno != ESRCH) {
			error = upci_perf_switch(&g->leader[i], 1, PERF_EVENT_IOC_DISABLE);
			if (!error)
				error = upci_perf_switch(&g->leader[i], 1, PERF_EVENT_IOC_ENABLE);
		}
	}
	return error;
}

static bool is_late_member(const struct upci_perf *p, const struct upci_perf_group *g,
			   const struct upci_perf_member *m)
{
	return p->running && g->key == UPCI_PERF_SOFTWARE && !m->told && !m->halted;
}

int upci_perf_open_member(struct upci_perf *p, int handle, struct upci_perf_member member)
{
	const char *name = member.name;
	struct perf_event_attr attr = upci_perf_attr(&member.spec);
	uint32_t key = upci_perf_key(member.spec.type);
	const bool beside = p->running && key != UPCI_PERF_SOFTWARE;
	struct upci_perf_group *g = upci_perf_find_group(p, key);
	struct upci_bag bag = {0};
	int error;

	attr.read_format = UPCI_PERF_READ_FORMAT;
	attr.disabled = member.halted;
	upci_perf_set_inherit(p, &attr);
	/* If children inherit, the group has only events of this batch. */
	if (g && beside && !attr.inherit) {
		error = check_counts(p, g, name);
		if (error)
			return error;
	}
	if (upci_perf_is_time(&member.spec))
		member.told = UPCI_PERF_TOLD_TIME;
	if (!g) {
		if (upci_perf_can_lead(&member))
			member.told = UPCI_PERF_TOLD_COUNT;
		error = upci_perf_open_group(p, key, member.told == UPCI_PERF_TOLD_COUNT ? &attr : NULL, name,
					     &g);
		if (error)
			return error;
	}
	member.group = g->number;
	member.ran = upci_perf_ran(g);
	error = member.told ? join_told(p, g, handle, &member, attr.inherit)
			    : join_group(p, g, handle, &member, &attr);
	if (error) {
		upci_perf_close_empty(p, g->number, &bag);
		upci_bag_let_go(&bag);
		return error;
	}
	error = is_late_member(p, g, &member) ? schedule_now(g) : 0;
	if (!error && !upci_fit_is_known(p, key))
		error = upci_fit_check(p, key, -1, name);
	if (!error && beside && upci_fit_group_refused(g, gettid()))
		error = upci_fit_fail_beside(name);
	if (!error)
		return 0;
	upci_perf_remove(p, handle);
	/* Enable the groups again, which gives the other events their counters back. */
	if (beside)
		(void)upci_perf_switch_groups(p, PERF_EVENT_IOC_ENABLE);
	return error;
}

int *upci_perf_take_out(struct upci_perf *p, int handle)
{
	struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g = upci_perf_group_of(p, m->group);
	const struct perf_event_mmap_page *page;
	int *fd, *told;
	unsigned i;

	upci_process_lock();
	fd = m->fd;
	page = m->page;
	m->fd = NULL;
	m->page = NULL;
	m->used = false;
	if (m->told) {
		for (told = &g->first_told; *told != handle; told = &p->member[*told].next_told)
			;
		*told = m->next_told;
	} else {
		for (i = 0; g->handle[i] != handle; i++)
			;
		memmove(&g->handle[i], &g->handle[i + 1], (--g->members - i) * sizeof(int));
	}
	upci_process_unlock();
	upci_user_unmap(page, p->context.pid);
	return fd;
}

/* True if the member's group has any other member that was not removed. */
static bool has_others(const struct upci_perf *p, const struct upci_perf_group *g, int handle)
{
	unsigned i;

	for (i = 0; i < g->members; i++)
		if (g->handle[i] != handle && !p->member[g->handle[i]].removed)
			return true;
	return g->first_told >= 0 && (g->first_told != handle || p->member[handle].next_told >= 0);
}

/* Close a group whose last member is removed, together with members that were removed before. */
static void close_group(struct upci_perf *p, unsigned number, int handle)
{
	struct upci_perf_group *g = upci_perf_group_of(p, number);
	const unsigned targets = g->targets;
	struct upci_bag bag = {0};
	int *fd;

	upci_perf_disable_for_good(g);
	while (handle >= 0) {
		p->removed -= p->member[handle].removed;
		fd = upci_perf_take_out(p, handle);
		upci_perf_forget_into(&bag, &fd, targets, p->member[handle].spec.type);
		handle = g->members ? g->handle[0] : -1;
	}
	upci_perf_close_empty(p, number, &bag);
	upci_bag_let_go(&bag);
}

/*
 * Remove an event. A tracepoint among others is only disabled. It stays in its group until the group is
 * closed or upci_perf_close_removed runs: the kernel takes an event out of its group when the last process
 * closes its descriptor, and nothing says when another process will.
 */
void upci_perf_remove(struct upci_perf *p, int handle)
{
	struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g;
	int *fd;

	upci_samplers_remove(&p->samplers, handle);
	if (m->waits) {
		m->used = m->waits = false;
		p->waiting--;
		return;
	}
	g = upci_perf_group_of(p, m->group);
	if (!has_others(p, g, handle)) {
		close_group(p, g->number, handle);
	} else if (m->fd && m->spec.type == PERF_TYPE_TRACEPOINT) {
		(void)upci_perf_switch(m->fd, g->targets, PERF_EVENT_IOC_DISABLE);
		m->removed = true;
		p->removed++;
	} else {
		fd = upci_perf_take_out(p, handle);
		upci_perf_forget_and_close(&fd, g->targets);
	}
}

static bool counts_for_nobody(const struct upci_perf *p, const struct upci_perf_group *g)
{
	int h = g->first_told;

	while (h >= 0 && p->member[h].told != UPCI_PERF_TOLD_COUNT)
		h = p->member[h].next_told;
	return g->counts && h < 0;
}

/* True if events can be opened again without a loss: events with inherit would lose their children, and
 * events that wait for an exec would miss it. */
static bool can_open_anew(const struct upci_perf *p)
{
	return !p->context.inherit && !p->context.inherit_threads && !p->context.enable_on_exec;
}

bool upci_perf_keeps_removed(const struct upci_perf *p)
{
	unsigned i;

	for (i = 0; i < p->groups && !counts_for_nobody(p, &p->group[i]); i++)
		;
	return (i < p->groups || p->removed) && can_open_anew(p) && !p->samplers.top;
}

/* Children share inherited members, which therefore stay until their group is closed; that group has only
 * events of one batch. */
void upci_perf_close_removed(struct upci_perf *p)
{
	unsigned h;
	int *fd;

	for (h = 0; can_open_anew(p) && p->removed && h < p->handles; h++) {
		struct upci_perf_member *m = &p->member[h];

		if (!m->used || !m->removed)
			continue;
		p->removed--;
		fd = upci_perf_take_out(p, (int)h);
		upci_perf_forget_and_close(&fd, upci_perf_group_of(p, m->group)->targets);
	}
}

/* Halt a told member, or let it go on. Its count is kept in between. */
static void switch_told(const struct upci_perf_group *g, struct upci_perf_member *m, bool halt)
{
	if (halt)
		m->count = upci_perf_told(g, m->told) - m->begin;
	else
		m->begin = upci_perf_told(g, m->told) - m->count;
}

static int halt_waiting(struct upci_perf *p, int handle, bool halt)
{
	p->member[handle].halted = halt;
	return upci_samplers_halt(&p->samplers, handle, halt);
}

static int switch_member(struct upci_perf *p, int handle, unsigned long request)
{
	struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g = upci_perf_group_of(p, m->group);
	const bool halt = request == PERF_EVENT_IOC_DISABLE, changes = halt != m->halted;
	int error = 0, signals;

	/* A stopped group was read when it stopped. A failure here must change nothing, since begin and count
	 * share a word. */
	if (changes && (p->running || m->told))
		error = upci_perf_look(p, g);
	if (error < 0)
		return error;
	error = m->told ? 0 : upci_perf_switch(m->fd, g->targets, request);
	if (changes && m->told)
		switch_told(g, m, halt);
	if (changes)
		(halt ? upci_perf_hold_time : upci_perf_go_on_time)(p, g, m);
	m->halted = halt;
	if (!error && is_late_member(p, g, m))
		error = schedule_now(g);
	signals = upci_samplers_halt(&p->samplers, handle, m->halted);
	return error ? error : signals;
}

int upci_perf_halt(struct upci_perf *p, int handle)
{
	return p->member[handle].waits ? halt_waiting(p, handle, true)
				       : switch_member(p, handle, PERF_EVENT_IOC_DISABLE);
}

int upci_perf_continue(struct upci_perf *p, int handle)
{
	const struct upci_perf_member *m = &p->member[handle], held = *m;
	struct upci_perf_group *g;
	int error;

	if (m->waits)
		return halt_waiting(p, handle, false);
	g = upci_perf_group_of(p, m->group);
	if (!p->running || !m->halted || g->key == UPCI_PERF_SOFTWARE)
		return switch_member(p, handle, PERF_EVENT_IOC_ENABLE);
	error = check_counts(p, g, m->name);
	if (!error)
		error = switch_member(p, handle, PERF_EVENT_IOC_ENABLE);
	if (error)
		return error;
	if (!upci_fit_group_refused(g, gettid()) && !upci_samplers_starved(&p->samplers, handle))
		return 0;
	/* Halt the event again with its old state, and enable the group so that the others get their counters
	 * back. Do not read the group in between: it would seem to be in error state. */
	(void)upci_perf_switch(p->member[handle].fd, g->targets, PERF_EVENT_IOC_DISABLE);
	p->member[handle] = held;
	(void)upci_samplers_halt(&p->samplers, handle, true);
	(void)upci_perf_switch(g->leader, g->targets, PERF_EVENT_IOC_ENABLE);
	return upci_fit_fail_beside(m->name);
}

int upci_perf_set_period(struct upci_perf *p, int handle, const struct upci_perf_spec *spec, uint64_t period,
			 int signal, const char *name)
{
	int error, fd;

	if (!period) {
		upci_samplers_remove(&p->samplers, handle);
		return 0;
	}
	if (p->context.kind != UPC_CONTEXT_THREAD || !p->context.own || p->context.inherit ||
	    p->context.enable_on_exec)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: overflow signals are to be had for a thread of the program itself, without "
			"its children",
			name);
	error = upci_samplers_check(&p->samplers, handle, spec, period, signal, name);
	if (error)
		return error;
	fd = upci_sampler_open(p->context.tid, spec, period, name);
	if (fd < 0)
		return fd;
	if (upci_perf_key(spec->type) != UPCI_PERF_SOFTWARE) {
		error = upci_fit_check(p, upci_perf_key(spec->type), handle, name);
		if (error) {
			close(fd);
			return error;
		}
	}
	return upci_samplers_put(&p->samplers, handle, fd, spec->type, period, p->member[handle].halted,
				 p->context.tid, signal, name);
}

int upci_perf_restart_period(struct upci_perf *p, int handle, uint64_t left)
{
	return upci_samplers_restart(&p->samplers, handle, left);
}

int upci_perf_signalled(struct upci_perf *p, int fd)
{
	return upci_samplers_signalled(&p->samplers, fd);
}
