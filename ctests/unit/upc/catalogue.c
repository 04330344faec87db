/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names and codes: exact before folded, prefixes and modes, growth with readers
 * at work, what a lookup that fails says.
 */
#include <pthread.h>

#include "catalogue_test.h"

TEST(test_lookup)
{
	needs_perf();
	uint32_t code, other;

	code = event_code(c, "perf::PAGE-FAULTS");
	assert_int_equal(event_code(c, "PERF::page-faults"), code);
	assert_int_equal(event_code(c, "perf::PAGE-FAULTS:mode=rise"), code);
	/* Another of libpfm4's names of the same event is the same event. */
	assert_int_equal(event_code(c, "perf::PERF_COUNT_SW_PAGE_FAULTS"), code);
	assert_int_equal(upc_catalogue_find(c, "perf::PAGE-FAULTS:mode=high", &other), UPC_ENOSUPP);
	assert_message("mode=high");
	assert_int_equal(upc_catalogue_find(c, "perf::PAGE-FAULTS:mode=sideways", &other), UPC_ENOSUPP);
	assert_int_equal(upc_catalogue_find(c, "PAGE_FALUTS", &other), UPC_ENOEVENT);
	assert_message("perf::PAGE-FAULTS");
	assert_int_equal(upc_catalogue_find(c, "", &other), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_find(c, NULL, &other), UPC_EINVAL);
}

TEST(test_overlong_name)
{
	char name[100000];
	uint32_t code;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_int_equal(upc_catalogue_find(c, name, &code), UPC_ENOEVENT);
	name[UPC_NAME_MAX] = 0;
	assert_int_equal(upc_catalogue_find(c, name, &code), UPC_ENOEVENT);
}

TEST(test_blue_gene_names)
{
	struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);
	uint32_t code = event_code(c, "PU0_JPIPE_INSTRUCTIONS");

	assert_int_equal(event_code(c, "BGP_PU0_JPIPE_INSTRUCTIONS"), code);
	assert_int_equal(event_code(c, "PNE_BGP_PU0_JPIPE_INSTRUCTIONS"), code);
	assert_int_equal(upc_catalogue_info(c, code, &info), 0);
	assert_int_equal(info.id, 0);
	assert_int_equal(info.source, UPC_SOURCE_NONE);
	assert_true(strlen(info.why) > 10);
	/* The prefixes are Blue Gene/P's alone. */
	assert_int_equal(upc_catalogue_find(c, "BGP_perf::PAGE-FAULTS", &code), UPC_ENOEVENT);
}

TEST(test_every_event_says_what_it_is)
{
	uint32_t n = upc_catalogue_count(c), code;

	for (code = 0; code < n; code++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info), again = info;

		assert_int_equal(upc_catalogue_info(c, code, &info), 0);
		if (!info.name[0] || !info.unit[0] || !info.subsystem[0])
			fail_msg("%s: unit '%s', subsystem '%s'", info.name, info.unit, info.subsystem);
		assert_true(strlen(info.description) > 5);
		if (info.description[strlen(info.description) - 1] != '.')
			fail_msg("%s: not a sentence: %s", info.name, info.description);
		assert_true((info.source == UPC_SOURCE_NONE) == (info.why[0] != 0));
		assert_true((info.source == UPC_SOURCE_NONE) == (info.driver[0] == 0));
		/* A description that is composed on demand is composed once. */
		assert_int_equal(upc_catalogue_info(c, code, &again), 0);
		assert_ptr_equal(info.description, again.description);
		assert_int_equal(event_code(c, info.name), code);
	}
	assert_int_equal(upc_catalogue_count(c), n);
}

TEST(test_the_first_fields_only)
{
	struct upc_event_info info = {.size = offsetof(struct upc_event_info, unit)};

	assert_int_equal(upc_catalogue_info(c, 0, &info), 0);
	assert_non_null(info.name);
	assert_null(info.unit);
	assert_int_equal(upc_catalogue_info(c, UINT32_MAX, &info), UPC_ENOEVENT);
	info.size = 0;
	assert_int_equal(upc_catalogue_info(c, 0, &info), UPC_EINVAL);
}

/* The same as the whole description has. */
TEST(test_name_and_source_only)
{
	const char *name;
	enum upc_source source;
	uint32_t code;

	for (code = 0; code < upc_catalogue_count(c); code++) {
		struct upc_event_info info = UPC_OPTIONS_INIT(upc_event_info);

		assert_int_equal(upc_catalogue_name(c, code, &name, &source), 0);
		assert_int_equal(upc_catalogue_name(c, code, NULL, NULL), 0);
		assert_int_equal(upc_catalogue_info(c, code, &info), 0);
		assert_string_equal(name, info.name);
		assert_int_equal(source, info.source);
	}
	assert_int_equal(upc_catalogue_name(c, code, &name, &source), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_name(NULL, 0, &name, &source), UPC_EINVAL);
}

TEST(test_put_replaces_and_keeps_the_code)
{
	struct upci_event event = {.name = "test::one", .unit = "a", .id = UPC_NO_ID};
	const struct upci_event *old;
	int64_t code = upci_catalogue_put(c, &event);

	assert_true(code >= 0);
	old = upci_catalogue_event(c, (uint32_t)code);
	event.unit = "b";
	assert_int_equal(upci_catalogue_put(c, &event), code);
	assert_string_equal(upci_catalogue_event(c, (uint32_t)code)->unit, "b");
	assert_string_equal(old->unit, "a");
	event.name = "";
	assert_int_equal(upci_catalogue_put(c, &event), UPC_EINVAL);
	assert_int_equal(upci_catalogue_lookup(c, "test::none"), UPC_ENOEVENT);
}

/* ---- growth while others look things up -------------------------------- */

static _Atomic int growing = 1;

static void *reader(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)&seed, looked = 0;

	while (growing || looked < 1000) {
		uint32_t code = (uint32_t)(random_next(&seed) % upc_catalogue_count(c)), found;
		const struct upci_event *event = upci_catalogue_event(c, code);

		if (!event || upc_catalogue_find(c, event->name, &found) || found != code)
			return (void *)1;
		looked++;
	}
	return arg;
}

TEST(test_growth_under_readers)
{
	pthread_t thread[3];
	void *result;
	int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, reader, NULL), 0);
	for (i = 0; i < 5000; i++) {
		struct upci_event event = {.id = UPC_NO_ID, .unit = "x"};

		event.name = upci_catalogue_printf(c, "grow::%d", i);
		assert_true(upci_catalogue_put(c, &event) >= 0);
	}
	growing = 0;
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], &result);
		assert_null(result);
	}
}

TEST(test_source_of_the_environment)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *other;

	setenv("UPC_SOURCE", "simulated", 1);
	assert_int_equal(upc_catalogue_open(&options, &other), UPC_ENOSUPP);
	assert_message("'simulated'");
	setenv("UPC_SOURCE", "live", 1);
	assert_int_equal(upc_catalogue_open(&options, &other), 0);
	upc_catalogue_close(other);
	unsetenv("UPC_SOURCE");
}

TEST(test_sanitize)
{
	char name[] = "eth0 (x)/:a+b-c.d_e\n";

	upci_name_sanitize(name);
	assert_string_equal(name, "eth0__x__:a+b-c.d_e_");
}

UNIT_TESTS(catalogue, open_catalogue, close_catalogue)
