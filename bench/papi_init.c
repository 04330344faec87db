/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_init.c - cost of the component for a program that initialises PAPI. Compares whole processes with
 * processes that disable the component by its name.
 */
#include <papi.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PROCESSES 41
#define AT_ONCE 64
#define ROUNDS 7

extern char **environ;

struct kind {
	const char *name;
	double cpu[PROCESSES], wall[PROCESSES]; /* us */
};

/* Run as one of the measured processes. Return its exit status. */
static int be_process(const char *kind)
{
	long long value;
	int set = PAPI_NULL;

	if (!strcmp(kind, "plain") && PAPI_disable_component_by_name("upc") != PAPI_OK)
		return 1;
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	if (strcmp(kind, "start"))
		return 0;
	return PAPI_create_eventset(&set) != PAPI_OK ||
	       PAPI_add_named_event(set, "upc:::perf::PAGE-FAULTS") != PAPI_OK ||
	       PAPI_start(set) != PAPI_OK || PAPI_stop(set, &value) != PAPI_OK;
}

static pid_t begin_process(const char *kind)
{
	char *const arguments[] = {(char *)"papi_init", (char *)kind, NULL};
	pid_t child;

	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ))
		abort();
	return child;
}

/* Wait for a process. Return its CPU time in us. */
static double end_process(pid_t child)
{
	struct rusage used;
	int status;

	if (wait4(child, &status, 0, &used) != child || status) {
		fprintf(stderr, "papi_init: a process has failed (run as root)\n");
		exit(1);
	}
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void print_kind(struct kind *kind, const struct kind *plain)
{
	double cpu = bench_median(kind->cpu, PROCESSES), wall = bench_median(kind->wall, PROCESSES);
	char name[64];

	snprintf(name, sizeof(name), "papi_init_%s_cpu", kind->name);
	bench_print(name, cpu, "us");
	snprintf(name, sizeof(name), "papi_init_%s_wall", kind->name);
	bench_print(name, wall, "us");
	if (kind == plain)
		return;
	/* The samples of plain are already sorted. */
	snprintf(name, sizeof(name), "papi_init_%s_cpu_to_plain", kind->name);
	bench_ratio(name, cpu / plain->cpu[PROCESSES / 2]);
	snprintf(name, sizeof(name), "papi_init_%s_wall_to_plain", kind->name);
	bench_ratio(name, wall / plain->wall[PROCESSES / 2]);
}

static void measure_one_by_one(struct kind *kinds, unsigned n)
{
	unsigned i, k;

	for (i = 0; i < PROCESSES; i++)
		for (k = 0; k < n; k++) {
			double start = bench_now_ns();

			kinds[k].cpu[i] = end_process(begin_process(kinds[k].name));
			kinds[k].wall[i] = (bench_now_ns() - start) / 1000;
		}
	for (k = 0; k < n; k++)
		print_kind(&kinds[k], &kinds[0]);
}

static double run_at_once(const char *kind)
{
	pid_t children[AT_ONCE];
	double start = bench_now_ns();
	unsigned i;

	for (i = 0; i < AT_ONCE; i++)
		children[i] = begin_process(kind);
	for (i = 0; i < AT_ONCE; i++)
		(void)end_process(children[i]);
	return (bench_now_ns() - start) / 1e6;
}

static void measure_at_once(void)
{
	double plain[ROUNDS], init[ROUNDS];
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		plain[i] = run_at_once("plain");
		init[i] = run_at_once("init");
	}
	bench_print("papi_init_plain_64_at_once", bench_median(plain, ROUNDS), "ms");
	bench_print("papi_init_64_at_once", bench_median(init, ROUNDS), "ms");
	bench_ratio("papi_init_64_at_once_to_plain", init[ROUNDS / 2] / plain[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
	static struct kind kinds[] = {{.name = "plain"}, {.name = "init"}, {.name = "start"}};

	if (argc > 1)
		return be_process(argv[1]);
	measure_one_by_one(kinds, sizeof(kinds) / sizeof(kinds[0]));
	measure_at_once();
	return 0;
}
