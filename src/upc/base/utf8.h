/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * utf8.h - decodes one UTF-8 character.
 */
#ifndef UPCI_UTF8_H
#define UPCI_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Return the length in bytes of the character at text, 1 to 4, and set *code to its number. Return 0 if the
 * bytes are not UTF-8: overlong, a surrogate, beyond Unicode, or cut short. Reads no further than a 0 byte,
 * which is a character. */
static inline unsigned upci_utf8(const char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)text;
	const unsigned n = p[0] < 0x80   ? 1
			   : p[0] < 0xc0 ? 0
			   : p[0] < 0xe0 ? 2
			   : p[0] < 0xf0 ? 3
			   : p[0] < 0xf8 ? 4
					 : 0;

	*code = n > 1 ? p[0] & (0x7fu >> n) : p[0];
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	return *code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : n;
}

#endif
