/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet_html.c - writes sections of a sheet as tables of a page: one table with the columns, and one for each
 * list and aspect with a column per measure, so that rows can be sorted by any column.
 *
 * Terms: sheet/sheet.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "sheet/sheet.h"

enum { WORDS = 128, CAPTION = 160 };

/* A table's columns: some of the section's columns, and some of a list's measures. */
struct html {
	struct page *page;
	const struct sheet_section *section;
	const struct sheet_list *list; /* NULL: none */
	size_t aspect, shown;          /* shown: number of the section's HTML columns in this table */
	struct page_column *column;
	struct page_cell *cell;
	char (*words)[WORDS];
	size_t columns;
	double *most; /* largest value of each measure */
};

const char *sheet_short_name(const char *name)
{
	static const char prefix[] = "upc:::";

	return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}

static bool html_has(const struct html *html, size_t column, size_t *shown)
{
	return html->section->column[column].forms & SHEET_IN_HTML && (*shown)++ < html->shown;
}

static bool html_measure(void *to, const void *row)
{
	struct html *html = to;

	for (size_t m = 0; m < html->list->measures; m++) {
		struct sheet_cell cell;

		if (sheet_value_of(html->section, html->list, row, m, html->aspect, &cell) &&
		    cell.exactness != SHEET_UNCOUNTED && isfinite(cell.value))
			html->most[m] = fmax(html->most[m], fabs(cell.value));
	}
	return true;
}

static void html_columns(struct html *html)
{
	static const enum page_kind kinds[] = {[SHEET_TEXT] = PAGE_TEXT,
					       [SHEET_FLAG] = PAGE_COUNT,
					       [SHEET_COUNT] = PAGE_COUNT,
					       [SHEET_NUMBER] = PAGE_NUMBER,
					       [SHEET_VALUE] = PAGE_ESTIMATE};
	size_t shown = 0;

	html->columns = 0;
	for (size_t i = 0; i < html->section->columns; i++) {
		const struct sheet_column *column = &html->section->column[i];

		if (html_has(html, i, &shown))
			html->column[html->columns++] =
				(struct page_column){.header = column->header,
						     .unit = column->unit,
						     .help = column->help,
						     .kind = kinds[column->kind],
						     .decimals = column->decimals,
						     .word = column->word,
						     .of_any_size = column->of_any_size};
	}
	for (size_t m = 0; html->list && m < html->list->measures; m++) {
		const struct sheet_measure *measure = &html->list->measure[m];
		const struct sheet_aspect *aspect = &html->list->aspect[html->aspect];
		const double most = html->most[m];
		const char *header = measure->name ? sheet_short_name(measure->name) : "Time";

		html->column[html->columns++] = (struct page_column){
			.header = header,
			.unit = aspect->share ? "%" : measure->unit,
			.help = measure->help             ? measure->help
				: header != measure->name ? measure->name
							  : NULL,
			.kind = kinds[aspect->kind],
			.decimals = aspect->share              ? 1
				    : !html->list->of_any_size ? measure->decimals
				    : most < 10                ? 3
				    : most < 100               ? 2
							       : most < 1000,
		};
	}
}

/* Return the first words of a cell's reasons, which precede their colons. */
static const char *html_words(const struct sheet_cell *cell, char text[WORDS])
{
	text[0] = '\0';
	for (unsigned i = 0; i < cell->reasons; i++)
		snprintf(text + strlen(text), WORDS - strlen(text), "%s%.*s", i ? ", " : "",
			 (int)strcspn(cell->reason[i], ":"), cell->reason[i]);
	return text;
}

static struct page_cell html_value(const struct sheet_aspect *aspect, const struct sheet_cell *cell,
				   char text[WORDS])
{
	const bool value = aspect->kind == SHEET_VALUE;

	return (struct page_cell){
		.count = cell->count,
		.value = aspect->share ? 100 * cell->value : cell->value,
		.low = cell->low,
		.high = cell->high,
		.interval = value && cell->exactness == SHEET_ESTIMATE,
		.exact = value && cell->whole,
		.at_least = value && cell->exactness == SHEET_AT_LEAST,
		.at_most = value && cell->exactness == SHEET_AT_MOST,
		.absent = cell->absent || (value && cell->exactness == SHEET_UNCOUNTED),
		.flags = html_words(cell, text),
	};
}

static bool html_row(void *to, const void *row)
{
	struct html *html = to;
	struct page_cell *out = html->cell;
	size_t shown = 0;

	for (size_t i = 0; i < html->section->columns; i++) {
		struct sheet_cell cell;

		if (!html_has(html, i, &shown))
			continue;
		cell = sheet_cell_shown(html->section, row, &html->section->column[i]);
		*out++ = (struct page_cell){
			.text = cell.text,
			.depth = cell.depth,
			.count = cell.count,
			.value = cell.value,
			.at_least = cell.exactness == SHEET_AT_LEAST,
			.at_most = cell.exactness == SHEET_AT_MOST,
			.absent = (cell.absent && html->section->column[i].kind != SHEET_TEXT) ||
				  cell.exactness == SHEET_UNCOUNTED,
		};
	}
	for (size_t m = 0; html->list && m < html->list->measures; m++) {
		struct sheet_cell cell;

		if (!sheet_value_of(html->section, html->list, row, m, html->aspect, &cell))
			cell.absent = true;
		*out++ = html_value(&html->list->aspect[html->aspect], &cell, html->words[m]);
	}
	page_row(html->page, html->cell);
	return true;
}

/* Write a table with the first `shown` columns of the section, and a list's aspect. */
static bool html_table(struct html *html, const char *caption, size_t shown, const struct sheet_list *list,
		       size_t aspect)
{
	const size_t room = html->section->columns + (list ? list->measures : 0) + 1;
	bool done;

	html->list = list;
	html->aspect = aspect;
	html->shown = shown;
	html->column = calloc(room, sizeof(*html->column));
	html->cell = calloc(room, sizeof(*html->cell));
	html->words = calloc(room, sizeof(*html->words));
	html->most = calloc(room, sizeof(*html->most));
	done = html->column && html->cell && html->words && html->most;
	if (done && list && list->of_any_size)
		done = html->section->each(html->section->arg, html_measure, html);
	if (done) {
		html_columns(html);
		page_table(html->page, caption, html->column, html->columns);
		done = html->section->each(html->section->arg, html_row, html);
		page_table_end(html->page);
	}
	free(html->column);
	free(html->cell);
	free(html->words);
	free(html->most);
	return done;
}

static bool html_list(struct html *html, const struct sheet_list *list)
{
	bool done = true;

	for (size_t a = 0; done && a < list->aspects; a++) {
		char caption[CAPTION];

		if (!(list->aspect[a].forms & SHEET_IN_HTML))
			continue;
		snprintf(caption, sizeof(caption), "%s", list->caption);
		if (list->aspect[a].kind == SHEET_VALUE)
			snprintf(caption, sizeof(caption), "%s, %s, %s", list->caption, list->aspect[a].key,
				 html->section->which);
		done = html_table(html, caption, 1, list, a);
	}
	return done;
}

static bool html_section(struct html *html)
{
	const struct sheet_section *section = html->section;
	const struct sheet_list *first =
		section->together && section->list[0].measures ? section->list : NULL;
	char caption[CAPTION];
	bool done;

	if (section->caption)
		page_section(html->page, section->caption);
	done = !section->before || section->before(section->arg, html->page);
	snprintf(caption, sizeof(caption), "%s%s%s", section->table ? section->table : "",
		 section->which ? " " : "", section->which ? section->which : "");
	if (done && section->table)
		done = html_table(html, caption, SIZE_MAX, first, 0);
	for (size_t i = 0; done && !section->together && i < section->lists; i++)
		if (section->list[i].forms & SHEET_IN_HTML && section->list[i].measures)
			done = html_list(html, &section->list[i]);
	return done && (!section->behind || section->behind(section->arg, html->page));
}

bool sheet_html(struct page *page, const struct sheet_section *section, size_t sections)
{
	struct html html = {.page = page};
	bool done = true;

	for (size_t i = 0; done && i < sections; i++) {
		html.section = &section[i];
		if (section[i].forms & SHEET_IN_HTML)
			done = html_section(&html);
	}
	return done;
}
