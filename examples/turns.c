/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turns.c - counts more events than can be counted at the same time. libmpx multiplexes them in each of four
 * threads, and returns a confidence interval with each estimate. The true counts are known here: each thread
 * touches a fixed number of fresh pages and makes a fixed number of system calls. A 95 % interval misses the
 * true count once in twenty times.
 *
 *   cc turns.c -o turns $(pkg-config --cflags --libs mpx) -lpthread
 *
 * The exit status is 0 if no estimate is far from its true count, and 3 if the kernel lets this user count at
 * most one of the events.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <mpx.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, AT_A_TIME = 1, EVENTS = 6, CALLS = 4, STEPS = 1500 };

/* The events of a step, and how often each happens in a step. */
static const struct {
	const char *name;
	int times;
	long call; /* -1: fresh pages */
} event[EVENTS] = {
	{"upc:::perf::PAGE-FAULTS", 3, -1},
	{"upc:::perf::MINOR-FAULTS", 3, -1},
	{"upc:::tp::syscalls:sys_enter_getppid", 1, SYS_getppid},
	{"upc:::tp::syscalls:sys_enter_geteuid", 4, SYS_geteuid},
	{"upc:::tp::syscalls:sys_enter_getuid", 2, SYS_getuid},
	{"upc:::tp::syscalls:sys_enter_getgid", 3, SYS_getgid},
};

static pthread_barrier_t begin, end;
static _Thread_local volatile double sink;

/* Do one step. All steps cause the same events, but take a random time. */
static void step(size_t page, unsigned *random)
{
	char *memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < 3; i++)
		memory[i * page] = 1;
	if (memory != MAP_FAILED)
		munmap(memory, 3 * page);
	for (int e = EVENTS - CALLS; e < EVENTS; e++)
		for (int i = 0; i < event[e].times; i++)
			syscall(event[e].call);
	*random = *random * 1103515245 + 12345;
	for (unsigned i = 0; i < 50000 + *random / 65536 % 50000; i++)
		sink = sink + 1;
}

static void *work(void *argument)
{
	unsigned random = *(unsigned *)argument;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	mpx_thread_register();
	pthread_barrier_wait(&begin);
	for (int i = 0; i < STEPS; i++)
		step(page, &random);
	pthread_barrier_wait(&end);
	mpx_thread_end();
	PAPI_unregister_thread();
	return NULL;
}

/* Print one line. Return false if the estimate is far from the true count. */
static bool says(const struct mpx_estimate *is, int e)
{
	const double truth = (double)event[e].times * STEPS * THREADS;
	const bool in = is->low <= truth && truth <= is->high;
	char interval[64];

	snprintf(interval, sizeof(interval), "%.0f to %.0f", is->low, is->high);
	printf("  %-31s %5.0f %%  %8.0f  %-16s %6.0f%s\n", event[e].name + 6, 100 * is->coverage,
	       is->estimate, interval, truth, in ? "" : "  outside");
	return fabs(is->estimate - truth) <= 4 * (is->high - is->low) + truth / 50;
}

int main(void)
{
	const struct mpx_options options = {
		.size = sizeof(options), .slice_ns = 2000000, .group_max = AT_A_TIME};
	struct mpx_estimate estimate[EVENTS] = {{.size = sizeof(estimate[0])}};
	long long values[EVENTS];
	pthread_t thread[THREADS];
	unsigned seed[THREADS];
	int set, added[EVENTS], n = 0;
	bool good = true;

	if (mpx_library_init(MPX_ABI_VERSION, &options) != PAPI_OK ||
	    mpx_set_create_process(&set) != PAPI_OK) {
		fprintf(stderr, "turns: %s\n", mpx_last_message());
		return 1;
	}
	for (int e = 0; e < EVENTS; e++)
		if (mpx_set_add_named_event(set, event[e].name) == PAPI_OK)
			added[n++] = e;
		else
			printf("  not counted here: %s\n", event[e].name + 6);
	if (n <= 1)
		return 3;
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (unsigned i = 0; i < THREADS; i++) {
		seed[i] = i;
		if (pthread_create(&thread[i], NULL, work, &seed[i]))
			return 1;
	}
	if (mpx_set_start(set) != PAPI_OK) {
		fprintf(stderr, "turns: %s\n", mpx_last_message());
		return 1;
	}
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	if (mpx_set_stop(set, values) != PAPI_OK || mpx_set_estimates(set, estimate, n) != PAPI_OK) {
		fprintf(stderr, "turns: %s\n", mpx_last_message());
		return 1;
	}
	printf("  %-31s %7s  %8s  %-16s %6s\n", "event", "counted", "estimate", "95 % interval", "truth");
	for (int i = 0; i < n; i++)
		good &= says(&estimate[i], added[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return !good;
}
