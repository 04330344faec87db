/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve_metrics.c - renames pmproxy's metrics to follow Prometheus's conventions. A metric consists of "#
 * HELP name ...", "# TYPE name type", and its values: "name{labels} value".
 * Terms: serve/serve_node.h.
 */
#include "serve/serve_metrics.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct metric {
	const char *name; /* of the metric whose values follow, in the text */
	size_t length;
	const char *tail;
};

static bool ends_with_tail(const char *name, size_t length, const char *tail)
{
	size_t n = strlen(tail);

	return length > n && !memcmp(name + length - n, tail, n);
}

static const char *tail_of(const char *name, size_t length, const char *type, size_t n)
{
	static const char *const reserved[] = {"_total", "_count", "_sum", "_bucket", "_info"};

	if (n == 7 && !memcmp(type, "counter", 7))
		return ends_with_tail(name, length, "_total") ? "" : "_total";
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (ends_with_tail(name, length, reserved[i]))
			return "_value";
	return "";
}

/* Return the length of the word at p. */
static size_t measure_word(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && p[n] != ' ' && p[n] != '{')
		n++;
	return n;
}

static bool begins_with_word(const char *p, const char *end, const char *head)
{
	size_t n = strlen(head);

	return (size_t)(end - p) >= n && !memcmp(p, head, n);
}

static void put_metrics_text(FILE *out, const char *p, const char *end)
{
	fwrite(p, 1, (size_t)(end - p), out);
}

char *serve_metrics(const char *text, size_t *length)
{
	const char *stop = text + *length, *help = NULL, *help_end = NULL;
	struct metric m = {"", 0, ""};
	char *changed = NULL;
	FILE *out = open_memstream(&changed, length);

	if (!out)
		return NULL;
	for (const char *p = text, *next; p < stop; p = next) {
		const char *line_end = memchr(p, '\n', (size_t)(stop - p));
		const char *end = line_end ? line_end : stop;

		next = line_end ? line_end + 1 : stop;
		if (begins_with_word(p, end, "# HELP ")) {
			help = p + 7;
			help_end = end;
		} else if (begins_with_word(p, end, "# TYPE ")) {
			const char *type;

			m.name = p + 7;
			m.length = measure_word(m.name, end);
			type = m.name + m.length + (m.name + m.length < end);
			m.tail = tail_of(m.name, m.length, type, (size_t)(end - type));
			if (help && measure_word(help, help_end) == m.length &&
			    !memcmp(help, m.name, m.length)) {
				fprintf(out, "# HELP %.*s%s", (int)m.length, m.name, m.tail);
				put_metrics_text(out, help + m.length, help_end);
				fputc('\n', out);
			}
			fprintf(out, "# TYPE %.*s%s", (int)m.length, m.name, m.tail);
			put_metrics_text(out, m.name + m.length, end);
			fputc('\n', out);
			help = NULL;
		} else if (p < end && *p != '#') {
			size_t n = measure_word(p, end);

			put_metrics_text(out, p, p + n);
			if (n == m.length && !memcmp(p, m.name, n))
				fputs(m.tail, out);
			put_metrics_text(out, p + n, end);
			fputc('\n', out);
		}
	}
	if (fclose(out) == 0)
		return changed;
	free(changed);
	return NULL;
}
