/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.c - perf_event groups of one context, and the words for what the kernel
 * refuses. Part of the perf source: events that signal are perf_sampler.c's, and are
 * opened here.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "context.h"
#include "fds.h"
#include "files.h"
#include "message.h"
#include "perf.h"
#include "perf_sampler.h"
#include "perf_user.h"
#include "process.h"

/* Group of software events and tracepoints, which the kernel schedules
 * together; hardware groups have the PMU's type. */
#define SOFTWARE_GROUP UINT32_MAX

struct member {
	bool used, halted;
	unsigned group; /* its number, which stays */
	int *fd;	/* one per target of the group */
	const struct perf_event_mmap_page *page; /* for reads in user mode, or NULL */
	struct upci_perf_spec spec;
};

/* How long a target's group had its counters, by the last read and by the one from
 * which states are told. */
struct span {
	uint64_t running, lost; /* enabled, with and without counters */
	uint64_t running_base, lost_base;
	bool failed; /* since the base the kernel has given it up */
};

struct group {
	uint32_t key;
	unsigned number; /* the groups of a unit are numbered from 0 on, once */
	unsigned batch;	 /* in which it was opened */
	struct upci_perf_target *target;
	unsigned targets;
	int *leader;	   /* one fd per target */
	struct span *span; /* one per target */
	int *handle; /* members in the order in which the kernel has them */
	unsigned members, room;
	struct upci_user_mode user;
};

/*
 * A fork in another thread may happen at any instruction, and the child then
 * closes what it finds here. So what is closed is first forgotten, and arrays
 * change under the process lock, which forks hold.
 */
struct upci_perf {
	struct upci_context context;
	bool running;
	bool waits_for_exec; /* the first start is the exec's */
	bool refused;	     /* the last start was: nothing counts */
	bool ever_enabled;
	unsigned batch;
	struct group *group;
	unsigned groups, numbers;
	struct member *member;
	unsigned handles;
	struct upci_samplers samplers;
	uint64_t *buffer; /* one group read */
	size_t buffer_bytes;
};

/* What a read gives before the values (PERF_FORMAT_GROUP and both times); the
 * first value is the leader's. */
struct read_head {
	uint64_t events, enabled, running, leader;
};

static int open_event(const struct perf_event_attr *attr, const struct upci_perf_target *target, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, target->tid, target->cpu, group,
			    (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_attr attr_of(const struct upci_perf_spec *spec)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = spec->type,
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.exclude_user = spec->exclude_user,
		.exclude_kernel = spec->exclude_kernel,
		.exclude_hv = spec->exclude_hv,
	};
}

static uint32_t group_key(uint32_t type)
{
	switch (type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
		return SOFTWARE_GROUP;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return PERF_TYPE_RAW;
	default:
		return type;
	}
}

int upci_perf_paranoid(void)
{
	char *text = upci_file_slurp(UPCI_ROOT_PROC, "sys/kernel/perf_event_paranoid", NULL);
	int level = text ? atoi(text) : INT_MAX;

	free(text);
	return level;
}

/* The kernel's refusal in words: what it was, why, and what to do. */
static int fail_open(const char *name, const struct upci_perf_target *target, bool hardware)
{
	int e = errno;

	switch (e) {
	case EACCES:
	case EPERM:
		return upci_fail(UPC_EPERM,
				 "%s: the kernel does not permit it (perf_event_paranoid is %d; a container's "
				 "seccomp filter answers so too): run as root or with CAP_PERFMON%s",
				 name, upci_perf_paranoid(),
				 target->tid > 0 ? ", and attach to processes of your own only" : "");
	case EMFILE:
	case ENFILE:
		return upci_fail(UPC_EMFILE,
				 "%s: too few file descriptors are left (a reserve is kept for the program); "
				 "raise the limit (ulimit -n) or count fewer events",
				 name);
	case ESRCH:
		return upci_fail(UPC_ENOTASK, "%s: there is no thread %d", name, (int)target->tid);
	case ENOSYS:
		return upci_fail(UPC_ENOSUPP, "%s: this kernel, or a seccomp filter, has no perf events", name);
	case ENODEV:
		if (target->tid < 0)
			return upci_fail(UPC_ENOTASK, "%s: CPU %d is not online", name, target->cpu);
		/* Also the answer for the group of a thread that has ended. */
		if (target->tid > 0 && kill(target->tid, 0) < 0 && errno == ESRCH)
			return upci_fail(UPC_ENOTASK, "%s: there is no thread %d", name, (int)target->tid);
		/* fall through */
	case ENOENT:
	case EOPNOTSUPP:
		return upci_fail(UPC_ENOSUPP, "%s: the kernel has no counter for it on this machine", name);
	case EINVAL:
	case ENOSPC:
	case EBUSY:
		if (hardware)
			return upci_fail(UPC_ECONFLICT,
					 "%s: does not fit the PMU's counters together with the hardware events "
					 "already added; count it in a run of its own",
					 name);
		return upci_fail(UPC_ENOSUPP, "%s: the kernel cannot count it in this context (%s)", name,
				 strerror(e));
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%s: the kernel has no memory for it", name);
	default:
		return upci_fail(UPC_ESYSTEM, "%s: perf_event_open: %s", name, strerror(e));
	}
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

static struct group *find_number(struct upci_perf *p, unsigned number)
{
	unsigned i;

	for (i = 0; p->group[i].number != number; i++)
		;
	return &p->group[i];
}

/* Closes everything; in a forked child the process lock is held already. */
static void clear(struct upci_perf *p, bool child)
{
	struct member *member;
	struct group *group;
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
			upci_user_unmap(member[i].page);
	}
	for (g = 0; g < groups; g++) {
		forget_and_close(&group[g].leader, group[g].targets);
		free(group[g].handle);
		free(group[g].target);
		free(group[g].span);
	}
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

static int open_leader(const struct upci_perf *p, uint32_t key, const struct upci_perf_target *target)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	attr.disabled = !p->running;
	attr.enable_on_exec = p->waits_for_exec;
	/* A hardware group counts all the time or says that it does not. */
	attr.pinned = key != SOFTWARE_GROUP;
	set_inherit(p, &attr);
	return upci_fd_keep(open_event(&attr, target, -1));
}

static void free_group(struct group *g)
{
	forget_and_close(&g->leader, g->targets);
	free(g->target);
	free(g->handle);
	free(g->span);
}

/* Opens the leaders of a new group. Threads that have ended since they were
 * listed are left out, if any is left. */
static int open_group(struct upci_perf *p, uint32_t key, const char *name, struct group **opened)
{
	struct group g = {.key = key, .number = p->numbers, .batch = p->batch}, *grown;
	int listed = upci_context_targets(&p->context, &g.target), i, error = 0;

	if (listed < 0)
		return listed;
	if (key != SOFTWARE_GROUP)
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
			error = upci_fail(UPC_ENOSUPP,
					  "%s: counting a process without its children needs Linux 5.13; count "
					  "them too (inherit), or a thread",
					  name);
		else if (errno != ESRCH || (!g.targets && i == listed - 1))
			error = fail_open(name, &g.target[g.targets], false);
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
static struct group *find_group(struct upci_perf *p, uint32_t key)
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

bool upci_perf_ever_enabled(const struct upci_perf *p)
{
	return p->ever_enabled;
}

/* Room for one more member of a group, its handle, and its value in a read. */
static int reserve_locked(struct upci_perf *p, struct group *g, int *handle)
{
	size_t bytes = sizeof(struct read_head) + (g->members + 1) * sizeof(uint64_t);
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
		struct member *grown = realloc(p->member, (h + 1) * sizeof(*grown));

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
	struct group *g = find_number(p, number), empty;

	if (g->members)
		return;
	upci_process_lock();
	empty = *g;
	*g = p->group[--p->groups];
	upci_process_unlock();
	free_group(&empty);
}

/* With reads in user mode, if the kernel takes it so. */
static int open_member(const struct group *g, const struct perf_event_attr *attr, unsigned target)
{
	struct perf_event_attr with = *attr;
	int fd;

	with.config1 |= g->user.config1;
	fd = upci_fd_keep(open_event(&with, &g->target[target], g->leader[target]));
	if (fd >= 0 || with.config1 == attr->config1 || (errno != EINVAL && errno != EOPNOTSUPP))
		return fd;
	return upci_fd_keep(open_event(attr, &g->target[target], g->leader[target]));
}

/* Opens a member in all targets of a group, or in none. */
static int join_group(struct upci_perf *p, struct group *g, const struct upci_perf_spec *spec,
		      const struct perf_event_attr *attr, const char *name)
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
			error = fail_open(name, &g->target[i], g->key != SOFTWARE_GROUP);
			forget_and_close(&fd, i);
			return error;
		}
	}
	page = g->user.map ? upci_user_map(fd[0]) : NULL;
	upci_process_lock();
	p->member[handle] = (struct member){
		.used = true, .halted = attr->disabled, .group = number, .fd = fd, .page = page, .spec = *spec};
	g->handle[g->members++] = handle;
	upci_process_unlock();
	return handle;
}

/* ---- what fits a PMU --------------------------------------------------- */

/* Adds one to what is tried together; counts those that the kernel took. */
static int try_one(const struct upci_perf_spec *spec, const struct upci_perf_target *target, int *fd, unsigned *n)
{
	struct perf_event_attr attr = attr_of(spec);

	fd[*n] = upci_fd_keep(open_event(&attr, target, fd[0]));
	if (fd[*n] < 0)
		return -1;
	++*n;
	return 0;
}

/*
 * Whether everything of a PMU that is opened, and a sampler of the handle (-1: none),
 * can count at a time: all is opened once more, in one group that never runs. All of
 * it is enabled but the leader, which no PMU sees, since the kernel leaves out of its
 * own check what is disabled and what is in other groups. It does not depend on whom
 * the events count, so the calling thread does for every task.
 */
static int check_fit(struct upci_perf *p, uint32_t key, int sampler, const char *name)
{
	struct perf_event_attr leader = {
		.size = sizeof(leader),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct upci_perf_target target = {0, -1};
	unsigned h, n = 0;
	int error = 0, *fd = malloc((2 * (size_t)p->handles + 1) * sizeof(int));

	if (!fd)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	for (h = 0; !p->context.pid && h < p->groups; h++)
		if (p->group[h].key == key)
			target = p->group[h].target[0];
	fd[0] = upci_fd_keep(open_event(&leader, &target, -1));
	if (fd[0] < 0)
		error = fail_open(name, &target, false);
	else
		n = 1;
	for (h = 0; !error && h < p->handles; h++) {
		const struct member *m = &p->member[h];
		bool samples = (int)h == sampler || upci_samplers_has(&p->samplers, (int)h);

		if (!m->used || group_key(m->spec.type) != key)
			continue;
		if (try_one(&m->spec, &target, fd, &n) || (samples && try_one(&m->spec, &target, fd, &n)))
			error = fail_open(name, &target, true);
	}
	/* The leader last: without it each of the others would be scheduled by itself. */
	while (n)
		close(fd[--n]);
	free(fd);
	return error;
}

/*
 * Whether the kernel itself has checked an event that was added: against all of the
 * unit's on its PMU. That is so where they are in one group and enabled; an ordinary
 * add costs nothing more than its system call.
 */
static bool kernel_has_checked(const struct upci_perf *p, uint32_t key)
{
	unsigned h, g, groups = 0;

	if (key == SOFTWARE_GROUP)
		return true;
	for (g = 0; g < p->groups; g++)
		groups += p->group[g].key == key;
	for (h = 0; groups == 1 && h < p->handles; h++) {
		const struct member *m = &p->member[h];

		if (m->used && group_key(m->spec.type) == key &&
		    (m->halted || upci_samplers_has(&p->samplers, (int)h)))
			return false;
	}
	return groups == 1;
}

int upci_perf_add(struct upci_perf *p, const struct upci_perf_spec *spec, bool halted, const char *name)
{
	struct perf_event_attr attr = attr_of(spec);
	uint32_t key = group_key(spec->type);
	struct group *g = find_group(p, key);
	int handle, error;

	if (spec->cpu_only && p->context.pid)
		return upci_fail(UPC_ENOSUPP,
				 "%s: counts whole CPUs, not threads; count it in the context of a CPU or of the "
				 "machine",
				 name);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = halted;
	set_inherit(p, &attr);
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
	if (kernel_has_checked(p, key))
		return handle;
	error = check_fit(p, key, -1, name);
	if (error)
		upci_perf_remove(p, handle);
	return error ? error : handle;
}

void upci_perf_remove(struct upci_perf *p, int handle)
{
	struct member *m = &p->member[handle];
	struct group *g = find_number(p, m->group);
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
	upci_user_unmap(page);
	forget_and_close(&fd, targets);
	close_empty_group(p, number);
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
 * Whether the PMU had no room for a group that was enabled just now. The kernel knows
 * at once for a CPU and for the calling thread, self; for others when they run next.
 * One byte is less than any group is: the answer is ENOSPC, without anything being
 * read, or the end of file of a pinned group that was given up.
 */
static int check_room(const struct upci_perf *p, pid_t self)
{
	unsigned g, i;
	char byte;

	for (g = 0; g < p->groups; g++) {
		const struct group *group = &p->group[g];

		for (i = 0; group->key != SOFTWARE_GROUP && i < group->targets; i++)
			if ((group->target[i].tid < 0 || group->target[i].tid == self) &&
			    read(group->leader[i], &byte, 1) == 0)
				return UPC_ECONFLICT;
	}
	return 0;
}

static int fail_room(void)
{
	return upci_fail(UPC_ECONFLICT,
			 "the PMU has no counters left for the unit's hardware events: others that run hold them "
			 "(another unit or event set here, perf, the kernel's watchdog); stop those first, or count "
			 "fewer hardware events");
}

static bool has_hardware(const struct upci_perf *p)
{
	unsigned g;

	for (g = 0; g < p->groups; g++)
		if (p->group[g].key != SOFTWARE_GROUP)
			return true;
	return false;
}

int upci_perf_start(struct upci_perf *p)
{
	/* All that needs not lie behind the first ENABLE lies before it. */
	const bool look = !p->waits_for_exec && has_hardware(p);
	const pid_t self = look ? gettid() : 0;
	int error = p->waits_for_exec ? 0 : switch_groups(p, PERF_EVENT_IOC_ENABLE);

	if (!error && look)
		error = check_room(p, self);
	p->refused = error == UPC_ECONFLICT;
	if (p->refused) {
		(void)upci_perf_stop(p);
		return fail_room();
	}
	p->waits_for_exec = false;
	p->running = !error;
	return error ? error : upci_samplers_run(&p->samplers, true);
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
	struct member *m = &p->member[handle];
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
	return switch_member(p, handle, PERF_EVENT_IOC_ENABLE);
}

static int open_sampler(const struct upci_perf *p, const struct upci_perf_spec *spec, uint64_t period,
			const char *name)
{
	const struct upci_perf_target target = {p->context.tid, -1};
	struct perf_event_attr attr = attr_of(spec);
	int fd;

	attr.sample_period = upci_sampler_kernel_period(period);
	attr.wakeup_events = 1;
	attr.disabled = 1;
	/* Of the signals that come in an exec, where nobody handles them any more, this
	 * keeps most away; it came with Linux 5.13. */
	attr.remove_on_exec = 1;
	fd = upci_fd_keep(open_event(&attr, &target, -1));
	if (fd < 0 && (errno == EINVAL || errno == E2BIG)) {
		attr.remove_on_exec = 0;
		fd = upci_fd_keep(open_event(&attr, &target, -1));
	}
	if (fd >= 0)
		return fd;
	/* It was opened for counting: what is invalid is to be signalled. */
	if (errno == EINVAL || errno == EOPNOTSUPP)
		return upci_fail(UPC_ENOSUPP, "%s: its PMU counts, but has no overflow signals", name);
	return fail_open(name, &target, group_key(spec->type) != SOFTWARE_GROUP);
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
		return upci_fail(UPC_ENOSUPP,
				 "%s: overflow signals are to be had for a thread of the program itself, without "
				 "its children",
				 name);
	error = upci_samplers_check(&p->samplers, handle, spec, period, signal, name);
	if (error)
		return error;
	fd = open_sampler(p, spec, period, name);
	if (fd < 0)
		return fd;
	if (group_key(spec->type) != SOFTWARE_GROUP) {
		error = check_fit(p, group_key(spec->type), handle, name);
		if (error) {
			close(fd);
			return error;
		}
	}
	return upci_samplers_put(&p->samplers, handle, fd, period, p->member[handle].halted, p->context.tid, signal,
				 name);
}

int upci_perf_restart_period(struct upci_perf *p, int handle, uint64_t left)
{
	return upci_samplers_restart(&p->samplers, handle, left);
}

int upci_perf_signalled(struct upci_perf *p, int fd)
{
	return upci_samplers_signalled(&p->samplers, fd);
}

int upci_perf_handles(const struct upci_perf *p)
{
	return (int)p->handles;
}

/* What a read of a target says about its group's time. A start that was refused, as
 * the caller was told, is no time in which anything should have counted. */
static void keep_span(const struct upci_perf *p, struct span *s, const struct read_head *head, bool failed)
{
	uint64_t lost = head->running < head->enabled ? head->enabled - head->running : 0;

	if (p->refused)
		s->lost_base += lost - s->lost;
	else
		s->failed |= failed;
	s->lost = lost;
	s->running = head->running;
}

/* Adds one target's group to the sums, which the first target's sets. */
static int read_group(struct upci_perf *p, const struct group *g, unsigned target, uint64_t *value)
{
	size_t want = sizeof(struct read_head) + g->members * sizeof(uint64_t);
	ssize_t got = read(g->leader[target], p->buffer, p->buffer_bytes);
	const struct read_head *head = (const struct read_head *)p->buffer;
	const uint64_t *counts = p->buffer + sizeof(*head) / sizeof(uint64_t);
	bool failed = got == 0;
	unsigned i;

	/* A pinned group that the PMU had no room for gives nothing any more. What it
	 * counted before is still there, and any member gives the whole group. */
	if (failed) {
		p->buffer[0] = 0;
		got = read(p->member[g->handle[0]].fd[target], p->buffer, p->buffer_bytes);
	}
	if (got < 0)
		return upci_fail(UPC_ESYSTEM, "reading a perf group: %s", strerror(errno));
	if ((size_t)got < want || head->events != g->members + 1)
		return upci_fail(UPC_ESYSTEM, "reading a perf group of %u events gave %llu", g->members + 1,
				 (unsigned long long)head->events);
	if (head->enabled)
		p->ever_enabled = true;
	keep_span(p, &g->span[target], head, failed);
	for (i = 0; i < g->members; i++)
		value[g->handle[i]] = target ? value[g->handle[i]] + counts[i] : counts[i];
	return 0;
}

static enum upci_perf_state judge(const struct group *g)
{
	bool whole = true, ran = false;
	unsigned i;

	for (i = 0; g->key != SOFTWARE_GROUP && i < g->targets; i++) {
		const struct span *s = &g->span[i];

		whole = whole && !s->failed && s->lost <= s->lost_base;
		ran = ran || s->running > s->running_base;
	}
	return whole ? UPCI_PERF_EXACT : ran ? UPCI_PERF_PARTIAL : UPCI_PERF_NEVER;
}

/*
 * A group that runs on the calling thread, without a system call. False where a member
 * has no page, or its counter is not there now or was not always: what then is to be
 * said, the kernel's times tell.
 */
static bool read_in_user_mode(struct upci_perf *p, const struct group *g, uint64_t *value, uint8_t *state)
{
	bool counts = false;
	unsigned i;

	if (!p->running || !g->user.map || judge(g) != UPCI_PERF_EXACT || !upci_user_here(p->context.tid))
		return false;
	for (i = 0; i < g->members; i++) {
		int handle = g->handle[i];
		const struct member *m = &p->member[handle];
		enum upci_user_answer answer = m->page ? upci_user_read(m->page, &value[handle]) : UPCI_USER_ASK;

		if (answer == UPCI_USER_ASK || (answer == UPCI_USER_STOPPED && !m->halted))
			return false;
		counts |= answer == UPCI_USER_COUNTS;
		state[handle] = UPCI_PERF_EXACT;
	}
	p->ever_enabled |= counts;
	return counts;
}

int upci_perf_read(struct upci_perf *p, uint64_t *value, uint8_t *state)
{
	unsigned g, i;
	int error = 0;

	for (g = 0; g < p->groups && !error; g++) {
		const struct group *group = &p->group[g];
		enum upci_perf_state how;

		if (read_in_user_mode(p, group, value, state))
			continue;
		for (i = 0; i < group->targets && !error; i++)
			error = read_group(p, group, i, value);
		how = judge(group);
		for (i = 0; i < group->members; i++)
			state[group->handle[i]] = (uint8_t)how;
	}
	return error;
}

void upci_perf_rebase(struct upci_perf *p)
{
	unsigned g, i;

	for (g = 0; g < p->groups; g++)
		for (i = 0; i < p->group[g].targets; i++) {
			struct span *s = &p->group[g].span[i];

			s->running_base = s->running;
			s->lost_base = s->lost;
			s->failed = false;
		}
}

int upci_perf_probe(const struct upci_perf_spec *spec, const char *name)
{
	struct perf_event_attr attr = attr_of(spec);
	struct upci_perf_target target = {spec->cpu_only ? -1 : 0, spec->cpu_only ? 0 : -1};
	int fd;

	attr.disabled = 1;
	fd = open_event(&attr, &target, -1);
	if (fd < 0)
		return fail_open(name, &target, false);
	close(fd);
	return 0;
}

int upci_perf_domains(void)
{
	struct upci_perf_spec spec = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	int error = upci_perf_probe(&spec, "counting the kernel");

	if (error == 0)
		return UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR;
	/* Whether it is permitted is one thing, having no descriptor another. */
	return error == UPC_EMFILE || error == UPC_ENOMEM ? error : (int)UPC_DOMAIN_USER;
}
