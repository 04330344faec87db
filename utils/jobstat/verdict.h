/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.h - what the comparison of a job's nodes could tell, in words that all reports print.
 */
#ifndef JOBSTAT_VERDICT_H
#define JOBSTAT_VERDICT_H

#include "jobstat/jobstat_data.h"

/* Fills in told, verdict and each metric's named_at, from the job's metrics, findings and missing archives.
 * 0, or -1: out of memory. */
int verdict_make(struct jobstat_job *job);

#endif
