/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_put.h - what the writers of a page share: texts of any bytes, numbers, and the page's state.
 */
#ifndef UTIL_PAGE_PUT_H
#define UTIL_PAGE_PUT_H

#include "page/page.h"

struct page {
	FILE *out;
	int error;     /* errno of the first */
	bool facts;    /* a list of them is open */
	unsigned made; /* tables, and pictures: for names of elements */
	bool table;
	struct page_column *column;
	size_t columns, rows;
};

/* Style and script, line by line; NULL ends them. Made of page.css and page.js. */
extern const char *const page_css[];
extern const char *const page_js[];

/* As it is. */
void page_put(struct page *page, const char *markup);
#define page_putf(page, ...)                                                 \
	do {                                                                 \
		if (!(page)->error && fprintf((page)->out, __VA_ARGS__) < 0) \
			page_failed(page);                                   \
	} while (0)

/* Makes errno the page's error, unless it has one. */
void page_failed(struct page *page);

/* Text: for an element or for an attribute; inside a JSON string of a script element. NULL: none. */
void page_put_text(struct page *page, const char *text);
void page_put_json_text(struct page *page, const char *text);

/* Ends the table or the list of facts that is still open. */
void page_block(struct page *page);

/* A figure, with its caption, and its end: of what is not drawn in it, "Not drawn" words ": " left_out. */
void page_figure_begin(struct page *page, const char *kind, const char *caption, const char *unit);
void page_figure_end(struct page *page, size_t left_out, const char *words);

/* ---- numbers -------------------------------------------------------------------------------- */

#define PAGE_NUMBER_MAX 96

/* With narrow blanks between thousands. */
void page_format_count(uint64_t count, char text[PAGE_NUMBER_MAX]);
/* One that would round to 0 has two digits, and one above 1e15 an exponent. */
void page_format_number(double value, unsigned decimals, char text[PAGE_NUMBER_MAX]);

/* "± 12", or "10 to 40" where the two sides are unlike. */
#define PAGE_INTERVAL_MAX (2 * PAGE_NUMBER_MAX + 16)
void page_format_interval(double value, double low, double high, unsigned decimals,
			  char text[PAGE_INTERVAL_MAX]);

#endif
