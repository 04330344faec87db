/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived events have a source when all their terms have one, and a scope as
 * wide as theirs.
 */
#include "derived.h"
#include "formula.h"
#include "unit_test.h"

static struct upc_catalogue *c;

static int open_catalogue(void **state)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};

	(void)state;
	return upc_catalogue_open(&options, &c);
}

static int close_catalogue(void **state)
{
	(void)state;
	upc_catalogue_close(c);
	return 0;
}

static uint32_t put(const char *name, enum upc_source source, enum upc_scope scope,
		    const char *formula)
{
	struct upci_event event = {
		.name = name, .description = "", .scope = scope, .id = UPC_NO_ID};
	struct upci_formula_error error;
	int64_t code;

	event.driver.source = source;
	if (formula && upci_formula_parse(c, formula, &event.formula, &error))
		fail_msg("%s", error.message);
	code = upci_catalogue_put(c, &event);
	assert_true(code >= 0);
	return (uint32_t)code;
}

static void test_settle(void **state)
{
	const struct upci_event *e;
	uint32_t d, other;

	(void)state;
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
	/* Its own scope, since it is wider. */
	assert_int_equal(e->scope, UPC_SCOPE_PROCESS);
	/* What is settled is left alone. */
	assert_int_equal(upci_derived_settle_all(c), 0);
	assert_ptr_equal(upci_catalogue_event(c, other), e);
	/* And back, when a term loses its source. */
	put("s.on", UPC_SOURCE_NONE, UPC_SCOPE_THREAD, NULL);
	assert_int_equal(upci_derived_settle_all(c), 0);
	e = upci_catalogue_event(c, other);
	assert_int_equal(e->driver.source, UPC_SOURCE_NONE);
	assert_non_null(strstr(e->why, "drives s.on, of which"));
	assert_non_null(e->formula);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_settle, open_catalogue, close_catalogue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
