/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_table.h - formats two snapshots of a shared unit as a table of rates. All functions depend on their
 * arguments only, not on a unit, a clock or a terminal.
 *
 * Terms:
 *   shared unit  a unit that copies its counts to a file in /dev/shm, for monitors such as upc_top
 *   owner        the process that has the unit, and its user
 *   snapshot     the state of a shared unit at one time
 *   refresh      one update of the screen, or one table or object of output
 *   generation   number of a configuration of the unit; it grows with every change
 *   line         a row of the table: one counter, its event, count and rate
 *   note         the reason why a line has no rate (enum top_note)
 *   all others   lib/common.h
 */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "upc.h"

/* ---- snapshots --------------------------------------------------------- */

/* A snapshot of a unit. */
struct top_snapshot {
	uint64_t read_ns;    /* when the unit was read: CLOCK_MONOTONIC, ns */
	uint64_t updated_ns; /* when the owner last updated the counts, ns */
	uint64_t generation; /* generation of the configuration */
	bool running;
	uint64_t value[UPC_COUNTERS];
	uint8_t unread[UPC_COUNTERS]; /* non-zero: a level that the owner has not read yet */
	struct upc_monitor_event event[UPC_COUNTERS];
};

/*
 * Return true if now shows a change since before, or if the unit is stopped, so that the rates are known. If
 * the owner of a running unit has not updated the counts since before, the rates are unknown, not 0, and the
 * function returns false.
 */
bool top_table_news(const struct top_snapshot *before, const struct top_snapshot *now);

/* ---- lines ------------------------------------------------------------- */

enum top_sort { TOP_SORT_RATE, TOP_SORT_COUNT, TOP_SORT_COUNTER, TOP_SORT_NAME };

/* The content of a line's rate column. */
enum top_note {
	TOP_RATE,    /* the rate                                                 */
	TOP_FIRST,   /* the first snapshot: no rate yet */
	TOP_LEVEL,   /* a level, which rises and falls */
	TOP_UNREAD,  /* a level that the owner has not read yet: value is meaningless */
	TOP_RESTART, /* the count decreased: a process set it */
	TOP_NEW,     /* the counter has another event than before */
	TOP_UNBOUND, /* the counter has no event */
};

struct top_line {
	unsigned counter;
	const struct upc_monitor_event *event; /* the counter's event, in the snapshot now */
	uint64_t value;
	double rate; /* per second, in the event's unit; 0 if note is not TOP_RATE */
	enum top_note note;
};

/*
 * Fill lines with the counters that have an event, or with all counters if all is set, and sort them. The
 * order by rate or count is descending; lines with equal values are in the order of counters. Lines without a
 * rate (or, by count, with note TOP_UNREAD) follow, and counters without an event come last. before is NULL
 * for the first snapshot. Return the number of lines. The lines point into now.
 */
unsigned top_table_lines(const struct top_snapshot *before, const struct top_snapshot *now,
			 enum top_sort sort, bool all, struct top_line lines[UPC_COUNTERS]);

/* Return the time in seconds that the rates cover; 0: there are no rates. */
double top_table_seconds(const struct top_snapshot *before, const struct top_snapshot *now);

/* ---- text -------------------------------------------------------------- */

struct top_style {
	unsigned width; /* columns of the output */
	unsigned rows;  /* maximum number of rows of the table with its headings; 0: no limit */
	bool colour;
};

/* The head above the table. */
struct top_head {
	const char *name;    /* name of the unit */
	const char *user;    /* name of the owning user; NULL: the caller's user */
	pid_t process;       /* the owner's process */
	const char *command; /* the owner's command line, or "" if unknown */
	bool running;
	bool over;           /* the owner has ended or no longer shares the unit */
	uint64_t age_ns;     /* age of the counts */
	uint64_t generation; /* generation of the configuration */
	uint64_t generation_before;
	pid_t changed_by; /* thread that made the last change */
	bool changed;     /* the configuration has changed since the last refresh: use reverse video */
	unsigned events;
	const char *keys;   /* list of keys, or NULL */
	const char *notice; /* another message in reverse video, or NULL */
};

/* Print the head. Return the number of lines. */
unsigned top_table_print_head(FILE *out, const struct top_head *head, const struct top_style *style);

/* Print headings and one row per line. If not all lines fit, the last row shows the number of omitted
 * lines. */
void top_table_print(FILE *out, const struct top_line *lines, unsigned n, const struct top_style *style);

/* Print a text, cut to a width. A text that does not fit ends with "...". Return the number of printed
 * columns. */
unsigned top_table_cut(FILE *out, const char *text, unsigned width);

/* Return the word for a note in JSON and CSV, such as "rate" for TOP_RATE. */
const char *top_table_note(enum top_note note);

#endif
