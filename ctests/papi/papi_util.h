/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_util.h - functions that the tests of the PAPI component share: they start PAPI, find the
 * component, and do work whose counts are known.
 */
#ifndef PAPI_UTIL_H
#define PAPI_UTIL_H

#include <errno.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../lib/machine.h"
#include "../tap.h"

#define FAULTS "upc:::perf::PAGE-FAULTS"

/* Page faults of a thread: perf's, or those that /proc counts where the kernel refuses perf events. */
__attribute__((unused)) static const char *faults_event(void)
{
	return machine_counts() ? FAULTS : "upc:::task::minflt";
}

/* Faults of a measured stretch beside those that the test makes: the first
 * touch of stack, library code and PAPI's own pages. */
#define FAULTS_SLACK 40

/* Returns whether the program is static, as in the emulated machine: no loader has loaded it, it
 * opens no library, and no function of a test can stand in front of one that its libraries call. */
__attribute__((unused)) static int is_static(void)
{
	return getauxval(AT_BASE) == 0;
}

/* The index of the component, or -1 where PAPI was built without it. */
__attribute__((unused)) static int find_component(void)
{
	int i;

	for (i = 0; i < PAPI_num_components(); i++)
		if (strcmp(PAPI_get_component_info(i)->name, "upc") == 0)
			return i;
	return -1;
}

/* Uses the component for the first time, which opens it and lists its events. */
__attribute__((unused)) static const PAPI_component_info_t *use_component(int component)
{
	int code = PAPI_NATIVE_MASK;

	(void)PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
	return PAPI_get_component_info(component);
}

/* Starts PAPI with the component active, and returns the component's index. The component is there,
 * as configure has found, and has events on every machine. */
__attribute__((unused)) static int start_papi(void)
{
	const PAPI_component_info_t *info;
	int component;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		bail_out("PAPI cannot be initialised");
	if (PAPI_thread_init(pthread_self) != PAPI_OK)
		bail_out("PAPI has no threads");
	component = find_component();
	if (component < 0)
		bail_out("PAPI was built without the upc component");
	info = use_component(component);
	if (info->disabled)
		bail_out("the upc component is disabled: %s", info->disabled_reason);
	return component;
}

/* Faults in n fresh pages, one fault each; a sanitizer's shadow would add its own. */
__attribute__((unused, no_sanitize("address", "thread"))) static void touch_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area;
	size_t i;

	area = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		return;
	madvise((void *)area, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		area[i * page] = 1;
	munmap((void *)area, n * page);
}

__attribute__((unused)) static int about(long long value, long long wanted)
{
	return value >= wanted && value <= wanted + FAULTS_SLACK;
}

/* Returns the program counter in a signal's context, or 0 on unknown machines. */
__attribute__((unused)) static uintptr_t program_counter(void *context)
{
#if defined(__x86_64__)
	return (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#else
	(void)context;
	return 0;
#endif
}

/* A set with one event, or PAPI_NULL. */
__attribute__((unused)) static int set_with(const char *name)
{
	int set = PAPI_NULL;

	if (PAPI_create_eventset(&set) != PAPI_OK)
		return PAPI_NULL;
	if (PAPI_add_named_event(set, name) != PAPI_OK) {
		PAPI_destroy_eventset(&set);
		return PAPI_NULL;
	}
	return set;
}

__attribute__((unused)) static void drop(int *set)
{
	long long sink[1024];

	PAPI_stop(*set, sink);
	PAPI_cleanup_eventset(*set);
	PAPI_destroy_eventset(set);
}

/* Returns whether a set is as it was: it has that number of events, and its first event counts page
 * faults. */
__attribute__((unused)) static int still_counts(int set, int events)
{
	long long values[1024];

	if (PAPI_num_events(set) != events || PAPI_start(set) != PAPI_OK)
		return 0;
	touch_pages(100);
	return PAPI_stop(set, values) == PAPI_OK && about(values[0], 100);
}

/* ---- time that is lost ------------------------------------------------------------- */

/* Times of this thread's rounds by the task clock. Where a round took more than a slice longer than
 * the shortest one, the difference is lost: the hypervisor gave the CPU to others meanwhile, and
 * the clock went on. In that time one of the groups that take turns counts nothing. */
static _Thread_local struct {
	pid_t thread;
	int clock;
	unsigned n;
	uint64_t from, least, all, lost;
	double squares;
} of_rounds __attribute__((unused));

__attribute__((unused)) static uint64_t task_ns(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1};
	uint64_t ns = 0;

	if (of_rounds.thread != gettid()) {
		of_rounds.thread = gettid();
		of_rounds.clock = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	return read(of_rounds.clock, &ns, sizeof(ns)) == (ssize_t)sizeof(ns) ? ns : 0;
}

__attribute__((unused)) static void forget_rounds(void)
{
	of_rounds.n = 0;
	of_rounds.least = of_rounds.all = of_rounds.lost = 0;
	of_rounds.squares = 0;
}

__attribute__((unused)) static void begin_round(void)
{
	of_rounds.from = task_ns();
}

/* Ends a round, and begins the next. */
__attribute__((unused)) static void end_round(uint64_t slice_ns)
{
	uint64_t now = task_ns(), ns = now - of_rounds.from;

	of_rounds.from = now;
	if (!of_rounds.least || ns < of_rounds.least)
		of_rounds.least = ns;
	if (ns > of_rounds.least + slice_ns)
		of_rounds.lost += ns - of_rounds.least;
	of_rounds.all += ns;
	of_rounds.squares += (double)ns * (double)ns;
	of_rounds.n++;
}

/* Returns the ratio of the lost time to the rest. */
__attribute__((unused)) static double lost_share(void)
{
	return (double)of_rounds.lost / (double)(of_rounds.all - of_rounds.lost + 1);
}

/* Returns the variance of the relative error of an estimate from every groups-th round: it grows
 * with the differences between the times of the rounds. */
__attribute__((unused)) static double rounds_variance(unsigned groups)
{
	double n = of_rounds.n ? of_rounds.n : 1, mean = (double)of_rounds.all / n;

	return mean > 0 ? (of_rounds.squares / n / (mean * mean) - 1) * (groups - 1) / n : 0;
}

#endif /* PAPI_UTIL_H */
