/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The probe counts each perf_event_open, whoever calls it and on whichever CPU; or says by what it
 * is kept from it.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>

#include "service/probe.h"
#include "unit/unit_test.h"

static void open_and_close(unsigned n)
{
	while (n--) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .exclude_kernel = 1};
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

		if (fd >= 0)
			close(fd);
	}
}

TEST(every_opening_counts)
{
	struct probe *p;
	cpu_set_t before, one;
	uint64_t from, to;
	unsigned cpus = 0;
	int error = probe_open(&p);

	if (error)
		skip_because("there are no probes here: %s", upc_strerror(error));
	sched_getaffinity(0, sizeof(before), &before);
	probe_read(p, &from);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &before))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		open_and_close(10);
		cpus++;
	}
	sched_setaffinity(0, sizeof(before), &before);
	pid_t pid = fork();
	if (!pid) {
		open_and_close(7);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	probe_read(p, &to);
	/* Others may count, too. */
	assert_in_range(to - from, 10 * cpus + 7, UINT64_MAX);
	probe_close(p);
}

TEST(it_leaves_nothing)
{
	struct probe *p;
	unsigned before;

	/* The first may open what the process keeps. */
	if (!probe_open(&p))
		probe_close(p);
	before = open_descriptors();
	for (int i = 0; i < 5; i++)
		if (!probe_open(&p))
			probe_close(p);
	assert_int_equal(open_descriptors(), before);
	probe_close(NULL);
}

UNIT_TESTS(probe, NULL, NULL)
