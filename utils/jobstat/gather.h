/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.h - reads the archives of all nodes side by side, interval by interval, and adds each up to
 * the jobs that were on its node. Memory is for the nodes, and for the jobs that are under way, not for
 * the length of the archives.
 */
#ifndef JOBSTAT_GATHER_H
#define JOBSTAT_GATHER_H

#include <signal.h>

#include "jobstat/archive.h"
#include "jobstat/define.h"
#include "jobstat/jobs.h"
#include "jobstat/jobstat_data.h"

struct gather_options {
	const struct jobs *jobs;      /* none: one job of all that there is */
	int64_t start_ns, end_ns;     /* of that one; INT64_MIN, INT64_MAX: all of it */
	const struct nodelist *nodes; /* of that one; none: all */
	uint64_t interval_ns;         /* 0: as the archives say */
	bool all;                     /* also metrics that are not the service's */
	struct define *define;        /* or NULL */
	int bandwidth, flops;         /* definitions with that role, or -1 */
	double line_bytes, peak;
	bool follow;
	const volatile sig_atomic_t *stop; /* set: the jobs end now; or NULL */
};

/* Functions that get the values of each interval while it is read: a node's value of a metric, NAN
 * where it did not count; part: it counted for a part of the interval. Called by metric, for all nodes of a
 * job. Or NULL. */
struct gather_watch {
	void (*interval)(void *arg, const struct jobs_job *job, int64_t start_ns, uint64_t interval_ns);
	void (*value)(void *arg, const char *node, const struct jobstat_metric *metric, int place,
		      const char *place_name, double value, bool part);
	void (*spread)(void *arg, const struct jobstat_metric *metric, const struct jobstat_point *point);
	void *arg;
};

/* Whether the metrics that definitions want are somewhere, unless they may still come: 0; or -1, said. */
int gather_check(struct archives *archives, const struct gather_options *options);

/* Gives each job to report when its time is over. 0; or -1, said. */
int gather_run(struct archives *archives, const struct gather_options *options,
	       const struct gather_watch *watch, struct jobstat_report *report);

#endif
