/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * field.h - the steps of upci_field_find, for a reader that remembers the positions of lines between passes.
 * The functions have no side effects.
 * Terms: procfs/files.h.
 */
#ifndef UPCI_FIELD_H
#define UPCI_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Identifies a line of a text, as in struct upci_field. */
struct upci_line_key {
	const char *key; /* NULL: the line whose number is occurrence */
	size_t length;   /* length of key */
	unsigned token;
	unsigned occurrence; /* counted from 1 */
};

/* State of a search; all zero before the first step. */
struct upci_line_scan {
	size_t start, end; /* the line found, without its newline */
	size_t next;       /* start of the next line */
	unsigned number;   /* number of the line found, from 1 */
	unsigned seen;     /* number of lines so far that have the key */
};

/*
 * Get the next line of a text, from scan->next; set start, end, next and number. False if no complete line is
 * left. complete: no text can follow, so a last line without a newline counts as complete.
 */
bool upci_line_next(const char *text, size_t length, bool complete, struct upci_line_scan *scan);

/* True if the line has the key at its token, or if there is no key. */
bool upci_line_matches(const char *line, const char *end, const struct upci_line_key *key);

/* Continue a search. True if the line is found, false if the text so far does not contain the line. */
bool upci_line_find(const char *text, size_t length, bool complete, const struct upci_line_key *key,
		    struct upci_line_scan *scan);

/*
 * Compute the sum of at most count tokens from p on, times mul, divided by div, modulo 2^64. False if the
 * first token is not a number, or if any token exceeds 64 bits.
 */
bool upci_line_value(const char *p, const char *end, unsigned count, uint32_t mul, uint32_t div,
		     uint64_t *value);

#endif
