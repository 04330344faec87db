/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finish.h - what was gathered of a job becomes what reports are made of.
 */
#ifndef JOBSTAT_FINISH_H
#define JOBSTAT_FINISH_H

#include "jobstat/account.h"

/* NULL: out of memory. */
struct jobstat_job *finish_job(const struct account_job *account, const struct series_node *node,
			       const struct series_names *names, const struct gather_options *options,
			       const struct archives *archives);

#endif
