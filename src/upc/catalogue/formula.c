/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula.c - formulas of derived events: parser, value, printer.
 * Terms: base/event.h.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "catalogue/formula.h"
#include "base/text.h"

/* 64 terms of at most 2^55 times a 64-bit value stay below 2^125, so the sum cannot overflow a 128-bit
 * integer. */
#define COEFFICIENT_MAX (INT64_C(1) << 55)
_Static_assert(UPCI_TERMS_MAX <= 64, "upci_formula_value sums in 128 bits");

struct parser {
	const char *text, *at;
	const struct upci_names *names;
	struct upci_formula_error *error;
	const char *under; /* start of the events in a ratio's divisor, else NULL */
	unsigned terms;
	struct upci_term term[UPCI_TERMS_MAX];
};

__attribute__((format(printf, 3, 4))) static int fail_at(struct parser *p, const char *at, const char *format,
							 ...)
{
	va_list args;

	p->error->column = (unsigned)(at - p->text) + 1;
	va_start(args, format);
	vsnprintf(p->error->message, sizeof(p->error->message), format, args);
	va_end(args);
	return UPC_EWIRING;
}

static int fail_found_instead(struct parser *p, const char *expected)
{
	if (!*p->at)
		return fail_at(p, p->at, "expected %s, found the end of the formula", expected);
	return fail_at(p, p->at, "expected %s, found '%.*s'", expected, (int)upci_utf8_length(p->at), p->at);
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

/* Skip blanks, then take a character if it is next. */
static bool take_character(struct parser *p, char wanted)
{
	skip_blanks(p);
	if (*p->at != wanted)
		return false;
	p->at++;
	return true;
}

static bool is_bare_character(char c)
{
	return upci_is_alnum(c) || (c && strchr("_.:", c));
}

/* Return the length of the integer at p->at, or 0 if there is something else: "2ND" is a name. */
static size_t integer_length(const char *at)
{
	size_t n = strspn(at, "0123456789");

	return is_bare_character(at[n]) ? 0 : n;
}

static int parse_integer(struct parser *p, int64_t *value)
{
	const char *start;
	size_t n, i;

	skip_blanks(p);
	start = p->at;
	n = integer_length(start);
	if (!n)
		return fail_found_instead(p, "an integer");
	for (*value = 0, i = 0; i < n; i++) {
		*value = *value * 10 + (start[i] - '0');
		if (*value > COEFFICIENT_MAX)
			break;
	}
	if (i < n || !*value)
		return fail_at(p, start, "expected an integer from 1 to %lld, found %.*s",
			       (long long)COEFFICIENT_MAX, (int)(n < 40 ? n : 40), start);
	p->at += n;
	return 0;
}

static int parse_term_name(struct parser *p, char name[UPC_NAME_MAX])
{
	const char *start = p->at;
	bool quoted = *p->at == '"';
	size_t n = 0;

	if (!quoted && !is_bare_character(*p->at))
		return fail_found_instead(p, "an event name");
	for (p->at += quoted; quoted ? *p->at != '"' : is_bare_character(*p->at); p->at++) {
		if (quoted && *p->at == '\\' && (p->at[1] == '"' || p->at[1] == '\\'))
			p->at++;
		if (!*p->at)
			return fail_at(p, start,
				       "expected a closing '\"' behind this one, found the end of the "
				       "formula");
		if (n == UPC_NAME_MAX - 1)
			return fail_at(p, start, "expected an event name, found more than %d characters",
				       UPC_NAME_MAX - 1);
		name[n++] = *p->at;
	}
	name[n] = 0;
	if (!n)
		return fail_at(p, start, "expected an event name, found an empty one");
	p->at += quoted;
	return 0;
}

/* Add coefficient * event to the current sum. Terms of the same event become one. */
static int add_term(struct parser *p, const char *at, int64_t coefficient, uint32_t code)
{
	int64_t *sum;
	unsigned i;

	for (i = 0; i < p->terms && p->term[i].code != code; i++)
		;
	if (i == UPCI_TERMS_MAX)
		return fail_at(p, at, "expected at most %d different events in a formula, found another",
			       UPCI_TERMS_MAX);
	if (i == p->terms) {
		p->term[i] = (struct upci_term){.code = code};
		p->terms++;
	}
	/* Both are at most 2^55 here, so the sum fits in 64 bits. */
	sum = p->under ? &p->term[i].under : &p->term[i].coefficient;
	*sum += coefficient;
	if (*sum > COEFFICIENT_MAX || *sum < -COEFFICIENT_MAX)
		return fail_at(p, at,
			       "expected coefficients up to %lld when the terms of an event are added up",
			       (long long)COEFFICIENT_MAX);
	return 0;
}

static int add_event_term(struct parser *p, const char *at, int64_t coefficient, const char *name)
{
	const struct upci_formula *formula = NULL;
	char message[sizeof(p->error->message)];
	int64_t code = p->names->find(p->names->arg, name, &formula, message, sizeof(message));
	int64_t product;
	unsigned i;
	int error = 0;

	if (code < 0)
		return fail_at(p, at, "%s", message);
	if (!formula)
		return add_term(p, at, coefficient, (uint32_t)code);
	if (!formula->divisor)
		return fail_at(p, at,
			       "expected an event, or a derived one without a divisor, found '%s', "
			       "which is a ratio",
			       name);
	if (formula->divisor != 1)
		return fail_at(p, at,
			       "expected an event, or a derived one without a divisor, found '%s', which "
			       "is divided by %lld",
			       name, (long long)formula->divisor);
	for (i = 0; !error && i < formula->terms; i++) {
		if (__builtin_mul_overflow(coefficient, formula->term[i].coefficient, &product) ||
		    product > COEFFICIENT_MAX || product < -COEFFICIENT_MAX)
			return fail_at(p, at, "expected coefficients up to %lld in what '%s' is expanded to",
				       (long long)COEFFICIENT_MAX, name);
		error = add_term(p, at, product, formula->term[i].code);
	}
	return error;
}

static int parse_term(struct parser *p, int sign)
{
	char name[UPC_NAME_MAX];
	int64_t coefficient = 1;
	const char *at;
	int error;

	skip_blanks(p);
	if (integer_length(p->at)) {
		error = parse_integer(p, &coefficient);
		if (error)
			return error;
		if (!take_character(p, '*'))
			return fail_found_instead(
				p, "'*' behind the coefficient (a name of digits only needs quotes)");
		skip_blanks(p);
		at = p->at;
		error = parse_term_name(p, name);
	} else {
		at = p->at;
		error = parse_term_name(p, name);
		if (!error && take_character(p, '*'))
			error = parse_integer(p, &coefficient);
	}
	return error ? error : add_event_term(p, at, sign * coefficient, name);
}

static int parse_sum_of_terms(struct parser *p)
{
	int error = parse_term(p, take_character(p, '-') ? -1 : 1);

	while (!error) {
		if (take_character(p, '+'))
			error = parse_term(p, 1);
		else if (take_character(p, '-'))
			error = parse_term(p, -1);
		else
			break;
	}
	return error;
}

/* Parse a divisor: an integer, or the events of a ratio's divisor, for which *divisor becomes 0. */
static int parse_divisor(struct parser *p, int64_t *divisor)
{
	char name[UPC_NAME_MAX];
	int error;

	skip_blanks(p);
	if (integer_length(p->at))
		return parse_integer(p, divisor);
	*divisor = 0;
	p->under = p->at;
	if (take_character(p, '(')) {
		error = parse_sum_of_terms(p);
		return error || take_character(p, ')') ? error : fail_found_instead(p, "'+', '-' or ')'");
	}
	if (*p->at != '"' && !is_bare_character(*p->at))
		return fail_found_instead(p, "an integer, an event name or a sum in parentheses");
	error = parse_term_name(p, name);
	return error ? error : add_event_term(p, p->under, 1, name);
}

static int parse_end(struct parser *p, bool divided)
{
	skip_blanks(p);
	if (!*p->at)
		return 0;
	if (!divided)
		return fail_found_instead(p, *p->at == '/'
						     ? "'+', '-' or the end of the formula (a divisor is for "
						       "a sum in parentheses)"
						     : "'+', '-' or the end of the formula");
	return fail_found_instead(p, *p->at == '*' ? "the end of the formula (a divisor with a factor is "
						     "a sum in parentheses)"
						   : "the end of the formula");
}

/* Remove terms that cancelled each other, which need no counter. Terms of the numerator come first, so that a
 * printed formula is parsed to the same order. */
static int drop_zero_terms(struct parser *p)
{
	struct upci_term below[UPCI_TERMS_MAX];
	unsigned i, above = 0, only_below = 0;
	bool divides = false;

	for (i = 0; i < p->terms; i++) {
		divides = divides || p->term[i].under;
		if (p->term[i].coefficient)
			p->term[above++] = p->term[i];
		else if (p->term[i].under)
			below[only_below++] = p->term[i];
	}
	memcpy(p->term + above, below, only_below * sizeof(below[0]));
	p->terms = above + only_below;
	if (!above)
		return fail_at(p, p->text, "expected a formula, found terms that cancel each other");
	if (p->under && !divides)
		return fail_at(p, p->under, "expected a divisor, found terms that cancel each other");
	return 0;
}

int upci_formula_parse_names(struct upc_catalogue *c, const struct upci_names *names, const char *text,
			     const struct upci_formula **formula, struct upci_formula_error *error)
{
	struct parser p = {.text = text, .at = text, .names = names, .error = error};
	struct upci_formula *made;
	int64_t divisor = 1;
	bool divided = take_character(&p, '(');
	int failed = parse_sum_of_terms(&p);

	if (!failed && divided) {
		if (!take_character(&p, ')'))
			failed = fail_found_instead(&p, "'+', '-' or ')'");
		else if (!take_character(&p, '/'))
			failed = fail_found_instead(&p, "'/' and a divisor behind the sum in parentheses");
		else
			failed = parse_divisor(&p, &divisor);
	}
	if (!failed)
		failed = parse_end(&p, divided);
	if (!failed)
		failed = drop_zero_terms(&p);
	if (failed)
		return failed;
	made = upci_catalogue_alloc(c, sizeof(*made) + p.terms * sizeof(made->term[0]));
	if (!made)
		return UPC_ENOMEM;
	made->terms = p.terms;
	made->divisor = divisor;
	memcpy(made->term, p.term, p.terms * sizeof(made->term[0]));
	*formula = made;
	return 0;
}

static int64_t find_in_catalogue(void *arg, const char *name, const struct upci_formula **formula,
				 char *message, size_t size)
{
	struct upc_catalogue *c = arg;
	int64_t code = upci_catalogue_lookup(c, name);
	const char *near[1];

	if (code >= 0)
		*formula = upci_catalogue_event(c, (uint32_t)code)->formula;
	else if (upci_catalogue_nearest(c, name, near, 1, false) > 0)
		snprintf(message, size, "expected an event name, found '%.100s'; did you mean %s?", name,
			 near[0]);
	else
		snprintf(message, size, "expected an event name, found '%.100s', which is none", name);
	return code;
}

int upci_formula_parse(struct upc_catalogue *c, const char *text, const struct upci_formula **formula,
		       struct upci_formula_error *error)
{
	const struct upci_names names = {.find = find_in_catalogue, .arg = c};

	return upci_formula_parse_names(c, &names, text, formula, error);
}

uint64_t upci_formula_value(const struct upci_formula *formula, const uint64_t *value)
{
	__int128 sum = 0, under = 0;
	unsigned i;

	for (i = 0; i < formula->terms; i++)
		sum += (__int128)formula->term[i].coefficient * value[i];
	if (sum < 0)
		return 0;
	if (formula->divisor)
		return (uint64_t)(sum / formula->divisor);
	for (i = 0; i < formula->terms; i++)
		under += (__int128)formula->term[i].under * value[i];
	if (under <= 0)
		return 0;
	sum /= under;
	return sum > INT64_MAX ? INT64_MAX : (uint64_t)sum;
}

static void print_term_name(struct upci_out *out, const char *name)
{
	const char *p;

	for (p = name; is_bare_character(*p); p++)
		;
	if (*p || !*name || integer_length(name))
		upci_out_quoted(out, name);
	else
		upci_out(out, "%s", name);
}

/* Print the numerator or, with under, the divisor of a ratio. */
static void print_sum(struct upc_catalogue *c, struct upci_out *out, const struct upci_formula *formula,
		      bool under)
{
	bool first = true;
	unsigned i;

	for (i = 0; i < formula->terms; i++) {
		const struct upci_term *t = &formula->term[i];
		long long factor = under ? t->under : t->coefficient;

		if (!factor)
			continue;
		if (!first)
			upci_out(out, "%s", factor < 0 ? " - " : " + ");
		else if (factor < 0)
			upci_out(out, "-");
		first = false;
		if (factor != 1 && factor != -1)
			upci_out(out, "%lld*", factor < 0 ? -factor : factor);
		print_term_name(out, upci_catalogue_event(c, t->code)->name);
	}
}

int upci_formula_print(struct upc_catalogue *c, const struct upci_formula *formula, char *text, size_t size)
{
	struct upci_out out = {.text = text, .size = size};

	upci_out(&out, "%s", formula->divisor != 1 ? "(" : "");
	print_sum(c, &out, formula, false);
	if (formula->divisor > 1) {
		upci_out(&out, ") / %lld", (long long)formula->divisor);
	} else if (!formula->divisor) {
		upci_out(&out, ") / (");
		print_sum(c, &out, formula, true);
		upci_out(&out, ")");
	}
	return (int)out.length;
}
