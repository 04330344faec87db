/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_leaves - JSON as lines, for tests written in shell.
 *
 * usage: json_leaves FILE
 *
 * A file has one JSON text, or several. Each value that is no array and no object is one
 * line: its place, a tab, and the value. The place is a JSON pointer (RFC 6901) behind the number
 * of the text, from 0. An empty array or object is a line as well.
 *
 *     /0/events/3/event	"perf::PAGE-FAULTS"
 *
 * A text that is no JSON, or names a member twice, is reported on standard error, with status 1.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define POINTER 1024

static void print_leaf(const char *pointer, const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	printf("%s\t%s\n", pointer, text ? text : "?");
	free(text);
}

/* Appends a member's name, with "~" and "/" as pointers have them. */
static void append_name(char pointer[POINTER], const char *name)
{
	size_t n = strlen(pointer);

	pointer[n++] = '/';
	for (; *name && n < POINTER - 3; name++)
		if (*name == '~' || *name == '/') {
			pointer[n++] = '~';
			pointer[n++] = *name == '~' ? '0' : '1';
		} else {
			pointer[n++] = *name;
		}
	pointer[n] = '\0';
}

static void print_leaves(char pointer[POINTER], json_t *value)
{
	const size_t n = strlen(pointer);
	const char *name;
	json_t *member;
	size_t i;

	if (json_object_size(value) == 0 && json_array_size(value) == 0)
		print_leaf(pointer, value);
	json_object_foreach(value, name, member)
	{
		append_name(pointer, name);
		print_leaves(pointer, member);
		pointer[n] = '\0';
	}
	json_array_foreach(value, i, member)
	{
		snprintf(pointer + n, POINTER - n, "/%zu", i);
		print_leaves(pointer, member);
		pointer[n] = '\0';
	}
}

/* Is there another text? Blanks before it are left out. */
static int has_more(FILE *in)
{
	int c;

	do
		c = getc(in);
	while (c == ' ' || c == '\t' || c == '\r' || c == '\n');
	return ungetc(c, in) != EOF;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	char pointer[POINTER];
	json_error_t error;
	json_t *text;
	unsigned n;

	if (!in) {
		fprintf(stderr, "usage: json_leaves FILE\n");
		return 2;
	}
	for (n = 0; n == 0 || has_more(in); n++) {
		text = json_loadf(in, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
		if (!text) {
			fprintf(stderr, "%s: text %u, line %d: %s\n", argv[1], n, error.line, error.text);
			return 1;
		}
		snprintf(pointer, sizeof(pointer), "/%u", n);
		print_leaves(pointer, text);
		json_decref(text);
	}
	fclose(in);
	return 0;
}
