/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_left.c - what a process has left: each function's counts once, however often an array has had
 * another thread, and the same sum as that of its threads.
 */
#include "count/left.h"
#include "results_test.h"

static struct upcs_counts *counts;
static uint64_t (*function)[UPCS_STATIC];

/* Kind k is of function k, and of k instructions. */
static int set_up_counts(void **state)
{
	struct upcs_kind kind = {.function = 0};
	uint32_t process, k;

	set_up(state);
	assert_non_null(upcs_records_process(results, &process));
	results->process[process].state = UPCS_RUNS;
	counts = upcs_counts_create(counts_path, NULL, 0, NULL);
	assert_non_null(counts);
	upcs_counts_keep(counts);
	for (k = 0; k < 10; k++) {
		kind.function = k;
		kind.tally[UPCS_INSTRUCTIONS] = k;
		assert_true(upcs_counts_add_kind(counts, &kind));
	}
	function = calloc(UPCS_FUNCTIONS_MAX + 1, sizeof(*function));
	assert_non_null(function);
	return 0;
}

static int tear_down_counts(void **state)
{
	free(function);
	upcs_counts_destroy(counts, counts_path);
	return tear_down(state);
}

static struct upcs_thread *begin(uint32_t *index, int *array)
{
	struct upcs_thread *thread = upcs_records_thread(results, 0, index);

	assert_non_null(thread);
	thread->state = UPCS_RUNS;
	thread->in_call = 1;
	*array = upcs_counts_take(counts, *index, 0);
	return thread;
}

static struct upcs_left *read_it(void)
{
	struct upcs_left *left = upcs_left_read(counts_path);

	assert_non_null(left);
	return left;
}

/* The second thread goes on where the first one stopped. */
TEST_WITH(test_arrays, set_up_counts, tear_down_counts)
{
	uint32_t first, second, i;
	struct upcs_thread *one, *two;
	struct upcs_left *left;
	int array, again;

	one = begin(&first, &array);
	counts->count[array][3] += 5;
	counts->count[array][9] += 1;
	one->tally[0][UPCS_INSTRUCTIONS] = 5 * 3 + 9;
	one->state = UPCS_ENDED;
	upcs_counts_give(counts, array);
	two = begin(&second, &again);
	assert_int_equal(again, array);
	assert_int_equal(counts->count[again][3], 5);
	counts->count[again][3] += 2;
	counts->count[again][4] += 7;

	left = read_it();
	for (i = 0; i < 2; i++)
		upcs_left_settle(left, results, 0);
	upcs_left_add(left, function);
	upcs_left_free(left);
	assert_int_equal(one->tally[0][UPCS_INSTRUCTIONS], 5 * 3 + 9);
	assert_int_equal(two->tally[0][UPCS_INSTRUCTIONS], 2 * 3 + 7 * 4);
	assert_int_equal(two->state, UPCS_ENDED);
	assert_int_equal(function[3][UPCS_INSTRUCTIONS], 7 * 3);
	assert_int_equal(function[4][UPCS_INSTRUCTIONS], 7 * 4);
	assert_int_equal(function[9][UPCS_INSTRUCTIONS], 9);
	assert_int_equal(function[0][UPCS_INSTRUCTIONS], 0);
}

/* Each time that the array changes hands. */
TEST_WITH(test_many, set_up_counts, tear_down_counts)
{
	struct upcs_thread *thread[20];
	struct upcs_left *left;
	uint32_t index, i;
	uint64_t sum = 0;
	int array;

	for (i = 0; i < 20; i++) {
		thread[i] = begin(&index, &array);
		counts->count[array][1] += i;
		thread[i]->tally[0][UPCS_INSTRUCTIONS] = i;
		if (i == 19)
			break;
		thread[i]->state = UPCS_ENDED;
		upcs_counts_give(counts, array);
	}
	left = read_it();
	upcs_left_settle(left, results, 0);
	upcs_left_add(left, function);
	upcs_left_free(left);
	for (i = 0; i < 20; i++) {
		assert_int_equal(thread[i]->tally[0][UPCS_INSTRUCTIONS], i);
		sum += i;
	}
	assert_int_equal(function[1][UPCS_INSTRUCTIONS], sum);
	assert_int_equal(counts->used, 1);
}

/* A thread that ended with its process goes on until that is gone. */
TEST_WITH(test_at_work, set_up_counts, tear_down_counts)
{
	struct upcs_thread *thread;
	struct upcs_left *left;
	uint32_t index;
	int array;

	thread = begin(&index, &array);
	counts->count[array][2] = 4;
	thread->tally[0][UPCS_INSTRUCTIONS] = 8;
	thread->state = UPCS_ENDED;
	thread->in_call = 0;
	counts->count[array][2] = 6;
	left = read_it();
	upcs_left_settle(left, results, 0);
	upcs_left_add(left, function);
	upcs_left_free(left);
	assert_int_equal(thread->tally[0][UPCS_INSTRUCTIONS], 12);
	assert_int_equal(function[2][UPCS_INSTRUCTIONS], 12);
	assert_int_equal(thread->doubt[0], 0);
}

/* Whether a look at a process that runs has seen all at one time. */
TEST_WITH(test_still, set_up_counts, tear_down_counts)
{
	uint32_t before = 99;
	struct upcs_left *left;

	assert_true(upcs_left_changes(counts_path, &before));
	left = read_it();
	assert_true(upcs_left_is_still(left, before));
	upcs_counts_changes(counts);
	assert_false(upcs_left_is_still(left, before));
	upcs_left_free(left);
	assert_true(upcs_left_changes(counts_path, &before));
	left = read_it();
	assert_false(upcs_left_is_still(left, before)); /* in the midst of one */
	upcs_left_free(left);
	assert_false(upcs_left_changes("/nonexistent/file", &before));
}

/* The file may be anything. */
TEST_WITH(test_hostile, set_up_counts, tear_down_counts)
{
	struct upcs_left *left;
	int array;
	uint32_t index;

	begin(&index, &array);
	counts->kind[5].function = UPCS_FUNCTIONS_MAX + 1;
	counts->kind[6].function = UINT32_MAX;
	counts->count[array][5] = counts->count[array][6] = 1;
	counts->base[array][UPCS_INSTRUCTIONS] = UINT64_MAX;
	left = read_it();
	upcs_left_settle(left, results, 0);
	upcs_left_add(left, function);
	upcs_left_free(left);
	assert_int_equal(function[0][UPCS_INSTRUCTIONS], 11);
}

UNIT_TESTS(sim_left, NULL, NULL)
