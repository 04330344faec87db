/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_memory.c - time of PAPI_read for upc events that are read from memory (a replay at its end), compared
 * with PAPI's example component, which computes its three values.
 */
#include <papi.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define MOST 256
#define CALLS 2000

static void read_set(void *arg, unsigned calls)
{
	long long values[MOST];
	int set = *(int *)arg;

	while (calls--)
		if (PAPI_read(set, values) != PAPI_OK)
			abort();
}

static int set_of(const char *component, unsigned n)
{
	int set = PAPI_NULL, code = PAPI_NATIVE_MASK, cidx = PAPI_get_component_index(component), added = 0,
	    more;
	long long values[MOST];

	if (cidx < 0)
		return PAPI_NULL;
	if (PAPI_create_eventset(&set) != PAPI_OK)
		exit(1);
	/* Skip an event that conflicts with an earlier one. */
	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cidx); more == PAPI_OK && added < (int)n;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cidx))
		added += PAPI_add_event(set, code) == PAPI_OK;
	if (added < (int)n || PAPI_start(set) != PAPI_OK || PAPI_read(set, values) != PAPI_OK) {
		fprintf(stderr, "%d of %u events of %s can be read\n", added, n, component);
		exit(1);
	}
	return set;
}

static void measure(unsigned n, const char *peer)
{
	int upc, example = PAPI_NULL;
	struct bench_subject subject[2] = {{read_set, &upc, 0}, {read_set, &example, 0}};
	long long values[MOST];
	char name[64];

	upc = set_of("upc", n);
	if (peer)
		example = set_of(peer, 3);
	bench_in_turn(subject, example == PAPI_NULL ? 1 : 2, CALLS);
	snprintf(name, sizeof(name), "papi_read_memory_%u", n);
	bench_print(name, subject[0].median, "ns");
	if (example != PAPI_NULL) {
		bench_print("papi_read_example_3", subject[1].median, "ns");
		snprintf(name, sizeof(name), "papi_read_memory_%u_to_example_3", n);
		bench_ratio(name, subject[0].median / subject[1].median);
		PAPI_stop(example, values);
	}
	PAPI_stop(upc, values);
}

int main(void)
{
	static const unsigned sizes[] = {3, 16, 64, MOST};
	char path[] = "/tmp/upc-bench-XXXXXX", source[64];
	static const char script[] = "upc-trace 1\nc 100000 0-1023@3/2\n";
	int file = mkstemp(path), version;
	unsigned i;

	if (file < 0 || write(file, script, sizeof(script) - 1) < 0)
		return 1;
	snprintf(source, sizeof(source), "replay:%s", path);
	setenv("UPC_SOURCE", source, 1);
	version = PAPI_library_init(PAPI_VER_CURRENT);
	unlink(path);
	if (version != PAPI_VER_CURRENT)
		return 1;
	if (PAPI_get_component_index("example") < 0)
		puts("# this PAPI has no example component; scripts/papi/papi-bench builds one that has");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(sizes[i], "example");
	PAPI_shutdown();
	return 0;
}
