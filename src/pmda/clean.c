/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clean.c - a name may be any bytes: of a command line, of a configuration. Labels are JSON, and one
 * bad byte would lose all labels of a metric; logs and terminals have trouble with the rest.
 */
#include "pmda/clean.h"

/* How many bytes the character at text has; 0: none that can be shown. */
static size_t character(const unsigned char *text)
{
	unsigned first = text[0], code;
	size_t length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2, i;

	if (length == 1)
		return first >= 0x20 && first != 0x7f;
	if (first < 0xc2 || first >= 0xf5)
		return 0;
	code = first & (0x7fu >> length);
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	/* Controls of C1; overlong; halves of pairs; beyond Unicode. */
	if (code < 0xa0 || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return length;
}

size_t clean_text(const char *text, char *out, size_t size)
{
	const unsigned char *in = (const unsigned char *)(text ? text : "");
	size_t used = 0, length, i;

	if (!size)
		return 0;
	while (*in) {
		length = character(in);
		if (used + (length ? length : 1) >= size)
			break;
		if (length) {
			for (i = 0; i < length; i++)
				out[used++] = (char)*in++;
		} else {
			out[used++] = '?';
			in++;
		}
	}
	out[used] = 0;
	return used;
}
