/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.c - counts Blue Gene/P events in a trace, and prints the counts after each part of the trace. A
 * trace file, the script, replaces the machine:
 *
 *   cc replay.c -o replay -lpapi
 *   printf 'upc-trace 1\nc 1000 0@10/3\ns\nc 500 0\n' > script.trace
 *   UPC_SOURCE=replay:$PWD/script.trace ./replay PU0_JPIPE_INSTRUCTIONS \
 *       PU0_JPIPE_INSTRUCTIONS:mode=rise
 *
 * Two modes of one event share a counter and cannot be in one set. Each event is therefore counted by itself,
 * and the script is replayed from its beginning.
 */
#include <papi.h>
#include <stdio.h>

#define PARTS_MAX 20

static int fail(const char *what, int result)
{
	fprintf(stderr, "replay: %s: %s\n", what, PAPI_strerror(result));
	return 1;
}

/* Count one event over the parts of the script. Initialising PAPI restarts the script. Return 0, or 1 after
 * printing an error. */
static int count(const char *event)
{
	long long value, before = -1;
	int set = PAPI_NULL, part, result;
	char name[256];

	result = PAPI_library_init(PAPI_VER_CURRENT);
	if (result != PAPI_VER_CURRENT)
		return fail("PAPI_library_init", result);
	snprintf(name, sizeof(name), "upc:::%s", event);
	result = PAPI_create_eventset(&set);
	if (result == PAPI_OK)
		result = PAPI_add_named_event(set, name);
	if (result == PAPI_OK)
		result = PAPI_start(set);
	if (result != PAPI_OK)
		return fail(name, result);
	printf("%-40s", event);
	/* Each read replays the script up to the next s line. At the script's end, reads replay nothing. */
	for (part = 0; part < PARTS_MAX; part++) {
		result = PAPI_read(set, &value);
		if (result != PAPI_OK)
			return fail("PAPI_read", result);
		if (value == before)
			break;
		printf(" %12lld", value);
		before = value;
	}
	putchar('\n');
	PAPI_stop(set, NULL);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	PAPI_shutdown();
	return 0;
}

int main(int argc, char **argv)
{
	int failed = argc < 2, i;

	if (argc < 2)
		fprintf(stderr, "usage: UPC_SOURCE=replay:FILE replay EVENT...\n");
	for (i = 1; i < argc; i++)
		failed |= count(argv[i]);
	return failed;
}
