/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_stat's table, letter by letter (ctests/golden/stat_table).
 */
#include "../../../utils/lib/stat_table.h"

#include "lib/golden.h"
#include "../unit_test.h"

#define ROW(of_name, of_unit, of_subsystem, of_value, ...)                                      \
	{                                                                                       \
		.name = of_name, .unit = of_unit, .subsystem = of_subsystem, .value = of_value, \
		.description = "", __VA_ARGS__                                                  \
	}

static char *print(const struct stat_row *rows, unsigned n, const struct stat_style *style)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	stat_table_print(out, rows, n, style);
	fclose(out);
	return memory;
}

static void expect(const struct stat_row *rows, unsigned n, const struct stat_style *style,
		   const char *section)
{
	char *text = print(rows, n, style);

	assert_golden("stat_table", section, text);
	free(text);
}

static void expect_nothing(const struct stat_row *rows, unsigned n, const struct stat_style *style)
{
	char *text = print(rows, n, style);

	assert_string_equal(text, "");
	free(text);
}

static void expect_columns(const struct stat_row *sum, unsigned n, const char *total,
			   const struct stat_column *columns, unsigned n_columns,
			   const struct stat_style *style, const char *section)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	assert_non_null(out);
	stat_table_print_columns(out, sum, n, total, columns, n_columns, style);
	fclose(out);
	assert_golden("stat_table", section, memory);
	free(memory);
}

static const struct stat_row rows[] = {
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
	const struct stat_style style = {.width = 50, .seconds = 2, .unseen = true};

	expect(rows, 6, &style, "groups");
}

TEST(test_zeros)
{
	const struct stat_style style = {.width = 60, .seconds = 1, .zeros = true};
	const struct stat_style quiet = {.width = 60, .seconds = 1};

	expect(rows + 5, 1, &style, "zeros");
	expect_nothing(rows + 5, 1, &quiet);
	expect_nothing(rows, 0, &quiet);
}

/* A long unit is cut to its first word; a ratio's unit is whole, as its first word is another unit. */
TEST(test_units)
{
	const struct stat_style style = {.width = 60, .seconds = 1};
	const struct stat_row long_units[] = {
		ROW("r", "cycles/1000 instructions", "pmu", 1234, .kind = UPC_KIND_LEVEL),
		ROW("s", "sectors of 512 bytes", "pmu", 2, .kind = UPC_KIND_LEVEL),
		ROW("t", "instructions of an unusual kind/cycle", "pmu", 3, .kind = UPC_KIND_LEVEL),
	};

	expect(long_units, 3, &style, "units");
}

/* The 0 of a counter that did not run is not folded away. */
TEST(test_flags)
{
	const struct stat_row odd[] = {
		ROW("a", "events", "pmu", 0, .flags = UPC_COUNTER_NEVER),
		ROW("b", "events", "pmu", 7, .flags = UPC_COUNTER_PARTIAL),
		ROW("c", "events", "pmu", 8, .flags = UPC_COUNTER_LOST),
		ROW("d", "bytes", "pmu", 9, .flags = UPC_COUNTER_LOST, .kind = UPC_KIND_LEVEL),
	};
	const struct stat_style style = {.width = 60, .seconds = 1, .unseen = true};

	expect(odd, 4, &style, "flags");
}

/* Means of several runs, with their spread beside them: an event that was seen in some runs only has a mean,
 * and is not listed as not seen; a whole mean looks like any count. */
TEST(test_repeated)
{
	const struct stat_row means[] = {
		ROW("a", "ns", "s", 1500000, .repeated = true, .mean = 1500000.4, .spread = 0.123),
		ROW("b", "faults", "s", 0, .repeated = true, .mean = 0.25, .spread = 100),
		ROW("c", "faults", "s", 1234, .repeated = true, .mean = 1234.4, .spread = 2),
		ROW("d", "faults", "s", 12, .repeated = true, .mean = 12, .spread = 0),
		ROW("e", "faults", "s", 0, .repeated = true),
		ROW("f", "events", "s", 0, .repeated = true, .flags = UPC_COUNTER_NEVER),
	};
	const struct stat_style style = {.width = 60, .seconds = 1, .unseen = true};

	expect(means, 6, &style, "repeated");
}

/* Descriptions: the first sentence, cut to the line, in one column, or none. */
TEST(test_description)
{
	struct stat_row two[] = {
		ROW("short", "faults", "s", 1, .scope = UPC_SCOPE_CONTEXT),
		ROW("much-longer-name", "faults", "s", 2, .scope = UPC_SCOPE_CONTEXT),
	};
	struct stat_style style = {.width = 55};

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
	static struct stat_row many[200];
	char *text;

	for (unsigned i = 0; i < 200; i++) {
		snprintf(names[i], sizeof(names[i]), "tp::sub%u:event_number_%u", i % 3, i);
		many[i] = (struct stat_row){
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
		const struct stat_style style = {.width = width, .seconds = 1, .unseen = true};
		unsigned more = 0;

		text = print(many, 200, &style);
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
	const struct stat_row bad = ROW("x\033[2J", "u\n", "s\033]0;t\a", 1, .scope = UPC_SCOPE_CONTEXT);
	const struct stat_style style = {.width = 80, .unseen = true};

	expect(&bad, 1, &style, "hostile");
}

TEST(test_columns)
{
	static const uint64_t one[] = {1000000, 5, 0}, two[] = {2000000, 0, 0}, three[] = {3000000, 70, 0};
	static const unsigned good[3], bad[] = {0, UPC_COUNTER_NEVER, 0};
	const struct stat_row sum[] = {
		ROW("clock", "ns", "software", 6000000, .scope = UPC_SCOPE_CONTEXT),
		ROW("faults", "faults", "software", 75, .scope = UPC_SCOPE_CONTEXT),
		ROW("unseen", "events", "software", 0, .scope = UPC_SCOPE_CONTEXT),
	};
	const struct stat_column columns[] = {
		{11, "main", one, good, NULL},
		{12, "a-name-that-is-long", two, bad, NULL},
		{13, "b", three, good, NULL},
	};
	const struct stat_style style = {.width = 46, .unseen = true};

	expect_columns(sum, 3, "all", columns, 3, &style, "columns");
}

/* A value that was counted in part is marked, also where it is 0, and so is a sum that includes it. */
TEST(test_marks)
{
	static const uint64_t one[] = {5, 0, 7}, two[] = {70, 3, 8};
	static const unsigned part[] = {UPC_COUNTER_PARTIAL, UPC_COUNTER_PARTIAL, UPC_COUNTER_LOST}, good[3];
	const struct stat_row sum[] = {
		ROW("faults", "faults", "software", 75, .flags = UPC_COUNTER_PARTIAL),
		ROW("time", "ns", "software", 3, .flags = UPC_COUNTER_PARTIAL),
		ROW("level", "bytes", "software", 8, .flags = UPC_COUNTER_LOST, .kind = UPC_KIND_LEVEL),
	};
	const struct stat_column columns[] = {
		{11, "main", one, part, NULL},
		{12, "other", two, good, NULL},
	};
	const struct stat_style style = {.width = 60};

	expect_columns(sum, 3, "all", columns, 2, &style, "columns, marks");
}

/* Percents beside the values of those columns that have them; no thread, no line of ids. */
TEST(test_percents)
{
	static const uint64_t one[] = {250, 11000}, two[] = {1750, 22000};
	static const double shares[] = {12.5, 0};
	static const unsigned good[2];
	const struct stat_row sum[] = {
		ROW("loads", "", "node", 2000, .percent = 33.25),
		ROW("all", "", "node", 33000),
	};
	const struct stat_column columns[] = {
		{0, "left", one, good, shares},
		{0, "right", two, good, NULL},
	};
	const struct stat_style style = {.width = 59};

	expect_columns(sum, 2, "sum", columns, 2, &style, "percents, columns");
	expect(sum, 2, &style, "percents");
}

UNIT_TESTS(stat_table, NULL, NULL)
