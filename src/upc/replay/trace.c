/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.c - parses replay scripts: reads the whole text, line by line and field by field, and refuses all of
 * it at the first mistake.
 * Terms: replay/replay.h, engine/engine.h.
 */
#include "replay/trace.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define COUNTER_MAX (UPC_COUNTERS - 1)
#define BIT_MAX 51
#define ID_MAX (UPC_INPUTS - 1)

#define TOKEN_FORM "ID[-ID][@PERIOD/HIGH[+PHASE]]"

struct field {
	const char *start, *end;
};

struct parser {
	const char *at, *end; /* rest of the line, without its comment */
	unsigned line;
	struct upci_trace trace;
	size_t ops_room, tokens_room;
	struct upci_trace_error *error;
};

/* ---- messages ---------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int fail_trace_line(struct parser *p, const char *format, ...)
{
	va_list args;

	p->error->line = p->line;
	va_start(args, format);
	vsnprintf(p->error->message, sizeof(p->error->message), format, args);
	va_end(args);
	return UPC_EWIRING;
}

/* A field as messages show it: quoted, cut, and with bytes that are not text replaced. Every byte can become
 * two. */
#define SHOWN_MAX 40

struct shown {
	char text[2 * SHOWN_MAX + 8];
};

static struct shown show_field(struct field f)
{
	struct shown shown;
	struct upci_out out = {.text = shown.text, .size = sizeof(shown.text)};
	size_t length = (size_t)(f.end - f.start);
	char copy[SHOWN_MAX + 1];
	size_t n = length < sizeof(copy) ? length : sizeof(copy) - 1;

	memcpy(copy, f.start, n);
	copy[n] = '\0';
	upci_out_sentence(&out, copy, n);
	if (n < length)
		upci_out(&out, "...");
	return shown;
}

/* ---- fields and numbers ------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Get the next field of the line; false at the end of the line. */
static bool next_field(struct parser *p, struct field *f)
{
	while (p->at < p->end && is_blank(*p->at))
		p->at++;
	f->start = p->at;
	while (p->at < p->end && !is_blank(*p->at))
		p->at++;
	f->end = p->at;
	return f->start < f->end;
}

static bool field_is(struct field f, const char *word)
{
	size_t length = (size_t)(f.end - f.start);

	return length == strlen(word) && memcmp(f.start, word, length) == 0;
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return UINT_MAX;
}

enum number { NUMBER_OK, NUMBER_NONE, NUMBER_TOO_BIG };

/* Read the number at f->start, decimal or hex with 0x, as far as its digits go. f->start moves to its end. */
static enum number scan_number(struct field *f, uint64_t *value)
{
	unsigned base = 10, digit;
	const char *digits;
	bool too_big = false;

	*value = 0;
	if (f->end - f->start >= 2 && f->start[0] == '0' && f->start[1] == 'x') {
		base = 16;
		f->start += 2;
	}
	for (digits = f->start; f->start < f->end; f->start++) {
		digit = digit_value(*f->start);
		if (digit >= base)
			break;
		if (*value > (UINT64_MAX - digit) / base)
			too_big = true;
		else
			*value = *value * base + digit;
	}
	if (f->start == digits)
		return NUMBER_NONE;
	return too_big ? NUMBER_TOO_BIG : NUMBER_OK;
}

/* Read the next field, which must be exactly a number from min to max. Return 0 or UPC_EWIRING with
 * *p->error. */
static int read_number_field(struct parser *p, const char *what, uint64_t min, uint64_t max, uint64_t *value)
{
	struct field f, rest;
	enum number number;

	if (!next_field(p, &f))
		return fail_trace_line(p, "%s is missing", what);
	rest = f;
	number = scan_number(&rest, value);
	if (number == NUMBER_NONE || rest.start < rest.end)
		return fail_trace_line(p, "%s: expected a number, decimal or hex with 0x, found %s", what,
				       show_field(f).text);
	if (number == NUMBER_TOO_BIG && max == UINT64_MAX)
		return fail_trace_line(p, "%s: expected a number below 2^64, found %s", what,
				       show_field(f).text);
	if (number == NUMBER_OK && *value >= min && *value <= max)
		return 0;
	if (max == UINT64_MAX)
		return fail_trace_line(p, "%s: expected at least %llu, found %s", what,
				       (unsigned long long)min, show_field(f).text);
	return fail_trace_line(p, "%s: expected %llu to %llu, found %s", what, (unsigned long long)min,
			       (unsigned long long)max, show_field(f).text);
}

static int end_of_line(struct parser *p, const char *after)
{
	struct field f;

	if (!next_field(p, &f))
		return 0;
	return fail_trace_line(p, "expected the end of the line or a comment behind %s, found %s", after,
			       show_field(f).text);
}

/* ---- room -------------------------------------------------------------- */

/* Return items with room for at least one more than count, or NULL if there is no memory. */
static void *grow_items(void *items, size_t count, size_t *room, size_t size)
{
	size_t more = *room > 0 ? 2 * *room : 64;

	if (count < *room)
		return items;
	items = reallocarray(items, more, size);
	if (items != NULL)
		*room = more;
	return items;
}

static int add_op(struct parser *p, const struct upci_trace_op *op)
{
	struct upci_trace_op *ops = grow_items(p->trace.op, p->trace.ops, &p->ops_room, sizeof(*ops));

	if (ops == NULL)
		return UPC_ENOMEM;
	ops[p->trace.ops++] = *op;
	p->trace.op = ops;
	return 0;
}

static int add_token(struct parser *p, const struct upci_trace_token *token)
{
	struct upci_trace_token *tokens =
		grow_items(p->trace.token, p->trace.tokens, &p->tokens_room, sizeof(*tokens));

	if (tokens == NULL)
		return UPC_ENOMEM;
	tokens[p->trace.tokens++] = *token;
	p->trace.token = tokens;
	return 0;
}

/* ---- the tokens of a c line -------------------------------------------- */

/* The numbers in a token's text, before they are checked. */
struct token_text {
	uint64_t first, last, period, high, phase;
	bool too_big; /* a number is 2^64 or more */
};

/* Read a number after the sign, if the sign is there; sign 0: read a number in any case. False if there is a
 * sign without a number. */
static bool cut_signed_number(struct field *f, char sign, struct token_text *t, uint64_t *value)
{
	enum number number;

	if (sign != '\0') {
		if (f->start == f->end || *f->start != sign)
			return true;
		f->start++;
	}
	number = scan_number(f, value);
	t->too_big = t->too_big || number == NUMBER_TOO_BIG;
	return number != NUMBER_NONE;
}

static bool cut_token(struct field f, struct token_text *t)
{
	const char *before;

	*t = (struct token_text){.period = 1, .high = 1};
	if (!cut_signed_number(&f, '\0', t, &t->first))
		return false;
	t->last = t->first;
	if (!cut_signed_number(&f, '-', t, &t->last))
		return false;
	before = f.start;
	if (!cut_signed_number(&f, '@', t, &t->period))
		return false;
	if (f.start != before) {
		before = f.start;
		if (!cut_signed_number(&f, '/', t, &t->high) || f.start == before)
			return false;
		if (!cut_signed_number(&f, '+', t, &t->phase))
			return false;
	}
	return f.start == f.end;
}

static int parse_token(struct parser *p, struct field f)
{
	struct upci_trace_token token;
	struct token_text t;

	if (!cut_token(f, &t))
		return fail_trace_line(p, "expected a token " TOKEN_FORM ", found %s", show_field(f).text);
	if (t.too_big)
		return fail_trace_line(p, "token %s: expected numbers below 2^64", show_field(f).text);
	if (t.first > ID_MAX || t.last > ID_MAX)
		return fail_trace_line(p, "token %s: expected ids of 0 to %d", show_field(f).text, ID_MAX);
	if (t.first > t.last)
		return fail_trace_line(p, "token %s: expected ascending ids", show_field(f).text);
	if (t.high < 1 || t.high > t.period)
		return fail_trace_line(p, "token %s: expected a HIGH of 1 to PERIOD", show_field(f).text);
	token = (struct upci_trace_token){
		.first = (uint16_t)t.first,
		.last = (uint16_t)t.last,
		.wave = {.period = t.period, .high = t.high, .phase = t.phase % t.period},
	};
	return add_token(p, &token);
}

/* ---- lines ------------------------------------------------------------- */

static int parse_write(struct parser *p, struct upci_trace_op *op)
{
	int error = read_number_field(p, "OFFSET", 0, UINT64_MAX, &op->offset);

	op->kind = UPCI_TRACE_WRITE;
	if (error == 0)
		error = read_number_field(p, "VALUE", 0, UINT64_MAX, &op->value);
	return error != 0 ? error : end_of_line(p, "VALUE");
}

static int parse_read(struct parser *p, struct upci_trace_op *op)
{
	int error = read_number_field(p, "OFFSET", 0, UINT64_MAX, &op->offset);

	op->kind = UPCI_TRACE_READ;
	return error != 0 ? error : end_of_line(p, "OFFSET");
}

static int parse_cycles(struct parser *p, struct upci_trace_op *op)
{
	int error = read_number_field(p, "N", 1, UINT64_MAX, &op->cycles);
	struct field f;

	op->kind = UPCI_TRACE_CYCLES;
	op->token = p->trace.tokens;
	while (error == 0 && next_field(p, &f))
		error = parse_token(p, f);
	op->tokens = p->trace.tokens - op->token;
	return error;
}

static int parse_flip(struct parser *p, struct upci_trace_op *op)
{
	uint64_t counter, bit;
	int error = read_number_field(p, "COUNTER", 0, COUNTER_MAX, &counter);

	op->kind = UPCI_TRACE_FLIP;
	if (error == 0)
		error = read_number_field(p, "BIT", 0, BIT_MAX, &bit);
	if (error != 0)
		return error;
	op->counter = (unsigned)counter;
	op->bit = (unsigned)bit;
	return end_of_line(p, "BIT");
}

static int parse_sync(struct parser *p, struct upci_trace_op *op)
{
	op->kind = UPCI_TRACE_SYNC;
	return end_of_line(p, "s");
}

static int parse_version(struct parser *p)
{
	static const char expected[] = "expected \"upc-trace 1\" on the first line";
	struct field name, version;

	if (!next_field(p, &name))
		return fail_trace_line(p, "%s, found nothing", expected);
	if (!field_is(name, "upc-trace"))
		return fail_trace_line(p, "%s, found %s", expected, show_field(name).text);
	if (!next_field(p, &version))
		return fail_trace_line(p, "%s, found no version", expected);
	if (!field_is(version, "1"))
		return fail_trace_line(p, "%s, found version %s", expected, show_field(version).text);
	return end_of_line(p, "the version");
}

static int parse_statement(struct parser *p)
{
	static const struct {
		const char *word;
		int (*parse)(struct parser *p, struct upci_trace_op *op);
	} statements[] = {
		{"w", parse_write}, {"r", parse_read}, {"c", parse_cycles},
		{"e", parse_flip},  {"s", parse_sync},
	};
	struct upci_trace_op op = {.line = p->line};
	struct field f;

	if (!next_field(p, &f))
		return 0;
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (field_is(f, statements[i].word)) {
			int error = statements[i].parse(p, &op);

			return error != 0 ? error : add_op(p, &op);
		}
	return fail_trace_line(p, "expected w, r, c, e or s, found %s", show_field(f).text);
}

/* Parse a line without its newline. */
static int parse_line(struct parser *p, const char *start, const char *end)
{
	size_t length = (size_t)(end - start);
	const char *comment;

	/* Also in a comment: a file with a byte 0 is damaged or not text. */
	if (memchr(start, '\0', length) != NULL)
		return fail_trace_line(p, "expected text, found a byte 0");
	comment = memchr(start, '#', length);
	p->at = start;
	p->end = comment != NULL ? comment : end;
	if (memchr(p->at, '\r', (size_t)(p->end - p->at)) != NULL)
		return fail_trace_line(
			p, "expected a newline alone at the end of a line, found a carriage return");
	return p->line == 1 ? parse_version(p) : parse_statement(p);
}

int upci_trace_parse(const char *text, size_t length, struct upci_trace *trace,
		     struct upci_trace_error *error)
{
	struct parser p = {.error = error};
	int result;

	*trace = (struct upci_trace){.ops = 0};
	*error = (struct upci_trace_error){.line = 0};
	if (text == NULL)
		text = ""; /* an empty file gets the message of a missing first line */
	do {
		const char *newline = memchr(text, '\n', length);
		size_t line = newline != NULL ? (size_t)(newline - text) : length;

		if (p.line == UINT_MAX)
			result = fail_trace_line(&p, "expected at most %u lines, found more", UINT_MAX);
		else {
			p.line++;
			result = parse_line(&p, text, text + line);
		}
		if (newline != NULL)
			line++;
		text += line;
		length -= line;
	} while (result == 0 && length > 0);
	if (result != 0) {
		upci_trace_free(&p.trace);
		return result;
	}
	*trace = p.trace;
	return 0;
}

void upci_trace_free(struct upci_trace *trace)
{
	free(trace->op);
	free(trace->token);
	*trace = (struct upci_trace){.ops = 0};
}

void upci_trace_waves(const struct upci_trace *trace, const struct upci_trace_op *op,
		      struct upci_wave wave[UPC_INPUTS])
{
	for (unsigned id = 0; id < UPC_INPUTS; id++)
		wave[id] = (struct upci_wave){.period = 1};
	for (size_t i = 0; i < op->tokens; i++) {
		const struct upci_trace_token *token = &trace->token[op->token + i];

		for (unsigned id = token->first; id <= token->last; id++)
			wave[id] = token->wave;
	}
}
