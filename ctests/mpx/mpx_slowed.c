/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_slowed - tracepoints in a hot loop, which slow it while they count: the estimates say so, and the
 * truth lies in their intervals. Once more in threads, as a sum over them.
 */
#include "mpx_util.h"

#define EVENTS 4
#define CALLS 400000
#define RARE 64 /* a getuid for so many getppid */
#define THREADS 2

static const char *const names[EVENTS] = {
	ENTER,
	LEAVE,
	"upc:::tp::syscalls:sys_enter_getuid",
	"upc:::tp::syscalls:sys_exit_getuid",
};

static void call_hotly(void)
{
	long i;

	for (i = 0; i < CALLS; i++) {
		syscall(SYS_getppid);
		if (i % RARE == 0)
			syscall(SYS_getuid);
	}
}

static void *call_in_thread(void *unused)
{
	int set = PAPI_NULL;

	/* Registers the thread. */
	if (mpx_set_create(&set) == PAPI_OK)
		mpx_set_destroy(&set);
	call_hotly();
	mpx_thread_end();
	return unused;
}

static void check_estimates(int set, double calls)
{
	struct mpx_estimate e[EVENTS];
	double truth, slack;
	int i;

	memset(e, 0, sizeof(e));
	e[0].size = sizeof(e[0]);
	works(mpx_set_estimates(set, e, EVENTS));
	for (i = 0; i < EVENTS; i++) {
		truth = i < 2 ? calls : calls / RARE;
		slack = 3 * e[i].standard_error;
		ok(e[i].flags & MPX_SLOWED, "%s was slowed by counting: flags %#x", names[i], e[i].flags);
		ok(truth >= e[i].low - slack && truth <= e[i].high + slack,
		   "... and is %.0f [%.0f, %.0f] of %.0f", e[i].estimate, e[i].low, e[i].high, truth);
	}
}

static int set_of_all(int process)
{
	int set = PAPI_NULL, i;

	works(process ? mpx_set_create_process(&set) : mpx_set_create(&set));
	for (i = 0; i < EVENTS; i++)
		works(mpx_set_add_named_event(set, names[i]));
	works(mpx_set_start(set));
	return set;
}

/* A hot event over a rare one, and over another hot one. */
static void check_ratios(int set)
{
	static const double truth[] = {RARE, 1};
	struct mpx_ratio r[2];
	int i;

	memset(r, 0, sizeof(r));
	r[0].size = sizeof(r[0]);
	works(mpx_set_ratios(set, r, 2));
	for (i = 0; i < 2; i++) {
		ok(r[i].flags & MPX_SLOWED, "the ratio of a hot event was slowed: flags %#x", r[i].flags);
		ok(truth[i] >= r[i].low - 3 * r[i].standard_error &&
			   truth[i] <= r[i].high + 3 * r[i].standard_error,
		   "... and is %.3f [%.3f, %.3f] of %g", r[i].value, r[i].low, r[i].high, truth[i]);
	}
}

static void in_a_thread(void)
{
	int set = set_of_all(0), code[EVENTS], n = EVENTS;

	works(mpx_set_stop(set, NULL));
	works(mpx_set_list_events(set, code, &n));
	works(mpx_set_add_ratio(set, code[0], code[2]));
	works(mpx_set_add_ratio(set, code[0], code[1]));
	works(mpx_set_start(set));
	call_hotly();
	works(mpx_set_stop(set, NULL));
	check_estimates(set, CALLS);
	check_ratios(set);
	works(mpx_set_destroy(&set));
}

/* The first estimate of the process measures the cost of a count, with system calls that are cancellation
 * points. */
static void *estimate_cancelled(void *survived)
{
	struct mpx_estimate e[EVENTS];
	int set = set_of_all(0);

	call_hotly();
	works(mpx_set_stop(set, NULL));
	memset(e, 0, sizeof(e));
	e[0].size = sizeof(e[0]);
	pthread_cancel(pthread_self());
	*(bool *)survived = mpx_set_estimates(set, e, EVENTS) == PAPI_OK;
	pthread_testcancel();
	return NULL;
}

static void in_a_cancelled_thread(void)
{
	bool survived = false;
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, estimate_cancelled, &survived);
	pthread_join(thread, &result);
	ok(survived, "no estimate is cancelled");
	ok(result == PTHREAD_CANCELED, "... and its thread is, behind it");
}

static void over_threads(void)
{
	pthread_t thread[THREADS];
	int set = set_of_all(1), i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, call_in_thread, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	works(mpx_set_stop(set, NULL));
	check_estimates(set, THREADS * (double)CALLS);
	works(mpx_set_destroy(&set));
}

/* Page faults cost far more than their counting. */
static void nothing_slows(void)
{
	int set = PAPI_NULL;
	struct mpx_estimate e;

	works(mpx_set_create(&set));
	works(mpx_set_add_named_event(set, FAULTS));
	works(mpx_set_add_named_event(set, MINOR));
	works(mpx_set_start(set));
	touch_pages(20000);
	works(mpx_set_stop(set, NULL));
	e = estimate_of(set, 0);
	ok(!(e.flags & MPX_SLOWED), "page faults slow nothing: flags %#x", e.flags);
	works(mpx_set_destroy(&set));
}

int main(void)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int set;

	start_papi();
	set = set_with(ENTER);
	if (set == PAPI_NULL && !machine_traces())
		skip_all("no tracepoints for this user");
	drop(&set);
	/* Cycles of user mode do not contain the counting. */
	options.clock = MPX_CLOCK_CPU;
	options.slice_ns = 1000000;
	options.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	in_a_cancelled_thread();
	in_a_thread();
	over_threads();
	nothing_slows();
	works(mpx_library_shutdown());
	return done();
}
