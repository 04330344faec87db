/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracepoints: numbers, descriptions, names that would leave tracefs.
 */
#include "catalogue/cat_trace.h"
#include "catalogue/catalogue.h"
#include "lib/machine.h"
#include "../unit_test.h"

TEST(test_numbers)
{
	uint64_t a, b;

	if (!machine_shows_tracepoints()) {
		assert_int_not_equal(upci_tracepoint_id("sched:sched_switch", &a), 0);
		assert_message("tracefs");
		skip_because("tracefs is for root here");
	}
	assert_int_equal(upci_tracepoint_id("sched:sched_switch", &a), 0);
	assert_int_equal(upci_tracepoint_id("sched:sched_wakeup", &b), 0);
	assert_true(a != b && a > 0 && b > 0);
}

TEST(test_refusals)
{
	static const char *const wrong[] = {"",
					    ":",
					    "sched",
					    "sched:",
					    ":sched_switch",
					    "../x:y",
					    "sched:../../x",
					    "sched:no_such_event",
					    "a/b:c"};
	char longest[2000];
	uint64_t id;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_true(upci_tracepoint_id(wrong[i], &id) < 0);
	memset(longest, 'x', sizeof(longest));
	longest[1] = ':';
	longest[sizeof(longest) - 1] = 0;
	assert_true(upci_tracepoint_id(longest, &id) < 0);
}

TEST(test_descriptions)
{
	struct upci_event event = {
		.name = "tp::syscalls:sys_enter_read",
		.driver = {.source = UPC_SOURCE_TRACEPOINT, .tracepoint = "syscalls:sys_enter_read"}};
	char text[300], small[10];

	upci_tracepoint_describe(&event, text, sizeof(text));
	assert_string_equal(text, "Calls of the system call read.");
	upci_tracepoint_describe(&event, small, sizeof(small));
	assert_int_equal(strlen(small), sizeof(small) - 1);
	event.driver.tracepoint = "sched:sched_switch";
	upci_tracepoint_describe(&event, text, sizeof(text));
	assert_non_null(strstr(text, "sched:sched_switch"));
	if (machine_shows_tracepoints())
		assert_non_null(strstr(text, "next_comm"));
	assert_null(strstr(text, "common_pid"));
}

UNIT_TESTS(cat_trace, NULL, NULL)
