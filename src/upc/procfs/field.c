/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * field.c - finds a number in a text of /proc or /sys: tokens, numbers, lines.
 *
 * The functions make no system call and have no state. The text comes from the kernel and can contain a name
 * that a program chose. Every step is therefore bounded by a length, and text that does not parse counts as
 * absent.
 */
#include <string.h>

#include "procfs/field.h"
#include "procfs/files.h"

#define NANO 1000000000u

static inline bool separates_fields(char c)
{
	static const bool table[256] = {[' '] = true, ['\t'] = true, [':'] = true, ['='] = true};

	return table[(unsigned char)c];
}

/*
 * Read a token. A token that begins with '(' is the name of a program in /proc/PID/stat. It may contain
 * blanks and parentheses, so only the last ')' ends it.
 */
size_t upci_token(const char **p, const char *line_end, const char **token)
{
	const char *start = *p, *end;

	while (start < line_end && separates_fields(*start))
		start++;
	end = start;
	if (start < line_end && *start == '(') {
		const char *close = memrchr(start, ')', (size_t)(line_end - start));

		if (close)
			end = close + 1;
	}
	if (end == start)
		while (end < line_end && !separates_fields(*end))
			end++;
	*token = start;
	*p = end;
	return (size_t)(end - start);
}

/* ---- numbers ------------------------------------------------------------ */

struct number {
	uint64_t whole;
	uint32_t nano; /* fraction in units of 1e-9; further digits are dropped */
	bool negative;
};

enum reading { NO_NUMBER, NUMBER, TOO_LARGE };

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static enum reading read_field_number(const char *s, size_t length, struct number *n)
{
	const char *end = s + length;
	uint64_t whole = 0;
	bool large = false;

	n->negative = s < end && *s == '-';
	s += n->negative;
	if (s == end || !is_digit(*s))
		return NO_NUMBER;
	for (; s < end && is_digit(*s); s++) {
		uint64_t digit = (uint64_t)(*s - '0');

		if (whole > (UINT64_MAX - digit) / 10)
			large = true;
		whole = 10 * whole + digit;
	}
	n->whole = whole;
	n->nano = 0;
	if (s < end) {
		uint32_t weight = NANO / 10;

		if (*s++ != '.' || s == end)
			return NO_NUMBER;
		for (; s < end; s++, weight /= 10) {
			if (!is_digit(*s))
				return NO_NUMBER;
			n->nano += (uint32_t)(*s - '0') * weight;
		}
	}
	return large ? TOO_LARGE : NUMBER;
}

/*
 * Compute (whole + nano * 1e-9) * mul / div. False on overflow. 128 bits can hold 2^31 summands of 64 bits
 * times mul, so only a value with a fraction can overflow.
 */
static bool scale_field_value(__int128 whole, int64_t nano, uint32_t mul, uint32_t div, uint64_t *value)
{
	__int128 wide;

	if (!div)
		return false;
	if (!nano) {
		*value = (uint64_t)(whole * mul / div);
		return true;
	}
	if (__builtin_mul_overflow(whole, (__int128)NANO, &wide) ||
	    __builtin_add_overflow(wide, (__int128)nano, &wide) ||
	    __builtin_mul_overflow(wide, (__int128)mul, &wide))
		return false;
	*value = (uint64_t)(wide / ((__int128)div * NANO));
	return true;
}

bool upci_line_value(const char *p, const char *end, unsigned count, uint32_t mul, uint32_t div,
		     uint64_t *value)
{
	__int128 whole = 0;
	int64_t nano = 0;

	for (unsigned i = 0; i < count; i++) {
		const char *token;
		size_t length = upci_token(&p, end, &token);
		struct number n;
		enum reading reading = read_field_number(token, length, &n);

		if (reading == TOO_LARGE || (reading == NO_NUMBER && i == 0))
			return false;
		if (reading == NO_NUMBER)
			break;
		whole += n.negative ? -(__int128)n.whole : (__int128)n.whole;
		nano += n.negative ? -(int64_t)n.nano : (int64_t)n.nano;
	}
	return scale_field_value(whole, nano, mul, div, value);
}

/* ---- lines -------------------------------------------------------------- */

bool upci_line_next(const char *text, size_t length, bool complete, struct upci_line_scan *scan)
{
	const char *newline;

	if (scan->next >= length)
		return false;
	newline = memchr(text + scan->next, '\n', length - scan->next);
	if (!newline && !complete)
		return false;
	scan->start = scan->next;
	scan->end = newline ? (size_t)(newline - text) : length;
	scan->next = scan->end + 1;
	scan->number++;
	return true;
}

bool upci_line_matches(const char *line, const char *end, const struct upci_line_key *key)
{
	const char *token = NULL;
	size_t length = 0;

	if (!key->key)
		return true;
	/* Reject most lines quickly, without splitting them into tokens. */
	if (key->token == 0) {
		while (line < end && separates_fields(*line))
			line++;
		if ((size_t)(end - line) < key->length || memcmp(line, key->key, key->length))
			return false;
	}
	for (unsigned i = 0; i <= key->token; i++) {
		length = upci_token(&line, end, &token);
		if (!length)
			return false;
	}
	return length == key->length && !memcmp(token, key->key, length);
}

bool upci_line_find(const char *text, size_t length, bool complete, const struct upci_line_key *key,
		    struct upci_line_scan *scan)
{
	while (upci_line_next(text, length, complete, scan)) {
		if (!upci_line_matches(text + scan->start, text + scan->end, key))
			continue;
		if (++scan->seen == key->occurrence)
			return true;
	}
	return false;
}

bool upci_field_find(const char *text, size_t length, const struct upci_driver *driver, uint64_t *value)
{
	const struct upci_field *field = &driver->file;
	struct upci_line_key key = {
		.key = field->key,
		.length = field->key ? strlen(field->key) : 0,
		.token = field->key_token,
		.occurrence = field->occurrence,
	};
	struct upci_line_scan scan = {0};
	const char *p, *end, *token;

	if (field->last < field->first || !upci_line_find(text, length, true, &key, &scan))
		return false;
	p = text + scan.start;
	end = text + scan.end;
	for (unsigned i = 0; i < field->first; i++)
		if (!upci_token(&p, end, &token))
			return false;
	return upci_line_value(p, end, field->last - field->first + 1, driver->mul, driver->div, value);
}
