/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * data.c - writes JSON (doc/reference/json.md describes the fields) and CSV for other programs.
 */
#include "lib/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

json_t *util_json_begin(const char *tool)
{
	json_t *object = json_object();

	json_object_set_new(object, "schema", json_integer(UTIL_SCHEMA));
	json_object_set_new(object, "tool", json_string(tool));
	json_object_set_new(object, "version", json_string(upc_version()));
	return object;
}

json_t *util_json_string(const char *text)
{
	size_t length = strlen(text);
	char *clean = malloc(3 * length + 1), *q = clean;
	json_t *string;

	if (clean == NULL)
		return NULL;
	while (*text != '\0') {
		uint32_t code;
		unsigned n = upci_utf8(text, &code);

		if (n == 0) {
			memcpy(q, "\xef\xbf\xbd", 3);
			q += 3;
			text++;
		} else {
			memcpy(q, text, n);
			q += n;
			text += n;
		}
	}
	string = json_stringn(clean, (size_t)(q - clean));
	free(clean);
	return string;
}

json_t *util_json_count(uint64_t value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

int util_json_put(FILE *out, json_t *value, bool one_line)
{
	size_t flags = JSON_REAL_PRECISION(12) | (one_line ? JSON_COMPACT : JSON_INDENT(2));
	int result = value == NULL ? -1 : json_dumpf(value, out, flags);

	json_decref(value);
	fputc('\n', out);
	return result;
}

void util_csv_put(FILE *out, const char *text)
{
	size_t length = strlen(text);

	if (strpbrk(text, ",\"\r\n") == NULL &&
	    (length == 0 || (text[0] != ' ' && text[length - 1] != ' '))) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
