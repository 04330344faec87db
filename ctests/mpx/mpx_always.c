/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_always - mpx_set_always, on page faults that the test makes: an event that is counted in
 * every group; the events that cannot be beside it; and that it stays so when its set gets another
 * domain or is attached to a thread.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "mpx_util.h"

#define NO_EVENT 0x4fffffff

static const char *const names[] = {FAULTS, MINOR, MAJOR};
static int code[3];

static void begin(unsigned group_max)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);

	options.group_max = group_max;
	options.slice_ns = 500000;
	options.clock = MPX_CLOCK_CPU;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
}

static int make_set(int n)
{
	int set = PAPI_NULL, i;

	works(mpx_set_create(&set));
	for (i = 0; i < n; i++)
		works(mpx_set_add_named_event(set, names[i]));
	works(mpx_set_list_events(set, code, &n));
	return set;
}

static unsigned groups(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	works(mpx_thread_get_info(&info));
	return info.groups;
}

static void spend(int rounds)
{
	int i;

	for (i = 0; i < rounds; i++)
		touch_pages(20);
}

static void is_all_of_it(int set, long long wanted)
{
	const struct mpx_estimate e = estimate_of(set, 0);

	ok(e.flags == MPX_EXACT && about(e.value, wanted), "%lld of %lld, and exact: flags %x", e.value,
	   wanted, e.flags);
}

static void exact(void)
{
	struct mpx_estimate e;
	int set, other;

	begin(2);
	set = make_set(3);
	other = make_set(3);
	works(mpx_set_always(set, code[0], 1));
	works(mpx_set_always(set, code[0], 1));
	works(mpx_set_start(set));
	ok(groups() == 2, "%u groups of one event beside it", groups());
	refuses(PAPI_EISRUN, mpx_set_always(set, code[0], 0));
	spend(1000);
	/* The event is exact also in a set that has it in turns. */
	works(mpx_set_start(other));
	spend(1000);
	works(mpx_set_stop(other, NULL));
	works(mpx_set_stop(set, NULL));
	is_all_of_it(set, 40000);
	is_all_of_it(other, 20000);
	e = estimate_of(set, 1);
	ok(!(e.flags & MPX_EXACT) && is_estimate_of(&e, 40000, 0.25), "%.0f (%.0f) of 40000 in turns",
	   e.estimate, e.standard_error);
	works(mpx_set_always(set, code[0], 0));
	works(mpx_set_start(other));
	works(mpx_set_stop(other, NULL));
	works(mpx_library_shutdown());
}

/* In another domain the set's events become others; the event that was counted always still is. */
static void moves(void)
{
	int set;

	begin(2);
	set = make_set(3);
	works(mpx_set_always(set, code[0], 1));
	works(mpx_set_domain(set, PAPI_DOM_USER));
	works(mpx_set_start(set));
	spend(1000);
	works(mpx_set_stop(set, NULL));
	is_all_of_it(set, 20000);
	works(mpx_library_shutdown());
}

/* ---- another thread ------------------------------------------------------------------------ */

static atomic_int thread_is, phase;

static void *thread(void *arg)
{
	atomic_store(&thread_is, (int)syscall(SYS_gettid));
	while (atomic_load(&phase) < 1)
		usleep(1000);
	spend(1000);
	atomic_store(&phase, 2);
	while (atomic_load(&phase) < 3)
		usleep(1000);
	return arg;
}

/*
 * The thread runs on while its groups change; the interval holds the count also where a change was held up,
 * and is then wide. Returns whether the interval is narrower than the count.
 */
static int holds(int set, long long wanted)
{
	const struct mpx_estimate e = estimate_of(set, 0);
	double slack = (e.high - e.low) / 2 + FAULTS_SLACK;

	if (e.flags & MPX_EXACT) {
		is_all_of_it(set, wanted);
		return 1;
	}
	ok(e.low - slack <= (double)wanted && (double)wanted <= e.high + slack,
	   "%.0f to %.0f of %lld: flags %x", e.low, e.high, wanted, e.flags);
	return e.high - e.low < (double)wanted;
}

/* Counts a thread from outside. Returns whether the interval was narrow, or the machine allows no attaching.
 */
static int attached(void)
{
	pthread_t id;
	int set, error, narrow = 1;

	begin(2);
	set = make_set(3);
	works(mpx_set_always(set, code[0], 1));
	atomic_store(&thread_is, 0);
	atomic_store(&phase, 0);
	if (pthread_create(&id, NULL, thread, NULL)) {
		ok(0, "a thread");
		return 1;
	}
	while (!atomic_load(&thread_is))
		usleep(1000);
	error = mpx_set_attach(set, atomic_load(&thread_is));
	if (error)
		skip("no attach: %s", mpx_last_message());
	else
		works(mpx_set_start(set));
	atomic_store(&phase, 1);
	while (atomic_load(&phase) < 2)
		usleep(1000);
	if (!error) {
		works(mpx_set_stop(set, NULL));
		narrow = holds(set, 20000);
	}
	atomic_store(&phase, 3);
	pthread_join(id, NULL);
	works(mpx_library_shutdown());
	return narrow;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void refusals(void)
{
	int set, process = PAPI_NULL, one;
	long long value[2];

	refuses(PAPI_ENOINIT, mpx_set_always(0, NO_EVENT, 1));
	begin(1);
	set = make_set(2);
	refuses(PAPI_ENOEVST, mpx_set_always(-1, code[0], 1));
	refuses(PAPI_ENOEVNT, mpx_set_always(set, NO_EVENT, 1));
	refuses(PAPI_ECNFLCT, mpx_set_always(set, code[0], 1));
	ok(strstr(mpx_last_message(), "MINOR-FAULTS") != NULL, "which cannot be beside it: %s",
	   mpx_last_message());
	works(mpx_set_start(set));
	works(mpx_set_stop(set, value));
	works(mpx_set_create_process(&process));
	works(mpx_set_add_event(process, code[0]));
	refuses(PAPI_ENOSUPP, mpx_set_always(process, code[0], 1));
	works(mpx_set_destroy(&process));
	/* Another set, to which an event is added later. */
	one = make_set(1);
	works(mpx_set_always(one, code[0], 1));
	refuses(PAPI_ECNFLCT, mpx_set_add_event(one, code[1]));
	ok(mpx_set_num_events(one) == 1, "it is not in the set");
	works(mpx_set_start(set));
	refuses(PAPI_ECNFLCT, mpx_set_start(one));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_start(one));
	refuses(PAPI_ECNFLCT, mpx_set_start(set));
	touch_pages(100);
	works(mpx_set_stop(one, value));
	ok(about(value[0], 100), "it counts: %lld of 100", value[0]);
	works(mpx_library_shutdown());
}

int main(void)
{
	int i, narrow = 0;

	start_papi();
	refusals();
	exact();
	moves();
	for (i = 0; i < 10 && !narrow; i++)
		narrow = attached();
	ok(narrow, "one of %d intervals of another thread's count is narrower than the count", i);
	PAPI_shutdown();
	return done();
}
