/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_blocked - a program that blocks all signals, or takes the one by which slices end: lost
 * slices are flagged, and slices go on as soon as they can. Page faults are the known counts.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_GETSIG */
#endif
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "mpx_util.h"

#define SLICE_NS 1000000
enum { EVENTS = 4 };

static const char *const names[EVENTS] = {FAULTS, MINOR, MAJOR, "upc:::perf::TASK-CLOCK"};

static double cpu_slices(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec) / SLICE_NS;
}

/* Works for so many slices of CPU time; returns the page faults. */
static long work_for(double slices)
{
	const double end = cpu_slices() + slices;
	volatile unsigned i;
	long n = 0;

	while (cpu_slices() < end) {
		touch_pages(16);
		n += 16;
		/* Ticks that fall into the kernel are dropped. */
		for (i = 0; i < 100000; i++)
			;
	}
	return n;
}

static void block_all(bool block)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &all, NULL);
}

static int make_set(void)
{
	int set = PAPI_NULL, i;

	works(mpx_set_create(&set));
	for (i = 0; i < EVENTS; i++)
		works(mpx_set_add_named_event(set, names[i]));
	return set;
}

static uint64_t slices_now(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	if (mpx_thread_get_info(&info) != PAPI_OK)
		note("no information: %s", mpx_last_message());
	return info.slices;
}

static int flags_of(int set)
{
	return (int)estimate_of(set, 0).flags;
}

/* Returns how many of the events were never counted. */
static int uncounted(int set)
{
	int i, n = 0;

	for (i = 0; i < EVENTS; i++)
		n += (estimate_of(set, i).flags & MPX_UNCOUNTED) != 0;
	return n;
}

/* Works until slices go on by themselves; ten seconds of CPU time at most. */
static int slices_go_on(long *n)
{
	const uint64_t goal = slices_now() + 8;
	const double end = cpu_slices() + 10000;

	while (slices_now() < goal) {
		if (cpu_slices() > end)
			return 0;
		*n += work_for(1);
	}
	return 1;
}

/* Ticks that have waited come all at once, and end one slice. */
static void blocked_while_it_runs(void)
{
	struct mpx_estimate e;
	uint64_t before, after;
	double cpu;
	long n = 0;
	int set = make_set();

	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end");
	block_all(true);
	n += work_for(500);
	before = slices_now();
	cpu = cpu_slices();
	block_all(false);
	after = slices_now();
	cpu = cpu_slices() - cpu;
	ok((double)(after - before) <= 2 + 2 * cpu, "no storm at the unblock: %llu slices end in %.2f",
	   (unsigned long long)(after - before), cpu);
	ok(slices_go_on(&n), "slices end again");
	works(mpx_set_stop(set, NULL));
	e = estimate_of(set, 0);
	ok(e.flags & MPX_LOST, "a slice that is far too long is said");
	/* By two slices or so; without the long one it would be a thirtieth. */
	ok(e.estimate > (double)n / 8 && e.estimate < 8 * (double)n, "%.0f of %ld", e.estimate, n);
	works(mpx_set_destroy(&set));
}

/* Signals are blocked before a later start, and then while the set runs, until the next call. */
static void blocked_for_good(void)
{
	long n = 0;
	int set = make_set();

	works(mpx_set_start(set));
	n += work_for(2);
	works(mpx_set_stop(set, NULL));
	block_all(true);
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end in a thread that has blocked all signals");
	ok(!uncounted(set), "all events are counted");
	ok(!(flags_of(set) & MPX_LOST), "no slice is lost");
	block_all(true);
	n += work_for(10);
	ok(flags_of(set) & MPX_LOST, "no tick could come, and that is said");
	ok(slices_go_on(&n), "the call has unblocked the signal");
	works(mpx_set_stop(set, NULL));
	block_all(false);
	works(mpx_set_destroy(&set));
}

static volatile sig_atomic_t others;

static void other(int signo)
{
	others += signo > 0;
}

/* The program takes the signal, or resets all signals there are. */
static void handler_is_replaced(void)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	struct sigaction mine = {.sa_handler = other}, before;
	long n = 0;
	int set = make_set();

	works(mpx_library_get_info(&info));
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end");
	ok(!(flags_of(set) & MPX_LOST), "no slice is lost");
	sigaction(info.signal_number, &mine, &before);
	n += work_for(10);
	ok(flags_of(set) & MPX_LOST, "the program has taken the signal, and that is said");
	works(mpx_set_stop(set, NULL));
	ok(flags_of(set) & MPX_LOST, "also when the set has stopped");
	refuses(PAPI_ECNFLCT, mpx_set_start(set));
	ok(strstr(mpx_last_message(), "signal") != NULL, "%s", mpx_last_message());
	sigaction(info.signal_number, &before, NULL);
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end when it has given the signal back");
	signal(info.signal_number, SIG_IGN);
	n += work_for(10);
	ok(flags_of(set) & MPX_LOST, "the signal was ignored, and that is said");
	ok(slices_go_on(&n), "the call has put the handler back");
	works(mpx_set_stop(set, NULL));
	signal(info.signal_number, SIG_DFL);
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "so does a start");
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
}

static volatile int jumps;
static jmp_buf out;

/* Stands in front of the C library's function. A call of libmpx reads the clock while it holds its sets. */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (jumps && clock == CLOCK_THREAD_CPUTIME_ID)
		longjmp(out, 1);
	return (int)syscall(SYS_clock_gettime, clock, t);
}

/* Jumps as a signal's handler would, but at a known place. */
static int jump_out(int set)
{
	struct mpx_estimate e = {.size = sizeof(e)};

	if (!setjmp(out)) {
		jumps = 1;
		(void)mpx_set_estimates(set, &e, 1);
		jumps = 0;
		return 0;
	}
	jumps = 0;
	return 1;
}

static void left_by_a_jump(void)
{
	struct mpx_estimate e = {.size = sizeof(e)};
	int set = make_set(), other_set = PAPI_NULL;
	long n = 0;

	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end");
	ok(jump_out(set), "a call is left by a jump");
	refuses(PAPI_ESYS, mpx_set_estimates(set, &e, 1));
	refuses(PAPI_ESYS, mpx_set_stop(set, NULL));
	refuses(PAPI_ESYS, mpx_set_create(&other_set));
	ok(strstr(mpx_last_message(), "jumped") != NULL, "%s", mpx_last_message());
	works(mpx_thread_end());
	set = make_set();
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end again");
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
}

/* Returns the descriptor that sends this signal, or -1 where none does. */
static int sender_of(int signo)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		if (fcntl(fd, F_GETSIG) == signo && fcntl(fd, F_GETFL) & O_ASYNC)
			return fd;
	return -1;
}

/* The slice timer's descriptor is closed, and a file of the program gets its number. */
static void timer_is_closed(void)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);
	int set = make_set(), fd, own;
	long n = 0;

	works(mpx_library_get_info(&info));
	works(mpx_set_start(set));
	ok(slices_go_on(&n), "slices end");
	fd = sender_of(info.signal_number);
	if (fd < 0) {
		skip("no descriptor sends the signal: the timer is of another kind");
		works(mpx_set_stop(set, NULL));
		works(mpx_set_destroy(&set));
		return;
	}
	close(fd);
	own = open("/dev/null", O_RDWR);
	ok(own == fd, "its number is the program's");
	n += work_for(10);
	ok(flags_of(set) & MPX_LOST, "no slice ended, and that is said");
	ok(slices_go_on(&n), "the call has made the timer anew");
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
	fd = sender_of(info.signal_number);
	close(fd);
	works(mpx_thread_end());
	ok(fcntl(own, F_GETFL) >= 0 && !(fcntl(own, F_GETFL) & O_ASYNC), "the program's file is left alone");
	close(own);
}

/* Closes the descriptors from 3 on, as daemons do. No event can be read from here on, and nothing ends
 * a slice. */
static void descriptors_are_closed(void)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct mpx_estimate e;
	long n = 0, counted;
	int set, i, error;

	o.slice_ns = SLICE_NS;
	o.group_max = 1;
	o.clock = MPX_CLOCK_CPU;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	set = make_set();
	works(mpx_set_start(set));
	for (i = 0; i < 4; i++)
		ok(slices_go_on(&n), "slices end");
	counted = n;
	for (i = 3; i < 1024; i++)
		close(i);
	while (n < 8 * counted)
		n += work_for(8);
	error = mpx_set_stop(set, NULL);
	note("error %d: %s", error, error ? mpx_last_message() : "none");
	for (i = 0; i < 2; i++) {
		e = estimate_of(set, i);
		ok(e.flags & MPX_LOST, "descriptors were closed, and that is said");
		ok(e.estimate > (double)n / 3 && e.estimate < 3 * (double)n && e.coverage < .5,
		   "%.0f of %ld, [%.0f, %.0f], counted %.3f of the time", e.estimate, n, e.low, e.high,
		   e.coverage);
	}
}

int main(void)
{
	static const enum mpx_timer timers[] = {MPX_TIMER_AUTO, MPX_TIMER_THREAD, MPX_TIMER_VIRTUAL};
	unsigned i;

	start_papi();
	for (i = 0; i < 3; i++) {
		struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);

		o.timer = timers[i];
		o.slice_ns = SLICE_NS;
		o.group_max = 1;
		if (!ok(mpx_library_init(MPX_ABI_VERSION, &o) == PAPI_OK, "timer %d", (int)o.timer))
			continue;
		blocked_while_it_runs();
		blocked_for_good();
		handler_is_replaced();
		timer_is_closed();
		left_by_a_jump();
		works(mpx_library_shutdown());
	}
	/* This case is the last: the library has no descriptors any more, and is left alone. */
	descriptors_are_closed();
	i = (unsigned)done();
	fflush(stdout);
	_exit((int)i);
}
