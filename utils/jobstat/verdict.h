/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h - the result of comparing a job's nodes, in words that all reports print.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_VERDICT_H
#define JOBSTAT_VERDICT_H

#include "jobstat/jobstat_data.h"

/* Fill in job->told, job->verdict and each metric's named_at, from the metrics, findings and missing
 * archives. Return 0, or -1 if out of memory. */
int verdict_make(struct jobstat_job *job);

#endif
