/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * user_read.c - time of a read of two hardware events of the calling thread: in user mode, with a group read,
 * and with PAPI's perf_event component. If the machine's clock counts instructions (scripts/pmu/pmu-rig), the
 * figures are instructions, the same in every batch; otherwise, they are ns.
 */
#include <papi.h>
#include <string.h>

#include "bench.h"
#include "upc.h"

static struct upc_unit *create(struct upc_catalogue *c, const char *user_read)
{
	static const char *const names[] = {"perf::INSTRUCTIONS", "perf::CYCLES"};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *unit = NULL;
	unsigned i;

	options.domain = UPC_DOMAIN_USER;
	setenv("UPC_USER_READ", user_read, 1);
	if (upc_unit_create(c, &options, &unit))
		return NULL;
	for (i = 0; i < 2; i++) {
		uint32_t code;

		if (upc_catalogue_find(c, names[i], &code) || upc_unit_add(unit, code)) {
			upc_unit_destroy(unit);
			return NULL;
		}
	}
	return unit;
}

static void read_unit(void *unit, unsigned calls)
{
	uint64_t value[2];

	while (calls--)
		if (upc_unit_read_added(unit, value, 2))
			abort();
}

static void read_papi(void *set, unsigned calls)
{
	long long value[2];

	while (calls--)
		if (PAPI_read(*(int *)set, value) != PAPI_OK)
			abort();
}

static int create_papi(void)
{
	int set = PAPI_NULL;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
	    PAPI_create_eventset(&set) != PAPI_OK ||
	    PAPI_add_named_event(set, "perf::INSTRUCTIONS:u") != PAPI_OK ||
	    PAPI_add_named_event(set, "perf::CYCLES:u") != PAPI_OK)
		return PAPI_NULL;
	return set;
}

/* Measure one unit. Only one runs at a time, since its pinned group occupies the counters. */
static double measure_unit(struct upc_catalogue *c, const char *user_read, const char *name)
{
	struct bench_subject subject = {read_unit, create(c, user_read), 0};

	if (!subject.arg || upc_unit_start(subject.arg)) {
		printf("# %s is left out: %s\n", name, upc_last_message());
		exit(0);
	}
	bench_in_turn(&subject, 1, 100);
	upc_unit_destroy(subject.arg);
	bench_print(name, subject.median, "ns");
	return subject.median;
}

int main(void)
{
	struct upc_catalogue *c;
	long long value[2];
	double user, group;
	int set;

	if (upc_catalogue_open(NULL, &c)) {
		fprintf(stderr, "%s\n", upc_last_message());
		return 1;
	}
	user = measure_unit(c, "1", "user_read_2");
	group = measure_unit(c, "0", "user_read_2_by_group");
	upc_catalogue_close(c);
	bench_ratio("user_read_2_to_group", user / group);
	set = create_papi();
	if (set != PAPI_NULL && PAPI_start(set) == PAPI_OK) {
		struct bench_subject subject = {read_papi, &set, 0};

		bench_in_turn(&subject, 1, 100);
		PAPI_stop(set, value);
		bench_print("user_read_2_by_papi", subject.median, "ns");
		bench_ratio("user_read_2_to_papi", user / subject.median);
	} else {
		printf("# PAPI's perf_event does not count instructions and cycles here\n");
	}
	return 0;
}
