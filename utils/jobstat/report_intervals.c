/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_intervals.c - prints the values of each interval while it is read: the spread over nodes, or each
 * node's values.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>

#include "jobstat/report.h"
#include "jobstat/jobstat_rows.h"
#include "lib/common.h"

struct now {
	FILE *out;
	bool csv;
	char time[REPORT_TIME_MAX];
	int64_t time_ns;
	const char *job;
};

static void begin_interval_lines(void *arg, const struct jobs_job *job, int64_t start_ns,
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
		const struct job_row row = job_row_of_point(now->job, metric, point, now->time_ns);

		jobstat_sheet_row(now->out, JOBSTAT_POINTS, "now", &row);
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

static void put_interval_value(void *arg, const char *node, const struct jobstat_metric *metric, int place,
			       const char *place_name, double value, bool part)
{
	const struct now *now = arg;
	struct job_row row = {.job = now->job,
			      .node = node,
			      .place = place_name,
			      .event = metric->name,
			      .unit = metric->unit,
			      .time = (double)now->time_ns / 1e9,
			      .x[MEAN] = value,
			      .whole = !part};

	(void)place;
	if (part)
		strcpy(row.reason[0], "counted in a part of the interval");
	if (isnan(value))
		strcpy(row.reason[0], "not counted");
	jobstat_sheet_row(now->out, JOBSTAT_INTERVALS, "interval", &row);
}

void report_follow(FILE *out, bool csv, struct gather_watch *watch)
{
	static struct now now;

	now = (struct now){.out = out, .csv = csv};
	*watch = (struct gather_watch){
		.interval = begin_interval_lines, .spread = put_follow_spread, .arg = &now};
}

void report_intervals(FILE *out, struct gather_watch *watch)
{
	struct jobstat_sheet sheet;

	jobstat_sheet_make(&sheet, NULL);
	sheet_csv_begin(out, &sheet.sheet);
	report_follow(out, true, watch);
	watch->spread = NULL;
	watch->value = put_interval_value;
}
