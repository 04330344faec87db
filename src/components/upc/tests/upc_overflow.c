/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_overflow - page faults have a threshold in hardware. The handler is called for each fault,
 * and for no fault of an earlier start.
 */
#include "upc_tests.h"

#define THRESHOLD 100

static volatile int calls, wrong;

static void on_overflow(int set, void *address, long long vector, void *context)
{
	int index = -1;
	int n = 1;

	(void)context;
	calls++;
	if (PAPI_get_overflow_event_index(set, vector, &index, &n) != PAPI_OK || index != 1 || !address)
		wrong++;
}

int main(int argc, char **argv)
{
	long long values[2];
	int set = PAPI_NULL;
	int code, round;

	REQUIRE(PAPI_get_component_info(upc_begin(argc, argv))->hardware_intr, "overflow in hardware");
	CHECK(PAPI_create_eventset(&set));
	CHECK(PAPI_add_named_event(set, "upc:::perf::MAJOR-FAULTS"));
	CHECK(PAPI_add_named_event(set, FAULTS));
	CHECK(PAPI_event_name_to_code(FAULTS, &code));
	CHECK(PAPI_overflow(set, code, THRESHOLD, 0, on_overflow));
	for (round = 0; round < 3; round++) {
		calls = 0;
		CHECK(PAPI_start(set));
		touch_pages(1050);
		CHECK(PAPI_stop(set, values));
		if (!TESTS_QUIET)
			printf("%lld faults, %d calls\n", values[1], calls);
		REQUIRE(calls == values[1] / THRESHOLD, "a call for each hundred");
		REQUIRE(!wrong, "calls for this event");
	}
	CHECK(PAPI_overflow(set, code, 0, 0, on_overflow));
	calls = 0;
	CHECK(PAPI_start(set));
	touch_pages(1000);
	CHECK(PAPI_stop(set, values));
	REQUIRE(value_is_about(values[1], 1000) && !calls, "without a threshold it only counts");
	CHECK(PAPI_cleanup_eventset(set));
	CHECK(PAPI_destroy_eventset(&set));
	test_pass(__FILE__);
	return 0;
}
