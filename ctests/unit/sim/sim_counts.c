/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of raw counts, and what is made of it when its process is gone.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/machine.h"
#include "count/memory.h"
#include "count/left.h"
#include "results_test.h"

static struct upcs_kind kind_of(uint32_t instructions)
{
	struct upcs_kind kind = {.function = 0};

	kind.tally[UPCS_INSTRUCTIONS] = instructions;
	return kind;
}

static struct upcs_thread *make_thread(uint32_t *index)
{
	struct upcs_thread *thread = upcs_records_thread(results, 0, index);

	assert_non_null(thread);
	thread->state = UPCS_RUNS;
	return thread;
}

static struct upcs_counts *make_counts(uint32_t kinds)
{
	struct upcs_counts *counts = upcs_counts_create(counts_path, NULL, 0, NULL);
	uint32_t i;

	assert_non_null(counts);
	for (i = 0; i < kinds; i++) {
		struct upcs_kind kind = kind_of(i);

		assert_true(upcs_counts_add_kind(counts, &kind));
	}
	return counts;
}

TEST_WITH(test_settle, set_up, tear_down)
{
	uint32_t process, a, b;
	struct upcs_counts *counts;
	struct upcs_thread *first, *second;
	int array;

	assert_non_null(upcs_records_process(results, &process));
	counts = make_counts(2000);
	first = make_thread(&a);
	second = make_thread(&b);
	array = upcs_counts_take(counts, a, 0);
	counts->count[array][3] = 10;
	counts->count[array][1999] = 2;
	array = upcs_counts_take(counts, a, 1u << 1 | 1u << 14);
	counts->count[array][5] = UINT64_C(1) << 40;
	array = upcs_counts_take(counts, b, 0);
	counts->count[array][7] = 1;
	/* Some of it was folded already; of the second, all and its end. */
	first->tally[0][UPCS_INSTRUCTIONS] = 30;
	second->tally[0][UPCS_INSTRUCTIONS] = 7;
	second->state = UPCS_ENDED;
	upcs_counts_destroy(counts, NULL);

	upcs_results_settle(results, path);
	assert_int_equal(first->tally[0][UPCS_INSTRUCTIONS], 30 + 2 * 1999 + (UINT64_C(5) << 40));
	assert_int_equal(first->tally[2][UPCS_INSTRUCTIONS], UINT64_C(5) << 40);
	assert_int_equal(first->tally[15][UPCS_INSTRUCTIONS], UINT64_C(5) << 40);
	assert_int_equal(first->tally[1][UPCS_INSTRUCTIONS], 0);
	assert_int_equal(second->tally[0][UPCS_INSTRUCTIONS], 7);
	assert_int_equal(results->process[0].state, UPCS_LOST);
	/* Once more changes nothing. */
	upcs_results_settle(results, path);
	assert_int_equal(first->tally[0][UPCS_INSTRUCTIONS], 30 + 2 * 1999 + (UINT64_C(5) << 40));
}

/* A thread that is in no system call may have ended within a block; not where it sent a signal in
 * its last one. The doubt is on the thread's whole counts and on the regions that the thread was in. */
TEST_WITH(test_cut, set_up, tear_down)
{
	uint32_t process, index[4], i;
	struct upcs_thread *thread[4];
	struct upcs_counts *counts;

	assert_non_null(upcs_records_process(results, &process));
	counts = make_counts(10);
	for (i = 0; i < 4; i++) {
		thread[i] = make_thread(&index[i]);
		thread[i]->active = 1u << 2;
		counts->count[upcs_counts_take(counts, index[i], 0)][7] = 3;
	}
	thread[1]->in_call = 1;
	thread[2]->raised = 21;
	thread[3]->raised = 14;
	thread[3]->doubt[1] = UPCS_DOUBT_UNWOUND;
	upcs_counts_destroy(counts, NULL);
	upcs_results_settle(results, path);
	for (i = 0; i < 4; i++) {
		uint32_t doubt = i == 0 || i == 3 ? UPCS_DOUBT_CUT : 0;

		assert_int_equal(thread[i]->tally[0][UPCS_INSTRUCTIONS], 21);
		assert_int_equal(thread[i]->doubt[0], doubt);
		assert_int_equal(thread[i]->doubt[1], i == 3 ? UPCS_DOUBT_UNWOUND : 0);
		assert_int_equal(thread[i]->doubt[3], doubt);
	}
	/* The signal may be what it died of. */
	assert_int_equal(results->process[process].died, 0);
}

/* By an instruction: in_call, raised of its only other thread. */
static uint32_t died(uint32_t in_call, uint64_t raised)
{
	uint32_t process, index[2], i;
	struct upcs_counts *counts;
	struct upcs_thread *thread;

	assert_non_null(upcs_records_process(results, &process));
	counts = make_counts(10);
	for (i = 0; i < 2; i++) {
		thread = make_thread(&index[i]);
		counts->count[upcs_counts_take(counts, index[i], 0)][7] = 3;
	}
	thread->in_call = in_call;
	thread->raised = raised;
	results->thread[index[0]].in_call = in_call;
	upcs_counts_destroy(counts, NULL);
	upcs_results_settle(results, path);
	return results->process[process].died;
}

TEST_WITH(test_died, set_up, tear_down)
{
	assert_int_equal(died(0, 0), 1);
}

TEST_WITH(test_ended_in_calls, set_up, tear_down)
{
	assert_int_equal(died(1, 0), 0);
}

TEST_WITH(test_sent, set_up, tear_down)
{
	assert_int_equal(died(0, 21), 0);
}

TEST_WITH(test_arrays, set_up, tear_down)
{
	struct upcs_counts *counts = make_counts(600);
	uint32_t i;
	int array = upcs_counts_take(counts, 0, 0);

	for (i = 0; i < 600; i++)
		counts->count[array][i] = i + 1;
	upcs_counts_give(counts, array);
	assert_int_equal(upcs_counts_take(counts, 5, 0), array);
	for (i = 0; i < 600; i++)
		assert_int_equal(counts->count[array][i], 0);
	assert_int_equal(upcs_counts_take(counts, 6, 0), array + 1);
	for (i = 2; i < counts->arrays; i++)
		counts->array[i].thread = 1;
	assert_int_equal(upcs_counts_take(counts, 7, 0), -1);
	upcs_counts_destroy(counts, counts_path);
}

/* Where no file can be, counts are kept all the same. */
TEST_WITH(test_no_file, set_up, tear_down)
{
	struct upcs_counts *counts = upcs_counts_create("/nonexistent/file", NULL, 0, NULL);
	struct upcs_kind kind = kind_of(1);
	int array;

	assert_non_null(counts);
	assert_true(upcs_counts_add_kind(counts, &kind));
	array = upcs_counts_take(counts, 0, 0);
	counts->count[array][0] = 4;
	upcs_counts_give(counts, array);
	assert_int_equal(counts->count[array][0], 0);
	upcs_counts_destroy(counts, NULL);
}

/* The file's memory ends in the middle of a kind, as in a full tmpfs: the kinds before it stay. */
TEST_WITH(test_no_memory, set_up, tear_down)
{
	struct upcs_kind straddling;
	struct upcs_counts *counts = make_counts(0);
	uint32_t n = 0;
	size_t end;

	do {
		struct upcs_kind kind = kind_of(n);

		assert_true(upcs_counts_add_kind(counts, &kind));
		n++;
		end = (offsetof(struct upcs_counts, kind[n]) / UPCS_PAGE + 1) * UPCS_PAGE;
	} while (offsetof(struct upcs_counts, kind[n + 1]) <= end);
	straddling = kind_of(n);
	straddling.tally[0] = straddling.tally[UPCS_STATIC - 1] = n;
	assert_int_equal(truncate(counts_path, (off_t)end), 0);
	if (!machine_tells_memory() && !machine_reads_itself()) {
		upcs_counts_destroy(counts, counts_path);
		skip_because("neither this kernel nor its sandbox tells what has no memory");
	}
	assert_true(upcs_counts_add_kind(counts, &straddling));
	assert_memory_equal(&counts->kind[n], &straddling, sizeof(straddling));
	assert_int_equal(counts->unshared, 1);
	while (n-- > 0)
		assert_int_equal(counts->kind[n].tally[UPCS_INSTRUCTIONS], n);
	upcs_counts_destroy(counts, counts_path);
}

/* Anything may lie there. */
TEST_WITH(test_bad_files, set_up, tear_down)
{
	struct upcs_counts *counts;
	uint32_t process, index, i;
	struct upcs_thread *thread;
	int fd;

	assert_non_null(upcs_records_process(results, &process));
	assert_null(upcs_left_read(counts_path));
	fd = open(counts_path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_null(upcs_left_read(counts_path));
	unlink(counts_path);
	assert_int_equal(mkfifo(counts_path, 0600), 0);
	assert_null(upcs_left_read(counts_path));
	unlink(counts_path);
	assert_int_equal(symlink(path, counts_path), 0);
	assert_null(upcs_left_read(counts_path));
	unlink(counts_path);

	thread = make_thread(&index);
	counts = make_counts(1);
	for (i = 0; i < 100; i++)
		counts->array[i] = (struct upcs_array){UINT32_MAX - i, UINT32_MAX};
	counts->array[100] = (struct upcs_array){index + 1, UINT32_MAX};
	counts->kinds = UINT32_MAX;
	counts->arrays = counts->used = UINT32_MAX;
	counts->kind[9] = kind_of(5);
	counts->count[100][9] = 2;
	munmap(counts, 4096);
	upcs_results_settle(results, path);
	assert_int_equal(thread->tally[0][UPCS_INSTRUCTIONS], 10);
	assert_int_equal(thread->tally[15][UPCS_INSTRUCTIONS], 10);
}

UNIT_TESTS(sim_counts, NULL, NULL)
