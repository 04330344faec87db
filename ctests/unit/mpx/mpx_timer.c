/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slice timers of every kind: ticks on the thread that counts, and threads that end.
 * Their signals, fork and exec, and refusals: mpx_timer_*.c.
 */
#include <sched.h>
#include <sys/wait.h>

#include "mpx_timer.h"

/* ---- ticks ---------------------------------------------------------------- */

struct worker {
	pthread_t thread;
	struct mpxi_timers *timers;
	struct seen seen;
	bool good;
};

static void *count_ticks(void *argument)
{
	struct worker *w = argument;
	struct mpxi_timer timer;

	w->seen.tid = gettid();
	seen = &w->seen;
	if (mpxi_timer_open(&timer, w->timers) || mpxi_timer_arm(&timer))
		return NULL;
	w->good = ticks_come(&w->seen, 3);
	mpxi_timer_disarm(&timer);
	mpxi_timer_close(&timer);
	return NULL;
}

static void in_threads(void **state, unsigned n)
{
	struct worker w[32];
	struct mpxi_timers *timers = timers_of(state, MS);
	const unsigned files = open_files();
	unsigned i;

	memset(w, 0, sizeof(w));
	for (i = 0; i < n; i++) {
		w[i].timers = timers;
		assert_int_equal(pthread_create(&w[i].thread, NULL, count_ticks, &w[i]), 0);
	}
	for (i = 0; i < n; i++) {
		pthread_join(w[i].thread, NULL);
		assert_true(w[i].good);
	}
	assert_int_equal(atomic_load(&astray), 0);
	assert_int_equal(open_files(), files);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(one_thread)
{
	in_threads(state, 1);
}

TEST_OF_EACH(four_threads)
{
	in_threads(state, 4);
}
TEST_ALSO_OF(four_threads, AUTO);

TEST_OF_EACH(many_threads)
{
	in_threads(state, 32);
}

struct sleeper {
	struct worker worker;
	atomic_bool stop;
};

/* Hardly ever runs by itself. */
static void *count_asleep(void *argument)
{
	struct sleeper *r = argument;
	struct mpxi_timer timer;

	r->worker.seen.tid = gettid();
	seen = &r->worker.seen;
	if (mpxi_timer_open(&timer, r->worker.timers))
		return NULL;
	if (mpxi_timer_arm(&timer))
		return NULL;
	while (!atomic_load(&r->stop))
		usleep(300000);
	mpxi_timer_close(&timer);
	return NULL;
}

/* The interval timer's signal comes to who runs, here to a thread that does not count. Until
 * each sleeper has had three ticks. */
TEST_OF(forwarded_to_all, VIRTUAL)
{
	struct sleeper asleep[3];
	struct mpxi_timers *timers = timers_of(state, MS);
	double end = cpu_seconds() + 60;
	unsigned i;

	memset(asleep, 0, sizeof(asleep));
	for (i = 0; i < 3; i++) {
		asleep[i].worker.timers = timers;
		assert_int_equal(pthread_create(&asleep[i].worker.thread, NULL, count_asleep, &asleep[i]), 0);
	}
	for (i = 0; i < 3; i++) {
		struct seen *s = &asleep[i].worker.seen;

		while (atomic_load(&s->ticks) < 3 && cpu_seconds() < end)
			work();
		assert_true(atomic_load(&s->ticks) >= 3);
	}
	for (i = 0; i < 3; i++)
		atomic_store(&asleep[i].stop, true);
	for (i = 0; i < 3; i++) {
		pthread_join(asleep[i].worker.thread, NULL);
	}
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(shortest_and_longest)
{
	struct mpxi_timers *timers = timers_of(state, 100000);
	struct mpxi_timer timer;
	struct seen s;

	begin(&s, &timer, timers);
	assert_true(ticks_come(&s, 20));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);

	timers = timers_of(state, 10000000000u);
	begin(&s, &timer, timers);
	burn(0.05);
	mpxi_timer_close(&timer);
	assert_int_equal(atomic_load(&s.ticks), 0);
	mpxi_timers_destroy(timers);
}

struct short_slices {
	struct mpxi_timers *timers;
	struct seen seen;
	bool good;
};

static void *tick_often(void *argument)
{
	struct short_slices *often = argument;
	struct mpxi_timer timer;

	often->seen.tid = gettid();
	seen = &often->seen;
	if (mpxi_timer_open_for(&timer, often->timers, MS))
		return NULL;
	often->good = !mpxi_timer_arm(&timer) && ticks_come(&often->seen, 20);
	mpxi_timer_close(&timer);
	return NULL;
}

/* By one signal. Twenty of the long ones would take 200 seconds. */
TEST_OF_EACH(two_lengths)
{
	struct mpxi_timers *timers = timers_of(state, 10000000000u);
	struct short_slices often = {.timers = timers};
	struct mpxi_timer timer;
	pthread_t thread;
	struct seen s;

	begin(&s, &timer, timers);
	assert_int_equal(pthread_create(&thread, NULL, tick_often, &often), 0);
	pthread_join(thread, NULL);
	assert_true(often.good);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(disarmed_is_quiet)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;
	unsigned long before;
	struct seen s;

	begin(&s, &timer, timers);
	assert_true(ticks_come(&s, 2));
	mpxi_timer_disarm(&timer);
	mpxi_timer_disarm(&timer);
	before = atomic_load(&s.ticks);
	burn(0.05);
	assert_in_range(atomic_load(&s.ticks), before, before + 1); /* a late one */
	assert_int_equal(mpxi_timer_arm(&timer), 0);
	assert_int_equal(mpxi_timer_arm(&timer), 0);
	assert_true(ticks_come(&s, 2));
	mpxi_timer_close(&timer);
	before = atomic_load(&s.ticks);
	burn(0.05);
	assert_int_equal(atomic_load(&s.ticks), before);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* The core asks for ticks that are overdue when its timer is closed, too. */
TEST_OF_EACH(closed_is_not_mended)
{
	const unsigned files = open_files();
	struct mpxi_timers *timers = timers_of(state, MS);
	int signo = mpxi_timers_signal(timers);
	struct mpxi_timer timer;
	struct seen s;

	set_blocked(signo, true);
	begin(&s, &timer, timers);
	mpxi_timer_close(&timer);
	assert_true(blocked(signo));
	assert_false(mpxi_timer_mend(&timer));
	assert_true(blocked(signo));
	assert_int_equal(open_files(), files);
	set_blocked(signo, false);
	mpxi_timers_destroy(timers);
}

/* ---- what ticks cost ------------------------------------------------------- */

/* ThreadSanitizer delivers signals later, and by handlers of its own. */
#ifndef __SANITIZE_THREAD__

static void slow_tick(void *context)
{
	(void)context;
	burn(0.001);
}

static void send_ticks(int signo, unsigned n)
{
	while (n--)
		assert_int_equal(tgkill(getpid(), gettid(), signo), 0);
}

static void *get_ticks(void *argument)
{
	struct mpxi_timers *timers = argument;
	struct mpxi_timer timer;

	if (mpxi_timer_open(&timer, timers))
		return NULL;
	send_ticks(mpxi_timers_signal(timers), 5 * MPXI_TICK_SAMPLE);
	mpxi_timer_close(&timer);
	return NULL;
}

/* A forked child has not had its parent's ticks. */
static bool child_begins_at_zero(struct mpxi_timer *timer, struct mpxi_timers *timers)
{
	struct mpxi_tick_cost cost;
	int status = 1;
	pid_t child = fork();

	if (!child) {
		mpxi_timer_forget(timer);
		mpxi_timers_forget(timers);
		mpxi_timers_cost(&cost);
		_exit(cost.timed || cost.ns || cost.squares);
	}
	return waitpid(child, &status, 0) == child && !status;
}

TEST_OF_EACH(one_handler_in_many_is_timed)
{
	struct mpxi_timers *timers = timers_of(state, MS), *slow;
	const int signo = mpxi_timers_signal(timers);
	enum mpxi_timer_kind kind = mpxi_timers_kind(timers);
	struct mpxi_tick_cost before, after;
	struct mpxi_timer timer;
	uint64_t start, spent;

	mpxi_timers_destroy(timers);
	assert_int_equal(mpxi_timers_create(kind, MS, signo, slow_tick, &slow), 0);
	assert_int_equal(mpxi_timer_open(&timer, slow), 0);
	mpxi_timers_cost(&before);
	start = mpxi_timer_cpu_sig();
	send_ticks(signo, 5 * MPXI_TICK_SAMPLE);
	spent = mpxi_timer_cpu_sig() - start;
	mpxi_timers_cost(&after);
	assert_int_equal(after.timed - before.timed, 5);
	assert_in_range(after.ns - before.ns, 5 * MS, spent);
	assert_true(after.squares - before.squares >= (after.ns - before.ns) / 5 * MS);
	assert_true(child_begins_at_zero(&timer, slow));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(slow);
}

TEST_OF_EACH(handlers_of_all_threads_are_timed)
{
	struct mpxi_timers *timers = timers_of(state, MS), *slow;
	const int signo = mpxi_timers_signal(timers);
	enum mpxi_timer_kind kind = mpxi_timers_kind(timers);
	struct mpxi_tick_cost before, after;
	pthread_t thread[4];
	unsigned i;

	mpxi_timers_destroy(timers);
	assert_int_equal(mpxi_timers_create(kind, MS, signo, slow_tick, &slow), 0);
	mpxi_timers_cost(&before);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, get_ticks, slow), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	mpxi_timers_cost(&after);
	assert_int_equal(after.timed - before.timed, 4 * 5);
	assert_true(after.ns - before.ns >= 4 * 5 * MS);
	mpxi_timers_destroy(slow);
}

TEST_OF_EACH(signals_are_timed)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	struct sigaction other = {.sa_handler = others}, ours;
	struct mpxi_timer timer;
	struct seen s;

	set_blocked(signo, true);
	assert_true(mpxi_timers_signal_ns(timers) > 0);
	assert_true(blocked(signo));
	assert_false(is_pending(signo));
	set_blocked(signo, false);
	assert_int_equal(sigaction(signo, &other, &ours), 0);
	assert_int_equal(mpxi_timers_signal_ns(timers), 0);
	assert_int_equal(sigaction(signo, &ours, NULL), 0);
	begin(&s, &timer, timers);
	assert_int_equal(mpxi_timers_signal_ns(timers), 0);
	mpxi_timer_close(&timer);
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

#endif

/* Pieces that are shorter than a slice come to a slice. */
TEST_OF(rest_is_kept, TASK_CLOCK)
{
	struct mpxi_timers *timers = timers_of(state, 20 * MS);
	struct mpxi_timer timer;
	unsigned pieces;
	struct seen s;

	begin(&s, &timer, timers);
	for (pieces = 0; pieces < 20000 && !atomic_load(&s.ticks); pieces++) {
		mpxi_timer_disarm(&timer);
		assert_int_equal(mpxi_timer_arm(&timer), 0);
		burn(0.002);
	}
	assert_in_range(atomic_load(&s.ticks), 1, 2);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}
TEST_ALSO_OF(rest_is_kept, THREAD);

TEST_OF_EACH(errno_is_kept)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;
	struct seen s;
	unsigned long first;

	begin(&s, &timer, timers);
	first = atomic_load(&s.ticks);
	errno = 1234;
	assert_true(ticks_come(&s, 10));
	assert_int_equal(errno, 1234);
	assert_true(atomic_load(&s.ticks) > first);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* ---- threads that end ------------------------------------------------------ */

static pthread_key_t at_end;

/* A tick keeps the message that the program is about to read. */
TEST_OF_EACH(words_are_kept)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;
	struct seen s;

	begin(&s, &timer, timers);
	assert_int_equal(mpxi_error(MPXI_EINVAL, "a call has failed"), MPXI_EINVAL);
	assert_true(ticks_come(&s, 3));
	assert_string_equal(mpxi_last_message(), "a call has failed");
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

static void close_at_end(void *argument)
{
	mpxi_timer_close(argument);
}

struct leaver {
	struct mpxi_timers *timers;
	struct mpxi_timer timer;
	struct seen seen;
	bool armed;
};

static void *leave_armed(void *argument)
{
	struct leaver *l = argument;

	l->seen.tid = gettid();
	seen = &l->seen;
	l->armed = !mpxi_timer_open(&l->timer, l->timers) && !mpxi_timer_arm(&l->timer) &&
		   !pthread_setspecific(at_end, &l->timer);
	work();
	return &l->timer;
}

static void leave_many(void **state, unsigned rounds)
{
	struct mpxi_timers *timers = timers_of(state, 100000);
	const unsigned files = open_files();
	struct leaver l[4];
	struct mpxi_timer timer;
	struct seen s;
	unsigned i, k;

	begin(&s, &timer, timers); /* with VIRTUAL this one forwards */
	assert_int_equal(pthread_key_create(&at_end, close_at_end), 0);
	for (i = 0; i < rounds; i++) {
		pthread_t thread[4];

		for (k = 0; k < 4; k++) {
			l[k].timers = timers;
			assert_int_equal(pthread_create(&thread[k], NULL, leave_armed, &l[k]), 0);
		}
		work();
		for (k = 0; k < 4; k++) {
			pthread_join(thread[k], NULL);
			assert_true(l[k].armed);
			assert_false(l[k].timer.open);
		}
	}
	pthread_key_delete(at_end);
	assert_true(ticks_come(&s, 1));
	mpxi_timer_close(&timer);
	assert_int_equal(open_files(), files);
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(threads_leave_armed)
{
	leave_many(state, 250); /* of four */
}

static void *spin(void *argument)
{
	struct leaver *l = argument;
	int type;

	l->seen.tid = gettid();
	seen = &l->seen;
	if (mpxi_timer_open(&l->timer, l->timers) || mpxi_timer_arm(&l->timer))
		return NULL;
	pthread_setspecific(at_end, &l->timer);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	for (;;)
		work();
}

/* Cancelled at any instruction, also while their handler walks over the others. */
TEST_OF_EACH(threads_are_cancelled)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip_because("the sanitizers do not follow a thread cancelled anywhere");
#endif
	struct mpxi_timers *timers = timers_of(state, 100000);
	struct leaver l[3];
	unsigned i, k;

	assert_int_equal(pthread_key_create(&at_end, close_at_end), 0);
	for (i = 0; i < 20; i++) {
		pthread_t thread[3];

		for (k = 0; k < 3; k++) {
			memset(&l[k], 0, sizeof(l[k]));
			l[k].timers = timers;
			assert_int_equal(pthread_create(&thread[k], NULL, spin, &l[k]), 0);
		}
		for (k = 0; k < 3; k++) {
			while (!atomic_load(&l[k].seen.ticks))
				usleep(500);
			pthread_cancel(thread[k]);
		}
		for (k = 0; k < 3; k++)
			pthread_join(thread[k], NULL);
	}
	pthread_key_delete(at_end);
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

UNIT_TESTS(mpx_timer, NULL, NULL)
