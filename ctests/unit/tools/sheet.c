/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writers of sheets, letter by letter (ctests/golden/sheet): a sheet with a value of each exactness.
 */
#include <math.h>
#include <stdlib.h>

#include "../../../utils/sheet/sheet.h"

#include "lib/golden.h"
#include "page/page.h"
#include "../unit_test.h"

enum { VALUES = 5 };

struct row {
	const char *name;
	unsigned first; /* exactness of its first value */
};

static const struct row rows[] = {
	{"solve, \"quoted\"", SHEET_EXACT}, {"set_up", SHEET_AT_LEAST}, {"", SHEET_UNCOUNTED}};
static size_t shown;
static double percent; /* of the first measure */

static bool each(const void *arg, sheet_put *put, void *to)
{
	(void)arg;
	for (size_t i = 0; i < shown; i++)
		if (!put(to, &rows[i]))
			return false;
	return true;
}

static void cell_of(const void *arg, const void *of, const struct sheet_column *column,
		    struct sheet_cell *cell)
{
	const struct row *row = of;

	(void)arg;
	if (column->kind == SHEET_TEXT)
		cell->text = row->name;
	else if (column->kind == SHEET_NUMBER)
		cell->value = 12.5;
	else
		cell->count = row->first;
	cell->absent = column->kind == SHEET_COUNT && !row->first;
}

static bool value_of(const void *arg, const void *of, size_t measure, size_t aspect, struct sheet_cell *cell)
{
	const struct row *row = of;

	(void)arg;
	cell->exactness = (row->first + measure) % VALUES;
	cell->whole = cell->exactness != SHEET_ESTIMATE;
	cell->count = 1000 + 100 * measure + aspect;
	cell->value = (double)cell->count;
	cell->low = 900;
	cell->high = aspect ? INFINITY : 1500;
	cell->error = aspect ? INFINITY : 150;
	cell->freedom = 30;
	cell->coverage = .5;
	cell->percent = measure ? 0 : percent;
	if (cell->exactness != SHEET_EXACT)
		cell->reason[cell->reasons++] =
			cell->exactness == SHEET_UNCOUNTED ? "not counted" : "part: it was not all";
	return true;
}

static char *heading_of(const void *arg, const void *of)
{
	char *text;

	(void)arg;
	return asprintf(&text, "Row %s", ((const struct row *)of)->name) < 0 ? NULL : text;
}

static const struct sheet_column columns[] = {
	{.key = "name", .header = "Name", .forms = SHEET_IN_ALL},
	{.key = "first", .header = "First", .kind = SHEET_COUNT, .forms = SHEET_IN_ALL},
	{.key = "share",
	 .header = "Share",
	 .unit = "%",
	 .kind = SHEET_NUMBER,
	 .decimals = 1,
	 .forms = SHEET_IN_ALL},
};
static const struct sheet_measure measures[VALUES] = {{.name = "AN_EVENT_OF_A_LONG_NAME", .group = "events"},
						      {.name = "B", .group = "events"},
						      {.name = "C", .group = "events"},
						      {.name = "D", .group = "others"},
						      {.name = "E", .group = "others"}};
static const struct sheet_aspect aspects[] = {
	{.key = "inclusive", .header = "Inclusive", .kind = SHEET_VALUE, .forms = SHEET_IN_ALL},
	{.key = "exclusive",
	 .header = "Exclusive",
	 .prefix = "exclusive_",
	 .kind = SHEET_VALUE,
	 .forms = SHEET_IN_ALL},
};
static const struct sheet_list list = {.key = "counts",
				       .name = "event",
				       .header = "Event",
				       .caption = "Counts",
				       .forms = SHEET_IN_ALL,
				       .measure = measures,
				       .measures = VALUES,
				       .aspect = aspects,
				       .aspects = 2,
				       .value = value_of};
static struct sheet_section section;
static struct sheet sheet;

static int set_up(void **state)
{
	static const char *const keys[] = {"name", NULL}, *const others[] = {"share", NULL};
	static const struct sheet_cell words[] = {{.text = "./it"}, {.text = "-n"}};
	static const struct sheet_fact facts[] = {
		{.key = "command", .list = words, .n = 2},
		{.key = "seconds", .kind = SHEET_NUMBER, .cell = {.value = .5}}};
	static const struct sheet_note notes[] = {{.what = "it stopped", .times = 1},
						  {.what = "it was not there", .name = "rank 2", .times = 3}};

	(void)state;
	shown = sizeof(rows) / sizeof(*rows);
	section = (struct sheet_section){.key = "rows",
					 .record = "row",
					 .caption = "Rows",
					 .table = "Shares",
					 .which = "by row",
					 .forms = SHEET_IN_ALL,
					 .column = columns,
					 .columns = sizeof(columns) / sizeof(*columns),
					 .list = &list,
					 .lists = 1,
					 .each = each,
					 .cell = cell_of};
	sheet = (struct sheet){.tool = "a_tool",
			       .fact = facts,
			       .facts = 2,
			       .section = &section,
			       .sections = 1,
			       .note = notes,
			       .notes = 2,
			       .keys = keys,
			       .others = others};
	return 0;
}

static bool page(FILE *out, const struct sheet *of)
{
	struct page *made = page_begin(out, "Rows", NULL);
	bool done = sheet_html(made, of->section, of->sections);

	return page_end(made) == 0 && done;
}

static bool text(FILE *out, const struct sheet *of)
{
	static const struct sheet_style style = {.width = 80};

	return sheet_text(out, &of->section[0], &style);
}

static void expect(bool (*print)(FILE *out, const struct sheet *sheet), const char *section_of,
		   const char *from)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	assert_true(print(out, &sheet));
	fclose(out);
	if (from)
		*strstr(got, "<script>") = '\0';
	assert_golden("sheet", section_of, from ? strstr(got, from) : got);
	free(got);
}

TEST_WITH(test_data, set_up, NULL)
{
	expect(sheet_csv, "csv", NULL);
	expect(sheet_json, "json", NULL);
}

/* Columns of values, without measures: a line for each that is there; a second sheet has no heads. */
static void value_cell(const void *arg, const void *of, const struct sheet_column *column,
		       struct sheet_cell *cell)
{
	const struct row *row = of;

	cell_of(arg, of, column, cell);
	if (column->kind != SHEET_VALUE)
		return;
	value_of(arg, of, column->id, 0, cell);
	cell->absent = row->first == SHEET_UNCOUNTED && column->id == 1;
}

static bool csv_of_two(FILE *out, const struct sheet *of)
{
	struct sheet continued = *of;

	continued.continued = true;
	return sheet_csv(out, of) && sheet_csv(out, &continued);
}

TEST_WITH(test_values, set_up, NULL)
{
	static const struct sheet_column values[] = {
		SHEET_COLUMN(0, SHEET_TEXT, "event", "Event", SHEET_IN_ALL),
		SHEET_COLUMN(1, SHEET_VALUE, "mean", "Mean", SHEET_IN_ALL),
		SHEET_COLUMN(2, SHEET_VALUE, "most", "Most", SHEET_IN_ALL),
	};
	static const char *const keys[] = {"name", "statistic", NULL};

	section.column = values;
	section.columns = 3;
	section.lists = 0;
	section.cell = value_cell;
	sheet.keys = keys;
	sheet.which_value = "statistic";
	expect(csv_of_two, "csv of values", NULL);
}

/* For people: numbers with a prefix and the mark of their exactness, in another unit. */
static void shown_cell(const void *arg, const void *of, const struct sheet_column *column,
		       struct sheet_cell *cell)
{
	value_cell(arg, of, column, cell);
	cell->value *= column->id == 2 ? 1 : 123456;
}

TEST_WITH(test_shown, set_up, NULL)
{
	static const struct sheet_column values[] = {
		SHEET_COLUMN(0, SHEET_TEXT, "event", "Event", SHEET_IN_ALL),
		SHEET_COLUMN(1, SHEET_VALUE, "mean", "Mean", SHEET_IN_ALL, .prefix = true),
		SHEET_COLUMN(2, SHEET_VALUE, "most", "Most", SHEET_IN_ALL, .prefix = true, .scale = 1e6),
		SHEET_COLUMN(3, SHEET_NUMBER, "share", "Share", SHEET_IN_ALL, .unit = "%", .scale = .01),
	};

	section.column = values;
	section.columns = 4;
	section.lists = 0;
	section.cell = shown_cell;
	expect(text, "lines of values", NULL);
	expect(page, "html of values", "<main>");
}

/* Nothing was counted: no exactness, no reason. */
TEST_WITH(test_plain, set_up, NULL)
{
	static const struct sheet_column of_text[] = {
		{.key = "event", .forms = SHEET_IN_DATA},
		{.key = "value", .kind = SHEET_COUNT, .forms = SHEET_IN_DATA},
		{.key = "share", .kind = SHEET_NUMBER, .forms = SHEET_IN_DATA}};

	section.column = of_text;
	section.lists = 0;
	sheet.plain = true;
	expect(sheet_csv, "csv, plain", NULL);
}

/* The name may be all that is known of an event. */
static bool events(FILE *out, enum util_format format)
{
	static const struct upc_event_info event[] = {{.name = "a", .id = UPC_NO_ID},
						      {.name = "not shown"},
						      {.name = "b",
						       .unit = "u",
						       .subsystem = "s",
						       .description = "x y",
						       .id = 513,
						       .driver = "d",
						       .why = "w",
						       .differs = "z",
						       .also = "p, q"}};
	static const bool listed[] = {true, false, true};
	static const struct sheet_fact fact = {.key = "wiring", .cell = {.text = "hash"}};

	return sheet_print_events(out, "a_tool", format, &fact, 1,
				  &(struct sheet_events){event, listed, 3}) == UTIL_OK;
}

static bool events_csv(FILE *out, const struct sheet *of)
{
	(void)of;
	return events(out, UTIL_CSV);
}

static bool events_json(FILE *out, const struct sheet *of)
{
	(void)of;
	return events(out, UTIL_JSON);
}

static bool no_events(FILE *out, const struct sheet *of)
{
	return sheet_print_events(out, "a_tool", UTIL_CSV, of->fact, of->facts, NULL) == UTIL_OK;
}

TEST_WITH(test_events, set_up, NULL)
{
	expect(events_csv, "csv, events", NULL);
	expect(events_json, "json, events", NULL);
	expect(no_events, "csv, no events", NULL);
}

TEST_WITH(test_page, set_up, NULL)
{
	/* Between the style and the script. */
	expect(page, "html", "<main>");
}

TEST_WITH(test_lines, set_up, NULL)
{
	expect(text, "lines", NULL);
	section.sure = true;
	section.heading = heading_of;
	expect(text, "lines, how sure", NULL);
	section.layout = SHEET_BLOCKS;
	expect(text, "blocks", NULL);
}

TEST_WITH(test_wide, set_up, NULL)
{
	struct sheet_list one = list;

	section.layout = SHEET_WIDE;
	expect(text, "wide", NULL);
	section.layout = SHEET_ALONE;
	expect(text, "alone", NULL);
	percent = 33.25;
	expect(text, "alone, percents", NULL);
	section.layout = SHEET_WIDE;
	expect(text, "wide, percents", NULL);
	one.percents = one.marked = true;
	section.list = &one;
	expect(text, "wide, percents of all rows and marks of values", NULL);
	percent = 0;
}

/* Rows that are values themselves, in a stream: no headings, and one line. */
TEST_WITH(test_stream, set_up, NULL)
{
	static const struct sheet_column plain[] = {
		{.key = "event", .header = "", .forms = SHEET_IN_ALL},
		{.kind = SHEET_VALUE, .forms = SHEET_IN_DATA},
		{.key = "share", .header = "State", .right = true, .forms = SHEET_IN_ALL},
	};

	section.column = plain;
	section.columns = sizeof(plain) / sizeof(*plain);
	section.lists = 0;
	sheet.one_line = sheet.continued = true;
	expect(sheet_csv, "csv, continued", NULL);
	expect(sheet_json, "json, one line", NULL);
	expect(text, "lines, texts on the right", NULL);
}

/* All exactnesses that there are, and no others. */
TEST_WITH(test_marks, set_up, NULL)
{
	struct sheet_list one = list;

	assert_int_equal(sheet_marks(&sheet), 0x1f);
	one.measures = 1;
	section.list = &one;
	shown = 1;
	assert_int_equal(sheet_marks(&sheet), 1u << SHEET_EXACT);
	shown = 2;
	assert_int_equal(sheet_marks(&sheet), 1u << SHEET_EXACT | 1u << SHEET_AT_LEAST);
}

/* A word for each, which is read again; what two of them make of a sum. */
TEST(test_exactness)
{
	for (unsigned e = 0; e < VALUES; e++) {
		assert_int_equal(sheet_exactness_of(sheet_exactness_word(e)), e);
		assert_int_equal(sheet_exactness_both(SHEET_EXACT, e), e);
		assert_int_equal(sheet_exactness_both(e, e), e);
		for (unsigned other = 0; other < VALUES; other++)
			assert_int_equal(sheet_exactness_both(e, other), sheet_exactness_both(other, e));
	}
	assert_int_equal(sheet_exactness_of("about"), SHEET_UNCOUNTED);
	assert_int_equal(sheet_exactness_of(NULL), SHEET_UNCOUNTED);
	assert_int_equal(sheet_exactness_both(SHEET_AT_LEAST, SHEET_AT_MOST), SHEET_ESTIMATE);
	assert_int_equal(sheet_exactness_both(SHEET_AT_LEAST, SHEET_UNCOUNTED), SHEET_AT_LEAST);
	assert_int_equal(sheet_exactness_both(SHEET_AT_MOST, SHEET_UNCOUNTED), SHEET_ESTIMATE);
}

UNIT_TESTS(sheet, NULL, NULL)
