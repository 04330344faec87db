/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_scale_threads.c - short-lived threads, and the thread that starts them, joins them and owns the
 * process-wide set. All threads of the first generation run at the same time, for measurements of their
 * memory. After that, a thread starts for each one that ends.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_nanosleep */
#endif
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "mpx_scale.h"

/* Most threads have FEW events, which fit one group and are exact. Every SHARE-th thread has more events,
 * which are multiplexed. */
enum { FEW = SCALE_GROUP, SHARE = 8, ROUNDS = 5, WORK = 20, MANY_WORK = 1000 };

struct worker {
	pthread_t thread;
	bool many, gathers;
	unsigned seed;
	size_t memory;
	struct scale_truth truth;
	struct scale_score score;
	struct worker *next; /* in the list of ended workers */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects ended */
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static struct worker *ended;
static sem_t arrived, go;
static int sum_set;
static struct scale_truth own; /* calls of the thread that starts the others */

/* ---- a short-lived thread ----------------------------------------------------------------- */

/* Sleep up to 0.2 s, until an absolute time, since signals of the process-wide set interrupt the sleep. */
static void rest(struct worker *w)
{
	struct timespec until;
	long ns = (rand_r(&w->seed) % 200) * 1000000l;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* Create a set of the exact event and n known events from first on. */
static int make_set(unsigned first, unsigned n)
{
	unsigned i;
	int set;

	scale_check(mpx_set_create(&set), "mpx_set_create");
	scale_check(mpx_set_add_named_event(set, scale_name(0)), scale_name(0));
	for (i = first; i < first + n; i++)
		scale_check(mpx_set_add_named_event(set, scale_name(i)), scale_name(i));
	return set;
}

static void start(struct worker *w, int set)
{
	double begin = bench_now_ns();

	scale_check(mpx_set_start(set), "mpx_set_start");
	w->score.start_ns += bench_now_ns() - begin;
	w->score.starts++;
}

static void judge(struct worker *w, int set, unsigned first, unsigned n, const struct scale_truth *before)
{
	struct mpx_estimate estimate[SCALE_KNOWN] = {{.size = sizeof(estimate[0])}};
	double begin = bench_now_ns();
	unsigned i, k;

	scale_check(mpx_set_estimates(set, estimate, (int)n + 1), "mpx_set_estimates");
	w->score.read_ns += bench_now_ns() - begin;
	w->score.reads++;
	for (i = 0; i <= n; i++) {
		k = i ? first + i - 1 : 0;
		if (!(estimate[i].flags & MPX_EXACT) && (!k || !w->many))
			scale_fail("a thread's event that shares no counter is not exact");
		scale_judge(&w->score, &estimate[i], w->truth.count[k] - before->count[k], "a thread");
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	/* Count with two overlapping sets. */
	unsigned n = w->many ? SCALE_KNOWN - 3 : FEW - 1, round;
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	struct scale_truth before = {{0}};
	int one, two;

	scale_check(mpx_thread_register(), "mpx_thread_register");
	one = make_set(1, n);
	two = make_set(2, n);
	start(w, one);
	start(w, two);
	/* Reset the first set, since the start of the second may have interrupted its counting. */
	scale_check(mpx_set_reset(one), "mpx_set_reset");
	if (w->gathers) {
		scale_check(mpx_thread_get_info(&info), "mpx_thread_get_info");
		w->memory = info.memory;
		sem_post(&arrived);
		while (sem_wait(&go))
			;
	}
	for (round = 0; round < ROUNDS; round++) {
		scale_work(&w->truth, w->many ? MANY_WORK : WORK);
		judge(w, one, 1, n, &before);
		rest(w);
	}
	scale_check(mpx_set_stop(two, NULL), "mpx_set_stop");
	judge(w, two, 2, n, &before);
	before = w->truth;
	start(w, two);
	scale_work(&w->truth, WORK);
	scale_thread_info(&w->score);
	/* Half of the threads destroy their sets; the library does that for the others. */
	if (w->seed % 2) {
		scale_check(mpx_set_stop(two, NULL), "mpx_set_stop");
		judge(w, two, 2, n, &before);
		scale_check(mpx_set_destroy(&two), "mpx_set_destroy");
	}
	pthread_mutex_lock(&lock);
	w->next = ended;
	ended = w;
	pthread_cond_signal(&came);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* ---- the thread that starts the others ---------------------------------------------------- */

static void create(struct scale_threads *t, bool gathers)
{
	struct worker *w = calloc(1, sizeof(*w));
	int error;

	if (!w)
		abort();
	w->gathers = gathers;
	w->many = t->made % SHARE == 0;
	w->seed = (unsigned)++t->made * 2654435761u >> 8;
	error = pthread_create(&w->thread, NULL, work, w);
	if (error) {
		errno = error;
		perror("mpx_scale: pthread_create");
		exit(1);
	}
}

/* Wait up to ns for a thread to end, and join it. Return false after a timeout. */
static bool reap(struct scale_threads *t, long ns)
{
	struct timespec until;
	struct worker *w;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&lock);
	while (!ended && pthread_cond_timedwait(&came, &lock, &until) != ETIMEDOUT)
		;
	w = ended;
	if (w)
		ended = w->next;
	pthread_mutex_unlock(&lock);
	if (!w)
		return false;
	pthread_join(w->thread, NULL);
	scale_add(&t->score, &w->score);
	t->thread_memory += w->gathers ? (double)w->memory / t->options->threads : 0;
	free(w);
	return true;
}

/* Read the process-wide set. Its count must lie between the number of calls completed before the read and the
 * number of calls begun before its end. */
static void read_sum(struct scale_threads *t)
{
	unsigned long long least = atomic_load(&scale_ended), most;
	double begin = bench_now_ns(), ns;
	long long value[2];
	int error = mpx_set_read(sum_set, value);

	ns = bench_now_ns() - begin;
	most = atomic_load(&scale_begun);
	t->sum_reads++;
	t->sum_ns += ns;
	t->sum_most_ns = ns > t->sum_most_ns ? ns : t->sum_most_ns;
	t->unanswered += error != 0;
	if ((!error && value[0] < (long long)least) || value[0] > (long long)most)
		scale_fail("the process-wide set has %lld, not from %llu to %llu", value[0], least, most);
}

static void drain(struct scale_threads *t, unsigned alive)
{
	while (alive)
		alive -= reap(t, 100000000);
}

static void progress(const struct scale_threads *t, unsigned alive, double left_s)
{
	if (!isatty(2))
		return;
	fprintf(stderr, "\r%4.0f s left, %u threads alive, %llu made, %u failures ", left_s, alive,
		(unsigned long long)t->made, atomic_load(&scale_failures));
}

void scale_threads_start(void)
{
	scale_check(mpx_set_create_process(&sum_set), "mpx_set_create_process");
	scale_check(mpx_set_add_named_event(sum_set, scale_name(0)), scale_name(0));
	scale_check(mpx_set_add_named_event(sum_set, scale_name(1)), scale_name(1));
	scale_check(mpx_set_start(sum_set), "mpx_set_start");
}

void scale_threads_churn(struct scale_threads *t)
{
	unsigned alive, i;
	double end, next = 0, now;

	sem_init(&arrived, 0, 0);
	sem_init(&go, 0, 0);
	t->empty = scale_size();
	for (i = 0; i < t->options->threads; i++)
		create(t, true);
	for (i = 0; i < t->options->threads; i++)
		while (sem_wait(&arrived))
			;
	t->full = scale_size();
	for (i = 0; i < t->options->threads; i++)
		sem_post(&go);
	drain(t, t->options->threads);
	t->settled = scale_size();
	t->settled_at = (double)t->made;

	end = bench_now_ns() + 1e9 * t->options->seconds;
	for (alive = 0; (now = bench_now_ns()) < end;) {
		for (; alive < t->options->threads; alive++)
			create(t, false);
		alive -= reap(t, 100000000);
		if (now < next)
			continue;
		next = now + 5e8;
		scale_work(&own, 1);
		read_sum(t);
		progress(t, alive, (end - now) / 1e9);
	}
	drain(t, alive);
	if (isatty(2))
		fprintf(stderr, "\r%70s\r", "");
	t->last = scale_size();
}

void scale_threads_stop(struct scale_threads *t)
{
	unsigned long long truth = atomic_load(&scale_ended);

	scale_check(mpx_set_stop(sum_set, NULL), "mpx_set_stop");
	t->sum[0].size = sizeof(t->sum[0]);
	scale_check(mpx_set_estimates(sum_set, t->sum, 2), "mpx_set_estimates");
	if (!(t->sum[0].flags & MPX_EXACT) || t->sum[0].count != truth)
		scale_fail("the process-wide set has %llu of %llu", (unsigned long long)t->sum[0].count,
			   truth);
	/* The set's threads: all short-lived ones, the thread with many sets, and this one. */
	if (t->sum[0].threads != t->made + 2 || t->sum[0].missed)
		scale_fail("the process-wide set has counted in %u of %llu threads", t->sum[0].threads,
			   (unsigned long long)t->made + 2);
	scale_check(mpx_set_destroy(&sum_set), "mpx_set_destroy");
	scale_check(mpx_thread_end(), "mpx_thread_end");
}
