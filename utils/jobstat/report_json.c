/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_json.c - jobs as JSON, one text for each; doc/reference/json.md has the fields.
 */
#include <math.h>
#include <stdlib.h>

#include "jobstat/report.h"
#include "lib/data.h"

struct json {
	struct jobstat_report report; /* the first */
	FILE *out;
};

static json_t *number_json(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *seconds_json(int64_t ns)
{
	return json_real((double)ns / 1e9);
}

static json_t *named_at(const struct jobstat_metric *metric, double share)
{
	return metric->comparison == JOBSTAT_COMPARED ? number_json(share) : json_null();
}

static json_t *metrics_json(const struct jobstat_job *job)
{
	static const char *const role[] = {"plain", "bandwidth", "flops"};
	json_t *array = json_array();

	for (unsigned m = 0; m < job->metrics; m++) {
		const struct jobstat_metric *metric = &job->metric[m];
		json_t *object = json_object();

		json_object_set_new(object, "name", util_json_string(metric->name));
		json_object_set_new(object, "unit", json_string(metric->unit));
		json_object_set_new(object, "scope", json_string(jobstat_scope_name(metric->scope)));
		json_object_set_new(object, "role", json_string(role[metric->role]));
		json_object_set_new(object, "level", json_boolean(metric->level));
		json_object_set_new(object, "comparison",
				    json_string(jobstat_comparison_name(metric->comparison)));
		json_object_set_new(object, "named_below", named_at(metric, metric->less));
		json_object_set_new(object, "named_above", named_at(metric, metric->more));
		if (metric->define != NULL)
			json_object_set_new(object, "define", util_json_string(metric->define));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *lost_json(const struct jobstat_lost *from)
{
	json_t *object = json_object();

	json_object_set_new(object, "opening", number_json(from->opening));
	json_object_set_new(object, "halted", number_json(from->halted));
	json_object_set_new(object, "taken", number_json(from->taken));
	json_object_set_new(object, "yielded", number_json(from->yielded));
	json_object_set_new(object, "failed", number_json(from->failed));
	json_object_set_new(object, "offline", number_json(from->offline));
	json_object_set_new(object, "unknown", number_json(from->unknown));
	json_object_set_new(object, "no_record", number_json(from->record));
	return object;
}

static json_t *places_json(const struct jobstat_metric *metric, const struct jobstat_value *value)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < value->places; i++) {
		const struct jobstat_place *place = &value->place[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", util_json_string(place->name));
		json_object_set_new(object, "number", json_integer(place->number));
		if (metric->define == NULL && !metric->level)
			json_object_set_new(object, "total", util_json_count(place->total));
		json_object_set_new(object, "mean", number_json(place->mean));
		json_object_set_new(object, "min", number_json(place->min));
		json_object_set_new(object, "max", number_json(place->max));
		json_object_set_new(object, "covered", number_json(place->covered));
		json_object_set_new(object, "intervals", json_integer(place->intervals));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *values_json(const struct jobstat_job *job, const struct jobstat_node *node)
{
	json_t *array = json_array();

	for (unsigned m = 0; m < job->metrics; m++) {
		const struct jobstat_value *value = &node->value[m];
		json_t *object;

		if (value->places == 0)
			continue;
		object = json_object();
		json_object_set_new(object, "metric", util_json_string(job->metric[m].name));
		json_object_set_new(object, "mean", number_json(value->mean));
		json_object_set_new(object, "min", number_json(value->min));
		json_object_set_new(object, "max", number_json(value->max));
		json_object_set_new(object, "sd", number_json(value->sd));
		json_object_set_new(object, "covered", number_json(value->covered));
		json_object_set_new(object, "intervals", json_integer(value->intervals));
		json_object_set_new(object, "lost", lost_json(&value->lost));
		json_object_set_new(object, "places", places_json(&job->metric[m], value));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *nodes_json(const struct jobstat_job *job)
{
	json_t *array = json_array();

	for (unsigned k = 0; k < job->nodes; k++) {
		json_t *object = json_object();

		json_object_set_new(object, "name", util_json_string(job->node[k].name));
		json_object_set_new(object, "recorded", number_json(job->node[k].recorded));
		json_object_set_new(object, "note", util_json_string(job->node[k].note));
		json_object_set_new(object, "values", values_json(job, &job->node[k]));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *series_json(const struct jobstat_job *job)
{
	json_t *array = json_array();

	for (unsigned m = 0; m < job->metrics; m++) {
		json_t *object = json_object(), *points = json_array();

		for (unsigned i = 0; i < job->steps; i++) {
			const struct jobstat_point *point = &job->point[m][i];
			json_t *one;

			if (point->nodes == 0)
				continue;
			one = json_object();
			json_object_set_new(one, "time",
					    seconds_json(job->first_ns + (int64_t)(i * job->step_ns)));
			json_object_set_new(one, "nodes", json_integer(point->nodes));
			json_object_set_new(one, "mean", number_json(point->mean));
			json_object_set_new(one, "min", number_json(point->min));
			json_object_set_new(one, "max", number_json(point->max));
			json_object_set_new(one, "sd", number_json(point->sd));
			json_array_append_new(points, one);
		}
		json_object_set_new(object, "metric", util_json_string(job->metric[m].name));
		json_object_set_new(object, "points", points);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *bandwidth_json(const struct jobstat_job *job)
{
	json_t *object = json_object(), *rows = json_array();

	json_object_set_new(object, "metric", util_json_string(job->metric[job->bandwidth].name));
	json_object_set_new(object, "line_bytes", number_json(job->line_bytes));
	json_object_set_new(object, "peak", job->peak > 0 ? number_json(job->peak) : json_null());
	json_object_set_new(object, "assumption", json_string(jobstat_locality));
	for (unsigned i = 0; i < job->rows; i++) {
		const struct jobstat_row *row = &job->row[i];
		json_t *one = json_object();

		json_object_set_new(one, "number", json_integer(row->number));
		json_object_set_new(one, "nodes", json_integer(row->nodes));
		json_object_set_new(one, "min", number_json(row->min));
		json_object_set_new(one, "min_sd", number_json(row->min_sd));
		json_object_set_new(one, "max", number_json(row->max));
		json_object_set_new(one, "max_sd", number_json(row->max_sd));
		json_object_set_new(one, "avg", number_json(row->mean));
		json_object_set_new(one, "avg_sd", number_json(row->mean_sd));
		json_object_set_new(one, "covered", number_json(row->covered));
		json_array_append_new(rows, one);
	}
	json_object_set_new(object, "rows", rows);
	return object;
}

static json_t *findings_json(const struct jobstat_job *job)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < job->findings; i++) {
		const struct jobstat_finding *finding = &job->finding[i];
		json_t *object = json_object();

		json_object_set_new(object, "kind", json_string(jobstat_finding_name(finding->kind)));
		json_object_set_new(object, "bad", json_boolean(finding->bad));
		json_object_set_new(object, "nodes", util_json_string(finding->nodes));
		if (finding->metric >= 0)
			json_object_set_new(object, "metric",
					    util_json_string(job->metric[finding->metric].name));
		json_object_set_new(object, "value", number_json(finding->value));
		json_object_set_new(object, "usual", number_json(finding->usual));
		json_object_set_new(object, "share", number_json(finding->share));
		json_object_set_new(object, "from", seconds_json(finding->from_ns));
		json_object_set_new(object, "to", seconds_json(finding->to_ns));
		json_object_set_new(object, "text", util_json_string(finding->text));
		json_array_append_new(array, object);
	}
	return array;
}

static int json_job(struct jobstat_report *report, struct jobstat_job *job)
{
	json_t *object = util_json_begin("upc_jobstat");
	int status;

	json_object_set_new(object, "job", util_json_string(job->id));
	json_object_set_new(object, "start", seconds_json(job->start_ns));
	json_object_set_new(object, "end", seconds_json(job->end_ns));
	json_object_set_new(object, "interval", seconds_json((int64_t)job->interval_ns));
	json_object_set_new(object, "step", seconds_json((int64_t)job->step_ns));
	json_object_set_new(object, "missing", util_json_string(job->missing));
	json_object_set_new(object, "unread", json_integer(job->unread));
	json_object_set_new(object, "told", json_string(jobstat_told_name(job->told)));
	json_object_set_new(object, "verdict", util_json_string(job->verdict));
	json_object_set_new(object, "findings", findings_json(job));
	if (job->bandwidth >= 0)
		json_object_set_new(object, "bandwidth", bandwidth_json(job));
	json_object_set_new(object, "metrics", metrics_json(job));
	json_object_set_new(object, "nodes", nodes_json(job));
	json_object_set_new(object, "series", series_json(job));
	status = util_json_put(((struct json *)report)->out, object, true);
	jobstat_job_free(job);
	return status;
}

struct jobstat_report *report_json(FILE *out)
{
	struct json *json = calloc(1, sizeof(*json));

	if (json == NULL)
		return NULL;
	json->report = (struct jobstat_report){.job = json_job};
	json->out = out;
	return &json->report;
}
