/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_basic - the component's events have names and descriptions. The event for page faults counts
 * the faults of fresh pages, whose number is known.
 */
#include "upc_tests.h"

int main(int argc, char **argv)
{
	int component = upc_begin(argc, argv);
	int code = PAPI_NATIVE_MASK;
	PAPI_event_info_t info;
	long long value = -1;
	int set = PAPI_NULL;
	int events = 0;
	int more;

	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		CHECK(PAPI_get_event_info(code, &info));
		REQUIRE(strncmp(info.symbol, "upc:::", 6) == 0, "an event without its prefix");
		REQUIRE(info.long_descr[0] && info.units[0], "an event without words");
		events++;
	}
	REQUIRE(events == PAPI_get_component_info(component)->num_native_events, "the number of events");

	CHECK(PAPI_create_eventset(&set));
	CHECK(PAPI_add_named_event(set, FAULTS));
	CHECK(PAPI_start(set));
	touch_pages(1000);
	CHECK(PAPI_read(set, &value));
	REQUIRE(value_is_about(value, 1000), "1000 pages, read");
	touch_pages(500);
	CHECK(PAPI_stop(set, &value));
	REQUIRE(value_is_about(value, 1500), "1500 pages, stopped");
	CHECK(PAPI_start(set));
	CHECK(PAPI_stop(set, &value));
	REQUIRE(value_is_about(value, 0), "a start begins at 0");
	CHECK(PAPI_cleanup_eventset(set));
	CHECK(PAPI_destroy_eventset(&set));
	if (!TESTS_QUIET)
		printf("%d events\n", events);
	test_pass(__FILE__);
	return 0;
}
