/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_lex.h - the wiring file as tokens, one line after the other, and where
 * in the file they are.
 */
#ifndef UPCI_WIRING_LEX_H
#define UPCI_WIRING_LEX_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum upci_token_kind {
	UPCI_TOKEN_END,    /* of the line: '\n', a comment, the end of the file */
	UPCI_TOKEN_WORD,   /* [A-Za-z0-9_.:+-]+ */
	UPCI_TOKEN_STRING, /* "..." */
	UPCI_TOKEN_SIGN,   /* any other character */
};

struct upci_token {
	enum upci_token_kind kind;
	const char *start; /* in the file's text; of a string its quote */
	size_t length;     /* there */
};

/* Where something is; the file's name is the lexer's. */
struct upci_place {
	const char *line_start;
	const char *at;
	unsigned line; /* from 1 */
};

struct upci_lex {
	const char *name;       /* for messages */
	const char *text, *end; /* *end is readable and 0 */
	const char *line_start;
	unsigned line;
	const char *at;          /* behind token */
	struct upci_token token; /* the one to look at */
};

/*
 * text[length] must be 0. Checks the whole text: at most 8 MiB, 65536 lines,
 * UTF-8, and of the control characters only tabs and newlines. Then stands at
 * the first token of line 1. Returns 0, or UPC_EWIRING with message.
 */
int upci_lex_begin(struct upci_lex *lex, const char *name, const char *text, size_t length);

/* To the next token of the line; the end of the line stays. Returns 0, or
 * UPC_EWIRING for a string that does not end on its line. */
int upci_lex_next(struct upci_lex *lex);

/* From the end of a line to the first token of the next one. Returns 1, 0 at the
 * end of the file, or UPC_EWIRING. */
int upci_lex_next_line(struct upci_lex *lex);

/* The token is this word. */
bool upci_lex_is(const struct upci_lex *lex, const char *word);

/* Copies the text of a string token, or a word token as it is, with a 0; to has room
 * for token.length + 1 bytes. Returns the length. */
size_t upci_lex_copy(const struct upci_lex *lex, char *to);

struct upci_place upci_lex_place(const struct upci_lex *lex);

/* The place of what a string token's text has offset bytes from its start. */
struct upci_place upci_lex_inside(struct upci_place string, size_t offset);

/* Message "FILE:LINE:COLUMN: ..." (columns are characters, from 1); returns
 * UPC_EWIRING. */
int upci_lex_fail_at(const struct upci_lex *lex, struct upci_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* "... expected WHAT, found TOKEN" at the token. */
int upci_lex_fail_expected(const struct upci_lex *lex, const char *what);

#endif
