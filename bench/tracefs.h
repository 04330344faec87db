/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tracefs.h - a benchmark of tracepoints, also where nobody has mounted their directory; where
 * they cannot be counted at all it is skipped by its name.
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

/* Opens a counter of one, to ask whether this process may: 0, or why not. */
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

/* Before there are threads. Where nobody has mounted it this process gets a mount of its own, which
 * ends with it. */
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
