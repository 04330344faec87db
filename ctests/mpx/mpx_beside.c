/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_beside - libmpx beside the component's own multiplexing, in one process: each has a signal
 * and a timer of its own. In one thread PAPI starts no set of the component while the program's own
 * runs, so that libmpx's waits, and says so. Truth: page faults.
 */
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "mpx_util.h"

#define SLICE_NS 1000000
enum { EVENTS = 4, ROUNDS = 400 };

static const char *const names[EVENTS] = {FAULTS, MINOR, MAJOR, "upc:::perf::TASK-CLOCK"};

static int of_libmpx(void)
{
	int set = PAPI_NULL, i;

	works(mpx_set_create(&set));
	for (i = 0; i < EVENTS; i++)
		works(mpx_set_add_named_event(set, names[i]));
	return set;
}

static int of_component(void)
{
	PAPI_option_t option = {.multiplex = {.ns = SLICE_NS}};
	int set = PAPI_NULL, i;

	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, find_component());
	option.multiplex.eventset = set;
	option.multiplex.flags = PAPI_MULTIPLEX_DEFAULT;
	ok(PAPI_set_opt(PAPI_MULTIPLEX, &option) == PAPI_OK, "a set is multiplexed");
	for (i = 0; i < EVENTS; i++)
		ok(PAPI_add_named_event(set, names[i]) == PAPI_OK, "%s", names[i]);
	return set;
}

/* Some slices, in user mode for the most part; returns the page faults. */
static long some_work(void)
{
	volatile unsigned i;
	long n;

	for (n = 0; n < 16L * ROUNDS; n += 16) {
		touch_pages(16);
		for (i = 0; i < 300000; i++)
			;
	}
	return n;
}

static int is_near_to(double value, long n)
{
	return value > (double)n / 2 && value < 2 * (double)n;
}

/* ---- in one thread -------------------------------------------------------------------- */

static void one_thread(void)
{
	int mine = of_libmpx(), theirs = of_component();
	long long values[EVENTS] = {0};
	struct mpx_estimate e;
	long n;

	works(mpx_set_start(mine));
	ok(PAPI_start(theirs) == PAPI_OK, "the component's starts beside libmpx's");
	n = some_work();
	ok(PAPI_stop(theirs, values) == PAPI_OK && is_near_to((double)values[0], n),
	   "and counts: %lld of %ld", values[0], n);
	works(mpx_set_stop(mine, NULL));
	ok(estimate_of(mine, 0).flags & MPX_LOST, "libmpx's has waited, and says so");
	ok(PAPI_start(theirs) == PAPI_OK, "the other way round");
	refuses(PAPI_EISRUN, mpx_set_start(mine));
	n = some_work();
	ok(PAPI_stop(theirs, values) == PAPI_OK && is_near_to((double)values[0], n),
	   "the component's goes on: %lld of %ld", values[0], n);
	works(mpx_set_start(mine));
	n = some_work();
	works(mpx_set_stop(mine, NULL));
	e = estimate_of(mine, 0);
	ok(is_near_to(e.estimate, n) && !(e.flags & MPX_LOST), "and then libmpx's: %.0f of %ld", e.estimate,
	   n);
	works(mpx_set_destroy(&mine));
	drop(&theirs);
}

/* ---- in two ---------------------------------------------------------------------------- */

static pthread_barrier_t both_run;
static long long counted[EVENTS];
static long done_there;

static void *count_by_component(void *arg)
{
	int set;

	PAPI_register_thread();
	set = of_component();
	ok(PAPI_start(set) == PAPI_OK, "the component's runs in another thread");
	pthread_barrier_wait(&both_run);
	done_there = some_work();
	pthread_barrier_wait(&both_run);
	ok(PAPI_stop(set, counted) == PAPI_OK, "it stops");
	drop(&set);
	return arg;
}

static int signals_taken(void)
{
	int signo, n = 0;

	for (signo = SIGRTMIN + 6; signo <= SIGRTMAX; signo++) {
		struct sigaction now;

		n += !sigaction(signo, NULL, &now) && now.sa_handler != SIG_DFL;
	}
	return n;
}

static void two_threads(void)
{
	int set = of_libmpx(), signals;
	struct mpx_estimate e;
	pthread_t thread;
	long n;

	pthread_barrier_init(&both_run, NULL, 2);
	works(mpx_set_start(set));
	pthread_create(&thread, NULL, count_by_component, NULL);
	pthread_barrier_wait(&both_run);
	signals = signals_taken();
	/* The first round is as long as it took the other thread to begin. */
	works(mpx_set_reset(set));
	n = some_work();
	pthread_barrier_wait(&both_run);
	works(mpx_set_stop(set, NULL));
	pthread_join(thread, NULL);
	e = estimate_of(set, 0);
	ok(signals == 2, "they have %d signals", signals);
	ok(is_near_to(e.estimate, n) && !(e.flags & MPX_LOST), "libmpx: %.0f of %ld", e.estimate, n);
	ok(is_near_to((double)counted[0], done_there), "the component: %lld of %ld", counted[0], done_there);
	works(mpx_set_destroy(&set));
}

int main(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);

	setenv("UPC_MULTIPLEX_GROUP", "1", 1);
	start_papi();
	o.slice_ns = SLICE_NS;
	o.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	one_thread();
	two_threads();
	works(mpx_library_shutdown());
	return done();
}
