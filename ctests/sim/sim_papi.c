/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_papi - PAPI in a program on the simulated node. The test runs itself under upc_run,
 * twice: what it says, counts included, must be the same both times. It has its own PAPI, in
 * which upc is one component of several; the other tests have the one that upc_run gives.
 *
 * What PAPI's own calls execute between a set's start and its stop is counted too. It is the
 * same each time, and so the difference between n and 2n iterations of a loop is exactly what
 * n iterations do.
 */
#include <signal.h>
#include <sys/wait.h>

#include "../papi/papi_util.h"
#include "sim_loop.h"
#include "sim_ways.h"

#define INSIDE "UPC_TEST_SIM_INSIDE"
#define N 1000

static const struct {
	const char *name;
	long long each; /* an iteration */
} events[] = {
	{"upc:::PU_INSTRUCTIONS", LOOP_INSTRUCTIONS},
	{"upc:::PU_DATA_LOADS", LOOP_LOADS},
	{"upc:::PU_DATA_STORES", LOOP_STORES},
	{"upc:::PU_FPU_MULT_1", LOOP_MULTIPLY},
	{"upc:::PU_FPU_ADD_SUB_1", LOOP_ADD},
	{"upc:::PU_FPU_OTHER_LOADS", LOOP_LOADS},
	{"upc:::PU_FPU_OTHER_STORES", LOOP_STORES},
	{"upc:::PU_IPIPE_BRANCHES", LOOP_BRANCHES},
	{"upc:::PU0_FPU_MULT_1", LOOP_MULTIPLY}, /* the first thread is on core 0 */
	{"upc:::PU1_FPU_MULT_1", 0},
	{"upc:::TOT_INS", LOOP_INSTRUCTIONS},
	{"upc:::PU0_TOT_INS", LOOP_INSTRUCTIONS},
	{"upc:::PU0_INSTRUCTIONS", LOOP_INSTRUCTIONS},
	{"upc:::PU3_TOT_INS", 0},
	{"upc:::FP_OPS", LOOP_MULTIPLY + LOOP_ADD},
	{"upc:::FMA_INS", 0},
	{"upc:::BR_INS", LOOP_BRANCHES},
};
#define EVENTS (sizeof(events) / sizeof(*events))

static int make_set(void)
{
	int set = PAPI_NULL;
	size_t i;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return PAPI_NULL;
	for (i = 0; i < EVENTS; i++)
		if (PAPI_add_named_event(set, events[i].name) != PAPI_OK) {
			note("no %s", events[i].name);
			return PAPI_NULL;
		}
	return set;
}

/* ---- which events there are ----------------------------------------------------- */

static void test_names(void)
{
	int code;

	ok(PAPI_event_name_to_code("upc:::PU3_JPIPE_ADD_SUB", &code) == PAPI_OK,
	   "events of a core by its number");
	ok(PAPI_event_name_to_code("upc:::PU_JPIPE_ADD_SUB", &code) == PAPI_OK,
	   "of the caller's own without it");
	ok(PAPI_event_name_to_code("upc:::BGP_PU0_FPU_FMA_2", &code) == PAPI_OK, "BGP_ before a name");
	ok(PAPI_event_name_to_code("upc:::time::thread_cpu_ns", &code) == PAPI_OK, "clocks");
	ok(PAPI_event_name_to_code("upc:::PU0_DCACHE_MISS", &code) == PAPI_ENOEVNT, "nothing of caches");
	ok(PAPI_event_name_to_code("upc:::perf::PAGE-FAULTS", &code) == PAPI_ENOEVNT,
	   "nothing of this machine's");
	ok(PAPI_event_name_to_code("upc:::PU0_FPU_FMA_2:mode=rise", &code) == PAPI_OK,
	   "occurrences are mode=rise");
	ok(PAPI_event_name_to_code("upc:::PU0_FPU_FMA_2:mode=low", &code) == PAPI_ENOSUPP,
	   "levels there are none");
}

/* ---- exact counts ------------------------------------------------------------------ */

static void test_way(const struct way *way)
{
	const char *name = way->name;
	long long one[EVENTS], two[EVENTS], again[EVENTS];
	int set = make_set(), good = 1;
	size_t i;

	/* The first time through, symbols are bound and pages touched. */
	if (!ok(set != PAPI_NULL && way->count(set, loop, N, one) == PAPI_OK &&
			way->count(set, loop, N, one) == PAPI_OK &&
			way->count(set, loop, 2 * N, two) == PAPI_OK &&
			way->count(set, loop, N, again) == PAPI_OK,
		"%s: counts", name))
		return;
	for (i = 0; i < EVENTS; i++)
		if (two[i] - one[i] != N * events[i].each) {
			note("%s: %lld and %lld", events[i].name, one[i], two[i]);
			good = 0;
		}
	ok(good, "%s: the difference between n and 2n iterations is what n do", name);
	ok(memcmp(one, again, sizeof(one)) == 0, "%s: n iterations count the same again", name);
	for (i = 0; i < EVENTS; i++)
		note("%s: %s is %lld more than the loop's", name, events[i].name,
		     one[i] - N * events[i].each);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* ---- threads ------------------------------------------------------------------------- */

#define THREADS 4

struct worker {
	unsigned number; /* from 1: the first thread is 0 */
	long long own, core[4];
	int error;
};

static void *work(void *argument)
{
	struct worker *w = argument;
	long long values[3];
	int low = PAPI_NULL, high = PAPI_NULL;

	w->error = PAPI_create_eventset(&low) || PAPI_create_eventset(&high) ||
		   PAPI_add_named_event(low, "upc:::PU_FPU_MULT_1") ||
		   PAPI_add_named_event(low, "upc:::PU0_FPU_MULT_1") ||
		   PAPI_add_named_event(low, "upc:::PU1_FPU_MULT_1") ||
		   PAPI_add_named_event(high, "upc:::PU2_FPU_MULT_1") ||
		   PAPI_add_named_event(high, "upc:::PU3_FPU_MULT_1") || PAPI_start(low);
	loop(N * w->number);
	w->error = w->error || PAPI_stop(low, values) || PAPI_start(high);
	w->own = values[0];
	w->core[0] = values[1];
	w->core[1] = values[2];
	loop(N * w->number);
	w->error = w->error || PAPI_stop(high, values);
	w->core[2] = values[0];
	w->core[3] = values[1];
	PAPI_unregister_thread();
	return NULL;
}

static void test_threads(void)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	unsigned i, core;

	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.number = i + 1};
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < THREADS; i++) {
		const struct worker *w = &workers[i];
		int good = !w->error && w->own == N * w->number;

		for (core = 0; core < 4; core++)
			good = good && w->core[core] == (core == w->number % 4 ? N * w->number : 0);
		ok(good, "thread %u: its own counts, and those of core %u only", w->number, w->number % 4);
		if (!good)
			note("error %d, own %lld, cores %lld %lld %lld %lld", w->error, w->own, w->core[0],
			     w->core[1], w->core[2], w->core[3]);
	}
}

/* ---- sets --------------------------------------------------------------------------- */

static void test_conflict(void)
{
	int set = set_with("upc:::PU0_FPU_MULT_1");
	long long values[3];

	ok(PAPI_add_named_event(set, "upc:::PU2_FPU_MULT_1") == PAPI_ECNFLCT, "cores 0 and 2 share counters");
	ok(PAPI_add_named_event(set, "upc:::PU_FPU_MULT_1") == PAPI_OK, "the own core's have others");
	PAPI_start(set);
	loop(N);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == N && values[1] == N, "both count the same");
	PAPI_cleanup_eventset(set);
	PAPI_assign_eventset_component(set, find_component());
	ok(PAPI_set_multiplex(set) == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::PU0_FPU_MULT_1") == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::PU2_FPU_MULT_1") == PAPI_OK &&
		   PAPI_add_named_event(set, "upc:::PU_INSTRUCTIONS") == PAPI_OK,
	   "a multiplexed set takes them");
	PAPI_start(set);
	loop(N);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == N && values[1] == 0 &&
		   values[2] >= N * LOOP_INSTRUCTIONS,
	   "... and counts them exactly");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* A panel's event makes way for one of the chip's that has its counter. */
static void test_way_made(void)
{
	int set = set_with("upc:::PU_FPU_ADD_SUB_1"); /* counter 0, the lowest */
	long long values[2];

	ok(PAPI_add_named_event(set, "upc:::PU0_JPIPE_INSTRUCTIONS") == PAPI_OK,
	   "an event of counter 0 beside it");
	PAPI_start(set);
	loop(N);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == N && values[1] >= N, "what made way counts on");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void test_write(void)
{
	int set = set_with("upc:::PU_FPU_MULT_1");
	long long value = 5000;

	PAPI_start(set);
	loop(N);
	ok(PAPI_write(set, &value) == PAPI_OK, "PAPI_write");
	loop(N);
	ok(PAPI_stop(set, &value) == PAPI_OK && value == 5000 + N, "goes on from what was written");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void test_refused(void)
{
	int set = set_with("upc:::PU_FPU_MULT_1");
	PAPI_option_t option = {.inherit = {.eventset = set, .inherit = PAPI_INHERIT_ALL}};

	ok(PAPI_attach(set, (unsigned long)getppid()) != PAPI_OK, "another process cannot be attached to");
	ok(PAPI_set_opt(PAPI_INHERIT, &option) != PAPI_OK, "children are not inherited");
	option.cpu.eventset = set;
	option.cpu.cpu_num = 0;
	ok(PAPI_set_opt(PAPI_CPU_ATTACH, &option) != PAPI_OK, "a CPU is not simulated");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void test_fork(void)
{
	int set = set_with("upc:::PU_FPU_MULT_1"), status;
	long long values[2];
	pid_t child;

	/* The clock of the thread is another in the child. */
	PAPI_add_named_event(set, "upc:::time::thread_cpu_ns");
	PAPI_start(set);
	loop(N);
	child = fork();
	if (child == 0) {
		/* The child's first thread is on core 0, and counts from zero. */
		if (PAPI_stop(set, NULL) != PAPI_OK || PAPI_start(set) != PAPI_OK)
			_exit(1);
		loop(3 * N);
		_exit(PAPI_stop(set, values) == PAPI_OK && values[0] == 3 * N && values[1] > 0 ? 0 : 2);
	}
	waitpid(child, &status, 0);
	loop(N);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child counts from zero");
	if (status)
		note("status %x", (unsigned)status);
	ok(PAPI_stop(set, values) == PAPI_OK && values[0] == 2 * N, "... and not into its parent");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* ---- the test ------------------------------------------------------------------------ */

static int inside(void)
{
	start_papi();
	test_names();
	for (size_t i = 0; i < WAYS; i++)
		test_way(&ways[i]);
	test_threads();
	test_conflict();
	test_way_made();
	test_write();
	test_refused();
	test_fork();
	return done();
}

#define INSIDE_OPTIONS "--papi=own"
#include "sim_inside.h"

int main(void)
{
	return getenv(INSIDE) ? inside() : twice(INSIDE);
}
