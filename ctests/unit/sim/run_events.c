/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of a run that --events shows, and the lists that it refuses. ctests/sim/upc_run.sh tests the
 * messages of refusals.
 */
#include "../../../utils/run/run_events.h"

#include "../unit_test.h"

static struct run_events events;

static unsigned shown(void)
{
	unsigned n = 0;

	for (unsigned place = 0; place <= UPCS_CORES; place++)
		for (unsigned item = 0; item < UPCS_ITEMS; item++)
			n += events.shown[place][item];
	return n;
}

static int parse(const char *list)
{
	run_events_all(&events);
	return run_events_parse(&events, list);
}

/* 29 of a core's 35 events, INSTRUCTIONS, UNKNOWN and six that are derived; of four cores and their
 * sum. */
TEST(test_all)
{
	run_events_all(&events);
	assert_false(events.asked);
	assert_int_equal(shown(), 5 * (29 + 2 + 6));
	assert_false(run_events_has_item(&events, UPCS_DCACHE_MISS));
}

/* UNKNOWN is shown where there is some, or where it was asked for. */
TEST(test_seen)
{
	struct run_vector whole = {.item[UPCS_UNKNOWN] = 1};

	run_events_all(&events);
	run_events_seen(&events, &whole);
	assert_int_equal(shown(), 5 * (29 + 2 + 6));
	whole.item[UPCS_UNKNOWN] = 0;
	run_events_seen(&events, &whole);
	assert_int_equal(shown(), 5 * (29 + 1 + 6));
	assert_false(run_events_has_item(&events, UPCS_UNKNOWN));
	assert_int_equal(parse("UNKNOWN"), 0);
	run_events_seen(&events, &whole);
	assert_int_equal(shown(), 1);
}

TEST(test_names)
{
	assert_int_equal(parse("PU2_FPU_FMA_2"), 0);
	assert_true(events.asked && events.plain);
	assert_int_equal(shown(), 1);
	assert_true(events.shown[3][UPCS_FPU_FMA_2]);
	assert_true(run_events_has_core(&events, 3));
	assert_false(run_events_has_core(&events, 0));
	assert_int_equal(parse("FPU_FMA_2,PU0_TOT_INS"), 0);
	assert_int_equal(shown(), 2);
	assert_true(events.shown[0][UPCS_FPU_FMA_2] && events.shown[1][UPCS_TOT_INS]);
	/* More than one list, and no name twice. */
	assert_int_equal(run_events_parse(&events, "PU3_INSTRUCTIONS,FPU_FMA_2"), 0);
	assert_int_equal(shown(), 3);
	assert_true(events.shown[4][UPCS_INSTRUCTIONS]);
}

TEST(test_spellings)
{
	static const char *const same[] = {"pu1_ipipe_branches", "BGP_PU1_IPIPE_BRANCHES",
					   "PNE_BGP_PU1_IPIPE_BRANCHES"};

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(parse(same[i]), 0);
		assert_int_equal(shown(), 1);
		assert_true(events.shown[2][UPCS_IPIPE_BRANCHES]);
	}
}

/* Events that are not produced do not come with a glob. */
TEST(test_globs)
{
	assert_int_equal(parse("PU0_*"), 0);
	assert_int_equal(shown(), 29 + 2 + 6);
	assert_false(events.plain);
	assert_int_equal(parse("*DCACHE*"), 0);
	assert_int_equal(shown(), 5);
	assert_true(events.shown[0][UPCS_DCACHE_OPS] && events.shown[4][UPCS_DCACHE_OPS]);
	assert_int_equal(parse("FPU_*_[12]"), 0);
	assert_int_equal(shown(), 6);
	assert_true(events.shown[0][UPCS_FPU_DIV_1]);
	assert_int_equal(parse("upc:::PU0_INSTRUCTIONS,upc:::FPU_*_[12]"), 0);
	assert_int_equal(shown(), 7);
	assert_int_equal(parse("*"), 0);
	assert_int_equal(shown(), 5 * (29 + 2 + 6));
}

TEST(test_refused)
{
	static const char *const bad[] = {"",           ",",         "FP_OPS,",     "PU4_FP_OPS",
					  "PU0_",       "FPU_FMA_3", "DCACHE_MISS", "PU0_DCACHE_MISS",
					  "PU0_L2_HIT", "PU0_L2*",   "nothing*"};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(bad[i]) == 0)
			fail_msg("'%s' was taken", bad[i]);
}

UNIT_TESTS(run_events, NULL, NULL)
