/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing into a buffer that may be too small, quoting, and which bytes are UTF-8.
 */
#include "base/text.h"
#include "../unit_test.h"

/* The same pieces, cut at any size, are the beginning of the whole. */
TEST(test_out)
{
	static const char whole[] = "n=-7 \"a\\\"b\\\\c\" \"x y?\xc3\xa4\" end";
	char text[64];
	size_t size;

	for (size = 0; size < sizeof(text); size++) {
		struct upci_out out = {.text = size ? text : NULL, .size = size};

		memset(text, '#', sizeof(text));
		upci_out(&out, "n=%d ", -7);
		upci_out_quoted(&out, "a\"b\\c");
		upci_out(&out, " ");
		upci_out_sentence(&out, "x\ny\xff\xc3\xa4zzz", 6);
		upci_out(&out, " end");
		assert_int_equal(out.length, sizeof(whole) - 1);
		if (size) {
			size_t n = size < sizeof(whole) ? size - 1 : sizeof(whole) - 1;

			/* A character may be cut by size, not the 0. */
			assert_memory_equal(text, whole, n);
			assert_int_equal(text[n], 0);
		}
		assert_int_equal(text[size], '#');
	}
}

/* Every code point is a sequence in its own encoding and in no other. */
TEST(test_utf8)
{
	static const char *const wrong[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x80\x80",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xc3",
		"\xe2\x82",
		"\xf0\x9f\x98",
		"\xc3"
		"a",
		"\xe2\x82"
		"a",
		"\xe2"
		"a\x82",
	};
	uint32_t u;
	size_t i;

	for (u = 1; u < 0x110000; u++) {
		char b[5] = {0};
		size_t n;

		if (u < 0x80) {
			b[0] = (char)u;
		} else if (u < 0x800) {
			b[0] = (char)(0xc0 | u >> 6);
			b[1] = (char)(0x80 | (u & 63));
		} else if (u < 0x10000) {
			b[0] = (char)(0xe0 | u >> 12);
			b[1] = (char)(0x80 | (u >> 6 & 63));
			b[2] = (char)(0x80 | (u & 63));
		} else {
			b[0] = (char)(0xf0 | u >> 18);
			b[1] = (char)(0x80 | (u >> 12 & 63));
			b[2] = (char)(0x80 | (u >> 6 & 63));
			b[3] = (char)(0x80 | (u & 63));
		}
		n = u >= 0xd800 && u < 0xe000 ? 0 : strlen(b);
		if (upci_utf8_sequence(b) != n)
			fail_msg("U+%04X: %zu", u, upci_utf8_sequence(b));
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(upci_utf8_sequence(wrong[i]), 0);
		assert_int_equal(upci_utf8_length(wrong[i]), 1);
		assert_false(upci_is_text(wrong[i]));
	}
	assert_true(upci_is_text(""));
	assert_true(upci_is_text("plain \xc3\xa4 \xf0\x9f\x98\x80"));
	assert_false(upci_is_text("a\tb"));
	assert_false(upci_is_text("a\x7f"));
}

UNIT_TESTS(text, NULL, NULL)
