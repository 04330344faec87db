/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_basic - add, start, read, accum, reset, write and stop of one event whose
 * count is known: page faults of fresh pages.
 */
#include "papi_util.h"

static void counts(int set)
{
	long long value = -1;
	long long sum = 1000000;
	long long before;

	ok(PAPI_start(set) == PAPI_OK, "start");
	touch_pages(1000);
	ok(PAPI_read(set, &value) == PAPI_OK && about(value, 1000),
	   "1000 fresh pages read while running: %lld", value);
	touch_pages(500);
	ok(PAPI_read(set, &value) == PAPI_OK && about(value, 1500), "500 more: %lld", value);
	ok(PAPI_accum(set, &sum) == PAPI_OK && about(sum, 1001500), "accum adds to what was there: %lld",
	   sum);
	touch_pages(200);
	ok(PAPI_read(set, &value) == PAPI_OK && about(value, 200), "accum began anew: %lld", value);
	ok(PAPI_reset(set) == PAPI_OK, "reset while running");
	touch_pages(300);
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 300), "stop after the reset: %lld", value);

	before = value;
	touch_pages(100);
	ok(PAPI_read(set, &value) == PAPI_OK && value == before, "a stopped set stands still");
	ok(PAPI_start(set) == PAPI_OK, "start again");
	touch_pages(50);
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 50), "a start begins at 0: %lld", value);
}

static void presets(int set)
{
	/* PAPI copies as many values as the component has counters. */
	static long long values[256] = {1000};
	long long value = -1;

	ok(PAPI_start(set) == PAPI_OK && PAPI_write(set, values) == PAPI_OK, "write 1000 while running");
	touch_pages(100);
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 1100), "counts on from it: %lld", value);
}

/* Positions, order of adding and PAPI_write's order fall apart after a remove. */
static void preset_order(void)
{
	static long long values[256] = {10000, 20000};
	long long got[2] = {-1, -1};
	int set = set_with("upc:::perf::CPU-CLOCK");

	if (!ok(set != PAPI_NULL && PAPI_add_named_event(set, "upc:::perf::MAJOR-FAULTS") == PAPI_OK &&
			PAPI_remove_named_event(set, "upc:::perf::CPU-CLOCK") == PAPI_OK &&
			PAPI_add_named_event(set, FAULTS) == PAPI_OK,
		"a set with a hole that was filled"))
		return;
	ok(PAPI_start(set) == PAPI_OK && PAPI_write(set, values) == PAPI_OK &&
		   PAPI_stop(set, got) == PAPI_OK && about(got[0], 10000) && about(got[1], 20000),
	   "each value is written to its own event: %lld %lld", got[0], got[1]);
	drop(&set);
}

static void states(int set)
{
	long long value;

	ok(PAPI_start(set) == PAPI_OK, "start");
	ok(PAPI_start(set) == PAPI_EISRUN, "a second start is PAPI_EISRUN");
	ok(PAPI_add_named_event(set, "upc:::perf::MAJOR-FAULTS") == PAPI_EISRUN,
	   "an add while running is PAPI_EISRUN");
	ok(PAPI_stop(set, &value) == PAPI_OK, "stop");
	ok(PAPI_stop(set, &value) == PAPI_ENOTRUN, "a second stop is PAPI_ENOTRUN");
}

static void many_starts(int set)
{
	long long value;
	int right = 1;
	int i;

	for (i = 0; i < 1000; i++) {
		if (PAPI_start(set) != PAPI_OK)
			right = 0;
		if (i % 100 == 0)
			touch_pages(10);
		if (PAPI_stop(set, &value) != PAPI_OK || (i % 100 == 0 && !about(value, 10)))
			right = 0;
	}
	ok(right, "1000 starts and stops");
}

static void on_overflow(int set, void *address, long long vector, void *context)
{
	(void)set;
	(void)address;
	(void)vector;
	(void)context;
}

/* PAPI emulates overflow with a timer whose handler reads the set. */
static void emulated_overflow(int set)
{
	long long value = -1;
	int code;
	int i;

	PAPI_event_name_to_code(FAULTS, &code);
	if (!ok(PAPI_overflow(set, code, 100, 0, on_overflow) == PAPI_OK, "PAPI_overflow"))
		return;
	ok(PAPI_start(set) == PAPI_OK, "start with an emulated overflow");
	for (i = 0; i < 200; i++) {
		touch_pages(100);
		PAPI_read(set, &value);
	}
	ok(PAPI_stop(set, &value) == PAPI_OK && about(value, 20000), "it disturbs no count: %lld", value);
	ok(PAPI_overflow(set, code, 0, 0, on_overflow) == PAPI_OK, "and can be taken away");
}

static void multiplexed(void)
{
	int set = PAPI_NULL;
	int code;
	int error;

	PAPI_event_name_to_code(FAULTS, &code);
	PAPI_multiplex_init();
	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, find_component());
	error = PAPI_set_multiplex(set);
	if (error == PAPI_OK)
		error = PAPI_add_event(set, code);
	note("a multiplexed set: %s", PAPI_strerror(error));
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	set = set_with(FAULTS);
	ok(set != PAPI_NULL && still_counts(set, 1), "an ordinary set after it counts");
	drop(&set);
}

int main(void)
{
	int set;

	start_papi();
	set = set_with(FAULTS);
	if (!ok(set != PAPI_NULL, "a set with " FAULTS))
		return done();
	counts(set);
	presets(set);
	preset_order();
	states(set);
	many_starts(set);
	emulated_overflow(set);
	ok(PAPI_cleanup_eventset(set) == PAPI_OK && PAPI_destroy_eventset(&set) == PAPI_OK,
	   "cleanup and destroy");
	multiplexed();
	set = set_with(FAULTS);
	PAPI_start(set);
	PAPI_shutdown();
	ok(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "shutdown and initialise again");
	set = set_with(FAULTS);
	ok(set != PAPI_NULL && still_counts(set, 1), "and count");
	PAPI_shutdown();
	return done();
}
