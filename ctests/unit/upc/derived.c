/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived events have a source when all their terms have one, and a scope as
 * wide as theirs.
 */
#include "catalogue/derived.h"
#include "catalogue/formula.h"
#include "catalogue_test.h"

static uint32_t put(const char *name, enum upc_source source, enum upc_scope scope, const char *formula)
{
	struct upci_event event = {.name = name, .description = "", .scope = scope, .id = UPC_NO_ID};
	struct upci_formula_error error;
	int64_t code;

	event.driver.source = source;
	if (formula && upci_formula_parse(c, formula, &event.formula, &error))
		fail_msg("%s", error.message);
	code = upci_catalogue_put(c, &event);
	assert_true(code >= 0);
	return (uint32_t)code;
}

TEST_WITH(test_settle, open_catalogue, close_catalogue)
{
	const struct upci_event *e;
	uint32_t d, other;

	put("s.on", UPC_SOURCE_CLOCK, UPC_SCOPE_THREAD, NULL);
	put("s.1", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, NULL);
	put("s.2", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, NULL);
	put("s.3", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, NULL);
	put("s.4", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, NULL);
	put("s.5", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, NULL);
	d = put("s.all", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "s.1 + s.on + s.2 + s.3 + s.4 + s.5");
	other = put("s.some", UPC_SOURCE_NONE, UPC_SCOPE_PROCESS, "s.on");
	assert_int_equal(upci_derived_settle_all(c), 0);
	e = upci_catalogue_event(c, d);
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(e->why, "s.1, s.2, s.3 and 2 more"));
	assert_int_equal(e->scope, UPC_SCOPE_THREAD);
	e = upci_catalogue_event(c, other);
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	assert_null(e->why);
	assert_ptr_equal(e->driver.formula, e->formula);
	/* The event keeps its own scope, since it is wider. */
	assert_int_equal(e->scope, UPC_SCOPE_PROCESS);
	/* A settled event is left alone. */
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_ptr_equal(upci_catalogue_event(c, other), e);
	/* The source is lost again when a term loses its source. */
	put("s.on", UPC_SOURCE_NONE, UPC_SCOPE_THREAD, NULL);
	assert_int_equal(upci_derived_settle_all(c), 0);
	e = upci_catalogue_event(c, other);
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(e->why, "drives s.on, of which"));
	assert_non_null(e->formula);
}

TEST_WITH(test_ratio, open_catalogue, close_catalogue)
{
	const struct upci_event *e;
	uint32_t ratio, mean;

	put("r.a", UPC_SOURCE_CLOCK, UPC_SCOPE_THREAD, NULL);
	put("r.b", UPC_SOURCE_CLOCK, UPC_SCOPE_MACHINE, NULL);
	ratio = put("r.ratio", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "(r.a) / r.b");
	mean = put("r.mean", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "(r.a) / 2");
	assert_int_equal(upci_derived_settle_all(c), 0);
	e = upci_catalogue_event(c, ratio);
	assert_int_equal(e->driver.source, UPC_SOURCE_DERIVED);
	/* A ratio is not a count, since it may shrink. The divisor's terms widen the scope as well. */
	assert_int_equal(e->kind, UPC_KIND_LEVEL);
	assert_int_equal(e->scope, UPC_SCOPE_MACHINE);
	assert_int_equal(upci_catalogue_event(c, mean)->kind, UPC_KIND_COUNT);
	/* A term of the divisor that has no source is reported as well. */
	put("r.b", UPC_SOURCE_NONE, UPC_SCOPE_MACHINE, NULL);
	assert_int_equal(upci_derived_settle_all(c), 0);
	e = upci_catalogue_event(c, ratio);
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(e->why, "drives r.b, of which it is computed; a wiring file can "
				       "(event NAME = ...)"));
	assert_int_equal(e->kind, UPC_KIND_LEVEL);
}

/* The ratio of several units is a ratio of sums. */
TEST_WITH(test_together, open_catalogue, close_catalogue)
{
	const uint64_t sums[] = {30, 7};
	uint32_t a, b, ratio, codes[2] = {UINT32_MAX, UINT32_MAX};
	uint64_t value = 5;

	a = put("t.a", UPC_SOURCE_CLOCK, UPC_SCOPE_THREAD, NULL);
	b = put("t.b", UPC_SOURCE_CLOCK, UPC_SCOPE_THREAD, NULL);
	ratio = put("t.ratio", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "(1000*t.a) / (t.a + t.b)");
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_int_equal(upc_catalogue_terms(c, ratio, NULL, 0), 2);
	assert_int_equal(upc_catalogue_terms(c, ratio, codes, 1), 2);
	assert_int_equal(codes[0], a);
	assert_int_equal(codes[1], UINT32_MAX);
	assert_int_equal(upc_catalogue_terms(c, ratio, codes, 2), 2);
	assert_int_equal(codes[1], b);
	assert_int_equal(upc_catalogue_compute(c, ratio, sums, 2, &value), 0);
	assert_int_equal(value, 1000 * 30 / 37);
	value = 5;
	assert_int_equal(upc_catalogue_compute(c, ratio, sums, 1, &value), UPC_EINVAL);
	assert_message("t.ratio: is computed of 2 events");
	assert_int_equal(upc_catalogue_terms(c, a, codes, 2), 0);
	assert_int_equal(upc_catalogue_compute(c, a, sums, 1, &value), UPC_EINVAL);
	assert_int_equal(upc_catalogue_terms(c, UINT32_MAX, codes, 2), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_compute(c, UINT32_MAX, sums, 2, &value), UPC_ENOEVENT);
	assert_int_equal(upc_catalogue_terms(NULL, ratio, codes, 2), UPC_EINVAL);
	assert_int_equal(upc_catalogue_terms(c, ratio, NULL, 2), UPC_EINVAL);
	assert_int_equal(upc_catalogue_compute(c, ratio, NULL, 2, &value), UPC_EINVAL);
	assert_int_equal(value, 5);
	/* An event that has lost its source has no terms. */
	put("t.b", UPC_SOURCE_NONE, UPC_SCOPE_THREAD, NULL);
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_int_equal(upc_catalogue_terms(c, ratio, codes, 2), 0);
}

/* An event of the host says what it needs; one of Blue Gene/P needs a wiring. */
TEST_WITH(test_why, open_catalogue, close_catalogue)
{
	struct upci_event needy = {
		.name = "w.needy", .description = "", .why = "needs a cake", .id = UPC_NO_ID};
	uint32_t host, fixed;

	assert_true(upci_catalogue_put(c, &needy) >= 0);
	host = put("w.host", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "w.needy + PU0_DATA_LOADS");
	fixed = put("w.fixed", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "PU0_DATA_LOADS + w.needy");
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_non_null(strstr(upci_catalogue_event(c, host)->why,
			       "drives w.needy, PU0_DATA_LOADS, of which it is computed: needs a cake"));
	assert_non_null(strstr(upci_catalogue_event(c, fixed)->why, "(drive NAME = ...)"));
	/* upc_run counts what it counts all terms of. */
	assert_null(strstr(upci_catalogue_event(c, fixed)->why, "upc_run"));
	host = put("w.counted", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "PU0_DATA_LOADS + PU1_DATA_LOADS");
	fixed = put("w.waiting", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT, "PU0_DATA_LOADS + PU0_DCACHE_MISS");
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_non_null(strstr(upci_catalogue_event(c, host)->why,
			       "upc_run PROGRAM counts that, in simulation; and a wiring file can (drive "
			       "NAME = ...)"));
	assert_null(strstr(upci_catalogue_event(c, fixed)->why, "upc_run"));
}

static unsigned bound(struct upc_unit *unit)
{
	unsigned i, n = 0;

	for (i = 0; i < UPC_COUNTERS; i++) {
		struct upc_counter_info info = UPC_OPTIONS_INIT(upc_counter_info);

		assert_int_equal(upc_counter_state(unit, i, &info), 0);
		n += info.flags & UPC_COUNTER_BOUND;
	}
	return n;
}

/* In a unit an event is computed from the counts since the start or the reset; each term has one
 * counter, above, below and by itself; functions for counts refuse the event. */
TEST_WITH(test_unit, open_catalogue, close_catalogue)
{
	needs_perf();
	const uint64_t preset[2] = {3000, 500}, one = 1;
	struct upc_unit *unit;
	uint64_t value[3];
	uint32_t code[3];

	code[0] = event_code(c, "perf::PAGE-FAULTS");
	code[1] = event_code(c, "perf::MAJOR-FAULTS");
	code[2] = put("u.ratio", UPC_SOURCE_NONE, UPC_SCOPE_CONTEXT,
		      "(1000*\"perf::PAGE-FAULTS\" + \"perf::MAJOR-FAULTS\") / (\"perf::MAJOR-FAULTS\" + "
		      "2*\"perf::PAGE-FAULTS\")");
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_int_equal(upc_unit_create(c, NULL, &unit), 0);
	assert_int_equal(upc_unit_add(unit, code[2]), 0);
	assert_int_equal(bound(unit), 2);
	assert_int_equal(upc_unit_read_events(unit, &code[2], 1, value), 0);
	assert_int_equal(value[0], 0);
	assert_int_equal(upc_unit_start(unit), 0);
	touch_fresh_pages(500);
	assert_int_equal(upc_unit_stop(unit), 0);
	assert_int_equal(upc_unit_read_events(unit, &code[2], 1, value), 0);
	assert_int_equal(value[0], 500);
	/* The terms by themselves have the same counters. */
	assert_int_equal(upc_unit_add(unit, code[0]), 0);
	assert_int_equal(upc_unit_add(unit, code[1]), 0);
	assert_int_equal(bound(unit), 2);
	assert_int_equal(upc_unit_read_events(unit, code, 3, value), 0);
	assert_true(value[0] >= 500);
	assert_int_equal(value[2], (1000 * value[0] + value[1]) / (value[1] + 2 * value[0]));
	assert_int_equal(upc_unit_write_events(unit, code, 2, preset), 0);
	assert_int_equal(upc_unit_read_events(unit, code, 3, value), 0);
	assert_int_equal(value[2], (1000 * 3000 + 500) / (500 + 2 * 3000));
	assert_int_equal(upc_unit_reset(unit), 0);
	assert_int_equal(upc_unit_read_events(unit, code, 3, value), 0);
	assert_int_equal(value[2], 0);
	assert_int_equal(upc_unit_write_events(unit, &code[2], 1, &one), UPC_ENOSUPP);
	assert_message("u.ratio");
	assert_int_equal(upc_unit_set_threshold(unit, code[2], 1000), UPC_ENOSUPP);
	assert_message("a derived event has no counter of its own");
	/* The last event that needs a counter frees it. */
	assert_int_equal(upc_unit_remove(unit, code[2]), 0);
	assert_int_equal(upc_unit_remove(unit, code[1]), 0);
	assert_int_equal(bound(unit), 1);
	upc_unit_destroy(unit);
}

UNIT_TESTS(derived, NULL, NULL)
