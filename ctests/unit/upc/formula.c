/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formulas: values against exact arithmetic by another way, what is refused and
 * where, text that comes back as it went.
 */
#include "catalogue/formula.h"
#include "catalogue_test.h"

/* Events of our own, by name, without a source. */
static uint32_t put(const char *name, const struct upci_formula *formula)
{
	struct upci_event event = {.name = name, .description = "", .formula = formula, .id = UPC_NO_ID};
	int64_t code = upci_catalogue_put(c, &event);

	assert_true(code >= 0);
	return (uint32_t)code;
}

static const struct upci_formula *parse(const char *text)
{
	struct upci_formula_error error = {0};
	const struct upci_formula *formula = NULL;

	if (upci_formula_parse(c, text, &formula, &error))
		fail_msg("%s: %u: %s", text, error.column, error.message);
	assert_non_null(formula);
	return formula;
}

static int setup(void **state)
{
	if (open_catalogue(state))
		return -1;
	put("q.a", NULL);
	put("q.b", NULL);
	put("2ND", NULL);
	put("77", NULL);
	put("q-c d\"\\", NULL);
	put("q.sum", parse("q.a + 3*q.b"));
	put("q.mean", parse("(q.a + q.b) / 2"));
	put("q.ratio", parse("(q.a) / q.b"));
	put("q.huge", parse("36028797018963968 * q.a"));
	return 0;
}

TEST(test_value)
{
	const struct upci_formula *f;

	f = parse("q.a");
	assert_int_equal(f->terms, 1);
	assert_true(upci_formula_value(f, (uint64_t[]){UINT64_MAX}) == UINT64_MAX);
	f = parse(" 3 * q.a-q.b*2 ");
	assert_int_equal(f->terms, 2);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){10, 4}), 22);
	/* Below zero is zero, not a huge number. */
	assert_int_equal(upci_formula_value(f, (uint64_t[]){10, 16}), 0);
	assert_int_equal(upci_formula_value(parse("-q.a + q.b"), (uint64_t[]){1, 5}), 4);
	assert_int_equal(upci_formula_value(parse("(q.a + q.b) / 4"), (uint64_t[]){3, 4}), 1);
	/* The sum may be beyond 64 bits where the result is not. */
	assert_true(upci_formula_value(parse("(1000000*q.a) / 1000000"), (uint64_t[]){UINT64_MAX}) ==
		    UINT64_MAX);
	assert_true(upci_formula_value(parse("(2*q.a - q.b) / 3"), (uint64_t[]){UINT64_MAX, 1}) ==
		    (uint64_t)(((unsigned __int128)UINT64_MAX * 2 - 1) / 3));
	/* A result beyond 64 bits is cut, as a 64-bit counter's overflow is. */
	assert_true(upci_formula_value(parse("2*q.a"), (uint64_t[]){UINT64_MAX}) == UINT64_MAX - 1);
	assert_true(upci_formula_value(parse("2ND + \"77\" + 77*\"q-c d\\\"\\\\\""), (uint64_t[]){1, 2, 3}) ==
		    234);
}

TEST(test_ratio)
{
	const struct upci_formula *f = parse("(1000*q.a) / q.b");

	assert_int_equal(f->divisor, 0);
	assert_int_equal(f->terms, 2);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){7, 7}), 1000);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){2, 3}), 666);
	/* A ratio is 0 where its divisor is 0. */
	assert_int_equal(upci_formula_value(f, (uint64_t[]){5, 0}), 0);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){0, 0}), 0);
	/* 1000 times the largest is beyond 64 bits, and the result is not. */
	assert_int_equal(upci_formula_value(f, (uint64_t[]){UINT64_MAX, UINT64_MAX}), 1000);
	/* A ratio above INT64_MAX, the largest value that PAPI can show, is INT64_MAX. */
	assert_true(upci_formula_value(f, (uint64_t[]){UINT64_MAX, 1}) == INT64_MAX);
	f = parse("(q.a) / (q.b)");
	assert_true(upci_formula_value(f, (uint64_t[]){INT64_MAX, 1}) == INT64_MAX);
	assert_true(upci_formula_value(f, (uint64_t[]){(uint64_t)INT64_MAX - 1, 1}) ==
		    (uint64_t)INT64_MAX - 1);
	assert_true(upci_formula_value(f, (uint64_t[]){(uint64_t)INT64_MAX + 1, 1}) == INT64_MAX);
	/* Sums above and below, events in both, each one term. */
	f = parse("(3*q.a - q.b) / (2*q.b + 2ND - q.a)");
	assert_int_equal(f->terms, 3);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){10, 6, 4}), 24 / 6);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){1, 4, 0}), 0);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){10, 5, 0}), 0);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){10, 4, 1}), 0);
	/* An event that cancels above stays for the sake of what is below. */
	f = parse("(q.a + q.b - q.b) / (q.b + q.a - q.a)");
	assert_int_equal(f->terms, 2);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){12, 5}), 2);
	f = parse("(q.a + 2ND) / (q.a + \"2ND\")");
	assert_int_equal(f->terms, 2);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){12, 5}), 1);
	/* A derived event without divisor is expanded below as well. */
	f = parse("(q.a) / q.sum");
	assert_int_equal(f->terms, 2);
	assert_int_equal(upci_formula_value(f, (uint64_t[]){70, 2}), 0);
	f = parse("(100*q.a) / (2*q.sum)");
	assert_int_equal(upci_formula_value(f, (uint64_t[]){70, 10}), 7000 / 200);
}

/* The largest that there can be does not overflow 128 bits. */
TEST(test_extremes)
{
	uint64_t value[UPCI_TERMS_MAX];
	char text[8192], below[2 * sizeof(text)];
	size_t used = 0;
	int i;

	for (i = 0; i < UPCI_TERMS_MAX; i++) {
		put(upci_catalogue_printf(c, "x.%d", i), NULL);
		used += (size_t)sprintf(text + used, "%s36028797018963968*x.%d", i ? " + " : "(", i);
		value[i] = UINT64_MAX;
	}
	/* 64 * 2^55 times the largest, by the largest */
	strcpy(text + used, ") / x.0");
	assert_true(upci_formula_value(parse(text), value) == UINT64_C(1) << 61);
	/* The same below: 2^125 by itself. */
	snprintf(below, sizeof(below), "%.*s) / %.*s)", (int)used, text, (int)used, text);
	assert_int_equal(parse(below)->terms, UPCI_TERMS_MAX);
	assert_int_equal(upci_formula_value(parse(below), value), 1);
	strcpy(text + used, ") / 36028797018963968");
	/* 64 * (2^64 - 1) modulo 2^64 */
	assert_true(upci_formula_value(parse(text), value) == (uint64_t)0 - 64);
	for (i = 0; text[i]; i++)
		if (text[i] == '+')
			text[i] = '-';
	assert_int_equal(upci_formula_value(parse(text), value), 0);
}

TEST(test_merge)
{
	const struct upci_formula *f;

	f = parse("q.a + q.b + 2*q.a - q.b");
	assert_int_equal(f->terms, 1);
	assert_int_equal(f->term[0].coefficient, 3);
	f = parse("2*q.sum - q.a");
	assert_int_equal(f->terms, 2);
	assert_int_equal(f->term[0].coefficient, 1);
	assert_int_equal(f->term[1].coefficient, 6);
	assert_int_equal(f->term[1].code, upci_catalogue_lookup(c, "q.b"));
}

TEST(test_mistakes)
{
	static const struct {
		const char *text;
		unsigned column;
		const char *message;
	} mistakes[] = {
		{"", 1, "expected an event name, found the end of the formula"},
		{"  ", 3, "expected an event name, found the end"},
		{"+q.a", 1, "expected an event name, found '+'"},
		{"--q.a", 2, "expected an event name, found '-'"},
		{"q.a +", 6, "expected an event name, found the end"},
		{"q.a q.b", 5, "expected '+', '-' or the end of the formula, found 'q'"},
		{"q.a / 2", 5,
		 "expected '+', '-' or the end of the formula (a divisor is for a sum in parentheses)"},
		{"2", 2, "expected '*' behind the coefficient"},
		{"2 q.a", 3, "expected '*' behind the coefficient"},
		{"2 * 3", 5, "expected an event name, found '3'"},
		{"0*q.a", 1, "expected an integer from 1 to 36028797018963968, found 0"},
		{"q.a*36028797018963969", 5, "expected an integer from 1 to 36028797018963968, found 36028"},
		{"99999999999999999999999999*q.a", 1, "expected an integer from 1 to"},
		{"q.a*q.b", 5, "expected an integer, found 'q'"},
		{"q.a*-2", 5, "expected an integer, found '-'"},
		{"(q.a", 5, "expected '+', '-' or ')', found the end"},
		{"(q.a)", 6, "expected '/' and a divisor behind the sum in parentheses, found the end"},
		{"(q.a) / 0", 9, "expected an integer from 1 to"},
		{"(q.a) / ", 9, "expected an integer, an event name or a sum in parentheses, found the end"},
		{"(q.a) / -q.b", 9, "expected an integer, an event name or a sum in parentheses, found '-'"},
		{"(q.a) / time::raw_nz", 9,
		 "expected an event name, found 'time::raw_nz'; did you mean time::raw_ns"},
		{"(q.a) / q.b*2", 12,
		 "expected the end of the formula (a divisor with a factor is a sum in "
		 "parentheses), found '*'"},
		{"(q.a) / 2*q.b", 10, "expected the end of the formula (a divisor with a factor"},
		{"(q.a) / q.b + q.b", 13, "expected the end of the formula, found '+'"},
		{"(q.a) / (2)", 11, "expected '*' behind the coefficient"},
		{"(q.a) / (q.b", 13, "expected '+', '-' or ')', found the end of the formula"},
		{"(q.a) / (q.b) / 2", 15, "expected the end of the formula, found '/'"},
		{"(q.a) / ((q.b))", 10, "expected an event name, found '('"},
		{"(q.a) / \"q.b", 9, "expected a closing '\"' behind this one"},
		{"(q.a) / (q.b - q.b)", 9, "expected a divisor, found terms that cancel each other"},
		{"(q.a - q.a) / q.b", 1, "expected a formula, found terms that cancel each other"},
		{"q.a + q.ratio", 7,
		 "expected an event, or a derived one without a divisor, found 'q.ratio', which is a "
		 "ratio"},
		{"(q.a) / q.ratio", 9,
		 "expected an event, or a derived one without a divisor, found 'q.ratio', which is a "
		 "ratio"},
		{"(q.a) / q.mean", 9,
		 "expected an event, or a derived one without a divisor, found 'q.mean', which is "
		 "divided by 2"},
		{"(q.a) / (36028797018963968*q.b + q.b)", 34,
		 "expected coefficients up to 36028797018963968 when"},
		{"(q.a) / 2 + q.b", 11, "expected the end of the formula, found '+'"},
		{"((q.a)) / 2", 2, "expected an event name, found '('"},
		{"q.a)", 4, "expected '+', '-' or the end of the formula, found ')'"},
		{"\"q.a", 1, "expected a closing '\"' behind this one"},
		{"\"q.a\\", 1, "expected a closing '\"' behind this one"},
		{"\"\"", 1, "expected an event name, found an empty one"},
		{"q.a + time::raw_nz", 7,
		 "expected an event name, found 'time::raw_nz'; did you mean time::raw_ns"},
		{"q.a + q.mean", 7,
		 "expected an event, or a derived one without a divisor, found 'q.mean', which is "
		 "divided by 2"},
		{"q.a - q.a", 1, "expected a formula, found terms that cancel each other"},
		{"2 * q.huge", 5,
		 "expected coefficients up to 36028797018963968 in what 'q.huge' is expanded to"},
		{"q.huge + q.a", 10, "expected coefficients up to 36028797018963968 when"},
		{"q.a + \xc3\xa4", 7, "expected an event name, found '\xc3\xa4'"},
	};
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct upci_formula_error error = {0};
		const struct upci_formula *formula = NULL;

		assert_int_equal(upci_formula_parse(c, mistakes[i].text, &formula, &error), UPC_EWIRING);
		assert_null(formula);
		if (error.column != mistakes[i].column ||
		    strncmp(error.message, mistakes[i].message, strlen(mistakes[i].message)))
			fail_msg("\"%s\": %u: %s", mistakes[i].text, error.column, error.message);
	}
}

TEST(test_too_many)
{
	struct upci_formula_error error = {0};
	const struct upci_formula *formula = NULL;
	char text[4096], name[300];
	size_t used = 0;
	int i;

	for (i = 0; i <= UPCI_TERMS_MAX; i++) {
		put(upci_catalogue_printf(c, "t.%02d", i), NULL);
		used += (size_t)sprintf(text + used, "%st.%02d", i ? "+" : "", i);
	}
	assert_int_equal(upci_formula_parse(c, text, &formula, &error), UPC_EWIRING);
	assert_int_equal(error.column, 64 * 5 + 1);
	assert_string_equal(error.message,
			    "expected at most 64 different events in a formula, found another");
	text[64 * 5 - 1] = 0;
	assert_int_equal(parse(text)->terms, 64);
	memset(name, 'n', sizeof(name));
	name[UPC_NAME_MAX] = 0;
	assert_int_equal(upci_formula_parse(c, name, &formula, &error), UPC_EWIRING);
	assert_int_equal(error.column, 1);
}

TEST(test_print)
{
	needs_perf();
	static const char *const texts[] = {
		"q.a",
		"-q.a",
		"-2*q.a + q.b - 36028797018963968*2ND",
		"(q.a - q.b) / 1000",
		"(-q.a + 5*\"77\") / 36028797018963968",
		"3*\"q-c d\\\"\\\\\" + 2ND",
		"q.a + \"perf::PAGE-FAULTS\"",
		"(1000*q.a) / (q.b)",
		"(-q.a + 2*q.b) / (-q.a - 3*q.b + \"77\")",
	};
	char text[200], small[8];
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const struct upci_formula *f = parse(texts[i]);

		assert_int_equal(upci_formula_print(c, f, text, sizeof(text)), strlen(texts[i]));
		assert_string_equal(text, texts[i]);
		assert_int_equal(upci_formula_print(c, f, small, sizeof(small)), strlen(texts[i]));
		assert_int_equal(strncmp(small, texts[i], sizeof(small) - 1), 0);
		assert_true(strlen(small) < sizeof(small));
		assert_int_equal(upci_formula_print(c, f, NULL, 0), strlen(texts[i]));
	}
	/* A printed formula parses to the same one, also where an event is only in the divisor. */
	upci_formula_print(c, parse("(q.a - q.a + q.b) / (q.a + 2ND + q.b)"), text, sizeof(text));
	assert_string_equal(text, "(q.b) / (q.b + q.a + 2ND)");
}

UNIT_TESTS(formula, setup, close_catalogue)
