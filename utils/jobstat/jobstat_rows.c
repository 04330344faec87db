/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_rows.c - rows of a job's sheet. A number that does not cover all of the job's time and all of
 * its nodes is a bound or an estimate: a total and a maximum become lower bounds, a minimum becomes an
 * upper bound.
 *
 * Terms: jobstat/jobstat_data.h, sheet/sheet.h.
 */
#include <math.h>
#include <stdio.h>

#include "jobstat/jobstat_html_parts.h"
#include "jobstat/jobstat_rows.h"
#include "jobstat/spread.h"

static const struct jobstat_job *job_of(const void *arg)
{
	return ((const struct jobstat_sheet *)arg)->job;
}

void job_row_number(const struct job_row *row, enum job_number id, struct sheet_cell *cell)
{
	static const enum sheet_exactness of_part[NUMBERS] = {SHEET_AT_LEAST, SHEET_ESTIMATE, SHEET_AT_MOST,
							      SHEET_AT_LEAST, SHEET_ESTIMATE, SHEET_ESTIMATE,
							      SHEET_ESTIMATE, SHEET_ESTIMATE, SHEET_ESTIMATE};
	const bool counted = id == TOTAL ? row->intervals > 0 : !isnan(row->x[id]);

	cell->whole = id == TOTAL;
	cell->count = row->total;
	cell->value = row->x[id];
	cell->low = cell->high = cell->error = cell->freedom = cell->coverage = NAN;
	/* Absent numbers are the total of a metric that is not a count, the spread of a single value, and
	 * the value of a finding that has none. */
	cell->absent =
		id == TOTAL ? row->total == JOB_ROW_NONE : !counted && (row->kind || !isnan(row->x[MEAN]));
	if (!counted)
		cell->exactness = SHEET_UNCOUNTED;
	else if (row->part || !row->whole)
		cell->exactness = row->part && id != TOTAL ? SHEET_ESTIMATE : of_part[id];
	for (unsigned i = 0; i < 2 && cell->exactness != SHEET_EXACT; i++)
		if (row->reason[i][0])
			cell->reason[cell->reasons++] = row->reason[i];
}

/* ---- exactness --------------------------------------------------------------------------------- */

static bool is_whole_value(const struct jobstat_value *value)
{
	return value->covered >= JOBSTAT_WHOLE && !value->part;
}

/* Set the exactness of a number over nodes. The number is whole if all nodes counted it all of the time. */
static void set_over_nodes(struct job_row *row, const struct jobstat_job *job, int metric)
{
	row->whole = !job->missing[0] && !job->unread;
	row->part = !row->whole;
	for (unsigned k = 0; k < job->nodes && metric >= 0; k++) {
		const struct jobstat_value *value = &job->node[k].value[metric];

		row->whole &= !value->places || is_whole_value(value);
		row->part |= value->part;
	}
	if (!row->whole)
		strcpy(row->reason[0], "not counted on all nodes all of the time");
}

static void set_of_value(struct job_row *row, const struct jobstat_value *value)
{
	char why[160];

	row->lost = value->lost;
	row->whole = row->covered >= JOBSTAT_WHOLE;
	row->part = value->part;
	html_why_not(&value->lost, why, sizeof(why));
	if (!row->whole)
		snprintf(row->reason[0], sizeof(row->reason[0]), "not counted all of the time%s%s",
			 *why ? ": " : "", why);
	if (row->part)
		strcpy(row->reason[1], "counted in a part of some intervals");
}

/* ---- rows -------------------------------------------------------------------------------------- */

static struct job_row row_of_metric(const struct jobstat_job *job, const struct jobstat_metric *metric)
{
	return (struct job_row){.job = job->id, .event = metric->name, .unit = metric->unit};
}

bool job_each_finding(const void *arg, sheet_put *put, void *to)
{
	const struct jobstat_job *job = job_of(arg);

	for (unsigned i = 0; i < job->findings; i++) {
		const struct jobstat_finding *finding = &job->finding[i];
		struct job_row row = {.x = {0}};
		char from[HTML_TIME_MAX], end[HTML_TIME_MAX], when[2 * HTML_TIME_MAX + 8];

		if (finding->metric >= 0)
			row = row_of_metric(job, &job->metric[finding->metric]);
		set_over_nodes(&row, job, finding->metric);
		/* Shares of the time are known exactly. */
		if (finding->kind == JOBSTAT_UNCOUNTED || finding->kind == JOBSTAT_UNRECORDED) {
			row.whole = true;
			row.part = false;
		}
		html_format_span((double)(finding->from_ns - job->start_ns) / 1e9, from);
		html_format_span((double)(finding->to_ns - job->start_ns) / 1e9, end);
		snprintf(when, sizeof(when), "%s to %s", from, end);
		row.job = job->id;
		row.kind = jobstat_finding_name(finding->kind);
		row.bad = finding->bad;
		row.why = finding->bad ? "bad" : "";
		row.node = finding->nodes;
		row.x[MEAN] = finding->value;
		row.x[OTHER] = finding->usual;
		row.share = finding->share;
		row.time = (double)finding->from_ns / 1e9;
		row.end = (double)finding->to_ns / 1e9;
		row.when = when;
		row.text = finding->text;
		row.covered = NAN;
		row.nodes = row.intervals = JOB_ROW_NONE;
		if (!put(to, &row))
			return false;
	}
	return true;
}

bool job_each_numa_node(const void *arg, sheet_put *put, void *to)
{
	const struct jobstat_job *job = job_of(arg);
	const struct jobstat_metric *metric = &job->metric[job->bandwidth];

	for (unsigned i = 0; i < job->rows; i++) {
		const struct jobstat_row *from = &job->row[i];
		struct job_row row = row_of_metric(job, metric);
		char place[40];

		snprintf(place, sizeof(place), "%s%d", metric->scope == JOBSTAT_CPU ? "cpu" : "node",
			 from->number);
		row.place = place;
		row.number = (uint64_t)from->number;
		row.nodes = from->nodes;
		row.covered = from->covered;
		row.of_peak = job->peak > 0 ? from->mean / job->peak : NAN;
		row.x[MIN] = from->min;
		row.x[MIN_SD] = from->min_sd;
		row.x[MAX] = from->max;
		row.x[MAX_SD] = from->max_sd;
		row.x[MEAN] = from->mean;
		row.x[MEAN_SD] = from->mean_sd;
		set_over_nodes(&row, job, job->bandwidth);
		if (!put(to, &row))
			return false;
	}
	return true;
}

/* Return the node's mean of a metric; NAN if the node does not have the metric. */
static double mean_on_node(const struct jobstat_node *node, int metric)
{
	return metric >= 0 && node->value[metric].places ? node->value[metric].mean : NAN;
}

/* Put a row for each node. The covered share and the reason in it are those of the metric that was counted
 * for the shortest time. */
bool job_each_node(const void *arg, sheet_put *put, void *to)
{
	const struct jobstat_job *job = job_of(arg);

	for (unsigned k = 0; k < job->nodes; k++) {
		const struct jobstat_node *node = &job->node[k];
		const struct jobstat_value *least = NULL;
		struct job_row row = {.node = node->name, .share = node->recorded, .text = node->note};
		char why[200] = "";

		for (unsigned m = 0; m < job->metrics; m++)
			if (node->value[m].places && (!least || node->value[m].covered < least->covered))
				least = &node->value[m];
		row.covered = least ? least->covered : NAN;
		if (least) {
			set_of_value(&row, least);
			html_why_not(&least->lost, why, sizeof(why));
		}
		row.why = why;
		row.x[MEAN] = mean_on_node(node, job->flops);
		row.x[OTHER] = mean_on_node(node, job->bandwidth);
		if (!put(to, &row))
			return false;
	}
	return true;
}

static void set_spread(struct job_row *row, const struct jobstat_job *job, unsigned metric)
{
	struct spread mean = {0}, covered = {0}, deviation = {0};

	for (unsigned k = 0; k < job->nodes; k++) {
		const struct jobstat_node *node = &job->node[k];
		const double x = mean_on_node(node, (int)metric);

		if (node->value[metric].places)
			spread_add(&covered, node->value[metric].covered, 1);
		spread_add(&mean, x, 1);
		if (x <= mean.min)
			row->least = node->name;
		if (x >= mean.max)
			row->most = node->name;
	}
	for (unsigned i = 0; i < job->steps; i++)
		spread_add(&deviation, job->point[metric][i].sd, 1);
	row->x[MEAN] = spread_mean(&mean);
	row->x[MIN] = spread_min(&mean);
	row->x[MAX] = spread_max(&mean);
	row->x[SD] = spread_sd(&mean);
	row->x[OTHER] = spread_mean(&deviation);
	row->covered = spread_mean(&covered);
	row->nodes = mean.n;
}

bool job_each_metric(const void *arg, sheet_put *put, void *to)
{
	static const char *const roles[] = {"plain", "bandwidth", "flops"};
	const struct jobstat_job *job = job_of(arg);

	for (unsigned m = 0; m < job->metrics; m++) {
		const struct jobstat_metric *metric = &job->metric[m];
		const bool compared = metric->comparison == JOBSTAT_COMPARED;
		struct job_row row = row_of_metric(job, metric);

		row.kind = metric->level ? "level" : metric->unit;
		row.scope = jobstat_scope_name(metric->scope);
		row.role = roles[metric->role];
		row.level = metric->level;
		row.comparison = jobstat_comparison_name(metric->comparison);
		row.below = compared ? metric->less : NAN;
		row.above = compared ? metric->more : NAN;
		row.define = metric->define;
		row.named_at = metric->named_at;
		set_spread(&row, job, m);
		set_over_nodes(&row, job, (int)m);
		/* The minimum of the nodes' means is no bound, because each mean may be an estimate. */
		row.part |= !row.whole;
		if (!put(to, &row))
			return false;
	}
	return true;
}

static struct job_row row_of_value(const struct jobstat_job *job, unsigned node, unsigned metric)
{
	const struct jobstat_value *value = &job->node[node].value[metric];
	struct job_row row = row_of_metric(job, &job->metric[metric]);

	row.node = job->node[node].name;
	row.covered = value->covered;
	row.intervals = value->intervals;
	row.x[MEAN] = value->mean;
	row.x[MIN] = value->min;
	row.x[MAX] = value->max;
	row.x[SD] = value->sd;
	set_of_value(&row, value);
	return row;
}

static struct job_row row_of_place(const struct jobstat_job *job, unsigned node, unsigned metric,
				   const struct jobstat_place *place)
{
	struct job_row row = row_of_metric(job, &job->metric[metric]);

	row.node = job->node[node].name;
	row.place = place->name;
	row.number = (uint64_t)place->number;
	row.total = job->metric[metric].define || job->metric[metric].level ? JOB_ROW_NONE : place->total;
	row.covered = place->covered;
	row.intervals = place->intervals;
	row.x[MEAN] = place->mean;
	row.x[MIN] = place->min;
	row.x[MAX] = place->max;
	row.x[SD] = NAN;
	set_of_value(&row, &job->node[node].value[metric]);
	return row;
}

static bool put_places(const struct jobstat_job *job, unsigned node, unsigned metric, bool tree,
		       sheet_put *put, void *to)
{
	const struct jobstat_value *value = &job->node[node].value[metric];
	bool done = true;

	for (unsigned i = 0; done && i < value->places; i++) {
		struct job_row row = row_of_place(job, node, metric, &value->place[i]);

		if (tree) {
			row.depth = 1;
			row.event = *row.place ? row.place : "(node)";
		}
		done = put(to, &row);
	}
	return done;
}

/* Put the rows of each metric of each node: its value, its places, or the value with its places as a tree. */
static bool put_values(const struct jobstat_job *job, bool values, bool places, sheet_put *put, void *to)
{
	bool done = true;

	for (unsigned k = 0; k < job->nodes; k++)
		for (unsigned m = 0; done && m < job->metrics; m++) {
			const struct job_row row = row_of_value(job, k, m);

			if (values && job->node[k].value[m].places)
				done = put(to, &row);
			done = done && (!places || put_places(job, k, m, values, put, to));
		}
	return done;
}

bool job_each_value(const void *arg, sheet_put *put, void *to)
{
	return put_values(job_of(arg), true, false, put, to);
}

bool job_each_place(const void *arg, sheet_put *put, void *to)
{
	return put_values(job_of(arg), false, true, put, to);
}

bool job_each_line(const void *arg, sheet_put *put, void *to)
{
	return put_values(job_of(arg), true, ((const struct jobstat_sheet *)arg)->per_cpu, put, to);
}

char *job_node_heading(const void *arg, const void *of)
{
	const struct jobstat_job *job = job_of(arg);
	const struct job_row *row = of;
	const struct jobstat_node *node = job->node;
	char *text;

	while (strcmp(node->name, row->node))
		node++;
	return asprintf(&text, "Node %s, records of %.4g %% of the time%s%s", node->name,
			100 * node->recorded, *node->note ? "; " : "", node->note) < 0
		       ? NULL
		       : text;
}

struct job_row job_row_of_point(const char *job, const struct jobstat_metric *metric,
				const struct jobstat_point *point, int64_t time_ns)
{
	struct job_row row = {.job = job, .event = metric->name, .unit = metric->unit};

	row.time = (double)time_ns / 1e9;
	row.nodes = point->nodes;
	row.whole = !point->lacking;
	row.part = point->part;
	row.x[MEAN] = point->mean;
	row.x[MIN] = point->min;
	row.x[MAX] = point->max;
	row.x[SD] = point->sd;
	if (point->lacking)
		snprintf(row.reason[0], sizeof(row.reason[0]), "%u of %u nodes without a value",
			 point->lacking, point->nodes + point->lacking);
	if (point->part)
		strcpy(row.reason[1], "some values are of a part of the step");
	return row;
}

bool job_each_point(const void *arg, sheet_put *put, void *to)
{
	const struct jobstat_job *job = job_of(arg);

	for (unsigned m = 0; m < job->metrics; m++)
		for (unsigned i = 0; i < job->steps; i++) {
			const struct job_row row =
				job_row_of_point(job->id, &job->metric[m], &job->point[m][i],
						 job->first_ns + (int64_t)(i * job->step_ns));

			if (row.nodes && !put(to, &row))
				return false;
		}
	return true;
}
