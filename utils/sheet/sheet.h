/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet.h - the model of reports, and its writers: text, CSV, JSON, HTML (doc/reference/json.md).
 *
 * Terms:
 *   fact, note       a value of the whole report, such as the command line; a warning about the report
 *   section          rows with the same columns, printed as one table or as blocks
 *   measure          what each row of a section has a value of, such as an event
 *   list             measures of one kind, with the aspects of their values
 *   aspect           one of several values of a measure, such as the inclusive and the exclusive count
 *   form             text, CSV, JSON or HTML; data: CSV and JSON; tables: text and HTML
 *   exactness        whether a value is exact, a bound, an estimate, or was not counted
 *   mark             the sign before a number that is not exact: ">=", "<=", "~" or "?"
 *   wide section     a section with one line per measure and one column per row (SHEET_WIDE, SHEET_ALONE)
 *   group            measures of a wide section below one heading
 *   panel            the columns of a wide section that fit next to each other into the line
 *   head             the text above the column of a row, or above the table of a row
 *   all others       lib/common.h
 *
 * A sheet has facts, sections of rows, and notes. A row has cells in typed columns, and lists of measures:
 * for example the inclusive and exclusive counts of each event. Each value has its exactness, and a reason
 * if the value is not exact. A row is made when it is written, so the memory use does not depend on the
 * number of rows.
 */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/common.h"

/* Schema number of a sheet's JSON text. src/mpx/shim/shim_report.c, which writes the report of mpx_run,
 * repeats this number and the words for exactness. */
#define SHEET_SCHEMA 2

enum sheet_exactness {
	SHEET_EXACT,
	SHEET_AT_LEAST, /* the value is a lower bound          */
	SHEET_AT_MOST,  /* the value is an upper bound */
	SHEET_ESTIMATE, /* the true value may be less or more */
	SHEET_UNCOUNTED /* nothing was counted: there is no value */
};

/* Return "exact", "at least", "at most", "estimate" or "uncounted". */
const char *sheet_exactness_word(enum sheet_exactness exactness);
/* Return the exactness of a word, or SHEET_UNCOUNTED for any other text and for NULL. */
enum sheet_exactness sheet_exactness_of(const char *word);
/* Return the mark before a number, or before its column's name: "", ">=", "<=", "~", "?". */
const char *sheet_exactness_mark(enum sheet_exactness exactness);
/* Return the exactness of the sum of two values with the exactness a and b. */
enum sheet_exactness sheet_exactness_both(enum sheet_exactness a, enum sheet_exactness b);

/* ---- cells ---------------------------------------------------------------------------------- */

enum sheet_kind {
	SHEET_TEXT,
	SHEET_FLAG,   /* count is 0 or 1                 */
	SHEET_COUNT,  /* whole number */
	SHEET_NUMBER, /* number with decimals */
	SHEET_VALUE,  /* number with exactness */
};

#define SHEET_REASONS 12

/* A zeroed cell is an empty text, or exactly 0. Texts may have any bytes. */
struct sheet_cell {
	bool absent; /* no value: empty in CSV, null in JSON; text and HTML show the text, if any */
	const char *text;
	unsigned depth; /* of a row in a tree: text and HTML indent the text by it */
	uint64_t count;
	double value;

	/* For SHEET_VALUE only. */
	bool whole; /* the member count has the value; else the member value */
	enum sheet_exactness exactness;
	double low, high;                /* 95 % interval of an estimate; infinite: end unknown */
	double error, freedom, coverage; /* standard error, its degrees of freedom, counted share; or NaN */
	bool rough;                      /* few degrees of freedom: the interval is only approximate */
	const char *reason[SHEET_REASONS];
	unsigned reasons;
	double percent;    /* shown next to the value in text; 0: none */
	unsigned decimals; /* decimals of the value in text; 0: the default format */
};

/* ---- columns, measures, sections ------------------------------------------------------------- */

/* Bits of the member forms: the forms that show a section, a column or a list. */
#define SHEET_IN_TEXT 0x1u
#define SHEET_IN_CSV 0x2u
#define SHEET_IN_JSON 0x4u
#define SHEET_IN_HTML 0x8u
#define SHEET_IN_DATA (SHEET_IN_CSV | SHEET_IN_JSON)
#define SHEET_IN_TABLES (SHEET_IN_TEXT | SHEET_IN_HTML)
#define SHEET_IN_ALL 0xfu

struct sheet_column {
	const char *key; /* name in CSV and JSON; NULL for a SHEET_VALUE: JSON puts its fields into the row */
	const char *header, *unit, *help; /* for text and HTML; NULL: none */
	enum sheet_kind kind;
	unsigned decimals;
	unsigned id;          /* number that the section's cell function knows the column by */
	unsigned width, most; /* text: minimum width; maximum, from which texts are cut; 0: none given */
	bool sign;            /* text shows "+" before positive numbers */
	bool right;           /* the text form aligns this column's texts on the right, like numbers */
	bool prefix;          /* text shows mark, three digits and SI prefix, such as ~1.25 G */
	double scale;         /* text and HTML show values divided by scale; 0: as they are */
	bool word;            /* HTML keeps each text of the column on one line */
	bool of_any_size;     /* HTML shows three or four digits of each number, regardless of decimals */
	unsigned forms;
};

/* Initialise a column on one line of the source. Further designated initialisers may follow. */
#define SHEET_COLUMN(id_, kind_, key_, header_, forms_, ...)                                         \
	{                                                                                            \
		.id = (id_), .kind = (kind_), .key = (key_), .header = (header_), .forms = (forms_), \
		__VA_ARGS__                                                                          \
	}

#define SHEET_GROUP_MAX 80

struct sheet_measure {
	const char *name, *unit, *help;
	const char *group; /* heading of the measure's group in text: at most SHEET_GROUP_MAX columns */
	unsigned decimals;
};

/* An aspect of values, such as "inclusive" or "exclusive". A single aspect has key NULL. */
struct sheet_aspect {
	const char *key, *header;
	const char *prefix; /* prefix of the names of CSV columns, such as "exclusive_"; NULL: none */
	enum sheet_kind kind;
	bool share; /* text and HTML show the values as percentages */
	unsigned forms;
};

#define SHEET_HEAD_MAX 64

struct sheet_list {
	const char *key, *name; /* JSON keys of the list ("counts") and of a measure's name ("event") */
	const char *header;     /* text form: header of the measures' names, such as "Event" */
	const char *caption;    /* HTML: caption of the list's tables, such as "Counts" */
	unsigned forms;
	bool of_any_size; /* text shows three or four digits of each value, whatever its size */
	bool percents;    /* in a wide section: percentages for all rows, not only the first */
	bool marked;      /* in a wide section: each value has its mark, instead of the row's name */
	const struct sheet_measure *measure;
	size_t measures;
	const struct sheet_aspect *aspect;
	size_t aspects;
	/* Fill in *cell, which is zeroed. Return false if the row has no such value. */
	bool (*value)(const void *arg, const void *row, size_t measure, size_t aspect,
		      struct sheet_cell *cell);
	/* Write the head of the row's table in text. Return false if the row has no table. If head is NULL,
	 * header is used. */
	bool (*head)(const void *arg, const void *row, char text[SHEET_HEAD_MAX]);
};

/* Layout of a section in text. */
enum sheet_layout {
	SHEET_LINES,  /* one line per row, with the values of the first list */
	SHEET_BLOCKS, /* one line per row without values, then a table for each row */
	SHEET_WIDE,   /* one column per row; the first columns are the row's name and number */
	SHEET_ALONE,  /* one line per measure of the only row, with the further aspects of SHEET_TEXT */
};

struct page;
typedef bool sheet_put(void *to, const void *row);

struct sheet_section {
	const char *key, *record;  /* names: of the section in JSON ("regions"), of a row in CSV ("region") */
	const char *caption;       /* for text and HTML; NULL: none */
	const char *table, *which; /* names of tables in HTML: "Time", "Counts" and "by region" */
	unsigned forms;
	enum sheet_layout layout;
	bool values_first; /* layout SHEET_LINES: the columns follow the values */
	bool sure;         /* layout SHEET_LINES: text shows each value's uncertainty */
	bool together;     /* HTML shows values of the first aspect in the table of columns */
	const struct sheet_column *column;
	size_t columns;
	const struct sheet_list *list;
	size_t lists;
	const void *arg;
	/* Call put for each row until put returns false. Return false if put returned false or if memory is
	 * short. */
	bool (*each)(const void *arg, sheet_put *put, void *to);
	/* Fill in *cell, which is zeroed. */
	void (*cell)(const void *arg, const void *row, const struct sheet_column *column,
		     struct sheet_cell *cell);
	/* Return the text above a row's block, or above consecutive lines with the same heading. The caller
	 * frees the text; NULL: memory is short. */
	char *(*heading)(const void *arg, const void *row);
	/* Write pictures and text of HTML before and after the section's tables; NULL: none. Return false if
	 * memory is short. */
	bool (*before)(const void *arg, struct page *page);
	bool (*behind)(const void *arg, struct page *page);
};

struct sheet_fact {
	const char *key;
	enum sheet_kind kind;
	struct sheet_cell cell;
	const struct sheet_cell *list; /* a fact with n values: the values; else NULL */
	size_t n;
};

struct sheet_note {
	const char *what, *name; /* what: text of the note; name: its region, event or rank; NULL: none */
	uint64_t times;
};

struct sheet {
	const char *tool;
	const struct sheet_fact *fact;
	size_t facts;
	const struct sheet_section *section;
	size_t sections;
	const struct sheet_note *note;
	size_t notes;
	/* CSV: columns before the event and its values, and after them. NULL ends each list. A row without
	 * measures has its event in the column "event", and its value in its last column of SHEET_VALUE. */
	const char *const *keys, *const *others;
	bool one_line;  /* the JSON text is one line */
	bool continued; /* CSV follows an earlier sheet's CSV, without headings, tool and version */
	/* CSV, for rows without measures that have several columns of SHEET_VALUE: each value has a line,
	 * and the column of this name (one of keys) has the key of the value's column. NULL: a row has one
	 * value. */
	const char *which_value;
	bool plain; /* no lists, and nothing was counted: CSV omits exactness and reason */
};

/* ---- writers: return false if memory is short, or with errno if a write failed (see ferror(out)) ---- */

bool sheet_csv(FILE *out, const struct sheet *sheet);
/* Write the first lines of CSV: headings, tool and version. sheet_csv writes them for a sheet that is not
 * continued. */
void sheet_csv_begin(FILE *out, const struct sheet *sheet);
bool sheet_json(FILE *out, const struct sheet *sheet);
/* Write the sheet as JSON or CSV. Return UTIL_OK or UTIL_FAILED. The function prints an error if memory is
 * short; util_flush reports failed writes. */
int sheet_print_data(FILE *out, const struct sheet *sheet, enum util_format format);
/* A sheet with facts and events of the catalogue, which sheet_print_events writes as JSON or CSV. If events
 * is NULL, the sheet has no section of events. If shown is NULL, all events are written. The return value is
 * that of sheet_print_data. */
struct sheet_events {
	const struct upc_event_info *event;
	const bool *shown;
	size_t n;
};
int sheet_print_events(FILE *out, const char *tool, enum util_format format, const struct sheet_fact *fact,
		       size_t facts, const struct sheet_events *events);
/* Write JSON through put, which returns 0 on success, as the callback of jansson's json_dump_callback does.
 */
bool sheet_json_to(int (*put)(const char *text, size_t size, void *to), void *to, const struct sheet *sheet);

struct sheet_style {
	unsigned width; /* columns of a line */
	bool colour, zeros;
	bool unseen; /* in wide sections: list the names of the events that are 0 */
};

/* Write one section as text, with its caption. */
bool sheet_text(FILE *out, const struct sheet_section *section, const struct sheet_style *style);
/* Write a section of layout SHEET_WIDE or SHEET_ALONE, without its caption. */
bool sheet_text_wide(FILE *out, const struct sheet_section *section, const struct sheet_style *style);

/* Return a name without "upc:::". */
const char *sheet_short_name(const char *name);

/* Write the sections of a page one after another, each with its heading. */
bool sheet_html(struct page *page, const struct sheet_section *section, size_t sections);

/* Return which exactnesses occur in the sheet, as bits 1 << enum sheet_exactness, or 0 if memory is short. */
unsigned sheet_marks(const struct sheet *sheet);

/* ---- for the writers --------------------------------------------------------------------------- */

static inline struct sheet_cell sheet_cell_of(const struct sheet_section *section, const void *row,
					      const struct sheet_column *column)
{
	struct sheet_cell cell = {0};

	section->cell(section->arg, row, column, &cell);
	return cell;
}

/* Return a column's cell for text and HTML, divided by the column's scale. */
static inline struct sheet_cell sheet_cell_shown(const struct sheet_section *section, const void *row,
						 const struct sheet_column *column)
{
	struct sheet_cell cell = sheet_cell_of(section, row, column);

	if (column->scale > 0)
		cell.value /= column->scale;
	return cell;
}

/* Get the value of a measure in an aspect. Return false if the row has no such value. */
static inline bool sheet_value_of(const struct sheet_section *section, const struct sheet_list *list,
				  const void *row, size_t measure, size_t aspect, struct sheet_cell *cell)
{
	*cell = (struct sheet_cell){0};
	return list->value(section->arg, row, measure, aspect, cell);
}

#endif
