/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_table.c - counts as a table for people: a function of its arguments,
 * which knows neither a unit nor a clock.
 *
 * Everything is laid out as text first, since the widths of the columns are
 * those of the longest numbers; 256 rows make that cheap.
 */
#include "lib/stat_table.h"

#include <stdlib.h>
#include <string.h>

#include "lib/common.h"

#define INDENT 2
#define GAP 2
#define NAME_MAX_COLUMN 44 /* one very long name does not push all others */
#define DESCRIPTION_MIN 20 /* less of a description says nothing */
#define UNSEEN_LINES 4     /* of names of events that were not seen */
#define CELL_MIN 11
#define PERCENT_WIDTH 8 /* " 100.0 %" */

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

struct cell {
	char value[UTIL_NUMBER_MAX];
	char unit[UTIL_NUMBER_MAX];
	char rate[UTIL_NUMBER_MAX];
	char spread[UTIL_NUMBER_MAX];
};

/* A mean that is small and no whole number keeps three digits: 0.25 of a fault is not none. */
static void put_mean(const struct stat_row *row, struct cell *cell)
{
	cell->spread[0] = '\0';
	if (!row->repeated)
		return;
	if (row->mean != (double)row->value && row->mean < 1000 && util_unit_ns(row->unit) == 0)
		snprintf(cell->value, sizeof(cell->value), "%.3g", row->mean);
	if (!(row->flags & UPC_COUNTER_NEVER))
		snprintf(cell->spread, sizeof(cell->spread), "+- %.2f %%", row->spread);
}

static void fill_row_cells(const struct stat_row *row, double seconds, struct cell *cell)
{
	util_format_value(row->value, row->unit, cell->value, cell->unit);
	put_mean(row, cell);
	cell->rate[0] = '\0';
	if (row->flags & UPC_COUNTER_NEVER)
		snprintf(cell->rate, sizeof(cell->rate), "uncounted");
	else if (row->flags & UPC_COUNTER_PARTIAL)
		snprintf(cell->rate, sizeof(cell->rate), "part only");
	else if (row->kind == UPC_KIND_LEVEL)
		snprintf(cell->rate, sizeof(cell->rate), "%s",
			 row->flags & UPC_COUNTER_LOST ? "last seen" : "level");
	else if (row->flags & UPC_COUNTER_LOST)
		snprintf(cell->rate, sizeof(cell->rate), "source lost");
	else if (row->percent > 0)
		snprintf(cell->rate, sizeof(cell->rate), "%.1f %%", row->percent);
	else if (seconds <= 0)
		return;
	else if (util_unit_ns(row->unit) > 0)
		/* Time per time is a share, not a rate. */
		snprintf(cell->rate, sizeof(cell->rate), "%.1f %%",
			 (double)row->value * (double)util_unit_ns(row->unit) / seconds / 1e7);
	else
		util_format_rate((row->repeated ? row->mean : (double)row->value) / seconds, cell->rate);
}

/* A row with a 0 that says something by itself is never folded away. */
static bool is_stat_row_seen(const struct stat_row *row)
{
	const unsigned odd = UPC_COUNTER_NEVER | UPC_COUNTER_PARTIAL | UPC_COUNTER_LOST;

	return row->value != 0 || (row->repeated && row->mean != 0) || (row->flags & odd) != 0;
}

static bool counts_everybody(const struct stat_row *row)
{
	return row->scope == UPC_SCOPE_CPU || row->scope == UPC_SCOPE_MACHINE;
}

static bool same_group(const struct stat_row *a, const struct stat_row *b)
{
	return a->scope == b->scope && strcmp(a->subsystem, b->subsystem) == 0;
}

static const char *const scope_words[] = {
	[UPC_SCOPE_CONTEXT] = "",
	[UPC_SCOPE_THREAD] = ", main thread only",
	[UPC_SCOPE_PROCESS] = ", main process",
	[UPC_SCOPE_CPU] = ", one CPU",
	[UPC_SCOPE_MACHINE] = ", machine wide",
};

/*
 * Names of the group's rows that are 0, from a column on, on a few lines: with
 * 256 events most of them are, and a wall of names is as bad as one of zeros.
 */
static void print_unseen_names(FILE *out, unsigned column, const struct stat_row *rows, unsigned n,
			       const struct stat_row *group, unsigned count, const struct stat_style *style)
{
	static const char intro[] = "not seen: ";
	const unsigned indent = INDENT + (unsigned)sizeof(intro) - 1, more = sizeof(" and 255 more") - 1;
	unsigned line = 1, done = 0;

	if (style->colour)
		fputs(DIM, out);
	util_pad(out, INDENT);
	fputs(intro, out);
	column += indent;
	for (unsigned i = 0; i < n; i++) {
		unsigned columns;
		bool last;

		if (!same_group(&rows[i], group) || is_stat_row_seen(&rows[i]))
			continue;
		columns = util_columns(rows[i].name);
		last = done + 1 == count;
		if (done > 0) {
			bool fits = column + 2 + columns + (last || line < UNSEEN_LINES ? 1 : more) <=
				    style->width;

			if (!fits && line == UNSEEN_LINES) {
				fprintf(out, " and %u more", count - done);
				break;
			}
			fputc(',', out);
			if (fits) {
				fputc(' ', out);
				column += 2;
			} else {
				fputc('\n', out);
				util_pad(out, indent);
				column = indent;
				line++;
			}
		}
		column += util_put(out, rows[i].name, columns);
		done++;
	}
	fputs(style->colour ? PLAIN "\n" : "\n", out);
}

/* ---- the groups -------------------------------------------------------- */

struct table {
	const struct stat_row *rows;
	unsigned n;
	const struct stat_style *style;
	void (*row)(FILE *out, struct table *table, unsigned i);

	/* of the table with one column */
	struct cell *cells;
	unsigned value_width, unit_width, rate_width, spread_width, name_width;

	/* of that with columns */
	const struct stat_column *columns;
	unsigned first, last, cell_width;
	bool percents; /* of the rows themselves */
	bool tids;
};

/* Returns the column behind it. Where each thread has a column, its counts are of no main thread only. */
static unsigned table_heading(FILE *out, const struct table *table, const struct stat_row *row)
{
	const char *scope = row->scope == UPC_SCOPE_THREAD && table->tids ? "" : scope_words[row->scope];
	unsigned columns;

	fputs(table->style->colour ? BOLD " " : " ", out);
	columns = util_put(out, row->subsystem, 60);
	fputs(scope, out);
	fputs(table->style->colour ? PLAIN : "", out);
	return 1 + columns + (unsigned)strlen(scope);
}

/* A group, which begins with row i. */
static void print_row_group(FILE *out, struct table *table, unsigned i)
{
	const struct stat_row *rows = table->rows, *group = &rows[i];
	const struct stat_style *style = table->style;
	unsigned shown = 0, zero = 0, column;

	for (unsigned k = i; k < table->n; k++)
		if (same_group(&rows[k], group)) {
			bool row = is_stat_row_seen(&rows[k]) || style->zeros;

			shown += row;
			zero += !row;
		}
	if (!style->unseen)
		zero = 0;
	if (shown + zero == 0)
		return;
	column = table_heading(out, table, group);
	if (shown > 0) {
		fputc('\n', out);
		column = 0;
	}
	for (unsigned k = i; k < table->n; k++)
		if (same_group(&rows[k], group) && (is_stat_row_seen(&rows[k]) || style->zeros))
			table->row(out, table, k);
	if (zero > 0)
		print_unseen_names(out, column, rows, table->n, group, zero, style);
}

static void print_row_groups(FILE *out, struct table *table)
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < table->n; i++) {
			unsigned before = 0;

			if (counts_everybody(&table->rows[i]) != (pass == 1))
				continue;
			while (before < i && !same_group(&table->rows[before], &table->rows[i]))
				before++;
			if (before == i) /* else it has been printed */
				print_row_group(out, table, i);
		}
}

/* The first sentence, or as much of it as there is room for. */
static void put_row_description(FILE *out, const char *text, unsigned room)
{
	const char *end = strstr(text, ". ");
	char sentence[256];
	size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
	unsigned columns;

	if (length >= sizeof(sentence))
		length = sizeof(sentence) - 1;
	memcpy(sentence, text, length);
	sentence[length] = '\0';
	if (length > 0 && sentence[length - 1] == '.')
		sentence[length - 1] = '\0';
	columns = util_columns(sentence);
	if (columns <= room) {
		util_put(out, sentence, columns);
	} else {
		util_put(out, sentence, room - 3);
		fputs("...", out);
	}
}

static void print_stat_row(FILE *out, struct table *table, unsigned i)
{
	const struct stat_row *row = &table->rows[i];
	const struct cell *cell = &table->cells[i];
	unsigned column = INDENT, name, room;

	util_pad(out, INDENT);
	column += util_put_right(out, cell->value, table->value_width);
	fputc(' ', out);
	column += 1 + util_put_left(out, cell->unit, table->unit_width);
	if (table->rate_width > 0) {
		util_pad(out, GAP);
		column += GAP + util_put_right(out, cell->rate, table->rate_width);
	}
	if (table->spread_width > 0) {
		util_pad(out, GAP);
		column += GAP + util_put_right(out, cell->spread, table->spread_width);
	}
	util_pad(out, GAP);
	column += GAP;
	name = util_columns(row->name);
	util_put(out, row->name, name);
	column += name;
	/* Descriptions begin at one column, behind the names that are not
	 * longer than most. */
	if (name < table->name_width)
		name = table->name_width - name;
	else
		name = 0;
	room = column + name + GAP < table->style->width ? table->style->width - column - name - GAP : 0;
	if (room >= DESCRIPTION_MIN && row->description[0] != '\0') {
		util_pad(out, name + GAP);
		if (table->style->colour)
			fputs(DIM, out);
		put_row_description(out, row->description, room);
		if (table->style->colour)
			fputs(PLAIN, out);
	}
	fputc('\n', out);
}

void stat_table_print(FILE *out, const struct stat_row *rows, unsigned n, const struct stat_style *style)
{
	struct table table = {.rows = rows, .n = n, .style = style, .row = print_stat_row};

	table.cells = calloc(n + 1, sizeof(*table.cells));
	if (table.cells == NULL) {
		util_error("out of memory");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned name = util_columns(rows[i].name);

		fill_row_cells(&rows[i], style->seconds, &table.cells[i]);
		if (!is_stat_row_seen(&rows[i]) && !style->zeros)
			continue;
		util_widen(&table.value_width, table.cells[i].value);
		util_widen(&table.unit_width, table.cells[i].unit);
		util_widen(&table.rate_width, table.cells[i].rate);
		util_widen(&table.spread_width, table.cells[i].spread);
		if (name <= NAME_MAX_COLUMN && name > table.name_width)
			table.name_width = name;
	}
	print_row_groups(out, &table);
	free(table.cells);
}

/* ---- a column a thread ------------------------------------------------- */

/* The mark of an incomplete value: a count is a lower bound, a level may be too high or too low. */
static const char *mark_of_row(const struct stat_row *row, unsigned flags)
{
	if ((flags & (UPC_COUNTER_PARTIAL | UPC_COUNTER_LOST)) == 0)
		return "";
	return row->kind == UPC_KIND_LEVEL ? "~" : ">=";
}

static void cell_text(const struct stat_row *row, uint64_t value, unsigned flags,
		      char text[2 * UTIL_NUMBER_MAX + 4])
{
	struct cell cell;

	if (flags & UPC_COUNTER_NEVER) {
		strcpy(text, "uncounted");
		return;
	}
	if (value == 0 && mark_of_row(row, flags)[0] == '\0') {
		/* Zeros are many here; a dot lets the others stand out. */
		strcpy(text, ".");
		return;
	}
	util_format_value(value, row->unit, cell.value, cell.unit);
	snprintf(text, 2 * UTIL_NUMBER_MAX + 4, "%s%s%s%s", mark_of_row(row, flags), cell.value,
		 util_unit_ns(row->unit) > 0 ? " " : "", util_unit_ns(row->unit) > 0 ? cell.unit : "");
}

static bool has_percents(const struct table *table, unsigned c)
{
	return table->columns[c].percents != NULL;
}

static unsigned width_of(const struct table *table, bool percents)
{
	return table->cell_width + (percents ? PERCENT_WIDTH : 0);
}

/* A value and the percent beside it; returns the blanks of one that is not there, which
 * are written only before another cell. */
static unsigned print_cell(FILE *out, const char *value, unsigned width, bool percents, double percent,
			   unsigned blanks)
{
	char text[UTIL_NUMBER_MAX];

	util_pad(out, blanks + 1);
	util_put_right(out, value, width);
	if (!percents || percent <= 0)
		return percents ? PERCENT_WIDTH : 0;
	snprintf(text, sizeof(text), "%.1f %%", percent);
	util_put_right(out, text, PERCENT_WIDTH);
	return 0;
}

static void print_columns_row(FILE *out, struct table *table, unsigned i)
{
	const struct stat_row *row = &table->rows[i];
	char text[2 * UTIL_NUMBER_MAX + 4];
	unsigned blanks = 0;

	util_pad(out, INDENT);
	util_put_left(out, row->name, table->name_width);
	if (table->first == 0) {
		cell_text(row, row->value, row->flags, text);
		blanks = print_cell(out, text, table->cell_width, table->percents, row->percent, 0);
	}
	for (unsigned c = table->first; c < table->last; c++) {
		const struct stat_column *column = &table->columns[c];
		bool percents = has_percents(table, c);

		cell_text(row, column->values[i], column->flags[i], text);
		blanks = print_cell(out, text, table->cell_width, percents,
				    percents ? column->percents[i] : 0, blanks);
	}
	fputc('\n', out);
}

/* The head of a column, cut to its width. */
static void column_head(FILE *out, const char *text, unsigned width)
{
	unsigned columns = util_columns(text);

	fputc(' ', out);
	if (columns > width)
		columns = width;
	util_pad(out, width - columns);
	util_put(out, text, columns);
}

static void print_column_heads(FILE *out, const struct table *table, const char *total)
{
	unsigned edge = INDENT + table->name_width;

	util_pad(out, edge);
	if (table->first == 0)
		column_head(out, total, width_of(table, table->percents));
	for (unsigned c = table->first; c < table->last; c++)
		column_head(out, table->columns[c].name, width_of(table, has_percents(table, c)));
	fputc('\n', out);
	if (!table->tids)
		return;
	util_pad(out, edge);
	if (table->first == 0)
		column_head(out, "", width_of(table, table->percents));
	for (unsigned c = table->first; c < table->last; c++) {
		char tid[16] = "";

		if (table->columns[c].tid != 0)
			snprintf(tid, sizeof(tid), "%d", (int)table->columns[c].tid);
		column_head(out, tid, width_of(table, has_percents(table, c)));
	}
	fputc('\n', out);
}

/* Where the panel that begins with column first ends; the sum takes a place in the first
 * panel. Two at least: long lines, but a table. */
static unsigned panel_end(const struct table *table, unsigned n_columns, unsigned width)
{
	unsigned edge = INDENT + table->name_width, shown = 0, c = table->first;

	if (c == 0) {
		edge += 1 + width_of(table, table->percents);
		shown++;
	}
	for (; c < n_columns; c++, shown++) {
		edge += 1 + width_of(table, has_percents(table, c));
		if (edge > width && shown >= 2)
			break;
	}
	return c;
}

void stat_table_print_columns(FILE *out, const struct stat_row *rows, unsigned n, const char *total,
			      const struct stat_column *columns, unsigned n_columns,
			      const struct stat_style *style)
{
	struct table table = {.rows = rows,
			      .n = n,
			      .style = style,
			      .row = print_columns_row,
			      .columns = columns,
			      .cell_width = CELL_MIN};

	for (unsigned i = 0; i < n; i++) {
		char text[2 * UTIL_NUMBER_MAX + 4];

		if (!is_stat_row_seen(&rows[i]) && !style->zeros)
			continue;
		table.percents = table.percents || rows[i].percent > 0;
		util_widen(&table.name_width, rows[i].name);
		cell_text(&rows[i], rows[i].value, rows[i].flags, text);
		util_widen(&table.cell_width, text);
		for (unsigned c = 0; c < n_columns; c++) {
			cell_text(&rows[i], columns[c].values[i], columns[c].flags[i], text);
			util_widen(&table.cell_width, text);
		}
	}
	for (unsigned c = 0; c < n_columns; c++)
		table.tids = table.tids || columns[c].tid != 0;
	do {
		struct stat_style panel = *style;

		/* The rows that are 0 are named once, in the last panel. */
		table.last = panel_end(&table, n_columns, style->width);
		panel.unseen = style->unseen && table.last == n_columns;
		table.style = &panel;
		print_column_heads(out, &table, total);
		print_row_groups(out, &table);
		table.first = table.last;
		if (table.first < n_columns)
			fputc('\n', out);
	} while (table.first < n_columns);
}
