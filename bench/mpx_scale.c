/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_scale.c - libmpx at a large scale. One thread has 1,000 overlapping event sets over 1,024 events, and
 * starts, reads and stops them in turn. At any time, 256 other threads start, count and end. A process-wide
 * set counts all of them. The counted events are system calls, and each thread knows how many it made.
 *
 * Exact counts must equal the true counts in every set of every thread. The process-wide count must equal the
 * sum over all threads, including ended ones. No descriptor may remain open, and memory must not grow with
 * the number of ended threads. The exit status is 1 if any of these checks fails.
 *
 * Usage: mpx_scale [--seconds=N] [--sets=N] [--events=N] [--threads=N]
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif
#include <dirent.h>
#include <malloc.h>
#include <papi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "bench.h"
#include "mpx_scale.h"
#include "tracefs.h"

/* SLICE: ns. LEFT_MAX: heap bytes that may remain for each ended thread. */
enum { SLICE = 1000000, LEFT_MAX = 64, COMPLAINTS = 20, MOST = 1 << 20 };

static const struct {
	const char *name;
	long number, a, b;
} call[SCALE_KNOWN] = {
	{"upc:::tp::syscalls:sys_enter_getppid", SYS_getppid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getuid", SYS_getuid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_geteuid", SYS_geteuid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getgid", SYS_getgid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getegid", SYS_getegid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getpgid", SYS_getpgid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getsid", SYS_getsid, 0, 0},
	{"upc:::tp::syscalls:sys_enter_times", SYS_times, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getpriority", SYS_getpriority, PRIO_PROCESS, 0},
	{"upc:::tp::syscalls:sys_enter_sched_getscheduler", SYS_sched_getscheduler, 0, 0},
	{"upc:::tp::syscalls:sys_enter_sched_get_priority_max", SYS_sched_get_priority_max, 0, 0},
	{"upc:::tp::syscalls:sys_enter_sched_get_priority_min", SYS_sched_get_priority_min, 0, 0},
	{"upc:::tp::syscalls:sys_enter_getcpu", SYS_getcpu, 0, 0},
	/* The descriptor is invalid: the call fails, and is counted. */
	{"upc:::tp::syscalls:sys_enter_fdatasync", SYS_fdatasync, -1, 0},
};

atomic_ullong scale_begun, scale_ended;
atomic_uint scale_failures;

static struct scale_options options = {.seconds = 10, .sets = 1000, .events = 1024, .threads = 256};
static sem_t counting, ready, stopped;
static atomic_bool end;

/* ---- shared functions ------------------------------------------------------------------ */

void scale_check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "\nmpx_scale: %s: %s: %s\n", what, PAPI_strerror(error), mpx_last_message());
	exit(1);
}

void scale_fail(const char *format, ...)
{
	unsigned n = atomic_fetch_add(&scale_failures, 1);
	char line[256];
	va_list list;

	if (n >= COMPLAINTS)
		return;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	fprintf(stderr, "\nmpx_scale: %s%s\n", line, n + 1 < COMPLAINTS ? "" : "; and more");
}

const char *scale_name(unsigned known)
{
	return call[known].name;
}

void scale_work(struct scale_truth *truth, unsigned times)
{
	unsigned i, k, spin;

	for (i = 0; i < times; i++)
		for (k = 0; k < SCALE_KNOWN; k++) {
			if (!k)
				atomic_fetch_add(&scale_begun, 1);
			syscall(call[k].number, call[k].a, call[k].b, 0);
			truth->count[k]++;
			if (!k)
				atomic_fetch_add(&scale_ended, 1);
			/* Spend some time in user mode, since ticks in the kernel are put off. */
			for (spin = 0; spin < 1000; spin++)
				__asm__ volatile("" : : "r"(spin));
		}
}

void scale_judge(struct scale_score *score, const struct mpx_estimate *e, uint64_t truth, const char *who)
{
	if (e->flags & MPX_EXACT) {
		score->exact++;
		if (e->count == truth && e->value == (long long)truth)
			return;
		score->wrong++;
		scale_fail("%s: an exact count is %llu, the truth is %llu", who, (unsigned long long)e->count,
			   (unsigned long long)truth);
	} else if (e->flags & MPX_UNCOUNTED) {
		score->never++;
	} else {
		bool held = e->low <= (double)truth && (double)truth <= e->high;

		if (e->flags & MPX_ROUGH) {
			score->rough++;
			score->rough_held += held;
		} else {
			score->estimates++;
			score->held += held;
		}
	}
	if (e->count > truth)
		scale_fail("%s: %llu were counted, the truth is %llu", who, (unsigned long long)e->count,
			   (unsigned long long)truth);
}

void scale_add(struct scale_score *sum, const struct scale_score *part)
{
	sum->exact += part->exact;
	sum->wrong += part->wrong;
	sum->estimates += part->estimates;
	sum->held += part->held;
	sum->rough += part->rough;
	sum->rough_held += part->rough_held;
	sum->never += part->never;
	sum->starts += part->starts;
	sum->reads += part->reads;
	sum->slices += part->slices;
	sum->lost += part->lost;
	sum->put_off += part->put_off;
	sum->start_ns += part->start_ns;
	sum->read_ns += part->read_ns;
}

void scale_thread_info(struct scale_score *score)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	scale_check(mpx_thread_get_info(&info), "mpx_thread_get_info");
	score->slices += info.slices;
	score->lost += info.lost;
	score->put_off += info.put_off;
}

struct scale_size scale_size(void)
{
	DIR *directory = opendir("/proc/self/fd");
	FILE *file = fopen("/proc/self/statm", "re");
	struct scale_size size = {0};
	unsigned long pages;

	if (!directory || !file || fscanf(file, "%*u %lu", &pages) != 1) {
		perror("mpx_scale: /proc/self");
		exit(1);
	}
	while (readdir(directory))
		size.descriptors++;
	size.descriptors -= 4; /* . and .., and these two */
	closedir(directory);
	fclose(file);
	size.rss = (double)pages * (double)sysconf(_SC_PAGESIZE);
	size.heap = (double)mallinfo2().uordblks + (double)mallinfo2().hblkhd;
	return size;
}

/* ---- options --------------------------------------------------------------------------- */

static void usage(FILE *file)
{
	fprintf(file, "usage: mpx_scale [OPTION...]\n"
		      "Many event sets, events and threads at once; fails where a count is lost.\n"
		      "  --seconds=N   threads come and go for so long (10)\n"
		      "  --sets=N      event sets of one thread (1000)\n"
		      "  --events=N    tracepoints that these are made of, at least 64 (1024)\n"
		      "  --threads=N   threads that are alive at any time (256)\n");
}

static bool take_option(const char *argument, const char *name, unsigned least, unsigned *value)
{
	size_t length = strlen(name);
	unsigned long number;
	char *rest;

	if (strncmp(argument, name, length) != 0 || argument[length] != '=')
		return false;
	number = strtoul(argument + length + 1, &rest, 10);
	if (*rest || rest == argument + length + 1 || argument[length + 1] == '-' || number < least ||
	    number > MOST) {
		fprintf(stderr, "mpx_scale: %s: a number from %u to %u\n", argument, least, MOST);
		exit(2);
	}
	*value = (unsigned)number;
	return true;
}

static void take_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			usage(stdout);
			exit(0);
		}
		if (take_option(argv[i], "--seconds", 1, &options.seconds) ||
		    take_option(argv[i], "--sets", 1, &options.sets) ||
		    take_option(argv[i], "--events", 64, &options.events) ||
		    take_option(argv[i], "--threads", 1, &options.threads))
			continue;
		fprintf(stderr, "mpx_scale: unknown option: %s\n", argv[i]);
		usage(stderr);
		exit(2);
	}
}

/* Raise the limit of descriptors: one for each event, some for each group and thread, and the 64 that the
 * library keeps in reserve. */
static void make_room(void)
{
	rlim_t need = 2 * (rlim_t)options.events + 28 * (rlim_t)options.threads + 256;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return;
	printf("raising RLIMIT_NOFILE from %llu to %llu\n", (unsigned long long)limit.rlim_cur,
	       (unsigned long long)need);
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need;
	if (setrlimit(RLIMIT_NOFILE, &limit)) {
		perror("mpx_scale: RLIMIT_NOFILE: fewer events or threads, or as root");
		exit(1);
	}
}

/* ---- the table ------------------------------------------------------------------------- */

static void row(const char *name, double value, const char *unit)
{
	printf("  %-44s %14.*f %s\n", name, value < 100 && value != (double)(long)value ? 2 : 0, value, unit);
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100. * (double)part / (double)all : 0;
}

static void print_score(const char *who, const struct scale_score *s)
{
	printf("%s\n", who);
	row("starts", (double)s->starts, "");
	row("a start", s->starts ? s->start_ns / (double)s->starts / 1000 : 0, "us");
	row("reads, with errors", (double)s->reads, "");
	row("a read", s->reads ? s->read_ns / (double)s->reads / 1000 : 0, "us");
	row("slices", (double)s->slices, "");
	row("slices put off", (double)s->put_off, "");
	row("slices lost", (double)s->lost, "");
	row("exact values", (double)s->exact, "");
	row("of them not the truth", (double)s->wrong, "");
	row("intervals", (double)s->estimates, "");
	row("that hold the truth", percent(s->held, s->estimates), "%");
	row("intervals marked rough", (double)s->rough, "");
	row("that hold the truth", percent(s->rough_held, s->rough), "%");
	row("events without a slice yet", (double)s->never, "");
}

/* Return the growth for each thread that has ended since the first generation. */
static double left(const struct scale_threads *t, double before, double now)
{
	double ended = (double)t->made - t->settled_at;

	return ended > 0 ? (now - before) / ended : 0;
}

static void print_threads(const struct scale_threads *t)
{
	double n = t->options->threads;

	row("threads made", (double)t->made, "");
	row("alive at any time", n, "");
	row("descriptors of a live thread", (t->full.descriptors - t->empty.descriptors) / n, "");
	row("memory that libmpx keeps for one", t->thread_memory / 1024, "KiB");
	row("heap of a live thread", (t->full.heap - t->empty.heap) / n / 1024, "KiB");
	row("resident memory of a live thread", (t->full.rss - t->empty.rss) / n / 1024, "KiB");
	row("heap left of an ended thread", left(t, t->settled.heap, t->last.heap), "bytes");
	row("resident memory left of an ended thread", left(t, t->settled.rss, t->last.rss), "bytes");
	row("descriptors after the first of them", (double)t->settled.descriptors, "");
	row("after all", (double)t->last.descriptors, "");
	printf("the process-wide set\n");
	row("reads", (double)t->sum_reads, "");
	row("a read", t->sum_reads ? t->sum_ns / (double)t->sum_reads / 1e6 : 0, "ms");
	row("the longest", t->sum_most_ns / 1e6, "ms");
	row("not answered by all within a second", (double)t->unanswered, "");
	row("threads counted", t->sum[0].threads, "");
	row("calls counted", (double)t->sum[0].count, "");
	row("calls made", (double)atomic_load(&scale_ended), "");
	row("calls that share counters, estimated", t->sum[1].estimate, "");
	row("interval from", t->sum[1].low, "");
	row("to", t->sum[1].high, "");
}

static void print_sets(const struct scale_sets_info *i)
{
	row("sets", options.sets, "");
	row("events", i->events, "");
	row("events that could not be counted", i->refused, "");
	row("groups that take turns", i->groups, "");
	row("sets stopped and started again", (double)i->stopped, "");
	row("memory that libmpx keeps for it", (double)i->memory / 1024, "KiB");
	row("to make and start all", i->made_s, "s");
	row("to stop and destroy all", i->closed_s, "s");
}

/* ---- all at once ----------------------------------------------------------------------- */

static void *run_threads(void *arg)
{
	struct scale_threads *threads = arg;

	scale_threads_start();
	sem_post(&counting);
	while (sem_wait(&ready))
		;
	scale_threads_churn(threads);
	atomic_store(&end, true);
	while (sem_wait(&stopped))
		;
	scale_threads_stop(threads);
	return NULL;
}

/* Shut the library down, and check that no more descriptors are open than before. */
static void shut_down(const struct scale_size *before)
{
	struct scale_size after;

	scale_check(mpx_library_shutdown(), "mpx_library_shutdown");
	PAPI_shutdown();
	after = scale_size();
	if (after.descriptors > before->descriptors)
		scale_fail("%u descriptors are open in the end, %u were at first", after.descriptors,
			   before->descriptors);
	printf("the process\n");
	row("descriptors while nothing is counted", before->descriptors, "");
	row("descriptors when all has ended", after.descriptors, "");
}

static void init(void)
{
	struct mpx_options mpx = MPX_OPTIONS_INIT(mpx_options);

	mpx.slice_ns = SLICE;
	mpx.group_max = SCALE_GROUP;
	/* A tracepoint slows the calls that it counts, in its own slices. A covariate that is proportional to
	 * the work compensates for that. */
	mpx.covariate = scale_name(0);
	scale_check(mpx_library_init(MPX_ABI_VERSION, &mpx), "mpx_library_init");
}

int main(int argc, char **argv)
{
	struct scale_threads threads = {.options = &options};
	struct scale_score many = {0};
	struct scale_sets_info info;
	struct scale_size before;
	pthread_t starter;
	double grown;

	take_options(argc, argv);
	bench_need_tracepoints("mpx_scale");
	make_room();
	init();
	/* Measure only now: libupc has opened tracefs, which stays open. */
	before = scale_size();
	sem_init(&counting, 0, 0);
	sem_init(&ready, 0, 0);
	sem_init(&stopped, 0, 0);
	if (pthread_create(&starter, NULL, run_threads, &threads))
		abort();
	/* Wait for the process-wide set, so that it counts this thread from its first call on. */
	while (sem_wait(&counting))
		;
	scale_sets_start(&options);
	sem_post(&ready);
	scale_sets_turn(&end);
	scale_sets_stop(&many);
	info = scale_sets_info();
	sem_post(&stopped);
	pthread_join(starter, NULL);

	print_score("one thread with many sets", &many);
	print_sets(&info);
	print_score("threads that come and go", &threads.score);
	print_threads(&threads);
	grown = left(&threads, threads.settled.heap, threads.last.heap);
	if (grown > LEFT_MAX)
		scale_fail("%.0f bytes of heap are left of each thread that has ended", grown);
	shut_down(&before);
	bench_print("mpx_scale_threads", (double)threads.made, "threads");
	bench_print("mpx_scale_memory", threads.thread_memory / 1024, "KiB/thread");
	bench_print("mpx_scale_failures", atomic_load(&scale_failures), "failures");
	return atomic_load(&scale_failures) != 0;
}
