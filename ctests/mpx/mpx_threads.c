/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_threads - libmpx with threads: sets of many threads at once, on one CPU and on
 * several; process-wide sets over threads that come, go, sleep, do not answer; the end
 * of threads in every order; fork; and that nothing is lost or leaked.
 */
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "mpx_util.h"

#define MANY 32

/* A thread that works in steps. */
struct worker {
	pthread_t thread;
	long n;
	int cpu; /* -1: any */
	int set, right;
	long long value[2];
};

static atomic_int over, arrived;

static void pause_ms(long ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* A barrier of sleeps: a sanitizer delivers signals in sleeps, and not in the C library's barrier. */
static atomic_uint met;
static unsigned party;

static void invite(unsigned n)
{
	party = n;
	atomic_store(&met, 0);
}

static void meet(void)
{
	unsigned all = (atomic_fetch_add(&met, 1) / party + 1) * party;

	while (atomic_load(&met) < all)
		pause_ms(1);
}

static unsigned registered(void)
{
	struct mpx_library_info info = MPX_OPTIONS_INIT(mpx_library_info);

	return mpx_library_get_info(&info) == PAPI_OK ? info.threads : 0;
}

static void move_to(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned)cpu, &cpus);
	(void)sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* Waits for the thread's end; returns whether all was right with it. */
static int join(const struct worker *w)
{
	pthread_join(w->thread, NULL);
	return w->right;
}

/* ---- each thread its own sets ---------------------------------------------------------- */

/* Two sets that overlap, with the same events. */
static void *count_own(void *argument)
{
	struct worker *w = argument;
	long long value[2] = {0, 0};
	int inner;

	if (w->cpu >= 0)
		move_to(w->cpu);
	w->set = both(0);
	inner = both(0);
	meet();
	w->right = mpx_set_start(w->set) == PAPI_OK;
	work(w->n);
	w->right &= mpx_set_start(inner) == PAPI_OK;
	work(w->n);
	w->right &= mpx_set_stop(w->set, w->value) == PAPI_OK;
	work(w->n);
	w->right &= mpx_set_stop(inner, value) == PAPI_OK;
	w->right &= near(w->value[0], 2 * w->n) && near(value[0], 2 * w->n) && near(value[1], 2 * w->n);
	meet();
	return NULL; /* with its sets */
}

static void own_sets(int n, int cpus)
{
	struct worker w[MANY];
	int i, right = 1;

	invite((unsigned)n);
	for (i = 0; i < n; i++) {
		w[i] = (struct worker){.n = 100 + 10 * i, .cpu = cpus ? i % cpus : -1};
		pthread_create(&w[i].thread, NULL, count_own, &w[i]);
	}
	for (i = 0; i < n; i++) {
		right &= join(&w[i]);
		if (!w[i].right)
			note("thread %d: %lld of %ld", i, w[i].value[0], 2 * w[i].n);
	}
	ok(right, "%d threads on %s count their own overlapping sets", n,
	   cpus == 1 ? "one CPU"
	   : cpus    ? "several CPUs"
		     : "any CPU");
	ok(registered() == 0, "their state has gone with them");
}

static void *use_foreign(void *argument)
{
	struct worker *w = argument;
	long long value[2];
	int copy = w->set, n = 0, state;

	refuses(PAPI_EPERM, mpx_set_start(w->set));
	refuses(PAPI_EPERM, mpx_set_stop(w->set, value));
	refuses(PAPI_EPERM, mpx_set_read(w->set, value));
	refuses(PAPI_EPERM, mpx_set_accum(w->set, value));
	refuses(PAPI_EPERM, mpx_set_reset(w->set));
	refuses(PAPI_EPERM, mpx_set_destroy(&copy));
	refuses(PAPI_EPERM, mpx_set_add_event(w->set, 1));
	refuses(PAPI_EPERM, mpx_set_add_named_event(w->set, FAULTS));
	refuses(PAPI_EPERM, mpx_set_remove_event(w->set, 1));
	refuses(PAPI_EPERM, mpx_set_remove_named_event(w->set, FAULTS));
	refuses(PAPI_EPERM, mpx_set_list_events(w->set, NULL, &n));
	refuses(PAPI_EPERM, mpx_set_state(w->set, &state));
	refuses(PAPI_EPERM, mpx_set_estimates(w->set, NULL, 0));
	ok(copy == w->set, "the number is as it was");
	return NULL;
}

static void foreign_sets(void)
{
	struct worker w = {.set = both(0)};
	long long value[2];

	works(mpx_set_start(w.set));
	work(100);
	pthread_create(&w.thread, NULL, use_foreign, &w);
	pthread_join(w.thread, NULL);
	works(mpx_set_stop(w.set, value));
	ok(near(value[0], 100), "its owner's set is untouched: %lld", value[0]);
	works(mpx_set_destroy(&w.set));
}

/* ---- sets over all threads --------------------------------------------------------------- */

/* Makes n of both events evenly, so that any slice has its part of them: work makes its page faults
 * last. The loop takes as much time as the kernel does, or there would be few slices. */
__attribute__((no_sanitize("address", "thread"))) static void work_evenly(long n)
{
	const long most = event_slack > 1 ? 10000 : 2000;
	long i, k;

	for (i = 0; i < n; i++) {
		if (event_slack > 1)
			touch_pages(1);
		else
			syscall(SYS_getppid);
		for (k = 0; k < most; k++)
			__asm__ volatile("" : : "r"(k) : "memory");
	}
}

/* Registers, does n of the work when the set has started, and again when the set was read. */
static void *take_part(void *argument)
{
	struct worker *w = argument;

	w->right = mpx_thread_register() == PAPI_OK;
	meet(); /* the set starts */
	meet();
	work_evenly(w->n);
	meet(); /* it is read */
	meet();
	work_evenly(w->n);
	return NULL;
}

static void *pass_by(void *argument)
{
	struct worker *w = argument;

	w->right = mpx_thread_register() == PAPI_OK;
	work_evenly(w->n);
	return NULL;
}

static void process_wide(int n)
{
	struct worker w[MANY], guest = {.n = 77};
	int set = both(1), right, i;
	long long value[2], sum = 0;
	struct mpx_estimate e;

	invite((unsigned)n + 1);
	for (i = 0; i < n; i++) {
		w[i] = (struct worker){.n = 100 + 10 * i};
		sum += w[i].n;
		pthread_create(&w[i].thread, NULL, take_part, &w[i]);
	}
	meet();
	works(mpx_set_start(set));
	work(50);
	meet();
	meet();
	works(mpx_set_read(set, value));
	ok(near(value[0] - (event_slack > 1 ? 20 * n : 0), sum + 50) || near(value[0], sum + 50),
	   "%d threads and this one: %lld of %lld", n, value[0], sum + 50);
	e = estimate_of(set, 1);
	ok(e.threads == (unsigned)n + 1 && e.missed == 0 && e.flags == MPX_EXACT,
	   "all counted, exact: %u threads, %u missed, flags %x", e.threads, e.missed, e.flags);
	pthread_create(&guest.thread, NULL, pass_by, &guest);
	right = join(&guest);
	meet();
	for (i = 0; i < n; i++)
		right &= join(&w[i]);
	ok(right, "they were registered");
	works(mpx_set_stop(set, value));
	sum = 2 * sum + 50 + guest.n;
	ok(value[0] >= sum - n - 2 && value[0] <= sum + event_slack * (2 * n + 3),
	   "with one that came and went, and all ended: %lld of %lld", value[0], sum);
	e = estimate_of(set, 0);
	ok(e.threads == (unsigned)n + 2 && e.missed == 0 && e.flags == MPX_EXACT,
	   "their counts have stayed: %u threads, %u missed, flags %x", e.threads, e.missed, e.flags);
	works(mpx_set_start(set));
	work(10);
	works(mpx_set_stop(set, value));
	ok(near(value[0], 10), "the next start knows nothing of them: %lld", value[0]);
	works(mpx_set_destroy(&set));
}

/* Registers before the set exists: the thread has a part in the set from its next call of MPX on. */
static void *come_late(void *argument)
{
	struct worker *w = argument;
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);

	w->right = mpx_thread_register() == PAPI_OK;
	meet();
	meet(); /* there is a set, and it runs */
	work(w->n);
	meet(); /* it is read */
	meet();
	w->right &= mpx_thread_get_info(&info) == PAPI_OK;
	work(w->n);
	meet(); /* it is read, reset, accumulated, and started again */
	meet();
	work(w->n);
	meet();
	return NULL;
}

static void late_thread(void)
{
	struct worker w = {.n = 500};
	long long value[2], sum[2] = {0, 0};
	struct mpx_estimate e;
	int set;

	invite(2);
	pthread_create(&w.thread, NULL, come_late, &w);
	meet();
	set = both(1);
	works(mpx_set_start(set));
	meet();
	meet();
	e = estimate_of(set, 0);
	ok(e.threads == 1 && e.missed == 1 && e.flags & MPX_PARTIAL && near(e.value, 0),
	   "a thread that has not come by is missed, and said to be: %lld", e.value);
	meet();
	meet();
	e = estimate_of(set, 0);
	ok(e.threads == 2 && e.missed == 0 && e.flags & MPX_PARTIAL && near(e.value, 500),
	   "it is counted from then on: %lld", e.value);
	works(mpx_set_accum(set, sum));
	ok(near(sum[0], 500), "accum over threads: %lld", sum[0]);
	works(mpx_set_read(set, value));
	ok(near(value[0], 0), "is a reset in all: %lld", value[0]);
	works(mpx_set_reset(set));
	works(mpx_set_stop(set, NULL));
	works(mpx_set_start(set));
	meet();
	meet();
	works(mpx_set_stop(set, value));
	e = estimate_of(set, 0);
	ok(near(value[0], 500) && e.threads == 2 && e.missed == 0 && !(e.flags & MPX_PARTIAL),
	   "and in the next run from its start on: %lld", value[0]);
	ok(join(&w), "it was registered");
	works(mpx_set_destroy(&set));
}

static void *come_never(void *arg)
{
	struct worker *w = arg;

	w->right = mpx_thread_register() == PAPI_OK;
	meet();
	meet(); /* the set runs */
	work(w->n);
	return NULL;
}

/* The counts of a thread that the set has missed are lost, and the set stays partial when the
 * thread has ended. */
static void missed_thread(void)
{
	struct worker w = {.n = 500};
	struct mpx_estimate e;
	int set;

	invite(2);
	pthread_create(&w.thread, NULL, come_never, &w);
	meet();
	set = both(1);
	works(mpx_set_start(set));
	meet();
	pthread_join(w.thread, NULL);
	e = estimate_of(set, 0);
	ok(w.right && e.threads == 1 && e.missed == 0 && e.flags & MPX_PARTIAL,
	   "a thread that was missed and has ended: %u threads, flags %x", e.threads, e.flags);
	works(mpx_set_stop(set, NULL));
	works(mpx_set_start(set));
	e = estimate_of(set, 0);
	ok(!(e.flags & MPX_PARTIAL), "the next run knows nothing of it: flags %x", e.flags);
	works(mpx_set_stop(set, NULL));
	works(mpx_set_destroy(&set));
}

/* Threads that are hard to reach: one blocks the signal, one is in PAPI often, one sleeps,
 * one calls MPX without a pause. */
static void *block(void *argument)
{
	struct worker *w = argument;
	sigset_t all, before;

	w->right = mpx_thread_register() == PAPI_OK;
	sigfillset(&all);
	meet();
	meet(); /* the set has started */
	work(w->n);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	meet();
	meet(); /* it was read in vain */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	meet();
	meet();
	return NULL;
}

static void blocked_signal(void)
{
	struct worker w = {.n = 300};
	int set = both(1), state;
	struct mpx_estimate e;
	long long value[2];

	invite(2);
	pthread_create(&w.thread, NULL, block, &w);
	meet();
	works(mpx_set_start(set));
	meet();
	meet();
	value[0] = -7;
	refuses(PAPI_ESYS, mpx_set_read(set, value));
	ok(near(value[0], 0), "of a thread that does not answer what it answered last: %lld", value[0]);
	ok(mpx_set_state(set, &state) == PAPI_OK && state == PAPI_RUNNING, "the set runs on");
	meet();
	meet();
	works(mpx_set_read(set, value));
	ok(near(value[0], 300), "later it answers, and nothing is lost: %lld", value[0]);
	e = estimate_of(set, 0);
	ok(e.flags & MPX_PARTIAL && e.missed == 0, "the set remembers that it did not");
	works(mpx_set_stop(set, value));
	meet();
	ok(join(&w), "it was registered");
	works(mpx_set_destroy(&set));
}

static void *busy_in_papi(void *argument)
{
	struct worker *w = argument;
	int set;

	w->right = mpx_thread_register() == PAPI_OK;
	arrived++;
	while (!over) {
		set = set_with(FAULTS);
		w->right &= set != PAPI_NULL;
		drop(&set);
		work(1000); /* a thread that never leaves PAPI is not reached at all */
	}
	return NULL;
}

static void *sleep_long(void *argument)
{
	struct worker *w = argument;

	w->right = mpx_thread_register() == PAPI_OK;
	arrived++;
	while (!over)
		pause_ms(1000);
	return NULL;
}

static void *busy_in_mpx(void *argument)
{
	struct worker *w = argument;
	long long value[2];
	int set;

	w->right = mpx_thread_register() == PAPI_OK;
	arrived++;
	while (!over) {
		set = both(0);
		w->right &= mpx_set_start(set) == PAPI_OK;
		w->right &= mpx_set_stop(set, value) == PAPI_OK;
		w->right &= mpx_set_destroy(&set) == PAPI_OK;
	}
	return NULL;
}

/* Reads until all threads have answered: on a busy machine a thread may not run for a second. */
static int read_all(int set, long long value[2])
{
	int error;

	do
		error = mpx_set_read(set, value);
	while (error == PAPI_ESYS);
	return error == PAPI_OK;
}

/* Reads a process-wide set of its own: two threads make requests to each other. */
static void *busy_asking(void *argument)
{
	struct worker *w = argument;
	long long value[2], last = MPX_NEVER;
	int set = both(1);

	w->right = mpx_set_start(set) == PAPI_OK;
	arrived++;
	while (!over) {
		w->right &= read_all(set, value) && value[0] >= last;
		last = value[0];
	}
	w->right &= mpx_set_stop(set, value) == PAPI_OK;
	w->right &= mpx_set_destroy(&set) == PAPI_OK;
	return NULL;
}

static void hard_to_reach(void)
{
	static void *(*const what[])(void *) = {busy_in_papi, sleep_long, busy_in_mpx, busy_asking};
	enum { N = 4 };
	struct worker w[N];
	int set = both(1), i, right = 1, k;
	long long value[2], last = MPX_NEVER;
	struct mpx_estimate e;

	over = arrived = 0;
	for (i = 0; i < N; i++) {
		w[i] = (struct worker){.n = 0};
		pthread_create(&w[i].thread, NULL, what[i], &w[i]);
	}
	while (arrived < N)
		pause_ms(1);
	for (k = 0; k < 5; k++) {
		right &= mpx_set_start(set) == PAPI_OK;
		last = MPX_NEVER;
		for (i = 0; i < 10; i++) {
			work(20);
			right &= read_all(set, value) && value[0] >= last;
			last = value[0];
		}
		right &= mpx_set_stop(set, value) == PAPI_OK && value[0] >= 200 - 1;
	}
	ok(right, "they answer, asleep, in PAPI and in MPX");
	e = estimate_of(set, 0);
	ok(e.threads == N + 1 && e.missed == 0, "all of them: %u, %u missed, flags %x", e.threads, e.missed,
	   e.flags);
	over = 1;
	for (i = 0; i < N; i++) {
		ok(join(&w[i]), "and thread %d was not disturbed", i);
	}
	works(mpx_set_destroy(&set));
}

/* ---- the end of threads -------------------------------------------------------------------- */

static pthread_key_t late_key;
static int in_destructor[2];

/* The destructor may measure in the first round; later it is refused, and nothing is broken. */
static void late_destructor(void *argument)
{
	int *round = argument, set = PAPI_NULL, error;

	error = mpx_set_create(&set);
	if (!error)
		error = mpx_set_destroy(&set);
	in_destructor[*round > 0] = error;
	if ((*round)++ < 2)
		pthread_setspecific(late_key, round);
}

static void *end_with_destructors(void *argument)
{
	int *round = argument, set = both(0);

	pthread_setspecific(late_key, round);
	mpx_set_start(set);
	work(10);
	return NULL;
}

static void *end_in_wrong_order(void *argument)
{
	int set = both(0);

	(void)argument;
	mpx_set_start(set);
	work(10);
	PAPI_unregister_thread();
	return NULL;
}

static void *end_by_hand(void *argument)
{
	struct worker *w = argument;
	int set = both(0), copy = set;

	w->right = mpx_set_start(set) == PAPI_OK;
	w->right &= mpx_thread_end() == PAPI_OK && mpx_set_destroy(&copy) == PAPI_ENOEVST;
	set = both(0); /* the thread may begin anew */
	w->right &= mpx_set_start(set) == PAPI_OK;
	work(w->n);
	w->right &= mpx_set_stop(set, w->value) == PAPI_OK && near(w->value[0], w->n);
	w->right &= mpx_thread_end() == PAPI_OK;
	PAPI_unregister_thread();
	return NULL;
}

/* An owner of a process-wide set ends while it runs; the others' parts are cleared away. */
static void *own_and_end(void *argument)
{
	int set = both(1);

	(void)argument;
	mpx_set_start(set);
	work(10);
	return NULL;
}

static void ends_of_threads(void)
{
	struct mpx_thread_info info = MPX_OPTIONS_INIT(mpx_thread_info);
	pthread_t thread;
	struct worker w = {.n = 40};
	int round = 0, set = both(0);
	long long value[2];

	works(mpx_set_start(set));
	pthread_key_create(&late_key, late_destructor);
	pthread_create(&thread, NULL, end_with_destructors, &round);
	pthread_join(thread, NULL);
	ok(round == 3 && in_destructor[0] == PAPI_OK && in_destructor[1] == PAPI_ESYS,
	   "others' destructors may measure in their first round: %d, then %d", in_destructor[0],
	   in_destructor[1]);
	pthread_key_delete(late_key);
	pthread_create(&thread, NULL, end_in_wrong_order, NULL);
	pthread_join(thread, NULL);
	pthread_create(&w.thread, NULL, end_by_hand, &w);
	ok(join(&w), "a thread ends with MPX, and begins again: %lld", w.value[0]);
	pthread_create(&thread, NULL, own_and_end, NULL);
	pthread_join(thread, NULL);
	ok(registered() == 1, "only this thread is registered");
	work(100);
	works(mpx_set_stop(set, value));
	ok(near(value[0], 100), "whose set has gone on all the time: %lld", value[0]);
	works(mpx_set_destroy(&set));
	works(mpx_thread_get_info(&info));
	ok(info.events == 0 && info.running == 0, "nothing is left of another's process-wide set");
}

/* ---- fork --------------------------------------------------------------------------------- */

static int in_child(int parents)
{
	long long value[2] = {0, 0};
	int set, right, state = -1;

	right = mpx_set_read(parents, value) == PAPI_ENOEVST && registered() == 0;
	/* The locks that a fork takes disable cancellation: it must be enabled again in the child. */
	right &= pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state) == 0 && state == PTHREAD_CANCEL_ENABLE;
	set = both(1);
	right &= mpx_set_start(set) == PAPI_OK;
	work(123);
	right &= mpx_set_stop(set, value) == PAPI_OK && near(value[0], 123);
	right &= mpx_set_destroy(&set) == PAPI_OK;
	right &= mpx_library_shutdown() == PAPI_OK;
	return right;
}

static void *child_of_thread(void *argument)
{
	struct worker *w = argument;
	int status;
	pid_t child;

	mpx_thread_register();
	child = fork();
	if (!child)
		_exit(in_child(w->set) ? 0 : 1);
	w->right = waitpid(child, &status, 0) == child && status == 0;
	return NULL;
}

/* Returns the page faults that the kernel has counted. */
static long long faults_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* Returns whether a set's count is right for n of the work, done since the faults of the thread and
 * the process were `since`: it is no less than the faults of this thread, and no more than those of
 * the thread or process that the set counts. A fork makes later writes copy pages, which are
 * faults, too. */
static int counted(long long value, long n, int process, const long long since[2])
{
	int who = process ? RUSAGE_SELF : RUSAGE_THREAD;

	if (event_slack == 1)
		return near(value, n);
	return value >= n && value >= faults_of(RUSAGE_THREAD) - since[0] - event_slack &&
	       value <= faults_of(who) - since[process] + event_slack;
}

static void forks(int process)
{
	struct worker w = {.set = both(process)};
	long long value[2], since[2];
	int status = 1;
	pid_t child;

	works(mpx_set_start(w.set));
	since[0] = faults_of(RUSAGE_THREAD);
	since[1] = faults_of(RUSAGE_SELF);
	work(100);
	child = fork();
	if (!child)
		_exit(in_child(w.set) ? 0 : 1);
	work(100);
	ok(waitpid(child, &status, 0) == child && status == 0, "a child counts for itself, %d", status);
	work(100);
	works(mpx_set_read(w.set, value));
	ok(counted(value[0], 300, process, since), "its parent goes on: %lld", value[0]);
	pthread_create(&w.thread, NULL, child_of_thread, &w);
	ok(join(&w), "so does a child of another thread");
	work(100);
	works(mpx_set_stop(w.set, value));
	ok(counted(value[0], 400, process, since), "and its parent: %lld", value[0]);
	works(mpx_set_destroy(&w.set));
}

/* ---- threads all the time --------------------------------------------------------------------- */

static void *short_life(void *argument)
{
	struct worker *w = argument;
	long long value[2];
	int set;

	w->right = mpx_thread_register() == PAPI_OK;
	set = both(0);
	w->right &= mpx_set_start(set) == PAPI_OK;
	work(w->n);
	w->right &= mpx_set_read(set, value) == PAPI_OK && near(value[0], w->n);
	if (w->n & 1)
		w->right &= mpx_set_stop(set, value) == PAPI_OK;
	w->right &= mpx_thread_end() == PAPI_OK;
	PAPI_unregister_thread();
	return NULL;
}

/* Makes threads that end in each round, while a process-wide set counts all of them. Returns
 * whether all was right. */
static int churn(int rounds)
{
	enum { N = 8 };
	struct worker w[N];
	size_t used[2] = {0, 0};
	int files[2] = {0, 0}, set = both(1), i, k, right = 1;
	long long value[2], wanted = 0;

	right &= mpx_set_start(set) == PAPI_OK;
	for (k = 0; k < rounds; k++) {
		/* After some rounds everything that is made once exists. */
		if (k == rounds / 2 || k == rounds - 1) {
			files[k == rounds - 1] = open_files();
			used[k == rounds - 1] = mallinfo2().uordblks;
		}
		for (i = 0; i < N; i++) {
			w[i] = (struct worker){.n = 10 + i};
			wanted += w[i].n;
			pthread_create(&w[i].thread, NULL, short_life, &w[i]);
		}
		right &= mpx_set_read(set, value) == PAPI_OK;
		for (i = 0; i < N; i++) {
			right &= join(&w[i]);
		}
	}
	right &= mpx_set_stop(set, value) == PAPI_OK;
	i = N * rounds;
	if (value[0] < wanted - i || value[0] > wanted + event_slack * (2 * i + 1))
		right = 0;
	note("%d threads, %lld of %lld, %d then %d descriptors, %zu then %zu bytes", i, value[0], wanted,
	     files[0], files[1], used[0], used[1]);
	right &= files[0] == files[1] && registered() == 1;
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
	/* A thread's state is over a kilobyte, and half of the threads came in between; a few
	 * kilobytes depend on how many were there at once. Sanitizers allocate their own way. */
	right &= used[1] < used[0] + 16384;
#endif
	right &= mpx_set_destroy(&set) == PAPI_OK;
	return right;
}

/* The program has initialised PAPI, with thread numbers that come again. */
static void papi_before_mpx(void)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		start_papi();
		choose_events();
		if (mpx_library_init(MPX_ABI_VERSION, NULL))
			_exit(2);
		_exit(churn(20) && mpx_library_shutdown() == PAPI_OK ? 0 : 1);
	}
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "threads come and go where PAPI goes by pthread_self: %d", status);
}

/* ---- with counters that are shared --------------------------------------------------------------- */

static void shared(enum mpx_timer timer)
{
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	struct worker w[4], guest = {.n = 60000};
	struct mpx_estimate e;
	double truth = 4 * 120000 + 60000;
	int set, i, error, right;
	long long value[2], last = MPX_NEVER;

	o.group_max = 1;
	o.slice_ns = 1000000;
	o.timer = timer;
	o.seed = 1;
	error = mpx_library_init(MPX_ABI_VERSION, &o);
	if (!ok(error == PAPI_OK || error == PAPI_ENOSUPP, "timer %d", (int)timer) || error)
		return;
	set = both(1);
	invite(5);
	for (i = 0; i < 4; i++) {
		w[i] = (struct worker){.n = 60000};
		pthread_create(&w[i].thread, NULL, take_part, &w[i]);
	}
	meet();
	works(mpx_set_start(set));
	meet();
	meet();
	pthread_create(&guest.thread, NULL, pass_by, &guest);
	meet();
	for (i = 0; i < 20 && last > INT64_MIN; i++) {
		if (mpx_set_read(set, value) || value[0] < last)
			last = INT64_MIN;
		else
			last = value[0];
	}
	ok(last > INT64_MIN, "values over threads do not decrease");
	right = join(&guest);
	for (i = 0; i < 4; i++)
		right &= join(&w[i]);
	ok(right, "all were registered");
	works(mpx_set_stop(set, value));
	for (i = 0; i < 2; i++) {
		e = estimate_of(set, i);
		ok(e.threads == 6 && !(e.flags & (MPX_EXACT | MPX_UNCOUNTED)) &&
			   is_estimate_of(&e, truth, 0) && e.low <= e.estimate && e.estimate <= e.high &&
			   e.low >= (double)e.count,
		   "%.0f +- %.0f of %.0f in %u threads, flags %x", e.estimate, e.standard_error, truth,
		   e.threads, e.flags);
	}
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

/* An event that is not each thread's own would be counted once for each thread. */
static void shared_scopes(void)
{
	static const char *const names[] = {"upc:::time::real_ns", "upc:::process::minflt"};
	int own = PAPI_NULL, all = PAPI_NULL, code, n = 0;
	unsigned i;

	works(mpx_set_create(&own));
	works(mpx_set_create_process(&all));
	for (i = 0; i < 2; i++) {
		works(mpx_set_add_named_event(own, names[i]));
		refuses(PAPI_ENOSUPP, mpx_set_add_named_event(all, names[i]));
		ok(strstr(mpx_last_message(), i ? "the whole process" : "the whole machine") != NULL, "%s",
		   mpx_last_message());
		works(PAPI_event_name_to_code(names[i], &code));
		refuses(PAPI_ENOSUPP, mpx_set_add_event(all, code));
	}
	works(mpx_set_list_events(all, NULL, &n));
	ok(n == 0, "the set has none of them");
	works(mpx_set_add_named_event(all, event_name[0]));
	works(mpx_set_destroy(&own));
	works(mpx_set_destroy(&all));
}

/* Threads that live for less than a slice, two groups: each event has its turn in some of them,
 * and these speak for the others. */
static void short_threads(void)
{
	enum { N = 60 };
	struct mpx_options o = MPX_OPTIONS_INIT(mpx_options);
	long long value[2];
	struct mpx_estimate e;
	struct worker w;
	int set, i, right = 1;
	long n = 1000;

	o.group_max = 1;
	o.slice_ns = 10000000;
	o.seed = 1;
	works(mpx_library_init(MPX_ABI_VERSION, &o));
	set = both(1);
	works(mpx_set_start(set));
	for (i = 0; i < N; i++) {
		w = (struct worker){.n = n};
		pthread_create(&w.thread, NULL, pass_by, &w);
		right &= join(&w);
	}
	works(mpx_set_stop(set, value));
	ok(right, "%d threads have come and gone", N);
	for (i = 0; i < 2; i++) {
		e = estimate_of(set, i);
		ok(e.flags & MPX_BORROWED && !(e.flags & (MPX_EXACT | MPX_UNCOUNTED)) && e.threads == N + 1,
		   "threads without a turn are in it: flags %x, %u threads", e.flags, e.threads);
		ok(is_estimate_of(&e, (double)N * (double)n, 0) && e.count < N * (uint64_t)n,
		   "%.0f [%.0f, %.0f] of %ld, %llu counted", e.estimate, e.low, e.high, N * n,
		   (unsigned long long)e.count);
	}
	works(mpx_set_destroy(&set));
	works(mpx_library_shutdown());
}

static void *stay(void *argument)
{
	(void)argument;
	mpx_thread_register();
	meet();
	meet();
	return NULL;
}

static void shutdown_of_others(void)
{
	pthread_t thread;
	long long value[2];
	int set = both(0);

	works(mpx_set_start(set));
	invite(2);
	pthread_create(&thread, NULL, stay, NULL);
	meet();
	refuses(PAPI_EISRUN, mpx_library_shutdown());
	work(100);
	works(mpx_set_stop(set, value));
	ok(near(value[0], 100), "and this thread's set is as it was: %lld", value[0]);
	meet();
	pthread_join(thread, NULL);
	works(mpx_set_start(set));
	works(mpx_library_shutdown());
	refuses(PAPI_ENOINIT, mpx_set_stop(set, NULL));
}

static atomic_bool enough;

static void *open_and_close(void *argument)
{
	struct worker *w = argument;

	w->right = 1;
	while (!atomic_load(&enough))
		w->right &= mpx_library_init(MPX_ABI_VERSION, NULL) == PAPI_OK &&
			    mpx_library_shutdown() == PAPI_OK;
	return NULL;
}

/* A child finds the library as it was, or none; a thread that was in a call of the library is not
 * in the child. */
static int is_usable(void)
{
	int error = mpx_library_init(MPX_ABI_VERSION, NULL);

	return (!error || (error == PAPI_EISRUN && strstr(mpx_last_message(), "already"))) &&
	       mpx_library_shutdown() == PAPI_OK;
}

static void forks_at_any_time(void)
{
	struct worker w = {0};
	int status = 0, i;
	pid_t child;

	atomic_store(&enough, false);
	pthread_create(&w.thread, NULL, open_and_close, &w);
	for (i = 0; i < 200 && !status; i++) {
		child = fork();
		if (!child)
			_exit(is_usable() ? 0 : 1);
		if (waitpid(child, &status, 0) != child)
			status = -1;
	}
	atomic_store(&enough, true);
	ok(join(&w), "the library comes and goes");
	ok(!status, "and is good in each child of a fork meanwhile: %d, status %#x", i, (unsigned)status);
}

/* ---- what a thread has kept, for others --------------------------------------------------- */

static pthread_barrier_t kept_there;
static int kept_set = PAPI_NULL;

static void *keeps(void *unused)
{
	(void)unused;
	if (mpx_set_create(&kept_set) || mpx_set_add_named_event(kept_set, FAULTS) ||
	    mpx_set_start(kept_set) || mpx_set_switch_region(kept_set, 5))
		return NULL;
	touch_pages(500);
	(void)mpx_set_switch_region(kept_set, 7);
	touch_pages(2000);
	pthread_barrier_wait(&kept_there); /* its kept counts are read */
	pthread_barrier_wait(&kept_there);
	(void)mpx_set_destroy(&kept_set);
	return NULL;
}

static void kept_for_others(void)
{
	struct mpx_estimate estimate = MPX_OPTIONS_INIT(mpx_estimate);
	pthread_t thread;
	int set = PAPI_NULL;

	pthread_barrier_init(&kept_there, NULL, 2);
	pthread_create(&thread, NULL, keeps, NULL);
	pthread_barrier_wait(&kept_there);
	works(mpx_set_kept_estimates(kept_set, 5, &estimate, 1));
	ok(estimate.value >= 500 && estimate.value < 1500 && estimate.flags == MPX_EXACT,
	   "what another thread has counted in a region is kept for all: %lld", estimate.value);
	works(mpx_set_kept_estimates(kept_set, 7, &estimate, 1));
	ok(estimate.value < 1500 && estimate.flags & MPX_PARTIAL && !(estimate.flags & MPX_EXACT),
	   "a stretch that runs is not in it, and that is said");
	refuses(PAPI_EINVAL, mpx_set_kept_estimates(kept_set, 6, &estimate, 1));
	refuses(PAPI_EINVAL, mpx_set_kept_estimates(kept_set, 5, &estimate, 2));
	refuses(PAPI_EPERM, mpx_set_region_estimates(kept_set, 5, &estimate, 1));
	set = kept_set;
	pthread_barrier_wait(&kept_there);
	pthread_join(thread, NULL);
	refuses(PAPI_ENOEVST, mpx_set_kept_estimates(set, 5, &estimate, 1));
	works(mpx_set_create_process(&set));
	refuses(PAPI_ENOSUPP, mpx_set_kept_estimates(set, 0, &estimate, 1));
	works(mpx_set_destroy(&set));
}

int main(void)
{
	const PAPI_component_info_t *info;

	papi_before_mpx();
	works(mpx_library_init(MPX_ABI_VERSION, NULL));
	info = find_component() < 0 ? NULL : PAPI_get_component_info(find_component());
	if (!info || (info->disabled && info->disabled != PAPI_EDELAY_INIT))
		bail_out("the upc component is not there: %s", info ? info->disabled_reason : "");
	choose_events();
	own_sets(1, 0);
	own_sets(4, 1);
	own_sets(4, 2);
	own_sets(MANY, 0);
	foreign_sets();
	kept_for_others();
	process_wide(1);
	process_wide(4);
	process_wide(MANY);
#ifdef __SANITIZE_THREAD__
	skip("ThreadSanitizer keeps signals back until a thread sleeps");
#else
	late_thread();
	missed_thread();
	blocked_signal();
	hard_to_reach();
#endif
	ends_of_threads();
	forks(0);
	forks(1);
	ok(churn(40), "threads come and go: nothing is lost or leaked");
	shared_scopes();
	shutdown_of_others();
	forks_at_any_time();
	short_threads();
	shared(MPX_TIMER_AUTO);
	shared(MPX_TIMER_THREAD);
	shared(MPX_TIMER_VIRTUAL);
	return done();
}
