/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_read.c - time of PAPI_read for live upc events, compared with the bare group read of the same events.
 */
#include <papi.h>
#include <sys/ioctl.h>

#include "bench.h"
#include "events.h"
#include "upc.h"

#define MOST 256

struct live {
	int set, leader, fds[MOST];
	unsigned n;
};

static void read_papi(void *arg, unsigned calls)
{
	struct live *l = arg;
	long long values[MOST];

	while (calls--)
		if (PAPI_read(l->set, values) != PAPI_OK)
			abort();
}

static void read_raw(void *arg, unsigned calls)
{
	const struct live *l = arg;

	bench_raw_read(l->leader, l->n, calls);
}

static void measure(struct upc_catalogue *c, unsigned n)
{
	struct live l = {.set = PAPI_NULL, .n = n};
	struct bench_subject subject[2] = {{read_papi, &l, 0}, {read_raw, &l, 0}};
	uint32_t codes[MOST];
	long long values[MOST];
	char name[300];
	unsigned i;

	if (bench_events(c, codes, n) < n) {
		printf("# fewer than %u events are to be had (run as root)\n", n);
		return;
	}
	if (PAPI_create_eventset(&l.set) != PAPI_OK)
		exit(1);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "upc:::%s", upci_catalogue_event(c, codes[i])->name);
		if (PAPI_add_named_event(l.set, name) != PAPI_OK) {
			fprintf(stderr, "%s cannot be added\n", name);
			exit(1);
		}
	}
	l.leader = bench_raw_group(c, codes, n, l.fds);
	if (l.leader < 0 || PAPI_start(l.set) != PAPI_OK || ioctl(l.leader, PERF_EVENT_IOC_ENABLE, 0) < 0)
		exit(1);
	bench_in_turn(subject, 2, 2000 / (n + 8) + 1);
	snprintf(name, sizeof(name), "papi_read_%u", n);
	bench_print(name, subject[0].median / 1000, "us");
	snprintf(name, sizeof(name), "papi_read_%u_to_raw_group", n);
	bench_ratio(name, subject[0].median / subject[1].median);
	PAPI_stop(l.set, values);
	PAPI_cleanup_eventset(l.set);
	PAPI_destroy_eventset(&l.set);
	while (i--)
		close(l.fds[i]);
	close(l.leader);
}

int main(void)
{
	static const unsigned sizes[] = {4, 16, 64, 256};
	struct upc_catalogue *c;
	unsigned i;

	bench_raise_limit();
	if (upc_catalogue_open(NULL, &c) || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(c, sizes[i]);
	upc_catalogue_close(c);
	PAPI_shutdown();
	return 0;
}
