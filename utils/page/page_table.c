/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_table.c - tables. Rows beyond the first PAGE_ROWS are JSON after the table: an array of rows. A row is
 * an array of cells, each of the form [sort key, text, interval, flags, depth], where the last three may be
 * absent. page.js makes the same elements from such an array as put_table_cell writes. An estimate's interval
 * is in a separate column, so that digits are aligned with each other and with their heading.
 *
 * Terms: page/page.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page_put.h"

#define DEPTHS 24 /* deepest indentation */

/* The sort key, the texts and the depth of a cell. */
struct seen {
	char key[40]; /* a number in machine-readable form; empty: none */
	const char *text;
	char number[PAGE_NUMBER_MAX + 8], interval[PAGE_INTERVAL_MAX];
	const char *flags;
	unsigned depth;
};

static void see_number(const struct page_column *column, const struct page_cell *cell, struct seen *seen)
{
	const char *bound = cell->at_least ? "\xe2\x89\xa5 " : cell->at_most ? "\xe2\x89\xa4 " : "";
	char number[PAGE_NUMBER_MAX];
	const double size = fabs(cell->value);
	unsigned decimals = !column->of_any_size ? column->decimals
			    : size < 10          ? 3
			    : size < 100         ? 2
						 : size < 1000;

	if (column->kind == PAGE_COUNT || (column->kind == PAGE_ESTIMATE && cell->exact)) {
		page_format_count(cell->count, number);
		/* JSON readers treat integers above INT64_MAX differently. */
		if (cell->count > INT64_MAX)
			snprintf(seen->key, sizeof(seen->key), "%.1f", (double)cell->count);
		else
			snprintf(seen->key, sizeof(seen->key), "%" PRIu64, cell->count);
	} else {
		if (column->kind == PAGE_ESTIMATE && !decimals && cell->value < 100 &&
		    cell->value != floor(cell->value))
			decimals = 2;
		page_format_number(cell->value, decimals, number);
		if (isfinite(cell->value))
			snprintf(seen->key, sizeof(seen->key), "%.17g", cell->value);
		if (column->kind == PAGE_ESTIMATE && cell->interval && !*bound && !isnan(cell->value))
			page_format_interval(cell->value, cell->low, cell->high, decimals, seen->interval);
	}
	snprintf(seen->number, sizeof(seen->number), "%s%s", bound, number);
}

static void see_cell(const struct page_column *column, const struct page_cell *cell, struct seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	seen->text = seen->number;
	seen->flags = cell->flags && *cell->flags ? cell->flags : NULL;
	if (cell->absent) {
		strcpy(seen->number, "\xe2\x80\x93");
	} else if (column->kind == PAGE_TEXT) {
		seen->text = cell->text ? cell->text : "";
		seen->depth = cell->depth < DEPTHS ? cell->depth : DEPTHS;
	} else {
		see_number(column, cell, seen);
	}
}

/* ---- rows ----------------------------------------------------------------------------------- */

static void put_table_cell(struct page *page, const struct page_column *column, const struct seen *seen,
			   bool head)
{
	const char *name = head ? "th" : "td";

	page_putf(page, head ? "<%s scope=\"row\"" : "<%s", name);
	if (column->kind != PAGE_TEXT)
		page_putf(page, " class=\"n\" data-v=\"%s\">", seen->key);
	else if (column->word)
		page_put(page, " class=\"w\">");
	else if (seen->depth)
		page_putf(page, " class=\"d%u\">", seen->depth);
	else
		page_put(page, ">");
	page_put_text(page, seen->text);
	if (column->kind == PAGE_ESTIMATE) {
		page_put(page, "</td><td class=\"i\"><small>");
		page_put_text(page, seen->interval);
		page_put(page, "</small>");
	}
	if (seen->flags) {
		page_put(page, " <em>");
		page_put_text(page, seen->flags);
		page_put(page, "</em>");
	}
	page_putf(page, "</%s>", name);
}

static void put_json_cell(struct page *page, const struct page_column *column, const struct seen *seen)
{
	if (column->kind == PAGE_TEXT || !*seen->key)
		page_put(page, "[null,\"");
	else
		page_putf(page, "[%s,\"", seen->key);
	page_put_json_text(page, seen->text);
	page_put(page, "\"");
	if (*seen->interval || seen->flags || seen->depth) {
		page_put(page, ",\"");
		page_put_json_text(page, seen->interval);
		page_put(page, "\",\"");
		page_put_json_text(page, seen->flags);
		page_putf(page, "\",%u", seen->depth);
	}
	page_put(page, "]");
}

void page_row(struct page *page, const struct page_cell *cells)
{
	const bool json = page->rows >= PAGE_ROWS;
	struct seen seen;
	size_t i;

	if (!page->table) {
		errno = EINVAL;
		page_failed(page);
		return;
	}
	if (page->rows == PAGE_ROWS)
		page_putf(page,
			  "</tbody>\n</table>\n</div>\n<script type=\"application/json\" "
			  "id=\"table-%u-more\">[\n",
			  page->made);
	else if (json)
		page_put(page, ",\n");
	page_put(page, json ? "[" : "<tr>");
	for (i = 0; i < page->columns && !page->error; i++) {
		see_cell(&page->column[i], &cells[i], &seen);
		if (json && i)
			page_put(page, ",");
		if (json)
			put_json_cell(page, &page->column[i], &seen);
		else
			put_table_cell(page, &page->column[i], &seen,
				       !i && page->column[i].kind == PAGE_TEXT);
	}
	page_put(page, json ? "]" : "</tr>\n");
	page->rows++;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* Allow a line break after each of these characters, so that a name is no wider than its column. */
static void put_broken(struct page *page, const char *text)
{
	while (*text) {
		char part[64];
		size_t n = strcspn(text, ":-_"), behind = strspn(text + n, ":-_");

		n = n + behind < sizeof(part) ? n + behind : strlen(text);
		if (n >= sizeof(part)) {
			page_put_text(page, text);
			return;
		}
		memcpy(part, text, n);
		part[n] = '\0';
		page_put_text(page, part);
		text += n;
		if (*text)
			page_put(page, "<wbr />");
	}
}

static void put_column_head(struct page *page, const struct page_column *column)
{
	static const char *const classes[] = {
		[PAGE_TEXT] = "", [PAGE_COUNT] = "n", [PAGE_NUMBER] = "n", [PAGE_ESTIMATE] = "n e"};
	const char *class = column->word ? "w" : classes[column->kind];

	page_putf(page, *class ? "<th scope=\"col\" class=\"%s\"" : "<th scope=\"col\"%s", class);
	if (column->help) {
		page_put(page, " title=\"");
		page_put_text(page, column->help);
		page_put(page, "\"");
	}
	page_put(page, "><span>");
	put_broken(page, column->header);
	if (column->unit) {
		page_put(page, " <small>");
		page_put_text(page, column->unit);
		page_put(page, "</small>");
	}
	page_put(page, column->kind == PAGE_ESTIMATE ? "</span></th><td></td>" : "</span></th>");
}

void page_table(struct page *page, const char *caption, const struct page_column *columns, size_t n)
{
	struct page_column *copy;
	size_t i;

	page_block(page);
	copy = realloc(page->column, (n ? n : 1) * sizeof(*copy));
	if (!copy) {
		errno = ENOMEM;
		page_failed(page);
		return;
	}
	page->column = copy;
	if (n)
		memcpy(copy, columns, n * sizeof(*copy));
	page->columns = n;
	page->rows = 0;
	page->table = true;
	page->made++;
	page_putf(page, "<section class=\"table\" id=\"table-%u\">\n<h3 id=\"table-%u-name\">", page->made,
		  page->made);
	page_put_text(page, caption);
	page_putf(
		page,
		"</h3>\n<div class=\"box\" tabindex=\"0\" role=\"region\" "
		"aria-labelledby=\"table-%u-name\">\n<table aria-labelledby=\"table-%u-name\">\n<thead><tr>",
		page->made, page->made);
	for (i = 0; i < n; i++)
		put_column_head(page, &columns[i]);
	page_put(page, "</tr></thead>\n<tbody>\n");
}

void page_table_end(struct page *page)
{
	char all[PAGE_NUMBER_MAX], shown[PAGE_NUMBER_MAX];

	if (!page->table)
		return;
	page->table = false;
	if (page->rows > PAGE_ROWS) {
		page_format_count(page->rows, all);
		page_format_count(PAGE_ROWS, shown);
		page_putf(
			page,
			"]</script>\n<p class=\"cut\" data-told=\"%s of %s rows\">The first %s of %s rows. The "
			"others are in this page, and its script shows them.</p>\n",
			shown, all, shown, all);
	} else {
		page_put(page, "</tbody>\n</table>\n</div>\n");
	}
	page_put(page, "</section>\n");
}
