/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A unit on the live source: start and stop, retarget, fork, threads that end.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "unit.h"
#include "unit_test.h"

static struct upc_catalogue *c;
static uint32_t faults, clock_ns;

static uint64_t value_of(struct upc_unit *u, uint32_t code)
{
	uint64_t value;

	assert_int_equal(upc_unit_read_events(u, &code, 1, &value), 0);
	return value;
}

static struct upc_unit *create_with_faults(void)
{
	struct upc_unit *u;

	assert_int_equal(upc_unit_create(c, NULL, &u), 0);
	assert_int_equal(upc_unit_add(u, faults), 0);
	return u;
}

static void test_start_stop_reset(void **state)
{
	struct upc_unit *u = create_with_faults();
	uint64_t value, held;

	(void)state;
	assert_false(upc_unit_running(u));
	touch_fresh_pages(30);
	assert_int_equal(value_of(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(1000);
	value = value_of(u, faults);
	assert_faults(value, 1000);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_int_equal(upc_unit_stop(u), 0);
	held = value_of(u, faults);
	assert_faults(held, value);
	touch_fresh_pages(100);
	assert_int_equal(value_of(u, faults), held);
	/* Counting goes on from the counter's value. */
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_faults(value_of(u, faults), held + 100);
	assert_int_equal(upc_unit_reset(u), 0);
	touch_fresh_pages(10);
	assert_faults(value_of(u, faults), 10);
	upc_unit_destroy(u);
}

static void test_events_join_and_leave_while_running(void **state)
{
	struct upc_unit *u = create_with_faults();
	uint64_t first, then;

	(void)state;
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(100);
	assert_int_equal(upc_unit_add(u, clock_ns), 0);
	first = value_of(u, clock_ns);
	assert_true(first < 1000000000u);
	touch_fresh_pages(100);
	then = value_of(u, clock_ns);
	assert_true(then > first);
	assert_faults(value_of(u, faults), 200);
	assert_int_equal(upc_unit_remove(u, clock_ns), 0);
	touch_fresh_pages(100);
	assert_faults(value_of(u, faults), 300);
	upc_unit_destroy(u);
}

static void test_fork_starts_clean(void **state)
{
	struct upc_unit *u = create_with_faults();
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(upc_unit_add(u, clock_ns), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(50);
	pid = fork();
	if (pid == 0) {
		uint64_t value;
		bool good = !upc_unit_running(u) && upc_unit_stop(u) == 0 &&
			    upc_unit_read_events(u, &faults, 1, &value) == 0 && value == 0;

		good = good && upc_unit_start(u) == 0;
		touch_fresh_pages(200);
		good = good && upc_unit_stop(u) == 0 && upc_unit_read_events(u, &faults, 1, &value) == 0 &&
		       value >= 200 && value < 200 + FAULT_SLACK;
		good = good && upc_unit_read_events(u, &clock_ns, 1, &value) == 0 && value > 0 &&
		       value < 10000000000u;
		upc_unit_destroy(u);
		_exit(good ? 0 : 1);
	}
	assert_true(pid > 0);
	touch_fresh_pages(50);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* The child's stop and destroy were its own. The fork itself copies page
	 * tables: a few faults more, but not the child's 200. */
	touch_fresh_pages(50);
	assert_in_range(value_of(u, faults), 150, 300 + FAULT_SLACK);
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

static void test_thread_that_ends_while_it_counts(void **state)
{
	struct upc_unit *u;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, count_and_end, &u), 0);
	pthread_join(thread, NULL);
	assert_faults(value_of(u, faults), 300);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_faults(value_of(u, faults), 300);
	upc_unit_destroy(u);
}

static void test_retarget(void **state)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u = create_with_faults();
	int go[2], done[2], i;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		while (read(go[0], &byte, 1) == 1) {
			touch_fresh_pages(400);
			if (write(done[1], "x", 1) != 1)
				break;
		}
		_exit(0);
	}
	close(go[0]);
	options.pid = pid;
	assert_int_equal(upc_unit_start(u), 0);
	assert_int_equal(upc_unit_retarget(u, &options), UPC_ESTATE);
	assert_int_equal(upc_unit_stop(u), 0);
	options.pid = 0x3fffffff;
	assert_int_equal(upc_unit_retarget(u, &options), UPC_ENOTASK);
	options.pid = pid;
	assert_int_equal(upc_unit_retarget(u, &options), 0);
	assert_int_equal(value_of(u, faults), 0);
	assert_int_equal(upc_unit_start(u), 0);
	touch_fresh_pages(77);
	for (i = 0; i < 2; i++) {
		assert_int_equal(write(go[1], "x", 1), 1);
		assert_int_equal(read(done[0], &byte, 1), 1);
	}
	assert_faults(value_of(u, faults), 800);
	close(go[1]);
	waitpid(pid, NULL, 0);
	assert_int_equal(upc_unit_stop(u), 0);
	assert_faults(value_of(u, faults), 800);
	upc_unit_destroy(u);
	close(done[0]);
	close(done[1]);
}

static void test_inherit(void **state)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;
	pid_t pid;

	(void)state;
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
	assert_in_range(value_of(u, faults), 1000, 1300 + FAULT_SLACK);
	upc_unit_destroy(u);
}

static int set_up(void **state)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};

	(void)state;
	if (upc_catalogue_open(&options, &c))
		return -1;
	faults = event_code(c, "perf::PAGE-FAULTS");
	clock_ns = event_code(c, "time::real_ns");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	upc_catalogue_close(c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_stop_reset),
		cmocka_unit_test(test_events_join_and_leave_while_running),
		cmocka_unit_test(test_fork_starts_clean),
		cmocka_unit_test(test_thread_that_ends_while_it_counts),
		cmocka_unit_test(test_retarget),
		cmocka_unit_test(test_inherit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
