/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_truth.c - prints estimates of libmpx that can be compared with true counts. Four threads run, one on
 * each core of the simulated node. A process-wide set counts all threads, and each thread has a private set.
 * Events of PU0 and PU2 share counters, and so do those of PU1 and PU3. All work of measurement 0 is in
 * work_0(), and so on, so "upc_run --region work_0" gives the true counts. The output is JSON.
 *
 * usage: sim_truth [-l LOAD] [-m MEASUREMENTS] [-n QUANTA] [-s SLICE_US] [-g MAX] [-r SEED]
 *                  [-x | -p]
 *   LOAD: steady, phased or bursts
 *   QUANTA: units of work for each thread in each measurement
 *   MAX: events in a slice; 0: as many as fit
 *   -x: no process-wide set, no shared counters, and one thread at a time: exact counts instead of estimates
 *   -p: private sets only, with two events that happen equally often, one event in each slice: the counts of
 *       both, added up, are the true count
 */
#include <mpx.h>
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, CLASSES = 8, EVENTS = THREADS * CLASSES, ARRAY = 512, MEASUREMENTS = 12 };

/* The events of a core. The first two, which happen equally often, are the pair of -p. */
static const char *const class_name[CLASSES] = {
	"FPU_MULT_1",    "FPU_ADD_SUB_1",  "DATA_LOADS",    "DATA_STORES",
	"JPIPE_ADD_SUB", "IPIPE_MULT_DIV", "JPIPE_SHROTMK", "IPIPE_BRANCHES",
};

enum load { STEADY, PHASED, BURSTS, LOADS };
enum mode { ESTIMATES, EXACT, PAIR };
static const char *const load_name[LOADS] = {"steady", "phased", "bursts"};

struct thread {
	int number;
	uint32_t random;
	double x, array[ARRAY];
	uint64_t whole;
	int measurement;
	struct mpx_estimate idle[CLASSES], own[MEASUREMENTS][CLASSES];
};

static struct options {
	enum load load;
	unsigned measurements, quanta, slice_us, group_max, seed;
	enum mode mode;
} options = {STEADY, 1, 8000, 4000, 0, 1, ESTIMATES};

static struct thread threads[THREADS];
static struct mpx_estimate process[MEASUREMENTS][EVENTS];
static pthread_barrier_t barrier;

/* Exit with a message if error is negative. The message contains PAPI's short text and libmpx's longer one.
 */
static void need(int error, const char *what)
{
	if (error >= PAPI_OK)
		return;
	fprintf(stderr, "sim_truth: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

/* ---- work -------------------------------------------------------------------------- */

/* Add and multiply in an order that a compiler cannot turn into fused multiply-adds. */
static void floating(struct thread *t)
{
	double x = t->x;
	int i;

	for (i = 0; i < 4 * ARRAY; i++)
		x = (x + 1) * 0.75;
	t->x = x;
}

/* Compute each element from the previous one, so that no compiler vectorises the loop. */
static void streaming(struct thread *t)
{
	int k, i;

	for (k = 0; k < 4; k++)
		for (i = 1; i < ARRAY; i++)
			t->array[i] = (t->array[i] + t->array[i - 1]) * 0.5;
}

static void integers(struct thread *t)
{
	uint64_t w = t->whole;
	int i;

	for (i = 0; i < 4 * ARRAY; i++)
		w = (w ^ w >> 29) * 0x9e3779b97f4a7c15u + (w >> 7);
	t->whole = w;
}

static void branches(struct thread *t)
{
	uint64_t w = t->whole | 1;
	int i;

	for (i = 0; i < 4 * ARRAY; i++) {
		if (w & 1)
			w = w >> 1 ^ 0xd800000000000000u;
		else
			w >>= 1;
	}
	t->whole = w;
}

enum { KINDS = 4 };
static void (*const kind[KINDS])(struct thread *) = {floating, streaming, integers, branches};

static unsigned draw(struct thread *t, unsigned below)
{
	t->random = t->random * 1664525u + 1013904223u;
	return (unsigned)((uint64_t)(t->random >> 8) * below >> 24);
}

/* Do all kinds of work in turn, the thread's own kind twice as often: the mix never changes. */
static void steady(struct thread *t, unsigned quanta)
{
	unsigned i;

	for (i = 0; i < quanta; i++)
		kind[i % (KINDS + 1) < KINDS ? i % (KINDS + 1) : (unsigned)t->number](t);
}

/* Do one kind of work at a time, each for a tenth to a third of the run. */
static void phased(struct thread *t, unsigned quanta)
{
	unsigned done = 0, which = (unsigned)t->number, end;

	while (done < quanta) {
		end = done + quanta / 10 + draw(t, quanta / 4 + 1) + 1;
		for (; done < end && done < quanta; done++)
			kind[which](t);
		which = (which + 1 + draw(t, KINDS - 1)) % KINDS;
	}
}

/* Do bursts of the thread's own kind of work; one burst in eight is of a random kind. */
static void bursts(struct thread *t, unsigned quanta)
{
	unsigned done = 0, which, end;

	while (done < quanta) {
		which = draw(t, 8) ? (unsigned)t->number : draw(t, KINDS);
		end = done + quanta / 400 + 1;
		for (; done < end && done < quanta; done++)
			kind[which](t);
	}
}

typedef void work_function(struct thread *t);

/* Define the function whose true counts are compared. The number n keeps the compiler from merging the
 * identical functions. */
#define WORK(n)                                                                                         \
	__attribute__((noinline)) static void work_##n(struct thread *t)                                \
	{                                                                                               \
		static void (*const load[LOADS])(struct thread *, unsigned) = {steady, phased, bursts}; \
                                                                                                        \
		t->measurement = n;                                                                     \
		load[options.load](t, options.quanta);                                                  \
	}

WORK(0)
WORK(1)
WORK(2)
WORK(3)
WORK(4)
WORK(5)
WORK(6)
WORK(7)
WORK(8)
WORK(9)
WORK(10)
WORK(11)

static work_function *const work[MEASUREMENTS] = {
	work_0, work_1, work_2, work_3, work_4, work_5, work_6, work_7, work_8, work_9, work_10, work_11,
};

/* Do no work: a set around this function counts only the cost of its own start and stop. */
__attribute__((noinline)) static void idle(struct thread *t)
{
	t->measurement = -1;
}

__attribute__((noinline)) static void warm_up(struct thread *t)
{
	t->measurement = -2;
}

/* ---- sets ---------------------------------------------------------------------------- */

static int classes(void)
{
	return options.mode == PAIR ? 2 : CLASSES;
}

static void add_core(int set, int core)
{
	char name[64];
	int i;

	for (i = 0; i < classes(); i++) {
		snprintf(name, sizeof(name), "upc:::PU%d_%s", core, class_name[i]);
		need(mpx_set_add_named_event(set, name), name);
	}
}

static void estimates(int set, struct mpx_estimate *estimate, int n)
{
	int i;

	for (i = 0; i < n; i++)
		estimate[i] = MPX_OPTIONS_INIT(mpx_estimate);
	need(mpx_set_estimates(set, estimate, n), "mpx_set_estimates");
}

static void measure(int set, struct thread *t, work_function *what, struct mpx_estimate *estimate)
{
	need(mpx_set_start(set), "mpx_set_start");
	what(t);
	need(mpx_set_stop(set, NULL), "mpx_set_stop");
	estimates(set, estimate, classes());
}

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

/* Measure one thread at a time, so that no counted work includes waiting for a lock. */
static void take_turns(int set, struct thread *t)
{
	int turn;

	for (turn = 0; turn < THREADS; turn++) {
		meet();
		if (turn != t->number)
			continue;
		/* The first call of each library function includes its lazy binding, so warm up first. */
		measure(set, t, warm_up, t->idle);
		measure(set, t, idle, t->idle);
		measure(set, t, work_0, t->own[0]);
	}
	meet();
}

/* Measure all threads at once. all: the process-wide set in the thread that owns it, else PAPI_NULL. */
static void work_together(int all, int set, struct thread *t)
{
	unsigned i;
	int error;

	for (i = 0; i < options.measurements; i++) {
		if (all != PAPI_NULL)
			need(mpx_set_start(all), "mpx_set_start");
		meet();
		measure(set, t, work[i], t->own[i]);
		meet();
		if (all == PAPI_NULL)
			continue;
		error = mpx_set_stop(all, NULL);
		/* PAPI_ESYS: a thread did not answer in time. Its estimates have the flag MPX_PARTIAL. */
		if (error != PAPI_ESYS)
			need(error, "mpx_set_stop");
		estimates(all, process[i], EVENTS);
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	int set, all = PAPI_NULL, core;

	need(mpx_set_create(&set), "mpx_set_create");
	add_core(set, t->number);
	if (options.mode == EXACT) {
		take_turns(set, t);
		need(mpx_set_destroy(&set), "mpx_set_destroy");
		return NULL;
	}
	if (t->number == 0 && options.mode == ESTIMATES) {
		need(mpx_set_create_process(&all), "mpx_set_create_process");
		for (core = 0; core < THREADS; core++)
			add_core(all, core);
	}
	meet();
	/* The process-wide set now has its events, so threads that register join it. */
	need(mpx_thread_register(), "mpx_thread_register");
	meet();
	work_together(all, set, t);
	need(mpx_set_destroy(&set), "mpx_set_destroy");
	/* Wait until the process-wide set's estimates are read: a thread that ends leaves the set. */
	meet();
	if (all != PAPI_NULL)
		need(mpx_set_destroy(&all), "mpx_set_destroy");
	return NULL;
}

/* Run all threads. The simulator places threads on cores in the order of their creation; the main thread is
 * on the first core. */
static void run_all(void)
{
	pthread_t id[THREADS];
	int i;

	for (i = 1; i < THREADS; i++)
		need(-pthread_create(&id[i], NULL, run, &threads[i]), "pthread_create");
	run(&threads[0]);
	for (i = 1; i < THREADS; i++)
		pthread_join(id[i], NULL);
}

/* ---- output ----------------------------------------------------------------------------- */

static void print(const char *set, int measurement, int core, int class, const struct mpx_estimate *e)
{
	static const char *separator = "";

	printf("%s\n\t\t{\"set\": \"%s\", \"measurement\": %d, \"core\": %d, \"event\": \"%s\", "
	       "\"count\": %llu, \"estimate\": %.1f, \"standard_error\": %.1f, \"low\": %.1f, "
	       "\"high\": %.1f, \"coverage\": %.4f, \"slices\": %llu, \"flags\": %u}",
	       separator, set, measurement, core, class_name[class], (unsigned long long)e->count,
	       e->estimate, e->standard_error, e->low, e->high, e->coverage, (unsigned long long)e->slices,
	       e->flags);
	separator = ",";
}

/* Print one line for each event. */
static void print_all(void)
{
	int measurement, i, k;

	printf("{\n\t\"load\": \"%s\", \"slice_us\": %u, \"quanta\": %u,\n\t\"events\": [",
	       load_name[options.load], options.slice_us, options.quanta);
	for (measurement = 0; measurement < (int)options.measurements; measurement++) {
		for (i = 0; i < EVENTS && options.mode == ESTIMATES; i++)
			print("process", measurement, i / CLASSES, i % CLASSES, &process[measurement][i]);
		for (i = 0; i < THREADS; i++) {
			for (k = 0; k < CLASSES && options.mode == EXACT; k++)
				print("idle", measurement, i, k, &threads[i].idle[k]);
			for (k = 0; k < classes(); k++)
				print("thread", measurement, i, k, &threads[i].own[measurement][k]);
		}
	}
	printf("\n\t]\n}\n");
}

static int usage(void)
{
	fprintf(stderr, "usage: sim_truth [-l steady|phased|bursts] [-m MEASUREMENTS] [-n QUANTA] "
			"[-s SLICE_US] [-g MAX] [-r SEED] [-x | -p]\n");
	return 2;
}

static int number(const char *text, unsigned most, unsigned *value)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	*value = (unsigned)n;
	return *text < '0' || *text > '9' || *end || n > most;
}

static int parse(int argc, char **argv)
{
	int option, bad = 0;

	while (!bad && (option = getopt(argc, argv, "l:m:n:s:g:r:xp")) != -1) {
		switch (option) {
		case 'l':
			options.load = STEADY;
			while (options.load < LOADS && strcmp(optarg, load_name[options.load]) != 0)
				options.load++;
			bad = options.load == LOADS;
			break;
		case 'm':
			bad = number(optarg, MEASUREMENTS, &options.measurements);
			break;
		case 'n':
			bad = number(optarg, 100000000, &options.quanta);
			break;
		case 's':
			bad = number(optarg, 10000000, &options.slice_us);
			break;
		case 'g':
			bad = number(optarg, EVENTS, &options.group_max);
			break;
		case 'r':
			bad = number(optarg, 1000000000, &options.seed);
			break;
		case 'x':
			options.mode = EXACT;
			break;
		case 'p':
			options.mode = PAIR;
			break;
		default:
			bad = 1;
		}
	}
	/* One measurement is enough for exact counts, which are always the same. */
	if (options.mode == EXACT)
		options.measurements = 1;
	if (options.mode == PAIR)
		options.group_max = 1;
	return bad || optind < argc || !options.measurements;
}

int main(int argc, char **argv)
{
	struct mpx_options library = MPX_OPTIONS_INIT(mpx_options);
	int i;

	if (parse(argc, argv))
		return usage();
	for (i = 0; i < THREADS; i++)
		threads[i] = (struct thread){
			.number = i,
			.random = options.seed * THREADS + (unsigned)i,
			.whole = 1,
		};
	library.slice_ns = options.slice_us * 1000ull;
	library.timer = MPX_TIMER_THREAD;
	library.group_max = options.group_max;
	library.seed = options.seed;
	need(mpx_library_init(MPX_ABI_VERSION, &library), "mpx_library_init");
	pthread_barrier_init(&barrier, NULL, THREADS);
	run_all();
	print_all();
	need(mpx_library_shutdown(), "mpx_library_shutdown");
	return 0;
}
