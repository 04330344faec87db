/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics.h - metrics: files of formulas, the events that they need, and their values for a region's
 * counts, with intervals. doc/reference/METRICS.md describes the files.
 *
 *   upc-metrics 1
 *   # a comment
 *   event   NAME = perf "EVENT" {PROPERTY}
 *   derived NAME = "FORMULA" {PROPERTY}
 *
 * Statements and formulas are those of wiring files (wiring.h, formula.h). A derived name is a
 * metric. Names in a formula are events and derived names of the file, events in PAPI's spelling
 * (PAPI_TOT_INS, or with "::"), time (seconds) and calls. Results are not rounded to integers.
 */
#ifndef METRICS_H
#define METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "region/sum.h"

struct metrics; /* the metrics of one file, in its order */

/* Load metrics from a file or a text. Return 0, or UPC_EWIRING, UPC_EPERM or UPC_ENOMEM with a message
 * (upc_last_message): FILE:LINE:COLUMN and what was expected. name is for messages, and names the set:
 * without folder and without the last dot and what follows it. */
int metrics_load(const char *path, struct metrics **metrics);
int metrics_parse(const char *text, size_t length, const char *name, struct metrics **metrics);
void metrics_free(struct metrics *metrics);
const char *metrics_set(const struct metrics *metrics);

/* A metric. NULL: not given in the file. */
struct metric {
	const char *name, *unit, *description, *formula;
};
unsigned metrics_count(const struct metrics *metrics);
const struct metric *metrics_at(const struct metrics *metrics, unsigned metric);

/* True if the metric of several threads is the sum of theirs: a sum of counts, not a ratio. */
bool metrics_adds_up(const struct metrics *metrics, unsigned metric);

/* The events to count for the set, as PAPI spells them, in the order in which the metrics need them. time and
 * calls are not events. */
unsigned metrics_events(const struct metrics *metrics);
const char *metrics_event(const struct metrics *metrics, unsigned event);
bool metrics_needs(const struct metrics *metrics, unsigned metric, unsigned event);

/* ---- of counts (metrics_value.c) ------------------------------------------------------------- */

/* Map the counts to the set's events. upc:::NAME and NAME are the same event. Return NULL if memory is
 * short. */
struct metrics_columns;
struct metrics_columns *metrics_bind(const struct metrics *metrics, const char *const *events, unsigned n);
void metrics_unbind(struct metrics_columns *columns);

struct metrics_counts {
	double seconds, calls;
	const struct upcr_value *value; /* [n], as passed to metrics_bind */
	/* Correlations of errors, [n * n]; NaN: unknown. NULL: all are unknown. For an unknown correlation,
	 * each metric's error is computed for the worst case. */
	const double *correlation;
};

struct metric_value {
	double value;     /* NaN: a count is missing, or the divisor is not above 0 */
	double error;     /* standard error, to first order; NaN if value is NaN */
	double freedom;   /* degrees of freedom of error                                      */
	double low, high; /* 95 % interval; infinite: unbounded */
	unsigned flags;   /* UPCR_* of all its counts */
	unsigned missing; /* number of its events without counts; if not 0, no other field is set */
	bool exact;       /* its counts are exact (or time and calls), and it is no difference with time */
	bool open;        /* the divisor may be 0 */
	bool at_least;    /* a lower bound, because some counts are */
	bool unsure;      /* may be less or more: counts are lower bounds, or clocks differ */
};

void metrics_value(const struct metrics *metrics, unsigned metric, const struct metrics_columns *columns,
		   const struct metrics_counts *counts, struct metric_value *value);

/* Store up to max names of events that a metric needs and that were not counted. Return their number. counts
 * NULL: events without a column. */
unsigned metrics_missing(const struct metrics *metrics, unsigned metric,
			 const struct metrics_columns *columns, const struct metrics_counts *counts,
			 const char **names, unsigned max);

/* ---- sets installed with the tools (metrics_sets.c) -------------------------------------------- */

/* Open a set by name, such as "nopmu", or a file if name has a '/' or ends with ".metrics". Return errors
 * with a message, which lists the known sets if the name is unknown. */
int metrics_open(const char *name, struct metrics **metrics);

/* Return the names of all sets in alphabetical order, terminated by NULL, to be freed with
 * metrics_names_free. Return NULL if memory is short or there is no folder. */
char **metrics_names(void);
void metrics_names_free(char **names);

/* True if the set is for a PMU that this machine and its kernel have. */
bool metrics_fits(const struct metrics *metrics);

/* Choose the set for this machine: the set of its PMU, "papi" for a PMU without a set, or "nopmu" without a
 * PMU. */
int metrics_choose(struct metrics **metrics);

#endif
