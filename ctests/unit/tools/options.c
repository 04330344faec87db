/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.c - unit tests of the tools' one table of options: a letter has one meaning, and a
 * name one letter, in all tools; old names stand for the new ones; times and words.
 */
#include "../../../utils/lib/options.h"

#include <getopt.h>

#include "../unit_test.h"

struct row {
	int id;
	char letter;
	const char *name, *argument, *help;
	bool old;
};

static const struct row rows[] = {
#define OPTION(ID, tools, LETTER, NAME, ARGUMENT, values, HELP) \
	{.id = UTIL_OPTION_##ID, .letter = LETTER, .name = NAME, .argument = ARGUMENT, .help = HELP},
#define ALSO OPTION
#define OLD(ID, tools, LETTER, NAME, ARGUMENT, now) \
	{.id = UTIL_OPTION_##ID, .letter = LETTER, .name = NAME, .argument = ARGUMENT, .old = true},
#include "lib/options.def"
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

TEST(test_one_meaning)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < i; k++) {
			if (rows[i].old || rows[k].old)
				continue;
			if (rows[i].letter && rows[i].letter == rows[k].letter)
				assert_int_equal(rows[i].id, rows[k].id);
			if (rows[i].id == rows[k].id) {
				assert_int_equal(rows[i].letter, rows[k].letter);
				assert_string_equal(rows[i].name, rows[k].name);
				assert_true(same(rows[i].argument, rows[k].argument));
			} else {
				assert_string_not_equal(rows[i].name, rows[k].name);
			}
		}
}

TEST(test_everything_has_help)
{
	for (size_t i = 0; i < ROWS; i++)
		assert_true(rows[i].old || (rows[i].help && rows[i].help[0] && rows[i].name));
}

static const char *const forms[] = {"text", "json", "csv", "stat", NULL};
static const struct util_usage usage = {.tool = UTIL_TOOL_RUN, .runs = true, .forms = forms};
static struct util_format_choice choice;
static int status;

/* The options of a command line, and what follows them. */
static int next(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return util_options_next(&usage, argc, argv, &choice, &status);
}

/* The first option of a line. */
static int first(char **argv)
{
	optind = 1;
	choice = (struct util_format_choice){.given = false};
	return next(argv);
}

TEST(test_old_names_are_the_new_ones)
{
	char *argv[] = {"upc_run", "-r", "csv", "-p", "program", "-t", NULL};
	char *name[] = {"upc_run", "--report=json", "program", NULL};

	assert_int_equal(first(argv), UTIL_OPTION_PROCESSES);
	assert_true(choice.given && choice.format == UTIL_CSV);
	/* An option behind the program is the program's. */
	assert_int_equal(next(argv), UTIL_OPTION_NONE);
	assert_string_equal(argv[optind], "program");
	assert_int_equal(first(name), UTIL_OPTION_NONE);
	assert_int_equal(choice.format, UTIL_JSON);
}

static uint64_t time_of(const char *text, uint64_t plain)
{
	uint64_t ns = 1234;

	return util_parse_time(text, plain, &ns) == 0 ? ns : 0;
}

TEST(test_times)
{
	static const char *const wrong[] = {"",       "s", "1x", "1 s", "-1s",   "1e3s",
					    "1.2.3s", "0", "0s", "inf", "0x10s", "99999999999999999999s",
					    "1ss"};

	assert_int_equal(time_of("250us", 0), 250000);
	assert_int_equal(time_of("2.5ms", 0), 2500000);
	assert_int_equal(time_of("1s", 0), 1000000000);
	assert_int_equal(time_of("5min", 0), 300000000000);
	assert_int_equal(time_of("24h", 0), 86400000000000);
	assert_int_equal(time_of("100", 1000000), 100000000);
	assert_int_equal(time_of("0.5", 1000000000), 500000000);
	assert_int_equal(time_of("100", 0), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(time_of(wrong[i], 1000000), 0);
}

TEST(test_words)
{
	static const char *const words[] = {"text", "json", "csv", NULL};

	assert_int_equal(util_option_word("--format", words, "text"), 0);
	assert_int_equal(util_option_word("--format", words, "csv"), 2);
	assert_int_equal(util_option_word("--format", words, "js"), -1);
	assert_int_equal(util_option_word("--format", words, ""), -1);
}

TEST(test_one_format)
{
	char *same[] = {"upc_run", "--json", "-f", "json", NULL},
	     *two[] = {"upc_run", "--json", "--csv", NULL};
	char *unlike[] = {"upc_run", "--json", "--format=stat", NULL},
	     *bad[] = {"upc_run", "-f", "xml", NULL};
	char *own[] = {"upc_run", "-f", "stat", NULL}, **const wrong[] = {two, unlike, bad};

	assert_int_equal(first(same), UTIL_OPTION_NONE);
	assert_int_equal(choice.format, UTIL_JSON);
	assert_int_equal(first(own), UTIL_OPTION_NONE);
	assert_int_equal(choice.format, 3);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		status = 0;
		assert_int_equal(first(wrong[i]), UTIL_OPTION_DONE);
		assert_int_equal(status, UTIL_FAILED);
	}
}

struct line {
	const char *output;
	bool zeros, late;
	int taken;
};

static int take(void *own, int option)
{
	struct line *line = own;

	line->taken = option;
	return option == UTIL_OPTION_REGION ? 0 : option == UTIL_OPTION_QEMU ? 7 : UTIL_OPTION_DONE;
}

static const struct util_usage reads = {
	.tool = UTIL_TOOL_RUN,
	.runs = true,
	.forms = forms,
	.place = {UTIL_FLAG(ZEROS, struct line, zeros), UTIL_FLAG(LATE, struct line, late),
		  UTIL_WORD(OUTPUT, struct line, output)},
	.take = take,
};

static int line_of(struct line *line, char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	optind = 1;
	status = -1;
	*line = (struct line){.taken = -1};
	choice = (struct util_format_choice){.given = false};
	return util_options_read(&reads, argc, argv, line, &choice, &status);
}

TEST(test_line_goes_to_its_places)
{
	char *all[] = {"upc_run", "--zeros", "-o",      "a",      "--region=b", "--json",
		       "-o",      "c",       "program", "--late", NULL};
	char *ends[] = {"upc_run", "--qemu=x", "--zeros", NULL},
	     *well[] = {"upc_run", "--papi=own", "--zeros", NULL};
	char *wrong[] = {"upc_run", "--zeros", "--no-such", NULL};
	struct line line;

	assert_int_equal(line_of(&line, all), 0);
	assert_int_equal(status, UTIL_OK);
	assert_string_equal(line.output, "c");
	assert_true(line.zeros && !line.late);
	assert_int_equal(line.taken, UTIL_OPTION_REGION);
	assert_int_equal(choice.format, UTIL_JSON);
	assert_string_equal(all[optind], "program");
	assert_int_equal(line_of(&line, ends), -1);
	assert_int_equal(status, 7);
	assert_false(line.zeros);
	assert_int_equal(line_of(&line, well), -1);
	assert_int_equal(status, UTIL_OK);
	assert_int_equal(line_of(&line, wrong), -1);
	assert_int_equal(status, UTIL_FAILED);
}

UNIT_TESTS(options, NULL, NULL)
