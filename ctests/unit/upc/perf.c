/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of perf events: one start for all, handles that come and go, sums over
 * targets, refusals in words.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "perf/context.h"
#include "perf/perf.h"
#include "perf/perf_groups.h"
#include "perf/perf_open.h"
#include "../unit_test.h"

static const struct upci_perf_spec faults = {.type = PERF_TYPE_SOFTWARE,
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .exclude_kernel = 1,
					     .exclude_hv = 1};
static const struct upci_perf_spec clock_spec = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK, .exclude_kernel = 1, .exclude_hv = 1};

static struct upci_perf *create_own(bool inherit)
{
	struct upci_context self;
	struct upci_perf *p;

	assert_int_equal(upci_context_set(&self, NULL), 0);
	self.inherit = inherit;
	assert_int_equal(upci_perf_create(&self, &p), 0);
	return p;
}

/* The kernel's, but for one descriptor that it refuses. */
static int refused = -1;

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long value;

	va_start(args, request);
	value = va_arg(args, long);
	va_end(args);
	if (fd == refused) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, value);
}

/* A stop that fails for one group returns an error, and has stopped all others. */
TEST(test_a_stop_that_fails)
{
	struct upci_perf *p = create_own(true);
	uint64_t before[8], after[8];
	uint8_t how[8];
	int first, second;

	/* Where children inherit, each batch has a group of its own. */
	first = upci_perf_add(p, &faults, false, "first");
	upci_perf_begin_batch(p);
	second = upci_perf_add(p, &faults, false, "second");
	assert_int_equal(p->groups, 2);
	assert_int_equal(upci_perf_start(p), 0);
	refused = p->group[0].leader[0];
	assert_int_equal(upci_perf_stop(p), UPC_ESYSTEM);
	refused = -1;
	assert_non_null(strstr(upc_last_message(), "Input/output error"));
	assert_int_equal(upci_perf_read(p, before, how), 0);
	touch_fresh_pages(100);
	assert_int_equal(upci_perf_read(p, after, how), 0);
	assert_true(after[first] >= before[first] + 100);
	assert_int_equal(after[second], before[second]);
	upci_perf_destroy(p);
}

/* The place of a group that has gone is the last one's. */
TEST(test_a_group_that_goes)
{
	struct upci_perf *p = create_own(true);
	uint64_t before[8], after[8];
	uint8_t how[8];
	int handle[3];
	unsigned i;

	for (i = 0; i < 3; i++) {
		handle[i] = upci_perf_add(p, &faults, false, "faults");
		upci_perf_begin_batch(p);
	}
	assert_int_equal(p->groups, 3);
	upci_perf_remove(p, handle[0]);
	assert_int_equal(p->groups, 2);
	assert_int_equal(p->group[0].number, 2);
	assert_int_equal(p->group[1].number, 1);
	assert_int_equal(upci_perf_start(p), 0);
	assert_int_equal(upci_perf_read(p, before, how), 0);
	touch_fresh_pages(100);
	assert_int_equal(upci_perf_read(p, after, how), 0);
	for (i = 1; i < 3; i++)
		assert_true(after[handle[i]] >= before[handle[i]] + 100);
	upci_perf_destroy(p);
}

/* The running time of a parent's context is not a child's. */
TEST(test_a_childs_clock)
{
	struct upci_perf *p = create_own(false);

	p->clock = 5;
	p->clock_at = 7;
	upci_perf_forked(p);
	assert_int_equal(p->clock, 0);
	assert_int_equal(p->clock_at, 0);
	upci_perf_destroy(p);
}

TEST(test_counts_between_start_and_stop)
{
	struct upci_perf *p = create_own(false);
	uint64_t value[8];
	uint8_t how[8];
	int f = upci_perf_add(p, &faults, false, "faults"), t;

	t = upci_perf_add(p, &clock_spec, false, "clock");
	assert_true(f >= 0 && t >= 0 && f != t);
	touch_fresh_pages(50);
	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(100);
	assert_int_equal(upci_perf_stop(p), 0);
	touch_fresh_pages(50);
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_faults(value[f], 100);
	assert_true(value[t] > 0);
	assert_int_equal(how[f], UPCI_SOURCE_EXACT);
	upci_perf_destroy(p);
}

/* The kernel's own task clock of this thread, in ns. */
static int open_task_clock(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static uint64_t task_clock(int fd)
{
	uint64_t ns;

	assert_int_equal(read(fd, &ns, sizeof(ns)), sizeof(ns));
	return ns;
}

static uint64_t value_of(struct upci_perf *p, int handle)
{
	uint64_t value[8];
	uint8_t how[8];

	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_int_equal(how[handle], UPCI_SOURCE_EXACT);
	return value[handle];
}

/* The task clock takes no event of the kernel's: what it counts lies between what the
 * kernel's counts inside and around it. */
static void check_time(struct upci_perf *p, int clock_fd, int t)
{
	uint64_t around = task_clock(clock_fd), inside, counted = value_of(p, t);

	assert_int_equal(upci_perf_start(p), 0);
	inside = task_clock(clock_fd);
	touch_fresh_pages(300);
	inside = task_clock(clock_fd) - inside;
	assert_int_equal(upci_perf_stop(p), 0);
	around = task_clock(clock_fd) - around;
	assert_in_range(value_of(p, t) - counted, inside, around);
}

TEST(test_time)
{
	struct upci_perf *p = create_own(false);
	int fd = open_task_clock(), t = upci_perf_add(p, &clock_spec, false, "clock"), late, halted, f;
	uint64_t count;

	/* Alone in its group. */
	assert_true(t >= 0);
	check_time(p, fd, t);
	f = upci_perf_add(p, &faults, false, "faults");
	check_time(p, fd, t);
	/* One that comes late counts from then on; one that comes halted, from its start on. */
	count = value_of(p, t);
	assert_int_equal(upci_perf_start(p), 0);
	late = upci_perf_add(p, &clock_spec, false, "late");
	halted = upci_perf_add(p, &clock_spec, true, "halted");
	assert_true(late >= 0 && halted >= 0 && late != t && halted != t && halted != late);
	touch_fresh_pages(100);
	assert_int_equal(upci_perf_stop(p), 0);
	assert_true(value_of(p, late) > 0 && value_of(p, late) <= value_of(p, t) - count);
	assert_int_equal(value_of(p, halted), 0);
	check_time(p, fd, late);
	count = value_of(p, t);
	assert_int_equal(upci_perf_halt(p, t), 0);
	assert_int_equal(upci_perf_continue(p, halted), 0);
	check_time(p, fd, halted);
	assert_int_equal(value_of(p, t), count);
	/* The same again changes nothing. */
	assert_int_equal(upci_perf_halt(p, t), 0);
	assert_int_equal(upci_perf_continue(p, t), 0);
	assert_int_equal(upci_perf_continue(p, t), 0);
	assert_int_equal(value_of(p, t), count);
	check_time(p, fd, t);
	/* The others go. */
	upci_perf_remove(p, late);
	upci_perf_remove(p, f);
	upci_perf_remove(p, halted);
	check_time(p, fd, t);
	upci_perf_remove(p, t);
	assert_int_equal(p->groups, 0);
	close(fd);
	upci_perf_destroy(p);
}

/* A halt that fails leaves the task clock as it was. */
TEST(test_time_of_a_group_that_cannot_be_read)
{
	struct upci_perf *p = create_own(false);
	int t = upci_perf_add(p, &clock_spec, false, "clock"), keep, none;
	uint64_t count;

	assert_true(t >= 0);
	assert_int_equal(upci_perf_start(p), 0);
	touch_fresh_pages(300);
	count = value_of(p, t);
	keep = dup(p->group[0].leader[0]);
	none = open("/", O_RDONLY | O_CLOEXEC);
	assert_true(keep >= 0 && none >= 0);
	assert_true(dup2(none, p->group[0].leader[0]) >= 0);
	assert_int_equal(upci_perf_halt(p, t), UPC_ESYSTEM);
	assert_true(dup2(keep, p->group[0].leader[0]) >= 0);
	assert_true(value_of(p, t) > count);
	assert_int_equal(upci_perf_halt(p, t), 0);
	count = value_of(p, t);
	assert_true(count > 0);
	touch_fresh_pages(100);
	assert_int_equal(value_of(p, t), count);
	assert_int_equal(upci_perf_stop(p), 0);
	close(none);
	close(keep);
	upci_perf_destroy(p);
}

/* A start of what has ended is refused, and leaves what was counted. */
static void start_when_ended(enum upc_context_kind kind, bool inherit, int expected)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	uint64_t value[8], after[8];
	struct upci_context context;
	struct upci_perf *p;
	uint8_t how[8];
	int go[2], done[2], f;
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	child = fork();
	if (child == 0) {
		close(go[1]);
		while (write(done[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1)
			touch_fresh_pages(20);
		_exit(0);
	}
	assert_true(child > 0);
	/* A sanitizer makes a thread in it first: made while a group is being opened, the
	 * thread would inherit a part of it (upci_perf_check). */
	assert_int_equal(read(done[0], &byte, 1), 1);
	options.context = kind;
	options.pid = child;
	options.inherit = inherit;
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_int_equal(upci_perf_create(&context, &p), 0);
	f = upci_perf_add(p, &faults, false, "faults");
	assert_true(f >= 0);
	assert_int_equal(upci_perf_start(p), 0);
	assert_int_equal(write(go[1], &byte, 1), 1);
	assert_int_equal(read(done[0], &byte, 1), 1);
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_true(value[f] >= 20);
	assert_int_equal(upci_perf_start(p), 0);
	assert_int_equal(upci_perf_stop(p), 0);
	close(go[0]);
	close(go[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_int_equal(upci_perf_start(p), expected);
	if (expected)
		assert_message("ended");
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(upci_perf_read(p, after, how), 0);
	assert_int_equal(after[f], value[f]);
	upci_perf_destroy(p);
	close(done[0]);
	close(done[1]);
}

TEST(test_starts_of_what_has_ended)
{
	start_when_ended(UPC_CONTEXT_THREAD, false, UPC_ENOTASK);
	start_when_ended(UPC_CONTEXT_PROCESS, false, UPC_ENOTASK);
	/* Its children would count on. */
	start_when_ended(UPC_CONTEXT_THREAD, true, 0);
}

static void *hand_over_tid(void *tid)
{
	*(pid_t *)tid = gettid();
	return NULL;
}

/* A thread of our own that has ended, of which a unit was made while it lived. */
TEST(test_starts_of_a_thread_that_has_ended)
{
	struct upci_perf *p = create_own(false);
	uint64_t value[8];
	uint8_t how[8];
	pthread_t thread;
	pid_t tid = 0;
	int f = upci_perf_add(p, &faults, false, "faults");

	assert_true(f >= 0);
	assert_int_equal(pthread_create(&thread, NULL, hand_over_tid, &tid), 0);
	pthread_join(thread, NULL);
	/* Whom the events are for: as if they had been opened in that thread. */
	p->context.tid = tid;
	assert_int_equal(upci_perf_start(p), UPC_ENOTASK);
	assert_message("has ended");
	p->context.tid = gettid();
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_int_equal(value[f], 0);
	upci_perf_destroy(p);
}

/* Lives until the pipe is closed. */
static void *outlive(void *pipe_end)
{
	char byte;

	while (read(*(int *)pipe_end, &byte, 1) == 1)
		;
	_exit(0);
}

/* A process whose first thread has ended has others, which are counted. */
TEST(test_starts_of_a_process_without_its_first_thread)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	int go[2], done[2], f;
	struct upci_context context;
	struct upci_perf *p;
	pthread_t thread;
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	child = fork();
	if (child == 0) {
		close(go[1]);
		if (pthread_create(&thread, NULL, outlive, &go[0]) || write(done[1], &byte, 1) != 1 ||
		    read(go[0], &byte, 1) != 1)
			_exit(1);
		syscall(SYS_exit, 0);
	}
	assert_true(child > 0);
	close(go[0]);
	assert_int_equal(read(done[0], &byte, 1), 1);
	options.context = UPC_CONTEXT_PROCESS;
	options.pid = child;
	assert_int_equal(upci_context_set(&context, &options), 0);
	assert_int_equal(upci_perf_create(&context, &p), 0);
	f = upci_perf_add(p, &faults, false, "faults");
	assert_true(f >= 0);
	/* Either of its threads may take what is written. */
	while (!upci_perf_has_ended(child)) {
		assert_int_equal(write(go[1], &byte, 1), 1);
		usleep(1000);
	}
	assert_int_equal(upci_perf_start(p), 0);
	assert_int_equal(upci_perf_stop(p), 0);
	close(go[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(upci_perf_start(p), UPC_ENOTASK);
	assert_message("has ended");
	upci_perf_destroy(p);
	close(done[0]);
	close(done[1]);
}

/* Any order of adds, halts and removes leaves every handle its own count. */
TEST(test_handles_come_and_go)
{
	struct upci_perf *p = create_own(false);
	uint64_t seed = 5, value[64], base[64] = {0};
	uint8_t how[64];
	bool used[64] = {false}, halted[64] = {false};
	int round, i;

	assert_int_equal(upci_perf_start(p), 0);
	for (round = 0; round < 400; round++) {
		unsigned what = (unsigned)(random_next(&seed) % 4);

		i = (int)(random_next(&seed) % 12);
		if (what == 0) {
			i = upci_perf_add(p, &faults, false, "faults");
			assert_true(i >= 0 && i < 64);
			assert_false(used[i]);
			used[i] = true;
			halted[i] = false;
			base[i] = 0;
		} else if (used[i] && what == 1) {
			upci_perf_remove(p, i);
			used[i] = false;
		} else if (used[i] && what == 2) {
			assert_int_equal(halted[i] ? upci_perf_continue(p, i) : upci_perf_halt(p, i), 0);
			halted[i] = !halted[i];
		}
		/* Faults of the test's own memory are in the base. */
		assert_int_equal(upci_perf_read(p, value, how), 0);
		for (i = 0; i < 64; i++)
			if (used[i])
				base[i] = value[i];
		touch_fresh_pages(30);
		assert_int_equal(upci_perf_read(p, value, how), 0);
		for (i = 0; i < 64; i++)
			if (used[i])
				assert_in_range(value[i] - base[i], halted[i] ? 0 : 30,
						halted[i] ? 0 : 30 + FAULT_SLACK);
	}
	upci_perf_destroy(p);
}

static void *close_later(void *fd)
{
	usleep(5000);
	close(*(int *)fd);
	return NULL;
}

/* A copy of the descriptor keeps a removed event in its group: a child before its exec, or a reader
 * of /proc. */
TEST(test_a_removed_event_that_another_holds)
{
	struct upci_perf *p = create_own(false);
	uint64_t before[8], after[8];
	uint8_t how[8];
	pthread_t thread;
	int first, second, third, copy;

	first = upci_perf_add(p, &faults, false, "first");
	second = upci_perf_add(p, &faults, false, "second");
	third = upci_perf_add(p, &faults, false, "third");
	assert_int_equal(upci_perf_start(p), 0);
	copy = dup(p->member[second].fd[0]);
	assert_true(copy >= 0);
	upci_perf_remove(p, second);
	assert_int_equal(upci_perf_read(p, before, how), UPC_ESYSTEM);
	assert_message("copy of its descriptor");

	assert_int_equal(pthread_create(&thread, NULL, close_later, &copy), 0);
	assert_int_equal(upci_perf_read(p, before, how), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(upci_perf_read(p, before, how), 0);
	touch_fresh_pages(100);
	assert_int_equal(upci_perf_read(p, after, how), 0);
	assert_in_range(after[first] - before[first], 100, 100 + FAULT_SLACK);
	assert_int_equal(after[third] - before[third], after[first] - before[first]);
	upci_perf_destroy(p);
}

struct worker {
	sem_t ready, go, done, end;
	pid_t tid;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	w->tid = (pid_t)syscall(SYS_gettid);
	sem_post(&w->ready);
	sem_wait(&w->go);
	touch_fresh_pages(40);
	sem_post(&w->done);
	sem_wait(&w->end);
	return NULL;
}

TEST(test_targets_are_summed)
{
	struct upc_unit_options process = UPC_OPTIONS_INIT(upc_unit_options);
	struct upci_context context;
	struct worker w[3];
	pthread_t thread[3];
	struct upci_perf *p;
	uint64_t value[4];
	uint8_t how[4];
	int i, f;

	for (i = 0; i < 3; i++) {
		sem_init(&w[i].ready, 0, 0);
		sem_init(&w[i].go, 0, 0);
		sem_init(&w[i].done, 0, 0);
		sem_init(&w[i].end, 0, 0);
		assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
		sem_wait(&w[i].ready);
	}
	process.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upci_context_set(&context, &process), 0);
	assert_int_equal(upci_perf_create(&context, &p), 0);
	f = upci_perf_add(p, &faults, false, "faults");
	assert_true(f >= 0);
	assert_int_equal(upci_perf_start(p), 0);
	for (i = 0; i < 3; i++) {
		sem_post(&w[i].go);
		sem_wait(&w[i].done);
	}
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_faults(value[f], 120);
	/* Threads that have ended keep their counts. */
	for (i = 0; i < 3; i++) {
		sem_post(&w[i].end);
		pthread_join(thread[i], NULL);
	}
	assert_int_equal(upci_perf_stop(p), 0);
	assert_int_equal(upci_perf_read(p, value, how), 0);
	assert_faults(value[f], 120);
	upci_perf_destroy(p);
}

TEST(test_refusals)
{
	static const struct upci_perf_spec nonsense = {
		.type = 0x7fffffff, .exclude_kernel = 1, .exclude_hv = 1};
	struct upci_context gone = {
		.kind = UPC_CONTEXT_THREAD, .pid = 0x3fffffff, .tid = 0x3fffffff, .cpu = -1};
	struct upci_perf *p;

	assert_int_equal(upci_perf_create(&gone, &p), 0);
	assert_int_equal(upci_perf_add(p, &faults, false, "the event"), UPC_ENOTASK);
	assert_message("the event: ");
	upci_perf_destroy(p);
	p = create_own(false);
	assert_int_equal(upci_perf_add(p, &nonsense, false, "nonsense"), UPC_ENOSUPP);
	assert_int_equal(upci_perf_probe(&nonsense, "nonsense"), UPC_ENOSUPP);
	/* The refusal has left nothing behind. */
	assert_int_equal(upci_perf_start(p), 0);
	assert_int_equal(upci_perf_read(p, NULL, NULL), 0);
	upci_perf_destroy(p);
}

TEST(test_descriptor_reserve)
{
	rlim_t old;
	struct upci_perf *p = create_own(false);
	int handle, n = 0, fd;

	old = limit_descriptors(128);
	while ((handle = upci_perf_add(p, &faults, false, "faults")) >= 0)
		n++;
	assert_int_equal(handle, UPC_EMFILE);
	assert_message("ulimit -n");
	assert_true(n > 20);
	fd = dup(0);
	assert_true(fd >= 0);
	close(fd);
	upci_perf_destroy(p);
	limit_descriptors(old);
}

/* A fork in another thread may meet one that waits as it is being written, or goes. */
TEST(test_a_child_finds_a_member_half_written)
{
	struct upci_perf *p = create_own(false);
	int half;

	assert_int_equal(upci_perf_add(p, &faults, false, "faults"), 0);
	half = upci_perf_reserve_handle(p, "half");
	assert_int_equal(half, 1);
	p->member[half].used = true;
	p->member[half].group = 7;
	upci_perf_forked(p);
	upci_perf_destroy(p);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
