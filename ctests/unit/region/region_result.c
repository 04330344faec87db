/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of threads: by name each path counts once, beside one that looks at every path; two threads
 * put together.
 */
#include "../unit_test.h"

#include "region/result.h"

enum { NAMES = 6 };

/* A thread's, of random starts and ends; values are exact, and rows have ever other ones. */
static struct upcr_result *make(unsigned seed, unsigned steps, unsigned events)
{
	struct upcr_tree tree;
	struct upcr_result *result;
	unsigned i, k;

	srand(seed);
	assert_int_equal(upcr_tree_init(&tree, 40), 0);
	for (i = 0; i < steps; i++) {
		if (rand() % 2)
			upcr_tree_enter(&tree, 1 + (unsigned)rand() % (NAMES - 1));
		else
			upcr_tree_exit(&tree, 1 + (unsigned)rand() % (NAMES - 1));
		tree.node[tree.current].ns += (uint64_t)rand() % 1000;
	}
	result = upcr_result_of(&tree, events);
	assert_non_null(result);
	for (i = 0; i < result->rows; i++)
		for (k = 0; k < events; k++)
			result->value[i * events + k] = upcr_exact((uint64_t)rand() % 1000);
	upcr_tree_free(&tree);
	return result;
}

static bool has(const struct upcr_result *result, unsigned row, unsigned name)
{
	for (; row; row = result->row[row].parent)
		if (result->row[row].name == name)
			return true;
	return false;
}

static void same(const struct upcr_result *result, unsigned name, unsigned events)
{
	uint64_t calls = 0, ns = 0, wanted_calls = 0, wanted_ns = 0, wanted[2] = {0, 0};
	struct upcr_value value[2];
	unsigned i, k;

	memset(value, 0, sizeof(value));
	for (i = 0; i < result->rows; i++) {
		bool all = name == UINT32_MAX;

		if (!all && !has(result, i, name))
			continue;
		wanted_ns += result->row[i].ns;
		wanted_calls += all || result->row[i].name == name ? result->row[i].calls : 0;
		for (k = 0; k < events; k++)
			wanted[k] += result->value[i * events + k].whole;
	}
	upcr_result_add(result, name, &calls, &ns, value, events);
	assert_int_equal(calls, wanted_calls);
	assert_int_equal(ns, wanted_ns);
	for (k = 0; k < events; k++) {
		assert_int_equal(value[k].whole, wanted[k]);
		assert_true(upcr_is_exact(&value[k]));
	}
}

TEST(test_by_name)
{
	unsigned seed, name, events;

	for (seed = 0; seed < 300; seed++) {
		struct upcr_result *result = make(seed, seed, events = seed % 3);

		assert_true(upcr_result_index(result));
		for (name = 0; name <= NAMES; name++)
			same(result, name, events);
		same(result, UINT32_MAX, events);
		assert_true(upcr_result_index(result));
		upcr_result_unindex(result);
		upcr_result_free(result);
	}
}

TEST(test_two_threads)
{
	unsigned seed, name;

	for (seed = 0; seed < 100; seed++) {
		struct upcr_result *one = make(seed, 60, 1), *two = make(seed + 1000, 60, 1);
		uint64_t calls[2] = {0, 0}, ns[2] = {0, 0};
		struct upcr_value value[2];

		memset(value, 0, sizeof(value));
		name = 1 + seed % (NAMES - 1);
		assert_true(upcr_result_index(one) && upcr_result_index(two));
		upcr_result_add(one, name, &calls[0], &ns[0], &value[0], 1);
		upcr_result_add(two, name, &calls[0], &ns[0], &value[0], 1);
		upcr_result_unindex(one);
		assert_true(upcr_result_merge(one, two));
		assert_int_equal(one->threads, 2);
		assert_true(upcr_result_index(one));
		upcr_result_add(one, name, &calls[1], &ns[1], &value[1], 1);
		assert_int_equal(calls[0], calls[1]);
		assert_int_equal(ns[0], ns[1]);
		assert_int_equal(value[0].whole, value[1].whole);
		upcr_result_free(one);
		upcr_result_free(two);
	}
}

UNIT_TESTS(region_result, NULL, NULL)
