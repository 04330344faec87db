/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context.c - threads, processes, CPUs, the machine and control groups as targets of counting.
 * Terms: base/target.h, node/sim.h, replay/replay.h.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/cgroup.h"
#include "perf/context.h"
#include "base/fds.h"
#include "procfs/files.h"
#include "base/message.h"
#include "perf/perf.h"
#include "perf/pmus.h"
#include "base/process.h"
#include "procfs/roots.h"
#include "base/sized.h"

/* Return the process that a thread belongs to, or 0. */
static pid_t process_of(pid_t tid)
{
	char path[64], *text, *line;
	long pid = 0;

	snprintf(path, sizeof(path), "%d/status", (int)tid);
	text = upci_file_slurp(UPCI_ROOT_PROC, path, NULL);
	line = text ? strstr(text, "\nTgid:") : NULL;
	if (line)
		pid = strtol(line + 6, NULL, 10);
	free(text);
	return (pid_t)pid;
}

/* Parse a list such as "0-3,8" and call fn with each number. Stop at the first nonzero result and return it;
 * -1 if the text is not a list. */
static int each_in_list(const char *list, int (*fn)(int cpu, void *arg), void *arg)
{
	while (*list && *list != '\n') {
		char *end;
		long low = strtol(list, &end, 10), high = low;

		if (end == list || low < 0)
			return -1;
		if (*end == '-') {
			list = end + 1;
			high = strtol(list, &end, 10);
			if (end == list)
				return -1;
		}
		if (high < low || high > 1 << 20)
			return -1;
		for (; low <= high; low++) {
			int stop = fn((int)low, arg);

			if (stop)
				return stop;
		}
		list = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int each_cpu(int (*fn)(int cpu, void *arg), void *arg)
{
	char *list = upci_file_slurp(UPCI_ROOT_SYS, "devices/system/cpu/online", NULL);
	int result;

	if (!list)
		return -1;
	result = each_in_list(list, fn, arg);
	free(list);
	return result;
}

static int is_cpu(int cpu, void *arg)
{
	return cpu == *(int *)arg;
}

static int set_task(struct upci_context *context, pid_t pid)
{
	errno = 0;
	if (context->kind == UPC_CONTEXT_THREAD) {
		context->tid = pid ? pid : gettid();
		context->pid = pid ? process_of(pid) : getpid();
	} else {
		context->pid = pid ? process_of(pid) : getpid();
		if (pid && context->pid && context->pid != pid)
			return upci_fail(UPC_EINVAL, "%d is a thread of process %d, not a process", (int)pid,
					 (int)context->pid);
	}
	if (context->pid <= 0 && upci_fd_none_left())
		return upci_fd_fail("/proc");
	if (context->pid <= 0)
		return upci_fail(UPC_ENOTASK, "there is no %s %d (or /proc hides it)",
				 context->kind == UPC_CONTEXT_THREAD ? "thread" : "process", (int)pid);
	context->own = context->pid == getpid();
	return 0;
}

/* Copy the caller's options. NULL means the default options: the calling thread. */
static int take_unit_options(struct upc_unit_options *options, const struct upc_unit_options *given)
{
	static const struct upci_sized sized = UPCI_SIZED(upc_unit_options, enable_on_exec, upci_fail);
	int error;

	*options = UPC_OPTIONS_INIT(upc_unit_options);
	error = given ? upci_sized_take(&sized, options, given) : 0;
	if (error)
		return error;
	if (options->reserve > UPC_RESERVE_MAX)
		return upci_fail(UPC_EINVAL, "reserve: %u counters, and %d are the most that stay free",
				 options->reserve, UPC_RESERVE_MAX);
	if (options->cgroup && options->context != UPC_CONTEXT_CGROUP)
		return upci_fail(UPC_EINVAL, "cgroup: needs the context of a control group");
	return 0;
}

static int set_cgroup(struct upci_context *context, const char *path)
{
	struct upci_perf_target *cpus;
	int n = upci_context_targets(context, PERF_TYPE_SOFTWARE, &cpus);

	if (n < 0)
		return n;
	n = upci_cgroup_open(path, cpus, (unsigned)n);
	free(cpus);
	if (n < 0)
		return n;
	context->cgroup = n;
	return 0;
}

void upci_context_close(struct upci_context *context)
{
	if (context->cgroup)
		close(context->cgroup);
	context->cgroup = 0;
}

int upci_context_set(struct upci_context *context, const struct upc_unit_options *given)
{
	struct upc_unit_options o, *options = &o;
	int permitted, error = take_unit_options(options, given);

	if (error)
		return error;
	if (options->domain & ~(UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR))
		return upci_fail(UPC_EINVAL, "domain 0x%x is no combination of UPC_DOMAIN_*",
				 options->domain);
	permitted = upci_perf_domains();
	if (permitted < 0)
		return permitted;
	if (options->domain & ~(unsigned)permitted)
		return upci_fail(
			UPC_EPERM,
			"counting the kernel is not permitted here (perf_event_paranoid is %d): run as "
			"root or with CAP_PERFMON, or choose the user domain",
			upci_perf_paranoid());
	memset(context, 0, sizeof(*context));
	context->kind = options->context;
	context->cpu = -1;
	context->domain = options->domain ? options->domain : (unsigned)permitted;
	context->domain_chosen = options->domain != 0;
	context->inherit = options->inherit;
	context->inherit_threads = options->context == UPC_CONTEXT_PROCESS;
	context->enable_on_exec = options->enable_on_exec;
	context->flexible = options->flexible;
	context->reserve = options->reserve;
	if (options->enable_on_exec && (options->context != UPC_CONTEXT_THREAD || options->pid <= 0))
		return upci_fail(UPC_EINVAL,
				 "enable_on_exec: needs the context of another thread, by its id");
	if (options->pid < 0)
		return upci_fail(UPC_EINVAL, "pid %d is no process", (int)options->pid);
	switch (options->context) {
	case UPC_CONTEXT_THREAD:
	case UPC_CONTEXT_PROCESS:
		return set_task(context, options->pid);
	case UPC_CONTEXT_CPU:
		context->cpu = options->cpu;
		errno = 0;
		if (options->cpu >= 0 && each_cpu(is_cpu, &context->cpu) == 1)
			return 0;
		if (upci_fd_none_left())
			return upci_fd_fail("the CPUs in /sys");
		return upci_fail(UPC_ENOTASK, "there is no CPU %d online", options->cpu);
	case UPC_CONTEXT_MACHINE:
		return 0;
	case UPC_CONTEXT_CGROUP:
		return set_cgroup(context, options->cgroup);
	}
	return upci_fail(UPC_EINVAL, "%d is no UPC_CONTEXT_*", (int)options->context);
}

/* The messages with which a script or the simulator refuses options. */
struct refusals {
	const char *other, *domain, *children;
};

static int set_exact(struct upci_context *context, const struct upc_unit_options *given,
		     const struct refusals *refusals)
{
	struct upc_unit_options o, *options = &o;
	int error = take_unit_options(options, given);

	if (error)
		return error;
	if (options->context != UPC_CONTEXT_THREAD || (options->pid && options->pid != gettid()))
		return upci_fail(UPC_ENOSUPP, "%s", refusals->other);
	if (options->domain)
		return upci_fail(UPC_ENOSUPP, "%s", refusals->domain);
	if (options->inherit || options->enable_on_exec)
		return upci_fail(UPC_ENOSUPP, "%s", refusals->children);
	memset(context, 0, sizeof(*context));
	context->kind = UPC_CONTEXT_THREAD;
	context->pid = getpid();
	context->tid = gettid();
	context->own = true;
	context->cpu = -1;
	return 0;
}

int upci_context_set_replay(struct upci_context *context, const struct upc_unit_options *options)
{
	static const struct refusals refusals = {
		"a replay script drives the units of the thread that uses them: it cannot be attached to another thread, "
		"a process, a CPU or the machine",
		"a replay script's signals have no user or kernel domain",
		"a replay script's signals are one thread's: children have none to inherit",
	};

	return set_exact(context, options, &refusals);
}

int upci_context_set_sim(struct upci_context *context, const struct upc_unit_options *options)
{
	static const struct refusals refusals = {
		"a unit of the simulated node counts the thread that creates it: it cannot be attached to another "
		"thread, a process, a CPU or the machine; upc_run itself reports all threads and processes",
		"the simulated node runs no kernel: there is the program to count, and no domain to choose",
		"a unit of the simulated node counts one thread: create one in each; upc_run itself reports children",
	};

	return set_exact(context, options, &refusals);
}

void upci_context_forked(struct upci_context *context)
{
	context->enable_on_exec = false;
	if (!context->own)
		return;
	context->pid = getpid();
	if (context->tid)
		context->tid = gettid();
}

/* ---- targets ----------------------------------------------------------- */

struct list {
	struct upci_perf_target *target;
	unsigned n, room;
	int cgroup;
};

static int append_target(struct list *list, pid_t tid, int cpu)
{
	if (list->n == list->room) {
		unsigned room = list->room ? list->room * 2 : 8;
		struct upci_perf_target *grown = realloc(list->target, room * sizeof(*grown));

		if (!grown)
			return UPC_ENOMEM;
		list->target = grown;
		list->room = room;
	}
	list->target[list->n++] = (struct upci_perf_target){tid, cpu, list->cgroup};
	return 0;
}

static int append_cpu(int cpu, void *arg)
{
	return append_target(arg, -1, cpu);
}

static int append_threads(struct list *list, pid_t pid)
{
	struct dirent **entry;
	char path[64];
	int n, i, error = 0;

	snprintf(path, sizeof(path), "%d/task", (int)pid);
	n = upci_root_list(UPCI_ROOT_PROC, path, "", &entry);
	for (i = 0; i < n; i++) {
		if (!error)
			error = append_target(list, (pid_t)strtol(entry[i]->d_name, NULL, 10), -1);
		free(entry[i]);
	}
	free(entry);
	return error;
}

/* Remove the CPUs on which a PMU does not count: an event there would count what another CPU counts already,
 * or could not be opened. */
static void keep_listed(struct list *list, const char *cpus)
{
	unsigned i, kept = 0;

	for (i = 0; i < list->n; i++)
		if (each_in_list(cpus, is_cpu, &list->target[i].cpu) == 1)
			list->target[kept++] = list->target[i];
	list->n = kept;
}

/* Return an error that says why the list of targets is empty. */
static int fail_empty(const struct upci_context *context, uint32_t type, const char *cpus)
{
	const struct upci_pmu *pmu = cpus ? upci_pmu_of_type(type) : NULL;

	if (upci_fd_none_left())
		return upci_fd_fail(context->pid ? "the threads in /proc" : "the CPUs in /sys");
	if (context->pid)
		return upci_fail(UPC_ENOTASK, "process %d has ended", (int)context->pid);
	if (pmu && context->kind == UPC_CONTEXT_CPU)
		return upci_fail(UPC_ENOSUPP,
				 "the PMU %s counts on CPU %s, not on CPU %d: choose one of those, or the "
				 "context of the machine",
				 pmu->name, cpus, context->cpu);
	if (pmu)
		return upci_fail(UPC_ENOTASK, "the PMU %s counts on CPU %s, and no such CPU is online",
				 pmu->name, cpus);
	return upci_fail(UPC_ESYSTEM, "/sys/devices/system/cpu/online cannot be read");
}

int upci_context_targets(const struct upci_context *context, uint32_t type, struct upci_perf_target **targets)
{
	struct list list = {.cgroup = context->cgroup};
	char *cpus = NULL;
	int error = 0;

	errno = 0;
	switch (context->kind) {
	case UPC_CONTEXT_THREAD:
		error = append_target(&list, context->tid, -1);
		break;
	case UPC_CONTEXT_PROCESS:
		error = append_threads(&list, context->pid);
		break;
	case UPC_CONTEXT_CPU:
		error = append_target(&list, -1, context->cpu);
		break;
	case UPC_CONTEXT_MACHINE:
	case UPC_CONTEXT_CGROUP:
		error = each_cpu(append_cpu, &list);
		break;
	}
	if (!context->pid)
		cpus = upci_pmu_cpus(type);
	if (cpus)
		keep_listed(&list, cpus);
	if (error == UPC_ENOMEM)
		error = upci_fail(UPC_ENOMEM, "no memory for the targets of counting");
	else if (error || !list.n)
		error = fail_empty(context, type, error ? NULL : cpus);
	free(cpus);
	if (error) {
		free(list.target);
		return error;
	}
	*targets = list.target;
	return (int)list.n;
}
