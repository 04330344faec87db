/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_team.c - functions that a runtime hands from thread to thread: for which regions each of them
 * works, whoever takes it from memory.
 */
#include "count/team.h"
#include "count/thread.h"
#include "../unit_test.h"

/* Nothing else runs. */
void upcs_process_hold(void)
{
}

void upcs_process_release(void)
{
}

enum { F = 0x401000, G = 0x402000, H = 0x403000, K = 0x403800 };

static struct upcs_team_hand master, other, worker;

static int set_up(void **state)
{
	(void)state;
	memset(&master, 0, sizeof(master));
	memset(&other, 0, sizeof(other));
	memset(&worker, 0, sizeof(worker));
	return 0;
}

/* Each set of regions has its account. */
static uint64_t account_of(uint16_t regions)
{
	return 1000u + regions;
}

static void store(struct upcs_team_hand *hand, uint16_t regions, uint64_t address, uint64_t function)
{
	upcs_team_store(hand, regions, account_of(regions), address, function);
}

/* -1: it was not in the hand. */
static int regions_of(struct upcs_team_hand *hand, uint64_t function)
{
	struct upcs_team_work work;

	if (!upcs_team_call(hand, function, &work))
		return -1;
	assert_int_equal(work.function, function);
	assert_true(work.sure);
	assert_int_equal(work.account, account_of(work.regions));
	return work.regions;
}

TEST_WITH(test_code, set_up, NULL)
{
	assert_false(upcs_team_is_code(F));
	upcs_team_code(0x400000, 0x404000);
	upcs_team_code(0x400000, 0x404000);
	upcs_team_code(0x900000, 0x901000);
	assert_true(upcs_team_is_code(0x400000));
	assert_true(upcs_team_is_code(0x403fff));
	assert_false(upcs_team_is_code(0x404000));
	assert_true(upcs_team_is_code(0x900000));
	assert_false(upcs_team_is_code(0));
}

/* The same place and function for one region, then for another one. */
TEST_WITH(test_handed, set_up, NULL)
{
	for (uint16_t regions = 0; regions < 4; regions++) {
		upcs_team_enter(&master);
		store(&master, regions, 0x1000, F);
		upcs_team_load(&worker, 0x1000, F);
		assert_int_equal(regions_of(&worker, F), regions);
		/* It has let go of it. */
		assert_int_equal(regions_of(&worker, F), -1);
		assert_int_equal(regions_of(&master, F), -1); /* it came with the call */
	}
}

/* Two tasks of one function: their places tell them apart. */
TEST_WITH(test_tasks, set_up, NULL)
{
	upcs_team_enter(&master);
	store(&master, 1, 0x1000, F);
	upcs_team_enter(&other);
	store(&other, 2, 0x2000, F);
	upcs_team_load(&worker, 0x2000, F);
	assert_int_equal(regions_of(&worker, F), 2);
	upcs_team_load(&worker, 0x1000, F);
	assert_int_equal(regions_of(&worker, F), 1);
}

/* A thread that loads a function from memory and stores it elsewhere hands on the regions that came with
 * the function, and not those that the thread is in. */
TEST_WITH(test_handed_on, set_up, NULL)
{
	upcs_team_enter(&master);
	store(&master, 4, 0x1000, F);
	upcs_team_load(&other, 0x1000, F);
	store(&other, 0, 0x3000, F);
	upcs_team_load(&worker, 0x3000, F);
	assert_int_equal(regions_of(&worker, F), 4);
	/* With a call of its own it is its own. */
	upcs_team_enter(&other);
	store(&other, 8, 0x3000, F);
	upcs_team_load(&worker, 0x3000, F);
	assert_int_equal(regions_of(&worker, F), 8);
}

/* Memory that others have copied: sure as long as the function was always for the same regions. */
TEST_WITH(test_copied, set_up, NULL)
{
	struct upcs_team_work work;

	upcs_team_enter(&master);
	store(&master, 1, 0x5000, G);
	upcs_team_load(&worker, 0x6000, G);
	assert_int_equal(regions_of(&worker, G), 1);
	assert_false(upcs_team_call(&worker, G, &work));
	assert_int_equal(work.function, G);
	assert_int_equal(work.regions, 1);
	upcs_team_enter(&other);
	store(&other, 2, 0x5100, G);
	upcs_team_load(&worker, 0x6000, G);
	assert_true(upcs_team_call(&worker, G, &work));
	assert_int_equal(work.regions, 2);
	assert_false(work.sure);
	/* Work for one account is not sure either, where the regions differ. */
	upcs_team_enter(&master);
	upcs_team_store(&master, 1, 7, 0x5200, K);
	upcs_team_enter(&other);
	upcs_team_store(&other, 2, 7, 0x5300, K);
	upcs_team_load(&worker, 0x6000, K);
	assert_true(upcs_team_call(&worker, K, &work));
	assert_false(work.sure);
	/* A function that no thread has stored is unknown. */
	upcs_team_load(&worker, 0x7000, H);
	assert_false(upcs_team_call(&worker, H, &work));
	assert_int_equal(work.function, 0);
}

/* Something else is there now. */
TEST_WITH(test_overwritten, set_up, NULL)
{
	upcs_team_enter(&master);
	store(&master, 1, 0x1000, F);
	upcs_team_enter(&master);
	store(&master, 2, 0x1000, H);
	upcs_team_load(&worker, 0x1000, H);
	assert_int_equal(regions_of(&worker, H), 2);
}

TEST_WITH(test_many, set_up, NULL)
{
	uint64_t i;

	for (i = 0; i < 200000; i++) {
		upcs_team_enter(&master);
		store(&master, (uint16_t)(i % 32768), 0x100000 + 64 * i, F);
	}
	for (i = 0; i < 200000; i++) {
		upcs_team_load(&worker, 0x100000 + 64 * i, F);
		assert_int_equal(regions_of(&worker, F), i % 32768);
	}
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
