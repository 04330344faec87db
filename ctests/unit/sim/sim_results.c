/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results file: made, opened, refused, and its places.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/machine.h"
#include "count/memory.h"
#include "results_test.h"

TEST_WITH(test_open, set_up, tear_down)
{
	struct upcs_results *other = upcs_results_open(path);
	struct stat st;

	assert_non_null(other);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	results->options.regions = 7;
	assert_int_equal(other->options.regions, 7);
	munmap(other, sizeof(*other));
	/* Little of it takes memory. */
	assert_true(st.st_blocks * 512 < 1 << 20);
}

TEST_WITH(test_refused, set_up, tear_down)
{
	assert_null(upcs_results_open("/dev/null"));
	assert_null(upcs_results_open("/nonexistent"));
	assert_null(upcs_results_open("/dev/shm"));
	results->magic++;
	assert_null(upcs_results_open(path));
	results->magic--;
	results->version++;
	assert_null(upcs_results_open(path));
	results->version--;
	results->layout--;
	assert_null(upcs_results_open(path));
	results->layout++;
	assert_int_equal(truncate(path, 100000), 0);
	assert_null(upcs_results_open(path));
	assert_int_equal(truncate(path, sizeof(*results)), 0);
	assert_null(upcs_results_open(path) ? NULL : path);
}

TEST_WITH(test_places, set_up, tear_down)
{
	uint32_t index, i;

	for (i = 0; i < UPCS_PROCESSES_MAX; i++) {
		assert_ptr_equal(upcs_records_process(results, &index), &results->process[i]);
		assert_int_equal(index, i);
		assert_int_equal(upcs_results_state(&results->process[i].state), UPCS_MAKING);
		assert_int_equal(results->process[i].state >> UPCS_STATE_BITS, getpid());
		assert_int_equal(results->process[i].serial, i);
		assert_int_equal(results->process[i].space, upcs_results_space());
	}
	assert_null(upcs_records_process(results, &index));
	assert_null(upcs_records_process(results, &index));
	assert_int_equal(upcs_results_processes(results), UPCS_PROCESSES_MAX);
	assert_int_equal(results->processes.without, 2);
	results->threads.there = UPCS_THREADS_MAX - 1;
	assert_ptr_equal(upcs_records_thread(results, 7, &index), &results->thread[UPCS_THREADS_MAX - 1]);
	assert_int_equal(results->thread[index].process, 7);
	results->threads.there = UINT32_MAX; /* whatever lies there */
	assert_int_equal(upcs_results_threads(results), UPCS_THREADS_MAX);
	assert_int_equal(results->processes.without_memory | results->threads.without_memory, 0);
	results->threads.there = 1;
	results->processes.there = 1;
}

/* A record that was made free is zero, and is taken before a new one. */
TEST_WITH(test_reuse, set_up, tear_down)
{
	struct upcs_thread *thread;
	uint32_t index, i;

	for (i = 0; i < 10; i++)
		assert_non_null(upcs_records_thread(results, i, &index));
	thread = &results->thread[4];
	thread->tid = 5;
	thread->entered[UPCS_REGIONS_MAX - 1] = 6;
	upcs_records_free_thread(results, 4);
	assert_ptr_equal(upcs_records_thread(results, 77, &index), thread);
	assert_int_equal(thread->tid + (int)thread->entered[UPCS_REGIONS_MAX - 1], 0);
	assert_int_equal(thread->process, 77);
	assert_int_equal(upcs_results_threads(results), 10);
	assert_ptr_equal(upcs_records_thread(results, 0, &index), &results->thread[10]);
}

/* All are taken, and one has ended: it is waited for until it is free. */
TEST_WITH(test_waits, set_up, tear_down)
{
	const struct timespec soon = {.tv_nsec = 50000000};
	uint32_t index, i;
	int status;

	for (i = 0; i < UPCS_PROCESSES_MAX; i++)
		assert_non_null(upcs_records_process(results, &index));
	results->process[1000].state = UPCS_ENDED;
	if (fork() == 0)
		_exit(upcs_records_process(results, &index) != &results->process[1000]);
	nanosleep(&soon, NULL);
	assert_int_equal(results->process[1000].state, UPCS_ENDED);
	results->processes.free = -5; /* it says about how many there are */
	upcs_records_free_process(results, 1000);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(results->processes.without, 0);
	/* Nobody will make it free. */
	results->process[1000].state = UPCS_ENDED;
	results->closed = 1;
	assert_null(upcs_records_process(results, &index));
	assert_int_equal(results->processes.without, 1);
}

/* The file's memory ends: that is said, and nobody looks beyond. */
TEST_WITH(test_memory, set_up, tear_down)
{
	const size_t end = (offsetof(struct upcs_results, thread[3]) / UPCS_PAGE + 1) * UPCS_PAGE;
	uint32_t index, i, n = 0;

	assert_int_equal(truncate(path, (off_t)end), 0);
	if (!machine_tells_memory() && !machine_reads_itself())
		skip_because("neither this kernel nor its sandbox tells what has no memory");
	while (upcs_records_thread(results, 0, &index))
		n++;
	assert_true(n == 3 || n == 4);
	assert_int_equal(upcs_results_threads(results), n);
	assert_int_equal(results->threads.without, 1);
	assert_int_equal(results->threads.without_memory, 1);
	upcs_results_settle(results, path);
	for (i = 0; i < n; i++)
		assert_int_equal(results->thread[i].state, UPCS_LOST);
}

/* Each place is given to one. */
TEST_WITH(test_processes, set_up, tear_down)
{
	int status, k;
	uint32_t i;

	for (k = 0; k < 4; k++)
		if (fork() == 0) {
			for (i = 0; i < 500; i++) {
				uint32_t index;
				struct upcs_thread *thread =
					upcs_records_thread(results, (uint32_t)k, &index);

				if (!thread || thread->tid ||
				    upcs_results_state(&thread->state) != UPCS_MAKING)
					_exit(1);
				thread->tid = getpid();
			}
			_exit(0);
		}
	for (k = 0; k < 4; k++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	assert_int_equal(results->threads.there, 2000);
	for (i = 0; i < 2000; i++)
		assert_int_not_equal(results->thread[i].tid, 0);
	upcs_results_settle(results, path);
	assert_int_equal(results->thread[7].state, UPCS_LOST);
}

/* A process that outlives upc_run learns of it. */
TEST(test_closed)
{
	char name[UPCS_WORD_MAX];
	int own_lock;
	struct upcs_results *own = upcs_results_create(name, &own_lock), *other;

	assert_non_null(own);
	other = upcs_results_open(name);
	assert_non_null(other);
	assert_false(upcs_results_are_closed(other));
	upcs_results_destroy(own, name, own_lock);
	assert_true(upcs_results_are_closed(other));
	munmap(other, sizeof(*other));
}

UNIT_TESTS(sim_results, NULL, NULL)
