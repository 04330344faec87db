/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_sheet.h - a job as a sheet: findings, bandwidth, nodes, metrics, their values, and points of
 * time.
 *
 * Terms: jobstat/jobstat_data.h, sheet/sheet.h.
 */
#ifndef JOBSTAT_SHEET_H
#define JOBSTAT_SHEET_H

#include "jobstat/jobstat_data.h"
#include "sheet/sheet.h"

enum {
	JOBSTAT_FACTS = 13,
	JOBSTAT_NOTES = 2,
};

/* The sections of the sheet. JOBSTAT_NAMED, for HTML only, has the differences that would name a node.
 * JOBSTAT_INTERVALS is for rows that are written while archives are read. JOBSTAT_EACH_NODE is for text
 * only: each node with its metrics. */
enum {
	JOBSTAT_FOUND,
	JOBSTAT_NUMA_NODES,
	JOBSTAT_EACH,
	JOBSTAT_METRICS,
	JOBSTAT_NAMED,
	JOBSTAT_VALUES,
	JOBSTAT_PLACES,
	JOBSTAT_POINTS,
	JOBSTAT_INTERVALS,
	JOBSTAT_EACH_NODE,
	JOBSTAT_SECTIONS
};

struct jobstat_sheet {
	struct sheet sheet;
	const struct jobstat_job *job;
	bool per_cpu; /* JOBSTAT_EACH_NODE also lists places */
	struct sheet_fact fact[JOBSTAT_FACTS];
	struct sheet_section section[JOBSTAT_SECTIONS];
	struct sheet_note note[JOBSTAT_NOTES];
};

/* Make the sheet of a job. The sheet points into the job, which must outlive it. If job is NULL, the sheet
 * has no rows, only the CSV columns that all jobs share. */
void jobstat_sheet_make(struct jobstat_sheet *sheet, const struct jobstat_job *job);

struct job_row;

/* Write the CSV lines of one row in the format of a section, after sheet_csv_begin. Return false on
 * failure. */
bool jobstat_sheet_row(FILE *out, unsigned section, const char *record, const struct job_row *row);

#endif
