/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tracefs.h - prepares a benchmark that counts tracepoints: mounts tracefs if necessary, or skips the
 * benchmark if tracepoints cannot be counted.
 */
#ifndef BENCH_TRACEFS_H
#define BENCH_TRACEFS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BENCH_TRACEFS "/sys/kernel/tracing"

/* Open a counter of a tracepoint to find out whether this process may. Return 0, or the errno value. */
static inline int bench_try_tracepoint(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1};
	FILE *file = fopen(BENCH_TRACEFS "/events/sched/sched_waking/id", "re");
	unsigned long long id;
	int fd, error = errno;

	if (!file)
		return error;
	error = fscanf(file, "%llu", &id) == 1 ? 0 : ENOENT;
	fclose(file);
	if (error)
		return error;
	attr.config = id;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Make tracepoints available, or skip the benchmark with a message. Called before any thread is created. If
 * tracefs is not mounted, mount it in a private mount name space, which ends with the process. */
static inline void bench_need_tracepoints(const char *bench)
{
	int error;

	if (access(BENCH_TRACEFS "/events", F_OK) && !unshare(CLONE_NEWNS) &&
	    !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		(void)mount("tracefs", BENCH_TRACEFS, "tracefs", 0, NULL);
	error = bench_try_tracepoint();
	if (!error)
		return;
	printf("skipped %s: tracepoints of " BENCH_TRACEFS " cannot be counted here: %s\n", bench,
	       strerror(error));
	exit(0);
}

#endif
