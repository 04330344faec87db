/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine.h - checks what this machine permits, by system calls. A test decides with one of these functions,
 * or with another answer of the system, whether it is skipped. A test never uses an answer of the tested code
 * for that: a failure of that code would then skip the test.
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

/* True if perf_event_open succeeds. Otherwise, errno is that of perf_event_open. */
static inline bool machine_opens(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->exclude_kernel = attr->exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0 && close(fd) == 0;
}

/* True if this process can count software events of the calling thread. */
static inline bool machine_counts(void)
{
	struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

	return machine_opens(&faults, 0, -1);
}

/* The reason that a skipped test prints if machine_counts() is false. ctests/utils.inc has the same text. */
#define MACHINE_REFUSES "the kernel, or a seccomp filter, refuses this user every perf event"

/* True if this process can count everything that runs on a CPU. */
static inline bool machine_counts_cpus(void)
{
	struct perf_event_attr faults = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

	return machine_opens(&faults, -1, 0);
}

/* True if the calling thread's task clock can be sampled. */
static inline bool machine_samples(void)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .sample_period = 1000000};

	return machine_opens(&clock, 0, -1);
}

/* True if a PMU counts instructions. */
static inline bool machine_has_pmu(void)
{
	struct perf_event_attr instructions = {.type = PERF_TYPE_HARDWARE,
					       .config = PERF_COUNT_HW_INSTRUCTIONS};

	return machine_opens(&instructions, 0, -1);
}

/* True if this process can read the list of tracepoints: tracefs is mounted, or can be mounted. */
static inline bool machine_shows_tracepoints(void)
{
	bool shows;
	int context;

	if (access("/sys/kernel/tracing/events/sched", R_OK | X_OK) == 0 ||
	    access("/sys/kernel/debug/tracing/events/sched", R_OK | X_OK) == 0)
		return true;
	context = (int)syscall(SYS_fsopen, "tracefs", 0);
	/* For root in a user name space, fsopen succeeds, but creating the file system fails. */
	shows = context >= 0 &&
		syscall(SYS_fsconfig, context, 6 /* FSCONFIG_CMD_CREATE */, NULL, NULL, 0) == 0;
	if (context >= 0)
		close(context);
	return shows;
}

/* True if this process can count tracepoints: it is root, and can count CPUs and read the list. */
static inline bool machine_traces(void)
{
	return geteuid() == 0 && machine_counts_cpus() && machine_shows_tracepoints();
}

/* True if the kernel reports in advance that a part of a mapped file has no memory (MADV_POPULATE_WRITE,
 * Linux 5.14). With older kernels, the tested code uses process_vm_readv, which sandboxes forbid. */
static inline bool machine_tells_memory(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool tells = page != MAP_FAILED && madvise(page, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;

	if (page != MAP_FAILED)
		munmap(page, 4096);
	return tells;
}

/* True if this process can read its own memory with process_vm_readv. */
static inline bool machine_reads_itself(void)
{
	char from = 1, to = 0;
	struct iovec a = {&from, 1}, b = {&to, 1};

	return process_vm_readv(getpid(), &b, 1, &a, 1, 0) == 1 && to == 1;
}

/* True if this process can trace its own children with ptrace. */
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
