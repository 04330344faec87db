/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_calibration.c - how often the intervals of libmpx hold, where they are sums: over the
 * entries of a region, and over threads. The program is real and its events are tracepoints
 * of system calls, which it counts itself; each event is a group of its own.
 *
 * A line for each cell:
 *   cell NAME n N held % bias % rough % borrowed % needed_width RATIO
 * n: estimates, one for each event of each measurement. held: intervals that have the truth
 * in them. bias: of the mean, in percent of the truth. rough, borrowed: flagged so; rough ones
 * and those without a turn are in no other figure. needed_width: the median half width to
 * 1.96 times the rms error of the cell.
 *
 * Usage: mpx_calibration [--estimates=N] [--cells=NAME,...]
 * Without arguments: 2,000 estimates in each cell, all cells: eight minutes on an idle machine.
 */
#include <getopt.h>
#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "mpx.h"
#include "tracefs.h"

enum {
	SLICE = 1000000, /* ns */
	CALLS = 16,
	ENOUGH = 20, /* slices an event */
	THREADS = 60,
};

static const struct {
	const char *name;
	long number;
} calls[CALLS] = {
	{"getppid", SYS_getppid},
	{"getuid", SYS_getuid},
	{"geteuid", SYS_geteuid},
	{"getgid", SYS_getgid},
	{"getegid", SYS_getegid},
	{"getpid", SYS_getpid},
	{"gettid", SYS_gettid},
	{"getpgid", SYS_getpgid},
	{"getsid", SYS_getsid},
	{"getpriority", SYS_getpriority},
	{"times", SYS_times},
	{"umask", SYS_umask},
	{"getcpu", SYS_getcpu},
	{"sched_getscheduler", SYS_sched_getscheduler},
	{"sched_get_priority_max", SYS_sched_get_priority_max},
	{"sched_get_priority_min", SYS_sched_get_priority_min},
};

static void check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "mpx_calibration: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

/* ---- the program ------------------------------------------------------------------------ */

/* One of its own for each thread. */
struct load {
	uint64_t at, done[CALLS], random, sink;
	unsigned events; /* calls that it makes */
};

static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Calls in an order of chance; of iterations at a rare place one in twenty makes one. */
static void run(struct load *load, uint64_t iterations, bool rare)
{
	uint64_t i;
	unsigned k;

	for (i = 0; i < iterations; i++) {
		uint64_t chance = next(&load->random);
		unsigned call = (unsigned)(chance >> 32) % load->events;

		if (!rare || chance % 20 == 0) {
			syscall(calls[call].number, 0, 0, 0);
			load->done[call]++;
		}
		for (k = 0; k < 1000; k++)
			load->sink = load->sink * 5 + 1;
	}
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Iterations that take a slice. */
static double slice_iterations(void)
{
	struct load load = {.events = CALLS};
	double begin;

	run(&load, 1000, false);
	begin = cpu_seconds();
	run(&load, 20000, false);
	return 20000 * (SLICE * 1e-9) / (cpu_seconds() - begin);
}

static void add_events(int set, unsigned events)
{
	char name[PAPI_MAX_STR_LEN];
	unsigned i;

	for (i = 0; i < events; i++) {
		snprintf(name, sizeof(name), "upc:::tp::syscalls:sys_enter_%s", calls[i].name);
		check(mpx_set_add_named_event(set, name), name);
	}
}

/* ---- cells ---------------------------------------------------------------------------- */

enum shape { REGION, TURNS, BLOCKS, SHORT_THREADS };

struct cell {
	const char *name;
	enum shape shape;
	unsigned events;
	double length; /* of a stretch, in slices */
};

static const struct cell cells[] = {
	{"region4-0.05", REGION, 4, .05},   {"region4-0.3", REGION, 4, .3},
	{"region4-1", REGION, 4, 1},        {"region4-3", REGION, 4, 3},
	{"region16-0.05", REGION, 16, .05}, {"region16-0.3", REGION, 16, .3},
	{"region16-1", REGION, 16, 1},      {"region16-3", REGION, 16, 3},
	{"places-turns", TURNS, 4, .3},     {"places-blocks", BLOCKS, 4, .3},
	{"threads", SHORT_THREADS, 4, 1},
};

#define CELLS (sizeof(cells) / sizeof(cells[0]))

struct score {
	unsigned n, held, rough, borrowed, room;
	double bias, square, *width;
};

static void enter(struct score *score, const struct mpx_estimate *e, double truth)
{
	double off = (e->estimate - truth) / truth;

	score->borrowed += e->flags & MPX_BORROWED ? 1 : 0;
	if (e->flags & (MPX_ROUGH | MPX_UNCOUNTED)) {
		score->rough++;
		return;
	}
	if (score->n == score->room)
		return;
	score->held += e->low <= truth && truth <= e->high;
	score->bias += off;
	score->square += off * off;
	score->width[score->n++] = (e->high - e->low) / 2 / truth;
}

static void measure_region(const struct cell *cell, double slice, uint64_t seed, struct load *load,
			   struct mpx_estimate *e)
{
	unsigned entries = (unsigned)ceil(ENOUGH * cell->events / cell->length), i;
	uint64_t iterations = (uint64_t)ceil(cell->length * slice);
	int set;

	*load = (struct load){.random = seed, .events = cell->events};
	check(mpx_set_create(&set), "mpx_set_create");
	add_events(set, cell->events);
	for (i = 0; i < entries; i++) {
		bool rare = (cell->shape == TURNS && i % 2) || (cell->shape == BLOCKS && i >= entries / 2);

		check(mpx_set_start(set), "mpx_set_start");
		run(load, iterations, rare);
		check(mpx_set_stop(set, NULL), "mpx_set_stop");
	}
	check(mpx_set_region_estimates(set, 0, e, (int)cell->events), "mpx_set_region_estimates");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
}

struct short_thread {
	pthread_t thread;
	struct load load;
	uint64_t iterations;
};

static void *run_shortly(void *argument)
{
	struct short_thread *t = argument;

	check(mpx_thread_register(), "mpx_thread_register");
	run(&t->load, t->iterations, false);
	return NULL;
}

static void measure_threads(const struct cell *cell, double slice, uint64_t seed, struct load *load,
			    struct mpx_estimate *e)
{
	struct short_thread t;
	unsigned i, k;
	int set;

	*load = (struct load){.events = cell->events};
	check(mpx_set_create_process(&set), "mpx_set_create_process");
	add_events(set, cell->events);
	check(mpx_set_start(set), "mpx_set_start");
	for (i = 0; i < THREADS; i++) {
		t.load = (struct load){.random = next(&seed), .events = cell->events};
		t.iterations = (uint64_t)(cell->length * slice);
		if (pthread_create(&t.thread, NULL, run_shortly, &t)) {
			perror("mpx_calibration: pthread_create");
			exit(1);
		}
		pthread_join(t.thread, NULL);
		for (k = 0; k < cell->events; k++)
			load->done[k] += t.load.done[k];
	}
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_estimates(set, e, (int)cell->events), "mpx_set_estimates");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
}

static void run_cell(const struct cell *cell, double slice, unsigned estimates)
{
	struct score score = {.room = estimates};
	unsigned i, k, all = 0;
	double error;

	score.width = calloc(estimates, sizeof(*score.width));
	for (i = 0; score.width && all < estimates; i++) {
		struct mpx_estimate e[CALLS] = {{.size = sizeof(e[0])}};
		struct load load;

		(cell->shape == SHORT_THREADS ? measure_threads : measure_region)(cell, slice, 1 + i, &load,
										  e);
		for (k = 0; k < cell->events; k++, all++)
			enter(&score, &e[k], (double)load.done[k]);
	}
	error = score.n ? sqrt(score.square / score.n) : 0;
	printf("cell %-14s n %u held %.1f bias %.2f rough %.1f borrowed %.1f needed_width %.2f\n", cell->name,
	       score.n, score.n ? 100. * score.held / score.n : 0, score.n ? 100 * score.bias / score.n : 0,
	       100. * score.rough / all, 100. * score.borrowed / all,
	       error > 0 ? bench_median(score.width, score.n) / (1.96 * error) : 0);
	fflush(stdout);
	free(score.width);
}

static bool is_wanted(const struct cell *cell, const char *list)
{
	size_t length = strlen(cell->name);
	const char *at = list;

	while (at && (at = strstr(at, cell->name))) {
		if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
			return true;
		at += length;
	}
	return !list;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"cells", required_argument, NULL, 'c'}, {"estimates", required_argument, NULL, 'n'}, {0}};
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	const char *list = NULL;
	unsigned estimates = 2000, i;
	double slice;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'c') {
			list = optarg;
		} else if (c == 'n' && atoi(optarg) > 0) {
			estimates = (unsigned)atoi(optarg);
		} else {
			fprintf(stderr, "usage: %s [--estimates=N] [--cells=NAME,...]\n", argv[0]);
			return 2;
		}
	}
	bench_need_tracepoints("mpx_calibration");
	o.slice_ns = SLICE;
	o.group_max = 1;
	check(mpx_library_init(MPX_ABI_VERSION, &o), "mpx_library_init");
	slice = slice_iterations();
	for (i = 0; i < CELLS; i++)
		if (is_wanted(&cells[i], list))
			run_cell(&cells[i], slice, estimates);
	return 0;
}
