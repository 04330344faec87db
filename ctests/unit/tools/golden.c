/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files that texts are compared with (ctests/lib/golden.h): each difference is found, and an update
 * changes its own section and no other.
 */
#include "lib/golden.h"
#include "../test_dir.h"

static int set_up(void **state)
{
	if (make_test_dir(state))
		return -1;
	test_put("ctests/golden/", NULL);
	setenv("srcdir", test_dir, 1);
	unsetenv("UPC_UPDATE");
	return 0;
}

static void has(const char *expected)
{
	char *text = golden_load(test_path("ctests/golden/here"));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void update(const char *section, const char *text)
{
	setenv("UPC_UPDATE", "1", 1);
	assert_golden("here", section, text);
	unsetenv("UPC_UPDATE");
}

static void differs(const char *section, const char *text, const char *how)
{
	const char *why = golden_differs("here", section, text);

	assert_non_null(why);
	if (!strstr(why, how))
		fail_msg("\"%s\" has no \"%s\"", why, how);
}

#define HEAD "# Expectations of the unit test here, by section: UPC_UPDATE=1 writes it.\n"

TEST(test_update)
{
	differs("one", "", "here: No such file");
	update("one", "a\nb\n");
	update("two", "\033[1m " UPC_VERSION_STRING "\177\n");
	update("no text", "");
	has(HEAD "==== one\na\nb\n==== two\n\\033[1m @VERSION@\\177\n==== no text\n");
	update("one", "c\n");
	has(HEAD "==== one\nc\n==== two\n\\033[1m @VERSION@\\177\n==== no text\n");
	update("no text", "d\n");
	update("two", "");
	has(HEAD "==== one\nc\n==== two\n==== no text\nd\n");
	update("one", "a\nb\n");
}

TEST(test_differences)
{
	assert_null(golden_differs("here", "one", "a\nb\n"));
	assert_null(golden_differs("here", "two", ""));
	differs("one", "a\nc\n", "one, line 2: \"c\", not \"b\"");
	differs("one", "a\n", "one, line 2: \"\", not \"b\"");
	differs("one", "a\nb\nc\n", "one, line 3: \"c\", not \"\"");
	differs("one", "a\nb", "one, line 2: \"b\", not \"b\"");
	differs("one", "", "one, line 1: \"\", not \"a\"");
	differs("two", "a\n", "two, line 1: \"a\", not \"\"");
	/* A name matches only as a whole, and a section that is not there differs from an empty text, too. */
	differs("on", "a\nb\n", "on, line 1");
	differs("three", "", "three, line 1: \"\", not \"\"");
}

UNIT_TESTS(golden, set_up, remove_test_dir)
