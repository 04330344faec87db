/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_sets - event sets of one thread through mpx.h: every call's errors, and that they
 * leave all as it was; values; sets that overlap, nest and share events; sharing of the
 * counters with every timer.
 */
#include <signal.h>
#include <stdint.h>

#include "mpx_util.h"

#define NO_EVENT 0x4fffffff

static void before_init(void)
{
	struct mpx_library_info library = MPX_OPTIONS_INIT(mpx_library_info);
	struct mpx_thread_info thread = MPX_OPTIONS_INIT(mpx_thread_info);
	long long value = 7;
	int set = 0, n = 0, state = 0;

	refuses(PAPI_ENOINIT, mpx_set_create(&set));
	refuses(PAPI_ENOINIT, mpx_set_create_process(&set));
	refuses(PAPI_ENOINIT, mpx_set_destroy(&set));
	refuses(PAPI_ENOINIT, mpx_set_add_event(0, NO_EVENT));
	refuses(PAPI_ENOINIT, mpx_set_add_named_event(0, FAULTS));
	refuses(PAPI_ENOINIT, mpx_set_remove_event(0, NO_EVENT));
	refuses(PAPI_ENOINIT, mpx_set_remove_named_event(0, FAULTS));
	refuses(PAPI_ENOINIT, mpx_set_list_events(0, NULL, &n));
	refuses(PAPI_ENOINIT, mpx_set_state(0, &state));
	refuses(PAPI_ENOINIT, mpx_set_start(0));
	refuses(PAPI_ENOINIT, mpx_set_stop(0, NULL));
	refuses(PAPI_ENOINIT, mpx_set_read(0, &value));
	refuses(PAPI_ENOINIT, mpx_set_accum(0, &value));
	refuses(PAPI_ENOINIT, mpx_set_reset(0));
	refuses(PAPI_ENOINIT, mpx_set_estimates(0, NULL, 0));
	refuses(PAPI_ENOINIT, mpx_thread_register());
	refuses(PAPI_ENOINIT, mpx_thread_end());
	refuses(PAPI_ENOINIT, mpx_thread_master_list(NULL, 0));
	refuses(PAPI_ENOINIT, mpx_thread_get_info(&thread));
	refuses(PAPI_ENOINIT, mpx_library_get_info(&library));
	refuses(PAPI_ENOINIT, mpx_library_shutdown());
	ok(set == 0 && value == 7 && mpx_version()[0], "nothing was written");
}

/* The sizes in the first header, whatever they are in this one; and options that are larger in a
 * later one. */
enum { FIRST_OPTIONS = 56, FIRST_LIBRARY = 32, FIRST_ESTIMATE = 96, FIRST_MASTER = 56, FIRST_THREAD = 80 };

struct later_options {
	struct mpx_options known;
	uint64_t unknown[2];
};

static int init_with(struct mpx_options options)
{
	return mpx_library_init(MPX_ABI_VERSION, &options);
}

static void init_errors(void)
{
	const struct mpx_options none = MPX_OPTIONS_INIT(mpx_options);
	struct later_options later = {.known = {.size = sizeof(later)}, .unknown = {0, 1}};
	struct mpx_options o;

	refuses(PAPI_EINVAL, mpx_library_init(MPX_ABI_VERSION + 1, NULL));
	refuses(PAPI_EINVAL, mpx_library_init(-1, NULL));
	o = none;
	o.size = 0;
	refuses(PAPI_EINVAL, init_with(o));
	o.size = FIRST_OPTIONS - 1;
	refuses(PAPI_EINVAL, init_with(o));
	o.size = (size_t)-1;
	refuses(PAPI_EINVAL, init_with(o));
	refuses(PAPI_EINVAL, mpx_library_init(MPX_ABI_VERSION, &later.known));
	ok(strstr(mpx_last_message(), "older than the program's mpx.h") != NULL, "%s", mpx_last_message());
	o = none;
	o.slice_ns = 99999;
	refuses(PAPI_EINVAL, init_with(o));
	o.slice_ns = UINT64_C(10000000001);
	refuses(PAPI_EINVAL, init_with(o));
	o = none;
	o.timer = (enum mpx_timer)99;
	refuses(PAPI_EINVAL, init_with(o));
	o = none;
	o.clock = (enum mpx_clock) - 1;
	refuses(PAPI_EINVAL, init_with(o));
	o = none;
	o.estimator = (enum mpx_estimator)4;
	refuses(PAPI_EINVAL, init_with(o));
	o.estimator = MPX_ESTIMATOR_COVARIATE;
	refuses(PAPI_EINVAL, init_with(o));
	o.covariate = "upc:::perf::PAGE-FAULT";
	refuses(PAPI_ENOEVNT, init_with(o));
	ok(strstr(mpx_last_message(), "PAGE-FAULTS") != NULL, "the message has the nearest name");
	o = none;
	o.signal_number = SIGKILL;
	refuses(PAPI_EINVAL, init_with(o));
	o.signal_number = 1000;
	refuses(PAPI_EINVAL, init_with(o));
	o.signal_number = SIGRTMIN + 9;
	signal(SIGRTMIN + 9, SIG_IGN);
	refuses(PAPI_ECNFLCT, init_with(o));
	signal(SIGRTMIN + 9, SIG_DFL);
	refuses(PAPI_ENOINIT, mpx_thread_register());
	o = none;
	o.size = FIRST_OPTIONS;
	works(init_with(o));
	works(mpx_library_shutdown());
	later.unknown[1] = 0;
	works(mpx_library_init(MPX_ABI_VERSION, &later.known));
	works(mpx_library_shutdown());
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	refuses(PAPI_EISRUN, mpx_library_init(MPX_ABI_VERSION, NULL));
}

static int all_are(const unsigned char *bytes, size_t from, size_t to, int value)
{
	for (; from < to; from++)
		if (bytes[from] != value)
			return 0;
	return 1;
}

/* Returns whether the library fills in what it can of n entries of that size: each keeps its size,
 * its unknown bytes are zero, and the bytes behind the last are untouched. */
static int fits(int (*call)(void *bytes, int n), size_t size, size_t known, int n)
{
	unsigned char bytes[512];
	size_t given, i;

	memset(bytes, 0x55, sizeof(bytes));
	memcpy(bytes, &size, sizeof(size));
	if (call(bytes, n) < 0)
		return 0;
	for (i = 0; i < (size_t)n; i++) {
		memcpy(&given, bytes + i * size, sizeof(given));
		if (given != size || !all_are(bytes + i * size, known, size, 0))
			return 0;
	}
	return all_are(bytes, (size_t)n * size, sizeof(bytes), 0x55);
}

static int call_library(void *bytes, int n)
{
	(void)n;
	return mpx_library_get_info(bytes);
}

static int call_thread(void *bytes, int n)
{
	(void)n;
	return mpx_thread_get_info(bytes);
}

static int call_master(void *bytes, int n)
{
	return mpx_thread_master_list(bytes, n);
}

static int asked_set;

static int call_estimates(void *bytes, int n)
{
	return mpx_set_estimates(asked_set, bytes, n);
}

static void sizes_of(const char *what, int (*call)(void *bytes, int n), size_t first, size_t today, int n)
{
	ok(fits(call, first, today, n), "%s of the first header", what);
	ok(fits(call, today, today, n), "%s of this one", what);
	ok(fits(call, today + 32, today, n), "%s of a later one", what);
	ok(!fits(call, first - 1, today, n) && strstr(mpx_last_message(), "set it to sizeof"),
	   "%s smaller than any was: %s", what, mpx_last_message());
}

static void sizes(void)
{
	asked_set = both(0);
	works(mpx_set_start(asked_set));
	sizes_of("mpx_library_info", call_library, FIRST_LIBRARY, sizeof(struct mpx_library_info), 1);
	sizes_of("mpx_thread_info", call_thread, FIRST_THREAD, sizeof(struct mpx_thread_info), 1);
	sizes_of("mpx_master_event", call_master, FIRST_MASTER, sizeof(struct mpx_master_event), 2);
	sizes_of("mpx_estimate", call_estimates, FIRST_ESTIMATE, sizeof(struct mpx_estimate), 2);
	works(mpx_set_stop(asked_set, NULL));
	works(mpx_set_destroy(&asked_set));
}

static void infos(void)
{
	struct mpx_library_info library = MPX_OPTIONS_INIT(mpx_library_info);
	struct mpx_thread_info thread = MPX_OPTIONS_INIT(mpx_thread_info);

	works(mpx_library_get_info(&library));
	ok(library.size == sizeof(library) && library.slice_ns == 10000000 &&
		   library.timer != MPX_TIMER_AUTO && library.estimator == MPX_ESTIMATOR_AUTO &&
		   library.signal_number > 0 && library.threads == 0,
	   "what was chosen");
	library.size = 3;
	refuses(PAPI_EINVAL, mpx_library_get_info(&library));
	library.size = (size_t)-1;
	refuses(PAPI_EINVAL, mpx_library_get_info(&library));
	refuses(PAPI_EINVAL, mpx_library_get_info(NULL));
	works(mpx_thread_register());
	works(mpx_thread_register());
	works(mpx_thread_get_info(&thread));
	ok(thread.clock[0] && thread.clock_unit[0] && thread.events == 0 && thread.running == 0 &&
		   thread.memory > 0,
	   "a thread without sets: clock %s in %s", thread.clock, thread.clock_unit);
	thread.size = 3;
	refuses(PAPI_EINVAL, mpx_thread_get_info(&thread));
	refuses(PAPI_EINVAL, mpx_thread_get_info(NULL));
	library.size = sizeof(library);
	works(mpx_library_get_info(&library));
	ok(library.threads == 1, "one thread is registered");
	works(mpx_thread_end());
	works(mpx_thread_end());
	works(mpx_library_get_info(&library));
	ok(library.threads == 0, "none is any more");
}

static void no_set(int set)
{
	long long value = 7;
	int copy = set, n = 0, state = 0;

	refuses(PAPI_ENOEVST, mpx_set_destroy(&copy));
	ok(copy == set, "the number is as it was");
	refuses(PAPI_ENOEVST, mpx_set_add_event(set, NO_EVENT));
	refuses(PAPI_ENOEVST, mpx_set_add_named_event(set, FAULTS));
	refuses(PAPI_ENOEVST, mpx_set_remove_event(set, NO_EVENT));
	refuses(PAPI_ENOEVST, mpx_set_remove_named_event(set, FAULTS));
	refuses(PAPI_ENOEVST, mpx_set_list_events(set, NULL, &n));
	refuses(PAPI_ENOEVST, mpx_set_state(set, &state));
	refuses(PAPI_ENOEVST, mpx_set_start(set));
	refuses(PAPI_ENOEVST, mpx_set_stop(set, NULL));
	refuses(PAPI_ENOEVST, mpx_set_read(set, &value));
	refuses(PAPI_ENOEVST, mpx_set_accum(set, &value));
	refuses(PAPI_ENOEVST, mpx_set_reset(set));
	refuses(PAPI_ENOEVST, mpx_set_estimates(set, NULL, 0));
	ok(value == 7, "no value was written");
}

/* Returns whether a set has its events and its state, which must be the same after a call that fails. */
static int is_as_it_was(int set, int events, int state)
{
	int codes[4] = {0}, n = 4, now = -1;

	return mpx_set_list_events(set, codes, &n) == PAPI_OK && n == events &&
	       mpx_set_state(set, &now) == PAPI_OK && now == state;
}

static void members(int process)
{
	int set = PAPI_NULL, other, codes[4] = {0}, n, code;

	refuses(PAPI_EINVAL, process ? mpx_set_create_process(NULL) : mpx_set_create(NULL));
	works(process ? mpx_set_create_process(&set) : mpx_set_create(&set));
	refuses(PAPI_EINVAL, mpx_set_destroy(NULL));
	refuses(PAPI_EINVAL, mpx_set_start(set));
	refuses(PAPI_EINVAL, mpx_set_add_named_event(set, NULL));
	refuses(PAPI_EINVAL, mpx_set_remove_named_event(set, NULL));
	refuses(PAPI_ENOEVNT, mpx_set_add_named_event(set, "upc:::perf::PAGE-FAULT"));
	ok(strstr(mpx_last_message(), "PAGE-FAULTS") != NULL, "the message has the nearest name");
	ok(mpx_set_add_named_event(set, "") < 0, "an empty name");
	ok(mpx_set_add_event(set, NO_EVENT) < 0, "a code of no event");
	ok(mpx_set_add_event(set, -1) < 0 && mpx_set_add_event(set, 0) < 0, "codes of nothing");
	refuses(PAPI_ENOEVNT, mpx_set_remove_named_event(set, FAULTS));
	ok(is_as_it_was(set, 0, PAPI_STOPPED), "the set is empty still");

	works(mpx_set_add_named_event(set, event_name[0]));
	refuses(PAPI_ECNFLCT, mpx_set_add_named_event(set, event_name[0]));
	PAPI_event_name_to_code(event_name[0], &code);
	refuses(PAPI_ECNFLCT, mpx_set_add_event(set, code));
	works(mpx_set_add_named_event(set, event_name[1]));
	n = 0;
	works(mpx_set_list_events(set, NULL, &n));
	ok(n == 2, "two events");
	n = 1;
	works(mpx_set_list_events(set, codes, &n));
	ok(n == 2 && codes[0] == code && codes[1] == 0, "room for one takes one");
	refuses(PAPI_EINVAL, mpx_set_list_events(set, codes, NULL));
	refuses(PAPI_EINVAL, mpx_set_list_events(set, NULL, &n));
	n = -1;
	refuses(PAPI_EINVAL, mpx_set_list_events(set, codes, &n));
	refuses(PAPI_EINVAL, mpx_set_state(set, NULL));
	works(mpx_set_remove_event(set, code));
	refuses(PAPI_ENOEVNT, mpx_set_remove_event(set, code));
	n = 4;
	works(mpx_set_list_events(set, codes, &n));
	ok(n == 1 && codes[0] != code, "the other one is left");
	works(mpx_set_add_event(set, code));
	n = 4;
	works(mpx_set_list_events(set, codes, &n));
	ok(n == 2 && codes[1] == code, "an event added again is the last");

	other = set;
	works(mpx_set_destroy(&set));
	ok(set == PAPI_NULL, "the number is gone");
	no_set(other);
}

static void states(int process)
{
	struct mpx_estimate e[3];
	long long values[2] = {7, 7};
	int set = both(process), copy = set, state = -1;

	works(mpx_set_state(set, &state));
	ok(state == PAPI_STOPPED, "stopped at first");
	refuses(PAPI_ENOTRUN, mpx_set_stop(set, values));
	refuses(PAPI_ENOTRUN, mpx_set_accum(set, values));
	ok(values[0] == 7 && values[1] == 7, "no values of a set that does not run");
	works(mpx_set_read(set, values));
	ok(values[0] == MPX_NEVER && values[1] == MPX_NEVER, "never counted is not zero");
	works(mpx_set_reset(set));

	works(mpx_set_start(set));
	works(mpx_set_state(set, &state));
	ok(state == PAPI_RUNNING, "runs");
	refuses(PAPI_EISRUN, mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_destroy(&copy));
	refuses(PAPI_EISRUN, mpx_set_add_named_event(set, FAULTS));
	refuses(PAPI_EISRUN, mpx_set_add_named_event(set, event_name[0]));
	refuses(PAPI_EISRUN, mpx_set_remove_named_event(set, event_name[0]));
	refuses(PAPI_EINVAL, mpx_set_read(set, NULL));
	refuses(PAPI_EINVAL, mpx_set_accum(set, NULL));
	memset(e, 0, sizeof(e));
	refuses(PAPI_EINVAL, mpx_set_estimates(set, e, 2));
	e[0].size = (size_t)-1;
	refuses(PAPI_EINVAL, mpx_set_estimates(set, e, 2));
	e[0].size = sizeof(e[0]);
	refuses(PAPI_EINVAL, mpx_set_estimates(set, e, 3));
	refuses(PAPI_EINVAL, mpx_set_estimates(set, e, -1));
	refuses(PAPI_EINVAL, mpx_set_estimates(set, NULL, 1));
	works(mpx_set_estimates(set, NULL, 0));
	ok(copy == set && is_as_it_was(set, 2, PAPI_RUNNING), "it runs on with its events");
	work(100);
	works(mpx_set_stop(set, values));
	ok(near(values[0], 100) && near(values[1], 100), "and has counted: %lld %lld", values[0], values[1]);
	refuses(PAPI_ENOTRUN, mpx_set_stop(set, values));
	works(mpx_set_destroy(&set));
}

static void values_of(int process)
{
	long long values[2] = {1000, MPX_NEVER}, before[2];
	struct mpx_estimate e;
	int set = both(process);

	works(mpx_set_start(set));
	work(300);
	works(mpx_set_read(set, values));
	ok(near(values[0], 300) && near(values[1], 300), "read: %lld %lld", values[0], values[1]);
	work(200);
	e = estimate_of(set, 0);
	ok(near(e.value, 500) && e.flags == MPX_EXACT && e.standard_error == 0 && e.coverage == 1 &&
		   e.low == e.estimate && e.high == e.estimate && (long long)e.count == e.value &&
		   e.counted_time == e.time && e.threads == 1 && e.missed == 0,
	   "exact: %lld", e.value);
	work(100);
	works(mpx_set_stop(set, before));
	ok(near(before[0], 600), "stop: %lld", before[0]);
	work(100);
	works(mpx_set_read(set, values));
	ok(values[0] == before[0] && values[1] == before[1], "a stopped set keeps what it had");
	works(mpx_set_start(set));
	work(50);
	works(mpx_set_read(set, values));
	ok(near(values[0], 50), "the second start counts from zero: %lld", values[0]);
	works(mpx_set_reset(set));
	work(70);
	works(mpx_set_read(set, values));
	ok(near(values[0], 70), "so does a reset: %lld", values[0]);
	values[0] = 1000;
	values[1] = MPX_NEVER;
	works(mpx_set_accum(set, values));
	ok(near(values[0], 1070) && values[1] == MPX_NEVER, "accum adds, and knows what it does not: %lld",
	   values[0]);
	work(30);
	values[1] = 0;
	works(mpx_set_accum(set, values));
	ok(near(values[0], 1100) && near(values[1], 30), "accum resets: %lld %lld", values[0], values[1]);
	values[0] = INT64_MAX;
	work(10);
	works(mpx_set_accum(set, values));
	ok(values[0] == MPX_NEVER, "a sum that is too large is not known");
	works(mpx_set_stop(set, NULL));
	works(mpx_set_reset(set));
	works(mpx_set_read(set, values));
	ok(values[0] == 0, "a stopped set that was reset has counted nothing");
	works(mpx_set_destroy(&set));
}

/* Figure 1: A partly over B, C within both; B and C have an event of A's. */
static void overlaps(void)
{
	long long a[2], b[2], c[1];
	int A = both(0), B = both(0), C = PAPI_NULL;

	mpx_set_create(&C);
	works(mpx_set_add_named_event(C, event_name[1]));
	works(mpx_set_start(A));
	work(100);
	works(mpx_set_start(B));
	work(200);
	works(mpx_set_start(C));
	work(300);
	works(mpx_set_stop(C, c));
	work(400);
	works(mpx_set_stop(A, a));
	work(500);
	works(mpx_set_stop(B, b));
	ok(near(a[0], 1000) && near(a[1], 1000), "the first set: %lld %lld", a[0], a[1]);
	ok(near(b[0], 1400) && near(b[1], 1400), "one that overlaps it: %lld %lld", b[0], b[1]);
	ok(near(c[0], 300), "one within both: %lld", c[0]);
	works(mpx_set_destroy(&A));
	works(mpx_set_destroy(&B));
	works(mpx_set_destroy(&C));
}

static void master_list(void)
{
	struct mpx_master_event list[4];
	int A = both(0), B = PAPI_NULL;

	mpx_set_create(&B);
	works(mpx_set_add_named_event(B, event_name[0]));
	works(mpx_set_start(A));
	works(mpx_set_start(B));
	work(100);
	memset(list, 0, sizeof(list));
	ok(mpx_thread_master_list(NULL, 0) == 2, "two events are in the list, each once");
	refuses(PAPI_EINVAL, mpx_thread_master_list(list, 4));
	refuses(PAPI_EINVAL, mpx_thread_master_list(NULL, 1));
	refuses(PAPI_EINVAL, mpx_thread_master_list(list, -1));
	list[0].size = sizeof(list[0]);
	ok(mpx_thread_master_list(list, 0x7fffffff) == 2 && list[0].references == 2 &&
		   list[0].activations == 2 && list[1].references == 1 && near((long long)list[0].count, 100),
	   "references and activations are counted");
	works(mpx_set_stop(B, NULL));
	ok(mpx_thread_master_list(list, 1) == 2 && list[0].activations == 1, "one stopped");
	works(mpx_set_destroy(&B));
	works(mpx_set_stop(A, NULL));
	works(mpx_set_destroy(&A));
	ok(mpx_thread_master_list(list, 4) == 0, "the list is empty");
}

/* While one set runs others come and go, each with a number of its own. */
static void come_and_go(void)
{
	long long value[2], other[2];
	int A = both(0), B, i, right = 1, last = A;

	works(mpx_set_start(A));
	for (i = 0; i < 200; i++) {
		B = both(0);
		right &= B != last && B != A;
		last = B;
		right &= mpx_set_start(B) == PAPI_OK;
		work(10);
		right &= mpx_set_stop(B, other) == PAPI_OK && near(other[0], 10);
		right &= mpx_set_destroy(&B) == PAPI_OK;
	}
	ok(right, "200 sets, one after the other");
	works(mpx_set_stop(A, value));
	ok(near(value[0], 2000) && near(value[1], 2000), "nothing of the other is lost: %lld %lld", value[0],
	   value[1]);
	works(mpx_set_destroy(&A));
}

/* A program with so many event sets of PAPI's own that another one would make PAPI move its
 * table, into which handlers look. */
static void table_is_full(void)
{
	enum { MANY = 4096 };
	static int papi[MANY];
	int set = both(0), n;

	for (n = 0; n < MANY; n++) {
		papi[n] = PAPI_NULL;
		if (PAPI_create_eventset(&papi[n]) != PAPI_OK)
			break;
		if (papi[n] >= MANY - 10)
			break;
	}
	ok(n < MANY && papi[n] == MANY - 10, "PAPI has %d event sets", n);
	/* This event has not been in a group yet. */
	refuses(PAPI_ENOMEM, mpx_set_add_named_event(set, MAJOR));
	while (n >= 0)
		PAPI_destroy_eventset(&papi[n--]);
	works(mpx_set_add_named_event(set, MAJOR));
	works(mpx_set_start(set));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
}

/* The least and the most work that is done until there are slices enough for an estimate. A slow
 * tick may be 10 ms, and so may the time that the hypervisor takes from a slice for others, which
 * must be little of the whole. Where a page fault takes long, seconds of a CPU replace the least. */
enum { LEAST = 500000, MOST = 10000000, SECONDS = 3 };

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#define SLICE_NS 1000000

static int is_rough(int set, int i)
{
	return (estimate_of(set, i).flags & (MPX_UNCOUNTED | MPX_ROUGH)) != 0;
}

/* The counters hold too few events: the values are estimates, which never decrease. */
static void shared_by(enum mpx_timer timer, unsigned group_max, enum mpx_estimator estimator)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	const char *more[] = {MINOR, FAULTS, MAJOR};
	const unsigned groups = (5 + group_max - 1) / group_max;
	long long last = MPX_NEVER, v[5];
	int set, i, error, monotone = 1;
	struct mpx_estimate e;
	long n = 0;
	double end;

	o.timer = timer;
	o.group_max = group_max;
	o.slice_ns = SLICE_NS;
	o.estimator = estimator;
	o.seed = 1;
	error = mpx_library_init(MPX_ABI_VERSION, &o);
	if (!ok(error == PAPI_OK, "timer %d, at most %u events in a slice", (int)timer, group_max)) {
		note("%s", mpx_last_message());
		return;
	}
	set = both(0);
	for (i = 0; i < 3; i++)
		(void)mpx_set_add_named_event(set, more[i]);
	works(mpx_set_start(set));
	forget_rounds();
	end = cpu_seconds() + SECONDS;
	do {
		begin_round();
		work(2500);
		end_round(SLICE_NS);
		n += 2500;
		if (mpx_set_read(set, v) != PAPI_OK || v[0] < last)
			monotone = 0;
		last = v[0];
	} while ((n < LEAST && cpu_seconds() < end) || (n < MOST && (is_rough(set, 0) || is_rough(set, 1))));
	ok(monotone, "no value decreases");
	works(mpx_set_stop(set, v));
	for (i = 0; i < 2; i++) {
		e = estimate_of(set, i);
		ok(!is_rough(set, i), "there are slices enough: %llu", (unsigned long long)e.slices);
		ok(is_estimate_of(&e, (double)n, (groups - 1) * lost_share()) && e.low <= e.estimate &&
			   e.estimate <= e.high && e.low >= (double)e.count && e.coverage > 0 &&
			   e.coverage <= 1,
		   "%.0f +- %.0f of %ld, counted %.2f of the time", e.estimate, e.standard_error, n,
		   e.coverage);
		ok(!(e.flags & (MPX_PARTIAL | MPX_LOST)), "no slice is lost");
	}
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

/* ---- regions -------------------------------------------------------------------------- */

static void quietly(int error)
{
	if (error)
		ok(0, "a call of many: %d, %s", error, mpx_last_message());
}

/* Does n of the work in so many stretches, each far shorter than a slice. */
static void work_in_stretches(int set, long n, int stretches)
{
	int i;

	for (i = 0; i < stretches; i++) {
		quietly(mpx_set_start(set));
		work(n / stretches);
		quietly(mpx_set_stop(set, NULL));
	}
}

static int is_region(int set, int region, double truth)
{
	struct mpx_estimate e[2];
	int i, right = 1;

	memset(e, 0, sizeof(e));
	e[0].size = sizeof(e[0]);
	works(mpx_set_region_estimates(set, region, e, 2));
	for (i = 0; i < 2; i++) {
		right &= (is_estimate_of(&e[i], truth, 0) || e[i].flags & MPX_ROUGH) &&
			 e[i].low >= (double)e[i].count && (double)e[i].count < .9 * truth;
		note("region %d: %.0f [%.0f, %.0f] of %.0f, %llu counted, flags %x", region, e[i].estimate,
		     e[i].low, e[i].high, truth, (unsigned long long)e[i].count, e[i].flags);
	}
	return right;
}

/* Returns whether the counts are borrowed: half of the region's stretches had no turn. */
static int is_borrowed(int set, int region)
{
	struct mpx_estimate e[2];

	memset(e, 0, sizeof(e));
	e[0].size = sizeof(e[0]);
	works(mpx_set_region_estimates(set, region, e, 2));
	return e[0].flags & MPX_BORROWED && e[1].flags & MPX_BORROWED;
}

/* Two events take turns, and no stretch is as long as a slice. */
static void regions(int process)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	long long sum[2] = {7, 0};
	struct mpx_estimate e;
	int set, ids[4], n = 4, i;

	o.group_max = 1;
	o.slice_ns = 20000000;
	o.seed = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	set = both(process);
	work_in_stretches(set, 20000, 200);
	ok(is_region(set, 0, 20000) && is_borrowed(set, 0), "a region that is shorter than a slice");
	works(mpx_set_region(set, -5));
	work_in_stretches(set, 6000, 60);
	ok(is_region(set, -5, 6000) && is_region(set, 0, 20000), "each region has its own counts");
	works(mpx_set_list_regions(set, ids, &n));
	ok(n == 2 && ids[0] == -5 && ids[1] == 0, "two regions: %d", n);
	works(mpx_set_start(set));
	refuses(PAPI_EISRUN, mpx_set_region(set, 1));
	for (i = 0; i < 200; i++) {
		work(100);
		quietly(mpx_set_accum(set, sum));
	}
	e = estimate_of(set, 0);
	ok(e.estimate < 1000, "a read is of the running stretch: %.0f", e.estimate);
	works(mpx_set_stop(set, NULL));
	/* A slice is as long as a fourth of the whole, and the calls change the rate: the values
	 * are not close. */
	ok(sum[0] > 7 + 10000 && sum[0] < 7 + 40000 && sum[1] > 10000 && sum[1] < 40000,
	   "accum over 200 short stretches: %lld and %lld of 20000", sum[0] - 7, sum[1]);
	ok(is_region(set, -5, 26000), "and they are in the region");
	refuses(PAPI_EINVAL, mpx_set_region_estimates(set, 4, &e, 1));
	refuses(PAPI_EINVAL, mpx_set_list_regions(set, NULL, &n));
	works(mpx_set_remove_named_event(set, event_name[0]));
	e.size = sizeof(e);
	works(mpx_set_region_estimates(set, -5, &e, 1));
	ok(is_estimate_of(&e, 26000, .25), "the other event keeps its counts: %.0f", e.estimate);
	works(mpx_set_add_named_event(set, event_name[0]));
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

/* Covariates: an event that the program names, none, and the default: instructions, on a processor. */
static void covariates(void)
{
	static const char *const asked[] = {NULL, MPX_NO_COVARIATE, FAULTS};
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	unsigned i;

	o.covariate = MPX_NO_COVARIATE;
	o.estimator = MPX_ESTIMATOR_COVARIATE;
	refuses(PAPI_EINVAL, mpx_library_init(MPX_ABI_VERSION, &o));
	o.estimator = MPX_ESTIMATOR_AUTO;
	for (i = 0; i < 3; i++) {
		o.covariate = asked[i];
		works(mpx_library_init(MPX_ABI_VERSION, &o));
		works(mpx_thread_get_info(&info));
		note("covariate %s: %s", asked[i] ? asked[i] : "not named",
		     info.covariate ? info.covariate : "none");
		ok(i == 2   ? info.covariate && strcmp(info.covariate, FAULTS) == 0
		   : i == 1 ? !info.covariate
			    : !info.covariate || strcmp(info.covariate, "PAPI_TOT_INS") == 0,
		   "the covariate of %s", asked[i] ? asked[i] : "nobody");
		works(mpx_library_shutdown());
	}
}

/* Two regions by turns, each far shorter than a slice, while the set runs on. */
static void switched_regions(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_estimate e;
	long long v[2];
	int set, i;

	o.group_max = 1;
	o.slice_ns = 1000000;
	o.seed = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	set = both(1);
	works(mpx_set_start(set));
	refuses(PAPI_ENOSUPP, mpx_set_switch_region(set, 1));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
	set = both(0);
	refuses(PAPI_ENOTRUN, mpx_set_switch_region(set, 1));
	works(mpx_set_start(set));
	for (i = 0; i < 200; i++) {
		quietly(mpx_set_switch_region(set, 1));
		work(300);
		quietly(mpx_set_switch_region(set, 2));
		work(90);
	}
	quietly(mpx_set_switch_region(set, 0));
	quietly(mpx_set_read(set, v));
	ok(v[0] < 100 && v[1] < 100, "plain reads begin at zero: %lld and %lld", v[0], v[1]);
	works(mpx_set_stop(set, NULL));
	ok(is_region(set, 1, 60000), "a region that is gone to while the set runs");
	ok(is_region(set, 2, 18000), "and the other one");
	works(mpx_set_destroy(&set));
	/* An event that takes no turns is exact in each region. */
	works(mpx_set_create(&set));
	works(mpx_set_add_named_event(set, event_name[0]));
	works(mpx_set_start(set));
	for (i = 0; i < 300; i++) {
		quietly(mpx_set_switch_region(set, 1 + i % 2));
		work(i % 2 ? 10 : 20);
	}
	works(mpx_set_stop(set, NULL));
	for (i = 1; i <= 2; i++) {
		memset(&e, 0, sizeof(e));
		e.size = sizeof(e);
		works(mpx_set_region_estimates(set, i, &e, 1));
		ok(e.flags == MPX_EXACT && about((long long)e.estimate, i == 1 ? 3000 : 1500),
		   "region %d by itself: %.0f, flags %x", i, e.estimate, e.flags);
	}
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

int main(void)
{
	unsigned i;

	before_init();
	start_papi();
	choose_events();
	init_errors();
	infos();
	sizes();
	for (i = 0; i < 2; i++) {
		note("%s", i ? "process-wide" : "of a thread");
		members(i);
		states(i);
		values_of(i);
	}
	overlaps();
	master_list();
	come_and_go();
	table_is_full();
	works(mpx_library_shutdown());
	for (i = 1; i <= 4; i++)
		shared_by(MPX_TIMER_AUTO, i, MPX_ESTIMATOR_AUTO);
	shared_by(MPX_TIMER_THREAD, 2, MPX_ESTIMATOR_RATIO);
	shared_by(MPX_TIMER_VIRTUAL, 2, MPX_ESTIMATOR_INTERPOLATED);
	regions(0);
	regions(1);
	switched_regions();
	covariates();
	refuses(PAPI_ENOINIT, mpx_library_shutdown());
	PAPI_shutdown();
	return done();
}
