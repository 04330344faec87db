/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_conflict - a set accepts events until its 256 counters are in use. One more event is refused
 * with PAPI_ECNFLCT and leaves the set unchanged.
 */
#include "upc_tests.h"

int main(int argc, char **argv)
{
	static long long values[1024];
	int component = upc_begin(argc, argv);
	int code = PAPI_NATIVE_MASK;
	int set = PAPI_NULL;
	int conflict = 0;
	int events = 1;
	int more;

	CHECK(PAPI_create_eventset(&set));
	CHECK(PAPI_add_named_event(set, FAULTS));
	for (more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK && !conflict;
	     more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
		char name[PAPI_MAX_STR_LEN];
		int error;

		/*
		 * The set has the first event already. An event without "::" in its name is a Blue
		 * Gene/P event or a formula, and may share a counter.
		 */
		CHECK(PAPI_event_code_to_name(code, name));
		if (strcmp(name, FAULTS) == 0 || !strstr(name + 6, "::"))
			continue;
		error = PAPI_add_event(set, code);
		if (error == PAPI_OK)
			events++;
		else if (error == PAPI_ECNFLCT)
			conflict = 1;
	}
	if (!conflict) {
		if (!TESTS_QUIET)
			printf("only %d events can be added here\n", events);
		test_skip(__FILE__, __LINE__, "too few events for a conflict", PAPI_ECNFLCT);
	}
	REQUIRE(events == 256, "256 events before the conflict");
	REQUIRE(PAPI_num_events(set) == 256, "256 events after the conflict");
	CHECK(PAPI_start(set));
	touch_pages(1000);
	CHECK(PAPI_stop(set, values));
	REQUIRE(value_is_about(values[0], 1000), "the set counts");
	CHECK(PAPI_cleanup_eventset(set));
	CHECK(PAPI_destroy_eventset(&set));
	test_pass(__FILE__);
	return 0;
}
