/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golden.h - compares texts of several lines, byte for byte, with expected texts in a file in ctests/golden.
 * After an intended change of a text, this command rewrites the file:
 *
 *     UPC_UPDATE=1 make check TESTS=ctests/unit/tools/stat_sheet
 *
 * git diff then shows the changes.
 *
 * A file has a section for each text: a line "==== NAME", followed by the text. A control character is
 * written in octal, as "\033", and the version of this project as "@VERSION@".
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "upc.h"

#define GOLDEN_MARK "==== "

__attribute__((format(printf, 1, 2))) static inline const char *golden_why(const char *format, ...)
{
	static char why[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	return why;
}

/* Return a file's bytes, terminated by 0, or NULL with errno set. The caller frees them. */
static inline char *golden_load(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (in && getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		text = calloc(1, 1);
	}
	if (in)
		fclose(in);
	return text;
}

/* Return the text as it is written in files, or NULL if memory runs out. The caller frees it. */
static inline char *golden_form(const char *text)
{
	const size_t version = strlen(UPC_VERSION_STRING);
	char *form = NULL;
	size_t size;
	FILE *out = open_memstream(&form, &size);

	while (out && *text)
		if (!strncmp(text, UPC_VERSION_STRING, version)) {
			fputs("@VERSION@", out);
			text += version;
		} else {
			if (*text != '\n' && ((unsigned char)*text < ' ' || *text == '\177'))
				fprintf(out, "\\%03o", (unsigned char)*text);
			else
				putc(*text, out);
			text++;
		}
	if (out)
		fclose(out);
	return form;
}

static inline char *golden_next_line(const char *line)
{
	line += strcspn(line, "\n");
	return (char *)line + (*line == '\n');
}

/* Return the beginning of the section with this name, or the end of the file. */
static inline char *golden_section(char *all, const char *name)
{
	const size_t mark = strlen(GOLDEN_MARK), n = strlen(name);
	char *line;

	for (line = all; *line; line = golden_next_line(line))
		if (!strncmp(line, GOLDEN_MARK, mark) && !strncmp(line + mark, name, n) &&
		    line[mark + n] == '\n')
			return line;
	return line;
}

/* Return the beginning of a section's text, and store its end in *end. */
static inline char *golden_text(char *section, char **end)
{
	char *text = golden_next_line(section);

	for (*end = text; **end && strncmp(*end, GOLDEN_MARK, strlen(GOLDEN_MARK));)
		*end = golden_next_line(*end);
	return text;
}

/* Write the file with the text in place of its section, or as a new last section. Return NULL, or an error
 * message. */
static inline const char *golden_write(const char *path, const char *file, const char *name, const char *text)
{
	char *all = golden_load(path), *section, *end;
	FILE *out;

	if (!all &&
	    asprintf(&all, "# Expectations of the unit test %s, by section: UPC_UPDATE=1 writes it.\n",
		     file) < 0)
		return "no memory";
	section = golden_section(all, name);
	golden_text(section, &end);
	out = fopen(path, "w");
	if (out)
		fprintf(out, "%.*s" GOLDEN_MARK "%s\n%s%s", (int)(section - all), all, name, text, end);
	free(all);
	return !out || fclose(out) ? golden_why("%s: %s", path, strerror(errno)) : NULL;
}

/* Return NULL if the section has this text, or a message with the first line that differs. */
static inline const char *golden_compare(const char *path, const char *name, const char *text)
{
	char *all = golden_load(path), *section, *want, *end;
	const char *why;
	unsigned line = 1;
	size_t n, m;

	if (!all)
		return golden_why("%s: %s", path, strerror(errno));
	section = golden_section(all, name);
	want = golden_text(section, &end);
	*end = '\0';
	if (*section && !strcmp(want, text)) {
		free(all);
		return NULL;
	}
	for (;; line++) {
		n = strcspn(want, "\n");
		m = strcspn(text, "\n");
		if (n != m || strncmp(want, text, n) || !want[n] || !text[m])
			break;
		want += n + 1;
		text += m + 1;
	}
	why = golden_why("%s, %s, line %u: \"%.*s\", not \"%.*s\" (if that is meant: UPC_UPDATE=1)", path,
			 name, line, (int)m, text, (int)n, want);
	free(all);
	return why;
}

/* Return NULL if the file's section has this text, or a message that says what differs. The text is empty, or
 * ends with a newline. With UPC_UPDATE set, write the text to the file instead. */
static inline const char *golden_differs(const char *file, const char *name, const char *text)
{
	const char *srcdir = getenv("srcdir"), *why;
	char path[4096], *form = golden_form(text);

	snprintf(path, sizeof(path), "%s/ctests/golden/%s", srcdir ? srcdir : ".", file);
	if (!form)
		return "no memory";
	why = getenv("UPC_UPDATE") ? golden_write(path, file, name, form) : golden_compare(path, name, form);
	free(form);
	return why;
}

/* Fail the cmocka test if the text differs. */
#define assert_golden(file, name, text)                                    \
	do {                                                               \
		const char *golden_why = golden_differs(file, name, text); \
		if (golden_why)                                            \
			fail_msg("%s", golden_why);                        \
	} while (0)

#endif /* GOLDEN_H */
