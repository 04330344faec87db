/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_open.c - the only caller of perf_event_open, and the messages for its errors.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "procfs/files.h"
#include "base/message.h"
#include "perf/cgroup.h"
#include "perf/perf_open.h"
#include "perf/pmus.h"
#include "upc.h"

static int open_perf_event(const struct perf_event_attr *attr, const struct upci_perf_target *target,
			   int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, target->cgroup ? target->cgroup : target->tid,
			    target->cpu, leader,
			    PERF_FLAG_FD_CLOEXEC | (target->cgroup ? PERF_FLAG_PID_CGROUP : 0ul));
}

int upci_perf_open(const struct perf_event_attr *attr, const struct upci_perf_target *target, int leader)
{
	return upci_fd_keep(open_perf_event(attr, target, leader));
}

struct perf_event_attr upci_perf_attr(const struct upci_perf_spec *spec)
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

struct perf_event_attr upci_perf_dummy(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* Ask the kernel by opening an event for the thread: ESRCH means that the thread has ended. kill would still
 * find a thread for which no process has waited. If the kernel refuses for another reason, assume that the
 * thread lives. */
bool upci_perf_has_ended(pid_t tid)
{
	const struct perf_event_attr attr = upci_perf_dummy();
	const struct upci_perf_target target = {.tid = tid, .cpu = -1};
	int fd = open_perf_event(&attr, &target, -1);

	if (fd < 0)
		return errno == ESRCH;
	close(fd);
	return false;
}

int upci_perf_paranoid(void)
{
	char *text = upci_file_slurp(UPCI_ROOT_PROC, "sys/kernel/perf_event_paranoid", NULL);
	int level = text ? atoi(text) : INT_MAX;

	free(text);
	return level;
}

/* Return errno as an error, with a message that says what failed, why, and what to do. */
int upci_perf_fail(const char *name, const struct upci_perf_target *target, bool hardware)
{
	int e = errno;

	switch (e) {
	case EACCES:
	case EPERM:
		return upci_fail(
			UPC_EPERM,
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
		return upci_fail(UPC_ENOSUPP, "%s: this kernel, or a seccomp filter, has no perf events",
				 name);
	case ENODEV:
		if (target->tid < 0)
			return upci_fail(UPC_ENOTASK, "%s: CPU %d is not online", name, target->cpu);
		/* ENODEV is also the kernel's answer for the group of a thread that has ended. */
		if (target->tid > 0 && kill(target->tid, 0) < 0 && errno == ESRCH)
			return upci_fail(UPC_ENOTASK, "%s: there is no thread %d", name, (int)target->tid);
		/* fall through */
	case ENOENT:
		if (target->cgroup && upci_cgroup_is_gone(target->cgroup))
			return upci_cgroup_fail_gone(target->cgroup, name);
		/* fall through */
	case EOPNOTSUPP:
		return upci_fail(UPC_ENOSUPP, "%s: the kernel has no counter for it on this machine", name);
	case EINVAL:
	case ENOSPC:
	case EBUSY:
		if (hardware)
			return upci_fail(
				UPC_ECONFLICT,
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

int upci_perf_probe(const struct upci_perf_spec *spec, const char *name)
{
	struct perf_event_attr attr = upci_perf_attr(spec);
	const struct upci_pmu *pmu = spec->cpu_only ? upci_pmu_of_type(spec->type) : NULL;
	struct upci_perf_target target = {.tid = spec->cpu_only ? -1 : 0,
					  .cpu = spec->cpu_only ? (pmu ? pmu->cpu : 0) : -1};
	int fd;

	attr.disabled = 1;
	fd = open_perf_event(&attr, &target, -1);
	if (fd < 0)
		return upci_perf_fail(name, &target, false);
	close(fd);
	return 0;
}

int upci_perf_domains(void)
{
	struct upci_perf_spec spec = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	int error = upci_perf_probe(&spec, "counting the kernel");

	if (error == 0)
		return UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL | UPC_DOMAIN_HYPERVISOR;
	/* Without a descriptor or memory, the kernel does not say whether counting it is permitted. */
	return error == UPC_EMFILE || error == UPC_ENOMEM ? error : (int)UPC_DOMAIN_USER;
}
