/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_stat's tables, letter by letter (ctests/golden/stat_sheet).
 */
#include "../../../utils/stat/stat_sheet.h"

#include <stdlib.h>

#include "lib/golden.h"
#include "../unit_test.h"

enum { ROWS = 200 };

/* An event, and what was counted of it. */
struct row {
	const char *name, *unit, *subsystem, *description;
	enum upc_scope scope;
	enum upc_kind kind;
	enum upc_source source;
	uint64_t value;
	unsigned flags;
};

struct style {
	unsigned width;
	double seconds;
	bool zeros, unseen;
};

#define ROW(of_name, of_unit, of_subsystem, of_value, ...)                                      \
	{                                                                                       \
		.name = of_name, .unit = of_unit, .subsystem = of_subsystem, .value = of_value, \
		.description = "", __VA_ARGS__                                                  \
	}

/* Prints the tables of a sample, of its parts, or of runs. */
static char *print_tables(const struct row *rows, unsigned n, struct stat_parts *parts,
			  const struct stat_runs *runs, const struct style *style)
{
	static struct upc_event_info info[ROWS];
	static uint64_t values[ROWS];
	static unsigned flags[ROWS];
	struct stat_events events = {.info = info, .n = n, .n_own = parts ? n : 0};
	const struct stat_report report = {.format = UTIL_TEXT,
					   .events = &events,
					   .parts = parts,
					   .by = parts ? STAT_BY_THREAD : STAT_BY_NONE,
					   .context = "cpu"};
	const struct stat_sample sample = {
		.seconds = style->seconds, .values = values, .flags = flags, .last = true};
	const struct sheet_style of = {.width = style->width, .zeros = style->zeros, .unseen = style->unseen};
	struct stat_sheet sheet;
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	/* The report has the hash of the catalogue's wiring. */
	assert_int_equal(upc_catalogue_open(NULL, &events.catalogue), 0);
	if (parts)
		parts->events = &events;
	for (unsigned i = 0; i < n; i++) {
		info[i] = (struct upc_event_info){.name = rows[i].name,
						  .unit = rows[i].unit,
						  .subsystem = rows[i].subsystem,
						  .description = rows[i].description,
						  .scope = rows[i].scope,
						  .kind = rows[i].kind,
						  .source = rows[i].source};
		values[i] = rows[i].value;
		flags[i] = rows[i].flags;
	}
	assert_true(stat_sheet_make(&sheet, &report, &sample, runs));
	for (size_t i = 0; i < sheet.sheet.sections; i++)
		assert_true(sheet_text(out, &sheet.section[i], &of));
	stat_sheet_free(&sheet);
	upc_catalogue_close(events.catalogue);
	fclose(out);
	return memory;
}

static void expect(const struct row *rows, unsigned n, const struct style *style, const char *section)
{
	char *text = print_tables(rows, n, NULL, NULL, style);

	assert_golden("stat_sheet", section, text);
	free(text);
}

static void expect_nothing(const struct row *rows, unsigned n, const struct style *style)
{
	char *text = print_tables(rows, n, NULL, NULL, style);

	assert_string_equal(text, "");
	free(text);
}

static void expect_columns(const struct row *sum, unsigned n, struct stat_part *part, unsigned parts,
			   const struct style *style, const char *section)
{
	struct stat_parts of = {.part = part, .n = parts};
	char *text = print_tables(sum, n, &of, NULL, style);

	assert_golden("stat_sheet", section, text);
	free(text);
}

static const struct row rows[] = {
	ROW("perf::TASK-CLOCK", "ns", "software", 1500000000, .scope = UPC_SCOPE_CONTEXT),
	ROW("vm::pgfault", "faults", "vm", 1234567, .scope = UPC_SCOPE_MACHINE),
	ROW("perf::FAULTS", "faults", "software", 3000, .scope = UPC_SCOPE_CONTEXT),
	ROW("perf::MIGRATIONS", "events", "software", 0, .scope = UPC_SCOPE_CONTEXT),
	ROW("process::rss", "bytes", "process", 4096, .scope = UPC_SCOPE_PROCESS, .kind = UPC_KIND_LEVEL),
	ROW("net::rx", "sectors of 512 bytes", "net", 0, .scope = UPC_SCOPE_MACHINE),
};

/* Grouped by subsystem and scope, the machine's last; a share for time, no rate
 * for a level, no rows of 0. */
TEST(test_groups)
{
	const struct style style = {.width = 50, .seconds = 2, .unseen = true};

	expect(rows, 6, &style, "groups");
}

TEST(test_zeros)
{
	const struct style style = {.width = 60, .seconds = 1, .zeros = true};
	const struct style quiet = {.width = 60, .seconds = 1};

	expect(rows + 5, 1, &style, "zeros");
	expect_nothing(rows + 5, 1, &quiet);
	expect_nothing(rows, 0, &quiet);
}

/* A long unit is cut to its first word; a ratio's unit is whole, as its first word is another unit. */
TEST(test_units)
{
	const struct style style = {.width = 60, .seconds = 1};
	const struct row long_units[] = {
		ROW("r", "cycles/1000 instructions", "pmu", 1234, .kind = UPC_KIND_LEVEL),
		ROW("s", "sectors of 512 bytes", "pmu", 2, .kind = UPC_KIND_LEVEL),
		ROW("t", "instructions of an unusual kind/cycle", "pmu", 3, .kind = UPC_KIND_LEVEL),
	};

	expect(long_units, 3, &style, "units");
}

/* The 0 of a counter that did not run is not folded away. */
TEST(test_flags)
{
	const struct row odd[] = {
		ROW("a", "events", "pmu", 0, .flags = UPC_COUNTER_NEVER),
		ROW("b", "events", "pmu", 7, .flags = UPC_COUNTER_PARTIAL),
		ROW("c", "events", "pmu", 8, .flags = UPC_COUNTER_LOST),
		ROW("d", "bytes", "pmu", 9, .flags = UPC_COUNTER_LOST, .kind = UPC_KIND_LEVEL),
		ROW("e", "events", "pmu", 0, .flags = UPC_COUNTER_PARTIAL),
	};
	const struct style style = {.width = 60, .seconds = 1, .unseen = true};

	expect(odd, 5, &style, "flags");
}

/* Means of several runs, with their spread beside them: an event that was seen in some runs only has a mean,
 * and is not listed as not seen; a whole mean looks like any count. */
TEST(test_repeated)
{
	static const struct row means[] = {
		ROW("a", "ns", "s", 1500000),  ROW("b", "faults", "s", 0),
		ROW("c", "faults", "s", 1234), ROW("d", "faults", "s", 12),
		ROW("e", "faults", "s", 0),    ROW("f", "events", "s", 0, .flags = UPC_COUNTER_NEVER)};
	static uint64_t values[4][6] = {{1500001, 0, 1233, 12},
					{1499999, 0, 1235, 12},
					{1500001, 0, 1234, 12},
					{1500000, 1, 1235, 12}};
	static unsigned flags[6] = {0, 0, 0, 0, 0, UPC_COUNTER_NEVER};
	struct stat_one_run run[4];
	double scratch[4];
	const struct stat_runs runs = {.run = run, .n = 4, .flags = flags, .scratch = scratch};
	const struct style style = {.width = 60, .seconds = 1, .unseen = true};
	char *text;

	for (unsigned k = 0; k < 4; k++)
		run[k] = (struct stat_one_run){.values = values[k], .flags = flags};
	text = print_tables(means, 6, NULL, &runs, &style);
	assert_golden("stat_sheet", "repeated", text);
	free(text);
}

/* Descriptions: the first sentence, cut to the line, in one column, or none. */
TEST(test_description)
{
	struct row two[] = {
		ROW("short", "faults", "s", 1, .scope = UPC_SCOPE_CONTEXT),
		ROW("much-longer-name", "faults", "s", 2, .scope = UPC_SCOPE_CONTEXT),
	};
	struct style style = {.width = 55};

	two[0].description = "What it means. And more of it.";
	two[1].description = "A sentence that is too long for what is left.";
	expect(two, 2, &style, "description");
	style.width = 45;
	expect(two, 2, &style, "description, narrow");
}

/* Whatever the width is, each line fits into it, and does not end with a blank. */
TEST(test_width)
{
	static char names[200][40];
	static struct row many[200];
	char *text;

	for (unsigned i = 0; i < 200; i++) {
		snprintf(names[i], sizeof(names[i]), "tp::sub%u:event_number_%u", i % 3, i);
		many[i] = (struct row){
			.name = names[i],
			.unit = "events",
			.description = "What this one means here.",
			.subsystem = i % 3 == 0   ? "a"
				     : i % 3 == 1 ? "b"
						  : "c",
			.value = i % 4 == 0 ? i * 1000ull : 0,
		};
	}
	for (unsigned width = 60; width < 200; width += 7) {
		const struct style style = {.width = width, .seconds = 1, .unseen = true};
		unsigned more = 0;

		text = print_tables(many, 200, NULL, NULL, &style);
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			assert_true(strlen(line) <= width);
			assert_true(line[strlen(line) - 1] != ' ');
			more += strstr(line, " more") != NULL;
		}
		/* 50 names in each group do not fit on four lines. */
		assert_int_equal(more, 3);
		free(text);
	}
}

/* Names and subsystems come from files: nothing of them is a command. */
TEST(test_hostile)
{
	const struct row bad = ROW("x\033[2J", "u\n", "s\033]0;t\a", 1, .scope = UPC_SCOPE_CONTEXT);
	const struct style style = {.width = 80, .unseen = true};

	expect(&bad, 1, &style, "hostile");
}

TEST(test_columns)
{
	static uint64_t one[] = {1000000, 5, 0}, two[] = {2000000, 0, 0}, three[] = {3000000, 70, 0};
	static unsigned good[3], bad[] = {0, UPC_COUNTER_NEVER, 0};
	const struct row sum[] = {
		ROW("clock", "ns", "software", 6000000, .scope = UPC_SCOPE_CONTEXT),
		ROW("faults", "faults", "software", 75, .scope = UPC_SCOPE_CONTEXT),
		ROW("unseen", "events", "software", 0, .scope = UPC_SCOPE_CONTEXT),
	};
	struct stat_part parts[] = {
		{.tid = 11, .name = "main", .values = one, .flags = good},
		{.tid = 12, .name = "a-name-that-is-long", .values = two, .flags = bad},
		{.tid = 13, .name = "b", .values = three, .flags = good},
	};
	const struct style style = {.width = 46, .unseen = true};

	expect_columns(sum, 3, parts, 3, &style, "columns");
}

/* A value that was counted in part is marked, also where it is 0, and so is a sum that includes it. What is
 * computed of such counts may be too high. */
TEST(test_marks)
{
	static uint64_t one[] = {5, 0, 7, 1}, two[] = {70, 3, 8, 1};
	static unsigned part[] = {UPC_COUNTER_PARTIAL, UPC_COUNTER_PARTIAL, UPC_COUNTER_LOST,
				  UPC_COUNTER_PARTIAL},
			good[4];
	const struct row sum[] = {
		ROW("faults", "faults", "software", 75, .flags = UPC_COUNTER_PARTIAL),
		ROW("time", "ns", "software", 3, .flags = UPC_COUNTER_PARTIAL),
		ROW("level", "bytes", "software", 8, .flags = UPC_COUNTER_LOST, .kind = UPC_KIND_LEVEL),
		ROW("difference", "faults", "software", 2, .flags = UPC_COUNTER_PARTIAL,
		    .source = UPC_SOURCE_DERIVED),
	};
	struct stat_part parts[] = {
		{.tid = 11, .name = "main", .values = one, .flags = part},
		{.tid = 12, .name = "other", .values = two, .flags = good},
	};
	const struct style style = {.width = 60};

	expect_columns(sum, 4, parts, 2, &style, "columns, marks");
}

UNIT_TESTS(stat_sheet, NULL, NULL)
