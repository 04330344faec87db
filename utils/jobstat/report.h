/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h - jobs as text, CSV and JSON, on a stream that the caller owns.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_REPORT_H
#define JOBSTAT_REPORT_H

#include <stdio.h>

#include "jobstat/gather.h"
#include "jobstat/jobstat_data.h"
#include "lib/output.h"

struct report_options {
	bool per_node, per_cpu;
	unsigned width; /* columns of text */
};

/* Return a receiver of jobs. NULL: out of memory. The caller frees it with report_free. */
struct jobstat_report *report_text(struct util_output *output, const struct report_options *options);
struct jobstat_report *report_data(struct util_output *output, bool csv);
void report_free(struct jobstat_report *report);

/* Make watch print the current spread over nodes, as text or as lines of CSV, for --follow. */
void report_follow(FILE *out, bool csv, struct gather_watch *watch);

/* Make watch print lines of CSV for each value of each node in each interval, with a heading. */
void report_intervals(FILE *out, struct gather_watch *watch);

/* Format a time as 2026-11-23T12:00:00Z, with fractions of a second if there are any. */
#define REPORT_TIME_MAX 48
void report_time(int64_t ns, char text[REPORT_TIME_MAX]);

#endif
