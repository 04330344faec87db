/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * field.h - the pieces of upci_field_find, for a reader that keeps what it
 * knows from one pass over a file to the next. Pure: text in, numbers out.
 */
#ifndef UPCI_FIELD_H
#define UPCI_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which line of a text is meant; as in struct upci_field. */
struct upci_line_key {
	const char *key; /* NULL: the line with number occurrence */
	size_t length;   /* of key */
	unsigned token;
	unsigned occurrence; /* from 1 */
};

/* How far a search has come; all zero before the first step. */
struct upci_line_scan {
	size_t start, end; /* of the line found, without its newline */
	size_t next;       /* where the next line begins */
	unsigned number;   /* of the line found, from 1 */
	unsigned seen;     /* lines so far that have the key */
};

/* The next line of a text from scan->next: sets start, end, next and number.
 * False when no whole line is left; a last line without newline is whole when
 * complete says that nothing can follow. */
bool upci_line_next(const char *text, size_t length, bool complete, struct upci_line_scan *scan);

/* Whether the line has the key where it should be; true without a key. */
bool upci_line_matches(const char *line, const char *end, const struct upci_line_key *key);

/* Goes on with a search: true when the line is found, false when it is not in
 * the text so far. */
bool upci_line_find(const char *text, size_t length, bool complete, const struct upci_line_key *key,
		    struct upci_line_scan *scan);

/*
 * The value of tokens from *p on, count of them at most, times mul, divided by
 * div, modulo 2^64. False when the first is no number, or any of them is one
 * beyond 64 bits.
 */
bool upci_line_value(const char *p, const char *end, unsigned count, uint32_t mul, uint32_t div,
		     uint64_t *value);

#endif
