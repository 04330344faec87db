/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_rows.h - the rows of a job's sheet: functions that produce the rows of each section, and the
 * exactness of their numbers.
 *
 * Terms: jobstat/jobstat_data.h, sheet/sheet.h.
 */
#ifndef JOBSTAT_ROWS_H
#define JOBSTAT_ROWS_H

#include <string.h>

#include "jobstat/jobstat_sheet.h"

/* Numbers of a row that have an exactness. OTHER is the usual value in a finding's row, and the bandwidth in
 * a node's row. */
enum job_number { TOTAL, MEAN, MIN, MAX, SD, MEAN_SD, MIN_SD, MAX_SD, OTHER, NUMBERS };

#define JOB_ROW_NONE UINT64_MAX /* value of an absent count */

/* A row of any section. NULL, JOB_ROW_NONE and NAN mean an absent value. A field that no column of the
 * section shows is zero. */
struct job_row {
	const char *job, *node, *place, *event, *unit, *kind, *text, *scope, *role, *comparison, *define,
		*when, *named_at, *least, *most, *why;
	uint64_t number, nodes, intervals, bad, level, total;
	double time, end, share, covered, below, above, of_peak;
	struct jobstat_lost lost;
	double x[NUMBERS];
	bool whole, part; /* the values cover all of the time and all nodes; or only parts of intervals */
	unsigned depth;   /* depth of texts in a tree */
	char reason[2][200];
};

/* Fill in a cell with a number of a row and its exactness. */
void job_row_number(const struct job_row *row, enum job_number id, struct sheet_cell *cell);

struct job_row job_row_of_point(const char *job, const struct jobstat_metric *metric,
				const struct jobstat_point *point, int64_t time_ns);

/* Pass the rows of one section of a sheet to put; arg is a struct jobstat_sheet. Return false if put
 * failed. */
bool job_each_finding(const void *arg, sheet_put *put, void *to);
bool job_each_numa_node(const void *arg, sheet_put *put, void *to);
bool job_each_node(const void *arg, sheet_put *put, void *to);
bool job_each_metric(const void *arg, sheet_put *put, void *to);
bool job_each_value(const void *arg, sheet_put *put, void *to);
bool job_each_place(const void *arg, sheet_put *put, void *to);
bool job_each_line(const void *arg, sheet_put *put, void *to); /* values; with per_cpu also places */
bool job_each_point(const void *arg, sheet_put *put, void *to);

/* Return the heading of a node's rows, which the caller frees; NULL: out of memory. */
char *job_node_heading(const void *arg, const void *row);

#endif
