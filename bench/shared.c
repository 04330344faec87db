/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared.c - cost of a monitor for the owner of the unit that it reads. The owner stores single counts at
 * full speed, or changes all 256 counts with about a microsecond between changes; without this pause, no
 * reader would get a consistent read. The owner runs alone, with a monitor in another process that reads
 * everything 1,000 times a second, and with a monitor that reads continuously.
 *
 * Time is the owner's CPU time, which excludes other programs.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "share/shared.h"

enum mode { ALONE, AT_1000_HZ, SPINNING, MODES };

/* Length of a batch: long enough for several reads at 1,000 reads a second. */
#define BATCH_NS 20e6

/* Memory through which the two processes exchange data. */
static struct talk {
	int mode, seen;
	uint64_t reads, failures;
} * talk;

static struct upci_shared shared;
static pid_t child; /* the monitor */
static char name[40];

/* ---- the monitor ------------------------------------------------------------ */

static void pin(unsigned which)
{
	cpu_set_t all, one;
	int cpu;

	if (sched_getaffinity(0, sizeof(all), &all) || CPU_COUNT(&all) < 2)
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && which-- == 0) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			(void)sched_setaffinity(0, sizeof(one), &one);
			return;
		}
}

static void next_millisecond(struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (t->tv_sec < now.tv_sec)
		*t = now;
	t->tv_nsec += 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL);
}

static void monitor(void)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	uint64_t values[UPC_COUNTERS];
	struct timespec t = {0, 0};
	struct upc_monitor *m;
	int mode;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	if (upc_monitor_open(name, NULL, &m))
		_exit(1);
	for (;;) {
		mode = __atomic_load_n(&talk->mode, __ATOMIC_ACQUIRE);
		__atomic_store_n(&talk->seen, mode, __ATOMIC_RELEASE);
		if (mode != ALONE) {
			int error = upc_monitor_read(m, values, &info);

			__atomic_add_fetch(error ? &talk->failures : &talk->reads, 1, __ATOMIC_RELAXED);
		}
		/* Wake up also when the owner is alone, so that the modes differ only in the reads. */
		if (mode != SPINNING)
			next_millisecond(&t);
	}
}

static void set_mode(enum mode mode)
{
	__atomic_store_n(&talk->mode, mode, __ATOMIC_RELEASE);
	while (__atomic_load_n(&talk->seen, __ATOMIC_ACQUIRE) != (int)mode) {
		if (waitpid(child, NULL, WNOHANG) == child) {
			fprintf(stderr, "the monitor has ended\n");
			exit(1);
		}
		sched_yield();
	}
}

/* ---- the owner ---------------------------------------------------------------- */

static uint64_t total;

static void add_singly(unsigned calls)
{
	while (calls--) {
		total++;
		upci_shared_count(&shared, total % UPC_COUNTERS, total);
	}
}

static void change_all(unsigned calls)
{
	unsigned i;

	while (calls--) {
		total++;
		upci_shared_begin(&shared);
		for (i = 0; i < UPC_COUNTERS; i++)
			upci_shared_count(&shared, i, total);
		upci_shared_end(&shared, false);
	}
}

/* Change the unit, then work as an owner does between changes. */
static void change_and_work(unsigned calls)
{
	volatile unsigned work;

	while (calls--) {
		change_all(1);
		for (work = 0; work < 1000; work++)
			;
	}
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_of(void (*run)(unsigned calls), unsigned calls)
{
	double start = cpu_ns();

	run(calls);
	return (cpu_ns() - start) / calls;
}

/* Measure the modes in turn. Print medians of the times, and of the ratios to the time without a monitor that
 * was measured just before. */
static void measure(const char *what, void (*run)(unsigned calls))
{
	static const char *const with[MODES] = {"alone", "monitor_1000hz", "monitor_spinning"};
	static double sample[MODES][BENCH_SAMPLES];
	uint64_t reads[MODES] = {0}, failures[MODES] = {0};
	static double ratio[MODES][BENCH_SAMPLES];
	double once;
	unsigned calls, s, k;
	char text[80];

	set_mode(ALONE);
	run(100000);
	once = time_of(run, 100000);
	calls = (unsigned)(BATCH_NS / once) + 1;
	for (s = 0; s < BENCH_SAMPLES; s++)
		for (k = 0; k < MODES; k++) {
			uint64_t r, f;

			set_mode((enum mode)k);
			r = __atomic_load_n(&talk->reads, __ATOMIC_RELAXED);
			f = __atomic_load_n(&talk->failures, __ATOMIC_RELAXED);
			sample[k][s] = time_of(run, calls);
			ratio[k][s] = sample[k][s] / sample[ALONE][s];
			reads[k] += __atomic_load_n(&talk->reads, __ATOMIC_RELAXED) - r;
			failures[k] += __atomic_load_n(&talk->failures, __ATOMIC_RELAXED) - f;
		}
	set_mode(ALONE);
	for (k = 0; k < MODES; k++) {
		snprintf(text, sizeof(text), "shared_%s_%s", what, with[k]);
		bench_print(text, bench_median(sample[k], BENCH_SAMPLES), "ns");
		if (k == ALONE)
			continue;
		printf("# %llu reads, %llu refused as too fast\n", (unsigned long long)reads[k],
		       (unsigned long long)failures[k]);
		bench_ratio(text, bench_median(ratio[k], BENCH_SAMPLES));
	}
}

static void change_full_speed(void *arg, unsigned calls)
{
	(void)arg;
	change_all(calls);
}

static void read_all(void *arg, unsigned calls)
{
	struct upc_monitor_info info = UPC_OPTIONS_INIT(upc_monitor_info);
	uint64_t values[UPC_COUNTERS];

	while (calls--)
		if (upc_monitor_read(arg, values, &info))
			abort();
}

int main(void)
{
	struct bench_subject subject[2] = {{read_all, NULL, 0}, {change_full_speed, NULL, 0}};
	struct upc_monitor *m;

	talk = mmap(NULL, sizeof(*talk), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(name, sizeof(name), "bench-%d", (int)getpid());
	if (talk == MAP_FAILED || upci_shared_create(name, false, &shared) ||
	    upc_monitor_open(name, NULL, &m)) {
		fprintf(stderr, "%s\n", upc_last_message());
		return 1;
	}
	subject[0].arg = m;
	bench_in_turn(subject, 2, 1000);
	bench_print("monitor_read", subject[0].median, "ns");
	bench_print("shared_change_256", subject[1].median, "ns");
	upc_monitor_close(m);
	talk->seen = -1;
	child = fork();
	if (!child)
		monitor();
	pin(0);
	measure("writer", add_singly);
	measure("change", change_and_work);
	kill(child, SIGKILL);
	upci_shared_destroy(&shared);
	return 0;
}
