/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * define.c - the parser of metric definitions. Operations are stored in the order of their computation.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/define.h"
#include "jobstat/define_private.h"

#define DEPTH_MAX 64

static const struct {
	const char *name;
	enum define_kind over, of; /* operations for one and for two arguments; DEFINE_NONE: not permitted */
	bool many;                 /* more than two arguments are permitted */
} functions[] = {
	{"sum", DEFINE_SUM, DEFINE_ADD, true},
	{"min", DEFINE_MIN, DEFINE_LEAST, true},
	{"max", DEFINE_MAX, DEFINE_GREATEST, true},
	{"mean", DEFINE_MEAN, DEFINE_ADD, true},
	{"difference", DEFINE_NONE, DEFINE_SUBTRACT, false},
	{"product", DEFINE_NONE, DEFINE_MULTIPLY, true},
	{"ratio", DEFINE_NONE, DEFINE_DIVIDE, false},
	{"scale", DEFINE_NONE, DEFINE_MULTIPLY, false},
	{"threshold", DEFINE_NONE, DEFINE_ABOVE, false},
	{"delta", DEFINE_DELTA, DEFINE_NONE, false},
	{"rate", DEFINE_RATE, DEFINE_NONE, false},
	{"nodes_mean", DEFINE_NODES_MEAN, DEFINE_NONE, false},
	{"nodes_sd", DEFINE_NODES_SD, DEFINE_NONE, false},
	{"nodes_min", DEFINE_NODES_MIN, DEFINE_NONE, false},
	{"nodes_max", DEFINE_NODES_MAX, DEFINE_NONE, false},
	{"nodes_sum", DEFINE_NODES_SUM, DEFINE_NONE, false},
};

struct parser {
	struct define *define;
	const char *text, *at;
	unsigned depth;
	char *message;
};

__attribute__((format(printf, 3, 4))) static int fail(struct parser *p, const char *at, const char *format,
						      ...)
{
	char why[220];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	snprintf(p->message, 300, "column %u: %s", (unsigned)(at - p->text) + 1, why);
	return -1;
}

static int fail_found_char(struct parser *p, const char *expected)
{
	if (*p->at == '\0')
		return fail(p, p->at, "expected %s, found the end", expected);
	return fail(p, p->at, "expected %s, found '%c'", expected,
		    isprint((unsigned char)*p->at) ? *p->at : '?');
}

static char peek_define_char(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	return *p->at;
}

/* Append an operation. Return its index, or -1 with a message. */
static int emit_operation(struct parser *p, enum define_kind kind, int a, int b)
{
	struct define *define = p->define;

	if (define->ops == DEFINE_OPS_MAX)
		return fail(p, p->at, "expected at most %d operations in all", DEFINE_OPS_MAX);
	define->op[define->ops] = (struct define_op){.kind = kind, .a = a, .b = b};
	return (int)define->ops++;
}

static int parse_define_sum(struct parser *p);

static int parse_define_number(struct parser *p)
{
	char *end;
	double value;
	int op;

	errno = 0;
	value = strtod(p->at, &end);
	if (end == p->at || !isfinite(value))
		return fail_found_char(p, "a number");
	op = emit_operation(p, DEFINE_NUMBER, -1, -1);
	if (op >= 0)
		p->define->op[op].number = value;
	p->at = end;
	return op;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int parse_call(struct parser *p, const char *start, size_t n)
{
	size_t f;
	unsigned arguments = 1;
	int op, other;

	for (f = 0; f < sizeof(functions) / sizeof(functions[0]); f++)
		if (strlen(functions[f].name) == n && strncmp(functions[f].name, start, n) == 0)
			break;
	if (f == sizeof(functions) / sizeof(functions[0]))
		return fail(p, start,
			    "expected a function: sum min max mean difference product ratio scale threshold "
			    "delta rate nodes_mean nodes_sd nodes_min nodes_max nodes_sum, found '%.*s'",
			    (int)(n < 40 ? n : 40), start);
	p->at++;
	op = parse_define_sum(p);
	for (; op >= 0 && peek_define_char(p) == ','; arguments++) {
		if (functions[f].of == DEFINE_NONE || (arguments == 2 && !functions[f].many))
			return fail(p, p->at, "expected ')': %s takes %s", functions[f].name,
				    functions[f].of == DEFINE_NONE ? "one argument" : "two arguments");
		p->at++;
		other = parse_define_sum(p);
		op = other < 0 ? -1 : emit_operation(p, functions[f].of, op, other);
	}
	if (op < 0)
		return -1;
	if (*p->at != ')')
		return fail_found_char(p, "',' or ')'");
	if (arguments == 1 && functions[f].over == DEFINE_NONE)
		return fail(p, p->at, "expected ',': %s takes two arguments", functions[f].name);
	p->at++;
	if (arguments == 1)
		return emit_operation(p, functions[f].over, op, -1);
	if (functions[f].over == DEFINE_MEAN) {
		other = emit_operation(p, DEFINE_NUMBER, -1, -1);
		if (other < 0)
			return -1;
		p->define->op[other].number = arguments;
		return emit_operation(p, DEFINE_DIVIDE, op, other);
	}
	return op;
}

/* Return the index of an input metric, which is added at its first use; -1, with a message, on failure. */
static int add_define_input(struct parser *p, const char *start, size_t n)
{
	struct define *define = p->define;
	unsigned i;
	char *name;

	if (n > 4 && strncmp(start, "upc.", 4) == 0) {
		start += 4;
		n -= 4;
	}
	for (i = 0; i < define->inputs; i++)
		if (strlen(define->input[i].name) == n && strncmp(define->input[i].name, start, n) == 0)
			return (int)i;
	if (i == DEFINE_INPUTS_MAX)
		return fail(p, start, "expected at most %d metrics in all", DEFINE_INPUTS_MAX);
	name = strndup(start, n);
	if (name == NULL)
		return fail(p, start, "out of memory");
	define->input[i] = (struct define_input){.name = name};
	define->inputs++;
	return (int)i;
}

static int parse_define_name(struct parser *p)
{
	struct define *define = p->define;
	const char *start = p->at;
	size_t n = 0;
	int at, op;

	while (in_name(start[n]))
		n++;
	p->at += n;
	if (peek_define_char(p) == '(')
		return parse_call(p, start, n);
	for (unsigned i = 0; i < define->n; i++)
		if (strlen(define->result[i].name) == n && strncmp(define->result[i].name, start, n) == 0)
			return define->result[i].op;
	at = add_define_input(p, start, n);
	op = at < 0 ? -1 : emit_operation(p, DEFINE_METRIC, -1, -1);
	if (op >= 0)
		define->op[op].input = (unsigned)at;
	return op;
}

static int parse_factor(struct parser *p)
{
	const char c = peek_define_char(p);
	int op = -1, zero;

	if (++p->depth > DEPTH_MAX)
		return fail(p, p->at, "expected at most %d brackets in brackets", DEPTH_MAX);
	if (c == '-') {
		p->at++;
		zero = emit_operation(p, DEFINE_NUMBER, -1, -1);
		op = zero < 0 ? -1 : parse_factor(p);
		op = op < 0 ? -1 : emit_operation(p, DEFINE_SUBTRACT, zero, op);
	} else if (c == '(') {
		p->at++;
		op = parse_define_sum(p);
		if (op >= 0 && peek_define_char(p) != ')')
			op = fail_found_char(p, "')' or an operation");
		else if (op >= 0)
			p->at++;
	} else if (isdigit((unsigned char)c) || c == '.') {
		op = parse_define_number(p);
	} else if (isalpha((unsigned char)c) || c == '_') {
		op = parse_define_name(p);
	} else {
		op = fail_found_char(p, "a number, a metric or a function");
	}
	p->depth--;
	return op;
}

static int parse_product(struct parser *p)
{
	int op = parse_factor(p), other;

	while (op >= 0 && (peek_define_char(p) == '*' || *p->at == '/')) {
		const enum define_kind kind = *p->at++ == '*' ? DEFINE_MULTIPLY : DEFINE_DIVIDE;

		other = parse_factor(p);
		op = other < 0 ? -1 : emit_operation(p, kind, op, other);
	}
	return op;
}

static int parse_define_sum(struct parser *p)
{
	int op = parse_product(p), other;

	while (op >= 0 && (peek_define_char(p) == '+' || *p->at == '-')) {
		const enum define_kind kind = *p->at++ == '+' ? DEFINE_ADD : DEFINE_SUBTRACT;

		other = parse_product(p);
		op = other < 0 ? -1 : emit_operation(p, kind, op, other);
	}
	return op;
}

static bool is_definition_name(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || n > 100 || !(isalpha((unsigned char)name[0]) || name[0] == '_'))
		return false;
	while (n > 0 && in_name(name[n - 1]))
		n--;
	return n == 0;
}

/* Remove the operations and inputs of a definition that has a mistake. */
static void cut_back(struct define *define, unsigned ops, unsigned inputs)
{
	define->ops = ops;
	while (define->inputs > inputs)
		free(define->input[--define->inputs].name);
}

int define_add(struct define **to, const char *name, const char *text, char message[300])
{
	struct define *define = *to != NULL ? *to : calloc(1, sizeof(**to));
	struct parser p = {.define = define, .text = text, .at = text, .message = message};
	unsigned ops, inputs;
	int op;

	if (define == NULL)
		return fail(&p, text, "out of memory");
	*to = define;
	ops = define->ops;
	inputs = define->inputs;
	if (!is_definition_name(name)) {
		snprintf(message, 300, "expected a name of letters, digits, '_' and '.', not '%.100s'", name);
		return -1;
	}
	for (unsigned i = 0; i < define->n; i++)
		if (strcmp(define->result[i].name, name) == 0) {
			snprintf(message, 300, "'%.100s' is defined already", name);
			return -1;
		}
	if (define->n == DEFINE_MAX_RESULTS)
		return fail(&p, text, "expected at most %d definitions", DEFINE_MAX_RESULTS);
	op = parse_define_sum(&p);
	if (op >= 0 && peek_define_char(&p) != '\0')
		op = fail_found_char(&p, "an operation");
	if (op < 0) {
		cut_back(define, ops, inputs);
		return -1;
	}
	define->result[define->n] =
		(struct define_result){.name = strdup(name), .text = strdup(text), .op = op};
	define->n++;
	return 0;
}

void define_free(struct define *define)
{
	if (define == NULL)
		return;
	for (unsigned i = 0; i < define->n; i++) {
		free(define->result[i].name);
		free(define->result[i].text);
	}
	for (unsigned i = 0; i < define->inputs; i++)
		free(define->input[i].name);
	free(define);
}

unsigned define_count(const struct define *define)
{
	return define != NULL ? define->n : 0;
}

const char *define_name(const struct define *define, unsigned i)
{
	return define->result[i].name;
}

const char *define_text(const struct define *define, unsigned i)
{
	return define->result[i].text;
}

unsigned define_inputs(const struct define *define)
{
	return define != NULL ? define->inputs : 0;
}

const char *define_input(const struct define *define, unsigned i)
{
	return define->input[i].name;
}

/* ---- scopes and kinds ------------------------------------------------------------------------ */

/* True if the argument of delta or rate is a counter. The delta of a counter is its count in the interval.
 * The rate of a counter is the same as its name. */
static bool of_counter(const struct define *define, const struct define_op *op)
{
	const struct define_op *a = &define->op[op->a];

	return a->kind == DEFINE_METRIC && !define->input[a->input].level;
}

static int type_op(struct define *define, struct define_op *op, char message[300])
{
	const struct define_op *a = op->a >= 0 ? &define->op[op->a] : NULL;
	const struct define_op *b = op->b >= 0 ? &define->op[op->b] : NULL;

	switch (op->kind) {
	case DEFINE_NUMBER:
		op->constant = true;
		op->scope = JOBSTAT_NODE;
		return 0;
	case DEFINE_METRIC:
		op->scope = define->input[op->input].scope;
		op->sums = !define->input[op->input].level;
		return 0;
	case DEFINE_DELTA:
	case DEFINE_RATE:
		op->scope = a->scope;
		op->sums = a->sums;
		op->counter = of_counter(define, op);
		return 0;
	default:
		break;
	}
	if (b == NULL) {
		op->scope = JOBSTAT_NODE;
		op->sums = true;
		return 0;
	}
	op->constant = a->constant && b->constant;
	op->scope = a->scope == JOBSTAT_NODE ? b->scope : a->scope;
	if (a->scope != JOBSTAT_NODE && b->scope != JOBSTAT_NODE && a->scope != b->scope) {
		snprintf(message, 300,
			 "a vector over %s and one over %s do not go together: use sum() or mean()",
			 jobstat_scope_name(a->scope), jobstat_scope_name(b->scope));
		return -1;
	}
	if (op->kind == DEFINE_SUBTRACT && a->kind == DEFINE_NUMBER && a->number == 0)
		op->sums = b->sums; /* -b, which is b * -1 */
	else if (op->kind == DEFINE_ADD || op->kind == DEFINE_SUBTRACT)
		op->sums = a->sums && b->sums;
	else if (op->kind == DEFINE_MULTIPLY)
		op->sums = (a->sums && b->constant) || (b->sums && a->constant);
	else if (op->kind == DEFINE_DIVIDE)
		op->sums = a->sums && b->constant;
	else
		op->sums = op->kind == DEFINE_ABOVE;
	return 0;
}

int define_set_input(struct define *define, unsigned i, enum jobstat_scope scope, bool level,
		     char message[300])
{
	define->input[i].scope = scope;
	define->input[i].level = level;
	define->input[i].known = true;
	for (unsigned j = 0; j < define->inputs; j++)
		if (!define->input[j].known)
			return 0;
	for (unsigned j = 0; j < define->ops; j++)
		if (type_op(define, &define->op[j], message) != 0)
			return -1;
	return 0;
}

enum jobstat_scope define_scope(const struct define *define, unsigned i)
{
	return define->op[define->result[i].op].scope;
}

bool define_sums(const struct define *define, unsigned i)
{
	return define->op[define->result[i].op].sums;
}
