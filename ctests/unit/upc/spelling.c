/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf's and PAPI's names: what the catalogue has for them, their modifiers, and what is said where
 * nothing counts them.
 */
#include <linux/perf_event.h>

#include "catalogue/spelling.h"
#include "perf/perf.h"

#include "catalogue_test.h"

static const char *const names[] = {
#define SPELLING(name, event, other, counted, model) name,
#include "catalogue/spellings.def"
};

static int refused(const char *name)
{
	uint32_t code = 4711;
	int error = upc_catalogue_find(c, name, &code);

	assert_int_equal(code, error ? 4711 : code);
	return error;
}

/* An event that the kernel counts everywhere, for everybody. */
TEST(test_of_perf)
{
	needs_perf();
	uint32_t code = event_code(c, "perf::PAGE-FAULTS");

	assert_int_equal(event_code(c, "page-faults"), code);
	assert_int_equal(event_code(c, "faults"), code);
	assert_int_equal(event_code(c, "minor-faults"), event_code(c, "perf::MINOR-FAULTS"));
	assert_int_equal(event_code(c, "task-clock"), event_code(c, "perf::TASK-CLOCK"));
	assert_int_equal(event_code(c, "alignment-faults"), event_code(c, "perf::ALIGNMENT-FAULTS"));
	assert_int_not_equal(event_code(c, "alignment-faults"), event_code(c, "emulation-faults"));
	/* Case is as perf has it. */
	assert_int_equal(refused("Page-faults"), UPC_ENOEVENT);
	assert_message("did you mean perf::PAGE-FAULTS?");
	assert_int_equal(refused("page-faul"), UPC_ENOEVENT);
	assert_int_equal(refused("page-faultsx"), UPC_ENOEVENT);
}

TEST(test_modifiers)
{
	needs_perf();
	static const char *const wrong[] = {"page-faults:", "page-faults:p", "page-faults:ux",
					    "page-faults:u:k", "page-faults:h"};
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(refused(wrong[i]), UPC_ENOSUPP);
		assert_message(wrong[i]);
	}
	assert_int_equal(event_code(c, "page-faults:u"), event_code(c, "perf::PAGE-FAULTS:u"));
	if (!(upci_perf_domains() & UPC_DOMAIN_KERNEL))
		skip_because("this user may not count the kernel");
	assert_int_equal(upc_catalogue_info(c, event_code(c, "page-faults:u"), &info), 0);
	assert_string_equal(info.name, "perf::PAGE-FAULTS:u");
	assert_int_equal(event_code(c, "page-faults:uk"), event_code(c, "perf::PAGE-FAULTS"));
	assert_int_equal(event_code(c, "page-faults:k"), event_code(c, "perf::PAGE-FAULTS:k"));
	assert_int_equal(event_code(c, "cs"), event_code(c, "perf::CONTEXT-SWITCHES"));
	assert_int_equal(refused("cs:u"), UPC_ENOSUPP);
	assert_message("would read 0 in user mode");
}

TEST(test_tracepoints)
{
	static const char plain[] = "sched:sched_switch";
	uint32_t code;

	if (upci_catalogue_lookup(c, "tp::sched:sched_switch") < 0) {
		assert_int_equal(refused(plain), UPC_EPERM);
		assert_message("no tracepoints: run as root");
		skip_because("this user has no tracepoints");
	}
	code = event_code(c, "tp::sched:sched_switch");
	assert_int_equal(event_code(c, plain), code);
	assert_int_equal(refused("sched:sched_switch:u"), UPC_ENOSUPP);
	assert_int_equal(refused("sched:sched_swich"), UPC_ENOEVENT);
	assert_message("tp::sched:sched_switch");
	assert_int_equal(refused("sched:"), UPC_ENOEVENT);
	assert_int_equal(refused(":sched_switch"), UPC_ENOEVENT);
}

/* Names of a catalogue of our own, so that it is the same on every machine. */
static void put_event(struct upc_catalogue *own, const char *name, enum upc_source source)
{
	struct upci_event event = {.name = name, .unit = "events", .id = UPC_NO_ID, .description = "One."};

	event.driver.source = source;
	event.driver.mul = event.driver.div = 1;
	event.driver.clock = CLOCK_MONOTONIC;
	assert_true(upci_catalogue_put(own, &event) >= 0);
}

TEST(test_what_is_driven)
{
	struct upc_catalogue *own = upci_catalogue_create(NULL, NULL);
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

	assert_non_null(own);
	put_event(own, "LD_INS", UPC_SOURCE_CLOCK);
	put_event(own, "perf::CYCLES", UPC_SOURCE_CLOCK);
	put_event(own, "TOT_CYC", UPC_SOURCE_NONE);
	put_event(own, "TOT_INS", UPC_SOURCE_CLOCK);
	put_event(own, "msr::tsc", UPC_SOURCE_CLOCK);
	assert_int_equal(event_code(own, "PAPI_LD_INS"), event_code(own, "LD_INS"));
	/* The second name where nothing drives the first. */
	assert_int_equal(event_code(own, "PAPI_TOT_CYC"), event_code(own, "perf::CYCLES"));
	assert_int_equal(event_code(own, "cpu-cycles"), event_code(own, "perf::CYCLES"));
	assert_int_equal(event_code(own, "PAPI_TOT_INS"), event_code(own, "TOT_INS"));
	assert_int_equal(event_code(own, "msr/tsc/"), event_code(own, "msr::tsc"));
	assert_int_equal(upc_catalogue_info(own, event_code(own, "perf::CYCLES"), &info), 0);
	assert_string_equal(info.also, "cycles, cpu-cycles, PAPI_TOT_CYC");
	assert_int_equal(upc_catalogue_info(own, event_code(own, "TOT_CYC"), &info), 0);
	assert_string_equal(info.also, "");
	/* An event of the name itself goes before. */
	put_event(own, "cycles", UPC_SOURCE_CLOCK);
	assert_int_not_equal(event_code(own, "cycles"), event_code(own, "perf::CYCLES"));
	/* A preset has no modifiers, nor has what is not perf's. */
	assert_int_equal(upc_catalogue_find(own, "PAPI_TOT_CYC:u", &(uint32_t){0}), UPC_ENOSUPP);
	assert_int_equal(upc_catalogue_find(own, "msr/tsc", &(uint32_t){0}), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_find(own, "/tsc/", &(uint32_t){0}), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_find(own, "msr//", &(uint32_t){0}), UPC_ENOEVENT);
	upci_catalogue_free(own);
}

/* Without counters one sentence says why, and what counts them. */
TEST(test_what_nothing_counts)
{
	needs_perf();
	struct upc_catalogue *own = upci_catalogue_create(NULL, NULL);
	struct upci_perf_spec cycles = {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES};
	uint32_t code;

	if (!upci_perf_probe(&cycles, "cycles")) {
		upci_catalogue_free(own);
		skip_because("this machine counts cycles");
	}
	assert_non_null(own);
	assert_int_equal(upci_catalogue_add_missing(own, "hardware counters: there is no PMU; buy one"), 0);
	assert_int_equal(upc_catalogue_find(own, "instructions", &code), UPC_ENOEVENT);
	assert_string_equal(
		upc_last_message(),
		"no event 'instructions' here: there is no PMU; buy one; 'upc_run -e INSTRUCTIONS "
		"PROGRAM' counts it exactly, in a simulator");
	assert_int_equal(upc_catalogue_find(own, "PAPI_TOT_CYC", &code), UPC_ENOEVENT);
	assert_string_equal(
		upc_last_message(),
		"no event 'PAPI_TOT_CYC' here: there is no PMU; buy one; upc_run does not count it "
		"either, since it does not model time");
	assert_int_equal(upc_catalogue_find(own, "perf::CACHE-MISSES", &code), UPC_ENOEVENT);
	assert_message("model caches");
	assert_int_equal(upc_catalogue_find(own, "PAPI_L3_TCM", &code), UPC_ENOEVENT);
	assert_message("upc_avail PAPI_");
	upci_catalogue_free(own);
}

/* No name hides an event, none is there twice, and each is an event or is refused with a reason. */
TEST(test_every_row)
{
	const size_t n = sizeof(names) / sizeof(names[0]);
	size_t i, k;
	int error;

	for (i = 0; i < n; i++) {
		assert_int_equal(upci_catalogue_lookup_folded(c, names[i]), UPC_ENOEVENT);
		assert_string_equal(upci_spelling_find(names[i])->name, names[i]);
		for (k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
		/* An event that the kernel keeps from this user is refused by its own name. */
		error = refused(names[i]);
		if (error && error != UPC_EPERM)
			assert_message(names[i]);
	}
}

/* A suggestion is an event that something drives. */
TEST(test_suggestions_can_be_counted)
{
	needs_perf();
	const char *near[3];
	int i, n = upc_catalogue_nearest(c, "PU0_JPIPE_INSTRUCTION", near, 3);
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

	for (i = 0; i < n; i++) {
		assert_int_equal(upc_catalogue_info(c, event_code(c, near[i]), &info), 0);
		assert_int_not_equal(info.source, UPC_SOURCE_NONE);
	}
	assert_int_equal(upc_catalogue_nearest(c, "prf::PAGE-F*", near, 3), 1);
	assert_string_equal(near[0], "perf::PAGE-F*");
	assert_int_equal(upc_catalogue_nearest(c, "tak::*", near, 3), 1);
	assert_string_equal(near[0], "task::*");
	assert_int_equal(upc_catalogue_nearest(c, "prf::NOTHING-F*", near, 3), 0);
	assert_int_equal(upc_catalogue_nearest(c, "*", near, 3), 0);
}

UNIT_TESTS(spelling, open_catalogue, close_catalogue)
