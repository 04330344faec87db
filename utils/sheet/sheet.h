/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sheet.h - the one model of reports, and its writers: text, CSV, JSON, HTML (doc/reference/json.md).
 *
 * A sheet has facts, sections of rows, and notes. A row has cells in typed columns, and lists of measures: a
 * value of each event, say, inclusive and exclusive. Each value has its exactness, and its reason where it is
 * not exact. Rows are made when they are written, so that a report of any length takes no memory.
 */
#ifndef SHEET_H
#define SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/common.h"

/* The number in each JSON text of a sheet; mpx_run's is in src/mpx/shim/shim_report.c, with the same words.
 */
#define SHEET_SCHEMA 2

enum sheet_exactness {
	SHEET_EXACT,
	SHEET_AT_LEAST, /* the value is a lower bound          */
	SHEET_AT_MOST,  /* an upper bound                      */
	SHEET_ESTIMATE, /* the truth may be less or more       */
	SHEET_UNCOUNTED /* nothing was counted: there is no value */
};

/* "exact", "at least", "at most", "estimate", "uncounted". */
const char *sheet_exactness_word(enum sheet_exactness exactness);
/* The exactness of that word; SHEET_UNCOUNTED of any other, and of NULL. */
enum sheet_exactness sheet_exactness_of(const char *word);
/* In front of a number, or of the name of its column: "", ">=", "<=", "~", "?". */
const char *sheet_exactness_mark(enum sheet_exactness exactness);
/* Exactness of a sum of two. */
enum sheet_exactness sheet_exactness_both(enum sheet_exactness a, enum sheet_exactness b);

/* ---- cells ---------------------------------------------------------------------------------- */

enum sheet_kind {
	SHEET_TEXT,
	SHEET_FLAG,   /* count is 0 or 1                 */
	SHEET_COUNT,  /* whole numbers                   */
	SHEET_NUMBER, /* with decimals                   */
	SHEET_VALUE,  /* with exactness                   */
};

#define SHEET_REASONS 12

/* Zero bytes are an empty text, or exactly 0. Texts are any bytes. */
struct sheet_cell {
	bool absent; /* there is nothing: empty, null; a text that is there all the same is for people */
	const char *text;
	unsigned depth; /* of a text: how many lines of a tree it is in */
	uint64_t count;
	double value;

	/* Of SHEET_VALUE. */
	bool whole; /* count is the value */
	enum sheet_exactness exactness;
	double low, high;                /* 95 % interval of an estimate; infinite: not known */
	double error, freedom, coverage; /* of an estimate, or NaN */
	bool rough;                      /* the interval is rough */
	const char *reason[SHEET_REASONS];
	unsigned reasons;
	double percent;    /* of what the reader knows, beside the value in text; 0: none */
	unsigned decimals; /* of it in text; 0: as it is */
};

/* ---- columns, measures, sections ------------------------------------------------------------- */

/* Forms in which a section, a column or a list is. */
#define SHEET_IN_TEXT 0x1u
#define SHEET_IN_CSV 0x2u
#define SHEET_IN_JSON 0x4u
#define SHEET_IN_HTML 0x8u
#define SHEET_IN_DATA (SHEET_IN_CSV | SHEET_IN_JSON)
#define SHEET_IN_TABLES (SHEET_IN_TEXT | SHEET_IN_HTML)
#define SHEET_IN_ALL 0xfu

struct sheet_column {
	const char *key; /* in CSV and JSON; NULL, for a value: JSON has its fields in the row itself */
	const char *header, *unit, *help; /* in text and HTML; NULL: none */
	enum sheet_kind kind;
	unsigned decimals;
	unsigned id;          /* the section's own */
	unsigned width, most; /* in text at least so many columns, and what is longer is cut; or 0 */
	bool sign;            /* text has "+" too */
	bool right;           /* text puts its texts on the right, as numbers */
	bool prefix;      /* text has three digits with a prefix, as ~1.25 G, with the mark of exactness */
	double scale;     /* text and HTML have values divided by it; 0: as they are */
	bool word;        /* HTML keeps its texts on one line */
	bool of_any_size; /* HTML has three or four digits of each number, and not decimals */
	unsigned forms;
};

/* One of them in a line; other fields follow. */
#define SHEET_COLUMN(id_, kind_, key_, header_, forms_, ...)                                         \
	{                                                                                            \
		.id = (id_), .kind = (kind_), .key = (key_), .header = (header_), .forms = (forms_), \
		__VA_ARGS__                                                                          \
	}

#define SHEET_GROUP_MAX 80

struct sheet_measure {
	const char *name, *unit, *help;
	const char *group; /* heading in text, of a wide section: at most SHEET_GROUP_MAX columns */
	unsigned decimals;
};

/* "inclusive", "exclusive"; or the only one, with key NULL. */
struct sheet_aspect {
	const char *key, *header;
	const char *prefix; /* of its columns in CSV, as "exclusive_"; NULL: none */
	enum sheet_kind kind;
	bool share; /* text and HTML have it as a percentage */
	unsigned forms;
};

#define SHEET_HEAD_MAX 64

struct sheet_list {
	const char *key, *name; /* in JSON: "counts", and of each its "event" */
	const char *header;     /* of its names in text, as "Event" */
	const char *caption;    /* of its tables in HTML, as "Counts" */
	unsigned forms;
	bool of_any_size; /* text has three or four digits of each value */
	bool percents;    /* of a wide section: beside all values, and not only those of the first row */
	bool marked;      /* of a wide section: values have marks, and the names of rows have none */
	const struct sheet_measure *measure;
	size_t measures;
	const struct sheet_aspect *aspect;
	size_t aspects;
	/* False: the row has no such value. cell is {0}. */
	bool (*value)(const void *arg, const void *row, size_t measure, size_t aspect,
		      struct sheet_cell *cell);
	/* The head of the row's table in text, or false: it has none. NULL: header. */
	bool (*head)(const void *arg, const void *row, char text[SHEET_HEAD_MAX]);
};

/* How text has a section. */
enum sheet_layout {
	SHEET_LINES,  /* a line a row, with the values of its first list        */
	SHEET_BLOCKS, /* a line a row without values, and then a table for each */
	SHEET_WIDE,   /* a column a row: the first columns are its name, and its number */
	SHEET_ALONE,  /* a line a measure, of the only row, with its further aspects of SHEET_TEXT */
};

struct page;
typedef bool sheet_put(void *to, const void *row);

struct sheet_section {
	const char *key, *record;  /* in JSON, as "regions", and in CSV, as "region" */
	const char *caption;       /* in text and HTML; NULL: none */
	const char *table, *which; /* names of tables in HTML: "Time" "by region", "Counts" "by region" */
	unsigned forms;
	enum sheet_layout layout;
	bool values_first; /* of lines: columns come behind the values */
	bool sure;         /* of lines: text has how sure each value is beside it */
	bool together;     /* HTML has values in the table of columns, of the first aspect */
	const struct sheet_column *column;
	size_t columns;
	const struct sheet_list *list;
	size_t lists;
	const void *arg;
	/* Calls put for each row, as long as it returns true. False: it did not, or out of memory. */
	bool (*each)(const void *arg, sheet_put *put, void *to);
	/* cell is {0}. */
	void (*cell)(const void *arg, const void *row, const struct sheet_column *column,
		     struct sheet_cell *cell);
	/* Text has it above a row's block; above all lines that follow each other and have the same. For the
	 * caller to free; NULL: out of memory. */
	char *(*heading)(const void *arg, const void *row);
	/* Pictures and words of HTML before and behind the section's tables; NULL: none. False: out of
	 * memory. */
	bool (*before)(const void *arg, struct page *page);
	bool (*behind)(const void *arg, struct page *page);
};

struct sheet_fact {
	const char *key;
	enum sheet_kind kind;
	struct sheet_cell cell;
	const struct sheet_cell *list; /* its values where they may be several, n of them; else NULL */
	size_t n;
};

struct sheet_note {
	const char *what, *name; /* name: of which region, event or rank; NULL: of none */
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
	/* CSV: columns before the event and its values, and behind them. NULL ends each. The event of a row
	 * without measures is its column "event", and its value its last column of SHEET_VALUE. */
	const char *const *keys, *const *others;
	bool one_line;  /* JSON has no line ends but the last */
	bool continued; /* CSV follows an earlier sheet's: no headings, tool and version */
	/* CSV: the one of keys that has the key of a value, where rows without measures have several columns
	 * of SHEET_VALUE: there is a line for each. NULL: rows have one. */
	const char *which_value;
	bool plain; /* nothing in it was counted, and it has no lists: CSV has no exactness and no reason */
};

/* ---- writers: false: out of memory, or errno of a write that failed, which out tells -------------- */

bool sheet_csv(FILE *out, const struct sheet *sheet);
/* The first lines of CSV, as sheet_csv writes them of a sheet that is not continued: headings, tool, version.
 */
void sheet_csv_begin(FILE *out, const struct sheet *sheet);
bool sheet_json(FILE *out, const struct sheet *sheet);
/* Writes one of both: UTIL_OK, or UTIL_FAILED; it says what failed, but util_flush says a failed write. */
int sheet_print_data(FILE *out, const struct sheet *sheet, enum util_format format);
/* The same of facts and of events of the catalogue, NULL: none; shown: which of them, NULL: all. */
struct sheet_events {
	const struct upc_event_info *event;
	const bool *shown;
	size_t n;
};
int sheet_print_events(FILE *out, const char *tool, enum util_format format, const struct sheet_fact *fact,
		       size_t facts, const struct sheet_events *events);
/* JSON for another place: put returns 0, as for jansson. */
bool sheet_json_to(int (*put)(const char *text, size_t size, void *to), void *to, const struct sheet *sheet);

struct sheet_style {
	unsigned width; /* of a line */
	bool colour, zeros;
	bool unseen; /* wide: events that are 0 by their names */
};

/* One section as text, with its caption. */
bool sheet_text(FILE *out, const struct sheet_section *section, const struct sheet_style *style);
/* Writes a section of layout SHEET_WIDE or SHEET_ALONE, without its caption. */
bool sheet_text_wide(FILE *out, const struct sheet_section *section, const struct sheet_style *style);

/* A name without the "upc:::" that all of a page's may have. */
const char *sheet_short_name(const char *name);

/* The sections of a page, one behind the other, each with its heading. */
bool sheet_html(struct page *page, const struct sheet_section *section, size_t sections);

/* Bits of enum sheet_exactness, of all values of the sheet; 0: out of memory. */
unsigned sheet_marks(const struct sheet *sheet);

/* ---- for the writers --------------------------------------------------------------------------- */

static inline struct sheet_cell sheet_cell_of(const struct sheet_section *section, const void *row,
					      const struct sheet_column *column)
{
	struct sheet_cell cell = {0};

	section->cell(section->arg, row, column, &cell);
	return cell;
}

/* For people. */
static inline struct sheet_cell sheet_cell_shown(const struct sheet_section *section, const void *row,
						 const struct sheet_column *column)
{
	struct sheet_cell cell = sheet_cell_of(section, row, column);

	if (column->scale > 0)
		cell.value /= column->scale;
	return cell;
}

/* False: the row has no such value. */
static inline bool sheet_value_of(const struct sheet_section *section, const struct sheet_list *list,
				  const void *row, size_t measure, size_t aspect, struct sheet_cell *cell)
{
	*cell = (struct sheet_cell){0};
	return list->value(section->arg, row, measure, aspect, cell);
}

#endif
