/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers, and text that is safe on a terminal, of the command line tools.
 */
#include "../../../utils/lib/common.h"

#include <fcntl.h>
#include <signal.h>

#include "../unit_test.h"

TEST(test_count)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{1234567, "1,234,567"},
		{100000, "100,000"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};
	char text[UTIL_NUMBER_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		util_format_count(cases[i].value, text);
		assert_string_equal(text, cases[i].text);
	}
}

/* Three digits, and never four before a prefix. */
TEST(test_rate)
{
	static const struct {
		double rate;
		const char *text;
	} cases[] = {
		{0, "0.00 /s"},      {0.5, "0.50 /s"},     {9.994, "9.99 /s"},  {9.996, "10.0 /s"},
		{99.94, "99.9 /s"},  {99.96, "100 /s"},    {999.4, "999 /s"},   {999.6, "1.00 k/s"},
		{12345, "12.3 k/s"}, {999600, "1.00 M/s"}, {4.2e9, "4.20 G/s"}, {1e22, "10000 E/s"},
	};
	char text[UTIL_NUMBER_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		util_format_rate(cases[i].rate, text);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(test_ns)
{
	static const struct {
		uint64_t ns;
		const char *text, *unit;
	} cases[] = {
		{0, "0", "ns"},
		{999, "999", "ns"},
		{1000, "1.000", "us"},
		{999999, "999.999", "us"},
		{1000000, "1.000", "ms"},
		{12345678, "12.345", "ms"},
		{1050000000, "1.050", "s"},
		{UINT64_MAX, "18,446,744,073.709", "s"},
	};
	char text[UTIL_NUMBER_MAX];
	const char *unit;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		util_format_ns(cases[i].ns, text, &unit);
		assert_string_equal(text, cases[i].text);
		assert_string_equal(unit, cases[i].unit);
	}
}

static void expect_shown(uint64_t value, const char *unit, const char *text, const char *shown)
{
	char number[UTIL_NUMBER_MAX], word[UTIL_NUMBER_MAX];

	util_format_value(value, unit, number, word);
	assert_string_equal(number, text);
	assert_string_equal(word, shown);
}

/* A ratio without what it is told of would be another one. */
TEST(test_value)
{
	expect_shown(1234, "faults", "1,234", "faults");
	expect_shown(1500, "us", "1.500", "ms");
	expect_shown(UINT64_MAX, "ms", "18,446,744,073,709,551,615", "ms");
	expect_shown(8, "sectors of 512 bytes", "8", "sectors");
	expect_shown(8, "cycles/1000 instructions", "8", "cycles/1000 instructions");
	expect_shown(8, "averyveryverylongword", "8", "averyveryverylo");
	assert_int_equal(util_unit_ns("ms"), 1000000);
	assert_int_equal(util_unit_ns("faults"), 0);
}

TEST(test_parse_number)
{
	static const char *const wrong[] = {
		"", " 1", "+1", "-1", "1 ", "1x", "0x10", "101", "9", "99999999999999999999999",
	};
	long value = 77;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(util_parse_number(wrong[i], 10, 100, &value), -1);
	assert_int_equal(value, 77);
	assert_int_equal(util_parse_number("10", 10, 100, &value), 0);
	assert_int_equal(value, 10);
	assert_int_equal(util_parse_number("0100", 10, 100, &value), 0);
	assert_int_equal(value, 100);
}

static char *put(const char *text, unsigned max, unsigned *columns)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);

	*columns = util_put(out, text, max);
	fclose(out);
	return memory;
}

/* Nothing that a terminal obeys gets through: ESC, C1 controls in UTF-8 and as
 * bytes, DEL, newline; what is printable stays. */
TEST(test_put)
{
	static const struct {
		const char *text;
		unsigned max;
		const char *printed;
		unsigned columns;
	} cases[] = {
		{"plain", 99, "plain", 5},
		{"plain", 3, "pla", 3},
		{"\033[2Jx\n\x7f", 99, "?[2Jx??", 7},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 2, "\xc3\xa4\xe2\x82\xac", 2},
		{"\xc2\x9b"
		 "31m",
		 99, "?31m", 4},
		{"\x9b"
		 "31m",
		 99, "?31m", 4},
		{"\xc0\x80\xed\xa0\x80\xf5", 99, "??????", 6},
		{"\xe2\x82", 99, "??", 2},
		{"", 99, "", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned columns;
		char *printed = put(cases[i].text, cases[i].max, &columns);

		assert_string_equal(printed, cases[i].printed);
		assert_int_equal(columns, cases[i].columns);
		if (cases[i].max == 99)
			assert_int_equal(util_columns(cases[i].text), columns);
		free(printed);
	}
}

TEST(test_wrap)
{
	char *memory = NULL;
	size_t size;
	FILE *out = open_memstream(&memory, &size);
	unsigned column;

	column = util_wrap(out, "one  two\nthree extraordinarily x", 2, 4, 12);
	fclose(out);
	assert_string_equal(memory, "one two\n    three\n    extraordinarily\n    x");
	assert_int_equal(column, 5);
	free(memory);
}

TEST(test_match)
{
	assert_true(util_match("FAULT", "perf::page-faults"));
	assert_false(util_match("faults:", "perf::PAGE-FAULTS"));
	assert_true(util_match("PERF::*", "perf::PAGE-FAULTS"));
	assert_false(util_match("page*", "perf::PAGE-FAULTS"));
	assert_true(util_match("perf::[mp]*-faults", "perf::MAJOR-FAULTS"));
	assert_true(util_match("", "anything"));
	assert_true(util_is_glob("a?"));
	assert_false(util_is_glob("tp::a:b"));
}

TEST(test_papi_prefix)
{
	assert_int_equal(util_papi_prefix("upc:::perf::PAGE-FAULTS"), 6);
	assert_int_equal(util_papi_prefix("UPC:::*"), 6);
	assert_int_equal(util_papi_prefix("PAPI_NATIVE_upc:::x"), 18);
	assert_int_equal(util_papi_prefix("PAPI_NATIVE_x"), 0);
	assert_int_equal(util_papi_prefix("upc::x"), 0);
	assert_int_equal(util_papi_prefix("perf::upc:::x"), 0);
	assert_int_equal(util_papi_prefix(""), 0);
}

/* A pipe has no width but that of $COLUMNS, and no colour. */
TEST(test_width)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	unsetenv("COLUMNS");
	assert_int_equal(util_width(out), UTIL_WIDTH_DEFAULT);
	setenv("COLUMNS", "120", 1);
	assert_int_equal(util_width(out), 120);
	setenv("COLUMNS", "1", 1);
	assert_int_equal(util_width(out), UTIL_WIDTH_MIN);
	setenv("COLUMNS", "99999", 1);
	assert_int_equal(util_width(out), UTIL_WIDTH_MAX);
	setenv("COLUMNS", "wide", 1);
	assert_int_equal(util_width(out), UTIL_WIDTH_DEFAULT);
	unsetenv("COLUMNS");
	assert_false(util_colour(out));
	fclose(out);
}

/* Flushes what could not be written before; returns how much is said of it. */
static off_t said_of(int fd, int result)
{
	FILE *out = fdopen(fd, "w"), *said = tmpfile();
	int kept = dup(STDERR_FILENO);
	off_t size;

	assert_non_null(out);
	assert_non_null(said);
	setvbuf(out, NULL, _IONBF, 0);
	assert_int_equal(fputs("text", out), EOF);
	dup2(fileno(said), STDERR_FILENO);
	assert_int_equal(util_flush(out, "a file"), result);
	dup2(kept, STDERR_FILENO);
	close(kept);
	size = lseek(fileno(said), 0, SEEK_END);
	fclose(said);
	fclose(out);
	return size;
}

TEST(test_flush)
{
	int ends[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(said_of(ends[1], 1), 0);
	if (full >= 0)
		assert_true(said_of(full, -1) > 0);
	signal(SIGPIPE, SIG_DFL);
}

UNIT_TESTS(common, NULL, NULL)
