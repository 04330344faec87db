/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events that upc_stat counts when none are named.
 */
#include "../../../utils/stat/stat_select.h"

#include "../unit_test.h"

#define MANY 600

static struct upc_event_info event(const char *name, const char *driver, enum upc_source source)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

	info.name = name;
	info.driver = driver;
	info.subsystem = "x";
	info.source = source;
	info.id = UPC_NO_ID;
	return info;
}

/* Position of an event in the order, or -1. */
static int place(const unsigned *order, int n, unsigned what)
{
	for (int i = 0; i < n; i++)
		if (order[i] == what)
			return i;
	return -1;
}

TEST(test_order)
{
	struct upc_event_info events[] = {
		event("vm::pgfault", "proc pgfault", UPC_SOURCE_FILE),
		event("tp::raw_syscalls:sys_enter", "tracefs sys_enter", UPC_SOURCE_TRACEPOINT),
		event("perf::PERF_COUNT_SW_TASK_CLOCK", "perf TASK", UPC_SOURCE_PERF),
		event("perf::PAGE-FAULTS", "perf FAULTS", UPC_SOURCE_PERF),
		event("perf::TASK-CLOCK", "perf TASK", UPC_SOURCE_PERF),
		event("PU0_JPIPE_INSTRUCTIONS", "", UPC_SOURCE_NONE),
	};
	unsigned order[6];
	int n = stat_select(STAT_CHOICE_DEFAULT, events, 6, order);

	/* A second name of one thing, an event without driver and one that makes forks dear are left out. */
	assert_int_equal(n, 3);
	assert_int_equal(order[0], 4);
	assert_int_equal(order[1], 3);
	assert_int_equal(order[2], 0);
	n = stat_select(STAT_CHOICE_DETAILED, events, 6, order);
	assert_int_equal(n, 4);
	assert_int_equal(order[2], 1);
}

/* Events that are counted only where they are named: levels, clocks, wired Blue Gene/P names, derived
 * events, and tracepoints of locks. */
TEST(test_left_out)
{
	struct upc_event_info events[] = {
		event("process::rss", "1", UPC_SOURCE_FILE),
		event("time::real_ns", "2", UPC_SOURCE_CLOCK),
		event("PU0_DATA_LOADS", "3", UPC_SOURCE_PERF),
		event("MY_SUM", "4", UPC_SOURCE_DERIVED),
		event("tp::lock:contention_begin", "5", UPC_SOURCE_TRACEPOINT),
		event("tp::fuse:fuse_request_send", "6", UPC_SOURCE_TRACEPOINT),
	};
	unsigned order[6];

	events[0].kind = UPC_KIND_LEVEL;
	events[2].id = 18;
	assert_int_equal(stat_select(STAT_CHOICE_ALL, events, 6, order), 1);
	assert_int_equal(order[0], 5);
	assert_int_equal(stat_select(STAT_CHOICE_DETAILED, events, 6, order), 1);
	assert_int_equal(stat_select(STAT_CHOICE_DEFAULT, events, 6, order), 0);
	assert_int_equal(stat_select(STAT_CHOICE_DEFAULT, events, 0, order), 0);
}

/* The rest comes in turn from each subsystem, the program's own first, and
 * nothing comes twice. */
TEST(test_all)
{
	static char names[MANY][32], drivers[MANY][16];
	static struct upc_event_info events[MANY];
	static const char *const subsystems[] = {"large", "small", "shared"};
	unsigned order[MANY], small = 0;
	bool seen[MANY] = {false};
	int n, first_shared = -1, last_own = -1;

	for (unsigned i = 0; i < MANY; i++) {
		unsigned kind = i < 500 ? 0 : i < 520 ? 1 : 2;

		snprintf(names[i], sizeof(names[i]), "zz::%u", i);
		snprintf(drivers[i], sizeof(drivers[i]), "d%u", i);
		events[i] = event(names[i], drivers[i], UPC_SOURCE_PERF);
		events[i].subsystem = subsystems[kind];
		events[i].scope = kind == 2 ? UPC_SCOPE_MACHINE : UPC_SCOPE_CONTEXT;
	}
	n = stat_select(STAT_CHOICE_ALL, events, MANY, order);
	assert_int_equal(n, MANY);
	for (int i = 0; i < n; i++) {
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		if (events[order[i]].scope == UPC_SCOPE_CONTEXT)
			last_own = i;
		else if (first_shared < 0)
			first_shared = i;
		if (i < 40 && order[i] >= 500)
			small++;
	}
	assert_int_equal(small, 20);
	assert_true(last_own < first_shared);
}

/* The default is filled up from files only: each other event is made anew at a fork. */
TEST(test_default_is_cheap)
{
	struct upc_event_info events[] = {
		event("perf::ALIGNMENT-FAULTS", "1", UPC_SOURCE_PERF),
		event("vm::numa_hit", "2", UPC_SOURCE_FILE),
		event("tp::sched:sched_process_fork", "3", UPC_SOURCE_TRACEPOINT),
		event("power::intel-rapl:0:energy_uj", "4", UPC_SOURCE_POWERCAP),
	};
	unsigned order[4];

	assert_int_equal(stat_select(STAT_CHOICE_DEFAULT, events, 4, order), 2);
	assert_int_equal(order[0], 1);
	assert_int_equal(order[1], 3);
	assert_int_equal(stat_select(STAT_CHOICE_DETAILED, events, 4, order), 4);
}

/* Where several events match one wish, one of them is taken for it. */
TEST(test_one_of_many)
{
	static const char *const net[] = {"net::lo:rx_bytes", "net::eth0:rx_bytes", "net::eth1:rx_bytes"};
	struct upc_event_info events[3];
	unsigned order[3];
	int n;

	for (unsigned i = 0; i < 3; i++) {
		events[i] = event(net[i], net[i], UPC_SOURCE_FILE);
		events[i].scope = UPC_SCOPE_MACHINE;
	}
	/* One interface that carries the traffic, before the loopback. */
	n = stat_select(STAT_CHOICE_DEFAULT, events, 3, order);
	assert_int_equal(n, 3);
	assert_int_equal(order[0], 1);
	assert_true(place(order, n, 0) < place(order, n, 2));
}

UNIT_TESTS(stat_select, NULL, NULL)
