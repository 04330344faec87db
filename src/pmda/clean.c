/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clean.c - a name from a command line or a configuration may be any bytes. Labels are JSON, and one invalid
 * byte would lose all labels of a metric. Logs and terminals have trouble with control characters.
 * Terms: pmda/agent.h.
 */
#include "pmda/clean.h"

#include "base/utf8.h"

/* Return the number of bytes of the character at text; 0 if it cannot be shown. */
static size_t count_character_bytes(const char *text)
{
	uint32_t code;
	const size_t length = upci_utf8(text, &code);

	/* ASCII and C1 controls are not shown. */
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : length;
}

size_t clean_text(const char *text, char *out, size_t size)
{
	const char *in = text ? text : "";
	size_t used = 0, length, i;

	if (!size)
		return 0;
	while (*in) {
		length = count_character_bytes(in);
		if (used + (length ? length : 1) >= size)
			break;
		if (length) {
			for (i = 0; i < length; i++)
				out[used++] = *in++;
		} else {
			out[used++] = '?';
			in++;
		}
	}
	out[used] = 0;
	return used;
}
