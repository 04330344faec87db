/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_mpx - libmpx in a program on the simulated node: events of two cores, which share
 * counters, take turns in slices of CPU time, and the truth stands beside the estimates. The
 * test runs itself under upc_run.
 */
#include <mpx.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../mpx/mpx_util.h"
#include "sim_loop.h"

#define INSIDE "UPC_TEST_SIM_INSIDE"

static const char *const names[] = {
	"upc:::PU0_FPU_MULT_1", "upc:::PU0_DATA_LOADS", /* both on input 0 ...	*/
	"upc:::PU2_FPU_MULT_1", "upc:::PU2_DATA_LOADS", /* ... and 1 of the same */
};
#define EVENTS (sizeof(names) / sizeof(*names))

static unsigned slices(int set)
{
	struct mpx_estimate estimates[EVENTS];
	unsigned least = 1000000;
	size_t i;

	for (i = 0; i < EVENTS; i++)
		estimates[i] = MPX_OPTIONS_INIT(mpx_estimate);
	if (mpx_set_estimates(set, estimates, EVENTS) != PAPI_OK)
		return 0;
	for (i = 0; i < EVENTS; i++)
		least = estimates[i].slices < least ? (unsigned)estimates[i].slices : least;
	return least;
}

/* More than the timers that an emulator has for all of them, which is 32. */
#define THREADS 60

static atomic_int started;

struct sharer {
	pthread_t thread;
	unsigned events; /* that it counts */
	int refused;     /* by the error; 0: it was served */
	bool named;      /* the message says which timer there would be */
	bool counted;    /* each event has had a slice */
};

static int begin(const struct sharer *s, int *set)
{
	int error = mpx_set_create(set);
	size_t i;

	for (i = 0; i < s->events && !error; i++)
		error = mpx_set_add_named_event(*set, names[i]);
	return error ? error : mpx_set_start(*set);
}

static void *shares(void *argument)
{
	struct sharer *s = argument;
	long long values[EVENTS] = {0};
	int set = PAPI_NULL, rounds;

	s->refused = begin(s, &set);
	s->named = s->refused && strstr(mpx_last_message(), "MPX_TIMER_VIRTUAL");
	if (s->refused && !s->named)
		note("%s", mpx_last_message());
	/* All are there at once. */
	atomic_fetch_add(&started, 1);
	while (atomic_load(&started) < THREADS)
		usleep(1000);
	if (s->refused)
		return NULL;
	/* However slow the machine is, until each has had its turns. */
	for (rounds = 0; rounds < 100000 && !s->counted; rounds++) {
		loop(1000);
		s->counted = s->events > 1 ? slices(set) > 0
					   : !mpx_set_read(set, values) && values[0] != MPX_NEVER;
	}
	s->counted = !mpx_set_stop(set, values) && s->counted;
	return NULL;
}

/* Those that are refused are told which timer serves all. */
static void many_threads(enum mpx_timer timer, unsigned events, const char *what)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	struct sharer s[THREADS];
	int i, served = 0, counted = 0, named = 0;

	options.slice_ns = 2000000;
	options.timer = timer;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	atomic_store(&started, 0);
	memset(s, 0, sizeof(s));
	for (i = 0; i < THREADS; i++) {
		s[i].events = events;
		if (pthread_create(&s[i].thread, NULL, shares, &s[i]))
			bail_out("no thread");
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(s[i].thread, NULL);
		served += !s[i].refused;
		counted += s[i].counted;
		named += s[i].named;
	}
	ok(served == counted && served + named == THREADS && served > 0,
	   "%s, %d threads at once: %d are served, %d have their slices, %d are told of another timer", what,
	   THREADS, served, counted, named);
	ok(timer != MPX_TIMER_AUTO || served == THREADS, "a timer that the library chooses serves all");
	works(mpx_library_shutdown());
}

static int inside(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	const long long each = 500000;
	long long values[EVENTS], truth = 0;
	int set, good = 1;
	size_t i;

	options.slice_ns = 2000000;
	options.timer = MPX_TIMER_THREAD;
	if (!ok(mpx_library_init(MPX_ABI_VERSION, &options) == PAPI_OK, "libmpx has its timer"))
		note("%s", mpx_last_message());
	ok(mpx_set_create(&set) == PAPI_OK, "a set");
	for (i = 0; i < EVENTS; i++)
		good = good && mpx_set_add_named_event(set, names[i]) == PAPI_OK;
	ok(good, "events that share counters");
	if (!ok(mpx_set_start(set) == PAPI_OK, "it starts"))
		note("%s", mpx_last_message());
	/* However slow the machine is, until each has had its turns. */
	do {
		loop((unsigned long)each);
		truth += each;
	} while (slices(set) < 20 && truth < 1000 * each);
	ok(slices(set) >= 20, "each event has had its slices");
	ok(mpx_set_stop(set, values) == PAPI_OK, "it stops");
	ok(values[0] > truth / 2 && values[0] < truth * 3 / 2, "an estimate is near the truth");
	ok(values[1] > truth / 2 && values[1] < truth * 3 / 2 + truth / 10, "another's as well");
	ok(values[2] == 0 && values[3] == 0, "on another core there was nothing");
	note("%lld multiplications, %lld were estimated", truth, values[0]);
	ok(mpx_set_destroy(&set) == PAPI_OK && mpx_library_shutdown() == PAPI_OK, "the end");
	many_threads(MPX_TIMER_AUTO, EVENTS, "the library's choice");
	many_threads(MPX_TIMER_THREAD, EVENTS, "timers of threads");
	many_threads(MPX_TIMER_THREAD, 1, "timers of threads, nothing shares");
	return done();
}

#include "sim_inside.h"

int main(void)
{
	return getenv(INSIDE) ? inside() : once(INSIDE);
}
