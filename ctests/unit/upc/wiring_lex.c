/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tokens of the wiring file: kinds, lines, places.
 */
#include "../unit_test.h"
#include "wiring/wiring_lex.h"

static void expect(struct upci_lex *lex, enum upci_token_kind kind, const char *text)
{
	char copy[64];

	assert_int_equal(lex->token.kind, kind);
	assert_int_equal(upci_lex_copy(lex, copy), strlen(text));
	assert_string_equal(copy, text);
	assert_int_equal(upci_lex_next(lex), 0);
}

static void begin(struct upci_lex *lex, const char *text)
{
	if (upci_lex_begin(lex, "f", text, strlen(text)))
		fail_msg("%s", upc_last_message());
}

TEST(test_tokens)
{
	struct upci_lex lex;

	begin(&lex, "a-b.c:+_9=\"x \\\"y\\\\ #\"*\t/2#rest\n\n # only\nlast");
	assert_true(upci_lex_is(&lex, "a-b.c:+_9"));
	assert_false(upci_lex_is(&lex, "a-b.c:+_"));
	assert_false(upci_lex_is(&lex, "a-b.c:+_99"));
	expect(&lex, UPCI_TOKEN_WORD, "a-b.c:+_9");
	expect(&lex, UPCI_TOKEN_SIGN, "=");
	assert_false(upci_lex_is(&lex, "x"));
	expect(&lex, UPCI_TOKEN_STRING, "x \"y\\ #");
	expect(&lex, UPCI_TOKEN_SIGN, "*");
	expect(&lex, UPCI_TOKEN_SIGN, "/");
	expect(&lex, UPCI_TOKEN_WORD, "2");
	/* The end of the line stays, however often it is asked for. */
	expect(&lex, UPCI_TOKEN_END, "");
	expect(&lex, UPCI_TOKEN_END, "");
	assert_int_equal(upci_lex_next_line(&lex), 1);
	expect(&lex, UPCI_TOKEN_END, "");
	assert_int_equal(upci_lex_next_line(&lex), 1);
	expect(&lex, UPCI_TOKEN_END, "");
	assert_int_equal(upci_lex_next_line(&lex), 1);
	assert_int_equal(upci_lex_place(&lex).line, 4);
	expect(&lex, UPCI_TOKEN_WORD, "last");
	expect(&lex, UPCI_TOKEN_END, "");
	assert_int_equal(upci_lex_next_line(&lex), 0);
	/* A newline ends a line, it does not begin one. */
	begin(&lex, "x\n");
	assert_int_equal(upci_lex_next_line(&lex), 0);
	begin(&lex, "");
	expect(&lex, UPCI_TOKEN_END, "");
	assert_int_equal(upci_lex_next_line(&lex), 0);
	/* Signs are whole characters. */
	begin(&lex, "\xc3\xa4\xf0\x9f\x98\x80");
	expect(&lex, UPCI_TOKEN_SIGN, "\xc3\xa4");
	expect(&lex, UPCI_TOKEN_SIGN, "\xf0\x9f\x98\x80");
}

TEST(test_places)
{
	struct upci_lex lex;
	struct upci_place place;

	begin(&lex, "one\n\xc3\xa4 \"a\\\"\\\\\xc3\xa4z\"");
	assert_int_equal(upci_lex_next_line(&lex), 1);
	assert_int_equal(upci_lex_next(&lex), 0);
	place = upci_lex_place(&lex);
	assert_int_equal(upci_lex_fail_at(&lex, place, "%d", 7), UPC_EWIRING);
	assert_string_equal(upc_last_message(), "f:2:3: 7");
	/* Bytes 0 to 5 of the text a"\äz. */
	upci_lex_fail_at(&lex, upci_lex_inside(place, 0), "a");
	assert_string_equal(upc_last_message(), "f:2:4: a");
	upci_lex_fail_at(&lex, upci_lex_inside(place, 2), "backslash");
	assert_string_equal(upc_last_message(), "f:2:7: backslash");
	upci_lex_fail_at(&lex, upci_lex_inside(place, 5), "z");
	assert_string_equal(upc_last_message(), "f:2:10: z");
	upci_lex_fail_expected(&lex, "a word");
	assert_string_equal(upc_last_message(), "f:2:3: expected a word, found \"a\\\"\\\\\xc3\xa4z\"");
}

/* A long token is cut between two characters. */
TEST(test_found)
{
	char text[200] = "";
	struct upci_lex lex;
	int i;

	strcat(text, "\"");
	for (i = 0; i < 60; i++)
		strcat(text, "\xc3\xa4");
	strcat(text, "\"");
	begin(&lex, text);
	upci_lex_fail_expected(&lex, "less");
	text[1 + 2 * 20] = 0;
	assert_message(text);
	assert_message("\xc3\xa4...");
}

UNIT_TESTS(wiring_lex, NULL, NULL)
