/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine.h - what this machine permits, asked of the kernel. A skip rests on one of these,
 * or on another answer of the system's, never on an answer of what is tested: that would
 * skip its failures.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The errno that lasts is perf_event_open's. */
static inline bool machine_opens(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->exclude_kernel = attr->exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0 && close(fd) == 0;
}

/* Software events of the calling thread. */
static inline bool machine_counts(void)
{
	struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

	return machine_opens(&faults, 0, -1);
}

/* The reason of what is skipped where it does not, the same as in ctests/utils.inc. */
#define MACHINE_REFUSES "the kernel, or a seccomp filter, refuses this user every perf event"

/* All that runs on a CPU. */
static inline bool machine_counts_cpus(void)
{
	struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

	return machine_opens(&faults, -1, 0);
}

/* Signals by the calling thread's task clock. */
static inline bool machine_samples(void)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000};

	return machine_opens(&clock, 0, -1);
}

/* Instructions, by a PMU. */
static inline bool machine_has_pmu(void)
{
	struct perf_event_attr instructions = {.type = PERF_TYPE_HARDWARE,
					       .config = PERF_COUNT_HW_INSTRUCTIONS};

	return machine_opens(&instructions, 0, -1);
}

/* Are tracepoints to be read about? tracefs is mounted, or may be. */
static inline bool machine_shows_tracepoints(void)
{
	bool shows;
	int context;

	if (access("/sys/kernel/tracing/events/sched", R_OK | X_OK) == 0 ||
	    access("/sys/kernel/debug/tracing/events/sched", R_OK | X_OK) == 0)
		return true;
	context = (int)syscall(SYS_fsopen, "tracefs", 0);
	/* The superuser of a name space may ask for one, and does not get it. */
	shows = context >= 0 &&
		syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0) == 0;
	if (context >= 0)
		close(context);
	return shows;
}

/* ... and counted: by root, where it counts at all. */
static inline bool machine_traces(void)
{
	return geteuid() == 0 && machine_counts_cpus() && machine_shows_tracepoints();
}

/* Does the kernel say beforehand that a file has no memory there (Linux 5.14)? Older ones are
 * asked in a way that sandboxes forbid. */
static inline bool machine_tells_memory(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool tells = page != MAP_FAILED && madvise(page, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;

	if (page != MAP_FAILED)
		munmap(page, 4096);
	return tells;
}

/* ... by this. */
static inline bool machine_reads_itself(void)
{
	char from = 1, to = 0;
	struct iovec a = {&from, 1}, b = {&to, 1};

	return process_vm_readv(getpid(), &b, 1, &a, 1, 0) == 1 && to == 1;
}

/* Its own children, by ptrace. */
static inline bool machine_traces_children(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	if (child < 0)
		return false;
	status = (int)ptrace(PTRACE_SEIZE, child, NULL, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return status == 0;
}

#endif /* MACHINE_H */
