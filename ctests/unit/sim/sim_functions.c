/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_functions.c - the table of functions: the same name has the same number, of several threads at a time
 * too, and what finds no place is nobody's.
 */
#include <pthread.h>

#include "count/functions.h"
#include "results_test.h"

static int set_up_table(void **state)
{
	return set_up(state) == 0 && upcs_functions_begin(&results->functions) ? 0 : -1;
}

static void named(uint32_t number, const char *file, const char *symbol)
{
	const char *of, *is;

	assert_true(upcs_functions_name(&results->functions, number, &of, &is));
	assert_string_equal(of, file);
	assert_string_equal(is, symbol);
}

TEST_WITH(test_numbers, set_up_table, tear_down)
{
	struct upcs_functions *table = &results->functions;
	uint32_t sin = upcs_functions_number(table, "/lib/libm.so.6", "sin"),
		 other = upcs_functions_number(table, "/lib/libm.so.6s", "in"),
		 file = upcs_functions_number(table, "/lib/libm.so.6", ""),
		 none = upcs_functions_number(table, "", "");

	assert_true(sin && other && file && none);
	assert_true(sin != other && sin != file && file != none && other != none);
	assert_int_equal(upcs_functions_number(table, "/lib/libm.so.6", "sin"), sin);
	assert_int_equal(upcs_functions_number(table, "", ""), none);
	named(sin, "/lib/libm.so.6", "sin");
	named(file, "/lib/libm.so.6", "");
	named(none, "", "");
	assert_int_equal(table->n, 4);
	assert_int_equal(table->without, 0);
}

/* One place is always free, or a search would not end; what was there before is found all the same. */
TEST_WITH(test_full, set_up_table, tear_down)
{
	struct upcs_functions *table = &results->functions;
	uint32_t first = upcs_functions_number(table, "f", "0"), i, given = 1;
	char name[16];

	for (i = 1; i < UPCS_FUNCTIONS_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		given += upcs_functions_number(table, "f", name) != 0;
	}
	assert_true(given < UPCS_FUNCTIONS_MAX && given > UPCS_FUNCTIONS_MAX / 2);
	assert_int_equal(table->without, UPCS_FUNCTIONS_MAX - given);
	assert_int_equal(upcs_functions_number(table, "f", "0"), first);
	assert_int_equal(upcs_functions_number(table, "f", "new"), 0);
}

TEST_WITH(test_no_text, set_up_table, tear_down)
{
	struct upcs_functions *table = &results->functions;

	table->used = UPCS_FUNCTIONS_TEXT - 8;
	assert_int_equal(upcs_functions_number(table, "file", "long"), 0);
	assert_true(upcs_functions_number(table, "f", "abcde"));
	assert_int_equal(upcs_functions_number(table, "", ""), 0);
	assert_int_equal(table->without, 2);
	table->used = UINT32_MAX;
	assert_int_equal(upcs_functions_number(table, "f", "g"), 0);
}

/* One that was killed while it wrote. */
TEST_WITH(test_unfinished, set_up_table, tear_down)
{
	struct upcs_functions *table = &results->functions;
	uint32_t number = upcs_functions_number(table, "f", "g"), again;
	const char *file, *symbol;

	table->slot[number - 1].state = UPCS_MAKING;
	assert_false(upcs_functions_name(table, number, &file, &symbol));
	again = upcs_functions_number(table, "f", "g");
	assert_true(again && again != number);
	named(again, "f", "g");
}

/* The file may be anything. */
TEST_WITH(test_hostile, set_up_table, tear_down)
{
	struct upcs_functions *table = &results->functions;
	uint32_t number = upcs_functions_number(table, "f", "g");
	const char *file, *symbol;

	assert_false(upcs_functions_name(table, 0, &file, &symbol));
	assert_false(upcs_functions_name(table, UPCS_FUNCTIONS_MAX + 1, &file, &symbol));
	table->slot[number - 1].text = UPCS_FUNCTIONS_TEXT;
	assert_false(upcs_functions_name(table, number, &file, &symbol));
	table->slot[number - 1].text = UPCS_FUNCTIONS_TEXT - 2;
	memcpy(table->text + UPCS_FUNCTIONS_TEXT - 2, "f", 2);
	assert_false(upcs_functions_name(table, number, &file, &symbol));
	memcpy(table->text + UPCS_FUNCTIONS_TEXT - 2, "\0g", 2);
	assert_false(upcs_functions_name(table, number, &file, &symbol));
}

#define NAMES 2000u

static void *take_all(void *argument)
{
	uint32_t *number = argument, i;
	char name[16];

	for (i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%u", i);
		number[i] = upcs_functions_number(&results->functions, "file", name);
	}
	return NULL;
}

/* Two may give one function two numbers, but no number is of two functions. */
TEST_WITH(test_threads, set_up_table, tear_down)
{
	static uint32_t number[4][NAMES];
	pthread_t thread[4];
	unsigned i, k;
	char name[16];

	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, take_all, number[i]), 0);
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < 4; i++)
		for (k = 0; k < NAMES; k++) {
			snprintf(name, sizeof(name), "%u", k);
			named(number[i][k], "file", name);
		}
	assert_int_equal(results->functions.without, 0);
}

UNIT_TESTS(sim_functions, NULL, NULL)
