/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finish.h - converts the gathered totals of a job into the data that reports are made from.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_FINISH_H
#define JOBSTAT_FINISH_H

#include "jobstat/account.h"

/* Return the job's data, which jobstat_job_free frees; NULL: out of memory. */
struct jobstat_job *finish_job(const struct account_job *account, const struct series_node *node,
			       const struct series_names *names, const struct gather_options *options,
			       const struct archives *archives);

#endif
