/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wiring_lex.c - the tokens of a wiring file.
 * Terms: wiring/wiring.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/text.h"
#include "upc.h"
#include "wiring/wiring_lex.h"
#include "wiring/wiring_words.h"

#define FOUND_MAX 40u /* maximum number of bytes of a token in a message */

/* ---- messages ---------------------------------------------------------- */

static unsigned column_of_place(struct upci_place place)
{
	unsigned n = 1;
	const char *p;

	/* Count each byte that does not continue a UTF-8 character. */
	for (p = place.line_start; p < place.at; p++)
		n += ((unsigned char)*p & 0xc0) != 0x80;
	return n;
}

int upci_lex_fail_at(const struct upci_lex *lex, struct upci_place place, const char *format, ...)
{
	char message[480];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return upci_fail(UPC_EWIRING, "%.200s:%u:%u: %s", lex->name, place.line, column_of_place(place),
			 message);
}

int upci_lex_fail_expected(const struct upci_lex *lex, const char *what)
{
	const struct upci_token *token = &lex->token;
	size_t shown = 0;

	if (token->kind == UPCI_TOKEN_END)
		return upci_lex_fail_at(lex, upci_lex_place(lex), "expected %s, found the end of the line",
					what);
	while (shown < token->length && shown < FOUND_MAX)
		shown += upci_utf8_length(token->start + shown);
	return upci_lex_fail_at(lex, upci_lex_place(lex), "expected %s, found %s%.*s%s%s", what,
				token->kind == UPCI_TOKEN_STRING ? "" : "'", (int)shown, token->start,
				shown < token->length ? "..." : "",
				token->kind == UPCI_TOKEN_STRING ? "" : "'");
}

/* ---- the text as a whole ----------------------------------------------- */

static int check_character(struct upci_lex *lex, struct upci_place place)
{
	unsigned char b = (unsigned char)*place.at;

	if (b == '\r')
		return upci_lex_fail_at(lex, place,
					"expected lines that end with a newline only, found a "
					"carriage return (sed -i 's/\\r$//' takes them away)");
	if (b == 0)
		return upci_lex_fail_at(lex, place, "expected text, found a byte of value 0");
	if ((b < ' ' && b != '\t') || b == 0x7f)
		return upci_lex_fail_at(lex, place, "expected text, found the control character 0x%02x", b);
	if (!upci_utf8_sequence(place.at))
		return upci_lex_fail_at(lex, place, "expected UTF-8, found the byte 0x%02x", b);
	return 0;
}

static int check_text(struct upci_lex *lex)
{
	struct upci_place place = {.line_start = lex->text, .at = lex->text, .line = 1};
	int error;

	if (lex->end - lex->text > (ptrdiff_t)UPCI_WIRING_BYTES_MAX)
		return upci_lex_fail_at(lex, place, "expected at most %u bytes, found %td",
					UPCI_WIRING_BYTES_MAX, lex->end - lex->text);
	while (place.at < lex->end) {
		if (*place.at == '\n') {
			place.line_start = ++place.at;
			if (++place.line > UPCI_WIRING_LINES_MAX && place.at < lex->end)
				return upci_lex_fail_at(lex, place, "expected at most %u lines, found more",
							UPCI_WIRING_LINES_MAX);
			continue;
		}
		error = check_character(lex, place);
		if (error)
			return error;
		place.at += upci_utf8_sequence(place.at);
	}
	return 0;
}

/* ---- tokens ------------------------------------------------------------ */

static int lex_string(struct upci_lex *lex)
{
	const char *p = lex->at + 1;

	for (; p < lex->end && *p != '\n' && *p != '"'; p++) {
		if (*p != '\\')
			continue;
		p++;
		if (*p != '"' && *p != '\\') {
			struct upci_place place = upci_lex_place(lex);

			place.at = p - 1;
			return upci_lex_fail_at(lex, place,
						"expected \\\" or \\\\ in a string, found a '\\' before "
						"something else");
		}
	}
	if (p == lex->end || *p != '"')
		return upci_lex_fail_at(lex, upci_lex_place(lex),
					"expected a closing '\"' behind this one, found "
					"the end of the line");
	lex->token.length = (size_t)(p + 1 - lex->at);
	return 0;
}

int upci_lex_next(struct upci_lex *lex)
{
	struct upci_token *token = &lex->token;
	int error = 0;

	while (*lex->at == ' ' || *lex->at == '\t')
		lex->at++;
	*token = (struct upci_token){.kind = UPCI_TOKEN_SIGN, .start = lex->at};
	if (lex->at == lex->end || *lex->at == '\n' || *lex->at == '#') {
		token->kind = UPCI_TOKEN_END;
	} else if (*lex->at == '"') {
		token->kind = UPCI_TOKEN_STRING;
		error = lex_string(lex);
	} else if (upci_wiring_word_char(*lex->at)) {
		token->kind = UPCI_TOKEN_WORD;
		while (upci_wiring_word_char(token->start[token->length]))
			token->length++;
	} else {
		token->length = upci_utf8_length(lex->at);
	}
	lex->at += token->length;
	return error;
}

int upci_lex_begin(struct upci_lex *lex, const char *name, const char *text, size_t length)
{
	int error;

	*lex = (struct upci_lex){
		.name = name, .text = text, .end = text + length, .line_start = text, .line = 1, .at = text};
	error = check_text(lex);
	return error ? error : upci_lex_next(lex);
}

int upci_lex_next_line(struct upci_lex *lex)
{
	const char *newline = memchr(lex->at, '\n', (size_t)(lex->end - lex->at));
	int error;

	if (!newline || newline + 1 == lex->end)
		return 0;
	lex->at = lex->line_start = newline + 1;
	lex->line++;
	error = upci_lex_next(lex);
	return error ? error : 1;
}

bool upci_lex_is(const struct upci_lex *lex, const char *word)
{
	return lex->token.kind == UPCI_TOKEN_WORD && strlen(word) == lex->token.length &&
	       !memcmp(word, lex->token.start, lex->token.length);
}

size_t upci_lex_copy(const struct upci_lex *lex, char *to)
{
	const char *p = lex->token.start, *end = p + lex->token.length;
	char *out = to;

	if (lex->token.kind == UPCI_TOKEN_STRING) {
		p++;
		end--;
	}
	for (; p < end; p++) {
		if (lex->token.kind == UPCI_TOKEN_STRING && *p == '\\')
			p++;
		*out++ = *p;
	}
	*out = 0;
	return (size_t)(out - to);
}

struct upci_place upci_lex_place(const struct upci_lex *lex)
{
	return (struct upci_place){.line_start = lex->line_start, .at = lex->token.start, .line = lex->line};
}

struct upci_place upci_lex_inside(struct upci_place string, size_t offset)
{
	for (string.at++; offset; offset--)
		string.at += *string.at == '\\' ? 2 : 1;
	return string;
}
