/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clean.c - any bytes as printable UTF-8.
 */
#include "unit/unit_test.h"

#include <jansson.h>

#include "pmda/clean.h"

static void assert_clean(const char *text, const char *want)
{
	char out[64];

	assert_int_equal(clean_text(text, out, sizeof(out)), strlen(want));
	assert_string_equal(out, want);
}

TEST(test_texts)
{
	assert_clean("perf::PAGE-FAULTS", "perf::PAGE-FAULTS");
	assert_clean(NULL, "");
	assert_clean("a\tb\n", "a?b?");
	assert_clean("\x7f\x1b[0m", "??[0m");
	assert_clean("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_clean("\xff\xc3", "??");
	assert_clean("\xc0\x80", "??");           /* overlong */
	assert_clean("\xe0\x80\xaf", "???");      /* overlong */
	assert_clean("\xed\xa0\x80", "???");      /* half of a pair */
	assert_clean("\xf4\x90\x80\x80", "????"); /* beyond Unicode */
	assert_clean("\xc2\x85", "??");           /* a control of C1 */
	assert_clean("\"\\", "\"\\");
}

TEST(test_sizes)
{
	char out[4] = "xyz";

	assert_int_equal(clean_text("abcdef", out, sizeof(out)), 3);
	assert_string_equal(out, "abc");
	/* No half character. */
	assert_int_equal(clean_text("ab\xc3\xa4", out, sizeof(out)), 2);
	assert_string_equal(out, "ab");
	assert_int_equal(clean_text("abc", out, 0), 0);
	assert_int_equal(clean_text("abc", out, 1), 0);
	assert_string_equal(out, "");
}

/* jansson takes what is clean, whatever it was. */
TEST(test_any_bytes)
{
	char text[40], out[64];
	unsigned seed = 7, round, i;
	json_t *string;

	for (round = 0; round < 50000; round++) {
		for (i = 0; i + 1 < sizeof(text); i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = (char)(seed >> 16);
		}
		text[i] = 0;
		clean_text(text, out, sizeof(out));
		string = json_string(out);
		assert_non_null(string);
		json_decref(string);
	}
}

UNIT_TESTS(clean, NULL, NULL)
