/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_statement.h - the syntax of one statement of a wiring file. Names are not looked up here.
 * Terms: wiring/wiring.h, base/event.h.
 */
#ifndef UPCI_WIRING_STATEMENT_H
#define UPCI_WIRING_STATEMENT_H

#include "base/event.h"
#include "wiring/wiring_lex.h"

enum upci_verb { UPCI_VERB_EVENT, UPCI_VERB_DRIVE, UPCI_VERB_DERIVED, UPCI_VERB_REMOVE };

/*
 * A statement. Strings that it leaves out are NULL in the event; a scope or kind that it leaves out is the
 * source's. For a derived event, a scope that it leaves out is not set, and kind is valid only if kind_given.
 */
struct upci_statement {
	enum upci_verb verb;
	bool kind_given;
	struct upci_place name_at;
	struct upci_place kind_at;   /* valid if kind_given */
	struct upci_place source_at; /* place of the source's string or, for DERIVED, of the formula */
	const char *formula;         /* formula of DERIVED */
	struct upci_event event;
	int64_t code; /* code in the catalogue; negative: a new name */
};

/*
 * Parse the statement at the lexer's position, up to the end of the line. Strings are stored at *pool, which
 * advances. The pool of a file needs at most the file's length + 1 bytes. Return 0, or UPC_EWIRING with
 * message.
 */
int upci_statement_parse(struct upci_lex *lex, char **pool, struct upci_statement *statement);

/* Parse a file: its first line, "WORD 1", and then, with add, one statement after the other. first and
 * version say in messages what is expected on the first line. Return 0, UPC_EWIRING with message, or add's
 * error. */
int upci_statements_parse(struct upci_lex *lex, const char *word, const char *first, const char *version,
			  int (*add)(void *arg), void *arg);

#endif
