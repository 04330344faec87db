/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Encodings by libpfm4, and what is refused instead of read as 0.
 */
#include <linux/perf_event.h>

#include "catalogue/cat_pfm.h"
#include "../unit_test.h"

static int encode(const char *name, unsigned domain, struct upci_perf_spec *spec)
{
	const struct upci_driver driver = {.source = UPC_SOURCE_PERF, .mul = 1, .div = 1, .perf = name};

	return upci_perf_encode(&driver, domain, spec);
}

TEST(test_encodings)
{
	struct upci_perf_spec spec;

	assert_int_equal(encode("perf::PAGE-FAULTS", UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL, &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.config, PERF_COUNT_SW_PAGE_FAULTS);
	assert_false(spec.exclude_user || spec.exclude_kernel || spec.cpu_only);
	assert_int_equal(encode("perf::PAGE-FAULTS", UPC_DOMAIN_USER, &spec), 0);
	assert_true(spec.exclude_kernel);
	/* The user's own modifier takes precedence over the domain. */
	assert_int_equal(encode("perf::PAGE-FAULTS:k", UPC_DOMAIN_USER, &spec), 0);
	assert_true(spec.exclude_user && !spec.exclude_kernel);
	assert_int_equal(encode("perf::INSTRUCTIONS", UPC_DOMAIN_USER, &spec), 0);
	assert_int_equal(spec.type, PERF_TYPE_HARDWARE);
	assert_int_equal(spec.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_int_equal(encode("perf::NOTHING", UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
	assert_message("NOTHING");
	assert_int_equal(encode("", UPC_DOMAIN_USER, &spec), UPC_ENOEVENT);
}

TEST(test_kernel_events_in_the_user_domain_are_refused)
{
	static const char *const names[] = {"perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"};
	const struct upci_driver tracepoint = {
		.source = UPC_SOURCE_TRACEPOINT, .mul = 1, .div = 1, .tracepoint = "sched:sched_switch"};
	struct upci_perf_spec spec;
	size_t i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(encode(names[i], UPC_DOMAIN_USER, &spec), UPC_EPERM);
		assert_message("task::voluntary_ctxt_switches");
		assert_int_equal(encode(names[i], UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL, &spec), 0);
	}
	assert_int_equal(upci_perf_encode(&tracepoint, UPC_DOMAIN_USER, &spec), UPC_EPERM);
	assert_message("kernel");
}

TEST(test_catalogue)
{
	needs_perf();
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *c;
	uint32_t n, code;

	assert_int_equal(upc_catalogue_open(&options, &c), 0);
	n = upc_catalogue_count(c);
	code = event_code(c, "perf::PAGE-FAULTS");
	/* Another name of a listed event makes no new event; a modifier does. */
	assert_int_equal(upci_pfm_resolve(c, "perf::FAULTS"), code);
	assert_int_equal(upc_catalogue_count(c), n);
	if (upci_perf_domains() & UPC_DOMAIN_KERNEL) {
		assert_int_equal(upci_pfm_resolve(c, "perf::PAGE-FAULTS:u"), n);
		assert_int_equal(upc_catalogue_count(c), n + 1);
	} else {
		/* Nothing but user mode is to be had: the same event again. */
		assert_int_equal(upci_pfm_resolve(c, "perf::PAGE-FAULTS:u"), code);
	}
	assert_int_equal(upci_pfm_resolve(c, "PAGE-FAULTS"), UPC_ENOEVENT);
	assert_int_equal(upci_pfm_resolve(c, "perf::"), UPC_ENOEVENT);
	assert_int_equal(upci_pfm_resolve(c, "::"), UPC_ENOEVENT);
	upc_catalogue_close(c);
}

/* Where nobody chose: user mode of a CPU's PMU, everything of the rest. */
TEST(test_domain_that_nobody_chose)
{
	static const struct {
		const char *name;
		bool core, exclude_user, exclude_kernel;
	} unchosen[] = {
		{"perf::INSTRUCTIONS", true, false, true},
		{"perf::INSTRUCTIONS:k", true, true, false},
		{"perf::INSTRUCTIONS:u:k", true, false, false},
		{"perf::L1-DCACHE-LOADS", true, false, true},
		{"perf::PAGE-FAULTS", false, false, false},
		{"perf::CONTEXT-SWITCHES", false, false, false},
	};
	struct upci_context context = {.domain = UPC_DOMAIN_USER | UPC_DOMAIN_KERNEL};
	struct upci_driver driver = {.source = UPC_SOURCE_PERF, .mul = 1, .div = 1};
	struct upci_perf_spec spec;
	size_t i;

	for (i = 0; i < sizeof(unchosen) / sizeof(unchosen[0]); i++) {
		driver.perf = unchosen[i].name;
		context.domain_chosen = false;
		assert_int_equal(upci_perf_encode_for(&driver, &context, &spec), 0);
		assert_int_equal(spec.core, unchosen[i].core);
		assert_int_equal(spec.exclude_user, unchosen[i].exclude_user);
		assert_int_equal(spec.exclude_kernel, unchosen[i].exclude_kernel);
	}
	context.domain_chosen = true;
	driver.perf = "perf::INSTRUCTIONS";
	assert_int_equal(upci_perf_encode_for(&driver, &context, &spec), 0);
	assert_false(spec.exclude_kernel || spec.exclude_user);
}

UNIT_TESTS(cat_pfm, NULL, NULL)
