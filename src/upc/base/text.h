/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - pieces of text put together in a buffer of fixed size, quoting, a little
 * UTF-8, and letters as they are in every locale: the program may have chosen one
 * in which I and i are not the same letter.
 */
#ifndef UPCI_TEXT_H
#define UPCI_TEXT_H

#include <stdbool.h>
#include <stddef.h>

static inline char upci_lower(char c)
{
	return (char)(c | ((unsigned)(c - 'A') < 26) << 5);
}

static inline bool upci_is_alnum(char c)
{
	return (unsigned)(upci_lower(c) - 'a') < 26 || (unsigned)(c - '0') < 10;
}

/* strcasecmp and strncasecmp, of ASCII. libpfm4 has them, too (Makemodule.am). */
int upci_fold_compare(const char *a, const char *b);
int upci_fold_compare_n(const char *a, const char *b, size_t n);

/* A buffer as snprintf's: length goes on growing when size is used up, text
 * then ends with its 0 at size - 1. Begins as {.text = , .size = }. */
struct upci_out {
	char *text;
	size_t size, length;
};
void upci_out(struct upci_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* In double quotes, '"' and '\' with a backslash before them. */
void upci_out_quoted(struct upci_out *out, const char *string);

/* The same, at most max bytes of the string (whole characters) and with what
 * is no text in it replaced: control characters by a blank, bytes that are
 * not UTF-8 by '?'. */
void upci_out_sentence(struct upci_out *out, const char *string, size_t max);

/* Length of the UTF-8 character at p (which is not 0): 1 to 4, or 0 when the
 * bytes there are none. Reads no further than a 0 byte. */
size_t upci_utf8_sequence(const char *p);

/* The same for messages: a byte that is no character counts as one. */
size_t upci_utf8_length(const char *p);

/* No control characters, and UTF-8 throughout. */
bool upci_is_text(const char *string);

#endif
