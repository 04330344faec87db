/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * findings.h - the findings about a job's nodes: nodes that stand apart, counters that did not count, and
 * idle CPUs. Each finding has its reason in words.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_FINDINGS_H
#define JOBSTAT_FINDINGS_H

#include "jobstat/account.h"

/* Fill in finding and findings. was[m] is the index, among all metrics, of the job's metric m. Return 0,
 * or -1 if out of memory. */
int findings_make(struct jobstat_job *job, const struct account_job *account, const unsigned *was);

#endif
