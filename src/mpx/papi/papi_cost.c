/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_cost.c - measures the time that one count of a tracepoint takes, by making the same system calls
 * with and without the tracepoint.
 *
 * Terms: papi/papi_backend.h.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "papi/papi_group.h"

/* BATCH is the number of calls in a batch. A pair is one batch with and one without the tracepoint, and
 * the fastest batch of each sort is used. Up to PAIRS_MOST pairs are run, 384 calls in all. After
 * PAIRS_LEAST pairs the measurement ends when it has taken LONGEST ns. The first pair warms the caches
 * up, and is slower than later ones. */
#define BATCH 8
#define PAIRS_MOST 24
#define PAIRS_LEAST 5
#define LONGEST 500000

/* Typical costs are 30 to 150 ns (doc/design/ESTIMATOR.md). GUESS is used if the cost cannot be
 * measured, or if disturbances of all batches have brought the result outside the range from CHEAPEST to
 * MPXI_PAPI_COST_MOST. All are in ns. */
#define GUESS 100
#define CHEAPEST 10

/* Return the thread's CPU time in ns. Unlike wall time, it excludes other threads and processes. */
static uint64_t cost_cpu_ns(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Open the tracepoint of getppid. Its id is read from one path only; if there is no such file, GUESS is
 * used. */
static int open_tracepoint(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1};
	char text[24] = "";
	int file = open("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return -1;
	if (read(file, text, sizeof(text) - 1) > 0)
		attr.config = strtoull(text, NULL, 10);
	close(file);
	return attr.config ? (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) : -1;
}

static uint64_t time_batch(void)
{
	uint64_t begin = cost_cpu_ns();
	unsigned i;

	for (i = 0; i < BATCH; i++)
		(void)syscall(SYS_getppid);
	return cost_cpu_ns() - begin;
}

static void keep_least(uint64_t *least, uint64_t ns)
{
	*least = ns < *least ? ns : *least;
}

static double measure_cost(void)
{
	uint64_t begin, with = UINT64_MAX, without = UINT64_MAX;
	int tracepoint = open_tracepoint();
	unsigned pairs;
	double ns;

	if (tracepoint < 0)
		return GUESS;
	begin = cost_cpu_ns();
	for (pairs = 0; pairs < PAIRS_MOST && (pairs < PAIRS_LEAST || cost_cpu_ns() - begin < LONGEST);
	     pairs++) {
		keep_least(&without, time_batch());
		if (ioctl(tracepoint, PERF_EVENT_IOC_ENABLE, 0))
			break;
		keep_least(&with, time_batch());
		(void)ioctl(tracepoint, PERF_EVENT_IOC_DISABLE, 0);
	}
	close(tracepoint);
	ns = ((double)with - (double)without) / BATCH;
	return pairs >= PAIRS_LEAST && ns >= CHEAPEST && ns <= MPXI_PAPI_COST_MOST ? ns : GUESS;
}

/* Return the cost in units of the clock. If the clock is an event, the cost is 0: the kernel counts
 * tracepoints in kernel mode, while the clock event counts cycles in user mode. */
double mpxi_papi_cost(struct mpxi_papi *papi)
{
	/* cost in ns; 0: not measured yet. Two threads may measure it at the same time */
	static _Atomic double known;
	double ns = atomic_load(&known);
	bool paused;
	int cancel;

	if (mpxi_papi_clock_is_event())
		return 0;
	if (ns > 0)
		return ns;
	/* open, read and close are cancellation points. */
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	paused = papi && !mpxi_papi_has_ended_sig() && !mpxi_papi_pause(papi, false);
	ns = measure_cost();
	atomic_store(&known, ns);
	if (paused)
		(void)mpxi_papi_resume(papi);
	(void)pthread_setcancelstate(cancel, NULL);
	return ns;
}
