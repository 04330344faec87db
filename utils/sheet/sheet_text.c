/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_text.c - writes a section as text. Columns are as wide as their longest cells, so the rows are made
 * twice: once to find the widths and once to print. sheet_wide.c writes wide sections.
 *
 * Terms: sheet/sheet.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "lib/list.h"
#include "sheet/sheet.h"

enum { GAP = 2, INDENT = 2, DEPTHS = 24, NAMES = 48, BLOCK_NAMES = 20, BLOCK_NUMBERS = 13, BLOCK_TEXTS = 7 };

/* ---- cells ---------------------------------------------------------------------------------- */

/* Format a value of any size with three or four digits. */
static void text_of_any_size(double value, char text[UTIL_NUMBER_MAX])
{
	const double size = fabs(value);

	if (size >= 1000 && size < 1.8e19) {
		text[0] = '-';
		util_format_count((uint64_t)(size + .5), text + (value < 0));
	} else if (size != 0 && (size < .0005 || size >= 1000)) {
		snprintf(text, UTIL_NUMBER_MAX, "%.3g", value);
	} else {
		snprintf(text, UTIL_NUMBER_MAX, "%.*f", size < 10 ? 3 : size < 100 ? 2 : 1, value);
	}
}

static void text_real(double value, char text[UTIL_NUMBER_MAX])
{
	if (value < 100 && value != floor(value))
		snprintf(text, UTIL_NUMBER_MAX, "%.2f", value);
	else
		util_format_count(value < 1.8e19 ? (uint64_t)(value + .5) : UINT64_MAX, text);
}

static void text_value(const struct sheet_list *list, const struct sheet_cell *cell,
		       char text[UTIL_NUMBER_MAX])
{
	if (cell->exactness == SHEET_UNCOUNTED)
		strcpy(text, "-");
	else if (cell->whole)
		util_format_count(cell->count, text);
	else if (cell->decimals)
		snprintf(text, UTIL_NUMBER_MAX, "%.*f", (int)cell->decimals, cell->value);
	else if (list && list->of_any_size)
		text_of_any_size(cell->value, text);
	else
		text_real(cell->value, text);
}

static void text_interval(const struct sheet_list *list, const struct sheet_cell *cell,
			  char text[UTIL_NUMBER_MAX])
{
	const double half = (cell->high - cell->low) / 2, size = fabs(cell->value);

	if (!isfinite(half))
		strcpy(text, "not known");
	else if (size > 0 && half < 9.995 * size)
		snprintf(text, UTIL_NUMBER_MAX, "+-%.*f %%", half < .0995 * size ? 1 : 0, 100 * half / size);
	else
		snprintf(text, UTIL_NUMBER_MAX, list->of_any_size ? "+-%.3g" : "0 to %.3g",
			 list->of_any_size ? half : cell->high);
}

/* Describe a value's uncertainty. A short reason replaces "not counted". */
static void text_sure(const struct sheet_list *list, const struct sheet_cell *cell,
		      char text[UTIL_NUMBER_MAX])
{
	static const char *const words[] = {
		[SHEET_EXACT] = "exact", [SHEET_AT_LEAST] = "or more", [SHEET_AT_MOST] = "or less"};

	if (cell->exactness == SHEET_ESTIMATE)
		text_interval(list, cell, text);
	else if (cell->exactness == SHEET_UNCOUNTED)
		strcpy(text, cell->reasons && strlen(cell->reason[0]) <= BLOCK_NUMBERS ? cell->reason[0]
										       : "not counted");
	else
		strcpy(text, words[cell->exactness]);
	if (cell->rough && cell->exactness != SHEET_EXACT && cell->exactness != SHEET_UNCOUNTED)
		strcat(text, " ?");
}

static void text_number(enum sheet_kind kind, unsigned decimals, const char *unit, bool sign,
			const struct sheet_cell *cell, char text[UTIL_NUMBER_MAX])
{
	if (cell->absent)
		text[0] = '\0';
	else if (kind == SHEET_VALUE)
		text_value(NULL, cell, text);
	else if (kind == SHEET_NUMBER)
		snprintf(text, UTIL_NUMBER_MAX, sign ? "%+.*f%s" : "%.*f%s", (int)decimals, cell->value,
			 unit && !strcmp(unit, "%") ? " %" : "");
	else
		util_format_count(cell->count, text);
}

static void text_with_prefix(const struct sheet_cell *cell, char text[UTIL_NUMBER_MAX])
{
	static const char *const prefixes[] = {"", " k", " M", " G", " T", " P"};
	double value = cell->value;
	unsigned p = 0;

	if (cell->absent || cell->exactness == SHEET_UNCOUNTED || isnan(value)) {
		strcpy(text, "-");
		return;
	}
	for (; fabs(value) >= 999.5 && p < 5; p++)
		value /= 1000;
	snprintf(text, UTIL_NUMBER_MAX, value != 0 && fabs(value) < .01 ? "%s%.*g%s" : "%s%.*f%s",
		 sheet_exactness_mark(cell->exactness),
		 fabs(value) >= 99.95 || value == 0 ? 0
		 : fabs(value) >= 9.995             ? 1
						    : 2,
		 value, prefixes[p]);
}

/* ---- SHEET_LINES: fields of a line -------------------------------------------------------------- */

enum part { PART_CELL, PART_NUMBER, PART_SURE, PART_PERCENT };

struct field {
	const struct sheet_column *column; /* NULL: a measure's field */
	size_t measure, aspect;
	enum part part;
	char head[SHEET_HEAD_MAX];
	unsigned width;
	enum sheet_exactness exactness; /* combined exactness of all values in the field */
};

struct lines {
	FILE *out;
	const struct sheet_section *section;
	const struct sheet_list *list; /* NULL: no values */
	struct field *field;
	size_t fields;
	char *heading;   /* heading of the previous lines */
	unsigned blanks; /* blanks to print before the line's next text */
};

static bool text_lines_add(struct lines *lines, const struct sheet_column *column, size_t measure,
			   size_t aspect, enum part part)
{
	struct field *field;

	if (!util_grow(&lines->field, lines->fields, sizeof(*lines->field)))
		return false;
	field = &lines->field[lines->fields++];
	*field = (struct field){.column = column, .measure = measure, .aspect = aspect, .part = part};
	return true;
}

/* Add fields for the columns. If a column has the same header as the previous column but another unit, the
 * field's header is only the unit. */
static bool text_lines_add_columns(struct lines *lines)
{
	const char *before = "";

	for (size_t i = 0; i < lines->section->columns; i++) {
		const struct sheet_column *column = &lines->section->column[i];
		struct field *field;

		if (!(column->forms & SHEET_IN_TEXT))
			continue;
		if (!text_lines_add(lines, column, 0, 0, PART_CELL))
			return false;
		field = &lines->field[lines->fields - 1];
		field->width = column->width;
		if (column->unit && !strcmp(before, column->header))
			snprintf(field->head, sizeof(field->head), "%s", column->unit);
		else if (column->unit && strcmp(column->unit, "%"))
			snprintf(field->head, sizeof(field->head), "%s [%s]", column->header, column->unit);
		else
			snprintf(field->head, sizeof(field->head), "%s", column->header);
		before = column->header;
	}
	return true;
}

static bool text_lines_add_values(struct lines *lines)
{
	const struct sheet_list *list = lines->list;
	bool done = true;

	for (size_t m = 0; done && list && m < list->measures; m++)
		for (size_t a = 0; done && a < list->aspects; a++) {
			if (!(list->aspect[a].forms & SHEET_IN_TEXT))
				continue;
			done = text_lines_add(lines, NULL, m, a, PART_NUMBER) &&
			       text_lines_add(lines, NULL, m, a,
					      lines->section->sure ? PART_SURE : PART_PERCENT);
		}
	return done;
}

static bool text_field_is_text(const struct field *field)
{
	return field->column && field->column->kind == SHEET_TEXT && !field->column->right;
}

/* Return the text of a field that is aligned on the left. Otherwise return NULL and, in number, the number or
 * text that is aligned on the right. */
static const char *text_of_field(const struct lines *lines, struct field *field, const void *row,
				 unsigned *depth, char number[UTIL_NUMBER_MAX])
{
	struct sheet_cell cell;

	*depth = 0;
	number[0] = '\0';
	if (field->column) {
		cell = sheet_cell_shown(lines->section, row, field->column);
		if (field->column->kind == SHEET_TEXT) {
			*depth = cell.depth < DEPTHS ? cell.depth : DEPTHS;
			if (!field->column->right)
				return cell.text ? cell.text : "";
			snprintf(number, UTIL_NUMBER_MAX, "%s", cell.text ? cell.text : "");
			return NULL;
		}
		if (field->column->prefix)
			text_with_prefix(&cell, number);
		else
			text_number(field->column->kind, field->column->decimals, field->column->unit,
				    field->column->sign, &cell, number);
		return NULL;
	}
	if (!sheet_value_of(lines->section, lines->list, row, field->measure, field->aspect, &cell))
		return NULL;
	field->exactness = sheet_exactness_both(field->exactness, cell.exactness);
	if (field->part == PART_NUMBER)
		text_value(lines->list, &cell, number);
	else if (field->part == PART_SURE)
		text_sure(lines->list, &cell, number);
	else if (cell.percent > 0)
		snprintf(number, UTIL_NUMBER_MAX, "%.2f", cell.percent);
	return NULL;
}

static bool text_lines_widen(void *to, const void *row)
{
	struct lines *lines = to;

	for (size_t i = 0; i < lines->fields; i++) {
		struct field *field = &lines->field[i];
		char number[UTIL_NUMBER_MAX];
		unsigned depth, width;
		const char *text = text_of_field(lines, field, row, &depth, number);

		width = INDENT * depth + util_columns(text ? text : number);
		if (text && width > (field->column->most ? field->column->most : NAMES))
			width = field->column->most ? field->column->most : NAMES;
		if (width > field->width)
			field->width = width;
	}
	return true;
}

/* Set the headers of numbers, with marks for inexact values, and drop empty fields of percentages. */
static void text_lines_finish(struct lines *lines)
{
	for (size_t i = 0; i < lines->fields; i++) {
		struct field *field = &lines->field[i];

		if (field->part == PART_NUMBER) {
			const struct sheet_measure *measure = &lines->list->measure[field->measure];

			snprintf(field->head, sizeof(field->head), "%s%s",
				 lines->section->sure ? "" : sheet_exactness_mark(field->exactness),
				 measure->name);
		} else if (field->part == PART_PERCENT && field->width) {
			strcpy(field->head, "%");
			field->width = field->width < 6 ? 6 : field->width;
		}
		if (!(field->part == PART_PERCENT && !field->width))
			util_widen(&field->width, field->head);
	}
}

static void text_put_cut(FILE *out, const char *text, unsigned width, bool cut)
{
	if (!cut || util_columns(text) <= width) {
		util_put(out, text, UINT32_MAX);
		return;
	}
	util_put(out, text, width - 3);
	fputs("...", out);
}

static void text_put_field(struct lines *lines, const struct field *field, const char *text, unsigned depth,
			   const char *number)
{
	const bool last = field == &lines->field[lines->fields - 1];
	unsigned columns;

	if (field->part == PART_PERCENT && !field->width)
		return;
	if (field != lines->field || lines->section->values_first)
		lines->blanks += GAP;
	columns = util_columns(text ? text : number);
	if (!columns) {
		lines->blanks += field->width;
		return;
	}
	if (!text && columns < field->width)
		lines->blanks += field->width - columns;
	util_pad(lines->out, lines->blanks + INDENT * depth);
	lines->blanks = 0;
	if (!text) {
		util_put(lines->out, number, UINT32_MAX);
		return;
	}
	text_put_cut(lines->out, text, field->width, field->column->most > 0 && !last);
	columns += INDENT * depth;
	if (columns < field->width)
		lines->blanks = field->width - columns;
}

static void text_put_heads(struct lines *lines)
{
	for (size_t i = 0; i < lines->fields; i++) {
		const struct field *field = &lines->field[i];

		text_put_field(lines, field, text_field_is_text(field) ? field->head : NULL, 0, field->head);
	}
	fputc('\n', lines->out);
	lines->blanks = 0;
}

/* Print a heading that differs from the previous line's. */
static bool text_put_heading(struct lines *lines, const void *row)
{
	char *heading = lines->section->heading(lines->section->arg, row);

	if (!heading)
		return false;
	if (!lines->heading || strcmp(heading, lines->heading)) {
		fputc('\n', lines->out);
		util_put(lines->out, heading, UINT32_MAX);
		fputc('\n', lines->out);
		text_put_heads(lines);
	}
	free(lines->heading);
	lines->heading = heading;
	return true;
}

static bool text_put_line(void *to, const void *row)
{
	struct lines *lines = to;

	if (lines->section->heading && lines->section->layout == SHEET_LINES && !text_put_heading(lines, row))
		return false;
	for (size_t i = 0; i < lines->fields; i++) {
		char number[UTIL_NUMBER_MAX];
		unsigned depth;
		const char *text = text_of_field(lines, &lines->field[i], row, &depth, number);

		text_put_field(lines, &lines->field[i], text, depth, number);
	}
	fputc('\n', lines->out);
	lines->blanks = 0;
	return true;
}

static bool text_put_lines(FILE *out, const struct sheet_section *section)
{
	struct lines lines = {.out = out, .section = section};
	bool done;

	if (section->layout == SHEET_LINES && section->lists && section->list[0].forms & SHEET_IN_TEXT)
		lines.list = &section->list[0];
	done = section->values_first ? text_lines_add_values(&lines) && text_lines_add_columns(&lines)
				     : text_lines_add_columns(&lines) && text_lines_add_values(&lines);
	done = done && section->each(section->arg, text_lines_widen, &lines);
	if (done) {
		text_lines_finish(&lines);
		if (!section->heading || section->layout == SHEET_BLOCKS)
			text_put_heads(&lines);
		done = section->each(section->arg, text_put_line, &lines);
	}
	free(lines.heading);
	free(lines.field);
	return done;
}

/* ---- SHEET_BLOCKS: a table for each row ---------------------------------------------------------- */

struct blocks {
	FILE *out;
	const struct sheet_section *section;
	unsigned names; /* width of the longest name in columns */
};

static void text_put_word(FILE *out, const char *text)
{
	util_pad(out, GAP);
	util_put_right(out, text, BLOCK_TEXTS);
}

static void text_put_number(FILE *out, const char *text)
{
	util_pad(out, GAP);
	util_put_right(out, text, BLOCK_NUMBERS);
}

static void text_put_aspect(FILE *out, const struct sheet_list *list, const struct sheet_measure *measure,
			    const struct sheet_aspect *aspect, const struct sheet_cell *cell)
{
	char number[UTIL_NUMBER_MAX], text[UTIL_NUMBER_MAX + 2];

	if (aspect->kind == SHEET_TEXT) {
		text_put_word(out, cell->absent ? "-" : cell->text);
		return;
	}
	if (aspect->kind == SHEET_VALUE) {
		text_value(list, cell, text);
		text_put_number(out, text);
		text_sure(list, cell, text);
	} else if (cell->absent) {
		strcpy(text, aspect->share ? "not counted" : "-");
	} else {
		if (aspect->share)
			snprintf(number, sizeof(number), "%.1f %%", 100 * cell->value);
		else if (aspect->kind == SHEET_NUMBER && list->of_any_size)
			text_of_any_size(cell->value, number);
		else if (aspect->kind == SHEET_NUMBER && !measure->decimals)
			text_real(cell->value, number);
		else
			text_number(aspect->kind, measure->decimals, NULL, false, cell, number);
		snprintf(text, sizeof(text), "%s%s", sheet_exactness_mark(cell->exactness), number);
	}
	text_put_number(out, text);
}

static bool text_has_units(const struct sheet_list *list)
{
	for (size_t m = 0; m < list->measures; m++)
		if (list->measure[m].unit)
			return true;
	return false;
}

static void text_put_block_heads(const struct blocks *blocks, const struct sheet_list *list, const char *head)
{
	util_put_left(blocks->out, head, blocks->names);
	for (size_t a = 0; a < list->aspects; a++) {
		if (!(list->aspect[a].forms & SHEET_IN_TEXT))
			continue;
		(list->aspect[a].kind == SHEET_TEXT ? text_put_word
						    : text_put_number)(blocks->out, list->aspect[a].header);
		if (list->aspect[a].kind == SHEET_VALUE && (a + 1 < list->aspects || text_has_units(list)))
			text_put_number(blocks->out, "");
	}
	fputs(text_has_units(list) ? "  Unit\n" : "\n", blocks->out);
}

static void text_put_block_list(const struct blocks *blocks, const struct sheet_list *list, const void *row)
{
	const struct sheet_section *section = blocks->section;
	char head[SHEET_HEAD_MAX];

	if (list->head && !list->head(section->arg, row, head))
		return;
	text_put_block_heads(blocks, list, list->head ? head : list->header);
	for (size_t m = 0; m < list->measures; m++) {
		const struct sheet_measure *measure = &list->measure[m];

		util_put_left(blocks->out, measure->name ? measure->name : "Time [s]", blocks->names);
		for (size_t a = 0; a < list->aspects; a++) {
			struct sheet_cell cell;

			if (list->aspect[a].forms & SHEET_IN_TEXT &&
			    sheet_value_of(section, list, row, m, a, &cell))
				text_put_aspect(blocks->out, list, measure, &list->aspect[a], &cell);
		}
		if (text_has_units(list)) {
			util_pad(blocks->out, GAP);
			util_put(blocks->out, measure->unit ? measure->unit : "", UINT32_MAX);
		}
		fputc('\n', blocks->out);
	}
}

static bool text_put_block(void *to, const void *row)
{
	const struct blocks *blocks = to;
	const struct sheet_section *section = blocks->section;
	char *heading = section->heading(section->arg, row);

	if (!heading)
		return false;
	fputc('\n', blocks->out);
	util_put(blocks->out, heading, UINT32_MAX);
	fputc('\n', blocks->out);
	free(heading);
	for (size_t i = 0; i < section->lists; i++)
		if (section->list[i].measures && section->list[i].forms & SHEET_IN_TEXT)
			text_put_block_list(blocks, &section->list[i], row);
	return true;
}

/* Print each row's table. A list without measures has none: the lines of the rows show all values. */
static bool text_put_blocks(FILE *out, const struct sheet_section *section)
{
	struct blocks blocks = {.out = out, .section = section, .names = BLOCK_NAMES};
	bool some = false;

	for (size_t i = 0; i < section->lists; i++) {
		const struct sheet_list *list = &section->list[i];

		some |= list->measures && list->aspect[0].kind == SHEET_VALUE;
		for (size_t m = 0; m < list->measures; m++)
			util_widen(&blocks.names, list->measure[m].name ? list->measure[m].name : "");
	}
	return !some || section->each(section->arg, text_put_block, &blocks);
}

bool sheet_text(FILE *out, const struct sheet_section *section, const struct sheet_style *style)
{
	if (section->caption)
		fprintf(out, "\n %s\n\n", section->caption);
	if (section->layout == SHEET_WIDE || section->layout == SHEET_ALONE)
		return sheet_text_wide(out, section, style);
	return text_put_lines(out, section) &&
	       (section->layout == SHEET_LINES || text_put_blocks(out, section));
}
