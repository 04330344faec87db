/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rights.c - prints a word for each thing that the kernel lets this user count: "self" (its own thread in
 * user mode), "kernel" (its own thread in user and kernel mode), "cpus" (a whole CPU), "pmu" (instructions of
 * its own thread). The program uses only the system call, so its output does not depend on the tested code.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool rights_open(unsigned type, unsigned long config, bool kernel, int cpu)
{
	struct perf_event_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.exclude_kernel = attr.exclude_hv = !kernel;
	fd = syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	close((int)fd);
	return true;
}

int main(void)
{
	if (rights_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false, -1))
		puts("self");
	if (rights_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, -1))
		puts("kernel");
	if (rights_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, 0))
		puts("cpus");
	if (rights_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, -1))
		puts("pmu");
	return 0;
}
