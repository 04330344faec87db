/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf.c - perf_event groups of one context, and the words for what the kernel
 * refuses.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fds.h"
#include "files.h"
#include "message.h"
#include "perf.h"

/* Group of software events and tracepoints, which the kernel schedules
 * together; hardware groups have the PMU's type. */
#define SOFTWARE_GROUP UINT32_MAX

struct member {
	bool used, halted;
	unsigned group;
	int *fd; /* one per target */
};

struct group {
	uint32_t key;
	int *leader; /* one fd per target */
	int *handle; /* members in the order in which the kernel has them */
	unsigned members, room;
};

struct upci_perf {
	struct upci_perf_target *target;
	unsigned targets;
	bool inherit, running;
	bool waits_for_exec; /* the first start is the exec's */
	struct group *group;
	unsigned groups;
	struct member *member;
	unsigned handles;
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
					 "already added; count it in a run of its own, or multiplex",
					 name);
		return upci_fail(UPC_ENOSUPP, "%s: the kernel cannot count it in this context (%s)", name,
				 strerror(e));
	case ENOMEM:
		return upci_fail(UPC_ENOMEM, "%s: the kernel has no memory for it", name);
	default:
		return upci_fail(UPC_ESYSTEM, "%s: perf_event_open: %s", name, strerror(e));
	}
}

static void close_all(int *fd, unsigned n)
{
	while (n--)
		if (fd[n] >= 0)
			close(fd[n]);
}

int upci_perf_create(const struct upci_perf_target *targets, unsigned n, bool inherit, bool enable_on_exec,
		     struct upci_perf **perf)
{
	struct upci_perf *p = calloc(1, sizeof(*p));

	if (p)
		p->target = malloc(n * sizeof(*targets));
	if (!p || !p->target) {
		free(p);
		return upci_fail(UPC_ENOMEM, "no memory for %u perf targets", n);
	}
	memcpy(p->target, targets, n * sizeof(*targets));
	p->targets = n;
	p->inherit = inherit;
	p->waits_for_exec = enable_on_exec;
	*perf = p;
	return 0;
}

static void clear(struct upci_perf *p)
{
	unsigned i;

	for (i = 0; i < p->handles; i++)
		if (p->member[i].used) {
			close_all(p->member[i].fd, p->targets);
			free(p->member[i].fd);
		}
	for (i = 0; i < p->groups; i++) {
		close_all(p->group[i].leader, p->targets);
		free(p->group[i].leader);
		free(p->group[i].handle);
	}
	free(p->member);
	free(p->group);
	p->member = NULL;
	p->group = NULL;
	p->handles = p->groups = 0;
}

void upci_perf_destroy(struct upci_perf *p)
{
	if (!p)
		return;
	clear(p);
	free(p->buffer);
	free(p->target);
	free(p);
}

void upci_perf_forked(struct upci_perf *p)
{
	/* Closing a copy of a descriptor leaves the parent's event alone. */
	clear(p);
	p->running = false;
	p->waits_for_exec = false;
}

/* Opens the leaders of a new group, disabled unless the unit runs. */
static int open_group(struct upci_perf *p, uint32_t key, const char *name, unsigned *index)
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
	struct group *groups = realloc(p->group, (p->groups + 1) * sizeof(*groups)), *g;
	unsigned i;

	if (!groups)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	p->group = groups;
	g = &groups[p->groups];
	memset(g, 0, sizeof(*g));
	g->key = key;
	g->leader = malloc(p->targets * sizeof(int));
	if (!g->leader)
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	attr.disabled = !p->running || p->waits_for_exec;
	attr.enable_on_exec = p->waits_for_exec;
	attr.inherit = p->inherit;
	/* A hardware group counts all the time or says that it does not. */
	attr.pinned = key != SOFTWARE_GROUP;
	for (i = 0; i < p->targets; i++) {
		g->leader[i] = upci_fd_keep(open_event(&attr, &p->target[i], -1));
		if (g->leader[i] < 0) {
			int error = fail_open(name, &p->target[i], false);

			close_all(g->leader, i);
			free(g->leader);
			return error;
		}
	}
	*index = p->groups++;
	return 0;
}

static int find_group(struct upci_perf *p, uint32_t key, unsigned *index)
{
	for (*index = 0; *index < p->groups; ++*index)
		if (p->group[*index].key == key)
			return 0;
	return -1;
}

/* Room for one more member of a group, its handle, and its value in a read. */
static int reserve(struct upci_perf *p, struct group *g, int *handle)
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

static void close_empty_group(struct upci_perf *p, unsigned index)
{
	struct group *g = &p->group[index];
	unsigned i;

	if (g->members)
		return;
	close_all(g->leader, p->targets);
	free(g->leader);
	free(g->handle);
	*g = p->group[--p->groups];
	for (i = 0; i < p->handles; i++)
		if (p->member[i].used && p->member[i].group == p->groups)
			p->member[i].group = index;
}

int upci_perf_add(struct upci_perf *p, const struct upci_perf_spec *spec, bool halted, const char *name)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = spec->type,
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.exclude_user = spec->exclude_user,
		.exclude_kernel = spec->exclude_kernel,
		.exclude_hv = spec->exclude_hv,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = halted,
		.inherit = p->inherit,
	};
	uint32_t key = group_key(spec->type);
	struct member *m;
	unsigned index, i;
	int error, handle, *fd;

	if (spec->cpu_only && p->target[0].tid >= 0)
		return upci_fail(UPC_ENOSUPP,
				 "%s: counts whole CPUs, not threads; count it in the context of a CPU or of the "
				 "machine",
				 name);
	if (find_group(p, key, &index) < 0) {
		error = open_group(p, key, name, &index);
		if (error)
			return error;
	}
	fd = malloc(p->targets * sizeof(int));
	if (!fd || reserve(p, &p->group[index], &handle) < 0) {
		free(fd);
		close_empty_group(p, index);
		return upci_fail(UPC_ENOMEM, "%s: no memory", name);
	}
	for (i = 0; i < p->targets; i++) {
		fd[i] = upci_fd_keep(open_event(&attr, &p->target[i], p->group[index].leader[i]));
		if (fd[i] < 0) {
			error = fail_open(name, &p->target[i], key != SOFTWARE_GROUP);
			close_all(fd, i);
			free(fd);
			close_empty_group(p, index);
			return error;
		}
	}
	m = &p->member[handle];
	m->used = true;
	m->halted = halted;
	m->group = index;
	m->fd = fd;
	p->group[index].handle[p->group[index].members++] = handle;
	return handle;
}

void upci_perf_remove(struct upci_perf *p, int handle)
{
	struct member *m = &p->member[handle];
	struct group *g = &p->group[m->group];
	unsigned i;

	for (i = 0; g->handle[i] != handle; i++)
		;
	memmove(&g->handle[i], &g->handle[i + 1], (--g->members - i) * sizeof(int));
	close_all(m->fd, p->targets);
	free(m->fd);
	m->used = false;
	close_empty_group(p, m->group);
}

/* One ioctl on one descriptor of each target. A task that is gone keeps its
 * counts, and there is nothing to switch any more. */
static int switch_all(struct upci_perf *p, const int *fd, unsigned long request)
{
	unsigned i;

	for (i = 0; i < p->targets; i++)
		if (ioctl(fd[i], request, 0) < 0 && errno != ESRCH)
			return upci_fail(UPC_ESYSTEM, "perf ioctl: %s", strerror(errno));
	return 0;
}

static int switch_groups(struct upci_perf *p, unsigned long request)
{
	unsigned g;
	int error = 0;

	for (g = 0; g < p->groups && !error; g++)
		error = switch_all(p, p->group[g].leader, request);
	return error;
}

int upci_perf_start(struct upci_perf *p)
{
	int error = 0;

	if (p->waits_for_exec)
		p->waits_for_exec = false;
	else
		error = switch_groups(p, PERF_EVENT_IOC_ENABLE);
	p->running = !error;
	return error;
}

int upci_perf_stop(struct upci_perf *p)
{
	p->running = false;
	return switch_groups(p, PERF_EVENT_IOC_DISABLE);
}

int upci_perf_halt(struct upci_perf *p, int handle)
{
	p->member[handle].halted = true;
	return switch_all(p, p->member[handle].fd, PERF_EVENT_IOC_DISABLE);
}

int upci_perf_continue(struct upci_perf *p, int handle)
{
	p->member[handle].halted = false;
	return switch_all(p, p->member[handle].fd, PERF_EVENT_IOC_ENABLE);
}

int upci_perf_handles(const struct upci_perf *p)
{
	return (int)p->handles;
}

/* Adds one target's group to the sums, which the first target's sets. */
static int read_group(struct upci_perf *p, const struct group *g, unsigned target, uint64_t *value, uint8_t *state)
{
	size_t want = sizeof(struct read_head) + g->members * sizeof(uint64_t);
	ssize_t got = read(g->leader[target], p->buffer, p->buffer_bytes);
	const struct read_head *head = (const struct read_head *)p->buffer;
	const uint64_t *counts = p->buffer + sizeof(*head) / sizeof(uint64_t);
	uint8_t how = UPCI_PERF_EXACT;
	unsigned i;

	if (got < 0)
		return upci_fail(UPC_ESYSTEM, "reading a perf group: %s", strerror(errno));
	if (got == 0) {
		/* A pinned group that the PMU had no room for. */
		for (i = 0; i < g->members; i++) {
			if (!target)
				value[g->handle[i]] = 0;
			state[g->handle[i]] = UPCI_PERF_NEVER;
		}
		return 0;
	}
	if ((size_t)got < want || head->events != g->members + 1)
		return upci_fail(UPC_ESYSTEM, "reading a perf group of %u events gave %llu", g->members + 1,
				 (unsigned long long)head->events);
	if (g->key != SOFTWARE_GROUP && head->running < head->enabled)
		how = head->running ? UPCI_PERF_PARTIAL : UPCI_PERF_NEVER;
	for (i = 0; i < g->members && !target; i++) {
		value[g->handle[i]] = counts[i];
		state[g->handle[i]] = how;
	}
	for (i = 0; i < g->members && target; i++) {
		value[g->handle[i]] += counts[i];
		if (how > state[g->handle[i]])
			state[g->handle[i]] = how;
	}
	return 0;
}

int upci_perf_read(struct upci_perf *p, uint64_t *value, uint8_t *state)
{
	unsigned g, i;
	int error = 0;

	for (g = 0; g < p->groups && !error; g++)
		for (i = 0; i < p->targets && !error; i++)
			error = read_group(p, &p->group[g], i, value, state);
	return error;
}

int upci_perf_probe(const struct upci_perf_spec *spec, const char *name)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = spec->type,
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.disabled = 1,
		.exclude_user = spec->exclude_user,
		.exclude_kernel = spec->exclude_kernel,
		.exclude_hv = spec->exclude_hv,
	};
	struct upci_perf_target target = {spec->cpu_only ? -1 : 0, spec->cpu_only ? 0 : -1};
	int fd = open_event(&attr, &target, -1);

	if (fd < 0)
		return fail_open(name, &target, false);
	close(fd);
	return 0;
}

unsigned upci_perf_domains(void)
{
	static _Atomic unsigned known; /* the same for every thread that asks */
	unsigned domains = atomic_load_explicit(&known, memory_order_relaxed);

	if (!domains) {
		struct upci_perf_spec spec = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};

		domains = UPC_DOMAIN_USER;
		if (upci_perf_probe(&spec, "kernel domain") == 0)
			domains |= UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR;
		atomic_store_explicit(&known, domains, memory_order_relaxed);
	}
	return domains;
}
