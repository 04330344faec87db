/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signals of slice timers: everything as it was after them, and nothing that kills:
 * signals that come late, to others, or in place of one that did not fit the queue.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "mpx_timer.h"
#include "../../../src/mpx/ticker/timer_attached.h"

/* ---- signals -------------------------------------------------------------- */

TEST_OF_EACH(masks_are_restored)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	struct mpxi_timer timer;
	struct seen s;

	assert_false(blocked(signo));
	begin(&s, &timer, timers);
	mpxi_timer_close(&timer);
	assert_false(blocked(signo));

	set_blocked(signo, true);
	begin(&s, &timer, timers);
	assert_false(blocked(signo));
	assert_true(ticks_come(&s, 1));
	mpxi_timer_close(&timer);
	assert_true(blocked(signo));
	set_blocked(signo, false);

	begin(&s, &timer, timers); /* the program blocks it later */
	set_blocked(signo, true);
	mpxi_timer_close(&timer);
	assert_true(blocked(signo));
	set_blocked(signo, false);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(handler_is_restored)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);

	assert_false(has_default(signo));
	mpxi_timers_destroy(timers);
	assert_true(has_default(signo));
	assert_true(has_default(SIGIO));
}

TEST_OF_EACH(later_handler_stays)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	struct sigaction now;

	signal(signo, others);
	mpxi_timers_destroy(timers);
	sigaction(signo, NULL, &now);
	assert_ptr_equal(now.sa_handler, others);
	signal(signo, SIG_DFL);
}

/* A tick and one sent by hand wait when the timer is closed; the default action of
 * each would kill. */
TEST_OF_EACH(pending_is_taken)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	struct mpxi_timer timer;
	double end = cpu_seconds() + 60;
	struct seen s;

	begin(&s, &timer, timers);
	set_blocked(signo, true);
	while (!is_pending(signo) && cpu_seconds() < end)
		work();
	assert_true(is_pending(signo));
	pthread_kill(pthread_self(), signo);
	mpxi_timer_close(&timer);
	/* The process's own signal is for all threads, until destroy. */
	if (mpxi_timers_kind(timers) != MPXI_TIMER_VIRTUAL)
		assert_false(is_pending(signo));
	mpxi_timers_destroy(timers);
	assert_false(is_pending(signo));
	assert_true(has_default(signo));
	set_blocked(signo, false);
}

static void *wait_blocked(void *argument)
{
	atomic_int *phase = argument;

	set_blocked(atomic_load(phase), true);
	pthread_kill(pthread_self(), atomic_load(phase));
	atomic_store(phase, -atomic_load(phase));
	while (atomic_load(phase) < 0)
		usleep(1000);
	set_blocked(atomic_load(phase), false);
	return NULL;
}

/* A signal is pending on a thread that has no timer. */
TEST_OF_EACH(pending_elsewhere)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	atomic_int phase = signo;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, wait_blocked, &phase), 0);
	while (atomic_load(&phase) > 0)
		usleep(1000);
	mpxi_timers_destroy(timers);
	atomic_store(&phase, signo);
	pthread_join(thread, NULL);
}

TEST_OF_EACH(stray_is_nothing)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);

	seen = NULL;
	kill(getpid(), signo);
	pthread_kill(pthread_self(), signo);
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

struct reader {
	struct mpxi_timers *timers;
	int fd;
	atomic_bool ready;
	ssize_t got;
	struct seen seen;
};

static void *read_one(void *argument)
{
	struct reader *r = argument;
	struct mpxi_timer timer;
	char c;

	r->seen.tid = gettid();
	seen = &r->seen;
	if (mpxi_timer_open(&timer, r->timers))
		return NULL;
	atomic_store(&r->ready, true);
	r->got = read(r->fd, &c, 1);
	mpxi_timer_close(&timer);
	return NULL;
}

TEST_OF_EACH(calls_are_restarted)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct reader r = {.timers = timers};
	pthread_t thread;
	int fds[2], i;

	assert_int_equal(pipe(fds), 0);
	r.fd = fds[0];
	assert_int_equal(pthread_create(&thread, NULL, read_one, &r), 0);
	while (!atomic_load(&r.ready))
		usleep(100);
	for (i = 0; i < 20; i++) {
		usleep(1000);
		pthread_kill(thread, mpxi_timers_signal(timers));
	}
	assert_int_equal(write(fds[1], "x", 1), 1);
	pthread_join(thread, NULL);
	assert_int_equal(r.got, 1);
	assert_true(atomic_load(&r.seen.ticks) > 0);
	close(fds[0]);
	close(fds[1]);
	mpxi_timers_destroy(timers);
}

/* ---- overflow of the signal queue ------------------------------------------ */

static void queue_is_full(void *argument)
{
	struct mpxi_timers *timers = argument;
	struct mpxi_timer timer;
	double end;
	struct seen s;

	child_check(!setrlimit(RLIMIT_SIGPENDING, &(struct rlimit){0, 0}));
	begin(&s, &timer, timers);
	child_check(ticks_come(&s, 3));
	/* One of the timer's waits, and one of the program's own. */
	set_blocked(SIGIO, true);
	for (end = cpu_seconds() + 60; !is_pending(SIGIO) && cpu_seconds() < end;)
		work();
	child_check(is_pending(SIGIO));
	mpxi_timer_disarm(&timer);
	kill(getpid(), SIGIO);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
	child_check(is_pending(SIGIO));
	child_check(has_default(SIGIO));
	{
		const struct timespec now = {0, 0};
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGIO);
		child_check(sigtimedwait(&set, NULL, &now) == SIGIO);
	}
	child_check(!is_pending(SIGIO));
	set_blocked(SIGIO, false);
}

TEST(full_queue)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers = timers_of(&of, MS);

	in_child(queue_is_full, timers);
	mpxi_timers_destroy(timers);
}

TEST(sigio_of_the_program)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers;
	struct sigaction now;

	signal(SIGIO, others);
	timers = timers_of(&of, MS);
	sigaction(SIGIO, NULL, &now);
	assert_ptr_equal(now.sa_handler, others);
	mpxi_timers_destroy(timers);
	sigaction(SIGIO, NULL, &now);
	assert_ptr_equal(now.sa_handler, others);
	signal(SIGIO, SIG_DFL);
}

/* By who had it before the timers came. */
TEST(sigio_is_let_go)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers;
	struct mpxi_timer timer;
	struct seen s;

	signal(SIGIO, others);
	timers = timers_of(&of, MS);
	signal(SIGIO, SIG_DFL);
	begin(&s, &timer, timers);
	assert_false(has_default(SIGIO));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
	assert_true(has_default(SIGIO));
}

/* ---- another process's slices ----------------------------------------------- */

static void count_tick(void *ticks, void *context)
{
	(void)context;
	atomic_fetch_add((atomic_ulong *)ticks, 1);
}

static bool more_come(atomic_ulong *ticks, unsigned long n)
{
	const unsigned long goal = atomic_load(ticks) + n;
	unsigned i;

	for (i = 0; i < 60000 && atomic_load(ticks) < goal; i++)
		usleep(1000);
	return atomic_load(ticks) >= goal;
}

/* Takes the signals that wait 50 ms after the first one; their number. */
static unsigned take_signals(int signo)
{
	const struct timespec now = {0, 0};
	unsigned n = 0, i;
	sigset_t set;

	for (i = 0; i < 60000 && !is_pending(signo); i++)
		usleep(1000);
	usleep(50000);
	sigemptyset(&set);
	sigaddset(&set, signo);
	while (sigtimedwait(&set, NULL, &now) >= 0)
		n++;
	return n;
}

static pid_t begin_work(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			work();
	}
	return child;
}

/* However often it is stopped and mended without need, one signal waits at most; and one that was taken
 * away is made up for. */
TEST(attached_is_mended)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers = timers_of(&of, MS);
	const int signo = mpxi_timers_signal(timers);
	struct mpxi_timer own;
	atomic_ulong ticks = 0;
	struct mpxi_attached timer = {.own = &own, .tick_sig = count_tick, .arg = &ticks};
	unsigned i;

	timer.tid = begin_work();
	assert_true(timer.tid > 0);
	assert_int_equal(mpxi_timer_open(&own, timers), 0);
	assert_int_equal(mpxi_attached_open(&timer, MS), 0);
	assert_int_equal(mpxi_attached_arm(&timer), 0);
	for (i = 0; i < 20; i++) {
		assert_true(more_come(&ticks, 2));
		assert_false(mpxi_attached_mend(&timer));
		mpxi_attached_disarm(&timer);
		assert_int_equal(mpxi_attached_arm(&timer), 0);
	}
	set_blocked(signo, true);
	assert_int_equal(take_signals(signo), 1);
	set_blocked(signo, false);
	(void)mpxi_attached_mend(&timer);
	assert_true(more_come(&ticks, 5));
	mpxi_attached_close(&timer);
	mpxi_timer_close(&own);
	mpxi_timers_destroy(timers);
	kill(timer.tid, SIGKILL);
	assert_int_equal(waitpid(timer.tid, NULL, 0), timer.tid);
}

UNIT_TESTS(mpx_timer_signal, NULL, NULL)
