/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_util.h - functions that the tests of libmpx share: they start the library with the upc
 * component, and do work whose counts are known.
 */
#ifndef MPX_UTIL_H
#define MPX_UTIL_H

#include <fcntl.h>
#include <mpx.h>

#include "../papi/papi_util.h"

#define ENTER "upc:::tp::syscalls:sys_enter_getppid"
#define LEAVE "upc:::tp::syscalls:sys_exit_getppid"
/* Events that every user may count; only some users may count context switches and migrations. */
#define MINOR "upc:::perf::MINOR-FAULTS"
#define MAJOR "upc:::perf::MAJOR-FAULTS"

/* A call that must succeed; its message where it does not. */
#define works(call)                                                              \
	do {                                                                     \
		int error_of_call = (call);                                      \
		if (!ok(error_of_call == PAPI_OK, "%s", #call))                  \
			note("error %d: %s", error_of_call, mpx_last_message()); \
	} while (0)

/* A call that must be refused, with a message about it. */
#define refuses(error, call)                                                                         \
	do {                                                                                         \
		int error_of_call = (call);                                                          \
		if (!ok(error_of_call == (error) && mpx_last_message()[0], "%s: %s", #call, #error)) \
			note("error %d: %s", error_of_call, mpx_last_message());                     \
	} while (0)

/* Two events that work(n) makes n times each: system calls where tracepoints are to be had, which
 * nothing else here makes; otherwise page faults, which come with slack. */
static const char *event_name[2];
static long long event_slack;

/* Makes n of everything: both events, and page faults. */
__attribute__((unused, no_sanitize("address", "thread"))) static void work(long n)
{
	long i, k;

	for (i = 0; i < n; i++) {
		syscall(SYS_getppid);
		/* Ticks that fall into the kernel are dropped: some time is spent outside of it. */
		for (k = 0; k < 1000; k++)
			__asm__ volatile("" : : "r"(k) : "memory");
	}
	if (event_slack)
		touch_pages((size_t)n);
}

/* PAPI must be initialised, and the component active. */
__attribute__((unused)) static void choose_events(void)
{
	int set = set_with(ENTER);

	event_name[0] = set != PAPI_NULL ? ENTER : FAULTS;
	event_name[1] = set != PAPI_NULL ? LEAVE : MINOR;
	event_slack = set != PAPI_NULL ? 1 : FAULTS_SLACK;
	if (set != PAPI_NULL)
		drop(&set);
	else
		note("no tracepoints for this user: page faults are counted");
}

/* Starts the library and a set of two events that take turns in slices of so many ns; returns the set. */
__attribute__((unused)) static int start_turns(uint64_t slice_ns)
{
	struct mpx_options options = MPX_OPTIONS_INIT(mpx_options);
	int set = PAPI_NULL;

	options.slice_ns = slice_ns;
	options.group_max = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &options));
	works(mpx_set_create(&set));
	works(mpx_set_add_named_event(set, FAULTS));
	works(mpx_set_add_named_event(set, MINOR));
	works(mpx_set_start(set));
	return set;
}

/* A set with both events, of this thread or of the process; not running. */
__attribute__((unused)) static int both(int process)
{
	int set = PAPI_NULL;

	if ((process ? mpx_set_create_process(&set) : mpx_set_create(&set)) != PAPI_OK ||
	    mpx_set_add_named_event(set, event_name[0]) != PAPI_OK ||
	    mpx_set_add_named_event(set, event_name[1]) != PAPI_OK)
		note("no set of both events: %s", mpx_last_message());
	return set;
}

__attribute__((unused)) static int near(long long value, long long wanted)
{
	return value >= wanted - (event_slack == 1) && value <= wanted + event_slack;
}

__attribute__((unused)) static struct mpx_estimate estimate_of(int set, int index)
{
	struct mpx_estimate e[8];

	memset(e, 0, sizeof(e));
	e[0].size = sizeof(e[0]);
	if (mpx_set_estimates(set, e, index + 1) != PAPI_OK)
		note("no estimates: %s", mpx_last_message());
	return e[index];
}

/* Returns whether an estimate is within six standard errors and an eighth of the truth, and the
 * lost share: phases of a program that few slices have met are not in the standard error, nor is
 * the share of time in which nothing was done. */
__attribute__((unused)) static int is_estimate_of(const struct mpx_estimate *e, double truth, double lost)
{
	double off = e->estimate > truth ? e->estimate - truth : truth - e->estimate;

	return !(e->flags & MPX_UNCOUNTED) &&
	       off <= 6 * e->standard_error + truth / 8 + truth * lost + (double)event_slack;
}

/* Open descriptors of this process. */
__attribute__((unused)) static int open_files(void)
{
	int n = 0, fd;

	for (fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

#endif /* MPX_UTIL_H */
