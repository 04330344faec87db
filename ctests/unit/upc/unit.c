/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit on the live source: start and stop, retarget, fork, threads that end.
 */
#include <pthread.h>
#include <signal.h>

#include "unit/unit.h"
#include "catalogue_test.h"

static uint32_t faults, minor_faults, clock_ns, cpu_clock;

static struct upc_unit *create_with_faults(void)
{
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	return u;
}

TEST(test_start_stop_reset)
{
	struct upc_unit *u = create_with_faults();
	uint64_t value, held;

	assert_false(upc_unit_running(u));
	touch_fresh_pages(30);
	assert_int_equal(event_value(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(1000);
	value = event_value(u, faults);
	assert_faults(value, 1000);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	held = event_value(u, faults);
	assert_faults(held, value);
	touch_fresh_pages(100);
	assert_int_equal(event_value(u, faults), held);
	/* Counting goes on from the counter's value. */
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), held + 100);
	assert_int_equal(upc_unit_reset(u), 0);
	touch_fresh_pages(10);
	assert_faults(event_value(u, faults), 10);
	upc_unit_destroy(u);
}

TEST(test_events_join_and_leave_while_running)
{
	struct upc_unit *u = create_with_faults();
	uint64_t first, then, before;

	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	before = now_ns();
	assert_int_equal(upc_unit_add(u, clock_ns), 0);
	first = event_value(u, clock_ns);
	assert_in_range(first, 0, now_ns() - before);
	touch_fresh_pages(100);
	then = event_value(u, clock_ns);
	assert_true(then > first);
	assert_faults(event_value(u, faults), 200);
	assert_int_equal(upc_unit_remove(u, clock_ns), 0);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), 300);
	upc_unit_destroy(u);
}

/* Whether a removed event is still there, and what counts is to be opened anew. */
static enum upci_source_wish wish(struct upc_unit *u)
{
	return upci_sources_wish(&u->sources);
}

/* The first event leads the others' group: it is halted and leaves as any other does. */
TEST(test_first_event_leaves)
{
	struct upc_unit *u = create_with_faults();
	uint64_t held;

	assert_int_equal(upc_unit_add(u, minor_faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_counter_halt(u, 0), 0);
	held = event_value(u, faults);
	assert_faults(held, 100);
	touch_fresh_pages(100);
	assert_int_equal(event_value(u, faults), held);
	assert_faults(event_value(u, minor_faults), 200);
	assert_int_equal(upc_counter_continue(u, 0), 0);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), held + 100);
	assert_int_equal(upc_unit_remove(u, faults), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_RENEW);
	touch_fresh_pages(100);
	assert_faults(event_value(u, minor_faults), 400);
	/* It comes again, from 0. */
	assert_int_equal(upc_unit_add(u, faults), 0);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), 100);
	assert_int_equal(upc_unit_stop(u), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_FINE);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), 200);
	assert_faults(event_value(u, minor_faults), 600);
	/* All others leave: what goes on is closed with the last. */
	assert_int_equal(upc_unit_remove(u, minor_faults), 0);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), 300);
	assert_int_equal(upc_unit_remove(u, faults), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_FINE);
	upc_unit_destroy(u);
}

/* Events that are opened anew at a start, beside a clock that is not to go on while the unit
 * is stopped. */
TEST(test_clocks_stop_where_others_leave)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	struct upc_unit *u = create_with_faults();
	uint64_t held, before, most;

	assert_int_equal(upc_unit_add(u, minor_faults), 0);
	assert_int_equal(upc_unit_add(u, clock_ns), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_remove(u, faults), 0);
	held = event_value(u, clock_ns);
	assert_int_equal(nanosleep(&moment, NULL), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_RENEW);
	before = now_ns();
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(wish(u), UPCI_SOURCE_FINE);
	assert_int_equal(upc_unit_stop(u), 0);
	most = now_ns() - before;
	assert_in_range(event_value(u, clock_ns), held + 1, held + most);
	assert_faults(event_value(u, minor_faults), 100);
	upc_unit_destroy(u);
}

static void make_calls(unsigned n)
{
	while (n--)
		(void)getppid();
}

/* Whatever leads and joins, of the kernel's three PMUs of software events. */
TEST(test_kinds_join_while_running)
{
	uint32_t kind[] = {faults, cpu_clock, 0};
	unsigned kinds = 2, i, k;
	struct upc_unit *u;
	uint64_t before, value;

	/* For who may have them. */
	if (!upc_catalogue_find(c, "tp::syscalls:sys_enter_getppid", &kind[2]))
		kinds = 3;
	for (i = 0; i < kinds; i++)
		for (k = 0; k < kinds; k++) {
			if (i == k)
				continue;
			assert_int_equal(upc_unit_create(c, NULL, &u), 0);
			assert_int_equal(upc_unit_add(u, kind[i]), 0);
			assert_int_equal(upc_unit_start(u), 0);
			assert_int_equal(upc_unit_add(u, kind[k]), 0);
			touch_fresh_pages(200);
			make_calls(200);
			value = event_value(u, kind[k]);
			if (k == 1)
				assert_true(value > 0);
			else
				assert_faults(value, 200);
			/* The other one has missed nothing. */
			assert_int_equal(upc_counter_halt(u, 1), 0);
			value = event_value(u, kind[k]);
			before = event_value(u, kind[i]);
			touch_fresh_pages(200);
			make_calls(200);
			assert_int_equal(event_value(u, kind[k]), value);
			assert_int_equal(upc_counter_continue(u, 1), 0);
			touch_fresh_pages(200);
			make_calls(200);
			if (k == 1)
				assert_true(event_value(u, kind[k]) > value);
			else
				assert_faults(event_value(u, kind[k]), value + 200);
			if (i == 1)
				assert_true(event_value(u, kind[i]) > before);
			else
				assert_faults(event_value(u, kind[i]), before + 400);
			upc_unit_destroy(u);
		}
}

/* A lack of descriptors is UPC_EMFILE, wherever it occurs. */
TEST(test_descriptor_limit)
{
	static const enum upc_context_kind kind[] = {UPC_CONTEXT_THREAD, UPC_CONTEXT_PROCESS,
						     UPC_CONTEXT_MACHINE};
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	rlim_t before;
	struct upc_unit *u;
	uint32_t call;
	unsigned i;

	if (upc_catalogue_find(c, "tp::syscalls:sys_enter_getppid", &call))
		call = faults; /* for users who may not count tracepoints */
	for (i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		options.context = kind[i];
		assert_int_equal(upc_unit_create(c, &options, &u), 0);
		before = limit_descriptors(3);
		assert_int_equal(upc_unit_add(u, faults), UPC_EMFILE);
		assert_message("ulimit -n");
		assert_int_equal(upc_unit_add(u, call), UPC_EMFILE);
		assert_message("ulimit -n");
		limit_descriptors(before);
		if (kind[i] != UPC_CONTEXT_MACHINE || !geteuid()) /* a matter of rights */
			assert_int_equal(upc_unit_add(u, call), 0);
		upc_unit_destroy(u);
	}
}

/* A commit that fails half way closes the events that it has opened, and no others. */
TEST(test_commit_that_fails_half_way)
{
	struct upci_event event = {.name = "test::nothing", .id = UPC_NO_ID};
	struct upc_unit *u = create_with_faults();
	struct upc_transaction *t;
	unsigned open;
	int64_t bad;

	event.driver = (struct upci_driver){
		.source = UPC_SOURCE_PERF, .perf = "no_such_event_anywhere", .mul = 1, .div = 1};
	bad = upci_catalogue_put(c, &event);
	assert_true(bad >= 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	open = open_descriptors();
	assert_int_equal(upc_transaction_begin(u, &t), 0);
	assert_int_equal(upc_transaction_add(t, minor_faults, UPC_ANY_COUNTER), 0);
	assert_int_equal(upc_transaction_add(t, (uint32_t)bad, UPC_ANY_COUNTER), 0);
	assert_true(upc_transaction_commit(t) < 0);
	assert_int_equal(open_descriptors(), open);
	touch_fresh_pages(100);
	assert_faults(event_value(u, faults), 200);
	assert_int_equal(upc_unit_add(u, minor_faults), 0);
	assert_int_equal(open_descriptors(), open + 1);
	assert_int_equal(upc_unit_remove(u, minor_faults), 0);
	assert_int_equal(open_descriptors(), open);
	upc_unit_destroy(u);
}

static void *use_cpu(void *arg)
{
	struct timespec used;

	(void)arg;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (!used.tv_sec && used.tv_nsec < 20000000);
	return NULL;
}

/* The clock of the process is that of all of its threads. */
TEST(test_clock_of_the_process)
{
	struct upc_unit *u;
	pthread_t thread;
	uint32_t cpu;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	cpu = event_code(c, "time::process_cpu_ns");
	assert_int_equal(upc_unit_add(u, cpu), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(pthread_create(&thread, NULL, use_cpu, NULL), 0);
	pthread_join(thread, NULL);
	assert_true(event_value(u, cpu) >= 20000000);
	upc_unit_destroy(u);
}

/* A child changes what it counts before it starts. */
TEST(test_fork_changes_events)
{
	struct upc_unit *u = create_with_faults();
	pid_t pid;

	assert_int_equal(upc_unit_add(u, minor_faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(50);
	pid = fork();
	if (pid == 0) {
		uint64_t value = 0;
		bool good = upc_unit_remove(u, faults) == 0 && upc_unit_add(u, clock_ns) == 0 &&
			    upc_unit_start(u) == 0;

		touch_fresh_pages(200);
		good = good && upc_unit_stop(u) == 0 &&
		       upc_unit_read_events(u, &minor_faults, 1, &value) == 0 && value >= 200 &&
		       value < 200 + FAULT_SLACK;
		upc_unit_destroy(u);
		_exit(good ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(end_of(pid), 0);
	upc_unit_destroy(u);
}

TEST(test_fork_starts_clean)
{
	struct upc_unit *u = create_with_faults();
	pid_t pid;

	assert_int_equal(upc_unit_add(u, clock_ns), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(50);
	pid = fork();
	if (pid == 0) {
		uint64_t value, before = now_ns();
		bool good = !upc_unit_running(u) && upc_unit_stop(u) == 0 &&
			    upc_unit_read_events(u, &faults, 1, &value) == 0 && value == 0;

		good = good && upc_unit_start(u) == 0;
		touch_fresh_pages(200);
		good = good && upc_unit_stop(u) == 0 && upc_unit_read_events(u, &faults, 1, &value) == 0 &&
		       value >= 200 && value < 200 + FAULT_SLACK;
		good = good && upc_unit_read_events(u, &clock_ns, 1, &value) == 0 && value > 0 &&
		       value <= now_ns() - before;
		upc_unit_destroy(u);
		_exit(good ? 0 : 1);
	}
	assert_true(pid > 0);
	touch_fresh_pages(50);
	assert_int_equal(end_of(pid), 0);
	/* The child's stop and destroy were its own. The fork itself copies page
	 * tables: a few faults more, but not the child's 200. */
	touch_fresh_pages(50);
	assert_in_range(event_value(u, faults), 150, 300 + FAULT_SLACK);
	assert_true(upc_unit_running(u));
	upc_unit_destroy(u);
}

static void *count_and_end(void *arg)
{
	struct upc_unit **u = arg;

	*u = create_with_faults();
	assert_int_equal(upc_unit_start(*u), 0);
	touch_fresh_pages(300);
	return NULL;
}

TEST(test_thread_that_ends_while_it_counts)
{
	struct upc_unit *u;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, count_and_end, &u), 0);
	pthread_join(thread, NULL);
	assert_faults(event_value(u, faults), 300);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_faults(event_value(u, faults), 300);
	upc_unit_destroy(u);
}

/* A child that lives, waits for bytes, and faults 100 pages for each. */
static pid_t start_child(int *to)
{
	int pipes[2], back[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pipe(back), 0);
	pid = fork();
	if (pid == 0) {
		close(pipes[1]);
		while (read(pipes[0], &byte, 1) == 1) {
			touch_fresh_pages(100);
			if (write(back[1], "x", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(pipes[0]);
	close(back[1]);
	to[0] = back[0];
	to[1] = pipes[1];
	return pid;
}

static void fault_in_child(const int *to)
{
	char byte;

	assert_int_equal(write(to[1], "x", 1), 1);
	assert_int_equal(read(to[0], &byte, 1), 1);
}

static void end_child(pid_t pid, const int *to)
{
	close(to[0]);
	close(to[1]);
	waitpid(pid, NULL, 0);
}

TEST(test_retarget)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u = create_with_faults();
	int to[2], i;
	pid_t pid = start_child(to);

	options.pid = pid;
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_retarget(u, &options), UPC_ESTATE);
	assert_int_equal(upc_unit_stop(u), 0);
	options.pid = 0x3fffffff;
	assert_int_equal(upc_unit_retarget(u, &options), UPC_ENOTASK);
	options.pid = pid;
	assert_int_equal(upc_unit_retarget(u, &options), 0);
	assert_int_equal(event_value(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(77);
	for (i = 0; i < 8; i++)
		fault_in_child(to);
	assert_faults(event_value(u, faults), 800);
	end_child(pid, to);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_faults(event_value(u, faults), 800);
	upc_unit_destroy(u);
}

TEST(test_inherit)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	pid_t pid;

	options.inherit = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	pid = fork();
	if (pid == 0) {
		touch_fresh_pages(1000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	assert_in_range(event_value(u, faults), 1000, 1300 + FAULT_SLACK);
	upc_unit_destroy(u);
}

static unsigned count_perf_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], target[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) > 0)
			n += strcmp(target, "anon_inode:[perf_event]") == 0;
	}
	return n;
}

/* Each fork makes every event anew: there is none that counts nothing. The first one leads,
 * and when it leaves, the children that there are go on being counted. */
TEST(test_first_event_leads_what_children_inherit)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	unsigned before = count_perf_descriptors();
	uint64_t counted;
	struct upc_unit *u;
	int to[2];
	pid_t pid;

	options.inherit = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_add(u, minor_faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(count_perf_descriptors() - before, 2);
	pid = start_child(to);
	fault_in_child(to);
	assert_int_equal(upc_unit_remove(u, faults), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	counted = event_value(u, minor_faults);
	assert_in_range(counted, 100, 400 + FAULT_SLACK);
	fault_in_child(to);
	assert_int_equal(upc_unit_start(u), 0);
	assert_in_range(event_value(u, minor_faults), counted, counted + FAULT_SLACK);
	for (int i = 0; i < 20; i++)
		fault_in_child(to);
	assert_in_range(event_value(u, minor_faults), counted + 2000, counted + 2000 + 2 * FAULT_SLACK);
	end_child(pid, to);
	upc_unit_destroy(u);
}

/* The kernel keeps a group in each inherited child; one that grows in the parent
 * alone can no longer be read. */
TEST(test_events_join_with_live_children)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	uint32_t minor = event_code(c, "perf::MINOR-FAULTS");
	struct upc_unit *u;
	uint64_t before;
	int to[2], i;
	pid_t pid;

	options.inherit = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	pid = start_child(to);
	for (i = 0; i < 20; i++) {
		fault_in_child(to);
		assert_int_equal(upc_unit_add(u, minor), 0);
		before = event_value(u, minor);
		touch_fresh_pages(50);
		assert_faults(event_value(u, minor) - before, 50);
		fault_in_child(to);
		assert_int_equal(upc_unit_remove(u, minor), 0);
	}
	assert_in_range(event_value(u, faults), 20 * 250, 20 * 250 + 400 + 20 * FAULT_SLACK);
	end_child(pid, to);
	assert_int_equal(upc_unit_stop(u), 0);
	upc_unit_destroy(u);
}

static void *fault_and_end(void *arg)
{
	touch_fresh_pages(500);
	return arg;
}

/* Threads that come between create and add, or later, count; forked children do
 * not, unless they are to be inherited. */
TEST(test_process_is_its_threads)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	pthread_t thread;
	int to[2];
	pid_t pid;

	options.context = UPC_CONTEXT_PROCESS;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	assert_int_equal(pthread_create(&thread, NULL, fault_and_end, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(upc_unit_add(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(pthread_create(&thread, NULL, fault_and_end, NULL), 0);
	pthread_join(thread, NULL);
	pid = start_child(to);
	for (int i = 0; i < 60; i++)
		fault_in_child(to);
	assert_in_range(event_value(u, faults), 500, 800 + FAULT_SLACK);
	end_child(pid, to);
	upc_unit_destroy(u);
}

/* An image that faults, says so and waits: /bin/sh reading its standard input. */
static pid_t start_image(int *to)
{
	int pipes[2], back[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pipe(back), 0);
	pid = fork();
	if (pid == 0) {
		close(pipes[1]);
		if (read(pipes[0], &byte, 1) != 1)
			_exit(1);
		dup2(pipes[0], 0);
		dup2(back[1], 1);
		execl("/bin/sh", "sh", "-c", "echo; read x", (char *)NULL);
		_exit(1);
	}
	close(pipes[0]);
	close(back[1]);
	to[0] = back[0];
	to[1] = pipes[1];
	return pid;
}

/* Asleep in its read: it sleeps before, too, where its files are somebody's who takes a while. */
static void wait_until_asleep_in_sh(pid_t pid, const int *to)
{
	char path[64], text[256];

	assert_int_equal(read(to[0], text, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (;;) {
		FILE *f = fopen(path, "r");

		assert_non_null(f);
		assert_non_null(fgets(text, sizeof(text), f));
		fclose(f);
		if (strstr(text, "(sh) S"))
			break;
		usleep(1000);
	}
}

TEST(test_enable_on_exec)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	uint32_t minor = event_code(c, "perf::MINOR-FAULTS");
	struct upc_unit *u;
	pid_t pid;
	int to[2], what;

	options.enable_on_exec = 1;
	assert_int_equal(upc_unit_create(c, &options, &u), UPC_EINVAL);
	/* Started, started and stopped, never started: before the exec. */
	for (what = 0; what < 3; what++) {
		pid = start_image(to);
		options.pid = pid;
		assert_int_equal(upc_unit_create(c, &options, &u), 0);
		assert_int_equal(upc_unit_add(u, faults), 0);
		if (what < 2) {
			assert_int_equal(upc_unit_start(u), 0);
			assert_int_equal(upc_unit_add(u, minor), UPC_ESTATE);
		}
		if (what == 1)
			assert_int_equal(upc_unit_stop(u), 0);
		assert_int_equal(write(to[1], "x", 1), 1);
		wait_until_asleep_in_sh(pid, to);
		if (what)
			assert_int_equal(upc_unit_start(u), 0);
		assert_in_range(event_value(u, faults), what ? 0 : 30, what ? 0 : 5000);
		end_child(pid, to);
		assert_int_equal(upc_unit_stop(u), 0);
		upc_unit_destroy(u);
	}
}

static int set_up(void **state)
{
	if (open_catalogue(state))
		return -1;
	faults = event_code(c, "perf::PAGE-FAULTS");
	minor_faults = event_code(c, "perf::MINOR-FAULTS");
	clock_ns = event_code(c, "time::real_ns");
	cpu_clock = event_code(c, "perf::CPU-CLOCK");
	return 0;
}

UNIT_TESTS(unit, set_up, close_catalogue)
