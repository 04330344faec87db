/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of CPUs and of processes, as they are given to upc_stat.
 */
#include "../../../utils/stat/number_list.h"

#include "../unit_test.h"

static void expect(const char *text, bool ranges, unsigned n, const int *numbers)
{
	struct number_list list = {.n = 0};

	assert_int_equal(number_list_parse(&list, text, 0, 100, ranges), 0);
	assert_int_equal(list.n, n);
	assert_memory_equal(list.number, numbers, n * sizeof(*numbers));
	number_list_free(&list);
}

TEST(test_lists)
{
	expect("7", false, 1, (int[]){7});
	expect("12,3,100", false, 3, (int[]){12, 3, 100});
	expect("0-3,5", true, 5, (int[]){0, 1, 2, 3, 5});
	expect("4-4", true, 1, (int[]){4});
	/* No number comes twice. */
	expect("2,0-3,2", true, 4, (int[]){2, 0, 1, 3});
}

TEST(test_what_is_no_list)
{
	static const char *const bad[] = {
		"",   ",",   "1,", ",1",   "1,,2", "x",     "1x",    " 1",
		"-1", "3-1", "1-", "1--2", "101",  "1-101", "1-2-3", "99999999999999999999"};
	struct number_list list = {.n = 0};

	assert_int_equal(number_list_parse(&list, "8", 0, 100, true), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(number_list_parse(&list, bad[i], 0, 100, true), -1);
	assert_int_equal(number_list_parse(&list, "1-2", 0, 100, false), -1);
	assert_int_equal(number_list_parse(&list, "5,6", 6, 100, false), -1);
	/* A refused text leaves the list as it was. */
	assert_int_equal(list.n, 1);
	assert_int_equal(list.number[0], 8);
	number_list_free(&list);
}

UNIT_TESTS(number_list, NULL, NULL)
