/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nodelist.c - lists of nodes as Slurm writes them: names separated by commas. A name may contain several
 * brackets with ranges of numbers. Leading zeros of numbers are kept.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/nodelist.h"
#include "lib/list.h"

#define DIGITS_MAX 18

struct reader {
	const char *text;
	size_t length, at;
	struct nodelist *list;
	const char *expected;
};

static int fail_nodelist(struct reader *r, size_t at, const char *expected)
{
	r->at = at;
	r->expected = expected;
	return -1;
}

static int add_node_name(struct reader *r, const char *name, size_t n)
{
	struct nodelist *list = r->list;
	char *own;

	if (list->n == NODELIST_MAX)
		return fail_nodelist(r, r->at, "at most 200,000 nodes");
	if (!util_grow(&list->name, list->n, sizeof(*list->name)))
		return fail_nodelist(r, r->at, "memory");
	own = strndup(name, n);
	if (own == NULL)
		return fail_nodelist(r, r->at, "memory");
	list->name[list->n++] = own;
	return 0;
}

static int read_node_number(struct reader *r, uint64_t *value, int *width)
{
	const size_t start = r->at;

	*value = 0;
	while (r->at < r->length && r->text[r->at] >= '0' && r->text[r->at] <= '9') {
		if (r->at - start == DIGITS_MAX)
			return fail_nodelist(r, start, "a number of at most 18 digits");
		*value = *value * 10 + (uint64_t)(r->text[r->at++] - '0');
	}
	*width = (int)(r->at - start);
	return *width ? 0 : fail_nodelist(r, start, "a number");
}

static bool is_node_char(char c)
{
	return c != '\0' && c != ',' && c != '[' && c != ']' && (unsigned char)c > ' ' && c != 0x7f;
}

/* Read the rest of a name that begins with the first n bytes of begin, and add the name. Each bracket
 * multiplies the names. Return 0 or -1. */
static int expand_node_name(struct reader *r, const char *begin, size_t n, size_t from, unsigned depth);

/* Expand one range of a bracket: each number, followed by the text behind the bracket. Return 0 or -1. */
static int expand_range(struct reader *r, const char *begin, size_t n, size_t behind, unsigned depth,
			uint64_t first, uint64_t last, int width)
{
	char *name;
	int error = 0, length;

	for (uint64_t i = first; error == 0 && i <= last; i++) {
		length = asprintf(&name, "%.*s%0*llu", (int)n, begin, width, (unsigned long long)i);
		if (length < 0)
			return fail_nodelist(r, r->at, "memory");
		error = expand_node_name(r, name, (size_t)length, behind, depth + 1);
		free(name);
	}
	return error;
}

/* Return the position behind the ']' that closes the bracket at from, or 0 with an error. */
static size_t skip_bracket(struct reader *r, size_t from)
{
	const char *end = memchr(r->text + from, ']', r->length - from);

	if (end == NULL) {
		fail_nodelist(r, from, "a ']' behind this");
		return 0;
	}
	return (size_t)(end - r->text) + 1;
}

static int expand_bracket(struct reader *r, const char *begin, size_t n, size_t from, unsigned depth)
{
	const size_t behind = skip_bracket(r, from);
	size_t at = from + 1, start;
	uint64_t first, last;
	int width, other, error;

	if (behind == 0)
		return -1;
	if (depth == 4)
		return fail_nodelist(r, from, "at most four brackets in a name");
	do {
		start = r->at = at;
		if (read_node_number(r, &first, &width) != 0)
			return -1;
		last = first;
		if (r->text[r->at] == '-') {
			r->at++;
			if (read_node_number(r, &last, &other) != 0)
				return -1;
			if (last < first || last - first >= NODELIST_MAX)
				return fail_nodelist(r, start,
						     "a range that grows, of at most 200,000 nodes");
		}
		at = r->at;
		if (r->text[at] != ',' && r->text[at] != ']')
			return fail_nodelist(r, at, "',' or ']'");
		error = expand_range(r, begin, n, behind, depth, first, last, width);
		if (error != 0)
			return error;
	} while (r->text[at++] == ',');
	/* The last expansion left r->at behind the text that follows the bracket. */
	return 0;
}

static int expand_node_name(struct reader *r, const char *begin, size_t n, size_t from, unsigned depth)
{
	size_t end = from;
	char *name;
	int error;

	while (end < r->length && is_node_char(r->text[end]))
		end++;
	name = malloc(n + (end - from) + 1);
	if (name == NULL)
		return fail_nodelist(r, from, "memory");
	memcpy(name, begin, n);
	memcpy(name + n, r->text + from, end - from);
	n += end - from;
	if (end < r->length && r->text[end] == '[') {
		error = expand_bracket(r, name, n, end, depth);
	} else {
		r->at = end;
		error = n == 0 ? fail_nodelist(r, from, "the name of a node") : add_node_name(r, name, n);
	}
	free(name);
	return error;
}

int nodelist_parse(const char *text, size_t length, struct nodelist *list, size_t *at, const char **expected)
{
	struct reader r = {.text = text, .length = length, .list = list};
	const unsigned had = list->n;
	int error;

	do {
		error = expand_node_name(&r, "", 0, r.at, 0);
		if (error == 0 && r.at < length && text[r.at] != ',')
			error = fail_nodelist(&r, r.at, "',' and another node");
	} while (error == 0 && r.at++ < length);
	if (error == 0)
		return 0;
	*at = r.at;
	*expected = r.expected;
	while (list->n > had)
		free(list->name[--list->n]);
	return -1;
}

void nodelist_free(struct nodelist *list)
{
	for (unsigned i = 0; i < list->n; i++)
		free(list->name[i]);
	free(list->name);
	*list = (struct nodelist){0};
}

/* ---- output as text -------------------------------------------------------------------------- */

/* Return the index of the number at the end of a name, and the number. If the name has no number, the
 * index is the end of the name. */
static size_t number_at(const char *name, uint64_t *number)
{
	size_t n = strlen(name), at = n;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9' && n - at < DIGITS_MAX)
		at--;
	*number = strtoull(name + at, NULL, 10);
	return at;
}

static bool follows_node_name(const char *a, const char *b)
{
	uint64_t x, y;
	const size_t i = number_at(a, &x), j = number_at(b, &y);

	return a[i] && b[j] && i == j && strncmp(a, b, i) == 0 && strlen(a) == strlen(b) && y == x + 1;
}

static bool same_beginning(const char *a, const char *b)
{
	uint64_t x, y;
	const size_t i = number_at(a, &x), j = number_at(b, &y);

	return a[i] && b[j] && i == j && strncmp(a, b, i) == 0;
}

char *nodelist_text(const char *const *name, unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (unsigned i = 0, end; i < n; i = end) {
		uint64_t number;
		const size_t at = number_at(name[i], &number);

		for (end = i + 1; end < n && same_beginning(name[i], name[end]); end++)
			;
		if (i > 0)
			putc(',', out);
		if (end == i + 1) {
			fputs(name[i], out);
			continue;
		}
		fprintf(out, "%.*s[", (int)at, name[i]);
		for (unsigned j = i, last; j < end; j = last + 1) {
			for (last = j; last + 1 < end && follows_node_name(name[last], name[last + 1]);
			     last++)
				;
			fprintf(out, "%s%s", j > i ? "," : "", name[j] + at);
			if (last > j)
				fprintf(out, "-%s", name[last] + at);
		}
		putc(']', out);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
