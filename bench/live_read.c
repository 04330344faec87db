/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live_read.c - cost of a read of live events, and of a stop and start, compared with the bare perf group of
 * the same events.
 */
#include <sys/ioctl.h>

#include "bench.h"
#include "events.h"
#include "upc.h"

#define MOST 256

struct live {
	struct upc_unit *unit;
	uint32_t codes[MOST];
	uint64_t values[MOST + 1];
	unsigned n;
	int leader, fds[MOST];
};

static void read_unit(void *arg, unsigned calls)
{
	struct live *l = arg;

	while (calls--)
		if (upc_unit_read_events(l->unit, l->codes, l->n, l->values))
			abort();
}

static void read_raw(void *arg, unsigned calls)
{
	const struct live *l = arg;

	bench_raw_read(l->leader, l->n, calls);
}

static void switch_unit(void *arg, unsigned calls)
{
	struct live *l = arg;

	while (calls--)
		if (upc_unit_stop(l->unit) || upc_unit_start(l->unit))
			abort();
}

/* Disable the group, read it as upc_unit_stop does, and enable it. */
static void switch_raw(void *arg, unsigned calls)
{
	struct live *l = arg;

	while (calls--) {
		ioctl(l->leader, PERF_EVENT_IOC_DISABLE, 0);
		read_raw(l, 1);
		ioctl(l->leader, PERF_EVENT_IOC_ENABLE, 0);
	}
}

static void measure(struct upc_catalogue *c, unsigned n)
{
	struct live l = {.n = 0};
	struct bench_subject subject[2] = {{read_unit, &l, 0}, {read_raw, &l, 0}};
	unsigned i, calls = 2000 / (n + 8) + 1;
	char name[64];

	l.n = bench_events(c, l.codes, n);
	if (l.n < n) {
		printf("# %u events are to be had of %u: the figures for %u are left out (run as root)\n",
		       l.n, n, n);
		return;
	}
	if (upc_unit_create(c, NULL, &l.unit))
		exit(1);
	for (i = 0; i < n; i++)
		if (upc_unit_add(l.unit, l.codes[i])) {
			fprintf(stderr, "%s\n", upc_last_message());
			exit(1);
		}
	l.leader = bench_raw_group(c, l.codes, n, l.fds);
	if (l.leader < 0 || upc_unit_start(l.unit) || ioctl(l.leader, PERF_EVENT_IOC_ENABLE, 0) < 0) {
		fprintf(stderr, "the raw group cannot be opened\n");
		exit(1);
	}
	bench_in_turn(subject, 2, calls);
	snprintf(name, sizeof(name), "live_read_%u", n);
	bench_print(name, subject[0].median / 1000, "us");
	snprintf(name, sizeof(name), "live_read_%u_raw_group", n);
	bench_print(name, subject[1].median / 1000, "us");
	snprintf(name, sizeof(name), "live_read_%u_to_raw_group", n);
	bench_ratio(name, subject[0].median / subject[1].median);

	subject[0].run = switch_unit;
	subject[1].run = switch_raw;
	bench_in_turn(subject, 2, calls / 8 + 1);
	snprintf(name, sizeof(name), "live_stop_start_%u", n);
	bench_print(name, subject[0].median / 1000, "us");
	snprintf(name, sizeof(name), "live_stop_start_%u_to_raw_group", n);
	bench_ratio(name, subject[0].median / subject[1].median);

	for (i = 0; i < n; i++)
		close(l.fds[i]);
	close(l.leader);
	upc_unit_destroy(l.unit);
}

/*
 * Measure the start skew: the time between the starts of the first and the last counter of a group. The group
 * has n CPU clocks, each of which shows the time since its own start. A group read visits the clocks in the
 * order of their start. The first value minus the last is therefore the skew, less the few hundred ns that
 * the read takes from the first to the last clock. Two raw clocks that are read one after the other give an
 * upper bound for these ns.
 */
static void measure_skew(unsigned n)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP,
	};
	double sample[BENCH_SAMPLES];
	int fd[MOST];
	unsigned i, s;

	for (s = 0; s < BENCH_SAMPLES; s++) {
		uint64_t buffer[MOST + 1];

		for (i = 0; i < n; i++) {
			attr.disabled = i == 0;
			fd[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, i ? fd[0] : -1,
					     PERF_FLAG_FD_CLOEXEC);
			if (fd[i] < 0)
				exit(1);
		}
		ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
		if (read(fd[0], buffer, (n + 1) * sizeof(uint64_t)) < 0)
			exit(1);
		sample[s] = (double)buffer[1] - (double)buffer[n];
		while (i--)
			close(fd[i]);
	}
	bench_print("live_start_skew_256", bench_median(sample, BENCH_SAMPLES) / 1000, "us");
}

int main(void)
{
	static const unsigned sizes[] = {4, 16, 64, 256};
	struct upc_catalogue *c;
	unsigned i;

	bench_raise_limit();
	if (upc_catalogue_open(NULL, &c)) {
		fprintf(stderr, "%s\n", upc_last_message());
		return 1;
	}
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(c, sizes[i]);
	measure_skew(MOST);
	upc_catalogue_close(c);
	return 0;
}
