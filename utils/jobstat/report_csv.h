/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_csv.h - one line of jobs as CSV.
 */
#ifndef JOBSTAT_REPORT_CSV_H
#define JOBSTAT_REPORT_CSV_H

#include <stdio.h>

#include "jobstat/jobstat_data.h"

/* NAN, NULL, no nodes and a time below zero are empty. */
struct report_csv_line {
	const char *record, *job, *node;
	const struct jobstat_metric *metric;
	const char *place;
	int64_t time_ns;
	unsigned nodes, intervals;
	bool has_total;
	uint64_t total;
	double mean, min, max, sd, covered;
	const char *text;
};

void report_csv_line(FILE *out, const struct report_csv_line *line);

#endif
