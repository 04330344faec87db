/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * request.c - unit tests of the lines of commands: what is one, what is not, and why; any words that can be
 * written are read back.
 */
#include "service/request.h"

#include <jansson.h>

#include "../unit_test.h"

static char why[REQUEST_WHY_MAX];

static bool reads(const char *line, size_t length, struct request *request)
{
	strcpy(why, "nothing");
	return request_read(line, length, request, why) == 0;
}

/* Asserts that a line is refused, and that the reason has this part and is printable ASCII. */
static void refused(const char *line, size_t length, const char *part)
{
	struct request request;

	if (reads(line, length, &request))
		fail_msg("taken: %.100s", line);
	if (strstr(why, part) == NULL)
		fail_msg("\"%s\" has no \"%s\"", why, part);
	for (const char *p = why; *p != '\0'; p++)
		assert_in_range((unsigned char)*p, ' ', '~');
}

TEST(test_words)
{
	static const char line[] = " {\"words\": [\"add\", \"a b\\\"\\\\\\n\", \"\", \"\xc3\xa4\\u00e4\"]}\r";
	struct request request;

	assert_true(reads(line, sizeof(line) - 1, &request));
	assert_int_equal(request.words, 4);
	assert_string_equal(request.word[0], "add");
	assert_string_equal(request.word[1], "a b\"\\\n");
	assert_string_equal(request.word[2], "");
	assert_string_equal(request.word[3], "\xc3\xa4\xc3\xa4");
	assert_null(request.word[4]);
	request_free(&request);
	assert_null(request.word);
}

#define REFUSED(line, part) refused(line, sizeof(line) - 1, part)

TEST(test_refused)
{
	REFUSED("", "no line of JSON");
	REFUSED("halt ALL", "no line of JSON");
	REFUSED("{\"words\": [\"ls\"]} x", "no line of JSON");
	REFUSED("{\"words\": [\"ls\"]", "no line of JSON");
	REFUSED("[\"ls\"]", "no object");
	REFUSED("\"ls\"", "no line of JSON");
	REFUSED("{}", "no list \"words\"");
	REFUSED("{\"words\": \"ls\"}", "no list \"words\"");
	REFUSED("{\"words\": []}", "no words");
	REFUSED("{\"words\": [\"ls\", 3]}", "word 2 of the request is no string");
	REFUSED("{\"words\": [\"ls\", [\"x\"]]}", "word 2 of the request is no string");
	REFUSED("{\"words\": [null]}", "word 1 of the request is no string");
	REFUSED("{\"words\": [\"ls\"], \"uid\": 0}", "a field beside \"words\"");
	REFUSED("{\"words\": [\"ls\"], \"words\": [\"halt\"]}", "duplicate");
	REFUSED("{\"words\": [\"l\0s\"]}", "no line of JSON");
	REFUSED("{\"words\": [\"l\\u0000s\"]}", "\\u0000");
	REFUSED("{\"words\": [\"\xff\xfe\"]}", "byte 0xff");
	REFUSED("{\"words\": [\"\xc0\xaf\"]}", "byte 0xc0");
	REFUSED("{\"words\": [\"\\ud800\"]}", "no line of JSON");
	REFUSED("\x1b[2J{\"words\": 1}", "no line of JSON");
}

/* A text n times, with another before and another behind it; for the caller to free. */
static char *repeated(const char *before, const char *text, size_t n, const char *behind)
{
	char *line = malloc(strlen(before) + n * strlen(text) + strlen(behind) + 1), *p;

	assert_non_null(line);
	p = stpcpy(line, before);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, text);
	strcpy(p, behind);
	return line;
}

static void refused_repeated(const char *before, const char *text, size_t n, const char *behind,
			     const char *part)
{
	char *line = repeated(before, text, n, behind);

	refused(line, strlen(line), part);
	free(line);
}

TEST(test_limits)
{
	struct request request;
	char *line;

	refused_repeated("", "[", 60000, "", "no line of JSON");
	refused_repeated("{\"words\":", "[", 30000, "", "no line of JSON");
	refused_repeated("{\"words\":", "{\"words\":", 7000, "", "no line of JSON");
	refused_repeated("{\"words\":[\"", "x", REQUEST_WORD_MAX + 1, "\"]}", "4097 bytes; at most 4096");
	refused_repeated("{\"words\":[\"", "x", REQUEST_MAX, "\"]}", "more than 65536 bytes");
	refused_repeated("{\"words\":[\"x\"", ",\"x\"", REQUEST_WORDS_MAX, "]}", "513 words; at most 512");
	line = repeated("{\"words\":[\"", "x", REQUEST_WORD_MAX, "\"]}");
	assert_true(reads(line, strlen(line), &request));
	assert_int_equal(strlen(request.word[0]), REQUEST_WORD_MAX);
	request_free(&request);
	free(line);
	line = repeated("{\"words\":[\"x\"", ",\"x\"", REQUEST_WORDS_MAX - 1, "]}");
	assert_true(reads(line, strlen(line), &request));
	assert_int_equal(request.words, REQUEST_WORDS_MAX);
	request_free(&request);
	free(line);
}

TEST(test_written)
{
	static const char *const word[] = {"add", "a \"b\" \\ \n\t\x7f \xe2\x82\xac", ""}, *const bad[] = {
												   "ls",
												   "\xff"};
	static char many[REQUEST_WORD_MAX + 2];
	const char *big[20];
	struct request request;
	char *line = request_write(word, 3, why);

	assert_non_null(line);
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	assert_true(reads(line, strlen(line) - 1, &request));
	assert_int_equal(request.words, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(request.word[i], word[i]);
	request_free(&request);
	free(line);
	assert_null(request_write(bad, 2, why));
	assert_string_equal(why, "word 2 is no UTF-8");
	assert_null(request_write(bad, 0, why));
	memset(many, 'x', REQUEST_WORD_MAX);
	for (unsigned i = 0; i < 20; i++)
		big[i] = many;
	assert_null(request_write(big, 20, why));
	assert_non_null(strstr(why, "more than 65536 bytes together"));
	many[REQUEST_WORD_MAX] = 'x';
	assert_null(request_write(big, 1, why));
	assert_non_null(strstr(why, "at most 4096"));
}

TEST(test_answers)
{
	char *answer = request_answer(true, "it \"counts\"\n"), lines[] = "{\n \"ok\": true\r\n}";

	assert_string_equal(answer, "{\"ok\":true,\"message\":\"it \\\"counts\\\"\\n\"}");
	free(answer);
	answer = request_answer(false, "no \xff");
	assert_string_equal(answer, "{\"ok\":false,\"message\":\"no ?\"}");
	free(answer);
	request_one_line(lines);
	assert_string_equal(lines, "{  \"ok\": true  }");
}

/* Random words come back as they were; random lines do no harm. */
TEST(test_random)
{
	uint64_t seed = 21;
	char line[400];

	for (unsigned round = 0; round < 20000; round++) {
		size_t length = random_next(&seed) % sizeof(line);
		struct request request;

		for (size_t i = 0; i < length; i++) {
			uint64_t x = random_next(&seed);

			line[i] = (x & 0x300) != 0 ? "{}[]\",:words\\u0 l\xc3\xa4"[x % 18] : (char)x;
		}
		if (round % 2 == 0 && length > 12)
			memcpy(line, "{\"words\":[\"", 11);
		if (reads(line, length, &request))
			request_free(&request);
	}
}

UNIT_TESTS(request, NULL, NULL)
