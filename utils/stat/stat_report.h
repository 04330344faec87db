/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_report.h - prints upc_stat's counts as text, JSON or CSV.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_REPORT_H
#define STAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/common.h"
#include "lib/output.h"
#include "stat/stat_events.h"
#include "stat/stat_parts.h"
#include "stat/stat_runs.h"
#include "stat/stat_sample.h"

struct stat_report {
	struct util_output output;
	FILE *out; /* output.file */
	enum util_format format;
	const struct stat_events *events;
	const struct stat_parts *parts; /* parts that also have separate rows; NULL: none */
	enum stat_by by;                /* kind of the parts */
	const char *title;              /* what was counted, such as the command line */
	const char *context;            /* kind of the target in one word, such as "program" */
	char *const *command;           /* words of the program's command line; NULL: no program */
	bool zeros;
	bool intervals;
	unsigned repeat; /* number of runs; 0 or 1: one */
	unsigned run;    /* run of the sample, from 1 */
	double delay;    /* seconds at the start that were not counted */
	unsigned top;    /* maximum number of parts in the table; 0: all */
};

/* Print the report's part before the first sample. */
void stat_report_begin(const struct stat_report *report);

/* Print one sample. An interval shows the parts' counts during the interval; the last sample shows the counts
 * since the parts began. */
void stat_report_print(const struct stat_report *report, const struct stat_sample *sample);

/* Print the summary of several runs. */
void stat_report_runs(const struct stat_report *report, const struct stat_runs *runs);

/* ---- common to all formats --------------------------------------------- */

/* Return the part's count of event i in the last interval, or with last set since the part began. */
uint64_t stat_part_value(const struct stat_report *report, const struct stat_part *part, unsigned i,
			 bool last);

/* Return true if the sample lists the part. An interval omits parts that ended before the interval. */
bool stat_part_is_active(const struct stat_report *report, const struct stat_part *part, bool last);

/* Return the reason why a value is incomplete, or NULL. */
const char *stat_shortcoming(unsigned flags);

/* Return the mean number of CPUs that the program or the processes used, from the task clock. Return 0 if the
 * task clock was not counted, or if CPUs are counted. */
double stat_cpus_used(const struct stat_report *report, const struct stat_sample *sample);

#endif
