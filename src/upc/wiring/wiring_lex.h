/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_lex.h - the wiring file as tokens, line by line, with their places in the file.
 * Terms: wiring/wiring.h.
 */
#ifndef UPCI_WIRING_LEX_H
#define UPCI_WIRING_LEX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum upci_token_kind {
	UPCI_TOKEN_END,    /* end of the line: '\n', a comment, or the end of the file */
	UPCI_TOKEN_WORD,   /* [A-Za-z0-9_.:+-]+ */
	UPCI_TOKEN_STRING, /* "..." */
	UPCI_TOKEN_SIGN,   /* any other character */
};

struct upci_token {
	enum upci_token_kind kind;
	const char *start; /* start in the file's text; for a string, its opening quote */
	size_t length;     /* length in the file's text */
};

/* A position in a wiring file. struct upci_lex has the file's name. */
struct upci_place {
	const char *line_start;
	const char *at;
	unsigned line; /* line number, from 1 */
};

struct upci_lex {
	const char *name;       /* for messages */
	const char *text, *end; /* *end is readable and 0 */
	const char *line_start;
	unsigned line;
	const char *at;          /* end of token */
	struct upci_token token; /* the current token */
};

/*
 * Start a lexer; text[length] must be 0. Check the whole text: at most 8 MiB, 65536 lines, UTF-8, and no
 * control characters except tabs and newlines. Then go to the first token of line 1. Return 0, or UPC_EWIRING
 * with message.
 */
int upci_lex_begin(struct upci_lex *lex, const char *name, const char *text, size_t length);

/* Go to the next token of the line, but not past the end of the line. Return 0, or UPC_EWIRING if a string
 * does not end on its line. */
int upci_lex_next(struct upci_lex *lex);

/* Go from the end of a line to the first token of the next. Return 1, 0 at the end of the file, or
 * UPC_EWIRING. */
int upci_lex_next_line(struct upci_lex *lex);

/* True if the token is this word. */
bool upci_lex_is(const struct upci_lex *lex, const char *word);

/* Copy the text of a string token, or a word token as it is, with a final 0. to must have room for
 * token.length + 1 bytes. Return the length. */
size_t upci_lex_copy(const struct upci_lex *lex, char *to);

struct upci_place upci_lex_place(const struct upci_lex *lex);

/* Return the place of the byte at offset in the text of a string token. */
struct upci_place upci_lex_inside(struct upci_place string, size_t offset);

/* Set the message "FILE:LINE:COLUMN: ..." (columns are characters, from 1) and return UPC_EWIRING. */
int upci_lex_fail_at(const struct upci_lex *lex, struct upci_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Set the message "... expected WHAT, found TOKEN" at the token, and return UPC_EWIRING. */
int upci_lex_fail_expected(const struct upci_lex *lex, const char *what);

#endif
