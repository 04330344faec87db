/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page.h - writes a report as one HTML file that needs nothing but itself: no network, no other file;
 * pictures are SVG. It is read without its script too, which sorts tables and zooms into pictures.
 *
 * Texts are any bytes: each that is no UTF-8 becomes U+FFFD, control bytes become their pictures, and
 * none is ever markup. Calls do not fail: the first error is kept, what follows is not written, and
 * page_end tells it. Nothing that is passed is needed after its call. One thread at a time.
 */
#ifndef UTIL_PAGE_H
#define UTIL_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

struct page;

/* subtitle: may be NULL. NULL: out of memory; nothing has been written. */
struct page *page_begin(FILE *out, const char *title, const char *subtitle);

/* Ends what is open, flushes out, which stays the caller's, and frees the page. 0, or the errno of what
 * failed first. */
int page_end(struct page *page);

/* A heading; a paragraph; one that the reader must not miss. */
void page_section(struct page *page, const char *heading);
void page_text(struct page *page, const char *text);
void page_note(struct page *page, const char *text);

/* A fact with its label. Those that follow each other make one list. */
void page_fact(struct page *page, const char *label, const char *text);

/* ---- tables --------------------------------------------------------------------------------- */

enum page_kind {
	PAGE_TEXT,
	PAGE_COUNT,    /* whole numbers */
	PAGE_NUMBER,   /* with so many decimals */
	PAGE_ESTIMATE, /* likewise, with their intervals */
};

struct page_column {
	const char *header;
	const char *unit, *help; /* NULL: none; help is shown where the mouse rests */
	enum page_kind kind;
	unsigned decimals;
	bool word;        /* texts are short: each is on one line */
	bool of_any_size; /* of PAGE_NUMBER: decimals are those of three or four digits */
};

/* Zero bytes are an empty text, or 0. */
struct page_cell {
	const char *text;  /* of PAGE_TEXT */
	unsigned depth;    /* of PAGE_TEXT: how many lines of a tree it is in */
	uint64_t count;    /* of PAGE_COUNT, and of PAGE_ESTIMATE that is exact */
	double value;      /* of PAGE_NUMBER and PAGE_ESTIMATE */
	double low, high;  /* with interval */
	const char *flags; /* words with commas between; NULL: none */
	bool interval, exact;
	bool at_least, at_most; /* the value is a bound: it has no interval */
	bool absent;            /* there is no value */
};

/* The table itself has the first PAGE_ROWS rows. Further rows are in the page's data: the script shows
 * them, and sorts them in; a line mentions them. */
#define PAGE_ROWS 1000

void page_table(struct page *page, const char *caption, const struct page_column *columns, size_t n);
/* cells: as many as columns. */
void page_row(struct page *page, const struct page_cell *cells);
void page_table_end(struct page *page);

/* ---- pictures ------------------------------------------------------------------------------- */

/* The first PAGE_BARS bars are drawn; a line mentions the others. */
#define PAGE_BARS 300

/* How unlike things are: a bar to the mean, and a line from the least to the most. */
struct page_bar {
	const char *label;
	double min, mean, max;
};

void page_bars(struct page *page, const char *caption, const char *unit, unsigned decimals,
	       const struct page_bar *bars, size_t n);

/* A tree of calls, from the top: as wide as what each has with all below it. */
#define PAGE_ROOT SIZE_MAX

struct page_node {
	const char *name;
	size_t parent; /* PAGE_ROOT, or the place of one before it */
	double value;
};

void page_icicle(struct page *page, const char *caption, const char *unit, unsigned decimals,
		 const struct page_node *nodes, size_t n);

/* Several values over time. More points than PAGE_POINTS are drawn as so many columns, each from the least to
 * the most that is in it; so many lines, from the first, are drawn, and the others are told of. */
#define PAGE_POINTS 1000
#define PAGE_LINES 24

struct page_line {
	const char *label;
	const double *value; /* [n]; NAN is no value: there the line is interrupted */
	size_t n;            /* points that are its own, from the first; 0: all */
};

/* A time in which something was so: that counters were not counted, and why. In seconds as time is. */
struct page_band {
	double from, to;
	const char *label;
};

struct page_chart {
	const char *caption, *unit; /* unit: NULL: none */
	bool prefix;                /* values are written as thousands, millions ... of the unit */
	unsigned decimals;          /* of values as they are written, behind a prefix too */
	double started;             /* what time 0 is, in seconds since 1970; 0: it is not known */
	const double *time;         /* [n] seconds, each more than the one before it */
	size_t n;
	double gap; /* points farther apart than so many seconds are not joined; 0: all are */
	const struct page_line *line;
	size_t lines;
	double peak; /* > 0: there is a scale of percents too, in which this is 100; peak_words says what it
			is */
	const char *peak_words;
	const struct page_band *band;
	size_t bands;
};

void page_lines(struct page *page, const struct page_chart *chart);

/* ---- data ----------------------------------------------------------------------------------- */

/* Data for programs, as JSON in the page: the element with this id, of letters, digits and '-'. */
void page_data(struct page *page, const char *id, const json_t *value);

/* The same, of a text in parts: page_data_put between, once or more. It returns 0, and takes a page. */
void page_data_begin(struct page *page, const char *id);
int page_data_put(const char *text, size_t size, void *page);
void page_data_end(struct page *page);

#endif
