/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_timer.c - slice timers of every kind: ticks on the thread that counts, everything
 * as it was after it, and nothing that kills: fork, exec, threads that end, signals that
 * come late. A tick is waited for by burning CPU time, a minute of it at most.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "unit_test.h"

#include "../../src/mpx/error.h"
#include "../../src/mpx/timer.h"

#define MS 1000000u
#define NOBODY 65534

extern char **environ;

/* What one thread's handler has seen. */
struct seen {
	pid_t tid;
	atomic_ulong ticks;
};
static _Thread_local struct seen *seen;
static atomic_ulong astray; /* ticks on a thread that does not count, or another's */

static void tick(void *context)
{
	struct seen *mine = seen;

	if (!context || !mine || mine->tid != gettid())
		atomic_fetch_add(&astray, 1);
	else
		atomic_fetch_add(&mine->ticks, 1);
	errno = 4711; /* the handler's to restore */
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(void)
{
	volatile unsigned i;

	for (i = 0; i < 20000; i++)
		;
}

static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		work();
}

/* n more ticks; false after a minute without. */
static bool ticks_come(struct seen *s, unsigned long n)
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

static unsigned open_files(void)
{
	unsigned n = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static bool blocked(int signo)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, signo);
}

static void set_blocked(int signo, bool block)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signo);
	pthread_sigmask(block ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

static bool is_pending(int signo)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, signo);
}

static bool has_default(int signo)
{
	struct sigaction now;

	sigaction(signo, NULL, &now);
	return now.sa_handler == SIG_DFL;
}

/* Timers of the kind under test, or a skip that says why not. */
static struct mpxi_timers *timers_of(void **state, uint64_t slice_ns)
{
	enum mpxi_timer_kind kind = *(enum mpxi_timer_kind *)*state;
	struct mpxi_timers *timers = NULL;
	int error = mpxi_timers_create(kind, slice_ns, 0, tick, &timers);

	if (error == MPXI_ENOSUPP) {
		print_message("# %s\n", mpxi_last_message());
		skip();
	}
	if (error)
		fail_msg("%d: %s", error, mpxi_last_message());
	if (kind != MPXI_TIMER_AUTO)
		assert_int_equal(mpxi_timers_kind(timers), kind);
	return timers;
}

static void begin(struct seen *s, struct mpxi_timer *timer, struct mpxi_timers *timers)
{
	s->tid = gettid();
	atomic_store(&s->ticks, 0);
	seen = s;
	if (mpxi_timer_open(timer, timers) || mpxi_timer_arm(timer))
		fail_msg("%s", mpxi_last_message());
}

/* Runs in a child; a signal that kills it fails the test, with its number. */
static void in_child(void (*body)(void *), void *argument)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		alarm(120);
		body(argument);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("the child died of signal %d", WTERMSIG(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

#define child_check(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

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

static void one_thread(void **state)
{
	in_threads(state, 1);
}

static void four_threads(void **state)
{
	in_threads(state, 4);
}

static void many_threads(void **state)
{
	in_threads(state, 32);
}

struct sleeper {
	struct worker worker;
	atomic_bool stop;
};

static void *count_asleep(void *argument)
{
	struct sleeper *r = argument;
	struct mpxi_timer timer;

	r->worker.seen.tid = gettid();
	seen = &r->worker.seen;
	if (mpxi_timer_open(&timer, r->worker.timers) || mpxi_timer_arm(&timer))
		return NULL;
	while (!atomic_load(&r->stop)) /* hardly ever runs by itself */
		usleep(300000);
	mpxi_timer_close(&timer);
	return NULL;
}

/* The interval timer's signal comes to who runs, here to a thread that does not count. */
static void forwarded_to_all(void **state)
{
	struct sleeper asleep[3];
	struct mpxi_timers *timers = timers_of(state, MS);
	double end = cpu_seconds() + 60;
	unsigned i;

	memset(asleep, 0, sizeof(asleep));
	for (i = 0; i < 3; i++) {
		asleep[i].worker.timers = timers;
		assert_int_equal(pthread_create(&asleep[i].worker.thread, NULL, count_asleep,
						&asleep[i]), 0);
	}
	for (i = 0; i < 3; i++) {
		while (atomic_load(&asleep[i].worker.seen.ticks) < 3 && cpu_seconds() < end)
			work();
		assert_true(atomic_load(&asleep[i].worker.seen.ticks) >= 3);
	}
	for (i = 0; i < 3; i++)
		atomic_store(&asleep[i].stop, true);
	for (i = 0; i < 3; i++)
		pthread_join(asleep[i].worker.thread, NULL);
	assert_int_equal(atomic_load(&astray), 0);
	mpxi_timers_destroy(timers);
}

static void shortest_and_longest(void **state)
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

static void disarmed_is_quiet(void **state)
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

/* Pieces that are shorter than a slice come to a slice. */
static void rest_is_kept(void **state)
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

static void errno_is_kept(void **state)
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

/* ---- signals -------------------------------------------------------------- */

static void masks_are_restored(void **state)
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

static void handler_is_restored(void **state)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);

	assert_false(has_default(signo));
	mpxi_timers_destroy(timers);
	assert_true(has_default(signo));
	assert_true(has_default(SIGIO));
}

static void others(int signo)
{
	(void)signo;
}

static void later_handler_stays(void **state)
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
static void pending_is_taken(void **state)
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

/* Of a thread that has no timer. */
static void pending_elsewhere(void **state)
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

static void stray_is_nothing(void **state)
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

static void calls_are_restarted(void **state)
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

/* ---- fork, exec ----------------------------------------------------------- */

static void forked(void **state)
{
	enum mpxi_timer_kind kind = *(enum mpxi_timer_kind *)*state;
	struct mpxi_timers *timers = timers_of(state, MS);
	const int signo = mpxi_timers_signal(timers);
	const unsigned files = open_files();
	struct mpxi_timer timer;
	struct seen s;
	int status;
	pid_t pid;

	begin(&s, &timer, timers);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		unsigned long before = atomic_load(&s.ticks);

		alarm(120);
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
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(ticks_come(&s, 3));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* A child that knows nothing of it keeps the descriptor open. */
static void child_holds_it_open(void **state)
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
		alarm(120);
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
	char *const argv[] = {(char *)"mpx_timer", (char *)"burn", NULL};

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

static void execed(void **state)
{
	struct mpxi_timers *timers = timers_of(state, MS);

	in_child(exec_armed, timers);
	in_child(exec_pending, timers);
	mpxi_timers_destroy(timers);
}

static void spawned(void **state)
{
	char *const argv[] = {(char *)"mpx_timer", (char *)"burn", NULL};
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

static void closed_on_exec(void **state)
{
	struct mpxi_timers *timers = timers_of(state, MS);
	struct mpxi_timer timer;

	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	if (timer.fd >= 0)
		assert_true(fcntl(timer.fd, F_GETFD) & FD_CLOEXEC);
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

/* ---- threads that end ------------------------------------------------------ */

static pthread_key_t at_end;

static void close_at_end(void *argument)
{
	mpxi_timer_close(argument);
}

struct leaver {
	struct mpxi_timers *timers;
	struct mpxi_timer timer;
	struct seen seen;
};

static void *leave_armed(void *argument)
{
	struct leaver *l = argument;

	l->seen.tid = gettid();
	seen = &l->seen;
	if (!mpxi_timer_open(&l->timer, l->timers) && !mpxi_timer_arm(&l->timer))
		pthread_setspecific(at_end, &l->timer);
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

static void threads_leave_armed(void **state)
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
static void threads_are_cancelled(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	print_message("# the sanitizers do not follow a thread cancelled anywhere\n");
	skip();
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

/* ---- refusals ------------------------------------------------------------- */

static void assert_says(const char *part)
{
	if (!strstr(mpxi_last_message(), part))
		fail_msg("message \"%s\" has no \"%s\"", mpxi_last_message(), part);
}

static void bad_arguments(void **state)
{
	static const int signals[] = {-1, SIGKILL, SIGSTOP, SIGSEGV, SIGIO, 32, 33, 65, 1 << 30};
	struct mpxi_timers *t = (struct mpxi_timers *)&t;
	size_t i;

	(void)state;
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, 99999, 0, tick, &t), MPXI_EINVAL);
	assert_says("100 us");
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, 10000000001u, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, UINT64_MAX, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(99, MS, 0, tick, &t), MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, 0, NULL, &t), MPXI_EINVAL);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		assert_int_equal(mpxi_timers_create(MPXI_TIMER_AUTO, MS, signals[i], tick, &t),
				 MPXI_EINVAL);
	assert_int_equal(mpxi_timers_create(MPXI_TIMER_VIRTUAL, MS, SIGUSR1, tick, &t), MPXI_EINVAL);
	assert_says("SIGVTALRM");
	assert_ptr_equal(t, &t);
	mpxi_timers_destroy(NULL);
	mpxi_timers_forget(NULL);
}

static void taken_signals(void **state)
{
	const int first = SIGRTMIN + 6;
	struct mpxi_timers *t, *second;

	(void)state;
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

static void interval_timer_is_taken(void **state)
{
	struct itimerval theirs = {.it_value = {1000, 0}, .it_interval = {7, 0}}, now;
	struct mpxi_timers *t;
	struct mpxi_timer timer;

	(void)state;
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

static void one_for_a_thread(void **state)
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

static void no_descriptor_left(void **state)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers = timers_of(&of, MS);
	struct mpxi_timer timer;
	struct rlimit old, none;
	int error;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	error = mpxi_timer_open(&timer, timers);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(error, MPXI_ESYS);
	assert_says("ulimit -n");
	assert_false(timer.open);
	assert_int_equal(mpxi_timer_open(&timer, timers), 0);
	mpxi_timer_close(&timer);
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

static void full_queue(void **state)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers = timers_of(&of, MS);

	(void)state;
	in_child(queue_is_full, timers);
	mpxi_timers_destroy(timers);
}

static void sigio_of_the_program(void **state)
{
	enum mpxi_timer_kind kind = MPXI_TIMER_TASK_CLOCK;
	void *of = &kind;
	struct mpxi_timers *timers;
	struct sigaction now;

	(void)state;
	signal(SIGIO, others);
	timers = timers_of(&of, MS);
	sigaction(SIGIO, NULL, &now);
	assert_ptr_equal(now.sa_handler, others);
	mpxi_timers_destroy(timers);
	sigaction(SIGIO, NULL, &now);
	assert_ptr_equal(now.sa_handler, others);
	signal(SIGIO, SIG_DFL);
}

/* ---- an ordinary user ------------------------------------------------------ */

static void count_as_user(void *argument)
{
	struct mpxi_timers *timers;
	struct mpxi_timer timer;
	struct seen s;

	(void)argument;
	child_check(!setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY));
	if (mpxi_timers_create(MPXI_TIMER_TASK_CLOCK, MS, 0, tick, &timers))
		_exit(2);
	begin(&s, &timer, timers);
	child_check(ticks_come(&s, 3));
	mpxi_timer_close(&timer);
	mpxi_timers_destroy(timers);
}

static void ordinary_user(void **state)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int paranoid = 99;

	(void)state;
	if (f) {
		if (fscanf(f, "%d", &paranoid) != 1)
			paranoid = 99;
		fclose(f);
	}
	if (paranoid > 2 || geteuid()) {
		print_message("# needs root to become another user, and "
			      "perf_event_paranoid of 2 or less\n");
		skip();
	}
	in_child(count_as_user, NULL);
}

static enum mpxi_timer_kind all[] = {MPXI_TIMER_AUTO, MPXI_TIMER_TASK_CLOCK, MPXI_TIMER_THREAD,
				     MPXI_TIMER_VIRTUAL};

#define case_of(test, k) {#test " [" #k "]", test, NULL, NULL, &all[MPXI_TIMER_##k]}
#define each(test) case_of(test, TASK_CLOCK), case_of(test, THREAD), case_of(test, VIRTUAL)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		case_of(four_threads, AUTO),
		each(one_thread),
		each(four_threads),
		each(many_threads),
		case_of(forwarded_to_all, VIRTUAL),
		each(shortest_and_longest),
		each(disarmed_is_quiet),
		case_of(rest_is_kept, TASK_CLOCK),
		case_of(rest_is_kept, THREAD),
		each(errno_is_kept),
		each(masks_are_restored),
		each(handler_is_restored),
		each(later_handler_stays),
		each(pending_is_taken),
		each(pending_elsewhere),
		each(stray_is_nothing),
		each(calls_are_restarted),
		each(forked),
		each(child_holds_it_open),
		each(execed),
		each(spawned),
		each(closed_on_exec),
		each(threads_leave_armed),
		each(threads_are_cancelled),
		each(one_for_a_thread),
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(taken_signals),
		cmocka_unit_test(interval_timer_is_taken),
		cmocka_unit_test(no_descriptor_left),
		cmocka_unit_test(full_queue),
		cmocka_unit_test(sigio_of_the_program),
		cmocka_unit_test(ordinary_user),
	};

	if (argc == 2 && !strcmp(argv[1], "burn")) {
		sigset_t none;

		sigemptyset(&none);
		pthread_sigmask(SIG_SETMASK, &none, NULL);
		burn(0.05);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
