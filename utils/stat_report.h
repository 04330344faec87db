/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_report.h - what upc_stat has counted, as a table, as JSON or as CSV.
 */
#ifndef STAT_REPORT_H
#define STAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#include "common.h"
#include "stat_events.h"
#include "stat_threads.h"

struct stat_report {
	FILE *out;
	enum util_format format;
	const struct stat_events *events;
	const struct stat_threads *threads; /* NULL: not by thread      */
	const char *title;                  /* whose counts they are    */
	const char *context;                /* the same, one word       */
	char *const *command;               /* of the program, or NULL  */
	bool zeros;
	bool intervals;
	unsigned top; /* so many threads in the table; 0: all */
};

/* Counts over some time; values and flags in the order of the events. */
struct stat_sample {
	double time;    /* since the start, at the end of the sample */
	double seconds; /* that it covers */
	const uint64_t *values;
	const unsigned *flags;
	bool last; /* the whole run, not an interval */

	/* Of the last one, where there was a program. */
	bool has_program;
	int status; /* as wait gives it */
	struct rusage usage;
};

/* Prints what comes before the first sample. */
void stat_report_begin(const struct stat_report *report);

/* Prints one sample; an interval shows what threads have done in it, the last
 * one what they did since they were born. */
void stat_report_print(const struct stat_report *report, const struct stat_sample *sample);

#endif
