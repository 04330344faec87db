/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.c - printing into a buffer of fixed size, quoting, UTF-8, comparing without case.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

int upci_fold_compare_n(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		int difference = (unsigned char)upci_lower(*a) - (unsigned char)upci_lower(*b);

		if (difference || !*a)
			return difference;
	}
	return 0;
}

int upci_fold_compare(const char *a, const char *b)
{
	return upci_fold_compare_n(a, b, (size_t)-1);
}

void upci_out(struct upci_out *out, const char *format, ...)
{
	size_t used = out->length < out->size ? out->length : out->size;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->size ? out->text + used : NULL, out->size - used, format, args);
	va_end(args);
	if (n > 0)
		out->length += (size_t)n;
}

static void out_char(struct upci_out *out, char c)
{
	if (out->length + 1 < out->size) {
		out->text[out->length] = c;
		out->text[out->length + 1] = 0;
	}
	out->length++;
}

void upci_out_quoted(struct upci_out *out, const char *string)
{
	out_char(out, '"');
	for (; *string; string++) {
		if (*string == '"' || *string == '\\')
			out_char(out, '\\');
		out_char(out, *string);
	}
	out_char(out, '"');
}

void upci_out_sentence(struct upci_out *out, const char *string, size_t max)
{
	const char *start = string;
	size_t n;

	out_char(out, '"');
	for (; *string; string += n) {
		n = upci_utf8_length(string);
		if ((size_t)(string - start) + n > max)
			break;
		if (*string == '"' || *string == '\\')
			out_char(out, '\\');
		if ((unsigned char)*string < ' ' || *string == 0x7f)
			out_char(out, ' ');
		else if (!upci_utf8_sequence(string))
			out_char(out, '?');
		else
			upci_out(out, "%.*s", (int)n, string);
	}
	out_char(out, '"');
}

size_t upci_utf8_sequence(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;
	/* The second byte's range keeps out overlong forms, surrogates and
	 * what is beyond U+10FFFF; the others are 80..bf. */
	unsigned char low = 0x80, high = 0xbf;
	size_t n, i;

	if (b[0] < 0x80)
		return 1;
	if (b[0] < 0xc2 || b[0] > 0xf4)
		return 0;
	n = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
	if (b[0] == 0xe0)
		low = 0xa0;
	else if (b[0] == 0xed)
		high = 0x9f;
	else if (b[0] == 0xf0)
		low = 0x90;
	else if (b[0] == 0xf4)
		high = 0x8f;
	if (b[1] < low || b[1] > high)
		return 0;
	for (i = 2; i < n; i++)
		if (b[i] < 0x80 || b[i] > 0xbf)
			return 0;
	return n;
}

size_t upci_utf8_length(const char *p)
{
	size_t n = upci_utf8_sequence(p);

	return n ? n : 1;
}

bool upci_is_text(const char *string)
{
	size_t n;

	for (; *string; string += n) {
		n = upci_utf8_sequence(string);
		if (!n || (unsigned char)*string < ' ' || *string == 0x7f)
			return false;
	}
	return true;
}
