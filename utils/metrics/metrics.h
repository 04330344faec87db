/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics.h - what is computed of counts: files of metrics, which counts they need, and what they
 * are of a region's counts, with intervals. doc/reference/METRICS.md has the files.
 *
 *   upc-metrics 1
 *   # a comment
 *   event   NAME = perf "EVENT" {PROPERTY}
 *   derived NAME = "FORMULA" {PROPERTY}
 *
 * Statements and formulas are those of wiring files (wiring.h, formula.h). A derived name is a
 * metric. Names of a formula are events and derived names of the file, events as PAPI writes them
 * (PAPI_TOT_INS, or with "::"), time (seconds) and calls. A count is no integer here: nothing is cut
 * off.
 */
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/sum.h"

struct metrics; /* of one file, in its order */

/* 0, or UPC_EWIRING, UPC_EPERM, UPC_ENOMEM with message (upc_last_message): FILE:LINE:COLUMN and
 * what was expected. name: for messages, and of the set: without its folder and what is behind the
 * last dot. */
int metrics_load(const char *path, struct metrics **metrics);
int metrics_parse(const char *text, size_t length, const char *name, struct metrics **metrics);
void metrics_free(struct metrics *metrics);
const char *metrics_set(const struct metrics *metrics);

/* A metric. NULL: not said. */
struct metric {
	const char *name, *unit, *description, *formula;
};
unsigned metrics_count(const struct metrics *metrics);
const struct metric *metrics_at(const struct metrics *metrics, unsigned metric);

/* The metric of several threads is the sum of theirs: it is a sum of counts, and no ratio. */
bool metrics_adds_up(const struct metrics *metrics, unsigned metric);

/* The events that the set needs, as PAPI has their names, in the order in which metrics need them:
 * what is to be counted. time and calls are none. */
unsigned metrics_events(const struct metrics *metrics);
const char *metrics_event(const struct metrics *metrics, unsigned event);
bool metrics_needs(const struct metrics *metrics, unsigned metric, unsigned event);

/* ---- of counts (metrics_value.c) ------------------------------------------------------------- */

/* Which count is which event of the set. upc:::NAME and NAME are the same. NULL: out of memory. */
struct metrics_columns;
struct metrics_columns *metrics_bind(const struct metrics *metrics, const char *const *events, unsigned n);
void metrics_unbind(struct metrics_columns *columns);

struct metrics_counts {
	double seconds, calls;
	const struct upcr_value *value; /* [n] of metrics_bind */
	/* How errors go together: correlations, [n * n], NaN where one is not known. NULL: of none. An
	 * unknown one is taken as bad as it can be for each metric. */
	const double *correlation;
};

struct metric_value {
	double value;     /* NaN: missing, or the divisor is not above 0                      */
	double error;     /* standard error, to the first order; NaN with value               */
	double freedom;   /* degrees of freedom of error                                      */
	double low, high; /* 95 % interval; infinite where there is no such end               */
	unsigned flags;   /* UPCR_*, of all counts in it                                      */
	unsigned missing; /* so many of its events were not counted: nothing else is set      */
	bool exact;       /* of exact counts (and of time and calls) alone; no difference of time */
	bool open;        /* the divisor cannot be told from 0                                */
	bool at_least;    /* a lower bound, as some of its counts are                         */
	bool unsure;      /* counts are lower bounds, or clocks differ: it may be less or more */
};

void metrics_value(const struct metrics *metrics, unsigned metric, const struct metrics_columns *columns,
		   const struct metrics_counts *counts, struct metric_value *value);

/* Names of the events that a metric needs and that were not counted, at most max of them; returns how
 * many there are. counts: NULL: what has no column. */
unsigned metrics_missing(const struct metrics *metrics, unsigned metric,
			 const struct metrics_columns *columns, const struct metrics_counts *counts,
			 const char **names, unsigned max);

/* ---- sets that come with the tools (metrics_sets.c) -------------------------------------------- */

/* A set's name, as "nopmu", or a file: what has a '/' or ends with ".metrics". Errors with message;
 * of an unknown name with those that there are. */
int metrics_open(const char *name, struct metrics **metrics);

/* Names of all sets, in the order of the alphabet, and NULL; for the caller to free with
 * metrics_names_free. NULL: out of memory, or no folder. */
char **metrics_names(void);
void metrics_names_free(char **names);

/* Is it for a PMU that this machine has, and the kernel with it. */
bool metrics_fits(const struct metrics *metrics);

/* The set for this machine: of its PMU; with a PMU that no set is of, "papi"; without one, "nopmu". */
int metrics_choose(struct metrics **metrics);

#endif
