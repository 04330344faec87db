/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_timer.h - what the tests of slice timers share: timers of every kind, whose ticks
 * are counted. A tick is waited for by burning CPU time, a minute of it at most.
 */
#ifndef MPX_TIMER_TEST_H
#define MPX_TIMER_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "lib/machine.h"
#include "../unit_test.h"

#include "../../../src/mpx/core/error.h"
#include "../../../src/mpx/ticker/timer.h"

#define MS 1000000u

/* The ticks that one thread's handler has seen. */
struct seen {
	pid_t tid;
	atomic_ulong ticks;
};
static _Thread_local struct seen *seen;
static atomic_ulong astray; /* ticks on a thread that does not count, or another's */

static inline void tick(void *context)
{
	struct seen *mine = seen;

	if (!context || !mine || mine->tid != gettid())
		atomic_fetch_add(&astray, 1);
	else
		atomic_fetch_add(&mine->ticks, 1);
	errno = 4711; /* the handler's to restore, and the program's words to keep */
	(void)mpxi_error(MPXI_EBUG, "something failed in a handler");
}

static inline double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void work(void)
{
	volatile unsigned i;

	for (i = 0; i < 20000; i++)
		;
}

static inline void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		work();
}

/* n more ticks; false after a minute without. */
static inline bool ticks_come(struct seen *s, unsigned long n)
{
	const unsigned long goal = atomic_load(&s->ticks) + n;
	double end = cpu_seconds() + 60;

	while (atomic_load(&s->ticks) < goal) {
		if (cpu_seconds() > end)
			return false;
		work();
	}
	return true;
}

static inline unsigned open_files(void)
{
	unsigned n = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static inline bool blocked(int signo)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, signo);
}

static inline void set_blocked(int signo, bool block)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static inline bool is_pending(int signo)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, signo);
}

static inline bool has_default(int signo)
{
	struct sigaction now;

	sigaction(signo, NULL, &now);
	return now.sa_handler == SIG_DFL;
}

/* A handler of the program's own. */
static inline void others(int signo)
{
	(void)signo;
}

/* Timers of the kind under test, or a skip that says why not. */
static inline struct mpxi_timers *timers_of(void **state, uint64_t slice_ns)
{
	enum mpxi_timer_kind kind = *(enum mpxi_timer_kind *)*state;
	struct mpxi_timers *timers = NULL;
	int error = mpxi_timers_create(kind, slice_ns, 0, tick, &timers);

	if (error == MPXI_ENOSUPP && kind == MPXI_TIMER_TASK_CLOCK && !machine_samples())
		skip_because("%s", mpxi_last_message());
	if (error)
		fail_msg("%d: %s", error, mpxi_last_message());
	if (kind != MPXI_TIMER_AUTO)
		assert_int_equal(mpxi_timers_kind(timers), kind);
	return timers;
}

static inline void begin(struct seen *s, struct mpxi_timer *timer, struct mpxi_timers *timers)
{
	s->tid = gettid();
	atomic_store(&s->ticks, 0);
	seen = s;
	if (mpxi_timer_open(timer, timers) || mpxi_timer_arm(timer))
		fail_msg("%s", mpxi_last_message());
}

/* Runs in a child. */
static inline void in_child(void (*body)(void *), void *argument)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(600);
		body(argument);
		_exit(0);
	}
	assert_int_equal(end_of(pid), 0);
}

#define child_check(condition)                                                  \
	do {                                                                    \
		if (!(condition)) {                                             \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
			_exit(1);                                               \
		}                                                               \
	} while (0)

/* ---- a test of each kind ---------------------------------------------------- */

__attribute__((unused)) static enum mpxi_timer_kind all[] = {MPXI_TIMER_AUTO, MPXI_TIMER_TASK_CLOCK,
							     MPXI_TIMER_THREAD, MPXI_TIMER_VIRTUAL};

#define TEST_OF(name, k)                \
	static void name(void **state); \
	TEST_ALSO_OF(name, k);          \
	static void name(void **state)
#define TEST_ALSO_OF(name, k) UNIT_CASE(name##_##k, #name " [" #k "]", name, NULL, NULL, &all[MPXI_TIMER_##k])
/* A test of all kinds of timers that threads have. */
#define TEST_OF_EACH(name)              \
	static void name(void **state); \
	TEST_ALSO_OF(name, TASK_CLOCK); \
	TEST_ALSO_OF(name, THREAD);     \
	TEST_OF(name, VIRTUAL)

#endif
