/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_follow.c - the spread over nodes, interval by interval, while it is read.
 */
#include <math.h>

#include "jobstat/report.h"
#include "jobstat/jobstat_sheet.h"
#include "lib/common.h"

struct now {
	FILE *out;
	bool csv;
	char time[REPORT_TIME_MAX];
	int64_t time_ns;
	const char *job;
};

static void begin_follow_interval(void *arg, const struct jobs_job *job, int64_t start_ns,
				  uint64_t interval_ns)
{
	struct now *now = arg;

	(void)interval_ns;
	now->job = job->id;
	now->time_ns = start_ns;
	report_time(start_ns, now->time);
	fflush(now->out);
}

static void put_follow_spread(void *arg, const struct jobstat_metric *metric,
			      const struct jobstat_point *point)
{
	const struct now *now = arg;

	if (now->csv) {
		jobstat_sheet_now(now->out, now->job, metric, point, now->time_ns);
		fflush(now->out);
		return;
	}
	fprintf(now->out, "%s ", now->time);
	util_put(now->out, metric->name, ~0u);
	fprintf(now->out, " nodes %u mean %.4g min %.4g max %.4g", point->nodes, point->mean, point->min,
		point->max);
	if (!isnan(point->sd))
		fprintf(now->out, " +/- %.4g", point->sd);
	fprintf(now->out, "%s%s\n", metric->unit[0] != '\0' ? " " : "", metric->unit);
	fflush(now->out);
}

void report_follow(FILE *out, bool csv, struct gather_watch *watch)
{
	static struct now now;

	now = (struct now){.out = out, .csv = csv};
	*watch = (struct gather_watch){
		.interval = begin_follow_interval, .spread = put_follow_spread, .arg = &now};
}
