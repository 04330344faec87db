/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_accuracy.c - accuracy of libmpx for a program with known counts (mpx_load.h), whose events are forced
 * into groups of four.
 *
 * Usage: mpx_accuracy points [COVARIATE]
 *   64 events, 2^10 to 2^20 iterations, steady and phased, 1 and 4 threads, as in figures
 *   3 and 4 of the paper (MPX, section 6). A line for each event, which
 *   scripts/mpx-pictures draws:
 *     point LOAD THREADS ITERATIONS EVENT TRUTH ESTIMATE LOW HIGH COUNT SLICES
 *   and at the end, among the estimates with at least 20 slices, the number whose error is larger than
 *   max(1 %, 3 / sqrt(C_e)), where C_e is the event's count.
 * Usage: mpx_accuracy hold [REPEATS [COVARIATE]]
 *   16 events, 24,576 iterations, repeated many times: how often the 95 % interval contains the true count;
 *   its median half width, the bias and the error, in percent of the true count.
 * Usage: mpx_accuracy slowed [COVARIATE]
 *   A loop so tight that counting slows it. There are two groups of four events: one is counted six times in
 *   an iteration, the other four times. Prints the bias of each group, in percent.
 * Without arguments: hold, 50 times.
 *
 * COVARIATE is the name of an event that is counted together with every group.
 */
#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "mpx.h"
#include "mpx_load.h"
#include "tracefs.h"

enum {
	SLICE = 500000, /* ns; slices last twice as long or more, since ticks in the kernel are dropped */
	GROUP = 4,
	THREADS = 4,
	ENOUGH = 20, /* slices */
	FIRST = 10,
	LAST = 20, /* powers of two */
	HOLD_EVENTS = 16,
	HOLD_ITERATIONS = 3 << 13,
};

static const char *const kind[] = {"steady", "phased"};

/* One measurement of one event. */
struct point {
	double truth;
	struct mpx_estimate estimate;
};

struct worker {
	pthread_t thread;
	unsigned number, cpu;
	struct point point[2][LAST - FIRST + 1][MPX_LOAD_EVENTS];
};

static pthread_barrier_t together;

static void check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "mpx_accuracy: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

static void init(const char *covariate)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	options.slice_ns = SLICE;
	options.group_max = GROUP;
	options.covariate = covariate;
	check(mpx_library_init(MPX_ABI_VERSION, &options), "mpx_library_init");
}

/* Create a set of every step-th event, beginning with first. */
static int make_set(unsigned first, unsigned step)
{
	char name[PAPI_MAX_STR_LEN];
	unsigned i;
	int set;

	check(mpx_set_create(&set), "mpx_set_create");
	for (i = first; i < MPX_LOAD_EVENTS; i += step) {
		snprintf(name, sizeof(name), "upc:::%s", mpx_load_event(i));
		check(mpx_set_add_named_event(set, name), name);
	}
	return set;
}

/* Run the load while the set counts. Store the events' estimates and true counts in point. */
static void measure(struct mpx_load *load, int set, unsigned first, unsigned step, uint64_t iterations,
		    bool phased, uint64_t seed, struct point *point)
{
	struct mpx_estimate estimate[MPX_LOAD_EVENTS] = {{.size = sizeof(estimate[0])}};
	unsigned i, k;

	for (i = first, k = 0; i < MPX_LOAD_EVENTS; i += step, k++)
		point[k].truth = -(double)mpx_load_count(load, i);
	check(mpx_set_start(set), "mpx_set_start");
	mpx_load_run(load, iterations, phased, seed);
	check(mpx_set_stop(set, NULL), "mpx_set_stop");
	check(mpx_set_estimates(set, estimate, (int)k), "mpx_set_estimates");
	for (i = first, k = 0; i < MPX_LOAD_EVENTS; i += step, k++) {
		point[k].truth += (double)mpx_load_count(load, i);
		point[k].estimate = estimate[k];
	}
}

static bool is_held(const struct point *p)
{
	return p->estimate.low <= p->truth && p->truth <= p->estimate.high;
}

static bool is_beyond(const struct point *p)
{
	double off = fabs(p->estimate.estimate / p->truth - 1);

	return off > fmax(0.01, 3 / sqrt((double)p->estimate.count));
}

/* ---- points ---------------------------------------------------------------------------- */

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct mpx_load *load = mpx_load_create(worker->cpu);
	int set = make_set(0, 1);
	unsigned phased, power;

	for (phased = 0; phased < 2; phased++)
		for (power = FIRST; power <= LAST; power++) {
			pthread_barrier_wait(&together);
			measure(load, set, 0, 1, (uint64_t)1 << power, phased,
				power * THREADS + worker->number, worker->point[phased][power - FIRST]);
		}
	check(mpx_set_destroy(&set), "mpx_set_destroy");
	mpx_load_destroy(load);
	return NULL;
}

static void print_point(unsigned threads, unsigned phased, unsigned power, unsigned event,
			const struct point *p)
{
	printf("point %s %u %u %s %.0f ", kind[phased], threads, 1u << power, mpx_load_event(event),
	       p->truth);
	if (p->estimate.flags & MPX_UNCOUNTED)
		printf("never - - 0 0\n");
	else
		printf("%.1f %.1f %.1f %llu %llu\n", p->estimate.estimate, p->estimate.low, p->estimate.high,
		       (unsigned long long)p->estimate.count, (unsigned long long)p->estimate.slices);
}

static void print_points(const struct worker *worker, unsigned threads)
{
	unsigned phased, power, event, w, points, beyond, held;
	char name[64];

	for (phased = 0; phased < 2; phased++) {
		points = beyond = held = 0;
		for (power = FIRST; power <= LAST; power++)
			for (w = 0; w < threads; w++)
				for (event = 0; event < MPX_LOAD_EVENTS; event++) {
					const struct point *p =
						&worker[w].point[phased][power - FIRST][event];

					print_point(threads, phased, power, event, p);
					if (p->estimate.slices < ENOUGH)
						continue;
					points++;
					beyond += is_beyond(p);
					held += is_held(p);
				}
		snprintf(name, sizeof(name), "mpx_%s_%u_threads", kind[phased], threads);
		printf("bench %s_points %u events\nbench %s_beyond %u events\n"
		       "bench %s_held %.1f %%\n",
		       name, points, name, beyond, name, points ? 100. * held / points : 0);
	}
}

static void points(unsigned threads)
{
	struct worker *worker = calloc(threads, sizeof(*worker));
	cpu_set_t mine;
	unsigned w, cpu = 0;

	if (!worker || sched_getaffinity(0, sizeof(mine), &mine))
		abort();
	pthread_barrier_init(&together, NULL, threads);
	for (w = 0; w < threads; w++, cpu++) {
		while (!CPU_ISSET(cpu % CPU_SETSIZE, &mine))
			cpu++;
		worker[w].number = w;
		worker[w].cpu = cpu % CPU_SETSIZE;
		if (pthread_create(&worker[w].thread, NULL, work, &worker[w]))
			abort();
	}
	for (w = 0; w < threads; w++)
		pthread_join(worker[w].thread, NULL);
	pthread_barrier_destroy(&together);
	print_points(worker, threads);
	free(worker);
}

/* ---- hold ------------------------------------------------------------------------------ */

struct score {
	double held, least, most; /* percent of intervals that contain the truth: all events, worst, best */
	double bias;              /* percent, of the event with the largest bias */
	double width, error;      /* percent, medians */
	double slices;
};

static struct score score_of(struct point (*point)[HOLD_EVENTS], unsigned repeats)
{
	size_t all = (size_t)repeats * HOLD_EVENTS, n = 0;
	double *width = calloc(all, sizeof(*width)), *error = calloc(all, sizeof(*error));
	struct score s = {.least = 100};
	unsigned event, r;

	if (!width || !error)
		abort();
	for (event = 0; event < HOLD_EVENTS; event++) {
		double held = 0, sum = 0;

		for (r = 0; r < repeats; r++, n++) {
			const struct point *p = &point[r][event];
			double off = p->estimate.estimate / p->truth - 1;

			held += is_held(p);
			sum += off;
			error[n] = 100 * fabs(off);
			width[n] = 50 * (p->estimate.high - p->estimate.low) / p->truth;
			s.slices += (double)p->estimate.slices / (double)all;
		}
		held *= 100. / repeats;
		s.held += held / HOLD_EVENTS;
		s.least = fmin(s.least, held);
		s.most = fmax(s.most, held);
		s.bias = fmax(s.bias, 100 * fabs(sum) / repeats);
	}
	s.width = bench_median(width, all);
	s.error = bench_median(error, all);
	free(width);
	free(error);
	return s;
}

static void hold(unsigned repeats)
{
	struct point(*point)[HOLD_EVENTS] = calloc(repeats, sizeof(*point));
	unsigned step = MPX_LOAD_EVENTS / HOLD_EVENTS, first = step - 1, phased, r, k;
	struct mpx_load *load = mpx_load_create((unsigned)sched_getcpu());
	int set = make_set(first, step);

	if (!point)
		abort();
	for (phased = 0; phased < 2; phased++) {
		struct score s;
		const struct {
			const char *name;
			const double *value;
			const char *unit;
		} line[] = {
			{"held", &s.held, "%"},          {"held_least", &s.least, "%"},
			{"held_most", &s.most, "%"},     {"half_width", &s.width, "%"},
			{"error", &s.error, "%"},        {"bias_most", &s.bias, "%"},
			{"slices", &s.slices, "slices"},
		};
		char name[64];

		for (r = 0; r < repeats; r++)
			measure(load, set, first, step, HOLD_ITERATIONS, phased, r, point[r]);
		s = score_of(point, repeats);
		for (k = 0; k < sizeof(line) / sizeof(line[0]); k++) {
			snprintf(name, sizeof(name), "mpx_%s_%s", kind[phased], line[k].name);
			bench_print(name, *line[k].value, line[k].unit);
		}
	}
	check(mpx_set_destroy(&set), "mpx_set_destroy");
	mpx_load_destroy(load);
	free(point);
}

/* ---- slowed ---------------------------------------------------------------------------- */

static void tight_loop(unsigned iterations)
{
	char *page;

	while (iterations--) {
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			abort();
		*(volatile char *)page = 1;
		munmap(page, 4096);
		syscall(SYS_getppid);
	}
}

static void slowed(void)
{
	enum { ITERATIONS = 100000, TIMES = 11 };
	/* Groups of four are formed in this order. */
	static const struct {
		const char *name;
		unsigned times; /* in an iteration */
	} event[] = {
		{"tp::syscalls:sys_enter_getppid", 1}, {"tp::syscalls:sys_exit_getppid", 1},
		{"tp::syscalls:sys_enter_mmap", 1},    {"tp::syscalls:sys_exit_mmap", 1},
		{"tp::syscalls:sys_enter_munmap", 1},  {"tp::syscalls:sys_exit_munmap", 1},
		{"tp::exceptions:page_fault_user", 1}, {"tp::raw_syscalls:sys_exit", 3},
	};
	enum { EVENTS = sizeof(event) / sizeof(event[0]) };
	struct mpx_estimate estimate[EVENTS] = {{.size = sizeof(estimate[0])}};
	static double off[EVENTS][TIMES];
	char name[PAPI_MAX_STR_LEN];
	unsigned i, k, held = 0;
	int set;

	check(mpx_set_create(&set), "mpx_set_create");
	for (i = 0; i < EVENTS; i++) {
		snprintf(name, sizeof(name), "upc:::%s", event[i].name);
		check(mpx_set_add_named_event(set, name), name);
	}
	for (k = 0; k < TIMES; k++) {
		check(mpx_set_start(set), "mpx_set_start");
		tight_loop(ITERATIONS);
		check(mpx_set_stop(set, NULL), "mpx_set_stop");
		check(mpx_set_estimates(set, estimate, EVENTS), "mpx_set_estimates");
		for (i = 0; i < EVENTS; i++) {
			double truth = (double)ITERATIONS * event[i].times;

			off[i][k] = 100 * (estimate[i].estimate / truth - 1);
			held += estimate[i].low <= truth && truth <= estimate[i].high;
		}
	}
	check(mpx_set_destroy(&set), "mpx_set_destroy");
	bench_print("mpx_slowed_less", bench_median(off[0], TIMES), "%");
	bench_print("mpx_slowed_more", bench_median(off[GROUP], TIMES), "%");
	bench_print("mpx_slowed_held", 100. * held / (TIMES * EVENTS), "%");
}

static int usage(void)
{
	fprintf(stderr, "usage: mpx_accuracy points [COVARIATE]\n"
			"       mpx_accuracy hold [REPEATS [COVARIATE]]\n"
			"       mpx_accuracy slowed [COVARIATE]\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "hold";
	bool is_hold = strcmp(mode, "hold") == 0;
	int repeats = is_hold && argc > 2 ? atoi(argv[2]) : 50, at = 2 + is_hold;

	if (repeats < 1 || (!is_hold && strcmp(mode, "points") != 0 && strcmp(mode, "slowed") != 0))
		return usage();
	bench_need_tracepoints("mpx_accuracy");
	init(argc > at ? argv[at] : NULL);
	if (is_hold) {
		hold((unsigned)repeats);
	} else if (strcmp(mode, "slowed") == 0) {
		slowed();
	} else {
		points(1);
		points(THREADS);
	}
	check(mpx_library_shutdown(), "mpx_library_shutdown");
	return 0;
}
