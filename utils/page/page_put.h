/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_put.h - shared by the writers of a page: texts of any bytes, numbers, and the page's state.
 *
 * Terms: page/page.h.
 */
#ifndef UTIL_PAGE_PUT_H
#define UTIL_PAGE_PUT_H

#include "page/page.h"

struct page {
	FILE *out;
	int error;     /* errno of the first error */
	bool facts;    /* a list of facts is open */
	unsigned made; /* tables and pictures so far, for ids of elements */
	bool table;
	struct page_column *column;
	size_t columns, rows;
};

/* Style and script, line by line, ended by NULL. Made from page.css and page.js. */
extern const char *const page_css[];
extern const char *const page_js[];

/* Write markup unchanged. */
void page_put(struct page *page, const char *markup);
#define page_putf(page, ...)                                                 \
	do {                                                                 \
		if (!(page)->error && fprintf((page)->out, __VA_ARGS__) < 0) \
			page_failed(page);                                   \
	} while (0)

/* Make errno the page's error, unless the page already has an error. */
void page_failed(struct page *page);

/* Write text for an element or an attribute, or inside a JSON string of a script element. NULL: no text. */
void page_put_text(struct page *page, const char *text);
void page_put_json_text(struct page *page, const char *text);

/* End the open table or list of facts. */
void page_block(struct page *page);

/* Begin a figure with its caption. End a figure; if left_out is not 0, write the line "Not drawn" words ": "
 * left_out. */
void page_figure_begin(struct page *page, const char *kind, const char *caption, const char *unit);
void page_figure_end(struct page *page, size_t left_out, const char *words);

/* ---- numbers -------------------------------------------------------------------------------- */

#define PAGE_NUMBER_MAX 96

/* Format a count, with narrow spaces between groups of three digits. */
void page_format_count(uint64_t count, char text[PAGE_NUMBER_MAX]);
/* Format a number. A value that would round to 0 has two digits, and one of 1e15 or more an exponent. */
void page_format_number(double value, unsigned decimals, char text[PAGE_NUMBER_MAX]);

/* Format an interval: "± 12", or "10 to 40" if its two sides differ. */
#define PAGE_INTERVAL_MAX (2 * PAGE_NUMBER_MAX + 16)
void page_format_interval(double value, double low, double high, unsigned decimals,
			  char text[PAGE_INTERVAL_MAX]);

#endif
