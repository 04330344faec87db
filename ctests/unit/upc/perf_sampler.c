/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overflow signals: as many as periods fit the count, each for its own event and
 * at its own thread, whatever is started, stopped, begun anew, removed or forked
 * in between; and counts that lose nothing when signals do.
 *
 * Every expectation is from what was counted: what sanitizers and valgrind fault in on their
 * own account is counted, and signalled, as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "perf/context.h"
#include "perf/perf.h"
#include "perf/perf_groups.h"
#include "../unit_test.h"

#define HANDLES 80

static const struct upci_perf_spec faults = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};
static const struct upci_perf_spec task_clock = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1};

/* A handler uses its own thread's state, which is registered before anything signals, so that the
 * handler's first touch allocates nothing. */
static __thread struct seen {
	struct upci_perf *perf;
	volatile uint64_t of[HANDLES]; /* signals by handle */
	volatile uint64_t unknown;
	volatile int last_fd;
	volatile int probe;       /* a descriptor to read when a signal comes, or -1 */
	volatile uint64_t at[64]; /* what it said at the first signals */
	volatile unsigned ats;
} seen;

static volatile sig_atomic_t sigio;

/*
 * ThreadSanitizer and valgrind hold signals back until a thread waits, and merge
 * several into one. With them there are fewer signals, and only the tests with threads run.
 */
static bool late_signals(void)
{
#ifdef __SANITIZE_THREAD__
	return true;
#else
	return getenv("UPC_TEST_INEXACT") != NULL;
#endif
}

#define assert_signals(signals, due) assert_in_range(signals, late_signals() ? 0 : (due), due)

static int the_signal(void)
{
	return SIGRTMIN + 4;
}

static void on_overflow(int number, siginfo_t *info, void *context)
{
	int saved = errno, handle = seen.perf ? upci_perf_signalled(seen.perf, info->si_fd) : -1;
	uint64_t value;

	(void)number;
	(void)context;
	seen.last_fd = info->si_fd;
	if (handle >= 0 && handle < HANDLES)
		seen.of[handle]++;
	else
		seen.unknown++;
	if (handle >= 0 && seen.probe >= 0 && seen.ats < 64 &&
	    read(seen.probe, &value, sizeof(value)) == (ssize_t)sizeof(value))
		seen.at[seen.ats++] = value;
	errno = saved;
}

static void on_sigio(int number)
{
	(void)number;
	sigio = 1;
}

static struct upci_perf *create(pid_t tid)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_context context;
	struct upci_perf *p;

	options.pid = tid;
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_int_equal(upci_perf_create(&context, &p), 0);
	return p;
}

/* For the calling thread, which is seen. */
static struct upci_perf *create_own(void)
{
	memset((void *)&seen, 0, sizeof(seen));
	seen.probe = -1;
	seen.perf = create(0);
	return seen.perf;
}

/* A signal may still come, late. */
static void destroy(struct upci_perf *p)
{
	if (seen.perf == p)
		seen.perf = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	upci_perf_destroy(p);
}

static int add(struct upci_perf *p, uint64_t period)
{
	int handle = upci_perf_add(p, &faults, false, "faults");

	assert_in_range(handle, 0, HANDLES - 1);
	assert_int_equal(upci_perf_set_period(p, handle, &faults, period, the_signal(), "faults"), 0);
	return handle;
}

static uint64_t count(struct upci_perf *p, int handle)
{
	uint64_t value[HANDLES] = {0};
	uint8_t state[HANDLES];

	assert_in_range(p->handles, 1, HANDLES);
	assert_int_equal(upci_perf_read(p, value, state), 0);
	return value[handle];
}

/* The signalling event's own count since its period began. It is switched beside the counting event,
 * not with it: a page that something else faults in between counts in only one of them. */
static uint64_t sampled(const struct upci_perf *p, int handle)
{
	uint64_t value = UINT64_MAX;
	unsigned i;

	for (i = 0; i < p->samplers.top; i++)
		if (p->samplers.at[i].fd >= 0 && p->samplers.at[i].handle == handle &&
		    read(p->samplers.at[i].fd, &value, sizeof(value)) == (ssize_t)sizeof(value))
			return value;
	fail_msg("handle %d has no sampler", handle);
	return value;
}

static void touch_while_running(struct upci_perf *p, size_t pages)
{
	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(pages);
	assert_int_equal(upci_perf_stop(p), 0);
}

static void block(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, the_signal());
	assert_int_equal(pthread_sigmask(how, &set, NULL), 0);
}

static int perf_descriptors(void)
{
	char path[300], link[64];
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;
	ssize_t length;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		n += strstr(link, "perf_event") != NULL;
	}
	closedir(dir);
	return n;
}

/* A counting event of the test's own, in no group, that a handler can read. */
static int open_probe(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = faults.type,
		.config = faults.config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_probe(int probe)
{
	uint64_t value = 0;

	assert_int_equal(read(probe, &value, sizeof(value)), sizeof(value));
	return value;
}

TEST(test_a_signal_each_period)
{
	static const uint64_t periods[] = {2, 3, 7, 100, 1000, 1 << 20};
	unsigned i;

	for (i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct upci_perf *p = create_own();
		int h = add(p, periods[i]), probe = open_probe();
		uint64_t n, others;

		assert_true(probe >= 0);
		others = read_probe(probe);
		touch_while_running(p, 2500);
		others = read_probe(probe) - others - 2500;
		n = sampled(p, h);
		assert_in_range(n, 2500, 2500 + others);
		assert_in_range(count(p, h), 2500, 2500 + others);
		assert_int_equal(seen.of[h], n / periods[i]);
		assert_int_equal(seen.unknown, 0);
		/* Nobody signals what is not counted. */
		touch_fresh_pages(2500);
		assert_int_equal(seen.of[h], n / periods[i]);
		close(probe);
		destroy(p);
	}
}

TEST(test_each_event_its_own_period)
{
	static const uint64_t periods[] = {11, 0, 100, 13, 250, 100};
	struct upci_perf *p = create_own();
	int h[6], i, round;

	for (i = 0; i < 6; i++)
		h[i] = add(p, periods[i]);
	/* Over any number of starts. */
	for (round = 0; round < 20; round++)
		touch_while_running(p, 37 + (size_t)round);
	for (i = 0; i < 6; i++)
		assert_int_equal(seen.of[h[i]], periods[i] ? sampled(p, h[i]) / periods[i] : 0);
	assert_true(seen.of[h[0]] > 80);
	assert_int_equal(seen.unknown, 0);
	destroy(p);
}

/* The k-th signal is at k periods, and not later. */
TEST(test_no_drift)
{
	enum { TOUCHED = 3100 };
	struct upci_perf *p = create_own();
	int h = add(p, 50), probe = open_probe();
	uint64_t others;
	unsigned i;

	assert_true(probe >= 0);
	assert_int_equal(upci_perf_start(p), 0);
	ioctl(probe, PERF_EVENT_IOC_RESET, 0);
	seen.probe = probe;
	touch_fresh_pages(TOUCHED);
	seen.probe = -1;
	others = read_probe(probe) - TOUCHED;
	assert_int_equal(upci_perf_stop(p), 0);
	assert_true(seen.ats >= 60);
	/* Other page faults, also those of a handler that a sanitizer instruments, can come between a
	 * signal and the reading. */
	for (i = 1; i < seen.ats; i++)
		assert_in_range(seen.at[i] - seen.at[0] + others, 50 * i, 50 * i + 2 * others);
	assert_int_equal(seen.of[h], sampled(p, h) / 50);
	close(probe);
	destroy(p);
}

TEST(test_halted_events_signal_nothing)
{
	struct upci_perf *p = create_own();
	int h = add(p, 20), other = add(p, 30), late;
	uint64_t before;

	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(95);
	assert_int_equal(upci_perf_halt(p, h), 0);
	before = seen.of[h];
	assert_int_equal(before, sampled(p, h) / 20);
	touch_fresh_pages(500);
	assert_int_equal(seen.of[h], before);
	assert_int_equal(upci_perf_continue(p, h), 0);
	touch_fresh_pages(95);
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(seen.of[h], sampled(p, h) / 20);
	assert_int_equal(seen.of[other], sampled(p, other) / 30);
	/* One is halted while nothing runs, and one begins so. */
	assert_int_equal(upci_perf_halt(p, h), 0);
	late = upci_perf_add(p, &faults, true, "faults");
	assert_true(late >= 0);
	assert_int_equal(upci_perf_set_period(p, late, &faults, 10, the_signal(), "faults"), 0);
	before = seen.of[h];
	touch_while_running(p, 200);
	assert_int_equal(seen.of[h], before);
	assert_int_equal(seen.of[late], 0);
	assert_int_equal(upci_perf_continue(p, late), 0);
	touch_while_running(p, 200);
	assert_int_equal(seen.of[late], sampled(p, late) / 10);
	assert_true(seen.of[late] >= 20);
	destroy(p);
}

/* Waits until the signals have come, for at most a second: the last one may be on its way, and
 * belongs to no period if a new one begins first. A page that is faulted in between two calls may
 * cause none. */
static void await_signals(struct upci_perf *p, int h, uint64_t signals)
{
	unsigned i;

	for (i = 0; i < 1000 && seen.perf == p && seen.of[h] < signals; i++)
		usleep(1000);
}

/* The period restarts with any rest, stopped or running. */
TEST(test_restart)
{
	static const uint64_t left[] = {100, 1, 37, 99, 100, 50, 2};
	struct upci_perf *p = create_own();
	int h = add(p, 100), probe = open_probe();
	uint64_t base, signals = 0, rest = 100, others = 0;
	unsigned i, running;

	assert_true(probe >= 0);
	for (running = 0; running < 2; running++)
		for (i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
			assert_int_equal(upci_perf_start(p), 0);
			touch_fresh_pages(33);
			if (!running)
				assert_int_equal(upci_perf_stop(p), 0);
			/* Repeats if anything else has faulted a page in meanwhile. */
			do {
				base = count(p, h);
				await_signals(p, h, signals + (sampled(p, h) + 100 - rest) / 100);
				signals = seen.of[h];
				rest = left[i];
				assert_int_equal(upci_perf_restart_period(p, h, rest), 0);
			} while (count(p, h) != base);
			if (!running)
				assert_int_equal(upci_perf_start(p), 0);
			touch_fresh_pages(230);
			assert_int_equal(upci_perf_stop(p), 0);
			assert_true(sampled(p, h) >= 230);
			/* A period that was not met goes on at the next start. */
			touch_while_running(p, 215);
			others -= 33 + 230 + 215;
			assert_int_equal(seen.of[h] - signals, (sampled(p, h) + 100 - rest) / 100);
		}
	/* A page that anything else faults in, also the handler, may cause a signal of the old period,
	 * which is unknown if it comes in the new one. */
	others += read_probe(probe);
	assert_in_range(seen.unknown, 0, others);
	assert_int_equal(upci_perf_restart_period(p, h, 0), UPC_EINVAL);
	assert_int_equal(upci_perf_restart_period(p, h, 101), UPC_EINVAL);
	close(probe);
	destroy(p);
}

/* A signal that was sent before is not taken for the first of the new period, and
 * what blocking has gathered counts once, at the right place. */
TEST(test_restart_with_signals_pending)
{
	struct upci_perf *p = create_own();
	int h = add(p, 100);
	uint64_t value;

	block(SIG_BLOCK);
	touch_while_running(p, 350);
	assert_int_equal(upci_perf_restart_period(p, h, 40), 0);
	block(SIG_UNBLOCK);
	assert_int_equal(seen.of[h], 0);
	assert_true(seen.unknown >= 3);
	touch_while_running(p, 245);
	assert_int_equal(seen.of[h], (sampled(p, h) + 60) / 100);

	/* Blocked over the target: one signal, and from then on the multiples. */
	seen.of[h] = seen.unknown = 0;
	assert_int_equal(upci_perf_restart_period(p, h, 10), 0);
	block(SIG_BLOCK);
	touch_while_running(p, 35);
	block(SIG_UNBLOCK);
	assert_int_equal(seen.of[h], 1);
	assert_true(seen.unknown >= 2);
	value = sampled(p, h);
	touch_while_running(p, 985); /* past the next multiple, and not so far that one too late would be */
	assert_int_equal(seen.of[h], 1 + (sampled(p, h) + 90) / 100 - (value + 90) / 100);
	destroy(p);
}

TEST(test_change_and_removal)
{
	struct upci_perf *p = create_own();
	int before = perf_descriptors(), h = add(p, 10), kept = add(p, 10), fd;

	/* Two events, of which one leads, and two samplers. */
	assert_int_equal(perf_descriptors() - before, 4);
	/* A change begins anew. */
	touch_while_running(p, 7);
	seen.of[h] = 0;
	assert_int_equal(upci_perf_set_period(p, h, &faults, 50, the_signal(), "faults"), 0);
	touch_while_running(p, 145);
	assert_int_equal(seen.of[h], sampled(p, h) / 50);
	assert_int_equal(perf_descriptors() - before, 4);
	/* Signals that pend are nobody's when the event goes. */
	block(SIG_BLOCK);
	touch_while_running(p, 120);
	upci_perf_remove(p, h);
	seen.of[h] = seen.unknown = 0;
	block(SIG_UNBLOCK);
	assert_true(seen.unknown >= 2);
	assert_int_equal(seen.of[h], 0);
	assert_int_equal(seen.of[kept], sampled(p, kept) / 10);
	assert_int_equal(perf_descriptors() - before, 3);
	/* Taken away by a period of 0, also twice. */
	seen.of[kept] = 0;
	assert_int_equal(upci_perf_set_period(p, kept, &faults, 0, 0, "faults"), 0);
	assert_int_equal(upci_perf_set_period(p, kept, &faults, 0, 0, "faults"), 0);
	assert_int_equal(upci_perf_restart_period(p, kept, 5), 0);
	assert_int_equal(perf_descriptors() - before, 2);
	touch_while_running(p, 100);
	assert_int_equal(seen.of[kept], 0);
	/* Descriptors that are none of its own. */
	for (fd = -1; fd < 40; fd++)
		assert_int_equal(upci_perf_signalled(p, fd), -1);
	destroy(p);
	assert_int_equal(perf_descriptors(), before);
}

/* A descriptor belongs to the handle that it was opened for, while it is. */
TEST(test_lookup)
{
	struct upci_perf *p = create_own();
	int h[5], fd[5], i, round;
	uint64_t seed = 3;

	for (i = 0; i < 5; i++) {
		h[i] = add(p, 20);
		assert_int_equal(upci_perf_halt(p, h[i]), 0);
	}
	for (round = 0; round < 30; round++) {
		for (i = 0; i < 5; i++) {
			uint64_t was = seen.of[h[i]];

			assert_int_equal(upci_perf_continue(p, h[i]), 0);
			touch_while_running(p, 20);
			assert_int_equal(upci_perf_halt(p, h[i]), 0);
			assert_true(seen.of[h[i]] > was);
			fd[i] = seen.last_fd;
		}
		for (i = 0; i < 5; i++)
			assert_int_equal(upci_perf_signalled(p, fd[i]), h[i]);
		i = (int)(random_next(&seed) % 5);
		upci_perf_remove(p, h[i]);
		assert_int_equal(upci_perf_signalled(p, fd[i]), -1);
		h[i] = add(p, 20);
		assert_int_equal(upci_perf_halt(p, h[i]), 0);
	}
	assert_int_equal(seen.unknown, 0);
	destroy(p);
}

struct worker {
	pthread_t thread;
	uint64_t period, pages, counted, sampled, signals, late, unknown;
	sem_t go, ready;
	pid_t tid;
	struct upci_perf *perf; /* made by another thread */
	int handle;
};

/* Returns when the thread is ready. */
static void begin(struct worker *w, void *(*run)(void *arg))
{
	sem_init(&w->go, 0, 0);
	sem_init(&w->ready, 0, 0);
	assert_int_equal(pthread_create(&w->thread, NULL, run, w), 0);
	sem_wait(&w->ready);
}

static void *count_own(void *arg)
{
	struct worker *w = arg;
	int h;

	create_own();
	h = add(seen.perf, w->period);
	sem_post(&w->ready);
	sem_wait(&w->go);
	touch_while_running(seen.perf, w->pages);
	w->counted = count(seen.perf, h);
	w->sampled = sampled(seen.perf, h);
	w->signals = seen.of[h];
	w->unknown = seen.unknown;
	destroy(seen.perf);
	return NULL;
}

TEST(test_threads_get_their_own)
{
	struct worker w[6];
	int i;

	for (i = 0; i < 6; i++) {
		w[i] = (struct worker){.period = 20 + 13 * (uint64_t)i, .pages = 2000 + 100 * (uint64_t)i};
		begin(&w[i], count_own);
	}
	for (i = 0; i < 6; i++)
		sem_post(&w[i].go);
	for (i = 0; i < 6; i++) {
		pthread_join(w[i].thread, NULL);
		assert_true(w[i].counted >= w[i].pages);
		assert_signals(w[i].signals, w[i].sampled / w[i].period);
		assert_int_equal(w[i].unknown, 0);
	}
}

static void *be_counted(void *arg)
{
	struct worker *w = arg;

	memset((void *)&seen, 0, sizeof(seen));
	seen.probe = -1;
	w->tid = gettid();
	sem_post(&w->ready);
	sem_wait(&w->go);
	seen.perf = w->perf;
	sem_post(&w->ready);
	sem_wait(&w->go);
	touch_fresh_pages(w->pages);
	sem_post(&w->ready);
	sem_wait(&w->go);
	w->signals = seen.of[w->handle];
	touch_fresh_pages(w->pages);
	w->late = seen.of[w->handle] - w->signals;
	w->unknown = seen.unknown;
	return NULL;
}

/* Driven by one thread, signalled in another: the handler arms the period after an
 * irregular one while the driver starts, stops and halts, and what is stopped last
 * stays so. */
TEST(test_another_thread_drives)
{
	struct worker w = {.pages = 5000};
	int i, round;

	for (round = 0; round < 8; round++) {
		memset((void *)&seen, 0, sizeof(seen));
		begin(&w, be_counted);
		w.perf = create(w.tid);
		w.handle = add(w.perf, 50);
		assert_int_equal(upci_perf_restart_period(w.perf, w.handle, 30), 0);
		sem_post(&w.go);
		sem_wait(&w.ready);
		assert_int_equal(upci_perf_start(w.perf), 0);
		sem_post(&w.go);
		for (i = 0; i < 50 * (round & 1); i++) {
			assert_int_equal(upci_perf_stop(w.perf), 0);
			assert_int_equal(upci_perf_start(w.perf), 0);
			assert_int_equal(upci_perf_halt(w.perf, w.handle), 0);
			assert_int_equal(upci_perf_continue(w.perf, w.handle), 0);
		}
		if (!(round & 1))
			sem_wait(&w.ready);
		assert_int_equal(upci_perf_stop(w.perf), 0);
		if (round & 1)
			sem_wait(&w.ready);
		sem_post(&w.go);
		pthread_join(w.thread, NULL);
		/* Undisturbed it is exact, though the driver is another. */
		if (!(round & 1))
			assert_signals(w.signals, (sampled(w.perf, w.handle) + 20) / 50);
		if (!(round & 1) && !late_signals())
			assert_int_equal(w.unknown, 0);
		assert_in_range(w.late, 0, late_signals() ? w.pages : 0);
		assert_int_equal(seen.of[w.handle], 0);
		destroy(w.perf);
	}
}

/* The parent's signals go on, and are its own. */
static void goes_on(struct upci_perf *p, int h)
{
	uint64_t value;

	touch_fresh_pages(100);
	assert_int_equal(upci_perf_stop(p), 0);
	value = sampled(p, h);
	assert_int_equal(seen.of[h], value / 10);
	assert_true(value >= 100);
	destroy(p);
}

TEST(test_fork_child_has_nothing)
{
	struct upci_perf *p = create_own();
	int before = perf_descriptors(), h = add(p, 10);
	pid_t pid;

	assert_int_equal(upci_perf_start(p), 0);
	pid = fork();
	if (pid == 0) {
		uint64_t signals = seen.of[h]; /* the parent's until here */
		bool good = perf_descriptors() == before + 2;

		touch_fresh_pages(500);
		good &= seen.of[h] == signals;
		upci_perf_forked(p);
		good &= perf_descriptors() == before;
		touch_fresh_pages(500);
		good &= seen.of[h] == signals && !seen.unknown;
		_exit(!good);
	}
	assert_int_equal(end_of(pid), 0);
	goes_on(p, h);
}

/* A child of a bare clone, in which no handler of forks has run, may destroy what it has. */
TEST(test_bare_clone_leaves_its_parents)
{
	struct upci_perf *p = create_own();
	int before = perf_descriptors(), h = add(p, 10);
	pid_t pid;

	assert_int_equal(upci_perf_start(p), 0);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		upci_perf_destroy(p);
		_exit(perf_descriptors() != before);
	}
	assert_int_equal(end_of(pid), 0);
	goes_on(p, h);
}

TEST(test_refusals)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	const struct upci_perf_spec nonsense = {.type = 0x7fffffff, .exclude_kernel = 1, .exclude_hv = 1};
	struct upci_context context;
	struct upci_perf *p = create_own(), *q;
	int h = add(p, 10), c = upci_perf_add(p, &task_clock, false, "clock"), i, before = perf_descriptors();
	pid_t child;

	assert_true(c >= 0);
	assert_int_equal(upci_perf_set_period(p, h, &faults, 20, SIGUSR1, "the event"), UPC_EINVAL);
	assert_message("the event: ");
	assert_int_equal(upci_perf_set_period(p, h, &faults, 20, SIGRTMAX + 1, "the event"), UPC_EINVAL);
	assert_int_equal(upci_perf_set_period(p, h, &faults, 1, the_signal(), "the event"), UPC_EINVAL);
	assert_message("2 or more");
	assert_int_equal(upci_perf_set_period(p, c, &task_clock, 99999, the_signal(), "clock"), UPC_EINVAL);
	assert_message("100000");
	assert_int_equal(upci_perf_set_period(p, h, &nonsense, 20, the_signal(), "the event"), UPC_ENOSUPP);
	assert_int_equal(perf_descriptors(), before);
	/* Not even the phase of the old one has changed. */
	touch_while_running(p, 95);
	assert_int_equal(seen.of[h], sampled(p, h) / 10);
	/* Any period, to the greatest. */
	assert_int_equal(upci_perf_set_period(p, h, &faults, UINT64_MAX, the_signal(), "faults"), 0);
	assert_int_equal(upci_perf_restart_period(p, h, UINT64_MAX), 0);
	assert_int_equal(upci_perf_restart_period(p, h, UINT64_MAX - 1), 0);
	seen.of[h] = 0;
	touch_while_running(p, 95);
	assert_int_equal(seen.of[h], 0);
	destroy(p);

	/* A process, a thread with its children, another process's thread. */
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		pause();
		_exit(0);
	}
	for (i = 0; i < 3; i++) {
		options.context = i == 0 ? UPC_CONTEXT_PROCESS : UPC_CONTEXT_THREAD;
		options.inherit = i == 1;
		options.pid = i == 2 ? child : 0;
		assert_int_equal(upci_context_set(&context, &options), 0);
		assert_int_equal(upci_perf_create(&context, &q), 0);
		h = upci_perf_add(q, &faults, false, "faults");
		assert_true(h >= 0);
		assert_int_equal(upci_perf_set_period(q, h, &faults, 10, the_signal(), "the event"),
				 UPC_ENOSUPP);
		assert_message("the event: ");
		assert_int_equal(upci_perf_set_period(q, h, &faults, 0, 0, "the event"), 0);
		destroy(q);
	}
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(test_sixty_four)
{
	struct upci_perf *p = create_own();
	int h[65], i;

	for (i = 0; i < 64; i++)
		h[i] = add(p, 50 + (uint64_t)i);
	h[64] = upci_perf_add(p, &faults, false, "faults");
	assert_true(h[64] >= 0);
	assert_int_equal(upci_perf_set_period(p, h[64], &faults, 10, the_signal(), "one more"),
			 UPC_ECONFLICT);
	assert_message("one more: ");
	/* One that has a period may get another. */
	assert_int_equal(upci_perf_set_period(p, h[7], &faults, 1000, the_signal(), "faults"), 0);
	touch_while_running(p, 300);
	for (i = 0; i < 64; i++)
		assert_int_equal(seen.of[h[i]], sampled(p, h[i]) / (i == 7 ? 1000 : 50 + (uint64_t)i));
	assert_int_equal(upci_perf_set_period(p, h[0], &faults, 0, 0, "faults"), 0);
	assert_int_equal(upci_perf_set_period(p, h[64], &faults, 10, the_signal(), "faults"), 0);
	assert_int_equal(seen.unknown, 0);
	destroy(p);
}

TEST(test_descriptor_limit)
{
	struct upci_perf *p = create_own();
	rlim_t old;
	int h = add(p, 25), last, descriptors;

	old = limit_descriptors(40);
	while ((last = upci_perf_add(p, &faults, false, "faults")) >= 0)
		;
	assert_int_equal(last, UPC_EMFILE);
	descriptors = perf_descriptors();
	touch_while_running(p, 10);
	assert_int_equal(upci_perf_set_period(p, h, &faults, 50, the_signal(), "the event"), UPC_EMFILE);
	assert_message("the event: ");
	assert_int_equal(perf_descriptors(), descriptors);
	/* The old period stands, with its phase. */
	touch_while_running(p, 200);
	assert_true(count(p, h) >= 210);
	assert_int_equal(seen.of[h], sampled(p, h) / 25);
	destroy(p);
	limit_descriptors(old);
}

/* Signals may go missing; counts do not, nor does the phase. */
TEST(test_lost_signals_lose_no_counts)
{
	struct rlimit old, low;
	struct upci_perf *p = create_own();
	int h = add(p, 2), plain = upci_perf_add(p, &faults, false, "faults");
	uint64_t n;

	/* As fast as they come, and gathered: none is lost. */
	assert_int_equal(getrlimit(RLIMIT_SIGPENDING, &old), 0);
	block(SIG_BLOCK);
	touch_while_running(p, 3000);
	n = count(p, h);
	assert_true(n >= 3000);
	assert_int_equal(count(p, plain), n);
	block(SIG_UNBLOCK);
	assert_int_equal(seen.of[h], sampled(p, h) / 2);
	destroy(p);

	/* A full queue: SIGIO takes over, and the counts go on. */
	p = create_own();
	h = add(p, 10);
	low = old;
	low.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &low), 0);
	sigio = 0;
	block(SIG_BLOCK);
	touch_while_running(p, 1000);
	n = sampled(p, h);
	assert_true(n >= 1000);
	assert_true(sigio);
	block(SIG_UNBLOCK);
	assert_int_equal(setrlimit(RLIMIT_SIGPENDING, &old), 0);
	assert_true(seen.of[h] <= 20);
	seen.of[h] = 0;
	touch_while_running(p, 100);
	assert_int_equal(seen.of[h], sampled(p, h) / 10 - n / 10);
	destroy(p);
}

/* Time: late, but as many as there were periods, and no drift. Ticks that fall into
 * the kernel are not signalled when it is excluded. */
TEST(test_clock)
{
	struct upci_perf *p = create_own();
	int h = upci_perf_add(p, &task_clock, false, "clock");
	volatile uint64_t work = 0;

	assert_true(h >= 0);
	assert_int_equal(upci_perf_set_period(p, h, &task_clock, 1000000, the_signal(), "clock"), 0);
	assert_int_equal(upci_perf_start(p), 0);
	while (count(p, h) < 30000000) {
		unsigned i;

		for (i = 0; i < 100000; i++)
			work += i;
	}
	assert_int_equal(upci_perf_stop(p), 0);
	assert_true(seen.of[h] > 0);
	assert_true(seen.of[h] <= count(p, h) / 1000000 + 1);
	destroy(p);
}

static int set_up(void **state)
{
	struct sigaction action = {.sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction io = {.sa_handler = on_sigio, .sa_flags = SA_RESTART};

	(void)state;
	return sigaction(the_signal(), &action, NULL) || sigaction(SIGIO, &io, NULL);
}

UNIT_MAIN(perf_sampler)
{
	const struct CMUnitTest threads[] = {
		cmocka_unit_test(test_threads_get_their_own),
		cmocka_unit_test(test_another_thread_drives),
	};

	return late_signals() ? cmocka_run_group_tests(threads, set_up, NULL) : run_own_tests(set_up, NULL);
}
