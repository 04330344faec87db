/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening events in contexts that can and cannot have them.
 */
#include "unit/unit.h"
#include "catalogue_test.h"

static struct upc_unit *create(enum upc_context_kind kind, pid_t pid)
{
	struct upc_unit_options options = UPC_OPTIONS_INIT(upc_unit_options);
	struct upc_unit *u;

	options.context = kind;
	options.pid = pid;
	assert_int_equal(upc_unit_create(c, &options, &u), 0);
	return u;
}

TEST(test_clocks)
{
	uint32_t thread = event_code(c, "time::thread_cpu_ns"),
		 process = event_code(c, "time::process_cpu_ns");
	struct upc_unit *u = create(UPC_CONTEXT_THREAD, 0);
	struct timespec t;
	uint64_t value;
	volatile unsigned spin;

	assert_int_equal(upc_unit_add(u, thread), 0);
	assert_int_equal(upc_unit_add(u, process), 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	assert_int_equal(upc_unit_start(u), 0);
	for (spin = 0; spin < 3000000; spin++)
		;
	assert_int_equal(upc_unit_read_events(u, &thread, 1, &value), 0);
	value += (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	assert_in_range(value, 1, (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
	upc_unit_destroy(u);
	u = create(UPC_CONTEXT_THREAD, getppid());
	assert_int_equal(upc_unit_add(u, thread), UPC_ENOSUPP);
	assert_message("time::thread_cpu_ns");
	upc_unit_destroy(u);
	u = create(UPC_CONTEXT_MACHINE, 0);
	assert_int_equal(upc_unit_add(u, process), UPC_ENOSUPP);
	upc_unit_destroy(u);
}

TEST(test_files_of_a_task)
{
	uint32_t minflt = event_code(c, "task::minflt");
	struct upc_unit *u = create(UPC_CONTEXT_MACHINE, 0);

	assert_int_equal(upc_unit_add(u, minflt), UPC_ENOSUPP);
	upc_unit_destroy(u);
	u = create(UPC_CONTEXT_THREAD, getppid());
	assert_int_equal(upc_unit_add(u, minflt), 0);
	upc_unit_destroy(u);
}

TEST(test_undriven)
{
	struct upc_unit *u = create(UPC_CONTEXT_THREAD, 0);

	assert_int_equal(upc_unit_add(u, event_code(c, "PU2_FPU_FMA_2")), UPC_ENOEVENT);
	assert_message("PU2_FPU_FMA_2");
	upc_unit_destroy(u);
}

/* By what is encoded, and not by names. */
TEST(test_needs_pmu)
{
	static const struct {
		const char *perf;
		int needs;
	} drivers[] = {
		{"perf::PAGE-FAULTS", 0},
		{"PAGE-FAULTS", 0},
		{"PERF_COUNT_SW_CPU_CLOCK", 0},
		{"perf::CONTEXT-SWITCHES", 0},
		{"perf::CYCLES", 1},
		{"perf::L1-DCACHE-LOADS", 1},
		{"perf::NOTHING", UPC_ENOEVENT},
		{"perf::CONTEXT-SWITCHES:u", UPC_ENOSUPP},
	};
	struct upci_event event = {.name = "ours::event", .id = UPC_NO_ID, .kind = UPC_KIND_COUNT};
	size_t i;

	assert_int_equal(upc_catalogue_needs_pmu(c, event_code(c, "time::thread_cpu_ns")), 0);
	assert_int_equal(upc_catalogue_needs_pmu(c, event_code(c, "task::minflt")), 0);
	assert_int_equal(upc_catalogue_needs_pmu(c, event_code(c, "PU2_FPU_FMA_2")), 0);
	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		event.driver = (struct upci_driver){
			.source = UPC_SOURCE_PERF, .mul = 1, .div = 1, .perf = drivers[i].perf};
		assert_true(upci_catalogue_put(c, &event) >= 0);
		if (upc_catalogue_needs_pmu(c, event_code(c, "ours::event")) != drivers[i].needs)
			fail_msg("%s: %s", drivers[i].perf, upc_last_message());
	}
	assert_int_equal(upc_catalogue_needs_pmu(c, UINT32_MAX), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_needs_pmu(NULL, 0), UPC_EINVAL);
	assert_int_equal(upc_catalogue_needs_pmu(c, event_code(c, "NET_RX_BYTES")), UPC_EINVAL);
	assert_message("NET_RX_BYTES");
}

UNIT_TESTS(source, open_catalogue, close_catalogue)
