/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The service's language: what is read, and each mistake with its place.
 */
#include "service/config.h"
#include "service/service.h"
#include "unit/unit_test.h"

/* A whole configuration of which one line is of interest. */
#define INITIALIZE "initialize\n"
#define FINALIZE "finalize\n"

static struct config read_good(const char *text)
{
	struct config config;
	struct config_error error;

	if (!config_parse(text, strlen(text), &config, &error))
		fail_msg("%u:%u: %s", error.place.line, error.place.column, error.text);
	return config;
}

/* The same text is refused there, with these parts in the sentence. */
static void read_bad(const char *text, unsigned line, unsigned column, const char *part, const char *other)
{
	struct config config;
	struct config_error error;

	if (config_parse(text, strlen(text), &config, &error))
		fail_msg("it is read: %s", text);
	assert_null(config.command);
	assert_int_equal(config.commands, 0);
	if (error.place.line != line || error.place.column != column || !strstr(error.text, part) ||
	    !strstr(error.text, other))
		fail_msg("%u:%u: \"%s\" is not %u:%u, \"%s\" and \"%s\": %s", error.place.line,
			 error.place.column, error.text, line, column, part, other, text);
}

TEST(a_whole_one)
{
	struct config c =
		read_good("# counters\n"
			  "initialize source=live interval=60s domain=user flexible=no reserve=2 notice=no\n"
			  "\tcgroup jobs /sys/fs/cgroup/jobs # theirs\n"
			  "\n"
			  "add A B \"C D\" scope=node\n"
			  "add optional=yes as=x E scope=cpu\n"
			  "finalize\n"
			  "halt x ALL\n"
			  "reassign x F as=y");
	const struct config_initialize *i = &c.command[0].initialize;

	assert_int_equal(c.commands, 7);
	assert_null(i->replay);
	assert_int_equal(i->interval_ns, UINT64_C(60000000000));
	assert_true(i->user && !i->flexible && !i->notice);
	assert_int_equal(i->reserve, 2);
	assert_int_equal(c.command[1].verb, CONFIG_CGROUP);
	assert_string_equal(c.command[1].operand[1].text, "/sys/fs/cgroup/jobs");
	assert_int_equal(c.command[1].place.column, 2);
	assert_int_equal(c.command[2].operands, 3);
	assert_string_equal(c.command[2].operand[2].text, "C D");
	assert_int_equal(c.command[2].operand[2].place.line, 5);
	assert_int_equal(c.command[2].operand[2].place.column, 9);
	assert_int_equal(c.command[2].scope, SERVICE_NODE);
	assert_false(c.command[2].optional);
	assert_null(c.command[2].as);
	assert_string_equal(c.command[3].as, "x");
	assert_string_equal(c.command[3].operand[0].text, "E");
	assert_true(c.command[3].optional);
	assert_int_equal(c.command[5].operands, 2);
	assert_string_equal(c.command[6].operand[1].text, "F");
	config_free(&c);
	assert_null(c.command);
}

TEST(what_is_left_out)
{
	struct config c = read_good("initialize\nadd A\nfinalize\n");
	const struct config_initialize *i = &c.command[0].initialize;

	assert_true(!i->interval_ns && !i->user && i->flexible && i->notice && !i->reserve && !i->replay &&
		    !i->sys);
	assert_int_equal(c.command[1].scope, CONFIG_SCOPE_OF_EVENT);
	config_free(&c);
}

TEST(words)
{
	struct config c = read_good("initialize source=\"replay:/a b\" sys=\"/x\"\n"
				    "add \"a\\\"b\\\\c\\nd\\x41\\xff\" x\"y z\"w\n"
				    "finalize");

	assert_string_equal(c.command[0].initialize.replay, "/a b");
	assert_string_equal(c.command[0].initialize.sys, "/x");
	assert_string_equal(c.command[1].operand[0].text, "a\"b\\c\ndA\xff");
	assert_string_equal(c.command[1].operand[1].text, "xy zw");
	config_free(&c);
}

TEST(times)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {{"0", 0},
		    {"10ms", 10000000},
		    {"1s", 1000000000},
		    {"2m", UINT64_C(120000000000)},
		    {"24h", UINT64_C(86400000000000)},
		    {"86400000ms", UINT64_C(86400000000000)}};
	static const char *const bad[] = {"",   "s",    "60",      "9ms",  "25h",
					  "1d", "-1s",  "1 s",     "1.5s", "18446744073709551617s",
					  "0s", "1h1m", "5124096h"};
	char text[128];

	for (unsigned i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct config c;

		snprintf(text, sizeof(text), "initialize interval=%s\nfinalize\n", good[i].text);
		c = read_good(text);
		assert_true(c.command[0].initialize.interval_ns == good[i].ns);
		config_free(&c);
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), "initialize \"interval=%s\"\nfinalize\n", bad[i]);
		read_bad(text, 1, 21, "interval=", "10ms to 24h");
	}
}

/* Each mistake: its text, its place, and what is said. */
TEST(mistakes)
{
	static const struct {
		const char *text;
		unsigned line, column;
		const char *part, *other;
	} row[] = {
		{"", 1, 1, "the end", "initialize"},
		{"# nothing\n\n", 3, 1, "the end", "initialize"},
		{INITIALIZE, 2, 1, "the end", "finalize"},
		{INITIALIZE "ad A\n" FINALIZE, 2, 1, "\"ad\" is no command", "did you mean add?"},
		{INITIALIZE "\x01\n", 2, 1, "control character", "0x01"},
		{INITIALIZE "add a\x7f\r\n" FINALIZE, 2, 7, "control character", "0x0d"},
		{"add A\n" FINALIZE, 1, 1, "add comes before initialize", "first"},
		{INITIALIZE "  halt A\n" FINALIZE, 2, 3, "halt comes before finalize", "no counter"},
		{INITIALIZE FINALIZE FINALIZE, 3, 1, "finalize comes after finalize", ""},
		{INITIALIZE FINALIZE "cgroup a /b\n", 3, 1, "cgroup comes after finalize", ""},
		{INITIALIZE INITIALIZE FINALIZE, 2, 1, "second initialize", "line 1"},
		{INITIALIZE FINALIZE "ls\n", 3, 1, "ls is a command to the running service", ""},
		{INITIALIZE "yield\n" FINALIZE, 2, 1, "yield is a command to the running service", ""},
		{"initialize source=lice\n", 1, 19, "source=\"lice\"", "live or replay:FILE"},
		{"initialize source=replay:\n", 1, 19, "source=\"replay:\"", "replay:FILE"},
		{"initialize\tdomain=kernel\n", 1, 19, "domain=", "all or user"},
		{"initialize flexible=1\n", 1, 21, "flexible=", "yes or no"},
		{"initialize notice=\n", 1, 19, "notice=\"\"", "yes or no"},
		{"initialize reserve=65\n", 1, 20, "reserve=", "0 to 64"},
		{"initialize reserve=\n", 1, 20, "reserve=", "0 to 64"},
		{"initialize reserve=1x\n", 1, 20, "reserve=", "0 to 64"},
		{"initialize reserve=99999999999\n", 1, 20, "reserve=", "0 to 64"},
		{"initialize intervall=1s\n", 1, 12, "no intervall=", "did you mean interval?"},
		{"initialize interval=1s interval=1s\n", 1, 24, "interval= is there twice", ""},
		{"initialize x\n", 1, 12, "\"x\" is one word too many", "no operand"},
		{"initialize sys=/a\n" FINALIZE, 1, 1, "sys= is for source=replay", ""},
		{"initialize source=replay:a sys=b\n", 1, 32, "sys=\"b\"", "path of a directory"},
		{INITIALIZE "finalize now\n", 2, 10, "\"now\" is one word too many", ""},
		{INITIALIZE "finalize as=x\n", 2, 10, "finalize has no as=", "no operand"},
		{INITIALIZE "cgroup a\n" FINALIZE, 2, 1, "cgroup: expected is a LABEL and a PATH", ""},
		{INITIALIZE "cgroup a b\n" FINALIZE, 2, 10, "\"b\"", "from / on"},
		{INITIALIZE "cgroup 1 /b\n" FINALIZE, 2, 8, "\"1\" is no label", "begins with a letter"},
		{INITIALIZE "cgroup a /b /c\n" FINALIZE, 2, 13, "one word too many", ""},
		{INITIALIZE "add\n" FINALIZE, 2, 1, "add: expected is an EVENT", ""},
		{INITIALIZE "add \"\"\n" FINALIZE, 2, 5, "an empty word", "an EVENT"},
		{INITIALIZE "add A scope=core\n" FINALIZE, 2, 13, "scope=\"core\"", "cpu, node or cgroup"},
		{INITIALIZE "add A B as=x\n" FINALIZE, 2, 7, "as= names one event", "2"},
		{INITIALIZE "add A as=ALL\n" FINALIZE, 2, 10, "as=\"ALL\"", "not ALL"},
		{INITIALIZE "add A as=a/b\n" FINALIZE, 2, 10, "as=\"a/b\"", "letters, digits"},
		{INITIALIZE "add A \"as=a b\"\n" FINALIZE, 2, 10, "as=\"a b\"", "letters, digits"},
		{INITIALIZE "add A optional=maybe\n" FINALIZE, 2, 16, "optional=", "yes or no"},
		{INITIALIZE "add A scop=cpu\n" FINALIZE, 2, 7, "add has no scop=", "did you mean scope?"},
		{INITIALIZE FINALIZE "reassign A\n", 3, 1, "reassign: expected is a NAME and an EVENT", ""},
		{INITIALIZE FINALIZE "reassign A B C\n", 3, 14, "one word too many", ""},
		{INITIALIZE FINALIZE "halt\n", 3, 1, "halt: expected is a NAME or ALL", ""},
		{INITIALIZE FINALIZE "\n\nremove", 5, 1, "remove: expected is a NAME or ALL", ""},
		{INITIALIZE "add \"A\n" FINALIZE, 2, 5, "a quote that does not end", ""},
		{INITIALIZE "add A\"B", 2, 6, "a quote that does not end", ""},
		{INITIALIZE "add \"A\\q\"\n", 2, 7, "an unknown escape", "\\xNN"},
		{INITIALIZE "add \"\\x4\"\n", 2, 6, "two hexadecimal digits", ""},
		{INITIALIZE "add \"\\x00\"\n", 2, 6, "no byte 0", ""},
		{INITIALIZE "add \"\\", 2, 6, "an unknown escape", ""},
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++)
		read_bad(row[i].text, row[i].line, row[i].column, row[i].part, row[i].other);
}

TEST(bytes_of_any_kind)
{
	struct config config;
	struct config_error error;
	char *text = malloc(CONFIG_TEXT_MAX + 1);

	assert_non_null(text);
	assert_false(config_parse("initialize\0", 11, &config, &error));
	assert_int_equal(error.place.column, 11);
	memset(text, ' ', CONFIG_TEXT_MAX + 1);
	assert_false(config_parse(text, CONFIG_TEXT_MAX + 1, &config, &error));
	assert_non_null(strstr(error.text, "longer than"));
	/* A sentence about a word is text, and short, whatever the word is. */
	memset(text, 0xc3, 5000);
	assert_false(config_parse(text, 5000, &config, &error));
	assert_in_range(strlen(error.text), 10, 200);
	for (const char *p = error.text; *p; p++)
		assert_in_range((unsigned char)*p, ' ', '~');
	/* More words than any command has. */
	memset(text, 'a', 3 * CONFIG_WORDS_MAX);
	for (unsigned i = 1; i < 3 * CONFIG_WORDS_MAX; i += 2)
		text[i] = ' ';
	assert_false(config_parse(text, 3 * CONFIG_WORDS_MAX, &config, &error));
	assert_int_equal(error.place.column, 2 * CONFIG_WORDS_MAX + 1);
	free(text);
}

TEST(at_run_time)
{
	static const char *const add[] = {"add", "scope=cpu", "A b", "B"};
	static const char *const bad[] = {"halt"}, *const first[] = {"initialize"},
				 *const long_one[] = {"ls", "a=b"};
	struct config_command c;
	struct config_error error;

	assert_true(config_parse_words(add, 4, &c, &error));
	assert_int_equal(c.verb, CONFIG_ADD);
	assert_int_equal(c.operands, 2);
	assert_string_equal(c.operand[0].text, "A b");
	assert_int_equal(c.scope, SERVICE_CPU);
	config_command_free(&c);
	assert_false(config_parse_words(bad, 1, &c, &error));
	assert_int_equal(error.place.line, 0);
	assert_false(config_parse_words(first, 1, &c, &error));
	assert_non_null(strstr(error.text, "for a configuration only"));
	assert_false(config_parse_words(long_one, 2, &c, &error));
	assert_non_null(strstr(error.text, "ls has no a="));
	assert_false(config_parse_words(NULL, 0, &c, &error));
	assert_null(c.word);
}

TEST(names)
{
	char longest[CONFIG_NAME_MAX + 1];
	const char *why;

	memset(longest, 'a', sizeof(longest));
	longest[CONFIG_NAME_MAX] = '\0';
	assert_false(config_is_name(longest, &why));
	longest[CONFIG_NAME_MAX - 1] = '\0';
	assert_true(config_is_name(longest, &why));
	assert_true(config_is_name("a.b:c-d_9", &why));
	assert_true(config_is_name("ALLES", &why));
	assert_false(config_is_name("", &why));
	assert_false(config_is_name("9a", &why));
	assert_false(config_is_name("a b", &why));
}

UNIT_TESTS(config, NULL, NULL)
