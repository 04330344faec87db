/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.c - perf_event groups of one context: as they are made, grow and shrink, and
 * are switched. perf.h names the other parts of the perf source.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"
#include "perf.h"
#include "perf_fit.h"
#include "perf_groups.h"
#include "perf_open.h"
#include "process.h"

/* Of leaders and members alike: struct upci_perf_head, and a value each. */
#define READ_FORMAT                                                                                \
	(PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

bool upci_perf_is_software(const struct upci_perf_spec *spec)
{
	return upci_perf_key(spec->type) == UPCI_PERF_SOFTWARE;
}

/* Forgets descriptors, then closes them. */
static void forget_and_close(int **fds, unsigned n)
{
	int *fd = *fds;
	unsigned i;

	*fds = NULL;
	/* A fork takes memory as it is in program order. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (i = 0; fd && i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	free(fd);
}

static void free_group(struct upci_perf_group *g)
{
	forget_and_close(&g->leader, g->targets);
	free(g->target);
	free(g->handle);
	free(g->span);
}

int upci_perf_create(const struct upci_context *context, struct upci_perf **perf)
{
	struct upci_perf *p = calloc(1, sizeof(*p));

	if (!p)
		return upci_fail(UPC_ENOMEM, "no memory for perf groups");
	p->context = *context;
	p->waits_for_exec = context->enable_on_exec;
	upci_samplers_init(&p->samplers);
	*perf = p;
	return 0;
}

static struct upci_perf_group *find_number(struct upci_perf *p, unsigned number)
{
	unsigned i;

	for (i = 0; p->group[i].number != number; i++)
		;
	return &p->group[i];
}

/* Closes everything; in a forked child the process lock is held already. */
static void clear(struct upci_perf *p, bool child)
{
	struct upci_perf_member *member;
	struct upci_perf_group *group;
	unsigned handles, groups, i, g;

	if (!child)
		upci_process_lock();
	member = p->member;
	group = p->group;
	handles = p->handles;
	groups = p->groups;
	p->member = NULL;
	p->group = NULL;
	p->handles = p->groups = 0;
	if (!child)
		upci_process_unlock();
	upci_samplers_clear(&p->samplers, child);
	for (i = 0; i < handles; i++) {
		for (g = 0; member[i].used && group[g].number != member[i].group; g++)
			;
		if (!member[i].used)
			continue;
		forget_and_close(&member[i].fd, group[g].targets);
		if (!child)
			upci_user_unmap(member[i].page, p->context.pid);
	}
	for (g = 0; g < groups; g++)
		free_group(&group[g]);
	free(member);
	free(group);
}

void upci_perf_destroy(struct upci_perf *p)
{
	if (!p)
		return;
	clear(p, false);
	free(p->buffer);
	free(p);
}

void upci_perf_forked(struct upci_perf *p)
{
	/* Closing a copy of a descriptor leaves the parent's event alone. */
	clear(p, true);
	p->running = p->refused = false;
	p->waits_for_exec = false;
	upci_context_forked(&p->context);
}

/* inherit_thread came with Linux 5.13; older kernels answer EINVAL. */
static void set_inherit(const struct upci_perf *p, struct perf_event_attr *attr)
{
	attr->inherit = p->context.inherit || p->context.inherit_threads;
	attr->inherit_thread = p->context.inherit_threads && !p->context.inherit;
}

static int open_leader(const struct upci_perf *p, uint32_t key,
		       const struct upci_perf_target *target)
{
	struct perf_event_attr attr = upci_perf_dummy();

	attr.read_format = READ_FORMAT;
	attr.disabled = !p->running;
	attr.enable_on_exec = p->waits_for_exec;
	/* A hardware group counts all the time or says that it does not. */
	attr.pinned = key != UPCI_PERF_SOFTWARE;
	set_inherit(p, &attr);
	return upci_perf_open(&attr, target, -1);
}

/* Opens the leaders of a new group. Threads that have ended since they were
 * listed are left out, if any is left. */
static int open_group(struct upci_perf *p, uint32_t key, const char *name,
		      struct upci_perf_group **opened)
{
	struct upci_perf_group g = {.key = key, .number = p->numbers, .batch = p->batch}, *grown;
	int listed = upci_context_targets(&p->context, &g.target), i, error = 0;

	if (listed < 0)
		return listed;
	if (key != UPCI_PERF_SOFTWARE)
		g.user = upci_user_mode(&p->context, key);
	g.leader = malloc((size_t)listed * sizeof(int));
	g.span = calloc((size_t)listed, sizeof(*g.span));
	if (!g.leader || !g.span)
		error = upci_fail(UPC_ENOMEM, "%s: no memory", name);
	for (i = 0; !error && i < listed; i++) {
		g.target[g.targets] = g.target[i];
		g.leader[g.targets] = open_leader(p, key, &g.target[g.targets]);
		if (g.leader[g.targets] >= 0)
			g.targets++;
		else if (errno == EINVAL && p->context.inherit_threads && !p->context.inherit)
			error = upci_fail(
				UPC_ENOSUPP,
				"%s: counting a process without its children needs Linux 5.13; count "
				"them too (inherit), or a thread",
				name);
		else if (errno != ESRCH || (!g.targets && i == listed - 1))
			error = upci_perf_fail(name, &g.target[g.targets], false);
	}
	if (!error) {
		upci_process_lock();
		grown = realloc(p->group, (p->groups + 1) * sizeof(*grown));
		if (grown) {
			p->group = grown;
			p->numbers++;
			p->group[p->groups++] = g;
		}
		upci_process_unlock();
		if (!grown)
			error = upci_fail(UPC_ENOMEM, "%s: no memory", name);
	}
	if (error)
		free_group(&g);
	else
		*opened = &p->group[p->groups - 1];
	return error;
}

/* A group of a kind that may grow, or NULL. */
static struct upci_perf_group *find_group(struct upci_perf *p, uint32_t key)
{
	bool inherited = p->context.inherit || p->context.inherit_threads;
	unsigned i;

	for (i = 0; i < p->groups; i++)
		if (p->group[i].key == key && (!inherited || p->group[i].batch == p->batch))
			return &p->group[i];
	return NULL;
}

void upci_perf_begin_batch(struct upci_perf *p)
{
	p->batch++;
}

bool upci_perf_check(struct upci_perf *p)
{
	unsigned g, i;

	if (!p->context.inherit && !p->context.inherit_threads)
		return true;
	for (g = 0; g < p->groups; g++)
		for (i = 0; p->group[g].batch == p->batch && i < p->group[g].targets; i++)
			if (read(p->group[g].leader[i], p->buffer, p->buffer_bytes) < 0)
				return false;
	return true;
}

bool upci_perf_scattered(const struct upci_perf *p)
{
	unsigned a, b;

	for (a = 0; a < p->groups; a++)
		for (b = 0; b < a; b++)
			if (p->group[a].key == p->group[b].key)
				return true;
	return false;
}

/* Room for one more member of a group, its handle, and its value in a read. */
static int reserve_locked(struct upci_perf *p, struct upci_perf_group *g, int *handle)
{
	size_t bytes = sizeof(struct upci_perf_head) + (g->members + 1) * sizeof(uint64_t);
	unsigned h;

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
	for (h = 0; h < p->handles && p->member[h].used; h++)
		;
	if (h == p->handles) {
		struct upci_perf_member *grown = realloc(p->member, (h + 1) * sizeof(*grown));

		if (!grown)
			return UPC_ENOMEM;
		p->member = grown;
		memset(&grown[h], 0, sizeof(*grown));
		p->handles++;
	}
	*handle = (int)h;
	return 0;
}

static void close_empty_group(struct upci_perf *p, unsigned number)
{
	struct upci_perf_group *g = find_number(p, number), empty;

	if (g->members)
		return;
	upci_process_lock();
	empty = *g;
	*g = p->group[--p->groups];
	upci_process_unlock();
	free_group(&empty);
}

/* With reads in user mode, if the kernel takes it so. */
static int open_member(const struct upci_perf_group *g, const struct perf_event_attr *attr,
		       unsigned target)
{
	struct perf_event_attr with = *attr;
	int fd;

	with.config1 |= g->user.config1;
	fd = upci_perf_open(&with, &g->target[target], g->leader[target]);
	if (fd >= 0 || with.config1 == attr->config1 || (errno != EINVAL && errno != EOPNOTSUPP))
		return fd;
	return upci_perf_open(attr, &g->target[target], g->leader[target]);
}

/* Opens a member in all targets of a group, or in none. */
static int join_group(struct upci_perf *p, struct upci_perf_group *g,
		      const struct upci_perf_spec *spec, const struct perf_event_attr *attr,
		      const char *name)
{
	const struct perf_event_mmap_page *page;
	unsigned i, number = g->number;
	int error = 0, handle = 0, *fd;

	upci_process_lock();
	error = reserve_locked(p, g, &handle);
	upci_process_unlock();
	fd = error ? NULL : malloc(g->targets * sizeof(int));
	if (!fd)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	for (i = 0; i < g->targets; i++) {
		fd[i] = open_member(g, attr, i);
		if (fd[i] < 0) {
			error = upci_perf_fail(name, &g->target[i], g->key != UPCI_PERF_SOFTWARE);
			forget_and_close(&fd, i);
			return error;
		}
	}
	page = g->user.map ? upci_user_map(fd[0]) : NULL;
	upci_process_lock();
	p->member[handle] = (struct upci_perf_member){.used = true,
						      .halted = attr->disabled,
						      .group = number,
						      .fd = fd,
						      .page = page,
						      .spec = *spec,
						      .name = name,
						      .ran = upci_perf_ran(g)};
	g->handle[g->members++] = handle;
	upci_process_unlock();
	return handle;
}

/* One ioctl on one descriptor of each target. A task that is gone keeps its
 * counts, and there is nothing to switch any more. */
static int switch_all(const int *fd, unsigned n, unsigned long request)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (ioctl(fd[i], request, 0) < 0 && errno != ESRCH)
			return upci_fail(UPC_ESYSTEM, "perf ioctl: %s", strerror(errno));
	return 0;
}

static int switch_groups(struct upci_perf *p, unsigned long request)
{
	unsigned g;
	int error = 0;

	for (g = 0; g < p->groups && !error; g++)
		error = switch_all(p->group[g].leader, p->group[g].targets, request);
	return error;
}

/*
 * Before a group that runs is asked for one counter more: it counts. One that was given up
 * could not tell any more whether it is this that has no room, and switching it on again
 * would hide what it has missed.
 */
static int check_counts(struct upci_perf *p, struct upci_perf_group *g, const char *name)
{
	int given_up = upci_perf_look(p, g);

	return given_up > 0 ? upci_fit_fail_beside(name) : given_up;
}

int upci_perf_add(struct upci_perf *p, const struct upci_perf_spec *spec, bool halted,
		  const char *name)
{
	struct perf_event_attr attr = upci_perf_attr(spec);
	uint32_t key = upci_perf_key(spec->type);
	const bool beside = p->running && key != UPCI_PERF_SOFTWARE;
	struct upci_perf_group *g = find_group(p, key);
	int handle, error;

	if (spec->cpu_only && p->context.pid)
		return upci_fail(
			UPC_ENOSUPP,
			"%s: counts whole CPUs, not threads; count it in the context of a CPU or of the "
			"machine",
			name);
	attr.read_format = READ_FORMAT;
	attr.disabled = halted;
	set_inherit(p, &attr);
	/* Where children inherit it has this batch's events alone. */
	if (g && beside && !attr.inherit) {
		error = check_counts(p, g, name);
		if (error)
			return error;
	}
	if (!g) {
		error = open_group(p, key, name, &g);
		if (error)
			return error;
	}
	handle = join_group(p, g, spec, &attr, name);
	if (handle < 0) {
		close_empty_group(p, g->number);
		return handle;
	}
	error = upci_fit_is_known(p, key) ? 0 : upci_fit_check(p, key, -1, name);
	if (!error && beside && upci_fit_group_refused(g, gettid()))
		error = upci_fit_fail_beside(name);
	if (!error)
		return handle;
	upci_perf_remove(p, handle);
	/* Without it the others have their counters back. */
	if (beside)
		(void)switch_groups(p, PERF_EVENT_IOC_ENABLE);
	return error;
}

void upci_perf_remove(struct upci_perf *p, int handle)
{
	struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g = find_number(p, m->group);
	unsigned i, number = m->group, targets = g->targets;
	const struct perf_event_mmap_page *page;
	int *fd;

	upci_samplers_remove(&p->samplers, handle);
	upci_process_lock();
	fd = m->fd;
	page = m->page;
	m->fd = NULL;
	m->page = NULL;
	m->used = false;
	for (i = 0; g->handle[i] != handle; i++)
		;
	memmove(&g->handle[i], &g->handle[i + 1], (--g->members - i) * sizeof(int));
	upci_process_unlock();
	upci_user_unmap(page, p->context.pid);
	forget_and_close(&fd, targets);
	close_empty_group(p, number);
}

/* Whom there is nothing of to count any more. Children that inherit count on without the
 * one they have it from. */
static int check_task(const struct upci_perf *p)
{
	const struct upci_context *context = &p->context;
	const bool thread = context->kind == UPC_CONTEXT_THREAD;
	struct upci_perf_target *target;
	int targets, i;

	if (!p->groups || !context->pid || context->inherit)
		return 0;
	if (thread ? context->tid == upci_thread_id() : context->pid == getpid())
		return 0;
	targets = upci_context_targets(context, &target);
	if (targets < 0)
		return targets;
	for (i = 0; i < targets && upci_perf_has_ended(target[i].tid); i++)
		;
	free(target);
	if (i < targets)
		return 0;
	return upci_fail(UPC_ENOTASK, "%s %d has ended: there is nothing of it to count any more",
			 thread ? "thread" : "process",
			 (int)(thread ? context->tid : context->pid));
}

/* The name of an event whose overflow signals have no counter, or NULL. */
static const char *find_starved(const struct upci_perf *p)
{
	unsigned h;

	for (h = 0; h < p->handles; h++) {
		const struct upci_perf_member *m = &p->member[h];

		if (m->used && upci_perf_key(m->spec.type) != UPCI_PERF_SOFTWARE &&
		    upci_samplers_starved(&p->samplers, (int)h))
			return m->name;
	}
	return NULL;
}

int upci_perf_start(struct upci_perf *p)
{
	/* All that needs not lie behind the first ENABLE lies before it. */
	const bool look = !p->waits_for_exec && upci_fit_has_hardware(p);
	const char *starved = NULL;
	int error = check_task(p);

	if (!error && !p->waits_for_exec)
		error = switch_groups(p, PERF_EVENT_IOC_ENABLE);
	if (error)
		return error;
	p->refused = look && upci_fit_refused(p, gettid());
	if (!p->refused) {
		p->waits_for_exec = false;
		p->running = true;
		error = upci_samplers_run(&p->samplers, true);
		if (!p->samplers.top || !look || error)
			return error;
		starved = find_starved(p);
		if (!starved)
			return 0;
	}
	p->refused = true;
	(void)upci_perf_stop(p);
	return starved ? upci_fit_fail_signals(starved) : upci_fit_fail_start();
}

/* Samplers go on and off after the groups, each by the same distance, so what they
 * miss at one end they make up for at the other. */
int upci_perf_stop(struct upci_perf *p)
{
	int error, signals;

	p->running = false;
	error = switch_groups(p, PERF_EVENT_IOC_DISABLE);
	signals = upci_samplers_run(&p->samplers, false);
	return error ? error : signals;
}

static int switch_member(struct upci_perf *p, int handle, unsigned long request)
{
	struct upci_perf_member *m = &p->member[handle];
	int error = switch_all(m->fd, find_number(p, m->group)->targets, request), signals;

	m->halted = request == PERF_EVENT_IOC_DISABLE;
	signals = upci_samplers_halt(&p->samplers, handle, m->halted);
	return error ? error : signals;
}

int upci_perf_halt(struct upci_perf *p, int handle)
{
	return switch_member(p, handle, PERF_EVENT_IOC_DISABLE);
}

int upci_perf_continue(struct upci_perf *p, int handle)
{
	const struct upci_perf_member *m = &p->member[handle];
	struct upci_perf_group *g = find_number(p, m->group);
	int error;

	if (!p->running || !m->halted || g->key == UPCI_PERF_SOFTWARE)
		return switch_member(p, handle, PERF_EVENT_IOC_ENABLE);
	error = check_counts(p, g, m->name);
	if (!error)
		error = switch_member(p, handle, PERF_EVENT_IOC_ENABLE);
	if (error)
		return error;
	if (!upci_fit_group_refused(g, gettid()) && !upci_samplers_starved(&p->samplers, handle))
		return 0;
	/* Halted again, and the others have their counters back. */
	(void)switch_member(p, handle, PERF_EVENT_IOC_DISABLE);
	(void)switch_all(g->leader, g->targets, PERF_EVENT_IOC_ENABLE);
	return upci_fit_fail_beside(m->name);
}

int upci_perf_set_period(struct upci_perf *p, int handle, const struct upci_perf_spec *spec,
			 uint64_t period, int signal, const char *name)
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
	return upci_samplers_put(&p->samplers, handle, fd, period, p->member[handle].halted,
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
