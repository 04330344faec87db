/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks in parts, and the kinds that parts are of.
 */
#include "count/block.h"
#include "../unit_test.h"

static struct upcs_block block;

/* n instructions, each of which tallies one of INSTRUCTIONS and its index of DATA_LOADS. */
static void make(uint32_t n)
{
	uint32_t i;

	memset(&block, 0, sizeof(block));
	block.n = n;
	for (i = 0; i < n; i++) {
		block.insn[i].insn.tally[UPCS_INSTRUCTIONS] = 1;
		block.insn[i].insn.tally[UPCS_DATA_LOADS] = (uint8_t)i;
	}
}

static uint32_t tally_of(const struct upcs_kinds *kinds, uint32_t part, enum upcs_tally tally)
{
	const struct upcs_kind *all;

	assert_true(block.part[part].kind < upcs_kinds_all(kinds, &all));
	return all[block.part[part].kind].tally[tally];
}

TEST(test_whole)
{
	struct upcs_kinds *kinds = upcs_kinds_create();
	const struct upcs_kind *all;

	make(5);
	block.insn[2].insn.flags = UPCS_INSN_FAULTS; /* matters in exact blocks only */
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 1);
	assert_int_equal(block.part[0].first, 0);
	assert_int_equal(tally_of(kinds, 0, UPCS_INSTRUCTIONS), 5);
	assert_int_equal(tally_of(kinds, 0, UPCS_DATA_LOADS), 0 + 1 + 2 + 3 + 4);
	/* The same once more is of the same kind. */
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(upcs_kinds_all(kinds, &all), 2); /* and that of nothing */
	upcs_kinds_destroy(kinds);
}

TEST(test_faults)
{
	struct upcs_kinds *kinds = upcs_kinds_create();

	make(6);
	block.exact = true;
	block.insn[1].insn.flags = UPCS_INSN_FAULTS;
	block.insn[2].insn.flags = UPCS_INSN_FAULTS;
	block.insn[5].insn.flags = UPCS_INSN_FAULTS; /* the last: nothing is behind it */
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 3);
	assert_int_equal(block.part[1].first, 2);
	assert_int_equal(block.part[2].first, 3);
	assert_int_equal(tally_of(kinds, 0, UPCS_INSTRUCTIONS), 2);
	assert_int_equal(tally_of(kinds, 1, UPCS_INSTRUCTIONS), 1);
	assert_int_equal(tally_of(kinds, 2, UPCS_DATA_LOADS), 3 + 4 + 5);
	upcs_kinds_destroy(kinds);
}

TEST(test_regions)
{
	struct upcs_kinds *kinds = upcs_kinds_create();

	make(4);
	block.insn[0].enters = 1;
	block.insn[3].enters = 6;
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 2);
	assert_int_equal(block.part[0].enters, 1);
	assert_int_equal(block.part[1].enters, 6);
	assert_int_equal(block.part[1].first, 3);
	assert_int_equal(tally_of(kinds, 0, UPCS_INSTRUCTIONS), 3);
	upcs_kinds_destroy(kinds);
}

TEST(test_repeats)
{
	struct upcs_kinds *kinds = upcs_kinds_create();

	make(4);
	block.insn[1].insn.flags = UPCS_INSN_REPEATS | UPCS_INSN_FAULTS;
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 3);
	assert_false(block.part[0].repeats);
	assert_true(block.part[1].repeats);
	assert_false(block.part[2].repeats);
	assert_int_equal(tally_of(kinds, 1, UPCS_INSTRUCTIONS), 1);
	assert_int_equal(tally_of(kinds, 2, UPCS_DATA_LOADS), 2 + 3);
	upcs_kinds_destroy(kinds);
}

/* Counted when the next begins: atomic ones, and those that store in code that is rewritten. */
TEST(test_late)
{
	struct upcs_kinds *kinds = upcs_kinds_create();

	make(7);
	block.insn[2].insn.flags = UPCS_INSN_ATOMIC | UPCS_INSN_FAULTS;
	block.insn[3].insn.flags = UPCS_INSN_ATOMIC | UPCS_INSN_FAULTS;
	block.insn[5].insn.tally[UPCS_DATA_STORES] = 1;
	block.insn[6].insn.flags = UPCS_INSN_ATOMIC; /* the last */
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 3);
	assert_int_equal(block.part[0].at, 0);
	assert_int_equal(block.part[1].first, 2);
	assert_int_equal(block.part[1].at, 3);
	assert_int_equal(block.part[2].first, 3);
	assert_int_equal(block.part[2].at, 4);
	assert_int_equal(tally_of(kinds, 1, UPCS_DATA_LOADS), 2);
	assert_int_equal(tally_of(kinds, 2, UPCS_DATA_LOADS), 3 + 4 + 5 + 6);
	block.rewritten = true;
	block.insn[0].insn.tally[UPCS_DATA_STORES] = 1;
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 4);
	assert_int_equal(block.part[0].at, 1);
	assert_int_equal(block.part[3].first, 5);
	assert_int_equal(block.part[3].at, 6);
	/* Not before a function, nor before one that repeats itself, nor where faults matter. */
	block.insn[1].enters = 1;
	block.insn[6].insn.flags = UPCS_INSN_REPEATS;
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.part[0].at, 0);
	assert_int_equal(block.part[block.parts - 2].first, 3);
	assert_int_equal(block.part[block.parts - 1].at, 6);
	block.exact = true;
	upcs_block_split(&block, kinds, NULL);
	for (uint32_t p = 0; p < block.parts; p++)
		assert_int_equal(block.part[p].at, block.part[p].first);
	upcs_kinds_destroy(kinds);
}

/* Code that never tallies the same twice: what the reserve is for. */
TEST(test_short_of_kinds)
{
	struct upcs_kinds *kinds = upcs_kinds_create();
	const struct upcs_kind *all;
	uint32_t i, n;

	for (i = 0; i < UPCS_KINDS_MAX; i++) {
		make(3);
		block.insn[0].insn.tally[UPCS_FPU_MULT_1] = (uint8_t)i;
		block.insn[1].insn.tally[UPCS_FPU_MULT_2] = (uint8_t)(i >> 8);
		block.insn[2].insn.tally[UPCS_FPU_DIV_1] = (uint8_t)(i >> 16);
		upcs_block_split(&block, kinds, NULL);
		if (block.parts != 1)
			break;
	}
	assert_int_equal(i, UPCS_KINDS_MAX - UPCS_KINDS_SINGLE - 1);
	assert_int_equal(block.parts, 3);
	assert_int_equal(tally_of(kinds, 1, UPCS_FPU_MULT_2), (uint8_t)(i >> 8));
	assert_int_equal(tally_of(kinds, 2, UPCS_INSTRUCTIONS), 1);
	/* And those run out as well. */
	for (; i < 2 * UPCS_KINDS_MAX; i++) {
		make(1);
		block.insn[0].insn.tally[UPCS_FPU_ADD_SUB_1] = (uint8_t)i;
		block.insn[0].insn.tally[UPCS_FPU_ADD_SUB_2] = (uint8_t)(i >> 8);
		block.insn[0].insn.tally[UPCS_FPU_FMA_2] = (uint8_t)(1 + (i >> 16));
		upcs_block_split(&block, kinds, NULL);
		if (!block.parts)
			break;
	}
	n = upcs_kinds_all(kinds, &all);
	assert_int_equal(n, UPCS_KINDS_MAX);
	/* Kinds that are there already still work. */
	make(3);
	upcs_block_split(&block, kinds, NULL);
	assert_int_equal(block.parts, 1);
	upcs_kinds_destroy(kinds);
}

static uint32_t function_of(const struct upcs_kinds *kinds, uint32_t part)
{
	const struct upcs_kind *all;

	assert_true(block.part[part].kind < upcs_kinds_all(kinds, &all));
	return all[block.part[part].kind].function;
}

/* Parts that tally the same are of different kinds where they are different functions'. */
TEST(test_functions)
{
	struct upcs_kinds *kinds = upcs_kinds_create();
	uint32_t i;

	make(6);
	for (i = 0; i < 6; i++) {
		block.insn[i].insn.tally[UPCS_DATA_LOADS] = 0;
		block.insn[i].function = i < 2 ? 7 : i < 4 ? 0 : 9;
	}
	assert_true(upcs_block_split(&block, kinds, NULL));
	assert_int_equal(block.parts, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(block.part[i].first, 2 * i);
		assert_int_equal(tally_of(kinds, i, UPCS_INSTRUCTIONS), 2);
	}
	assert_int_equal(function_of(kinds, 0), 7);
	assert_int_equal(function_of(kinds, 1), 0);
	assert_int_equal(function_of(kinds, 2), 9);
	upcs_kinds_destroy(kinds);
}

/* Where there are too many the rest is of none, and whole all the same. */
TEST(test_many_functions)
{
	struct upcs_kinds *kinds = upcs_kinds_create();
	const struct upcs_kind *all;
	uint32_t i;

	for (i = 1;; i++) {
		make(2);
		block.insn[0].function = block.insn[1].function = i;
		if (!upcs_block_split(&block, kinds, NULL))
			break;
		assert_int_equal(function_of(kinds, 0), i);
	}
	assert_in_range(i, 10000, UPCS_KINDS_MAX);
	assert_int_equal(block.parts, 1);
	assert_int_equal(function_of(kinds, 0), 0);
	assert_int_equal(tally_of(kinds, 0, UPCS_INSTRUCTIONS), 2);
	/* Known ones stay. */
	make(2);
	block.insn[0].function = block.insn[1].function = 1;
	assert_true(upcs_block_split(&block, kinds, NULL));
	assert_int_equal(function_of(kinds, 0), 1);
	assert_true(upcs_kinds_all(kinds, &all) <= UPCS_KINDS_NAMED + 1);
	upcs_kinds_destroy(kinds);
}

UNIT_TESTS(sim_block, NULL, NULL)
