/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics.h - metrics: files of formulas, the events that they need, and their values for a region's
 * counts, with intervals.
 *
 * Terms:
 *   set           the metrics of one file, with the events that they need
 *   metric        a derived name of a file: the quotient of two sums of terms, or one sum
 *   term          an event, time or calls, with a factor in each of the two sums
 *   above, below  the dividend and the divisor of a metric
 *   count         the value of one event for a region of a program, exact or estimated
 *   column        index of an event's count in the counts that the caller passes
 *   lower bound   a count that lacks a part
 *   all others    lib/common.h
 *
 * doc/reference/METRICS.md describes the files.
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
 * (upc_last_message): FILE:LINE:COLUMN and what was expected. name is the file in messages. The name of the
 * set is name without its folder and without the last dot and the text after it. */
int metrics_load(const char *path, struct metrics **metrics);
int metrics_parse(const char *text, size_t length, const char *name, struct metrics **metrics);
void metrics_free(struct metrics *metrics);
const char *metrics_set(const struct metrics *metrics);

/* The properties of a metric. A member is NULL if the file does not give the property. */
struct metric {
	const char *name, *unit, *description, *formula;
};
unsigned metrics_count(const struct metrics *metrics);
const struct metric *metrics_at(const struct metrics *metrics, unsigned metric);

/* True if the metric's value for several threads is the sum of the threads' values: the metric is a sum of
 * counts, not a ratio. */
bool metrics_adds_up(const struct metrics *metrics, unsigned metric);

/* Return the number of events to count for the set, and the name of one as PAPI spells it. They are in the
 * order in which the metrics need them. time and calls are not events. */
unsigned metrics_events(const struct metrics *metrics);
const char *metrics_event(const struct metrics *metrics, unsigned event);
bool metrics_needs(const struct metrics *metrics, unsigned metric, unsigned event);

/* ---- values of metrics (metrics_value.c) ----------------------------------------------------- */

/* Map the set's events to the columns of the n events that were counted. upc:::NAME and NAME are the same
 * event. Return NULL if memory is short. */
struct metrics_columns;
struct metrics_columns *metrics_bind(const struct metrics *metrics, const char *const *events, unsigned n);
void metrics_unbind(struct metrics_columns *columns);

struct metrics_counts {
	double seconds, calls;
	const struct upcr_value *value; /* [n], as passed to metrics_bind */
	/* [n * n]: correlations of the counts' errors; NaN: unknown. NULL: all are unknown. With unknown
	 * correlations, a metric's error is computed for the worst case. */
	const double *correlation;
};

struct metric_value {
	double value;     /* NaN: a count is missing, or the divisor is not above 0 */
	double error;     /* standard error, to first order; NaN if value is NaN */
	double freedom;   /* degrees of freedom of error                                      */
	double low, high; /* 95 % interval; infinite: unbounded */
	unsigned flags;   /* UPCR_* of all counts in the formula */
	unsigned missing; /* number of events without counts; if not 0, no other field is set */
	bool exact;       /* all counts are exact, and the formula is no difference that contains time */
	bool open;        /* the divisor may be 0 */
	bool at_least;    /* value is a lower bound, because some counts are lower bounds */
	bool unsure;      /* the true value may be less or more: counts are lower bounds, or clocks differ */
};

void metrics_value(const struct metrics *metrics, unsigned metric, const struct metrics_columns *columns,
		   const struct metrics_counts *counts, struct metric_value *value);

/* Store up to max names of events that a metric needs and that were not counted. If counts is NULL, store the
 * events without a column. Return the number of such events, which may exceed max. */
unsigned metrics_missing(const struct metrics *metrics, unsigned metric,
			 const struct metrics_columns *columns, const struct metrics_counts *counts,
			 const char **names, unsigned max);

/* ---- sets installed with the tools (metrics_sets.c) -------------------------------------------- */

/* Open a set by name, such as "nopmu", or a file if name has a '/' or ends with ".metrics". Return 0 or an
 * error of metrics_load. If the name is unknown, the message lists the known sets. */
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
