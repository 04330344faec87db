/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slice timers over fork, exec and posix_spawn: no tick ends a child or a new program.
 */
#include <spawn.h>

#include "mpx_timer.h"

extern char **environ;

/* ---- fork, exec ----------------------------------------------------------- */

TEST_OF_EACH(forked)
{
	enum mpxi_timer_kind kind = *(enum mpxi_timer_kind *)*state;
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	const unsigned files = open_files();
	struct mpxi_timer timer;
	struct seen s;
	pid_t pid;

	begin(&s, &timer, timers);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		unsigned long before = atomic_load(&s.ticks);

		alarm(600);
		burn(0.03);
		child_check(atomic_load(&s.ticks) == before);
		mpxi_timer_forget(&timer);
		mpxi_timers_forget(timers);
		child_check(open_files() == files);
		child_check(has_default(signo));
		child_check(!mpxi_timers_create(kind, MS, 0, tick, &timers));
		s.tid = gettid();
		child_check(!mpxi_timer_open(&timer, timers) && !mpxi_timer_arm(&timer));
		child_check(ticks_come(&s, 3));
		mpxi_timer_close(&timer);
		mpxi_timers_destroy(timers);
		_exit(0);
	}
	assert_int_equal(end_of(pid), 0);
	assert_true(ticks_come(&s, 3));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* A child that knows nothing of it keeps the descriptor open. */
TEST_OF_EACH(child_holds_it_open)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;
	unsigned long before;
	struct seen s;
	pid_t pid;

	begin(&s, &timer, timers);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(600);
		for (;;)
			pause();
	}
	assert_true(ticks_come(&s, 2));
	mpxi_timer_close(&timer);
	before = atomic_load(&s.ticks);
	mpxi_timers_destroy(timers);
	burn(0.05);
	assert_int_equal(atomic_load(&s.ticks), before);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void exec_burner(void)
{
	char *const argv[] = {(char *)"mpx_timer_exec", (char *)"burn", NULL};

	execv("/proc/self/exe", argv);
}

static void exec_armed(void *argument)
{
	struct mpxi_timers *timers = argument;
	struct mpxi_timer timer;
	struct seen s;

	begin(&s, &timer, timers);
	child_check(ticks_come(&s, 2));
	if (mpxi_timers_kind(timers) == MPXI_TIMER_VIRTUAL)
		mpxi_timers_pause(timers);
	exec_burner();
	_exit(1);
}

static void exec_pending(void *argument)
{
	struct mpxi_timers *timers = argument;
	const int signo = mpxi_timers_signal(timers);
	struct mpxi_timer timer;
	struct seen s;

	begin(&s, &timer, timers);
	mpxi_timers_pause(timers); /* an exec that fails */
	child_check(execl("/nonexistent", "none", (char *)NULL) < 0);
	mpxi_timers_resume(timers);
	child_check(ticks_come(&s, 2));
	set_blocked(signo, true);
	kill(getpid(), signo);
	pthread_kill(pthread_self(), signo);
	burn(0.02);
	mpxi_timers_pause(timers);
	child_check(!is_pending(signo));
	exec_burner();
	_exit(1);
}

TEST_OF_EACH(execed)
{
	struct mpxi_timers *timers = timers_of(state, MS);

	in_child(exec_armed, timers);
	in_child(exec_pending, timers);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(spawned)
{
	char *const argv[] = {(char *)"mpx_timer_exec", (char *)"burn", NULL};
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;
	struct seen s;
	int status, i;
	pid_t pid;

	begin(&s, &timer, timers);
	for (i = 0; i < 5; i++) {
		assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
		while (waitpid(pid, &status, 0) < 0)
			assert_int_equal(errno, EINTR);
		assert_int_equal(status, 0);
		assert_true(ticks_come(&s, 1));
	}
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

TEST_OF_EACH(closed_on_exec)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;

	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	if (timer.fd >= 0)
		assert_true(fcntl(timer.fd, F_GETFD) & FD_CLOEXEC);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

UNIT_MAIN(mpx_timer_exec)
{
	if (argc == 2 && !strcmp(argv[1], "burn")) {
		sigset_t none;

		sigemptyset(&none);
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		burn(0.05);
		return 0;
	}
	return run_own_tests(NULL, NULL);
}
