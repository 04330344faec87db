/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobs.h - which jobs there were: when, and on which nodes. A file of them is CSV
 *
 *   id,start,end,nodes
 *   4711,2026-11-23T12:00:00Z,2026-11-23T13:00:00Z,"nid[001-003,7]"
 *
 * whose heading may be missing and whose nodes need no quotes as the last field, or what
 * "sacct -P -o JobID,Start,End,NodeList" prints, with any other fields, in any order. A time
 * is seconds since 1970, or a date as above, with Z, an offset as +01:00, or neither: local time.
 */
#ifndef JOBSTAT_JOBS_H
#define JOBSTAT_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "jobstat/nodelist.h"

/* An end that has not been. */
#define JOBS_RUNNING INT64_MAX

struct jobs_job {
	char *id;
	int64_t start_ns, end_ns;
	struct nodelist nodes; /* none: all */
};

struct jobs {
	struct jobs_job *job;
	unsigned n;
};

/* Adds the jobs of a file's text. 0; or -1 with "NAME:LINE:COLUMN: ..." in message: jobs keeps what it
 * had. Jobs that have not begun and steps of jobs are left out. */
int jobs_parse(const char *name, const char *text, size_t length, struct jobs *jobs, char message[400]);

/* The same of a file, "-" is standard input. */
int jobs_read(const char *path, struct jobs *jobs, char message[400]);
void jobs_free(struct jobs *jobs);

/* 0, or -1: text is no time as above. */
int jobs_time(const char *text, size_t length, int64_t *ns);

#endif
