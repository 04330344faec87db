/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlap.c - measures a whole run and two overlapping regions in it, with event sets that share events. With
 * PAPI alone, the program prints the calls that PAPI refuses. With libmpx, it prints the counts.
 *
 * usage: overlap papi | mpx
 */
#include <mpx.h>
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 1000

enum { WHOLE, LEFT, RIGHT, SETS };
static const char *const set_name[SETS] = {"whole run", "left region", "right region"};
static const char *const event[SETS][3] = {
	{"upc:::perf::PAGE-FAULTS", "upc:::task::voluntary_ctxt_switches", "upc:::perf::TASK-CLOCK"},
	{"upc:::perf::PAGE-FAULTS", "upc:::perf::MINOR-FAULTS", NULL},
	{"upc:::perf::MINOR-FAULTS", "upc:::task::voluntary_ctxt_switches", NULL},
};

/* Cause a thousand page faults. */
static void work(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = PAGES * page, i;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (i = 0; i < size; i += page)
		memory[i] = 1;
	munmap(memory, size);
}

static void print(int set, const long long *value)
{
	int i;

	for (i = 0; i < 3 && event[set][i]; i++)
		printf("  %-12s %12lld  %s\n", set_name[set], value[i], event[set][i]);
}

/* The calls of one library, PAPI or libmpx, under common names, so that measure() serves for both. */
struct library {
	const char *name;
	int (*create)(int *set);
	int (*add)(int set, const char *name);
	int (*start)(int set);
	int (*stop)(int set, long long *values);
};

static int papi_add(int set, const char *name)
{
	return PAPI_add_named_event(set, name);
}

static const struct library with_papi = {"PAPI alone", PAPI_create_eventset, papi_add, PAPI_start, PAPI_stop};
static const struct library with_mpx = {"libmpx", mpx_set_create, mpx_set_add_named_event, mpx_set_start,
					mpx_set_stop};

static int checked(int set, const char *call, int error)
{
	if (error)
		printf("  %-12s %s: %s (%d)\n", set_name[set], call, PAPI_strerror(error), error);
	return error;
}

static void start(const struct library *library, const int *set, int which)
{
	checked(which, "start", library->start(set[which]));
}

static void stop(const struct library *library, const int *set, int which)
{
	long long value[3];

	if (!checked(which, "stop", library->stop(set[which], value)))
		print(which, value);
}

static void measure(const struct library *library)
{
	int set[SETS], which, i;

	printf("%s\n", library->name);
	for (which = 0; which < SETS; which++) {
		set[which] = PAPI_NULL;
		if (checked(which, "create", library->create(&set[which])))
			exit(1);
		for (i = 0; i < 3 && event[which][i]; i++)
			if (checked(which, event[which][i], library->add(set[which], event[which][i])))
				exit(1);
	}
	start(library, set, WHOLE);
	work();
	start(library, set, LEFT);
	work();
	start(library, set, RIGHT);
	work();
	stop(library, set, LEFT);
	work();
	stop(library, set, RIGHT);
	work();
	stop(library, set, WHOLE);
}

int main(int argc, char **argv)
{
	int error = PAPI_library_init(PAPI_VER_CURRENT);

	if (argc != 2 || (strcmp(argv[1], "papi") && strcmp(argv[1], "mpx"))) {
		fprintf(stderr, "usage: overlap papi | mpx\n");
		return 2;
	}
	if (error != PAPI_VER_CURRENT) {
		fprintf(stderr, "overlap: PAPI_library_init: %s\n", PAPI_strerror(error));
		return 1;
	}
	if (!strcmp(argv[1], "papi")) {
		measure(&with_papi);
		return 0;
	}
	if (mpx_library_init(MPX_ABI_VERSION, NULL)) {
		fprintf(stderr, "overlap: %s\n", mpx_last_message());
		return 1;
	}
	measure(&with_mpx);
	return 0;
}
