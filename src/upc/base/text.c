/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.c - printing into a buffer of fixed size, quoting, UTF-8, comparing without case.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "base/utf8.h"

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
	uint32_t code;

	return upci_utf8(p, &code);
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
