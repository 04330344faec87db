/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_wide.c - writes a wide section as text: one line per measure, below headings of groups. A single row
 * has words next to its values. Several rows have a column each; columns that do not fit follow in further
 * panels.
 *
 * All cells are formatted first, since the longest numbers determine the columns' widths.
 *
 * Terms: sheet/sheet.h.
 */
#include "sheet/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"

enum {
	INDENT = 2,
	GAP = 2,
	NAME_MAX_COLUMN = 44, /* a very long name does not push all others to the right */
	DESCRIPTION_MIN = 20, /* a shorter part of a description is useless */
	UNSEEN_LINES = 4,     /* lines for names of measures that are 0 */
	CELL_MIN = 11,
	PERCENT_WIDTH = 8 /* " 100.0 %" */
};

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/* Texts next to the values of a single row. */
enum { UNIT, WORDS, FURTHER_WORDS, BESIDE };

struct wide_cell {
	char text[UTIL_NUMBER_MAX];
	double percent;
};

/* The head of a row's column. */
struct wide_head {
	char name[SHEET_HEAD_MAX], number[UTIL_NUMBER_MAX];
};

struct wide {
	FILE *out;
	const struct sheet_section *section;
	const struct sheet_list *list;
	struct sheet_style style;
	size_t rows;
	struct wide_head *head;
	struct wide_cell *cell;                  /* rows * measures cells, row by row */
	char (*beside)[BESIDE][UTIL_NUMBER_MAX]; /* [measures]: texts next to the value of a single row */
	bool *seen;    /* [measures]: the first row's value is not 0, is uncounted, or has a mark */
	bool percents; /* the first row has percentages; list->percents extends them to the other rows */
	bool numbers;  /* a head has a second line with a number */
	unsigned cell_width, beside_width[BESIDE], name_width;
	size_t first, last; /* rows of the current panel: first to last - 1 */
};

/* ---- cells -------------------------------------------------------------------------------------- */

static bool wide_is_alone(const struct wide *wide)
{
	return wide->section->layout == SHEET_ALONE;
}

static bool wide_is_shown(const struct wide *wide, size_t measure)
{
	return wide->seen[measure] || wide->style.zeros;
}

static struct wide_cell *wide_cell_at(const struct wide *wide, size_t row, size_t measure)
{
	return &wide->cell[row * wide->list->measures + measure];
}

static const char *wide_unit(const struct sheet_measure *measure)
{
	return measure->unit ? measure->unit : "";
}

/* Return the mark of an inexact value. Return "" for a mean, and if the list has no marks at values. */
static const char *wide_mark(const struct wide *wide, const struct sheet_cell *cell)
{
	return wide->list->marked && !isfinite(cell->error) ? sheet_exactness_mark(cell->exactness) : "";
}

/* Format value and unit. A mean that is small and not whole keeps three digits, so that 0.25 faults are not
 * shown as 0. */
static void wide_set_value(const struct sheet_cell *cell, const char *unit, char text[UTIL_NUMBER_MAX],
			   char shown[UTIL_NUMBER_MAX])
{
	const bool small = !cell->whole && cell->value < 1000 && cell->value != floor(cell->value);
	const uint64_t count = cell->whole            ? cell->count
			       : cell->value < 0x1p64 ? (uint64_t)(cell->value + .5)
						      : UINT64_MAX;

	util_format_value(count, unit, text, shown);
	if (cell->exactness == SHEET_UNCOUNTED)
		strcpy(text, "-");
	else if (small && util_unit_ns(unit) == 0)
		snprintf(text, UTIL_NUMBER_MAX, "%.3g", cell->value);
}

/* Format the texts of a value of the only row, which has words next to the value. */
static void wide_set_alone(struct wide *wide, const void *row, size_t measure, const struct sheet_cell *cell)
{
	char(*beside)[UTIL_NUMBER_MAX] = wide->beside[measure];
	struct sheet_cell words;

	wide_set_value(cell, wide_unit(&wide->list->measure[measure]), wide_cell_at(wide, 0, measure)->text,
		       beside[UNIT]);
	for (size_t a = 1; a < wide->list->aspects && a < BESIDE; a++)
		if (wide->list->aspect[a].kind == SHEET_TEXT &&
		    sheet_value_of(wide->section, wide->list, row, measure, a, &words) && words.text)
			snprintf(beside[a], UTIL_NUMBER_MAX, "%s", words.text);
	if (cell->exactness == SHEET_UNCOUNTED)
		strcpy(beside[WORDS], "uncounted");
	else if (cell->percent > 0)
		snprintf(beside[WORDS], UTIL_NUMBER_MAX, "%.1f %%", cell->percent);
}

/* Format a value in a column. Most values are 0 here; showing 0 as a dot lets the other values stand out. */
static void wide_set_column(const struct wide *wide, size_t row, size_t measure,
			    const struct sheet_cell *cell)
{
	const char *unit = wide_unit(&wide->list->measure[measure]), *mark = wide_mark(wide, cell);
	char value[UTIL_NUMBER_MAX], shown[UTIL_NUMBER_MAX], *text = wide_cell_at(wide, row, measure)->text;

	wide_set_value(cell, unit, value, shown);
	if (cell->exactness == SHEET_UNCOUNTED)
		strcpy(text, "uncounted");
	else if (!*mark && !strcmp(value, "0"))
		strcpy(text, ".");
	else
		snprintf(text, UTIL_NUMBER_MAX, "%s%.28s%s%.4s", mark, value, util_unit_ns(unit) ? " " : "",
			 util_unit_ns(unit) ? shown : "");
}

static bool wide_count_row(void *to, const void *row)
{
	(void)row;
	((struct wide *)to)->rows++;
	return true;
}

/* Format the head of a row's column. The name has the combined mark of all values, unless each value has a
 * mark. */
static void wide_set_head(const struct wide *wide, const void *row, enum sheet_exactness exactness,
			  struct wide_head *head)
{
	for (size_t i = 0; i < wide->section->columns; i++) {
		const struct sheet_column *column = &wide->section->column[i];
		struct sheet_cell cell;

		if (!(column->forms & SHEET_IN_TEXT))
			continue;
		cell = sheet_cell_of(wide->section, row, column);
		if (column->kind == SHEET_TEXT)
			snprintf(head->name, sizeof(head->name), "%s%s",
				 wide->list->marked ? "" : sheet_exactness_mark(exactness),
				 cell.text ? cell.text : "");
		else if (!cell.absent && cell.count)
			snprintf(head->number, sizeof(head->number), "%" PRIu64, cell.count);
	}
}

static bool wide_add_row(void *to, const void *row)
{
	struct wide *wide = to;
	const size_t at = wide->rows++;
	enum sheet_exactness exactness = SHEET_EXACT;

	for (size_t m = 0; m < wide->list->measures; m++) {
		struct sheet_cell cell;

		sheet_value_of(wide->section, wide->list, row, m, 0, &cell);
		exactness = sheet_exactness_both(exactness, cell.exactness);
		if (cell.exactness != SHEET_UNCOUNTED)
			wide_cell_at(wide, at, m)->percent = cell.percent;
		if (at == 0)
			wide->seen[m] = (cell.whole ? cell.count != 0 : cell.value != 0) ||
					cell.exactness == SHEET_UNCOUNTED || *wide_mark(wide, &cell);
		if (!wide_is_alone(wide))
			wide_set_column(wide, at, m, &cell);
		else if (at == 0)
			wide_set_alone(wide, row, m, &cell);
	}
	wide_set_head(wide, row, exactness, &wide->head[at]);
	wide->numbers |= *wide->head[at].number != '\0';
	return true;
}

static void wide_set_widths(struct wide *wide)
{
	wide->cell_width = wide_is_alone(wide) ? 0 : CELL_MIN;
	for (size_t m = 0; m < wide->list->measures; m++) {
		const unsigned name = util_columns(wide->list->measure[m].name);

		if (!wide_is_shown(wide, m))
			continue;
		wide->percents |= wide_cell_at(wide, 0, m)->percent > 0;
		if (name > wide->name_width && (name <= NAME_MAX_COLUMN || !wide_is_alone(wide)))
			wide->name_width = name;
		for (size_t row = 0; row < (wide_is_alone(wide) ? 1 : wide->rows); row++)
			util_widen(&wide->cell_width, wide_cell_at(wide, row, m)->text);
		for (unsigned i = 0; i < BESIDE; i++)
			util_widen(&wide->beside_width[i], wide->beside[m][i]);
	}
}

/* ---- lines -------------------------------------------------------------------------------------- */

/* Write the first sentence, or the part of the sentence that fits. */
static void wide_put_help(FILE *out, const char *text, unsigned room)
{
	const char *end = strstr(text, ". ");
	char sentence[256];
	size_t length = end ? (size_t)(end - text) : strlen(text);
	bool fits;

	if (length >= sizeof(sentence))
		length = sizeof(sentence) - 1;
	memcpy(sentence, text, length);
	sentence[length] = '\0';
	if (length > 0 && sentence[length - 1] == '.')
		sentence[length - 1] = '\0';
	fits = util_columns(sentence) <= room;
	util_put(out, sentence, fits ? room : room - 3);
	fputs(fits ? "" : "...", out);
}

/* Write a measure of the only row. Descriptions begin at one column, except after names longer than
 * NAME_MAX_COLUMN. */
static void wide_put_alone(const struct wide *wide, size_t m)
{
	const struct sheet_measure *measure = &wide->list->measure[m];
	const unsigned name = util_columns(measure->name),
		       pad = name < wide->name_width ? wide->name_width - name : 0;
	unsigned column = INDENT, end;
	FILE *out = wide->out;

	util_pad(out, INDENT);
	column += util_put_right(out, wide_cell_at(wide, 0, m)->text, wide->cell_width);
	fputc(' ', out);
	column += 1 + util_put_left(out, wide->beside[m][UNIT], wide->beside_width[UNIT]);
	for (unsigned i = WORDS; i < BESIDE; i++)
		if (wide->beside_width[i] > 0) {
			util_pad(out, GAP);
			column += GAP + util_put_right(out, wide->beside[m][i], wide->beside_width[i]);
		}
	util_pad(out, GAP);
	util_put(out, measure->name, name);
	end = column + GAP + name + pad + GAP;
	if (measure->help && *measure->help && end + DESCRIPTION_MIN <= wide->style.width) {
		util_pad(out, pad + GAP);
		fputs(wide->style.colour ? DIM : "", out);
		wide_put_help(out, measure->help, wide->style.width - end);
		fputs(wide->style.colour ? PLAIN : "", out);
	}
	fputc('\n', out);
}

static bool wide_has_percents(const struct wide *wide, size_t row)
{
	return row == 0 ? wide->percents : wide->list->percents;
}

static unsigned wide_column_width(const struct wide *wide, size_t row)
{
	return wide->cell_width + (wide_has_percents(wide, row) ? PERCENT_WIDTH : 0);
}

/* Write a measure, with a value for each row of the panel. No line ends with the blanks of a missing
 * percentage. */
static void wide_put_columns(const struct wide *wide, size_t m)
{
	unsigned blanks = 0;

	util_pad(wide->out, INDENT);
	util_put_left(wide->out, wide->list->measure[m].name, wide->name_width);
	for (size_t row = wide->first; row < wide->last; row++) {
		const struct wide_cell *cell = wide_cell_at(wide, row, m);
		char percent[UTIL_NUMBER_MAX];

		util_pad(wide->out, blanks + 1);
		util_put_right(wide->out, cell->text, wide->cell_width);
		blanks = wide_has_percents(wide, row) ? PERCENT_WIDTH : 0;
		if (blanks == 0 || cell->percent <= 0)
			continue;
		snprintf(percent, sizeof(percent), "%.1f %%", cell->percent);
		util_put_right(wide->out, percent, PERCENT_WIDTH);
		blanks = 0;
	}
	fputc('\n', wide->out);
}

/* ---- groups ------------------------------------------------------------------------------------- */

static bool wide_same_group(const struct wide *wide, size_t a, size_t b)
{
	return !strcmp(wide->list->measure[a].group, wide->list->measure[b].group);
}

/* Write the names of the group's measures that are 0, from the given column on. At most UNSEEN_LINES lines
 * are written: a wall of names is as bad as a wall of zeros. */
static void wide_put_unseen(const struct wide *wide, size_t group, unsigned column, unsigned count)
{
	static const char intro[] = "not seen: ";
	const unsigned indent = INDENT + (unsigned)sizeof(intro) - 1, more = sizeof(" and 255 more") - 1;
	unsigned line = 1, done = 0;
	FILE *out = wide->out;

	fputs(wide->style.colour ? DIM : "", out);
	util_pad(out, INDENT);
	fputs(intro, out);
	column += indent;
	for (size_t m = group; m < wide->list->measures; m++) {
		const char *name = wide->list->measure[m].name;
		const unsigned columns = util_columns(name);
		bool fits;

		if (!wide_same_group(wide, m, group) || wide->seen[m])
			continue;
		fits = column + 2 + columns + (done + 1 == count || line < UNSEEN_LINES ? 1 : more) <=
		       wide->style.width;
		if (done > 0 && !fits && line == UNSEEN_LINES) {
			fprintf(out, " and %u more", count - done);
			break;
		}
		if (done > 0 && fits) {
			fputs(", ", out);
			column += 2;
		} else if (done > 0) {
			fputs(",\n", out);
			util_pad(out, indent);
			column = indent;
			line++;
		}
		column += util_put(out, name, columns);
		done++;
	}
	fputs(wide->style.colour ? PLAIN "\n" : "\n", out);
}

static void wide_put_group(const struct wide *wide, size_t group)
{
	const char *name = wide->list->measure[group].group;
	unsigned shown = 0, zero = 0, column;

	for (size_t m = group; m < wide->list->measures; m++)
		if (wide_same_group(wide, m, group)) {
			shown += wide_is_shown(wide, m);
			zero += !wide_is_shown(wide, m) && wide->style.unseen;
		}
	if (shown + zero == 0)
		return;
	fputs(wide->style.colour ? BOLD " " : " ", wide->out);
	column = 1 + util_put(wide->out, name, SHEET_GROUP_MAX);
	fputs(wide->style.colour ? PLAIN : "", wide->out);
	fputs(shown > 0 ? "\n" : "", wide->out);
	for (size_t m = group; m < wide->list->measures; m++)
		if (wide_same_group(wide, m, group) && wide_is_shown(wide, m))
			(wide_is_alone(wide) ? wide_put_alone : wide_put_columns)(wide, m);
	if (zero > 0)
		wide_put_unseen(wide, group, shown > 0 ? 0 : column, zero);
}

static void wide_put_groups(const struct wide *wide)
{
	for (size_t m = 0; m < wide->list->measures; m++) {
		size_t before = 0;

		while (before < m && !wide_same_group(wide, before, m))
			before++;
		if (before == m) /* a measure with an earlier one in its group is already printed */
			wide_put_group(wide, m);
	}
}

/* ---- panels ------------------------------------------------------------------------------------- */

/* Write the heads of columns, cut to the columns' widths: the names, or the numbers below the names. */
static void wide_put_heads(const struct wide *wide, bool numbers)
{
	util_pad(wide->out, INDENT + wide->name_width);
	for (size_t row = wide->first; row < wide->last; row++) {
		const char *text = numbers ? wide->head[row].number : wide->head[row].name;
		const unsigned width = wide_column_width(wide, row), columns = util_columns(text);

		util_pad(wide->out, 1 + (columns < width ? width - columns : 0));
		util_put(wide->out, text, columns < width ? columns : width);
	}
	fputc('\n', wide->out);
}

/* Return the row after the panel's last row. A panel has at least two columns, even if its lines become too
 * long. */
static size_t wide_panel_end(const struct wide *wide)
{
	unsigned edge = INDENT + wide->name_width;
	size_t row = wide->first;

	for (; row < wide->rows; row++) {
		edge += 1 + wide_column_width(wide, row);
		if (edge > wide->style.width && row - wide->first >= 2)
			break;
	}
	return row;
}

/* Write the panels one after another. Measures that are 0 are named once, in the last panel. */
static void wide_put_panels(struct wide *wide)
{
	const bool unseen = wide->style.unseen;

	for (; wide->first < wide->rows; wide->first = wide->last) {
		fputs(wide->first > 0 ? "\n" : "", wide->out);
		wide->last = wide_panel_end(wide);
		wide->style.unseen = unseen && wide->last == wide->rows;
		wide_put_heads(wide, false);
		if (wide->numbers)
			wide_put_heads(wide, true);
		wide_put_groups(wide);
	}
}

bool sheet_text_wide(FILE *out, const struct sheet_section *section, const struct sheet_style *style)
{
	struct wide wide = {.out = out, .section = section, .list = &section->list[0], .style = *style};
	const size_t measures = wide.list->measures;
	bool done = section->each(section->arg, wide_count_row, &wide);

	wide.head = calloc(wide.rows + 1, sizeof(*wide.head));
	wide.cell = calloc(wide.rows * measures + 1, sizeof(*wide.cell));
	wide.beside = calloc(measures + 1, sizeof(*wide.beside));
	wide.seen = calloc(measures + 1, sizeof(*wide.seen));
	wide.rows = 0;
	done = done && wide.head && wide.cell && wide.beside && wide.seen &&
	       section->each(section->arg, wide_add_row, &wide);
	if (done && wide.rows > 0) {
		wide_set_widths(&wide);
		if (wide_is_alone(&wide))
			wide_put_groups(&wide);
		else
			wide_put_panels(&wide);
	}
	free(wide.head);
	free(wide.cell);
	free(wide.beside);
	free(wide.seen);
	return done;
}
