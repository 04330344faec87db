/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_calibration.c - how often the intervals of libmpx contain the true count. The cells are: sums over the
 * entries of a region and over threads; programs with phases in the kernel; and steady programs, alone and
 * while other processes work. The program is real. Its events are tracepoints of system calls, which it
 * counts itself. Each event is the only one of its group.
 *
 * A line for each cell:
 *   cell NAME n N held % bias % rough % borrowed % uneven % slices N needed_width RATIO seconds N
 * n: number of estimates, one for each event of each measurement. held: intervals that contain the true
 * count. bias: bias of the mean, in percent of the true count. rough, borrowed, uneven: estimates with these
 * flags. Rough and lost estimates, and those of events without a slice, are in no other figure. slices: mean
 * number per event. needed_width: the median half width divided by 1.96 times the rms error of the cell.
 *
 * Usage: mpx_calibration [--estimates=N] [--cells=PATTERN,...] [--list]
 * usage() says more. The eight cells of --cells=quick took 505 s in all, on two CPUs with other work.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "random.h"
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

/* The state of one thread's work. */
struct load {
	uint64_t at, done[CALLS], random, sink;
	unsigned events; /* calls that it makes */
};

/* Make system calls in random order, one in each iteration. rare: only one iteration in twenty makes a call.
 */
static void run(struct load *load, uint64_t iterations, bool rare)
{
	uint64_t i;
	unsigned k;

	for (i = 0; i < iterations; i++) {
		uint64_t chance = bench_next(&load->random);
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

/* Return the number of iterations that take a millisecond. */
static double ms_iterations(void)
{
	struct load load = {.events = CALLS};
	double begin;

	run(&load, 1000, false);
	begin = cpu_seconds();
	run(&load, 20000, false);
	return 20000 * 1e-3 / (cpu_seconds() - begin);
}

/* Data for a long system call. A tick during the call does not end the slice. */
static char zeroes[1 << 23];
static int zero;

static void stay_in_kernel(double bytes)
{
	while (bytes >= 1) {
		size_t part = bytes < sizeof(zeroes) ? (size_t)bytes : sizeof(zeroes);

		if (read(zero, zeroes, part) < 0)
			abort();
		bytes -= (double)part;
	}
}

/* Return the number of bytes that stay_in_kernel reads in a millisecond. */
static double ms_bytes(void)
{
	double begin;

	stay_in_kernel(sizeof(zeroes));
	begin = cpu_seconds();
	stay_in_kernel(8. * sizeof(zeroes));
	return 8. * sizeof(zeroes) * 1e-3 / (cpu_seconds() - begin);
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

enum shape { REGION, TURNS, BLOCKS, SHORT_THREADS, REGULAR, IRREGULAR, ONCE, STEADY, BUSY };

struct cell {
	const char *name;
	enum shape shape;
	unsigned events;
	double length; /* regions, threads: slices per stretch; kernel: ms per phase; steady: slices per event
			*/
	double slice;  /* ms; 0 means 1 ms */
	enum mpx_timer timer;
	bool quick;
};

static const struct cell cells[] = {
	{.name = "region4-0.05", REGION, 4, .05},
	{.name = "region4-0.3", REGION, 4, .3, .quick = true},
	{.name = "region4-1", REGION, 4, 1},
	{.name = "region4-3", REGION, 4, 3},
	{.name = "region16-0.05", REGION, 16, .05},
	{.name = "region16-0.3", REGION, 16, .3},
	{.name = "region16-1", REGION, 16, 1, .quick = true},
	{.name = "region16-3", REGION, 16, 3},
	{.name = "places-turns", TURNS, 4, .3, .quick = true},
	{.name = "places-blocks", BLOCKS, 4, .3},
	{.name = "threads", SHORT_THREADS, 4, 1, .quick = true},
#define PATTERN(pattern, word, phase, slice)                                            \
	{                                                                               \
		.name = "kernel-" word "-" #phase "-" #slice, pattern, 4, phase, slice, \
		.quick = phase == 5 && slice > .3 && slice < 1                          \
	}
#define PATTERNS(phase, slice)                                                                    \
	PATTERN(REGULAR, "regular", phase, slice), PATTERN(IRREGULAR, "irregular", phase, slice), \
		PATTERN(ONCE, "once", phase, slice)
#define KERNEL(phase) PATTERNS(phase, .1), PATTERNS(phase, .5), PATTERNS(phase, 2), PATTERNS(phase, 10)
	KERNEL(.5),
	KERNEL(5),
	KERNEL(20),
#define ALONE_AND_BUSY(slices, slice, kind, timer)                               \
	{.name = "steady-" kind "-" #slices, STEADY, 4, slices, slice, timer},   \
	{                                                                        \
		.name = "busy-" kind "-" #slices, BUSY, 4, slices, slice, timer, \
		.quick = slices == 20 && slice < 1                               \
	}
	ALONE_AND_BUSY(20, .5, "task-clock", MPX_TIMER_TASK_CLOCK),
	ALONE_AND_BUSY(150, .5, "task-clock", MPX_TIMER_TASK_CLOCK),
	ALONE_AND_BUSY(600, .2, "task-clock", MPX_TIMER_TASK_CLOCK),
	ALONE_AND_BUSY(2000, .1, "task-clock", MPX_TIMER_TASK_CLOCK),
	ALONE_AND_BUSY(20, 4, "thread", MPX_TIMER_THREAD),
	ALONE_AND_BUSY(40, 4, "thread", MPX_TIMER_THREAD),
	ALONE_AND_BUSY(20, 4, "virtual", MPX_TIMER_VIRTUAL),
	ALONE_AND_BUSY(40, 4, "virtual", MPX_TIMER_VIRTUAL),
};

#define CELLS (sizeof(cells) / sizeof(cells[0]))

/* The machine's speed. slice: iterations in a slice of the cell. bytes: bytes that are read in a millisecond
 * in the kernel. */
struct machine {
	double slice, bytes;
};

struct score {
	unsigned n, held, rough, borrowed, uneven, room;
	double bias, square, slices, *width;
};

static void enter(struct score *score, const struct mpx_estimate *e, double truth)
{
	double off = (e->estimate - truth) / truth;

	score->borrowed += e->flags & MPX_BORROWED ? 1 : 0;
	score->uneven += e->flags & MPX_UNEVEN ? 1 : 0;
	if (e->flags & (MPX_ROUGH | MPX_UNCOUNTED | MPX_LOST)) {
		score->rough++;
		return;
	}
	if (score->n == score->room)
		return;
	score->held += e->low <= truth && truth <= e->high;
	score->bias += off;
	score->square += off * off;
	score->slices += (double)e->slices;
	score->width[score->n++] = (e->high - e->low) / 2 / truth;
}

static void measure_region(const struct cell *cell, const struct machine *machine, uint64_t seed,
			   struct load *load, struct mpx_estimate *e)
{
	unsigned entries = (unsigned)ceil(ENOUGH * cell->events / cell->length), i;
	uint64_t iterations = (uint64_t)ceil(cell->length * machine->slice);
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

/* Slices of work between two kernel phases, and slices of an event in a measurement. */
#define BETWEEN 10
#define KERNEL_SLICES 40

static void measure_phases(const struct cell *cell, const struct machine *machine, uint64_t seed,
			   struct load *load, struct mpx_estimate *e)
{
	unsigned phases = KERNEL_SLICES * cell->events / BETWEEN, i,
		 once = (unsigned)(bench_next(&seed) % phases);
	double work = BETWEEN * machine->slice, phase = cell->length * machine->bytes;
	int set;

	*load = (struct load){.random = seed, .events = cell->events};
	check(mpx_set_create(&set), "mpx_set_create");
	add_events(set, cell->events);
	check(mpx_set_start(set), "mpx_set_start");
	for (i = 0; i < phases; i++) {
		double part = cell->shape == IRREGULAR ? 2 * (double)(bench_next(&seed) >> 11) / 0x1p53 : 1;

		run(load, (uint64_t)(work * part), false);
		part = cell->shape == IRREGULAR ? 2 * (double)(bench_next(&seed) >> 11) / 0x1p53 : 1;
		if (cell->shape != ONCE || i == once)
			stay_in_kernel(phase * part);
	}
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_estimates(set, e, (int)cell->events), "mpx_set_estimates");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
}

static void measure_steady(const struct cell *cell, const struct machine *machine, uint64_t seed,
			   struct load *load, struct mpx_estimate *e)
{
	int set;

	*load = (struct load){.random = seed, .events = cell->events};
	check(mpx_set_create(&set), "mpx_set_create");
	add_events(set, cell->events);
	check(mpx_set_start(set), "mpx_set_start");
	run(load, (uint64_t)(cell->length * cell->events * machine->slice), false);
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_estimates(set, e, (int)cell->events), "mpx_set_estimates");
	check(mpx_set_destroy(&set), "mpx_set_destroy");
}

/* Start two other processes: one computes, the other forks processes. */
static void make_busy(pid_t other[2])
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		other[i] = fork();
		if (other[i] < 0) {
			perror("mpx_calibration: fork");
			exit(1);
		}
		if (other[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			pid_t child = i ? fork() : 0;

			if (i && !child)
				_exit(0);
			if (i)
				waitpid(child, NULL, 0);
		}
	}
}

static void end_busy(const pid_t other[2])
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		kill(other[i], SIGKILL);
		waitpid(other[i], NULL, 0);
	}
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

static void measure_threads(const struct cell *cell, const struct machine *machine, uint64_t seed,
			    struct load *load, struct mpx_estimate *e)
{
	struct short_thread t;
	unsigned i, k;
	int set;

	*load = (struct load){.events = cell->events};
	check(mpx_set_create_process(&set), "mpx_set_create_process");
	add_events(set, cell->events);
	check(mpx_set_start(set), "mpx_set_start");
	for (i = 0; i < THREADS; i++) {
		t.load = (struct load){.random = bench_next(&seed), .events = cell->events};
		t.iterations = (uint64_t)(cell->length * machine->slice);
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

typedef void measure_fn(const struct cell *, const struct machine *, uint64_t, struct load *,
			struct mpx_estimate *);

static measure_fn *measure_of(enum shape shape)
{
	switch (shape) {
	case REGION:
	case TURNS:
	case BLOCKS:
		return measure_region;
	case SHORT_THREADS:
		return measure_threads;
	case REGULAR:
	case IRREGULAR:
	case ONCE:
		return measure_phases;
	case STEADY:
	case BUSY:
		break;
	}
	return measure_steady;
}

static void init_for(const struct cell *cell)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);

	o.slice_ns = cell->slice > 0 ? (uint64_t)(cell->slice * 1e6) : SLICE;
	o.timer = cell->timer;
	o.group_max = 1;
	check(mpx_library_init(MPX_ABI_VERSION, &o), "mpx_library_init");
}

static void print_score(const struct cell *cell, struct score *score, unsigned all, double seconds)
{
	double n = score->n ? score->n : 1, error = sqrt(score->square / n);

	printf("cell %-22s n %u held %.1f bias %.2f rough %.1f borrowed %.1f uneven %.1f slices %.0f "
	       "needed_width %.2f seconds %.0f\n",
	       cell->name, score->n, 100. * score->held / n, 100 * score->bias / n, 100. * score->rough / all,
	       100. * score->borrowed / all, 100. * score->uneven / all, score->slices / n,
	       error > 0 ? bench_median(score->width, score->n) / (1.96 * error) : 0, seconds);
	fflush(stdout);
}

static void run_cell(const struct cell *cell, struct machine machine, unsigned estimates)
{
	struct score score = {.room = estimates};
	struct timespec begin, end;
	unsigned i, k, all = 0;
	pid_t other[2] = {0, 0};

	fprintf(stderr, "%s ...\n", cell->name);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (cell->shape == BUSY)
		make_busy(other);
	init_for(cell);
	machine.slice *= cell->slice > 0 ? cell->slice : SLICE * 1e-6;
	score.width = calloc(estimates, sizeof(*score.width));
	for (i = 0; score.width && all < estimates; i++) {
		struct mpx_estimate e[CALLS] = {{.size = sizeof(e[0])}};
		struct load load;

		measure_of(cell->shape)(cell, &machine, 1 + i, &load, e);
		for (k = 0; k < cell->events; k++, all++)
			enter(&score, &e[k], (double)load.done[k]);
	}
	check(mpx_library_shutdown(), "mpx_library_shutdown");
	if (cell->shape == BUSY)
		end_busy(other);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_score(cell, &score, all, (double)(end.tv_sec - begin.tv_sec));
	free(score.width);
}

static bool is_wanted(const struct cell *cell, const char *list)
{
	char pattern[64];

	if (!list)
		return true;
	if (!strcmp(list, "quick"))
		return cell->quick;
	while (*list) {
		size_t length = strcspn(list, ",");

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, list);
		if (!fnmatch(pattern, cell->name, 0))
			return true;
		list += length;
		list += *list == ',';
	}
	return false;
}

static void usage(FILE *to)
{
	fputs("usage: mpx_calibration [--estimates=N] [--cells=PATTERN,...] [--list]\n"
	      "Says of 95 % intervals how many hold the truth, a line for each cell, with the seconds taken.\n"
	      "  --estimates=N        in each cell; 2000\n"
	      "  --cells=PATTERN,...  cells by name, as the shell has patterns: 'kernel-*'; all, which takes\n"
	      "                       hours\n"
	      "  --cells=quick        eight cells, some of which do not hold: some ten\n"
	      "                       minutes\n"
	      "  --list               names of the cells, and no more\n",
	      to);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"cells", required_argument, NULL, 'c'},
						{"estimates", required_argument, NULL, 'n'},
						{"list", no_argument, NULL, 'l'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	const char *wanted = NULL;
	unsigned estimates = 2000, i;
	struct machine machine;
	bool list = false;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'c') {
			wanted = optarg;
		} else if (c == 'l') {
			list = true;
		} else if (c == 'n' && atoi(optarg) > 0) {
			estimates = (unsigned)atoi(optarg);
		} else {
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	for (i = 0; list && i < CELLS; i++)
		if (is_wanted(&cells[i], wanted))
			puts(cells[i].name);
	if (list)
		return 0;
	bench_need_tracepoints("mpx_calibration");
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (zero < 0) {
		perror("mpx_calibration: /dev/zero");
		return 1;
	}
	machine = (struct machine){ms_iterations(), ms_bytes()};
	for (i = 0; i < CELLS; i++)
		if (is_wanted(&cells[i], wanted))
			run_cell(&cells[i], machine, estimates);
	return 0;
}
