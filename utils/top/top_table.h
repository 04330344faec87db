/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_table.h - two looks at a shared unit as a table of rates for people: functions
 * of their arguments, which know neither a unit nor a clock nor a terminal.
 */
#ifndef TOP_TABLE_H
#define TOP_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "upc.h"

/* ---- what is known ----------------------------------------------------- */

/* A unit as it was seen at one time. */
struct top_snapshot {
	uint64_t read_ns;    /* when it was looked at: CLOCK_MONOTONIC */
	uint64_t updated_ns; /* when the owner brought the counts up to date */
	uint64_t generation; /* of the configuration */
	bool running;
	uint64_t value[UPC_COUNTERS];
	uint8_t unread[UPC_COUNTERS]; /* as upc_monitor_info has it */
	struct upc_monitor_event event[UPC_COUNTERS];
};

/*
 * Whether rates over the time from before to now say more than those that were
 * shown last. They do not where a running unit's owner has not touched it since:
 * that is no rate of 0, nobody knows yet.
 */
bool top_table_news(const struct top_snapshot *before, const struct top_snapshot *now);

/* ---- lines ------------------------------------------------------------- */

enum top_sort { TOP_SORT_RATE, TOP_SORT_COUNT, TOP_SORT_COUNTER, TOP_SORT_NAME };

/* The entry in the place of the rate. */
enum top_note {
	TOP_RATE,    /* the rate                                                 */
	TOP_FIRST,   /* seen once so far                                         */
	TOP_LEVEL,   /* a value that rises and falls                             */
	TOP_UNREAD,  /* one that the owner has not read yet: value says nothing  */
	TOP_RESTART, /* it is less than it was: somebody set it                  */
	TOP_NEW,     /* the counter has got another event                        */
	TOP_UNBOUND, /* it counts nothing                                        */
};

struct top_line {
	unsigned counter;
	const struct upc_monitor_event *event; /* in the later snapshot */
	uint64_t value;
	double rate; /* a second, in the event's unit; 0 where note is not TOP_RATE */
	enum top_note note;
};

/*
 * The counters that have an event, or with all every one, in order: the highest
 * rate or count first, equal ones by counter, those that have no rate and those
 * that have no event behind the others. before NULL: the first look. Returns how
 * many lines there are; they point into now.
 */
unsigned top_table_lines(const struct top_snapshot *before, const struct top_snapshot *now,
			 enum top_sort sort, bool all, struct top_line lines[UPC_COUNTERS]);

/* The time in seconds that the rates are for; 0: there are none. */
double top_table_seconds(const struct top_snapshot *before, const struct top_snapshot *now);

/* ---- text -------------------------------------------------------------- */

struct top_style {
	unsigned width; /* of a line */
	unsigned rows;  /* for the table, with its headings; 0: no limit */
	bool colour;
};

/* The head above the table. */
struct top_head {
	const char *name;    /* of the unit */
	const char *user;    /* whose it is, or NULL: the caller's own */
	pid_t process;       /* the owner */
	const char *command; /* the owner's, or "" where it is not known */
	bool running;
	bool over;           /* nobody counts with it any more */
	uint64_t age_ns;     /* of the counts */
	uint64_t generation; /* of the configuration */
	uint64_t generation_before;
	pid_t changed_by; /* thread */
	bool changed;     /* since the last refresh: said loudly */
	unsigned events;
	const char *keys;   /* what can be typed, or NULL */
	const char *notice; /* something else to be said loudly, or NULL */
};

/* Returns how many lines it took. */
unsigned top_table_print_head(FILE *out, const struct top_head *head, const struct top_style *style);

/* Headings and a row a line; a last row says how many lines there was no room for. */
void top_table_print(FILE *out, const struct top_line *lines, unsigned n, const struct top_style *style);

/* Text cut to a width, the last three columns "..." where it does not fit. Returns
 * the columns written. */
unsigned top_table_cut(FILE *out, const char *text, unsigned width);

/* A word for a note, "rate" for TOP_RATE: for other programs. */
const char *top_table_note(enum top_note note);

#endif
