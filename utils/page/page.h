/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page.h - writes a report as one self-contained HTML file: no network, no other file; pictures are SVG.
 *
 * Terms:
 *   script       page.js, which runs in the reader's browser
 *   figure       a picture with its caption, and a text that mentions what is not drawn
 *   fact         a short text with a label, such as the name of a job and its value
 *   chart        a figure of lines over time (page_lines)
 *   scale        the positions and the labels of the marks on an axis
 *   column       of a table; or of a chart: neighbouring points that are drawn as one
 *   band         a time of a chart with a special state, drawn as a coloured area
 *   least, most  minimum and maximum
 *
 * The page is readable without the script, which sorts tables and zooms into pictures.
 *
 * Texts may be any bytes. Bytes that are no UTF-8 become U+FFFD, control bytes become their pictures, and no
 * text is ever markup. Calls do not fail: the first error is kept, later output is dropped, and page_end
 * returns the error. Arguments may be freed after each call. One thread at a time.
 */
#ifndef UTIL_PAGE_H
#define UTIL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

struct page;

/* Begin a page. subtitle may be NULL. NULL: out of memory; nothing has been written. */
struct page *page_begin(FILE *out, const char *title, const char *subtitle);

/* End all open elements, flush out, which the caller still owns, and free the page. Return 0, or the errno of
 * the first failure. */
int page_end(struct page *page);

/* Write a heading, a paragraph, or a paragraph that the reader must not miss. */
void page_section(struct page *page, const char *heading);
void page_text(struct page *page, const char *text);
void page_note(struct page *page, const char *text);

/* Write a fact with its label. Consecutive facts form one list. */
void page_fact(struct page *page, const char *label, const char *text);

/* ---- tables --------------------------------------------------------------------------------- */

enum page_kind {
	PAGE_TEXT,
	PAGE_COUNT,    /* whole numbers */
	PAGE_NUMBER,   /* numbers with page_column.decimals decimals */
	PAGE_ESTIMATE, /* numbers as PAGE_NUMBER, with intervals */
};

struct page_column {
	const char *header;
	const char *unit, *help; /* NULL: none; help is a tooltip */
	enum page_kind kind;
	unsigned decimals;
	bool word;        /* texts are short: no line breaks */
	bool of_any_size; /* for PAGE_NUMBER: decimals for three or four digits */
};

/* A cell of zero bytes is an empty text, or 0. */
struct page_cell {
	const char *text;  /* for PAGE_TEXT */
	unsigned depth;    /* for PAGE_TEXT: level in a tree, for the indentation */
	uint64_t count;    /* for PAGE_COUNT, and for an exact PAGE_ESTIMATE */
	double value;      /* for PAGE_NUMBER and PAGE_ESTIMATE */
	double low, high;  /* ends of the interval, if interval is set */
	const char *flags; /* words separated by commas; NULL: none */
	bool interval, exact;
	bool at_least, at_most; /* the value is a bound, without an interval */
	bool absent;            /* no value */
};

/* The first PAGE_ROWS rows are in the table itself. Further rows are in the page's data, from which the
 * script shows and sorts them. A line below the table gives their number. */
#define PAGE_ROWS 1000

void page_table(struct page *page, const char *caption, const struct page_column *columns, size_t n);
/* Write a row. cells: one for each column. */
void page_row(struct page *page, const struct page_cell *cells);
void page_table_end(struct page *page);

/* ---- pictures ------------------------------------------------------------------------------- */

/* The first PAGE_BARS bars are drawn. A line below them gives the number of the others. */
#define PAGE_BARS 300

/* One of several things that are compared, drawn as a bar up to mean and a line from min to max. */
struct page_bar {
	const char *label;
	double min, mean, max;
};

void page_bars(struct page *page, const char *caption, const char *unit, unsigned decimals,
	       const struct page_bar *bars, size_t n);

/* A tree of calls, drawn from the top. The width of each node is its value, which includes the values of all
 * nodes below it. */
#define PAGE_ROOT SIZE_MAX

struct page_node {
	const char *name;
	size_t parent; /* PAGE_ROOT, or the index of an earlier node */
	double value;
};

void page_icicle(struct page *page, const char *caption, const char *unit, unsigned decimals,
		 const struct page_node *nodes, size_t n);

/* Several values over time. More than PAGE_POINTS points are drawn as PAGE_POINTS columns, each from the
 * least to the most of its points. The first PAGE_LINES lines are drawn; a text below gives the number of the
 * others. */
#define PAGE_POINTS 1000
#define PAGE_LINES 24

struct page_line {
	const char *label;
	const double *value; /* [n]; NAN means no value and interrupts the line */
	size_t n;            /* the line has only the first n points of the chart; 0: all points */
};

/* A time with a special state, such as counters that did not count, and a label with the reason. from and to
 * are in seconds, as page_chart.time is. */
struct page_band {
	double from, to;
	const char *label;
};

struct page_chart {
	const char *caption, *unit; /* unit NULL: none */
	bool prefix;                /* write values in thousands, millions ... of the unit */
	unsigned decimals;          /* decimals of written values, after division by the prefix */
	double started;             /* time 0, in seconds since 1970; 0: unknown */
	const double *time;         /* [n] seconds, increasing */
	size_t n;
	double gap; /* points farther apart than this, in seconds, are not joined; 0: join all */
	const struct page_line *line;
	size_t lines;
	double peak; /* > 0: add a scale in percent of this value, which peak_words describes */
	const char *peak_words;
	const struct page_band *band;
	size_t bands;
};

void page_lines(struct page *page, const struct page_chart *chart);

/* ---- data ----------------------------------------------------------------------------------- */

/* Write data for programs as JSON: an element with this id, of letters, digits and '-'. */
void page_data(struct page *page, const char *id, const json_t *value);

/* Write data as page_data does, from JSON text in pieces: call page_data_begin, page_data_put once or more,
 * and page_data_end. page_data_put returns 0, or -1 after an error, and takes a page as its last argument. */
void page_data_begin(struct page *page, const char *id);
int page_data_put(const char *text, size_t size, void *page);
void page_data_end(struct page *page);

#endif
