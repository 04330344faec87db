/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distances between event names, and the list of the best.
 */
#include "nearest.h"
#include "unit_test.h"

static void test_distance(void **state)
{
	char text[300];

	(void)state;
	assert_int_equal(upci_name_distance("page-faults", "PAGE_FAULTS"), 0);
	assert_int_equal(upci_name_distance("PAGE_FALUTS", "PAGE_FAULTS"), 1);
	assert_int_equal(upci_name_distance("page-faults", "perf::PAGE-FAULTS"), 1);
	assert_int_equal(upci_name_distance("sched_swich", "tp::sched:sched_switch"), 2);
	assert_int_equal(upci_name_distance("switch", "tp::sched:sched_switch"), 3);
	assert_int_equal(upci_name_distance("nothing_like_it", "PU0_DATA_LOADS"), UPCI_FAR);
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	assert_int_equal(upci_name_distance(text, "PU0_DATA_LOADS"), UPCI_FAR);
	assert_int_equal(upci_name_distance("PU0_DATA_LOADS", text), UPCI_FAR);
	assert_true(upci_name_distance("", "x") <= UPCI_FAR);
}

static void test_best_first(void **state)
{
	struct upci_nearest nearest = {.max = 2};

	(void)state;
	upci_nearest_offer(&nearest, "minor-fault", "perf::MAJOR-FAULTS");
	upci_nearest_offer(&nearest, "minor-fault", "vm::nothing");
	upci_nearest_offer(&nearest, "minor-fault", "perf::MINOR-FAULTS");
	upci_nearest_offer(&nearest, "minor-fault", "MINOR_FAULT");
	assert_int_equal(nearest.count, 2);
	assert_string_equal(nearest.name[0], "MINOR_FAULT");
	assert_string_equal(nearest.name[1], "perf::MINOR-FAULTS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_best_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
