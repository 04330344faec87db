/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet.c - words for exactness, the exactnesses that occur in a sheet, and the choice of JSON or CSV.
 *
 * Terms: sheet/sheet.h.
 */
#include "sheet/sheet.h"

#include <string.h>

static const struct {
	const char *word, *mark;
} exactnesses[] = {
	[SHEET_EXACT] = {"exact", ""},          [SHEET_AT_LEAST] = {"at least", ">="},
	[SHEET_AT_MOST] = {"at most", "<="},    [SHEET_ESTIMATE] = {"estimate", "~"},
	[SHEET_UNCOUNTED] = {"uncounted", "?"},
};

const char *sheet_exactness_word(enum sheet_exactness exactness)
{
	return exactnesses[exactness].word;
}

enum sheet_exactness sheet_exactness_of(const char *word)
{
	for (unsigned i = 0; word && i < SHEET_UNCOUNTED; i++)
		if (!strcmp(word, exactnesses[i].word))
			return (enum sheet_exactness)i;
	return SHEET_UNCOUNTED;
}

const char *sheet_exactness_mark(enum sheet_exactness exactness)
{
	return exactnesses[exactness].mark;
}

enum sheet_exactness sheet_exactness_both(enum sheet_exactness a, enum sheet_exactness b)
{
	if (a == SHEET_EXACT || a == b)
		return b;
	if (b == SHEET_EXACT)
		return a;
	/* The uncounted part would make the sum larger. */
	if (a == SHEET_UNCOUNTED)
		a = SHEET_AT_LEAST;
	if (b == SHEET_UNCOUNTED)
		b = SHEET_AT_LEAST;
	return a == b ? a : SHEET_ESTIMATE;
}

struct marks {
	const struct sheet_section *section;
	unsigned bits;
};

static bool sheet_mark(void *to, const void *row)
{
	struct marks *marks = to;
	const struct sheet_section *section = marks->section;
	struct sheet_cell cell;

	for (size_t i = 0; i < section->lists; i++) {
		const struct sheet_list *list = &section->list[i];

		for (size_t n = 0; n < list->measures * list->aspects; n++)
			if (list->aspect[n % list->aspects].kind == SHEET_VALUE &&
			    sheet_value_of(section, list, row, n / list->aspects, n % list->aspects, &cell))
				marks->bits |= 1u << cell.exactness;
	}
	return true;
}

unsigned sheet_marks(const struct sheet *sheet)
{
	struct marks marks = {.bits = 0};

	for (size_t i = 0; i < sheet->sections; i++) {
		marks.section = &sheet->section[i];
		if (!marks.section->each(marks.section->arg, sheet_mark, &marks))
			return 0;
	}
	return marks.bits;
}

int sheet_print_data(FILE *out, const struct sheet *sheet, enum util_format format)
{
	const bool done = format == UTIL_JSON ? sheet_json(out, sheet) : sheet_csv(out, sheet);

	if (!done && !ferror(out))
		util_error("the report cannot be made: out of memory");
	return done ? UTIL_OK : UTIL_FAILED;
}
