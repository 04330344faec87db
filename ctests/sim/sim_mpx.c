/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_mpx - libmpx in a program on the simulated node: events of two cores, which share
 * counters, take turns in slices of CPU time, and the truth stands beside the estimates. The
 * test runs itself under upc_run.
 */
#include <mpx.h>
#include <stdatomic.h>

#include "../papi/papi_util.h"
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

/* More than the timers that the emulator has for all of them. */
#define THREADS 48

static atomic_int started;

static void *shares(void *failed)
{
	int set = PAPI_NULL, bad = mpx_set_create(&set) != PAPI_OK;
	long long values[EVENTS];
	size_t i;

	for (i = 0; i < EVENTS && !bad; i++)
		bad = mpx_set_add_named_event(set, names[i]) != PAPI_OK;
	bad = bad || mpx_set_start(set) != PAPI_OK;
	if (bad)
		note("%s", mpx_last_message());
	/* All are there at once. */
	atomic_fetch_add(&started, 1);
	while (atomic_load(&started) < THREADS)
		usleep(1000);
	loop(1000);
	*(int *)failed = bad || mpx_set_stop(set, values) != PAPI_OK;
	return NULL;
}

static void many_threads(void)
{
	pthread_t thread[THREADS];
	int failed[THREADS], i, bad = 0;

	ok(mpx_library_init(MPX_ABI_VERSION, NULL) == PAPI_OK, "libmpx has a timer of its own choice");
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, shares, &failed[i]))
			bail_out("no thread");
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		bad += failed[i];
	}
	ok(!bad, "%d threads share counters at once: %d cannot", THREADS, bad);
	ok(mpx_library_shutdown() == PAPI_OK, "the end");
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
	many_threads();
	return done();
}

#include "sim_inside.h"

int main(void)
{
	return getenv(INSIDE) ? inside() : once(INSIDE);
}
