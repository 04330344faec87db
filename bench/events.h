/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.h - events for benchmarks. Tracepoints of system calls come first: every kernel has hundreds of
 * them. Callers that may not count tracepoints get the software events.
 */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "catalogue/cat_pfm.h"
#include "catalogue/catalogue.h"

/* Store the codes of up to n events of the perf source. Return how many were found. */
static inline unsigned bench_events(struct upc_catalogue *c, uint32_t *codes, unsigned n)
{
	static const char *const prefixes[] = {"tp::syscalls:", "tp::", "perf::"};
	uint32_t count = upc_catalogue_count(c), code;
	unsigned found = 0, p, i;

	for (p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++)
		for (code = 0; code < count && found < n; code++) {
			const struct upci_event *event = upci_catalogue_event(c, code);

			if (strncmp(event->name, prefixes[p], strlen(prefixes[p])) ||
			    (event->driver.source != UPC_SOURCE_PERF &&
			     event->driver.source != UPC_SOURCE_TRACEPOINT))
				continue;
			for (i = 0; i < found && codes[i] != code; i++)
				;
			if (i == found)
				codes[found++] = code;
		}
	return found;
}

/* Open the same events in one perf group, with perf_event_open only: the floor of a benchmark. Return the
 * leader's descriptor, or -1. Store the n members' descriptors in fds. */
static inline int bench_raw_group(struct upc_catalogue *c, const uint32_t *codes, unsigned n, int *fds)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.read_format = PERF_FORMAT_GROUP,
	};
	int leader = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	unsigned i;

	for (i = 0; leader >= 0 && i < n; i++) {
		struct upci_perf_spec spec;

		if (upci_perf_encode(&upci_catalogue_event(c, codes[i])->driver, upci_perf_domains(), &spec))
			return -1;
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		attr.type = spec.type;
		attr.config = spec.config;
		attr.exclude_kernel = spec.exclude_kernel;
		attr.exclude_hv = spec.exclude_hv;
		attr.read_format = PERF_FORMAT_GROUP;
		fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
		if (fds[i] < 0)
			return -1;
	}
	return leader;
}

/* Read a group of n events that bench_raw_group opened. */
static inline void bench_raw_read(int leader, unsigned n, unsigned calls)
{
	uint64_t buffer[256 + 2];

	while (calls--)
		if (read(leader, buffer, sizeof(buffer)) < (ssize_t)((n + 2) * sizeof(uint64_t)))
			abort();
}

/* Raise the soft limit of open descriptors to the hard limit. */
static inline void bench_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

#endif
