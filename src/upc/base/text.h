/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - text in a buffer of fixed size, quoting, a little UTF-8, and letter case that does not depend on
 * the locale: the program may have chosen a locale in which I and i are not the same letter.
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

/* strcasecmp and strncasecmp for ASCII. libpfm4 uses them too (Makemodule.am). */
int upci_fold_compare(const char *a, const char *b);
int upci_fold_compare_n(const char *a, const char *b, size_t n);

/* A buffer with the semantics of snprintf: length goes on growing when size is used up, and text then ends
 * with its 0 at size - 1. Initialize it as {.text = , .size = }. */
struct upci_out {
	char *text;
	size_t size, length;
};
void upci_out(struct upci_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Print string in double quotes, with a backslash before '"' and '\'. */
void upci_out_quoted(struct upci_out *out, const char *string);

/* Print string in double quotes, at most max bytes of it (whole characters). Control characters become
 * blanks, and bytes that are not UTF-8 become '?'. */
void upci_out_sentence(struct upci_out *out, const char *string, size_t max);

/* Return the length of the UTF-8 character at p, which must not be 0: 1 to 4 bytes, or 0 if the bytes there
 * are not UTF-8. Reads no further than a 0 byte. */
size_t upci_utf8_sequence(const char *p);

/* Do the same, but return 1 for a byte that is not UTF-8. */
size_t upci_utf8_length(const char *p);

/* True if string is UTF-8 without control characters. */
bool upci_is_text(const char *string);

#endif
