/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_top's table: which rates two looks give, in which order, letter by letter
 * (ctests/golden/top_table).
 */
#include "../../../utils/top/top_table.h"

#include "lib/golden.h"
#include "../unit_test.h"

#define SECOND UINT64_C(1000000000)

static struct top_snapshot before, now;

/* Two looks a second apart at a unit that runs and counts nothing. */
static int set_up(void **state)
{
	(void)state;
	memset(&before, 0, sizeof(before));
	before.running = true;
	before.generation = 1;
	before.updated_ns = 100 * SECOND;
	before.read_ns = 101 * SECOND;
	now = before;
	now.updated_ns += SECOND;
	now.read_ns += SECOND;
	return 0;
}

static void bind(struct top_snapshot *s, unsigned counter, const char *name, const char *unit,
		 enum upc_kind kind, uint64_t value)
{
	struct upc_monitor_event *event = &s->event[counter];

	event->bound = 1;
	event->kind = kind;
	snprintf(event->name, sizeof(event->name), "%s", name);
	snprintf(event->unit, sizeof(event->unit), "%s", unit);
	s->value[counter] = value;
}

/* An event in both looks. */
static void count(unsigned counter, const char *name, const char *unit, uint64_t from, uint64_t to)
{
	bind(&before, counter, name, unit, UPC_KIND_COUNT, from);
	bind(&now, counter, name, unit, UPC_KIND_COUNT, to);
}

/* The only line that there is. */
static struct top_line only(void)
{
	struct top_line lines[UPC_COUNTERS];

	assert_int_equal(top_table_lines(&before, &now, TOP_SORT_RATE, false, lines), 1);
	return lines[0];
}

static void expect_order(enum top_sort sort, bool all, const unsigned *counters, unsigned n)
{
	struct top_line lines[UPC_COUNTERS];
	unsigned got = top_table_lines(&before, &now, sort, all, lines);

	assert_true(all ? got == UPC_COUNTERS : got == n);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(lines[i].counter, counters[i]);
}

/* ---- rates ------------------------------------------------------------- */

/* The rate is over the time between the owner's updates, not between our looks. */
TEST_WITH(test_rate, set_up, NULL)
{
	count(7, "e", "events", 1000, 4000);
	now.updated_ns = before.updated_ns + SECOND / 2;
	now.read_ns = before.read_ns + 3 * SECOND;
	assert_int_equal(only().note, TOP_RATE);
	assert_true(only().rate == 6000);
	assert_int_equal(only().value, 4000);
	assert_true(top_table_seconds(&before, &now) == 0.5);
}

/* Counts that move without an update are measured by our own clock, and so is an
 * update's time that runs backwards. */
TEST_WITH(test_rate_without_update, set_up, NULL)
{
	count(7, "e", "events", 1000, 4000);
	now.updated_ns = before.updated_ns;
	now.read_ns = before.read_ns + 3 * SECOND;
	assert_true(only().rate == 1000);
	now.updated_ns = 5;
	assert_true(only().rate == 1000);
	now.read_ns = before.read_ns;
	assert_int_equal(only().note, TOP_FIRST);
}

TEST_WITH(test_first, set_up, NULL)
{
	struct top_line lines[UPC_COUNTERS];

	count(7, "e", "events", 0, 4000);
	assert_int_equal(top_table_lines(NULL, &now, TOP_SORT_RATE, false, lines), 1);
	assert_int_equal(lines[0].note, TOP_FIRST);
	assert_true(lines[0].rate == 0);
	assert_true(top_table_seconds(NULL, &now) == 0);
}

/* A count goes on behind 2^64 - 1; one that is less for another reason has no rate. */
TEST_WITH(test_wrap_and_restart, set_up, NULL)
{
	static const struct {
		uint64_t from, to;
		enum top_note note;
		double rate;
	} cases[] = {
		{UINT64_MAX - 4, 5, TOP_RATE, 10},
		{UINT64_MAX, 0, TOP_RATE, 1},
		{0, UINT64_C(1) << 40, TOP_RATE, 1099511627776.0},
		{0, UINT64_C(1) << 50, TOP_RATE, 1125899906842624.0},
		{UINT64_C(1) << 63, 0, TOP_RESTART, 0},
		{UINT64_MAX - (UINT64_C(1) << 60), 0, TOP_RESTART, 0},
		{1000, 999, TOP_RESTART, 0},
		{1000, 0, TOP_RESTART, 0},
		{1000, 1000, TOP_RATE, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		count(0, "e", "events", cases[i].from, cases[i].to);
		assert_int_equal(only().note, cases[i].note);
		assert_true(only().rate == cases[i].rate);
	}
}

/* A level has no rate, also when it falls, also in the first look. */
TEST_WITH(test_level, set_up, NULL)
{
	struct top_line lines[UPC_COUNTERS];

	bind(&before, 3, "rss", "bytes", UPC_KIND_LEVEL, 900);
	bind(&now, 3, "rss", "bytes", UPC_KIND_LEVEL, 100);
	assert_int_equal(only().note, TOP_LEVEL);
	assert_int_equal(only().value, 100);
	assert_int_equal(top_table_lines(NULL, &now, TOP_SORT_RATE, false, lines), 1);
	assert_int_equal(lines[0].note, TOP_LEVEL);
}

/* One that the owner has not read has no value either, and is the last that counts. */
TEST_WITH(test_unread_level, set_up, NULL)
{
	static const unsigned by_count[] = {5, 3};
	struct top_style style = {.width = 80};
	struct top_line line;
	char *text = NULL;
	size_t length;
	FILE *out;

	bind(&before, 3, "rss", "bytes", UPC_KIND_LEVEL, 0);
	bind(&now, 3, "rss", "bytes", UPC_KIND_LEVEL, 0);
	now.unread[3] = 1;
	line = only();
	assert_int_equal(line.note, TOP_UNREAD);
	assert_string_equal(top_table_note(line.note), "unread");
	out = open_memstream(&text, &length);
	assert_non_null(out);
	top_table_print(out, &line, 1, &style);
	fclose(out);
	assert_non_null(strstr(text, "   3             - bytes     unread  rss\n"));
	free(text);
	bind(&now, 5, "load", "", UPC_KIND_LEVEL, 0);
	expect_order(TOP_SORT_COUNT, false, by_count, 2);
}

/* After a change only the counters whose event is another one have no rate. */
TEST_WITH(test_generation, set_up, NULL)
{
	static const enum top_note want[] = {TOP_RATE, TOP_NEW, TOP_NEW, TOP_NEW, TOP_NEW};
	struct top_line lines[UPC_COUNTERS];

	for (unsigned i = 0; i < 5; i++)
		count(i, "old", "events", 10, 30);
	bind(&now, 1, "new", "events", UPC_KIND_COUNT, 30);
	bind(&now, 2, "old", "bytes", UPC_KIND_COUNT, 30);
	bind(&before, 3, "old", "events", UPC_KIND_LEVEL, 10);
	before.event[4].bound = 0;
	now.generation = 2;
	assert_int_equal(top_table_lines(&before, &now, TOP_SORT_COUNTER, false, lines), 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(lines[i].counter, i);
		assert_int_equal(lines[i].note, want[i]);
		assert_true(lines[i].rate == (want[i] == TOP_RATE ? 20 : 0));
	}
}

/* The changes between two looks that are news. */
TEST_WITH(test_news, set_up, NULL)
{
	assert_true(top_table_news(&before, &now)); /* an update, though it brought no count */
	now.updated_ns = before.updated_ns;
	assert_false(top_table_news(&before, &now)); /* only our own time has passed */
	now.value[200] = 1;
	assert_true(top_table_news(&before, &now));
	now.value[200] = 0;
	now.generation++;
	assert_true(top_table_news(&before, &now));
	now.generation--;
	now.running = false; /* a stopped unit's rate is 0, and that is known */
	assert_true(top_table_news(&before, &now));
}

/* ---- order ------------------------------------------------------------- */

TEST_WITH(test_order, set_up, NULL)
{
	static const unsigned rate[] = {200, 3, 9, 50, 1, 4, 100};
	static const unsigned by_count[] = {4, 3, 9, 100, 200, 1, 50};
	static const unsigned counter[] = {1, 3, 4, 9, 50, 100, 200};
	static const unsigned name[] = {200, 100, 50, 9, 1, 3, 4};

	bind(&now, 1, "e", "events", UPC_KIND_LEVEL, 5);
	count(3, "e", "events", 900, 1000);
	count(4, "f", "events", 9000, 8000); /* restart */
	count(9, "d", "events", 900, 1000);  /* as 3 */
	count(50, "c", "events", 3, 3);
	bind(&now, 100, "b", "events", UPC_KIND_COUNT, 700); /* new */
	count(200, "a", "events", 0, 500);
	expect_order(TOP_SORT_RATE, false, rate, 7);
	expect_order(TOP_SORT_COUNT, false, by_count, 7);
	expect_order(TOP_SORT_COUNTER, false, counter, 7);
	expect_order(TOP_SORT_NAME, false, name, 7);

	/* The counters without an event come behind, whatever their values are. */
	now.value[0] = UINT64_MAX;
	expect_order(TOP_SORT_RATE, true, rate, 7);
	expect_order(TOP_SORT_COUNT, true, by_count, 7);
	expect_order(TOP_SORT_NAME, true, name, 7);
}

/* With all: every counter, in order; those without an event have no rate. */
TEST_WITH(test_all, set_up, NULL)
{
	struct top_line lines[UPC_COUNTERS];

	count(5, "e", "events", 0, 1);
	now.value[6] = 77;
	assert_int_equal(top_table_lines(&before, &now, TOP_SORT_COUNTER, true, lines), UPC_COUNTERS);
	for (unsigned i = 0; i < UPC_COUNTERS; i++) {
		assert_int_equal(lines[i].counter, i);
		assert_int_equal(lines[i].note, i == 5 ? TOP_RATE : TOP_UNBOUND);
	}
	assert_int_equal(lines[6].value, 77);
	assert_int_equal(top_table_lines(&before, &now, TOP_SORT_COUNTER, false, lines), 1);
}

/* ---- text -------------------------------------------------------------- */

static char *print(enum top_sort sort, bool all, const struct top_style *style)
{
	struct top_line lines[UPC_COUNTERS];
	unsigned n = top_table_lines(&before, &now, sort, all, lines);
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	top_table_print(out, lines, n, style);
	fclose(out);
	return memory;
}

static void expect_text(const struct top_style *style, const char *section)
{
	char *text = print(TOP_SORT_RATE, false, style);

	assert_golden("top_table", section, text);
	free(text);
}

/* The unit of a ratio is printed whole. */
TEST_WITH(test_ratio, set_up, NULL)
{
	const struct top_style style = {.width = 80};
	char *text;

	bind(&now, 3, "r", "cycles/1000 instructions", UPC_KIND_LEVEL, 1234);
	text = print(TOP_SORT_RATE, false, &style);
	assert_non_null(strstr(text, " 1,234 cycles/1000 instructions "));
	free(text);
}

TEST_WITH(test_table, set_up, NULL)
{
	const struct top_style style = {.width = 70};

	count(0, "perf::FAULTS", "faults", 1000, 1234567);
	count(255, "perf::TASK-CLOCK", "ns", SECOND, 2 * SECOND - 250000000);
	count(12, "quiet", "sectors of 512 bytes", 8, 8);
	count(13, "set", "events", 8, 7);
	bind(&now, 14, "late", "events", UPC_KIND_COUNT, 3);
	bind(&now, 15, "rss", "bytes", UPC_KIND_LEVEL, 4096);
	expect_text(&style, "table");
}

TEST_WITH(test_colour, set_up, NULL)
{
	const struct top_style style = {.width = 70, .colour = true};

	count(0, "busy", "events", 0, 1);
	count(1, "quiet", "events", 1, 1);
	expect_text(&style, "colour");
}

/* As many rows as there is room for, the last of them a count of the others. */
TEST_WITH(test_rows, set_up, NULL)
{
	for (unsigned i = 0; i < 10; i++)
		count(i, "e", "events", 0, 100 - i);
	for (unsigned rows = 1; rows < 14; rows++) {
		const struct top_style style = {.width = 70, .rows = rows};
		char *text = print(TOP_SORT_RATE, false, &style), more[16];
		unsigned lines = 0;

		for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++)
			lines++;
		assert_int_equal(lines, rows < 11 ? rows : 11);
		snprintf(more, sizeof(more), "%u more\n", 12 - rows);
		if (rows > 1 && rows < 11)
			assert_non_null(strstr(text, more));
		else
			assert_null(strstr(text, "more"));
		free(text);
	}
}

/* Long names are cut to the line, and the numbers stay. */
TEST_WITH(test_width, set_up, NULL)
{
	char name[UPC_NAME_MAX];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < UPC_COUNTERS; i++) {
		count(i, name + i % 255, "bytes", 0, UINT64_C(1) << (i % 40));
		if (i % 7 == 0) /* as long as a unit may be */
			memset(now.event[i].unit, 'u', sizeof(now.event[i].unit) - 1);
	}
	for (unsigned width = 40; width < 300; width += 13) {
		const struct top_style style = {.width = width};
		char *text = print(TOP_SORT_COUNTER, true, &style);
		unsigned cut = 0;

		for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
			assert_true(strlen(line) <= width);
			cut += strcmp(line + strlen(line) - 3, "...") == 0;
		}
		assert_true(cut > 0 && cut < UPC_COUNTERS);
		free(text);
	}
}

static void expect_cut(const char *text, unsigned width, const char *expected)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);
	unsigned columns = top_table_cut(out, text, width);

	fclose(out);
	assert_string_equal(memory, expected);
	assert_int_equal(columns, strlen(expected));
	free(memory);
}

TEST(test_cut)
{
	expect_cut("abcdef", 6, "abcdef");
	expect_cut("abcdef", 5, "ab...");
	expect_cut("abcdef", 3, "...");
	expect_cut("abcdef", 2, "..");
	expect_cut("abcdef", 0, "");
	expect_cut("", 0, "");
}

/* On a narrow line the unit goes, then the number of the counter; names stay. */
TEST_WITH(test_narrow, set_up, NULL)
{
	static const unsigned widths[] = {64, 56, 48, 40};
	char section[32];

	count(0, "perf::PAGE-FAULTS", "faults", 0, 12345);
	count(1, "process::statm_resident", "pages", 0, 77);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		const struct top_style style = {.width = widths[i]};

		snprintf(section, sizeof(section), "%u columns", widths[i]);
		expect_text(&style, section);
	}
}

/* Names and units are another process's memory: nothing of them is a command. */
TEST_WITH(test_hostile, set_up, NULL)
{
	const struct top_style style = {.width = 70};

	count(0, "x\033[2J\n\xff", "u\r\033c", 0, 1);
	now.value[0] = 0;
	expect_text(&style, "hostile");
}

/* The largest counts within 1 ns: no line gets too long. */
TEST_WITH(test_absurd_rate, set_up, NULL)
{
	const struct top_style style = {.width = 200};
	char *text;

	count(0, "t", "ms", 0, UINT64_MAX);
	count(1, "n", "events", 0, UINT64_MAX);
	now.updated_ns = before.updated_ns + 1;
	text = print(TOP_SORT_COUNTER, false, &style);
	assert_non_null(strstr(text, " 18,446,744,073,709,551,615 ms "));
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		assert_true(strlen(line) < 120);
	free(text);
}

static const struct top_head plain_head = {
	.name = "solver",
	.process = 4242,
	.command = "./solver -n 8",
	.running = true,
	.age_ns = 250000000,
	.generation = 3,
	.generation_before = 3,
	.changed_by = 4243,
	.events = 5,
};

static void expect_head(const struct top_head *head, const struct top_style *style, const char *section)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);
	unsigned lines = top_table_print_head(out, head, style);

	fclose(out);
	assert_golden("top_table", section, memory);
	for (const char *p = memory; (p = strchr(p, '\n')) != NULL; p++)
		lines--;
	assert_int_equal(lines, 0);
	free(memory);
}

TEST(test_head)
{
	const struct top_style style = {.width = 80}, narrow = {.width = 40};
	const struct top_style loud = {.width = 80, .colour = true};
	struct top_head head = plain_head;

	expect_head(&head, &style, "head");
	expect_head(&head, &narrow, "head, narrow");

	/* A change of the configuration has a line of its own. */
	head.changed = true;
	head.generation_before = 1;
	head.running = false;
	head.events = 1;
	head.age_ns = 90 * SECOND;
	expect_head(&head, &style, "head, changed");
	expect_head(&head, &loud, "head, changed, in colour");

	head = plain_head;
	head.keys = "q quit  s sort:rate  a all  space now";
	expect_head(&head, &narrow, "head, keys");

	/* A unit of another user that has ended; a command that is not known, or is hostile. */
	head = plain_head;
	head.over = true;
	head.user = "alice";
	head.command = "";
	head.age_ns = 7300 * SECOND;
	head.notice = "ended";
	expect_head(&head, &style, "head, over");
	head = plain_head;
	head.command = "a\033[2Jb";
	head.age_ns = UINT64_MAX;
	expect_head(&head, &style, "head, hostile");
}

UNIT_TESTS(top_table, NULL, NULL)
