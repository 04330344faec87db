/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - what the command line tools share: messages, numbers for people,
 * text that is safe on a terminal.
 */
#ifndef UTIL_COMMON_H
#define UTIL_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "upc.h"

/* Exit statuses of the tools, beside that of a program which they run; as env(1) and
 * timeout(1) have them. */
enum util_status {
	UTIL_OK = 0,
	UTIL_NO = 1,     /* the answer to what was asked is no      */
	UTIL_SCRIPT = 2, /* a script of upc_replay has a mistake    */
	UTIL_FAILED = 125,
	UTIL_CANNOT_RUN = 126, /* the program is there, but cannot be run */
	UTIL_NOT_FOUND = 127,  /* the program is not there                */
};

/* Forms of what a tool reports: --format. */
enum util_format { UTIL_TEXT, UTIL_JSON, UTIL_CSV };

/* Columns of a terminal that does not say how wide it is, and of a pipe. */
#define UTIL_WIDTH_DEFAULT 80
#define UTIL_WIDTH_MIN 40
#define UTIL_WIDTH_MAX 500

/* ---- messages ---------------------------------------------------------- */

/* Names the tool in all its messages. */
void util_begin(const char *tool);

/* "TOOL: text" and a newline on standard error. */
void util_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says "OPTION wants WHAT, not 'TEXT'"; returns UTIL_FAILED. */
int util_wrong_value(const char *option, const char *what, const char *text);

/* Says that a program cannot be run, for an error of execvp; returns UTIL_NOT_FOUND or
 * UTIL_CANNOT_RUN. */
int util_cannot_run(const char *program, int error);

/* Prints the tool's and the library's release; returns the exit status. */
int util_print_version(void);

/* Flushes out: 0, -1 (not all could be written, said), or 1 (its reader has gone, not said). */
int util_flush(FILE *out, const char *name);

/* ---- numbers ----------------------------------------------------------- */

/* Room for any number that the calls below write. */
#define UTIL_NUMBER_MAX 40

/* 1234567 as "1,234,567", whatever the locale. */
void util_format_count(uint64_t value, char text[UTIL_NUMBER_MAX]);

/* A rate with three digits: "0.12 /s", "1.23 k/s", "45.6 M/s". */
void util_format_rate(double per_second, char text[UTIL_NUMBER_MAX]);

/* Nanoseconds in the unit that suits: "123", "4.567", ...; *unit is "ns",
 * "us", "ms" or "s". */
void util_format_ns(uint64_t ns, char text[UTIL_NUMBER_MAX], const char **unit);

/* Nanoseconds that one of a unit has, or 0: it is no time. */
uint64_t util_unit_ns(const char *unit);

/* A value and its unit as tables have them: a time in the unit that suits, a unit of many words
 * by the first of them. */
void util_format_value(uint64_t value, const char *unit, char text[UTIL_NUMBER_MAX],
		       char shown[UTIL_NUMBER_MAX]);

/* A whole decimal number from min to max and nothing else: 0, or -1. */
int util_parse_number(const char *text, long min, long max, long *value);

/* ---- text -------------------------------------------------------------- */

/* Columns that text takes on a terminal: one for each character. */
unsigned util_columns(const char *text);

/* Writes text, at most max columns of it, with '?' for what a terminal could
 * take for a command or is no UTF-8. Returns the columns written. */
unsigned util_put(FILE *out, const char *text, unsigned max);

/* Writes n blanks. */
void util_pad(FILE *out, unsigned n);

/* Writes text whole, with blanks before it or behind it where it is less than width columns.
 * Returns the columns written. */
unsigned util_put_right(FILE *out, const char *text, unsigned width);
unsigned util_put_left(FILE *out, const char *text, unsigned width);

/* Makes width no less than the columns of text. */
void util_widen(unsigned *width, const char *text);

/* Writes text broken at blanks: every line but the first begins with indent
 * blanks, none goes beyond width; the first begins at column. No newline at the
 * end. Returns the column behind the last character. */
unsigned util_wrap(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

/* Whether text matches: a pattern with any of * ? [ is a glob over the whole
 * text, any other is a part of it; neither minds case. */
bool util_match(const char *pattern, const char *text);
bool util_is_glob(const char *pattern);

/* The same of an event's name, and of perf's names of tracepoints: "sched:*" is "tp::sched:*". */
bool util_match_event(const char *pattern, const char *name);

/* Says that no event matches a pattern or has a name, and which do that are near. */
void util_no_match(struct upc_catalogue *catalogue, const char *pattern);

/* Columns of the terminal behind out, else $COLUMNS, else the default. */
unsigned util_width(FILE *out);

/* Whether to colour what goes to out: a terminal, and NO_COLOR does not object. */
bool util_colour(FILE *out);

/* One sentence that explains the two pipes in names of Blue Gene/P's integer events. */
#define UTIL_PIPES                                                                                                  \
	"JPIPE and IPIPE are the integer pipes of a Blue Gene/P core: J has simple operations only, I all others, " \
	"such as multiplications and branches"

/* ---- the catalogue ----------------------------------------------------- */

const char *util_source_name(enum upc_source source);
const char *util_scope_name(enum upc_scope scope);
const char *util_kind_name(enum upc_kind kind);

/* How many letters PAPI writes before the name of an event of the unit: "upc:::NAME", and some of
 * its clients "PAPI_NATIVE_upc:::NAME". */
size_t util_papi_prefix(const char *name);

/* The catalogue with a wiring file (NULL: $UPC_WIRING or none); after an
 * error it has been said and the result is NULL. */
struct upc_catalogue *util_catalogue_open(const char *wiring);

/* All events of a catalogue, of which there are n, for the caller to free; NULL: there is no
 * memory. */
struct upc_event_info *util_catalogue_events(struct upc_catalogue *catalogue, unsigned *n);

#endif
