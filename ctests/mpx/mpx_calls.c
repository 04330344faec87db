/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_calls - calls on event sets that users of PAPI look for: several events at once, all or
 * none; how many there are; all out again; and the level of confidence of intervals. Each with
 * arguments that are wrong.
 */
#include <limits.h>
#include <math.h>

#include "mpx_util.h"

static int code_of(const char *name)
{
	int code = 0;

	if (PAPI_event_name_to_code((char *)name, &code) != PAPI_OK)
		bail_out("an event is not there");
	return code;
}

static int has_events(int set, const int *wanted, int n)
{
	int codes[8] = {0}, many = 8, i;

	if (mpx_set_list_events(set, codes, &many) != PAPI_OK || many != n || mpx_set_num_events(set) != n)
		return 0;
	for (i = 0; i < n; i++)
		if (codes[i] != wanted[i])
			return 0;
	return 1;
}

static int says(const char *words)
{
	if (strstr(mpx_last_message(), words))
		return 1;
	note("'%s' is not about '%s'", mpx_last_message(), words);
	return 0;
}

static void several(int process)
{
	const int code[3] = {code_of(FAULTS), code_of(MINOR), code_of(MAJOR)};
	const int twice[3] = {code[1], code[2], code[1]}, unknown[3] = {code[1], code[2], 0x7ffffff};
	long long value[3] = {0};
	int set = PAPI_NULL;

	works(process ? mpx_set_create_process(&set) : mpx_set_create(&set));
	ok(mpx_set_num_events(set) == 0, "a new set has none");
	works(mpx_set_cleanup(set));
	works(mpx_set_add_events(set, NULL, 0));
	works(mpx_set_add_events(set, code, 1));
	ok(has_events(set, code, 1), "one event is in");
	refuses(PAPI_ECNFLCT, mpx_set_add_events(set, twice, 3));
	ok(says("event 3 of 3") && has_events(set, code, 1), "one that comes twice: none is in");
	refuses(PAPI_ECNFLCT, mpx_set_add_events(set, code, INT_MAX));
	ok(says("event 1 of 2147483647") && has_events(set, code, 1), "one that is in: none is in");
	ok(mpx_set_add_events(set, unknown, 3) < 0 && says("event 3 of 3") && has_events(set, code, 1),
	   "one that is none: none is in");
	works(mpx_set_add_events(set, code + 1, 2));
	ok(has_events(set, code, 3), "all are in, in their order");
	works(mpx_set_start(set));
	touch_pages(100);
	refuses(PAPI_EISRUN, mpx_set_add_events(set, code, 1));
	refuses(PAPI_EISRUN, mpx_set_add_events(set, NULL, 0));
	refuses(PAPI_EISRUN, mpx_set_cleanup(set));
	ok(mpx_set_num_events(set) == 3, "a set that runs has its events");
	works(mpx_set_stop(set, value));
	ok(value[0] >= 100 && value[0] <= 100 + FAULTS_SLACK, "they count: %lld faults of 100", value[0]);
	refuses(PAPI_EINVAL, mpx_set_add_events(set, NULL, 1));
	refuses(PAPI_EINVAL, mpx_set_add_events(set, code, -1));
	refuses(PAPI_EINVAL, mpx_set_add_events(set, code, INT_MIN));
	works(mpx_set_cleanup(set));
	ok(has_events(set, NULL, 0), "all are out");
	refuses(PAPI_EINVAL, mpx_set_start(set));
	ok(mpx_thread_master_list(NULL, 0) == 0, "and out of the master event list");
	/* Nothing of what was counted comes back with the event. */
	works(mpx_set_add_events(set, code, 1));
	works(mpx_set_read(set, value));
	ok(value[0] == MPX_NEVER, "an event that comes again has counted nothing");
	works(mpx_set_destroy(&set));
}

/* ---- confidence -------------------------------------------------------------------------- */

/* Shared events of a stopped set: its estimates do not change any more. */
static int counted_in_turns(void)
{
	const int code[3] = {code_of(FAULTS), code_of(MINOR), code_of(MAJOR)};
	struct mpx_estimate e;
	int set = PAPI_NULL, i;

	works(mpx_set_create(&set));
	works(mpx_set_add_events(set, code, 3));
	works(mpx_set_start(set));
	for (i = 0; i < 100000; i++) {
		touch_pages(200);
		e = estimate_of(set, 0);
		if (e.slices > 20 && !(e.flags & MPX_UNCOUNTED))
			break;
	}
	works(mpx_set_stop(set, NULL));
	return set;
}

static int holds(const struct mpx_estimate *e)
{
	return e->low <= (double)e->value && (double)e->value <= e->high && e->low >= (double)e->count;
}

static void levels(void)
{
	static const double level[] = {.5, .8, .9, .95, .99, .999, .9999};
	struct mpx_estimate was, e, before;
	int set = counted_in_turns();
	unsigned i;

	was = before = estimate_of(set, 0);
	ok(!(was.flags & (MPX_EXACT | MPX_UNCOUNTED)), "it is an estimate");
	for (i = 0; i < sizeof(level) / sizeof(level[0]); i++) {
		works(mpx_set_confidence(set, level[i]));
		e = estimate_of(set, 0);
		ok(holds(&e) && e.estimate == was.estimate && e.standard_error == was.standard_error &&
			   e.flags == was.flags && e.value == was.value,
		   "%g: the interval has the value in it, and all else stays", level[i]);
		ok(i == 0 || (e.low <= before.low && e.high > before.high), "%g: it is wider than that of %g",
		   level[i], i ? level[i - 1] : 0);
		ok(level[i] != .95 || (e.low == was.low && e.high == was.high), "%g: 0.95 is the default",
		   level[i]);
		before = e;
	}
	refuses(PAPI_EINVAL, mpx_set_confidence(set, .49999));
	refuses(PAPI_EINVAL, mpx_set_confidence(set, .99991));
	refuses(PAPI_EINVAL, mpx_set_confidence(set, 95));
	refuses(PAPI_EINVAL, mpx_set_confidence(set, -INFINITY));
	refuses(PAPI_EINVAL, mpx_set_confidence(set, NAN));
	e = estimate_of(set, 0);
	ok(e.high == before.high, "what is refused changes nothing");
	works(mpx_set_start(set));
	works(mpx_set_confidence(set, .5));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
}

static void regions(void)
{
	struct mpx_estimate narrow = MPX_OPTIONS_INIT(mpx_estimate), wide = narrow;
	int set = counted_in_turns();

	works(mpx_set_confidence(set, .5));
	works(mpx_set_region_estimates(set, 0, &narrow, 1));
	works(mpx_set_confidence(set, .999));
	works(mpx_set_region_estimates(set, 0, &wide, 1));
	ok(wide.low <= narrow.low && narrow.high < wide.high && wide.estimate == narrow.estimate,
	   "a region's interval has the level, too");
	works(mpx_set_destroy(&set));
}

/* ---- wrong sets --------------------------------------------------------------------------- */

static void *in_another(void *argument)
{
	const int set = *(int *)argument, code = 0;

	refuses(PAPI_EPERM, mpx_set_num_events(set));
	refuses(PAPI_EPERM, mpx_set_add_events(set, &code, 1));
	refuses(PAPI_EPERM, mpx_set_cleanup(set));
	refuses(PAPI_EPERM, mpx_set_confidence(set, .9));
	return NULL;
}

static void wrong(int set, int error)
{
	const int code = 0;

	refuses(error, mpx_set_num_events(set));
	refuses(error, mpx_set_add_events(set, &code, 1));
	refuses(error, mpx_set_add_events(set, NULL, -1));
	refuses(error, mpx_set_cleanup(set));
	refuses(error, mpx_set_confidence(set, .9));
}

int main(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	pthread_t thread;
	int set = PAPI_NULL, gone;

	wrong(0, PAPI_ENOINIT);
	start_papi();
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	several(0);
	several(1);
	works(mpx_library_shutdown());
	/* Each event has turns, in which no other one is counted. */
	options.group_max = 1;
	options.slice_ns = 1000000;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	levels();
	regions();
	works(mpx_set_create(&set));
	if (pthread_create(&thread, NULL, in_another, &set))
		bail_out("no thread");
	pthread_join(thread, NULL);
	gone = set;
	works(mpx_set_destroy(&set));
	wrong(gone, PAPI_ENOEVST);
	wrong(PAPI_NULL, PAPI_ENOEVST);
	wrong(INT_MAX, PAPI_ENOEVST);
	wrong(INT_MIN, PAPI_ENOEVST);
	works(mpx_library_shutdown());
	PAPI_shutdown();
	return done();
}
