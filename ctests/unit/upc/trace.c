/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay scripts: what each line becomes, and what is refused, where and how.
 */
#include "replay/trace.h"
#include "../unit_test.h"

#define HEAD "upc-trace 1\n"

static struct upci_trace parse_bytes(const char *text, size_t length)
{
	struct upci_trace_error error;
	struct upci_trace trace;
	/* Just as long as it is, so that sanitizers see a read behind it. */
	char *copy = malloc(length > 0 ? length : 1);

	assert_non_null(copy);
	memcpy(copy, text, length);
	if (upci_trace_parse(copy, length, &trace, &error))
		fail_msg("line %u: %s", error.line, error.message);
	free(copy);
	return trace;
}

static struct upci_trace parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

static void refused_bytes(const char *text, size_t length, unsigned line, const char *part)
{
	struct upci_trace_error error;
	struct upci_trace trace = {.ops = 77};
	char *copy = malloc(length > 0 ? length : 1);

	assert_non_null(copy);
	memcpy(copy, text, length);
	if (upci_trace_parse(copy, length, &trace, &error) != UPC_EWIRING)
		fail_msg("\"%s\" is taken", text);
	free(copy);
	if (error.line != line || strstr(error.message, part) == NULL)
		fail_msg("\"%s\": line %u: \"%s\" has no \"%s\" of line %u", text, error.line, error.message,
			 part, line);
	assert_null(trace.op);
	assert_null(trace.token);
	assert_int_equal(trace.ops, 0);
	assert_int_equal(trace.tokens, 0);
}

static void refused_at(const char *text, unsigned line, const char *part)
{
	refused_bytes(text, strlen(text), line, part);
}

/* A bad line behind a good one, with and without a newline at its end. */
static void refused(const char *line, const char *part)
{
	char text[400];

	snprintf(text, sizeof(text), HEAD "s\n%s\ns\n", line);
	refused_at(text, 3, part);
	snprintf(text, sizeof(text), HEAD "s\n%s", line);
	refused_at(text, 3, part);
}

TEST(test_lines)
{
	struct upci_trace t = parse("upc-trace 1 # a version\n"
				    "\n"
				    "# a comment\n"
				    " \t# another\n"
				    "w 0x900 1\n"
				    "  r\t0x7f8  \n"
				    "c 4096# no blank before it\n"
				    "e 255 51 # both at their ends\n"
				    "s");

	assert_int_equal(t.ops, 5);
	assert_int_equal(t.tokens, 0);
	assert_int_equal(t.op[0].kind, UPCI_TRACE_WRITE);
	assert_int_equal(t.op[0].line, 5);
	assert_int_equal(t.op[0].offset, 0x900);
	assert_int_equal(t.op[0].value, 1);
	assert_int_equal(t.op[1].kind, UPCI_TRACE_READ);
	assert_int_equal(t.op[1].line, 6);
	assert_int_equal(t.op[1].offset, 0x7f8);
	assert_int_equal(t.op[2].kind, UPCI_TRACE_CYCLES);
	assert_int_equal(t.op[2].cycles, 4096);
	assert_int_equal(t.op[2].tokens, 0);
	assert_int_equal(t.op[3].kind, UPCI_TRACE_FLIP);
	assert_int_equal(t.op[3].counter, 255);
	assert_int_equal(t.op[3].bit, 51);
	assert_int_equal(t.op[4].kind, UPCI_TRACE_SYNC);
	assert_int_equal(t.op[4].line, 9);
	upci_trace_free(&t);
	assert_null(t.op);
	upci_trace_free(&t); /* once more does no harm */
}

TEST(test_numbers)
{
	struct upci_trace t = parse(HEAD "w 0x0 18446744073709551615\n"
					 "w 0xffffffffffffffff 0xFFFFffffFFFFffff\n"
					 "w 010 0x00000000000000000000000000000000fff\n"
					 "w 0 00000000000000000000000000000000000000018446744073709551615\n"
					 "c 18446744073709551615\n"
					 "c 0x1\n"
					 "e 0xff 0x33\n");

	assert_int_equal(t.ops, 7);
	assert_true(t.op[0].value == UINT64_MAX);
	assert_true(t.op[1].offset == UINT64_MAX);
	assert_true(t.op[1].value == UINT64_MAX);
	assert_int_equal(t.op[2].offset, 10); /* not octal */
	assert_int_equal(t.op[2].value, 0xfff);
	assert_true(t.op[3].value == UINT64_MAX);
	assert_true(t.op[4].cycles == UINT64_MAX);
	assert_int_equal(t.op[5].cycles, 1);
	assert_int_equal(t.op[6].counter, 255);
	assert_int_equal(t.op[6].bit, 51);
	upci_trace_free(&t);
}

TEST(test_bad_numbers)
{
	static const char *const bad[] = {"x",  "0x",  "0X1", "-1",    "+1", "1.0",      "1e3",  "0xg",
					  "1,", "12a", "0b1", "1_000", "''", "\xc3\xa4", "0x-1", "1@2"};
	char line[100];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(line, sizeof(line), "w %s 0", bad[i]);
		refused(line, "OFFSET: expected a number");
		snprintf(line, sizeof(line), "w 0 %s", bad[i]);
		refused(line, "VALUE: expected a number");
		snprintf(line, sizeof(line), "r %s", bad[i]);
		refused(line, "OFFSET: expected a number");
		snprintf(line, sizeof(line), "c %s", bad[i]);
		refused(line, "N: expected a number");
		snprintf(line, sizeof(line), "e %s 0", bad[i]);
		refused(line, "COUNTER: expected a number");
		snprintf(line, sizeof(line), "e 0 %s", bad[i]);
		refused(line, "BIT: expected a number");
	}
	refused("w 0 18446744073709551616", "VALUE: expected a number below 2^64");
	refused("w 0 0x10000000000000000", "VALUE: expected a number below 2^64");
	refused("w 0 99999999999999999999999999999999999999999999999", "below 2^64");
	/* 2^64 + 5, which wraps to a small number. */
	refused("r 18446744073709551621", "OFFSET: expected a number below 2^64");
	refused("c 18446744073709551617", "N: expected a number below 2^64");
	refused("c 0", "N: expected at least 1, found \"0\"");
	refused("c 0x0 5", "N: expected at least 1");
	refused("e 256 0", "COUNTER: expected 0 to 255, found \"256\"");
	refused("e 0 52", "BIT: expected 0 to 51, found \"52\"");
	refused("e 18446744073709551616 0", "COUNTER: expected 0 to 255");
	refused("e 0 0x10000000000000001", "BIT: expected 0 to 51");
}

TEST(test_bad_lines)
{
	refused("x", "expected w, r, c, e or s, found \"x\"");
	refused("W 0 0", "found \"W\"");
	refused("w0 0", "found \"w0\"");
	refused("upc-trace 1", "found \"upc-trace\"");
	refused("w", "OFFSET is missing");
	refused("w 0", "VALUE is missing");
	refused("w 0 # 1", "VALUE is missing");
	refused("w 0 1 2", "behind VALUE, found \"2\"");
	refused("r", "OFFSET is missing");
	refused("r 0 0", "behind OFFSET");
	refused("c", "N is missing");
	refused("e", "COUNTER is missing");
	refused("e 1", "BIT is missing");
	refused("e 1 1 1", "behind BIT");
	refused("s 1", "behind s, found \"1\"");
	refused("s\r", "carriage return");
	refused("s \r # x", "carriage return");
	refused("s\v", "expected w, r, c, e or s");
	refused("\xc2\xa0s", "expected w, r, c, e or s");
	/* The first mistake is told. */
	refused_at(HEAD "s\nc 0\nx\n", 3, "N: ");
}

TEST(test_first_line)
{
	struct upci_trace_error error;
	struct upci_trace t;

	refused_at("", 1, "first line, found nothing");
	refused_at("\n" HEAD, 1, "first line, found nothing");
	refused_at("# a comment\n" HEAD, 1, "first line, found nothing");
	refused_at("upc-trace", 1, "found no version");
	refused_at("upc-trace # 1", 1, "found no version");
	refused_at("upc-trace 2\n", 1, "version \"2\"");
	refused_at("upc-trace 0x1\n", 1, "version \"0x1\"");
	refused_at("upc-trace 01\n", 1, "version \"01\"");
	refused_at("upc-trace1\n", 1, "found \"upc-trace1\"");
	refused_at("upc-trac 1\n", 1, "found \"upc-trac\"");
	refused_at("UPC-TRACE 1\n", 1, "found \"UPC-TRACE\"");
	refused_at("upc-trace 1 1\n", 1, "behind the version");
	refused_at("upc-trace 1\r\n", 1, "carriage return");
	refused_at("\xef\xbb\xbfupc-trace 1\n", 1, "first line");
	refused_at("upc-wiring 1\n", 1, "found \"upc-wiring\"");
	assert_int_equal(upci_trace_parse(NULL, 0, &t, &error), UPC_EWIRING);
	t = parse("upc-trace 1");
	assert_int_equal(t.ops, 0);
	upci_trace_free(&t);
	t = parse(" upc-trace\t1 \n");
	assert_int_equal(t.ops, 0);
	upci_trace_free(&t);
}

TEST(test_bytes)
{
	static const char zero[] = HEAD "s\0\n", in_comment[] = HEAD "s # \0\n";
	struct upci_trace t;

	refused_bytes(zero, sizeof(zero) - 1, 2, "byte 0");
	refused_bytes(in_comment, sizeof(in_comment) - 1, 2, "byte 0");
	/* A comment has any other bytes. */
	t = parse(HEAD "s # \r \xff\x01 \xc3\xa4 # \n");
	assert_int_equal(t.ops, 1);
	upci_trace_free(&t);
}

/* A message quotes the wrong part as printable text, and cuts it. */
TEST(test_messages)
{
	char line[200];

	refused("\x1b[2J\xff\"\\", "found \" [2J?\\\"\\\\\"");
	snprintf(line, sizeof(line), "r %0120d", 0);
	line[50] = 'x';
	refused(line, "\"0000000000000000000000000000000000000000\"...");
	memset(line, '"', 100);
	line[100] = '\0';
	refused(line, "\\\"\\\"\"...");
}

static void assert_wave(const struct upci_wave *wave, uint64_t period, uint64_t high, uint64_t phase)
{
	assert_true(wave->period == period);
	assert_true(wave->high == high);
	assert_true(wave->phase == phase);
}

TEST(test_tokens)
{
	struct upci_trace t = parse(HEAD "c 5 0 7-9 1023@4/2 0-1023@10/1+3\n"
					 "c 1\n"
					 "c 2 5-5@3/3 0x10-0x1f@0x8/0x1+0x9 "
					 "1@18446744073709551615/18446744073709551615+18446744073709551615 "
					 "2@5/2+18446744073709551615\n");

	assert_int_equal(t.ops, 3);
	assert_int_equal(t.tokens, 8);
	assert_int_equal(t.op[0].token, 0);
	assert_int_equal(t.op[0].tokens, 4);
	assert_int_equal(t.op[1].tokens, 0);
	assert_int_equal(t.op[2].token, 4);
	assert_int_equal(t.op[2].tokens, 4);
	assert_int_equal(t.token[0].first, 0);
	assert_int_equal(t.token[0].last, 0);
	assert_wave(&t.token[0].wave, 1, 1, 0);
	assert_int_equal(t.token[1].first, 7);
	assert_int_equal(t.token[1].last, 9);
	assert_int_equal(t.token[2].first, 1023);
	assert_wave(&t.token[2].wave, 4, 2, 0);
	assert_int_equal(t.token[3].last, 1023);
	assert_wave(&t.token[3].wave, 10, 1, 3);
	assert_wave(&t.token[4].wave, 3, 3, 0);
	assert_int_equal(t.token[5].first, 16);
	assert_int_equal(t.token[5].last, 31);
	assert_wave(&t.token[5].wave, 8, 1, 1);
	assert_wave(&t.token[6].wave, UINT64_MAX, UINT64_MAX, 0);
	assert_wave(&t.token[7].wave, 5, 2, 0); /* 2^64 - 1 is a multiple of 5 */
	upci_trace_free(&t);
}

TEST(test_bad_tokens)
{
	static const char *const malformed[] = {
		"x",         "-",         "1-",    "-1",      "1--2",   "1-2-3",   "1@",
		"1@2",       "1@2/",      "1@/1",  "1@2/1+",  "@2/1",   "1@2/1-1", "1+1",
		"1@2/1+1+1", "1@2/1@2/1", "1/2",   "1,2",     "0x",     "0x@2/1",  "1-x",
		"1@2+1/1",   "1@x/1",     "1@2/x", "1@2/1+x", "1@-2/1", "1@2/1x",  "1@2/1/",
	};
	char line[100];

	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		snprintf(line, sizeof(line), "c 1 5 %s 6", malformed[i]);
		refused(line, "expected a token ID[-ID]");
	}
	/* A token has no blanks in it. */
	refused("c 1 1 @2/1", "expected a token");
	refused("c 1 1024", "ids of 0 to 1023");
	refused("c 1 0-1024", "ids of 0 to 1023");
	refused("c 1 65536", "ids of 0 to 1023");
	refused("c 1 2-1", "ascending");
	refused("c 1 1@0/0", "HIGH of 1 to PERIOD");
	refused("c 1 1@4/0", "HIGH of 1 to PERIOD");
	refused("c 1 1@4/5", "HIGH of 1 to PERIOD");
	refused("c 1 1@0/1", "HIGH of 1 to PERIOD");
	refused("c 1 18446744073709551616", "below 2^64");
	refused("c 1 0-18446744073709551617", "below 2^64");
	refused("c 1 1@18446744073709551620/1", "below 2^64");
	refused("c 1 1@4/18446744073709551617", "below 2^64");
	refused("c 1 1@4/1+18446744073709551616", "below 2^64");
}

/* A later token overrides an earlier one; no token, no signal. */
TEST(test_waves)
{
	struct upci_trace t = parse(HEAD "c 1 10\n"
					 "c 1 5-8@4/1 7 8-9@6/2+1 9@2/1\n");
	struct upci_wave wave[UPC_INPUTS];

	upci_trace_waves(&t, &t.op[1], wave);
	for (unsigned id = 0; id < UPC_INPUTS; id++)
		if (id < 5 || id > 9)
			assert_wave(&wave[id], 1, 0, 0);
	assert_wave(&wave[5], 4, 1, 0);
	assert_wave(&wave[6], 4, 1, 0);
	assert_wave(&wave[7], 1, 1, 0);
	assert_wave(&wave[8], 6, 2, 1);
	assert_wave(&wave[9], 2, 1, 0);
	upci_trace_waves(&t, &t.op[0], wave);
	assert_wave(&wave[9], 1, 0, 0);
	assert_wave(&wave[10], 1, 1, 0);
	upci_trace_free(&t);
}

/* Arrays grow, and keep what they have. */
TEST(test_many)
{
	enum { LINES = 20000 };
	char *text;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	struct upci_trace t;

	assert_non_null(file);
	fputs(HEAD, file);
	for (unsigned i = 0; i < LINES; i++)
		fprintf(file, "c %u %u %u@%u/1\n", i + 1, i % 1024, (i + 7) % 1024, i + 1);
	fclose(file);
	t = parse_bytes(text, length);
	assert_int_equal(t.ops, LINES);
	assert_int_equal(t.tokens, 2 * LINES);
	for (unsigned i = 0; i < LINES; i++) {
		assert_int_equal(t.op[i].line, i + 2);
		assert_int_equal(t.op[i].cycles, i + 1);
		assert_int_equal(t.op[i].token, 2 * i);
		assert_int_equal(t.op[i].tokens, 2);
		assert_int_equal(t.token[2 * i].first, i % 1024);
		assert_int_equal(t.token[2 * i + 1].first, (i + 7) % 1024);
		assert_wave(&t.token[2 * i + 1].wave, i + 1, 1, 0);
	}
	upci_trace_free(&t);
	free(text);
}

UNIT_TESTS(trace, NULL, NULL)
