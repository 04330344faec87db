/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The node's shared unit: what a monitor sees of a results file that no simulator has written.
 */
#include "../../../utils/run/run_unit.h"

#include "../../../utils/lib/common.h"
#include "run_results.h"
#include "share/shared.h"
#include "../unit_test.h"

static char name[32];

static int set_up(void **state)
{
	snprintf(name, sizeof(name), "run_unit.%d", (int)getpid());
	return run_results_set_up(state);
}

static struct upc_monitor *watch(const char *which)
{
	struct upc_monitor *monitor;

	assert_int_equal(upc_monitor_open(which, NULL, &monitor), 0);
	return monitor;
}

static uint64_t value_of(struct upc_monitor *monitor, unsigned counter)
{
	uint64_t values[UPC_COUNTERS];

	assert_int_equal(upc_monitor_read(monitor, values, NULL), 0);
	return values[counter];
}

TEST_WITH(test_names, set_up, run_results_tear_down)
{
	char longest[UPCI_SHARED_NAME_MAX + 2];

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(run_unit_check(name), 0);
	assert_int_equal(run_unit_check("a-b_C.9"), 0);
	assert_int_equal(run_unit_check(longest + 1), 0);
	assert_int_equal(run_unit_check(longest), -1);
	assert_int_equal(run_unit_check(""), -1);
	assert_int_equal(run_unit_check(".a"), -1);
	assert_int_equal(run_unit_check("a/b"), -1);
	assert_int_equal(run_unit_check("a b"), -1);
	assert_null(run_unit_create("a,b", RUN_UNIT_PU01));
}

/* The configuration of all counters: the events of two cores, at the input they have. */
static void check_cores(struct upc_monitor *monitor, unsigned first)
{
	struct upc_monitor_event event;
	unsigned bound = 0, i, k, core;
	char want[64];

	for (i = 0; i < UPC_COUNTERS; i++) {
		core = first + i / UPCS_EVENTS;
		k = i % UPCS_EVENTS;
		memset(&event, 0, sizeof(event));
		event.size = sizeof(event);
		assert_int_equal(upc_monitor_counter(monitor, (int)i, &event), 0);
		assert_int_equal(event.bound, i < 2 * UPCS_EVENTS && upcs_is_produced(upcs_tally_at[k]));
		if (!event.bound)
			continue;
		snprintf(want, sizeof(want), "PU%u_%s", core, upcs_tally_name[upcs_tally_at[k]]);
		assert_string_equal(event.name, want);
		bound++;
	}
	assert_int_equal(bound, 2 * (UPCS_EVENTS - 6));
}

TEST_WITH(test_configuration, set_up, run_results_tear_down)
{
	struct run_unit *low = run_unit_create(name, RUN_UNIT_PU01), *high;
	struct upc_monitor_info info = {.size = sizeof(info)};
	uint64_t values[UPC_COUNTERS];
	struct upc_monitor *monitor;

	assert_non_null(low);
	assert_string_equal(run_unit_name(low), name);
	monitor = watch(name);
	check_cores(monitor, 0);
	assert_int_equal(upc_monitor_read(monitor, values, &info), 0);
	assert_true(info.running);
	upc_monitor_close(monitor);
	run_unit_destroy(low);

	high = run_unit_create(name, RUN_UNIT_PU23);
	assert_non_null(high);
	monitor = watch(name);
	check_cores(monitor, 2);
	upc_monitor_close(monitor);
	run_unit_destroy(high);
}

TEST_WITH(test_two_of_a_name, set_up, run_results_tear_down)
{
	struct run_unit *first = run_unit_create(name, RUN_UNIT_PU01), *second, *third;
	char want[sizeof(name) + 2];

	second = run_unit_create(name, RUN_UNIT_PU01);
	assert_non_null(second);
	snprintf(want, sizeof(want), "%s-2", name);
	assert_string_equal(run_unit_name(second), want);
	run_unit_destroy(first);
	third = run_unit_create(name, RUN_UNIT_PU01);
	assert_non_null(third);
	assert_string_equal(run_unit_name(third), name);
	run_unit_destroy(second);
	run_unit_destroy(third);
}

static const struct run_counts none; /* have ended and are not in the file */

/* Threads 0 and 4 are core 0's, 1 core 1's. */
TEST_WITH(test_counts, set_up, run_results_tear_down)
{
	struct run_unit *unit = run_unit_create(name, RUN_UNIT_PU01);
	struct upcs_thread *thread[3];
	struct upc_monitor *monitor;
	struct run_counts counts;

	assert_non_null(unit);
	monitor = watch(name);
	run_unit_update(unit, &none, results);
	assert_int_equal(value_of(monitor, upcs_tally_place[UPCS_DATA_LOADS]), 0);
	run_results_process(0, UPCS_X86_64);
	thread[0] = run_results_thread(0, 0);
	thread[1] = run_results_thread(0, 1);
	thread[2] = run_results_thread(0, 4);
	thread[0]->state = UPCS_RUNS;
	thread[2]->state = UPCS_MAKING;
	run_unit_update(unit, &none, results);
	assert_int_equal(value_of(monitor, upcs_tally_place[UPCS_DATA_LOADS]),
			 run_results_tally(0, 0, UPCS_DATA_LOADS));
	assert_int_equal(value_of(monitor, UPCS_EVENTS + upcs_tally_place[UPCS_FPU_FMA_2]),
			 run_results_tally(1, 0, UPCS_FPU_FMA_2));
	thread[2]->state = UPCS_RUNS;
	thread[0]->tally[0][UPCS_DATA_LOADS] += 5;
	run_unit_update(unit, &none, results);
	assert_int_equal(value_of(monitor, upcs_tally_place[UPCS_DATA_LOADS]),
			 run_results_tally(0, 0, UPCS_DATA_LOADS) + 5 +
				 run_results_tally(2, 0, UPCS_DATA_LOADS));
	/* Counts that are taken over stay where they were. */
	memset(&counts, 0, sizeof(counts));
	run_counts_add_thread(&counts, thread[1], 1);
	thread[1]->state = UPCS_FREE;
	run_unit_update(unit, &counts, results);
	assert_int_equal(value_of(monitor, UPCS_EVENTS + upcs_tally_place[UPCS_FPU_FMA_2]),
			 run_results_tally(1, 0, UPCS_FPU_FMA_2));
	thread[1]->state = UPCS_ENDED;
	/* A file that somebody spoils: nothing shrinks, and nothing comes twice. */
	thread[0]->tally[0][UPCS_DATA_LOADS] -= 1000;
	thread[0]->core = 0xfffffffc;
	run_unit_update(unit, &none, results);
	thread[0]->tally[0][UPCS_DATA_LOADS] += 1000;
	run_unit_update(unit, &none, results);
	assert_int_equal(value_of(monitor, upcs_tally_place[UPCS_DATA_LOADS]),
			 run_results_tally(0, 0, UPCS_DATA_LOADS) + 5 +
				 run_results_tally(2, 0, UPCS_DATA_LOADS));
	/* The last word is the report's. */
	thread[1]->tally[0][UPCS_FPU_FMA_2] += 5;
	run_results_take(&counts);
	run_unit_finish(unit, &counts);
	assert_int_equal(value_of(monitor, UPCS_EVENTS + upcs_tally_place[UPCS_FPU_FMA_2]),
			 run_results_tally(1, 0, UPCS_FPU_FMA_2) + 5);
	for (unsigned k = 0; k < UPCS_EVENTS; k++)
		if (upcs_is_produced(upcs_tally_at[k]))
			assert_int_equal(value_of(monitor, k), counts.core[0][0].item[upcs_tally_at[k]]);
	run_unit_destroy(unit);
	assert_int_equal(value_of(monitor, upcs_tally_place[UPCS_DATA_LOADS]),
			 counts.core[0][0].item[UPCS_DATA_LOADS]);
	upc_monitor_close(monitor);
}

/* More threads than there are records. */
TEST_WITH(test_many, set_up, run_results_tear_down)
{
	struct run_unit *unit = run_unit_create(name, RUN_UNIT_PU23);
	struct upc_monitor *monitor;
	unsigned t;

	assert_non_null(unit);
	monitor = watch(name);
	for (t = 0; t < UPCS_THREADS_MAX; t += 64) {
		results->thread[t].state = t % 128 ? UPCS_RUNS : UPCS_ENDED;
		results->thread[t].core = 3;
		results->thread[t].tally[0][UPCS_DATA_STORES] = 1;
	}
	results->threads.there = UINT32_MAX / 2;
	for (t = 0; t < 3; t++)
		run_unit_update(unit, &none, results);
	assert_int_equal(value_of(monitor, UPCS_EVENTS + upcs_tally_place[UPCS_DATA_STORES]),
			 UPCS_THREADS_MAX / 64);
	run_unit_destroy(unit);
	upc_monitor_close(monitor);
}

UNIT_MAIN(run_unit)
{
	util_begin("run_unit");
	return run_own_tests(NULL, NULL);
}
