/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing and reading give the same events: the wiring of this machine, and events with
 * all that the syntax can say.
 */
#include "catalogue/formula.h"
#include "../unit_test.h"
#include "catalogue/driver.h"
#include "wiring/wiring.h"
#include "wiring/wiring_words.h"

static struct upc_catalogue *open_catalogue(void)
{
	const struct upc_catalogue_options options = {.size = sizeof(options), .no_wiring = 1};
	struct upc_catalogue *c;

	if (upc_catalogue_open(&options, &c))
		fail_msg("%s", upc_last_message());
	return c;
}

struct text {
	char *at;
	size_t length, size;
};

static int append(const char *piece, size_t length, void *arg)
{
	struct text *text = arg;

	if (text->length + length >= text->size) {
		text->size = 2 * (text->length + length + 1);
		text->at = realloc(text->at, text->size);
		assert_non_null(text->at);
	}
	memcpy(text->at + text->length, piece, length);
	text->length += length;
	text->at[text->length] = 0;
	return 0;
}

static struct text print_all(struct upc_catalogue *c)
{
	struct text text = {0};

	assert_int_equal(upc_catalogue_write_wiring(c, append, &text), 0);
	return text;
}

static void parse(struct upc_catalogue *c, const char *text, size_t length)
{
	if (upci_wiring_parse(c, text, length, "printed"))
		fail_msg("%s", upc_last_message());
}

TEST(test_machine)
{
	struct upc_catalogue *first = open_catalogue(), *second = open_catalogue();
	struct text a = print_all(first), b;
	uint32_t code, count = upc_catalogue_count(first);

	parse(second, a.at, a.length);
	assert_int_equal(upc_catalogue_count(second), count);
	b = print_all(second);
	assert_string_equal(a.at, b.at);
	/* The text leaves nothing out that an event has. */
	for (code = 0; code < count; code++) {
		const struct upci_event *x = upci_catalogue_event(first, code);
		const struct upci_event *y = upci_catalogue_event(second, code);

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->driver.source, y->driver.source);
		assert_int_equal(x->scope, y->scope);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->id, y->id);
	}
	free(a.at);
	free(b.at);
	upc_catalogue_close(first);
	upc_catalogue_close(second);
}

/* The machine's events under names that no builder knows: all that the second
 * printing has, it has from the text. */
TEST(test_fresh_names)
{
	struct upc_catalogue *first = open_catalogue(), *second = open_catalogue();
	char line[8192], expected[8192];
	struct text text = {0};
	uint32_t code, count = upc_catalogue_count(first), events = 0;
	int n;

	append("upc-wiring 1\n", 13, &text);
	for (code = 0; code < count; code++) {
		struct upci_event event = *upci_catalogue_event(first, code);

		if (event.driver.source == UPC_SOURCE_NONE || event.formula || event.id != UPC_NO_ID)
			continue;
		snprintf(line, sizeof(line), "fresh::%u", code);
		event.name = line;
		n = upci_wiring_print(first, &event, expected, sizeof(expected));
		assert_in_range(n, 1, sizeof(expected) - 1);
		append(expected, (size_t)n, &text);
	}
	parse(second, text.at, text.length);
	for (code = 0; code < count; code++) {
		struct upci_event event = *upci_catalogue_event(first, code);
		int64_t fresh;
		char name[40];

		snprintf(name, sizeof(name), "fresh::%u", code);
		fresh = upci_catalogue_lookup(second, name);
		if (fresh < 0)
			continue;
		events++;
		event.name = name;
		upci_wiring_print(first, &event, expected, sizeof(expected));
		upci_wiring_print(second, upci_catalogue_event(second, (uint32_t)fresh), line, sizeof(line));
		assert_string_equal(line, expected);
	}
	assert_true(events > 100);
	free(text.at);
	upc_catalogue_close(first);
	upc_catalogue_close(second);
}

TEST(test_lines)
{
	static const char *const lines[] = {
		"event p.a = perf \"PAGE-FAULTS\" * 2147483647 / 2147483646 unit \"u\" scope context count "
		"subsystem \"s\" describe \"D \\\"q\\\" \\\\.\"\n",
		"event \"p b\" = tracefs \"x:y\" unit \"u\" scope machine count subsystem \"\"\n",
		"event p.c = sys \"a b/c\\\"\" key \"\\\\\" token 3 occurrence 1000000 value 0 to 65535 unit \"u\" scope "
		"cpu level subsystem \"s\" describe \"\"\n",
		"event p.d = process \"io\" line 2 value 1 / 2 unit \"u\" scope process count subsystem \"s\" describe "
		"\"D\"\n",
		"event p.e = clock monotonic_raw unit \"u\" scope thread count subsystem \"s\" describe \"D\"\n",
		"drive PU0_DATA_LOADS = task \"io\" key \"rchar\" value 1 * 3 differs \"D\" unit \"u\" scope thread "
		"count subsystem \"s\" describe \"D\"\n",
		"derived p.f = \"(-2*p.a + 3*\\\"p b\\\") / 9\" unit \"u\" scope machine count subsystem \"s\" describe "
		"\"D\"\n",
		"derived p.h = \"(1000*p.a - p.e) / (p.a + 2*\\\"p b\\\")\" unit \"u\" scope machine level "
		"subsystem \"s\" describe \"D\"\n",
		/* Nothing drives its term: the formula is kept. */
		"derived p.g = \"PU3_DATA_LOADS\" unit \"u\" scope context count subsystem \"s\" describe \"D\"\n",
	};
	static const char *const names[] = {"p.a", "p b", "p.c", "p.d", "p.e", "PU0_DATA_LOADS",
					    "p.f", "p.h", "p.g"};
	struct upc_catalogue *c = open_catalogue();
	struct text text = {0};
	char line[1024];
	size_t i;

	append("upc-wiring 1\n", 13, &text);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		append(lines[i], strlen(lines[i]), &text);
	parse(c, text.at, text.length);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct upci_event *e =
			upci_catalogue_event(c, (uint32_t)upci_catalogue_lookup(c, names[i]));
		size_t n = strlen(lines[i]);

		assert_int_equal(upci_wiring_print(c, e, line, sizeof(line)), n);
		assert_string_equal(line, lines[i]);
		/* As snprintf: cut, with its 0, and the whole length. */
		assert_int_equal(upci_wiring_print(c, e, line, 20), n);
		assert_int_equal(strlen(line), 19);
		assert_memory_equal(line, lines[i], 19);
	}
	free(text.at);
	upc_catalogue_close(c);
}

/* The longest formula that there can be is no longer than the parser takes. */
TEST(test_longest_formula)
{
	struct upci_formula *formula;
	struct upc_catalogue *c = open_catalogue();
	struct upci_event event = {.name = "p.long",
				   .unit = "u",
				   .subsystem = "s",
				   .description = "",
				   .id = UPC_NO_ID,
				   .kind = UPC_KIND_LEVEL};
	const size_t size = 300000;
	char *line = malloc(size), *again = malloc(size), name[UPC_NAME_MAX];
	int i, n;

	assert_true(line && again);
	formula = upci_catalogue_alloc(c, sizeof(*formula) + UPCI_TERMS_MAX * sizeof(formula->term[0]));
	assert_non_null(formula);
	formula->terms = UPCI_TERMS_MAX;
	formula->divisor = 0;
	memset(name, '"', sizeof(name));
	for (i = 0; i < UPCI_TERMS_MAX; i++) {
		struct upci_event term = {.description = "", .id = UPC_NO_ID};

		snprintf(name + UPC_NAME_MAX - 3, 3, "%02d", i);
		term.name = upci_catalogue_printf(c, "%s", name);
		formula->term[i] = (struct upci_term){
			.code = (uint32_t)upci_catalogue_put(c, &term),
			.coefficient = -(INT64_C(1) << 55),
			.under = -(INT64_C(1) << 55),
		};
	}
	event.formula = formula;
	n = snprintf(again, size, "upc-wiring 1\n");
	n += upci_wiring_print(c, &event, again + n, size - (size_t)n);
	assert_in_range(n, 4 * 64 * UPC_NAME_MAX, size - 1);
	parse(c, again, (size_t)n);
	upci_wiring_print(c, upci_catalogue_event(c, (uint32_t)upci_catalogue_lookup(c, "p.long")), line,
			  size);
	assert_string_equal(line, again + strlen("upc-wiring 1\n"));
	free(line);
	free(again);
	upc_catalogue_close(c);
}

TEST(test_driver)
{
	struct upc_catalogue *c = open_catalogue();
	const struct upci_driver perf = {
		.source = UPC_SOURCE_PERF, .mul = 2, .div = 3, .perf = "PAGE-FAULTS"};
	const struct upci_driver none = {.source = UPC_SOURCE_NONE};
	const struct upci_driver file = {
		.source = UPC_SOURCE_FILE,
		.file = {.root = UPCI_ROOT_PROC,
			 .path = "stat",
			 .key = "ctxt",
			 .occurrence = 1,
			 .first = 1,
			 .last = 1},
	};
	const struct upci_driver clock = {.source = UPC_SOURCE_CLOCK, .clock = CLOCK_MONOTONIC};
	char text[100];

	upci_driver_print(c, &perf, text, sizeof(text));
	assert_string_equal(text, "perf \"PAGE-FAULTS\"");
	assert_int_equal(upci_driver_print(c, &file, text, sizeof(text)),
			 strlen("proc \"stat\" key \"ctxt\" value 1"));
	assert_string_equal(text, "proc \"stat\" key \"ctxt\" value 1");
	upci_driver_print(c, &clock, text, sizeof(text));
	assert_string_equal(text, "clock monotonic");
	assert_int_equal(upci_driver_print(c, &none, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	upc_catalogue_close(c);
}

/* An event that the syntax cannot express becomes a comment, never a line that is refused. */
TEST(test_unwritable)
{
	struct upc_catalogue *c = open_catalogue();
	struct upci_event event = {
		.name = "x", .id = UPC_NO_ID, .driver = {.source = UPC_SOURCE_CLOCK, .clock = 11}};
	char line[9000], file[9100], *long_text = malloc(6001);
	int n;

	upci_wiring_print(c, &event, line, sizeof(line));
	assert_string_equal(line, "# \"x\": \"a wiring file cannot say what drives it\"\n");
	event.driver = (struct upci_driver){.source = UPC_SOURCE_FILE,
					    .file = {.path = "a\nremove y", .occurrence = 1}};
	upci_wiring_print(c, &event, line, sizeof(line));
	assert_string_equal(line, "# \"x\": \"a wiring file cannot say what drives it\"\n");
	event.driver.source = UPC_SOURCE_NONE;
	event.name = "x\ny\xff";
	event.why = "a\nb";
	upci_wiring_print(c, &event, line, sizeof(line));
	assert_string_equal(line, "# \"x y?\": \"a b\"\n");
	/* A description is cut, and loses what is no text. */
	assert_non_null(long_text);
	memset(long_text, 'd', 6000);
	memcpy(long_text, "a\nb\xff", 4);
	memcpy(long_text + 3999, "\xc3\xa4", 2);
	long_text[6000] = 0;
	event = (struct upci_event){.name = "x.y",
				    .id = UPC_NO_ID,
				    .description = long_text,
				    .driver = {.source = UPC_SOURCE_CLOCK, .clock = CLOCK_MONOTONIC}};
	n = upci_wiring_print(c, &event, line, sizeof(line));
	assert_in_range(n, 4000, sizeof(line) - 1);
	n = snprintf(file, sizeof(file), "upc-wiring 1\n%s", line);
	parse(c, file, (size_t)n);
	event = *upci_catalogue_event(c, (uint32_t)upci_catalogue_lookup(c, "x.y"));
	assert_int_equal(strlen(event.description), 3999);
	assert_memory_equal(event.description, "a b?ddd", 7);
	free(long_text);
	upc_catalogue_close(c);
}

UNIT_TESTS(wiring_print, NULL, NULL)
