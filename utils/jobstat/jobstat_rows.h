/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_rows.h - rows of a job's sheet: how exact their numbers are, and each row of a section.
 */
#ifndef JOBSTAT_ROWS_H
#define JOBSTAT_ROWS_H

#include <string.h>

#include "jobstat/jobstat_sheet.h"

/* Numbers with exactness; OTHER is a second one: a finding's usual number, a node's bandwidth. */
enum job_number { TOTAL, MEAN, MIN, MAX, SD, MEAN_SD, MIN_SD, MAX_SD, OTHER, NUMBERS };

#define JOB_ROW_NONE UINT64_MAX /* of a count */

/* NULL, JOB_ROW_NONE and NAN: none; a field that no column of the section shows is zero. */
struct job_row {
	const char *job, *node, *place, *event, *unit, *kind, *text, *scope, *role, *comparison, *define,
		*when, *named_at, *least, *most, *why;
	uint64_t number, nodes, intervals, bad, level, total;
	double time, end, share, covered, below, above, of_peak;
	struct jobstat_lost lost;
	double x[NUMBERS];
	bool whole, part; /* of all of the time and of all nodes; of parts of intervals */
	unsigned depth;   /* of texts, in a tree */
	char reason[2][200];
};

/* A number of a row, with its exactness. */
void job_row_number(const struct job_row *row, enum job_number id, struct sheet_cell *cell);

struct job_row job_row_of_point(const char *job, const struct jobstat_metric *metric,
				const struct jobstat_point *point, int64_t time_ns);

/* Rows of a sheet's sections; arg is a struct jobstat_sheet. */
bool job_each_finding(const void *arg, sheet_put *put, void *to);
bool job_each_numa_node(const void *arg, sheet_put *put, void *to);
bool job_each_node(const void *arg, sheet_put *put, void *to);
bool job_each_metric(const void *arg, sheet_put *put, void *to);
bool job_each_value(const void *arg, sheet_put *put, void *to);
bool job_each_place(const void *arg, sheet_put *put, void *to);
bool job_each_line(const void *arg, sheet_put *put, void *to); /* of each node, with places in its tree */
bool job_each_point(const void *arg, sheet_put *put, void *to);

/* For the lines of a node. */
char *job_node_heading(const void *arg, const void *row);

#endif
