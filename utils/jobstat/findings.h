/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * findings.h - what is to be said of a job's nodes: who stands apart, whose counters did not count,
 * which CPUs have nothing to do; each with its reason in words.
 */
#ifndef JOBSTAT_FINDINGS_H
#define JOBSTAT_FINDINGS_H

#include "jobstat/account.h"

/* Fills in finding and findings. was[m]: which of all metrics the job's metric m is. 0, or -1: out of
 * memory. */
int findings_make(struct jobstat_job *job, const struct account_job *account, const unsigned *was);

#endif
