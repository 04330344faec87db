/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobs.h - the list of jobs: their times and nodes. It is read from a CSV file
 *
 *   id,start,end,nodes
 *   4711,2026-11-23T12:00:00Z,2026-11-23T13:00:00Z,"nid[001-003,7]"
 *
 * whose heading is optional and whose nodes need no quotes as the last field, or from the output of "sacct
 * -P -o JobID,Start,End,NodeList", with any other fields, in any order. A time is seconds since 1970, or a
 * date as above, with Z, with an offset as +01:00, or with neither (local time).
 */
#ifndef JOBSTAT_JOBS_H
#define JOBSTAT_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "jobstat/nodelist.h"

/* The end of a job that still runs. */
#define JOBS_RUNNING INT64_MAX

struct jobs_job {
	char *id;
	int64_t start_ns, end_ns;
	struct nodelist nodes; /* empty: all nodes */
};

struct jobs {
	struct jobs_job *job;
	unsigned n;
};

/* Add the jobs of a file's text. Jobs that have not begun and job steps are left out. Return 0, or -1 with
 * "NAME:LINE:COLUMN: ..." in message and jobs unchanged. */
int jobs_parse(const char *name, const char *text, size_t length, struct jobs *jobs, char message[400]);

/* Add the jobs of a file; the path "-" is standard input. Results are as for jobs_parse. */
int jobs_read(const char *path, struct jobs *jobs, char message[400]);
void jobs_free(struct jobs *jobs);

/* Parse a time in one of the formats above. Return 0, or -1 if text is not a time. */
int jobs_time(const char *text, size_t length, int64_t *ns);

#endif
