/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A made /sys of a large machine: what is read of its PMUs is read once, and uncore events
 * are opened on the CPUs that their PMUs name.
 */
#include <linux/perf_event.h>

#include "catalogue/cat_pmus.h"
#include "perf/context.h"
#include "../made_sys.h"
#include "perf/pmus.h"

enum { PMUS = 60, NAMES = 10000, FIRST_TYPE = 10 };

#define DEVICES "bus/event_source/devices"

static void put_pmu(unsigned i, const char *cpumask)
{
	char type[16];

	snprintf(type, sizeof(type), "%u\n", FIRST_TYPE + i);
	made_sys_put(type, DEVICES "/uncore_%u/type", i);
	made_sys_put("config:0-7\n", DEVICES "/uncore_%u/format/event", i);
	made_sys_put("event=0x3\n", DEVICES "/uncore_%u/events/clocks", i);
	if (cpumask)
		made_sys_put(cpumask, DEVICES "/uncore_%u/cpumask", i);
}

/* ---- tests --------------------------------------------------------------------------- */

TEST(test_what_pmus_are_is_read_once)
{
	unsigned i, before;

	made_sys_openings = 0;
	assert_int_equal(upci_pmus_refresh(), 0);
	/* A list, and at most these of each: type, cpumask, cpus, format/rdpmc. */
	assert_in_range(made_sys_openings, PMUS, 1 + 4 * PMUS);
	before = made_sys_openings;
	for (i = 0; i < NAMES; i++) {
		assert_true(upci_pmu_is_cpu_only(FIRST_TYPE + i % PMUS));
		assert_false(upci_pmu_is_core(FIRST_TYPE + i % PMUS));
		assert_false(upci_pmu_has_user_bit(FIRST_TYPE + i % PMUS));
	}
	assert_false(upci_pmu_core_is_there());
	assert_int_equal(made_sys_openings, before);
	/* Encoding an event opens the files of that event only. */
	for (i = 0; i < PMUS; i++) {
		struct upci_perf_spec spec;
		char text[64];

		snprintf(text, sizeof(text), "uncore_%u/clocks/", i);
		assert_int_equal(upci_pmu_encode(text, UPC_DOMAIN_USER, &spec), 0);
		assert_true(spec.type == FIRST_TYPE + i && spec.config == 3 && spec.cpu_only && !spec.core);
	}
	assert_int_equal(made_sys_openings, before + 2 * PMUS);
}

/* Values go to the bits that the PMU's files name, and all of them have to fit. */
TEST(test_bits_of_a_field)
{
	struct upci_perf_spec spec;

	made_sys_put("300\n", DEVICES "/fields/type");
	made_sys_put("0\n", DEVICES "/fields/cpumask");
	made_sys_put("config:0-7,32\n", DEVICES "/fields/format/event");
	made_sys_put("config1:8-11\n", DEVICES "/fields/format/umask");
	made_sys_put("event=0x1c3,umask=0xf\n", DEVICES "/fields/events/fits");
	made_sys_put("event=0x2c3\n", DEVICES "/fields/events/large");
	assert_int_equal(upci_pmus_refresh(), 0);
	assert_int_equal(upci_pmu_encode("fields/fits/", UPC_DOMAIN_USER, &spec), 0);
	assert_true(spec.config == (UINT64_C(1) << 32 | 0xc3));
	assert_true(spec.config1 == 0xf00);
	/* It has no filters. */
	assert_true(spec.cpu_only && !spec.exclude_kernel);
	assert_int_equal(upci_pmu_encode("fields/large/", UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
}

TEST(test_a_driver_that_comes_later)
{
	struct upci_perf_spec spec;

	assert_false(upci_pmu_is_cpu_only(FIRST_TYPE + PMUS));
	assert_int_equal(upci_pmu_encode("uncore_60/clocks/", UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
	put_pmu(PMUS, "0\n");
	assert_true(upci_pmu_is_cpu_only(FIRST_TYPE + PMUS));
	assert_int_equal(upci_pmu_encode("uncore_60/clocks/", UPC_DOMAIN_USER, &spec), 0);
}

static unsigned cpus_of(enum upc_context_kind kind, uint32_t type, int cpus[8])
{
	struct upci_context context = {.kind = kind, .cpu = 2};
	struct upci_perf_target *targets;
	int n = upci_context_targets(&context, type, &targets), i;

	for (i = 0; i < n; i++) {
		assert_int_equal(targets[i].tid, -1);
		cpus[i] = targets[i].cpu;
	}
	if (n >= 0)
		free(targets);
	return n < 0 ? 0 : (unsigned)n;
}

TEST(test_machines_are_counted_where_their_pmus_say)
{
	int cpus[8];

	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, PERF_TYPE_SOFTWARE, cpus), 5);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, PERF_TYPE_RAW, cpus), 5);
	/* Not once for each CPU that is online, here 0 to 3 and 6. */
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE, cpus), 2);
	assert_true(cpus[0] == 0 && cpus[1] == 2);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 1, cpus), 1);
	assert_int_equal(cpus[0], 6);
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 2, cpus), 0);
	assert_message("uncore_2 counts on CPU 4, and no such CPU is online");
	assert_int_equal(cpus_of(UPC_CONTEXT_CPU, FIRST_TYPE, cpus), 1);
	assert_int_equal(cpus_of(UPC_CONTEXT_CPU, FIRST_TYPE + 1, cpus), 0);
	assert_message("uncore_1 counts on CPU 4,6, not on CPU 2");
	/* The reader of a package goes offline, and another takes its place. */
	made_sys_put("3\n", DEVICES "/uncore_1/cpumask");
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, FIRST_TYPE + 1, cpus), 1);
	assert_int_equal(cpus[0], 3);
}

TEST(test_hybrid_cpus)
{
	int cpus[8];

	made_sys_put("200\n", DEVICES "/cpu_atom/type");
	made_sys_put("2-3\n", DEVICES "/cpu_atom/cpus");
	assert_true(upci_pmu_is_core(200));
	assert_false(upci_pmu_is_cpu_only(200));
	assert_int_equal(cpus_of(UPC_CONTEXT_MACHINE, 200, cpus), 2);
	assert_int_equal(cpus[0], 2);
}

TEST(test_no_descriptor_is_no_empty_machine)
{
	unsigned n, before;

	(void)upci_pmus(&before);
	for (made_sys_full_after = 0; made_sys_full_after < 20; made_sys_full_after++) {
		made_sys_openings = 0;
		assert_int_equal(upci_pmus_refresh(), UPC_EMFILE);
		(void)upci_pmus(&n);
		assert_int_equal(n, before);
	}
	made_sys_full_after = UINT_MAX;
	assert_int_equal(upci_pmus_refresh(), 0);
}

static int set_up(void **state)
{
	unsigned i;

	if (made_sys_begin(state))
		return -1;
	made_sys_put("0-3,6\n", "devices/system/cpu/online");
	for (i = 0; i < PMUS; i++)
		put_pmu(i, i == 1 ? "4,6\n" : i == 2 ? "4\n" : "0,2\n");
	return 0;
}

UNIT_TESTS(pmus, set_up, made_sys_end)
