/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_csv.c - jobs as CSV, a line for each number's place: nodes, their places, points of time over
 * nodes, rows of the table, findings; the first field says which it is.
 */
#include <math.h>
#include <stdlib.h>

#include "jobstat/report.h"
#include "jobstat/report_csv.h"
#include "lib/data.h"

struct csv {
	struct jobstat_report report; /* the first */
	FILE *out;
};

static void put_head_csv(FILE *out)
{
	fputs("record,job,node,metric,unit,place,time,nodes,total,mean,min,max,sd,covered,intervals,text,version\n",
	      out);
}

static void put_text_csv(FILE *out, const char *text)
{
	util_csv_put(out, text);
	putc(',', out);
}

static void put_number_csv(FILE *out, double x)
{
	if (!isnan(x))
		fprintf(out, "%.9g", x);
	putc(',', out);
}

/* Its fields; -1 and NAN are empty. */
void report_csv_line(FILE *out, const struct report_csv_line *line)
{
	char time[REPORT_TIME_MAX] = "";

	put_text_csv(out, line->record);
	put_text_csv(out, line->job);
	put_text_csv(out, line->node);
	put_text_csv(out, line->metric != NULL ? line->metric->name : "");
	put_text_csv(out, line->metric != NULL ? line->metric->unit : "");
	put_text_csv(out, line->place != NULL ? line->place : "");
	if (line->time_ns >= 0)
		report_time(line->time_ns, time);
	put_text_csv(out, time);
	if (line->nodes > 0)
		fprintf(out, "%u", line->nodes);
	putc(',', out);
	if (line->has_total)
		fprintf(out, "%llu", (unsigned long long)line->total);
	putc(',', out);
	put_number_csv(out, line->mean);
	put_number_csv(out, line->min);
	put_number_csv(out, line->max);
	put_number_csv(out, line->sd);
	put_number_csv(out, line->covered);
	if (line->intervals > 0)
		fprintf(out, "%u", line->intervals);
	putc(',', out);
	put_text_csv(out, line->text != NULL ? line->text : "");
	fprintf(out, "%s\n", upc_version());
}

static void put_places_csv(FILE *out, struct report_csv_line line, const struct jobstat_value *value)
{
	line.record = "place";
	line.sd = NAN;
	for (unsigned i = 0; i < value->places; i++) {
		const struct jobstat_place *place = &value->place[i];

		line.place = place->name;
		line.has_total = line.metric->define == NULL && !line.metric->level;
		line.total = place->total;
		line.mean = place->mean;
		line.min = place->min;
		line.max = place->max;
		line.covered = place->covered;
		line.intervals = place->intervals;
		report_csv_line(out, &line);
	}
}

static void put_nodes(FILE *out, const struct jobstat_job *job)
{
	for (unsigned k = 0; k < job->nodes; k++)
		for (unsigned m = 0; m < job->metrics; m++) {
			const struct jobstat_value *value = &job->node[k].value[m];
			struct report_csv_line line = {
				.record = "node",
				.job = job->id,
				.node = job->node[k].name,
				.metric = &job->metric[m],
				.time_ns = -1,
				.mean = value->mean,
				.min = value->min,
				.max = value->max,
				.sd = value->sd,
				.covered = value->covered,
				.intervals = value->intervals,
			};

			if (value->places == 0)
				continue;
			report_csv_line(out, &line);
			put_places_csv(out, line, value);
		}
}

static void put_points(FILE *out, const struct jobstat_job *job)
{
	for (unsigned m = 0; m < job->metrics; m++)
		for (unsigned i = 0; i < job->steps; i++) {
			const struct jobstat_point *point = &job->point[m][i];

			if (point->nodes == 0)
				continue;
			report_csv_line(out, &(struct report_csv_line){
						     .record = "point",
						     .job = job->id,
						     .node = "",
						     .metric = &job->metric[m],
						     .time_ns = job->first_ns + (int64_t)(i * job->step_ns),
						     .nodes = point->nodes,
						     .mean = point->mean,
						     .min = point->min,
						     .max = point->max,
						     .sd = point->sd,
						     .covered = NAN,
					     });
		}
}

/* Tables III to VII: of each number of a row its mean, and its deviation as sd. */
static void put_rows_csv(FILE *out, const struct jobstat_job *job)
{
	static const char *const what[] = {"min", "max", "avg"};

	for (unsigned i = 0; i < job->rows; i++) {
		const struct jobstat_row *row = &job->row[i];
		const double pair[3][2] = {
			{row->min, row->min_sd}, {row->max, row->max_sd}, {row->mean, row->mean_sd}};
		char place[40];

		snprintf(place, sizeof(place), "%s%d",
			 job->metric[job->bandwidth].scope == JOBSTAT_CPU ? "cpu" : "node", row->number);
		for (int j = 0; j < 3; j++)
			report_csv_line(out, &(struct report_csv_line){
						     .record = "table",
						     .job = job->id,
						     .node = "",
						     .metric = &job->metric[job->bandwidth],
						     .place = place,
						     .time_ns = -1,
						     .nodes = row->nodes,
						     .mean = pair[j][0],
						     .min = NAN,
						     .max = NAN,
						     .sd = pair[j][1],
						     .covered = row->covered,
						     .text = what[j],
					     });
	}
}

static void put_findings_csv(FILE *out, const struct jobstat_job *job)
{
	report_csv_line(out, &(struct report_csv_line){.record = "verdict",
						       .job = job->id,
						       .node = "",
						       .time_ns = -1,
						       .nodes = job->nodes,
						       .mean = NAN,
						       .min = NAN,
						       .max = NAN,
						       .sd = NAN,
						       .covered = NAN,
						       .text = job->verdict});
	for (unsigned i = 0; i < job->findings; i++) {
		const struct jobstat_finding *finding = &job->finding[i];

		report_csv_line(out,
				&(struct report_csv_line){
					.record = jobstat_finding_name(finding->kind),
					.job = job->id,
					.node = finding->nodes,
					.metric = finding->metric >= 0 ? &job->metric[finding->metric] : NULL,
					.time_ns = finding->from_ns,
					.mean = finding->value,
					.min = NAN,
					.max = NAN,
					.sd = NAN,
					.covered = NAN,
					.text = finding->text,
				});
	}
}

static int csv_begin(struct jobstat_report *report)
{
	put_head_csv(((struct csv *)report)->out);
	return 0;
}

static int csv_job(struct jobstat_report *report, struct jobstat_job *job)
{
	FILE *out = ((struct csv *)report)->out;

	put_findings_csv(out, job);
	put_rows_csv(out, job);
	put_nodes(out, job);
	put_points(out, job);
	jobstat_job_free(job);
	return 0;
}

struct jobstat_report *report_csv(FILE *out)
{
	struct csv *csv = calloc(1, sizeof(*csv));

	if (csv == NULL)
		return NULL;
	csv->report = (struct jobstat_report){.begin = csv_begin, .job = csv_job};
	csv->out = out;
	return &csv->report;
}
