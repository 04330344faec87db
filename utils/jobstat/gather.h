/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.h - reads the archives of all nodes in parallel, interval by interval, and adds each interval to
 * the jobs that ran on its node. Memory use depends on the number of nodes and of concurrent jobs, not on
 * the length of the archives.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_GATHER_H
#define JOBSTAT_GATHER_H

#include <signal.h>

#include "jobstat/archive.h"
#include "jobstat/define.h"
#include "jobstat/jobs.h"
#include "jobstat/jobstat_data.h"

struct gather_options {
	const struct jobs *jobs;      /* NULL or empty: one job that covers all archives */
	int64_t start_ns, end_ns;     /* without jobs: time of the one job; INT64_MIN, INT64_MAX: unlimited */
	const struct nodelist *nodes; /* without jobs: nodes of the one job; NULL or empty: all */
	uint64_t interval_ns;         /* 0: the archives' own interval */
	bool all;                     /* include metrics of other agents */
	struct define *define;        /* the definitions, or NULL */
	int bandwidth, flops;         /* index of the definition with this role, or -1 */
	double line_bytes, peak;
	bool follow;
	const volatile sig_atomic_t *stop; /* if set, the jobs end now; may be NULL */
};

/* Callbacks that receive the values of each interval while it is read; each may be NULL. value receives a
 * node's value of a metric, or NAN if the metric did not count. part means that the metric counted only for a
 * part of the interval. The calls for one metric follow each other, for all nodes of a job. */
struct gather_watch {
	void (*interval)(void *arg, const struct jobs_job *job, int64_t start_ns, uint64_t interval_ns);
	void (*value)(void *arg, const char *node, const struct jobstat_metric *metric, int place,
		      const char *place_name, double value, bool part);
	void (*spread)(void *arg, const struct jobstat_metric *metric, const struct jobstat_point *point);
	void *arg;
};

/* Check that the metrics which the definitions need exist, unless they may still appear. Return 0, or -1
 * with an error message. */
int gather_check(struct archives *archives, const struct gather_options *options);

/* Read all archives and pass each job to report when the job's time is over. Return 0, or -1 with an error
 * message. */
int gather_run(struct archives *archives, const struct gather_options *options,
	       const struct gather_watch *watch, struct jobstat_report *report);

#endif
