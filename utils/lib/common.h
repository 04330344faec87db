/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - functions shared by the command line tools: messages, readable numbers, and safe text on a
 * terminal.
 *
 * Terms:
 *   unit             256 counters of libupc (upc.h), started and stopped together, and a threshold register
 *   catalogue        the list of all events, with codes; code: the number of an event in the catalogue
 *   source           the origin of an event's counts: perf, a tracepoint, a file, a clock ...
 *   driver           the low-level event behind an event of the catalogue, such as "perf:PAGE-FAULTS"
 *   spelling         a name of perf or PAPI for an event of the catalogue
 *   wiring           the assignment of sources to events; a wiring file changes it
 *   scope            the thread, process, CPU, device or machine whose activity an event shows
 *   level            a momentary value; a count only grows
 *   script           a file that drives the signals of a unit in place of the machine; a replay plays it
 *   simulated node   a simulator of Blue Gene/P's node, which runs programs for upc_run
 *   service          the node service, upc_serve, which counts on a whole node; a user can run a private node
 *   covariate        an event that is always counted, and whose counts can replace the clock of multiplexing
 *   tool             a command line program of this project
 *   memory is short  an allocation failed
 */
#ifndef UTIL_COMMON_H
#define UTIL_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "upc.h"

/* Exit statuses of the tools, as in env(1) and timeout(1). A tool that has run a program returns the
 * program's status instead. */
enum util_status {
	UTIL_OK = 0,
	UTIL_NO = 1,     /* the tool was asked a question, and the answer is no */
	UTIL_SCRIPT = 2, /* a script of upc_replay has an error */
	UTIL_FAILED = 125,
	UTIL_CANNOT_RUN = 126, /* the program exists, but cannot be run */
	UTIL_NOT_FOUND = 127,  /* the program does not exist */
};

/* Forms of a tool's report: --format. */
enum util_format { UTIL_TEXT, UTIL_JSON, UTIL_CSV };

/* Width in columns of a terminal of unknown width, and of a pipe. */
#define UTIL_WIDTH_DEFAULT 80
#define UTIL_WIDTH_MIN 40
#define UTIL_WIDTH_MAX 500

/* ---- messages ---------------------------------------------------------- */

/* Set the tool's name for all messages. */
void util_begin(const char *tool);

/* Print "TOOL: text" and a newline to standard error. */
void util_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Print "OPTION wants WHAT, not 'TEXT'". Return UTIL_FAILED. */
int util_wrong_value(const char *option, const char *what, const char *text);

/* Print that a program cannot be run, with an errno of execvp. Return UTIL_NOT_FOUND or UTIL_CANNOT_RUN. */
int util_cannot_run(const char *program, int error);

/* Print the versions of the tool and the library. Return the exit status. */
int util_print_version(void);

/* Flush out. Return 0, -1 after printing an error, or 1 without a message if the reader has closed the
 * pipe. */
int util_flush(FILE *out, const char *name);

/* ---- numbers ----------------------------------------------------------- */

/* Size of a buffer for any number formatted below. */
#define UTIL_NUMBER_MAX 40

/* Format 1234567 as "1,234,567", independent of the locale. */
void util_format_count(uint64_t value, char text[UTIL_NUMBER_MAX]);

/* Format a rate with three digits: "0.12 /s", "1.23 k/s", "45.6 M/s". */
void util_format_rate(double per_second, char text[UTIL_NUMBER_MAX]);

/* Format nanoseconds in a suitable unit: "123", "4.567". *unit is "ns", "us", "ms" or "s". */
void util_format_ns(uint64_t ns, char text[UTIL_NUMBER_MAX], const char **unit);

/* Return the nanoseconds of a unit of time, such as 1000 for "us", or 0 for another unit of measurement. */
uint64_t util_unit_ns(const char *unit);

/* Format a value and its unit for a table: times in a suitable unit, long units cut to the first word. */
void util_format_value(uint64_t value, const char *unit, char text[UTIL_NUMBER_MAX],
		       char shown[UTIL_NUMBER_MAX]);

/* Parse a decimal integer from min to max, with nothing after it. Return 0 or -1. */
int util_parse_number(const char *text, long min, long max, long *value);

/* ---- text -------------------------------------------------------------- */

/* Return the columns of text on a terminal: one per character. */
unsigned util_columns(const char *text);

/* Write at most max columns of text, with '?' for control characters and invalid UTF-8. Return the columns
 * written. */
unsigned util_put(FILE *out, const char *text, unsigned max);

/* Write n blanks. */
void util_pad(FILE *out, unsigned n);

/* Write the whole text in at least width columns, aligned on the right (util_put_right) or on the left
 * (util_put_left). Return the columns written. */
unsigned util_put_right(FILE *out, const char *text, unsigned width);
unsigned util_put_left(FILE *out, const char *text, unsigned width);

/* Raise *width to at least the columns of text. */
void util_widen(unsigned *width, const char *text);

/* Write text wrapped at blanks to width columns. The first line begins at column, all others are indented by
 * indent blanks. No newline at the end. Return the column after the last character. */
unsigned util_wrap(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

/* True if text matches: a pattern with any of * ? [ is a glob over the whole text, any other a substring.
 * Case is ignored. */
bool util_match(const char *pattern, const char *text);
bool util_is_glob(const char *pattern);

/* True if an event's name matches, also in perf's spelling of tracepoints: "sched:*" is "tp::sched:*". */
bool util_match_event(const char *pattern, const char *name);

/* Print that no event matches the pattern, which may be a name, and list the most similar names. */
void util_no_match(struct upc_catalogue *catalogue, const char *pattern);

/* Return the columns of the terminal of out, or $COLUMNS, or the default. */
unsigned util_width(FILE *out);

/* True if output to out should be coloured: a terminal, and NO_COLOR is not set. */
bool util_colour(FILE *out);

/* A sentence that explains the two pipes in names of Blue Gene/P's integer events. */
#define UTIL_PIPES                                                                                                  \
	"JPIPE and IPIPE are the integer pipes of a Blue Gene/P core: J has simple operations only, I all others, " \
	"such as multiplications and branches"

/* ---- the catalogue ----------------------------------------------------- */

const char *util_source_name(enum upc_source source);
const char *util_scope_name(enum upc_scope scope);
const char *util_kind_name(enum upc_kind kind);

/* Return the length of PAPI's prefix of an event's name: "upc:::NAME", or "PAPI_NATIVE_upc:::NAME" in some
 * clients. */
size_t util_papi_prefix(const char *name);

/* Open the catalogue with a wiring file (NULL: $UPC_WIRING or none). Return NULL after printing an error. */
struct upc_catalogue *util_catalogue_open(const char *wiring);

/* Return an allocated array of all n events of a catalogue, or NULL if memory is short. */
struct upc_event_info *util_catalogue_events(struct upc_catalogue *catalogue, unsigned *n);

#endif
