/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi_formula.c - checks PAPI's formulas, which are in postfix notation with a | after each token, by
 * evaluating them with a stack.
 */
#include <stdlib.h>
#include <string.h>

#include "papi/papi_formula.h"

#define DEPTH 64

/* An element of the stack: a constant, a sum of counts, or another expression. */
struct term {
	enum { CONSTANT, SUM, OTHER } kind;
	double value; /* value of a constant */
};

static struct term read_operand(const char *token)
{
	struct term term = {OTHER, 0};
	char *end;

	if (*token == 'N') {
		(void)strtoul(token + 1, &end, 10);
		if (end != token + 1 && !*end)
			term.kind = SUM;
		return term;
	}
	term.value = strtod(token, &end);
	if (end != token && !*end)
		term.kind = CONSTANT;
	return term;
}

/* True if the quotient of two constants is an integer. Otherwise PAPI would truncate it in each slice. */
static bool divides_evenly(double a, double b)
{
	double quotient = b != 0 ? a / b : .5;

	return quotient > -1e15 && quotient < 1e15 && (double)(long long)quotient == quotient;
}

static struct term divide_terms(struct term a, struct term b)
{
	if (a.kind != CONSTANT || b.kind != CONSTANT || !divides_evenly(a.value, b.value))
		return (struct term){OTHER, 0};
	return (struct term){CONSTANT, a.value / b.value};
}

static struct term multiply_terms(struct term a, struct term b)
{
	if (a.kind == OTHER || b.kind == OTHER || (a.kind == SUM && b.kind == SUM))
		return (struct term){OTHER, 0};
	return (struct term){a.kind == SUM || b.kind == SUM ? SUM : CONSTANT, a.value * b.value};
}

/* Return the kind of the sum of two terms (sign 1) or of their difference (-1). A sum of counts and a
 * constant is OTHER, since the constant would be added in each slice. */
static struct term add_terms(struct term a, struct term b, double sign)
{
	if (a.kind == CONSTANT && b.kind == CONSTANT)
		return (struct term){CONSTANT, a.value + sign * b.value};
	if (a.kind == SUM && b.kind == SUM)
		return (struct term){SUM, 0};
	return (struct term){OTHER, 0};
}

static struct term combine_terms(char operator, struct term a, struct term b)
{
	switch (operator) {
	case '+':
		return add_terms(a, b, 1);
	case '-':
		return add_terms(a, b, -1);
	case '*':
		return multiply_terms(a, b);
	default:
		return divide_terms(a, b);
	}
}

bool mpxi_papi_is_sum(const char *postfix)
{
	struct term stack[DEPTH];
	unsigned n = 0;
	char token[32];

	while (*postfix) {
		size_t length = strcspn(postfix, "|");

		if (length >= sizeof(token))
			return false;
		memcpy(token, postfix, length);
		token[length] = 0;
		postfix += length + (postfix[length] == '|');
		if (length == 1 && strchr("+-*/", *token)) {
			if (n < 2)
				return false;
			n--;
			stack[n - 1] = combine_terms(*token, stack[n - 1], stack[n]);
		} else if (length) {
			if (n == DEPTH)
				return false;
			stack[n++] = read_operand(token);
		}
	}
	return n == 1 && stack[0].kind == SUM;
}
