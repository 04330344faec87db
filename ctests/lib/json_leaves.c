/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_leaves - prints JSON as lines, for tests written in shell.
 *
 * usage: json_leaves FILE
 *
 * A file contains one or more JSON texts. For each value that is not an array or object, the program prints a
 * line: the value's place, a tab, and the value. The place is "/", the number of the text from 0, and the
 * value's JSON pointer (RFC 6901). An empty array or object also has a line.
 *
 *     /0/events/3/event	"perf::PAGE-FAULTS"
 *
 * If a text is not valid JSON, or has a member twice, the program prints an error, and the status is 1.
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

/* Append a member's name to the pointer, with "~" and "/" escaped. */
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

/* Skip white space. Return true if another text follows. */
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
