/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_csv.c - writes a sheet as CSV: one line for each value of each row, and for each fact and note. The
 * first column is the section, the last one the reason why the value is not exact.
 *
 * Terms: sheet/sheet.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/data.h"
#include "sheet/sheet.h"

enum { PARTS = 5 };

static const char *const parts[PARTS] = {"value", "low", "high", "standard_error", "exactness"};
/* Columns of a value in a sheet in which nothing was counted, in place of the columns in parts. */
static const char *const plain[] = {"event", "value", NULL};

struct csv {
	FILE *out;
	const struct sheet *sheet;
	const struct sheet_section *section;
	const char *value; /* key of the column whose value the line has; NULL: a row has one value */
};

/* Return the list whose aspects determine the columns of values. All lists have the same aspects. */
static const struct sheet_list *sheet_csv_list(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->sections; i++)
		for (size_t k = 0; k < sheet->section[i].lists; k++)
			if (sheet->section[i].list[k].forms & SHEET_IN_CSV)
				return &sheet->section[i].list[k];
	return NULL;
}

static void sheet_csv_real(char text[UTIL_NUMBER_MAX], double value)
{
	if (isfinite(value))
		snprintf(text, UTIL_NUMBER_MAX, "%.12g", value);
}

static void sheet_csv_number(enum sheet_kind kind, const struct sheet_cell *cell, char text[UTIL_NUMBER_MAX])
{
	if (cell->absent || cell->exactness == SHEET_UNCOUNTED)
		return;
	if (kind == SHEET_NUMBER || (kind == SHEET_VALUE && !cell->whole))
		sheet_csv_real(text, cell->value);
	else
		snprintf(text, UTIL_NUMBER_MAX, "%" PRIu64, cell->count);
}

static void sheet_csv_value(const struct sheet_cell *cell, char text[PARTS][UTIL_NUMBER_MAX])
{
	sheet_csv_number(SHEET_VALUE, cell, text[0]);
	if (cell->exactness == SHEET_ESTIMATE) {
		sheet_csv_real(text[1], cell->low);
		sheet_csv_real(text[2], cell->high);
		sheet_csv_real(text[3], cell->error);
	}
	snprintf(text[4], UTIL_NUMBER_MAX, "%s", sheet_exactness_word(cell->exactness));
}

static void sheet_csv_field(FILE *out, const char *text)
{
	fputc(',', out);
	util_csv_put(out, text);
}

static void sheet_csv_cells(const struct csv *csv, const void *row, const char *const *key)
{
	for (; *key; key++) {
		const struct sheet_section *section = csv->section;
		char number[UTIL_NUMBER_MAX] = "";
		const char *text = number;

		if (csv->value && !strcmp(*key, csv->sheet->which_value))
			text = csv->value;
		for (size_t i = 0; section && i < section->columns; i++) {
			const struct sheet_column *column = &section->column[i];
			struct sheet_cell cell;

			if (strcmp(column->key ? column->key : "", *key) || !(column->forms & SHEET_IN_CSV))
				continue;
			cell = sheet_cell_of(section, row, column);
			if (column->kind != SHEET_TEXT)
				sheet_csv_number(column->kind, &cell, number);
			else if (cell.text)
				text = cell.text;
			break;
		}
		sheet_csv_field(csv->out, text);
	}
}

/* Write a row of a sheet in which nothing was counted. */
static void sheet_csv_bare(const struct csv *csv, const void *row)
{
	util_csv_put(csv->out, csv->section->record);
	sheet_csv_cells(csv, row, csv->sheet->keys);
	sheet_csv_cells(csv, row, plain);
	sheet_csv_cells(csv, row, csv->sheet->others);
	fputc('\n', csv->out);
}

static void sheet_csv_reasons(FILE *out, const struct sheet_cell *cell, size_t n)
{
	char text[512] = "";

	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < cell[i].reasons; k++)
			if (!strstr(text, cell[i].reason[k]))
				snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
					 *text ? "; " : "", cell[i].reason[k]);
	sheet_csv_field(out, text);
	fputc('\n', out);
}

/* Write the line of one value. If name is NULL, the row has no values. */
static void sheet_csv_line(const struct csv *csv, const void *row, const char *record, const char *name,
			   const struct sheet_cell *cell, size_t cells)
{
	const struct sheet_list *list = sheet_csv_list(csv->sheet);

	util_csv_put(csv->out, record);
	sheet_csv_cells(csv, row, csv->sheet->keys);
	sheet_csv_field(csv->out, name ? name : "");
	for (size_t a = 0; a < (list ? list->aspects : 1); a++) {
		char text[PARTS][UTIL_NUMBER_MAX] = {"", "", "", "", ""};

		if (name && a < cells)
			sheet_csv_value(&cell[a], text);
		for (size_t i = 0; i < PARTS; i++)
			sheet_csv_field(csv->out, text[i]);
	}
	sheet_csv_cells(csv, row, csv->sheet->others);
	sheet_csv_reasons(csv->out, cell, name ? cells : 0);
}

/* Write a row without measures: one line with its last value, or one line for each value that exists. */
static void sheet_csv_plain(struct csv *csv, const void *row)
{
	const struct sheet_section *section = csv->section;
	struct sheet_cell value = {0}, cell;
	const char *name = NULL;

	for (size_t i = 0; i < section->columns; i++)
		if (section->column[i].forms & SHEET_IN_CSV && section->column[i].key &&
		    !strcmp(section->column[i].key, "event"))
			name = sheet_cell_of(section, row, &section->column[i]).text;
	for (size_t i = 0; i < section->columns; i++) {
		const struct sheet_column *column = &section->column[i];

		if (!(column->forms & SHEET_IN_CSV) || column->kind != SHEET_VALUE)
			continue;
		cell = sheet_cell_of(section, row, column);
		if (!csv->sheet->which_value) {
			value = cell;
		} else if (!cell.absent) {
			csv->value = column->key;
			sheet_csv_line(csv, row, section->record, name, &cell, 1);
		}
	}
	if (!csv->value)
		sheet_csv_line(csv, row, section->record, name, &value, name && !csv->sheet->which_value);
	csv->value = NULL;
}

static bool sheet_csv_row(void *to, const void *row)
{
	struct csv *csv = to;
	const struct sheet_section *section = csv->section;
	bool some = csv->sheet->plain;

	if (csv->sheet->plain)
		sheet_csv_bare(csv, row);
	for (size_t i = 0; i < section->lists; i++) {
		const struct sheet_list *list = &section->list[i];

		for (size_t m = 0; m < list->measures && list->forms & SHEET_IN_CSV; m++) {
			struct sheet_cell cell[2];
			size_t n = 0;

			while (n < list->aspects && n < 2 &&
			       sheet_value_of(section, list, row, m, n, &cell[n]))
				n++;
			if (n)
				sheet_csv_line(csv, row, section->record, list->measure[m].name, cell, n);
			some |= n > 0;
		}
	}
	if (!some)
		sheet_csv_plain(csv, row);
	return !ferror(csv->out);
}

static void sheet_csv_head(FILE *out, const struct sheet *sheet)
{
	const struct sheet_list *list = sheet_csv_list(sheet);

	fputs("record", out);
	for (const char *const *key = sheet->keys; *key; key++)
		sheet_csv_field(out, *key);
	fputs(",event", out);
	for (size_t a = 0; a < (list ? list->aspects : 1); a++)
		for (size_t i = 0; i < (sheet->plain ? 1 : PARTS); i++)
			fprintf(out, ",%s%s", list && list->aspect[a].prefix ? list->aspect[a].prefix : "",
				parts[i]);
	for (const char *const *key = sheet->others; *key; key++)
		sheet_csv_field(out, *key);
	fputs(sheet->plain ? "\n" : ",reason\n", out);
}

/* Write a line whose value may be text. */
static void sheet_csv_other(FILE *out, const struct sheet *sheet, const char *record, const char *name,
			    const char *value)
{
	const struct sheet_list *list = sheet_csv_list(sheet);
	size_t behind = sheet->plain ? 0 : PARTS * (list ? list->aspects : 1);

	fputs(record, out);
	for (const char *const *key = sheet->keys; *key; key++)
		fputc(',', out);
	sheet_csv_field(out, name);
	sheet_csv_field(out, value);
	for (const char *const *key = sheet->others; *key; key++)
		behind++;
	while (behind--)
		fputc(',', out);
	fputc('\n', out);
}

static void sheet_csv_facts(FILE *out, const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->facts; i++) {
		const struct sheet_fact *fact = &sheet->fact[i];

		for (size_t k = 0; k < (fact->list ? fact->n : 1); k++) {
			const struct sheet_cell *cell = fact->list ? &fact->list[k] : &fact->cell;
			char number[UTIL_NUMBER_MAX] = "";

			if (fact->kind != SHEET_TEXT)
				sheet_csv_number(fact->kind, cell, number);
			sheet_csv_other(out, sheet, "fact", fact->key,
					fact->kind == SHEET_TEXT && cell->text ? cell->text : number);
		}
	}
}

static bool sheet_csv_notes(FILE *out, const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->notes; i++) {
		const struct sheet_note *note = &sheet->note[i];
		char *text, times[UTIL_NUMBER_MAX] = "";

		if (asprintf(&text, "%s%s%s", note->name ? note->name : "", note->name ? ": " : "",
			     note->what) < 0)
			return false;
		if (note->times != 1)
			snprintf(times, sizeof(times), "%" PRIu64, note->times);
		sheet_csv_other(out, sheet, "note", text, times);
		free(text);
	}
	return true;
}

void sheet_csv_begin(FILE *out, const struct sheet *sheet)
{
	sheet_csv_head(out, sheet);
	sheet_csv_other(out, sheet, "fact", "tool", sheet->tool);
	sheet_csv_other(out, sheet, "fact", "version", upc_version());
}

bool sheet_csv(FILE *out, const struct sheet *sheet)
{
	struct csv csv = {.out = out, .sheet = sheet};

	if (!sheet->continued)
		sheet_csv_begin(out, sheet);
	sheet_csv_facts(out, sheet);
	for (size_t i = 0; i < sheet->sections; i++) {
		csv.section = &sheet->section[i];
		if (csv.section->forms & SHEET_IN_CSV &&
		    !csv.section->each(csv.section->arg, sheet_csv_row, &csv))
			return false;
	}
	return sheet_csv_notes(out, sheet);
}
