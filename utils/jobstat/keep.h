/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keep.h - memory of a finished job, all of which is freed together with the job.
 */
#ifndef JOBSTAT_KEEP_H
#define JOBSTAT_KEEP_H

#include "jobstat/jobstat_data.h"

/* Return an empty job. NULL: out of memory. */
struct jobstat_job *keep_job(void);

/* Allocate zeroed memory that belongs to the job. NULL: out of memory; keep_failed returns true from then
 * on. */
void *keep_job_memory(struct jobstat_job *job, size_t n, size_t size);
const char *keep_text(struct jobstat_job *job, const char *text);
const char *keep_format(struct jobstat_job *job, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool keep_failed(const struct jobstat_job *job);

#endif
