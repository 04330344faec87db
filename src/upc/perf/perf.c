/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.c - opens, closes, starts and stops the perf_event groups of one context. perf.h names the other parts
 * of the perf source.
 * Terms: perf/perf.h, base/target.h.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.h"
#include "perf/cgroup.h"
#include "perf/perf.h"
#include "perf/perf_fit.h"
#include "perf/perf_groups.h"
#include "perf/perf_open.h"
#include "base/process.h"
#include "base/words.h"
#include "procfs/roots.h"

bool upci_perf_is_software(const struct upci_perf_spec *spec)
{
	return upci_perf_key(spec->type) == UPCI_PERF_SOFTWARE;
}

void upci_perf_forget_and_close(int **fds, unsigned n)
{
	int *fd = *fds;
	unsigned i;

	*fds = NULL;
	/* A fork in another thread copies memory in program order. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	for (i = 0; fd && i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	free(fd);
}

void upci_perf_forget_into(struct upci_bag *bag, int **fds, unsigned n, uint32_t type)
{
	int *fd = *fds;

	if (type != PERF_TYPE_TRACEPOINT) {
		upci_perf_forget_and_close(fds, n);
		return;
	}
	*fds = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	upci_bag_add(bag, fd, fd ? n : 0);
	free(fd);
}

/* Free a group. bag is NULL in a forked child, which closes all at once: its close is never the last of an
 * event. */
static void free_group(struct upci_perf_group *g, struct upci_bag *bag)
{
	if (bag)
		upci_perf_forget_into(bag, &g->leader, g->targets, g->attr.type);
	else
		upci_perf_forget_and_close(&g->leader, g->targets);
	free(g->target);
	free(g->handle);
	free(g->span);
}

int upci_perf_create(const struct upci_context *context, struct upci_perf **perf)
{
	struct upci_perf *p = calloc(1, sizeof(*p));

	if (!p)
		return upci_fail(UPC_ENOMEM, "no memory for perf groups");
	p->maker = getpid();
	p->context = *context;
	p->waits_for_exec = context->enable_on_exec;
	upci_samplers_init(&p->samplers);
	*perf = p;
	return 0;
}

struct upci_perf_group *upci_perf_group_of(struct upci_perf *p, unsigned number)
{
	unsigned i;

	for (i = 0; p->group[i].number != number; i++)
		;
	return &p->group[i];
}

void upci_perf_disable_for_good(const struct upci_perf_group *g)
{
	unsigned i;

	for (i = 0; i < g->targets; i++)
		(void)ioctl(g->leader[i], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

/* Close everything. In a forked child the process lock is held already. */
static void clear_perf(struct upci_perf *p, bool child)
{
	/* In the child of a bare clone the events are also its parent's, which go on. */
	const bool ours = !child && p->maker == getpid();
	struct upci_bag bag = {0};
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
	p->handles = p->groups = p->waiting = p->removed = 0;
	p->answer.known = false;
	if (!child)
		upci_process_unlock();
	upci_samplers_clear(&p->samplers, ours);
	for (g = 0; g < groups && ours; g++)
		upci_perf_disable_for_good(&group[g]);
	for (i = 0; i < handles; i++) {
		/* A fork may copy a waiting member half written; such a member has no descriptors. */
		if (!member[i].fd)
			continue;
		for (g = 0; group[g].number != member[i].group; g++)
			;
		if (child) {
			upci_perf_forget_and_close(&member[i].fd, group[g].targets);
			continue;
		}
		upci_perf_forget_into(&bag, &member[i].fd, group[g].targets, member[i].spec.type);
		upci_user_unmap(member[i].page, p->context.pid);
	}
	for (g = 0; g < groups; g++)
		free_group(&group[g], child ? NULL : &bag);
	free(member);
	free(group);
	upci_bag_let_go(&bag);
}

void upci_perf_gather(const struct upci_perf *p, struct upci_bag *bag)
{
	unsigned h, g;

	for (g = 0; g < p->groups; g++)
		if (p->group[g].attr.type == PERF_TYPE_TRACEPOINT)
			upci_bag_add(bag, p->group[g].leader, p->group[g].targets);
	for (h = 0; h < p->handles; h++) {
		const struct upci_perf_member *m = &p->member[h];

		if (!m->fd || m->spec.type != PERF_TYPE_TRACEPOINT)
			continue;
		for (g = 0; p->group[g].number != m->group; g++)
			;
		upci_bag_add(bag, m->fd, p->group[g].targets);
	}
	upci_samplers_gather(&p->samplers, bag);
}

void upci_perf_destroy(struct upci_perf *p)
{
	clear_perf(p, false);
	free(p->buffer);
	free(p);
}

void upci_perf_forked(struct upci_perf *p)
{
	/* Closing a copy of a descriptor does not affect the parent's event. */
	clear_perf(p, true);
	p->running = p->refused = false;
	p->waits_for_exec = false;
	p->clock = p->clock_at = 0;
	upci_context_forked(&p->context);
}

/* Linux 5.13 introduced inherit_thread; older kernels return EINVAL. */
void upci_perf_set_inherit(const struct upci_perf *p, struct perf_event_attr *attr)
{
	attr->inherit = p->context.inherit || p->context.inherit_threads;
	attr->inherit_thread = p->context.inherit_threads && !p->context.inherit;
}

/* Return the attributes of a group's leader. If no event can lead the group, the leader counts nothing. */
static struct perf_event_attr attr_of_leader(const struct upci_perf *p, uint32_t key,
					     const struct perf_event_attr *leading)
{
	struct perf_event_attr attr = leading ? *leading : upci_perf_dummy();

	attr.read_format = UPCI_PERF_READ_FORMAT;
	attr.disabled = !p->running;
	attr.enable_on_exec = p->waits_for_exec;
	/* A hardware group is pinned: it counts all the time, or the kernel reports that it does not. For a
	 * flexible group only the times report that. */
	attr.pinned = key != UPCI_PERF_SOFTWARE && !p->context.flexible;
	upci_perf_set_inherit(p, &attr);
	return attr;
}

/* Open the leaders of a new group. Leave out threads that have ended since they were listed and CPUs that
 * went offline, unless no target remains. */
int upci_perf_open_group(struct upci_perf *p, uint32_t key, const struct perf_event_attr *leading,
			 const char *name, struct upci_perf_group **opened)
{
	struct upci_perf_group g = {.key = key,
				    .number = p->numbers,
				    .batch = p->batch,
				    .attr = attr_of_leader(p, key, leading),
				    .counts = leading != NULL,
				    .by_clock = p->context.cgroup != 0,
				    .aged_at = upci_perf_clock(p),
				    .first_told = -1};
	struct upci_perf_group *grown;
	struct upci_bag bag = {0};
	int listed = upci_context_targets(&p->context, key, &g.target), i, error = 0;

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
		g.leader[g.targets] = upci_perf_open(&g.attr, &g.target[g.targets], -1);
		if (g.leader[g.targets] >= 0)
			g.targets++;
		else if (errno == EINVAL && p->context.inherit_threads && !p->context.inherit)
			error = upci_fail(
				UPC_ENOSUPP,
				"%s: counting a process without its children needs Linux 5.13; count "
				"them too (inherit), or a thread",
				name);
		else if ((errno != ESRCH && !upci_perf_is_offline(p, errno)) ||
			 (!g.targets && i == listed - 1))
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
	if (error) {
		free_group(&g, &bag);
		upci_bag_let_go(&bag);
	} else {
		*opened = &p->group[p->groups - 1];
	}
	return error;
}

struct upci_perf_group *upci_perf_find_group(struct upci_perf *p, uint32_t key)
{
	bool inherited = p->context.inherit || p->context.inherit_threads;
	unsigned i;

	for (i = 0; i < p->groups; i++)
		if (p->group[i].key == key && (!inherited || p->group[i].batch == p->batch))
			return &p->group[i];
	return NULL;
}

void upci_perf_close_empty(struct upci_perf *p, unsigned number, struct upci_bag *bag)
{
	struct upci_perf_group *g = upci_perf_group_of(p, number), empty;

	if (g->members || g->first_told >= 0)
		return;
	upci_process_lock();
	empty = *g;
	*g = p->group[--p->groups];
	upci_process_unlock();
	free_group(&empty, bag);
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
	const bool inherits = p->context.inherit || p->context.inherit_threads;
	unsigned a, b;

	for (a = 0; a < p->groups; a++) {
		if (p->waiting && inherits && p->group[a].key == UPCI_PERF_SOFTWARE)
			return true;
		for (b = 0; b < a; b++)
			if (p->group[a].key == p->group[b].key)
				return true;
	}
	return false;
}

/* Make one ioctl on one descriptor of each target. Go on after a failure, so that an event does not count on
 * because another could not be stopped. Return the first failure. A task that is gone keeps its counts; its
 * ESRCH is no failure. */
int upci_perf_switch(const int *fd, unsigned n, unsigned long request)
{
	int failed = 0;
	unsigned i;

	for (i = 0; i < n; i++)
		if (fd[i] >= 0 && ioctl(fd[i], request, 0) < 0 && errno != ESRCH && !failed)
			failed = errno;
	return failed ? upci_fail(UPC_ESYSTEM, "perf ioctl: %s", upci_words_of_errno(failed)) : 0;
}

int upci_perf_switch_groups(struct upci_perf *p, unsigned long request)
{
	int error = 0, failed;
	unsigned g;

	for (g = 0; g < p->groups; g++) {
		failed = upci_perf_switch(p->group[g].leader, p->group[g].targets, request);
		error = error ? error : failed;
	}
	return error;
}

/* True if all threads of a process have ended; they may outlive the first. Nothing is allocated, since a
 * signal handler of libmpx may start a unit and thus call this. */
static bool process_has_ended(pid_t pid)
{
	union {
		struct dirent64 entry;
		char bytes[1024];
	} list;
	bool lives = false;
	char path[32];
	long n, at;
	int fd;

	if (!upci_perf_has_ended(pid))
		return false;
	snprintf(path, sizeof(path), "%d/task", (int)pid);
	fd = upci_root_open(UPCI_ROOT_PROC, 0, 0, path);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH;
	while (!lives && (n = syscall(SYS_getdents64, fd, &list, sizeof(list))) > 0) {
		for (at = 0; at < n && !lives;) {
			const struct dirent64 *entry = (const struct dirent64 *)(list.bytes + at);
			pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

			lives = tid > 0 && !upci_perf_has_ended(tid);
			at += entry->d_reclen;
		}
	}
	close(fd);
	return !lives;
}

/* Return UPC_ENOTASK with message if the counted thread, process or control group is gone, else 0. Children
 * that inherit the events count on without their parent. */
static int check_task(const struct upci_perf *p)
{
	const struct upci_context *context = &p->context;
	const bool thread = context->kind == UPC_CONTEXT_THREAD;

	if (p->groups && context->cgroup && upci_cgroup_is_gone(context->cgroup))
		return upci_cgroup_fail_gone(context->cgroup, NULL);
	if (!p->groups || !context->pid || context->inherit)
		return 0;
	if (thread ? context->tid == upci_thread_id() : context->pid == getpid())
		return 0;
	if (thread ? !upci_perf_has_ended(context->tid) : !process_has_ended(context->pid))
		return 0;
	return upci_fail(UPC_ENOTASK, "%s %d has ended: there is nothing of it to count any more",
			 thread ? "thread" : "process", (int)(thread ? context->tid : context->pid));
}

/* Return the name of an event whose overflow signals have no counter, or NULL. */
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
	/* Do everything possible before the first ENABLE, so that little runs after it. */
	const bool look = !p->waits_for_exec && !p->context.flexible && upci_fit_has_hardware(p);
	const char *starved = NULL;
	int error = check_task(p);

	if (!error && !p->waits_for_exec) {
		upci_perf_start_clock(p);
		error = upci_perf_switch_groups(p, PERF_EVENT_IOC_ENABLE);
	}
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

/* Samplers are switched after the groups at both start and stop, with the same delay, so that the two
 * differences cancel out. */
int upci_perf_stop(struct upci_perf *p)
{
	int error, signals;

	p->running = false;
	error = upci_perf_switch_groups(p, PERF_EVENT_IOC_DISABLE);
	upci_perf_stop_clock(p);
	signals = upci_samplers_run(&p->samplers, false);
	return error ? error : signals;
}
