/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_sheet.h - a job as a sheet: findings, bandwidth, nodes, metrics, their values, and points of time.
 */
#ifndef JOBSTAT_SHEET_H
#define JOBSTAT_SHEET_H

#include "jobstat/jobstat_data.h"
#include "sheet/sheet.h"

enum {
	JOBSTAT_FACTS = 13,
	JOBSTAT_NOTES = 2,
};

/* Its sections. JOBSTAT_NAMED is for HTML: what would name a node; JOBSTAT_INTERVALS for rows that
 * come while archives are read, JOBSTAT_EACH_NODE for text: each node with
 * its metrics. */
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
	bool per_cpu; /* JOBSTAT_EACH_NODE has places, too */
	struct sheet_fact fact[JOBSTAT_FACTS];
	struct sheet_section section[JOBSTAT_SECTIONS];
	struct sheet_note note[JOBSTAT_NOTES];
};

/* The sheet of a job, which has to stay as long; NULL: of none, with the columns of all. */
void jobstat_sheet_make(struct jobstat_sheet *sheet, const struct jobstat_job *job);

struct job_row;

/* Lines of CSV of one row, as those of a section, behind sheet_csv_begin. */
bool jobstat_sheet_row(FILE *out, unsigned section, const char *record, const struct job_row *row);

#endif
