/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slice timers that are refused, with a message; and slice timers of an ordinary user, which are not.
 */
#include <grp.h>
#include <sys/time.h>

#include "mpx_timer.h"

#define NOBODY 65534

/* ---- refusals ------------------------------------------------------------- */

static void assert_says(const char *part)
{
	if (!strstr(mpxi_last_message(), part))
		fail_msg("message \"%s\" has no \"%s\"", mpxi_last_message(), part);
}

TEST(bad_arguments)
{
	static const int signals[] = {-1, SIGKILL, SIGSTOP, SIGSEGV, SIGIO, 32, 33, 65, 1 << 30};
	struct mpxi_timers *t = (struct mpxi_timers *)&t;
	size_t i;

	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, 99999, 0, tick, &t), MPXI_EINVAL);
	assert_says("100 us");
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, 10000000001u, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, UINT64_MAX, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(99, MS, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, 0, NULL, &t), MPXI_EINVAL);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, signals[i], tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_VIRTUAL, MS, SIGUSR1, tick, &t), MPXI_EINVAL);
	assert_says("SIGVTALRM");
	assert_ptr_equal(t, &t);
	mpxi_timers_destroy(NULL);
	mpxi_timers_forget(NULL);
}

TEST(taken_signals)
{
	const int first = SIGRTMIN + 6;
	struct mpxi_timers *t, *second;

	signal(first, others);
	signal(first + 1, SIG_IGN);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, first, tick, &t), MPXI_ECNFLCT);
	assert_says("name another");
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, first + 1, tick, &t), MPXI_ECNFLCT);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, 0, tick, &t), 0);
	assert_int_equal(mpxi_timers_signal(t), first + 2);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, 0, tick, &second), 0);
	assert_int_equal(mpxi_timers_signal(second), first + 3);
	mpxi_timers_destroy(t);
	assert_true(has_default(first + 2));
	assert_false(has_default(first + 3));
	mpxi_timers_destroy(second);
	assert_true(has_default(SIGIO));
	signal(first, SIG_DFL);
	signal(first + 1, SIG_DFL);

	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, SIGUSR2, tick, &t), 0);
	assert_int_equal(mpxi_timers_signal(t), SIGUSR2);
	mpxi_timers_destroy(t);
	signal(SIGVTALRM, others);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_VIRTUAL, MS, 0, tick, &t), MPXI_ECNFLCT);
	signal(SIGVTALRM, SIG_DFL);
}

TEST(interval_timer_is_taken)
{
	struct itimerval theirs = {.it_value = {1000, 0}, .it_interval = {7, 0}}, now;
	struct mpxi_timers *t;
	struct mpxi_timer timer;

	setitimer(ITIMER_VIRTUAL, &theirs, NULL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_VIRTUAL, MS, 0, tick, &t), MPXI_ECNFLCT);
	assert_says("ITIMER_VIRTUAL");
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {0, 0}}, NULL);

	assert_int_equal(mpxi_timers_create(MPXI_TIMER_VIRTUAL, MS, 0, tick, &t), 0);
	assert_int_equal(mpxi_timer_open(&timer, t), 0);
	setitimer(ITIMER_VIRTUAL, &theirs, NULL);
	assert_int_equal(mpxi_timer_arm(&timer), MPXI_ECNFLCT);
	assert_false(timer.armed);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
	assert_int_equal(mpxi_timer_arm(&timer), 0);
	setitimer(ITIMER_VIRTUAL, &theirs, NULL); /* over ours */
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(t);
	getitimer(ITIMER_VIRTUAL, &now);
	assert_int_equal(now.it_interval.tv_sec, 7);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
}

TEST_OF_EACH(one_for_a_thread)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer, second;

	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	assert_int_equal(mpxi_timer_open(&second, timers), MPXI_EISRUN);
	mpxi_timer_close(&timer);
	assert_int_equal(mpxi_timer_open(&second, timers), 0);
	mpxi_timer_close(&second);
	mpxi_timers_destroy(timers);
}

TEST(no_descriptor_left)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers = timers_of(&of, MS);
	struct mpxi_timer timer;
	rlim_t old;
	int error;

	old = limit_descriptors(0);
	error = mpxi_timer_open(&timer, timers);
	limit_descriptors(old);
	assert_int_equal(error, MPXI_ESYS);
	assert_says("ulimit -n");
	assert_false(timer.open);
	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* ---- a machine with few timers ----------------------------------------------- */

static int timers_there, timers_max = 1 << 20;

int __real_timer_create(clockid_t clock, struct sigevent *event, timer_t *id);
int __wrap_timer_create(clockid_t clock, struct sigevent *event, timer_t *id);
int __real_timer_delete(timer_t id);
int __wrap_timer_delete(timer_t id);

int __wrap_timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	int error = -1;

	errno = EAGAIN;
	if (timers_there < timers_max)
		error = __real_timer_create(clock, event, id);
	timers_there += !error;
	return error;
}

int __wrap_timer_delete(timer_t id)
{
	timers_there--;
	return __real_timer_delete(id);
}

/* Returns the kind that is chosen where there are no descriptors for perf events. */
static enum mpxi_timer_kind chosen(int max, int signo)
{
	rlim_t old;
	struct mpxi_timers *t = NULL;
	enum mpxi_timer_kind kind = MPXI_TIMER_AUTO;
	int error;

	timers_max = timers_there + max;
	old = limit_descriptors(0);
	error = mpxi_timers_create(MPXI_TIMER_AUTO, MS, signo, tick, &t);
	limit_descriptors(old);
	if (!error) {
		kind = mpxi_timers_kind(t);
		mpxi_timers_destroy(t);
	}
	assert_int_equal(timers_there, timers_max - max);
	timers_max = 1 << 20;
	return kind;
}

TEST(few_timers)
{
	struct itimerval theirs = {.it_value = {1000, 0}, .it_interval = {7, 0}};

	assert_int_equal(chosen(1 << 16, 0), MPXI_TIMER_THREAD);
	assert_int_equal(chosen(32, 0), MPXI_TIMER_VIRTUAL);
	assert_int_equal(chosen(0, 0), MPXI_TIMER_VIRTUAL);
	/* It has one signal, and the program may have that, or the interval timer. */
	assert_int_equal(chosen(32, SIGUSR2), MPXI_TIMER_THREAD);
	signal(SIGVTALRM, others);
	assert_int_equal(chosen(32, 0), MPXI_TIMER_THREAD);
	assert_int_equal(chosen(0, 0), MPXI_TIMER_AUTO);
	assert_says("MPX_TIMER_VIRTUAL");
	signal(SIGVTALRM, SIG_DFL);
	setitimer(ITIMER_VIRTUAL, &theirs, NULL);
	assert_int_equal(chosen(32, 0), MPXI_TIMER_THREAD);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value = {0, 0}}, NULL);
}

/* ---- in a handler ---------------------------------------------------------- */

static unsigned translations;

char *__real_strerror(int error);
char *__wrap_strerror(int error);

/* It takes a lock, and may allocate. */
char *__wrap_strerror(int error)
{
	translations++;
	return __real_strerror(error);
}

/* As where the program has closed or deleted what is ours, and a handler starts a set. */
TEST_OF(cannot_be_armed, TASK_CLOCK)
{
	const enum mpxi_timer_kind kind = *(enum mpxi_timer_kind *)*state;
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;

	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	if (kind == MPXI_TIMER_TASK_CLOCK)
		close(timer.fd);
	else
		timer_delete(timer.id);
	translations = 0;
	assert_int_equal(mpxi_timer_arm(&timer), MPXI_ESYS);
	assert_says(kind == MPXI_TIMER_TASK_CLOCK ? "closed the descriptor" : "Invalid argument");
	assert_int_equal(translations, 0);
	assert_false(timer.armed);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}
TEST_ALSO_OF(cannot_be_armed, THREAD);

/* ---- an ordinary user ------------------------------------------------------ */

static void count_as_user(void *argument)
{
	struct mpxi_timers *timers;
	struct mpxi_timer timer;
	struct seen s;

	(void)argument;
	/* Root becomes an ordinary user first. */
	child_check(geteuid() || (!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY)));
	if (mpxi_timers_create(MPXI_TIMER_TASK_CLOCK, MS, 0, tick, &timers))
		_exit(2);
	begin(&s, &timer, timers);
	child_check(ticks_come(&s, 3));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

TEST(ordinary_user)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int paranoid = 99;

	if (f) {
		if (fscanf(f, "%d", &paranoid) != 1)
			paranoid = 99;
		fclose(f);
	}
	if (paranoid > 2)
		skip_because("perf_event_paranoid is %d: a user may count nothing", paranoid);
	if (!machine_samples())
		skip_because("perf events are forbidden here; see the filter that this runs under");
	in_child(count_as_user, NULL);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
