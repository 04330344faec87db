/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_statement.h - one statement of a wiring file, by its syntax alone:
 * names are not looked up here.
 */
#ifndef UPCI_WIRING_STATEMENT_H
#define UPCI_WIRING_STATEMENT_H

#include "base/event.h"
#include "wiring/wiring_lex.h"

enum upci_verb { UPCI_VERB_EVENT, UPCI_VERB_DRIVE, UPCI_VERB_DERIVED, UPCI_VERB_REMOVE };

/*
 * Fields that the file leaves out are NULL in the event; scope and kind are then the
 * source's. In a derived event, and unless kind_given, they are not set.
 */
struct upci_statement {
	enum upci_verb verb;
	bool kind_given;
	struct upci_place name_at;
	struct upci_place kind_at;   /* where kind_given */
	struct upci_place source_at; /* its string; of DERIVED the formula */
	const char *formula;         /* DERIVED */
	struct upci_event event;
	int64_t code; /* in the catalogue, or negative: a new name */
};

/*
 * Parses the statement that the lexer stands before, up to the line's end.
 * Strings go to *pool, which moves: the pool of a file needs no more bytes
 * than the file has, and one. Returns 0, or UPC_EWIRING with message.
 */
int upci_statement_parse(struct upci_lex *lex, char **pool, struct upci_statement *statement);

/* A file: its first line, "WORD 1", and add, which takes one, for each statement behind it. first and
 * version are what messages expect there. Returns 0, UPC_EWIRING with message, or add's error. */
int upci_statements_parse(struct upci_lex *lex, const char *word, const char *first, const char *version,
			  int (*add)(void *arg), void *arg);

#endif
