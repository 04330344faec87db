/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_removal - adds and removes events in random order. When an event is removed, PAPI's core
 * moves entries without their codes. Each event must still return its own value.
 */
#include <stdlib.h>

#include "upc_tests.h"

#define ROUNDS 500
#define PAGES 50

static const struct {
	const char *name;
	int faults; /* counts page faults; other events count at most SLACK, or time */
	int clock;
} subjects[] = {
	{FAULTS, 1, 0},
	{"upc:::perf::MINOR-FAULTS", 1, 0},
	{"upc:::perf::MAJOR-FAULTS", 0, 0},
	{"upc:::perf::TASK-CLOCK", 0, 1},
	{"upc:::perf::CPU-CLOCK", 0, 1},
};
#define SUBJECTS ((int)(sizeof(subjects) / sizeof(*subjects)))

static int value_is_right(int subject, long long value)
{
	if (subjects[subject].faults)
		return value_is_about(value, PAGES);
	if (subjects[subject].clock)
		return value > PAGES + SLACK; /* nanoseconds */
	return value >= 0 && value <= SLACK;
}

int main(int argc, char **argv)
{
	int codes[SUBJECTS], order[SUBJECTS];
	long long values[SUBJECTS];
	unsigned seed = 1;
	int set = PAPI_NULL;
	int n = 0;
	int round, i;

	upc_begin(argc, argv);
	for (i = 0; i < SUBJECTS; i++)
		CHECK(PAPI_event_name_to_code(subjects[i].name, &codes[i]));
	CHECK(PAPI_create_eventset(&set));
	for (round = 0; round < ROUNDS; round++) {
		int subject = rand_r(&seed) % SUBJECTS;

		for (i = 0; i < n && order[i] != subject; i++)
			;
		if (i == n) {
			CHECK(PAPI_add_event(set, codes[subject]));
			order[n++] = subject;
		} else {
			CHECK(PAPI_remove_event(set, codes[subject]));
			n--;
			memmove(order + i, order + i + 1, (size_t)(n - i) * sizeof(*order));
		}
		if (!n)
			continue;
		CHECK(PAPI_start(set));
		touch_pages(PAGES);
		CHECK(PAPI_stop(set, values));
		for (i = 0; i < n; i++) {
			if (!value_is_right(order[i], values[i])) {
				printf("round %d: %s is %lld\n", round, subjects[order[i]].name, values[i]);
				test_fail(__FILE__, __LINE__, "not this event's value", PAPI_EMISC);
			}
		}
	}
	CHECK(PAPI_cleanup_eventset(set));
	CHECK(PAPI_destroy_eventset(&set));
	test_pass(__FILE__);
	return 0;
}
