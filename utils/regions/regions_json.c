/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_json.c - the report for other programs (doc/reference/json.md), and call paths as Hatchet
 * takes them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/data.h"
#include "regions/regions_metrics.h"
#include "regions/regions_report.h"

/* Readers of JSON take no deeper ones: what is below stands beside. */
#define DEEPEST 500

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_real(json_t *object, const char *key, double value)
{
	set(object, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_number(json_t *object, const char *key, long value)
{
	set(object, key, value < 0 ? json_null() : json_integer(value));
}

/* ---- values -------------------------------------------------------------------------------- */

static json_t *words_of(const char *const *word, unsigned n)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_string(word[i]));
	return list;
}

static json_t *value_of(const struct upcr_value *value)
{
	const bool nothing = regions_is_nothing(value), exact = upcr_is_exact(value);
	const char *word[REGIONS_WORDS];
	json_t *object = json_object();

	set(object, "value",
	    nothing ? json_null()
	    : exact ? util_json_count(value->whole)
		    : json_real(value->value));
	set(object, "exact", json_boolean(exact));
	set_real(object, "low", nothing ? 0 : value->low);
	set_real(object, "high", value->high);
	set_real(object, "standard_error", nothing ? INFINITY : value->error);
	set_real(object, "freedom", value->freedom);
	set_real(object, "coverage", nothing ? 0 : value->coverage);
	set(object, "flags", words_of(word, regions_words(value, word)));
	return object;
}

static json_t *spread_of(const struct regions_data *data, const struct regions_spread *spread,
			 uint32_t events)
{
	json_t *list = json_array();
	uint32_t i;

	for (i = 0; i <= events; i++) {
		json_t *object = json_object();

		set(object, "event", i ? util_json_string(data->events.text[i - 1]) : json_null());
		set(object, "n", json_integer(spread[i].n));
		/* Of nobody there is nothing. */
		set_real(object, "min", spread[i].n ? spread[i].min : NAN);
		set_real(object, "max", spread[i].n ? spread[i].max : NAN);
		set_real(object, "mean", spread[i].n ? regions_mean(&spread[i]) : NAN);
		set_real(object, "standard_deviation", spread[i].n ? regions_deviation(&spread[i]) : NAN);
		set_real(object, "imbalance", spread[i].n ? regions_imbalance(&spread[i]) : NAN);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *metric_of(const struct regions_report *report, unsigned metric,
			 const struct regions_counts *counts, bool own)
{
	json_t *object = json_object(), *missing = json_array();
	const struct metrics_counts of = {.value = own ? counts->own : counts->value};
	const char *name[64], *word[REGIONS_WORDS];
	struct metric_value value;
	unsigned i, n;

	regions_metric(report, metric, counts, own, &value);
	set_real(object, "value", value.value);
	set(object, "exact", json_boolean(value.exact));
	set_real(object, "low", value.low);
	set_real(object, "high", value.high);
	set_real(object, "standard_error", value.error);
	set(object, "flags", words_of(word, regions_metric_words(&value, word)));
	n = metrics_missing(report->metrics, metric, report->columns, &of, name, 64);
	for (i = 0; i < n && i < 64; i++)
		json_array_append_new(missing, util_json_string(name[i]));
	set(object, "missing", missing);
	return object;
}

static json_t *metrics_of(const struct regions_report *report, const struct regions_counts *counts)
{
	json_t *list = json_array();
	unsigned i;

	for (i = 0; i < metrics_count(report->metrics); i++) {
		json_t *object = json_object();

		set(object, "metric", util_json_string(metrics_at(report->metrics, i)->name));
		set(object, "inclusive", metric_of(report, i, counts, false));
		set(object, "exclusive", metric_of(report, i, counts, true));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *text_or_null(const char *text)
{
	return text ? util_json_string(text) : json_null();
}

/* What metrics are, once. */
static json_t *metrics_told(const struct metrics *metrics)
{
	json_t *list = json_array();
	unsigned i, event;

	for (i = 0; i < metrics_count(metrics); i++) {
		const struct metric *metric = metrics_at(metrics, i);
		json_t *object = json_object(), *needs = json_array();

		set(object, "metric", util_json_string(metric->name));
		set(object, "unit", text_or_null(metric->unit));
		set(object, "description", text_or_null(metric->description));
		set(object, "formula", util_json_string(metric->formula));
		for (event = 0; event < metrics_events(metrics); event++)
			if (metrics_needs(metrics, i, event))
				json_array_append_new(needs, util_json_string(metrics_event(metrics, event)));
		set(object, "needs", needs);
		json_array_append_new(list, object);
	}
	return list;
}

static void set_counts(json_t *object, const struct regions_report *report,
		       const struct regions_counts *counts)
{
	const struct regions_data *data = report->data;
	json_t *list = json_array();
	uint32_t i;

	set(object, "calls", util_json_count(counts->calls));
	set_real(object, "seconds", counts->seconds);
	set_real(object, "exclusive_seconds", counts->own_seconds);
	for (i = 0; i < data->events.n; i++) {
		json_t *event = json_object();

		set(event, "event", util_json_string(data->events.text[i]));
		set(event, "inclusive", value_of(&counts->value[i]));
		set(event, "exclusive", value_of(&counts->own[i]));
		json_array_append_new(list, event);
	}
	set(object, "counts", list);
	if (report->metrics)
		set(object, "metrics", metrics_of(report, counts));
}

/* ---- lists --------------------------------------------------------------------------------- */

/* By name; null: outside of all. */
static json_t *region_of(const struct regions_data *data, uint32_t key)
{
	return key == data->names.n ? json_null() : util_json_string(data->names.text[key]);
}

static json_t *regions_of(const struct regions_report *report)
{
	const struct regions_sums *sums = report->by_name;
	const struct regions_data *data = report->data;
	uint32_t n, i, *order = regions_order(data, sums, &n);
	json_t *list = order ? json_array() : NULL;

	for (i = 0; order && i < n; i++) {
		const struct regions_line *line = &sums->line[order[i]];
		json_t *object = json_object();

		set(object, "region", region_of(data, line->key));
		set(object, "threads", json_integer(line->threads));
		set(object, "processes", json_integer(line->processes));
		set_counts(object, report, &line->counts);
		set(object, "over_threads", spread_of(data, line->of_threads, sums->events));
		set(object, "over_processes", spread_of(data, line->of_processes, sums->events));
		json_array_append_new(list, object);
	}
	free(order);
	return list;
}

/* Each below its parent, of all that are used. */
static json_t *paths_of(const struct regions_report *report)
{
	const struct regions_sums *sums = report->by_path;
	const struct regions_data *data = report->data;
	uint32_t n, i, at, *order = regions_order(data, sums, &n);
	json_t *list = order ? json_array() : NULL;

	for (i = 0; order && i < n; i++) {
		json_t *object = json_object(), *names = json_array();

		for (at = order[i]; at; at = data->path[at].parent)
			json_array_insert_new(names, 0,
					      util_json_string(data->names.text[data->path[at].name]));
		set(object, "path", names);
		set_counts(object, report, &sums->line[order[i]].counts);
		json_array_append_new(list, object);
	}
	free(order);
	return list;
}

struct threads {
	const struct regions_report *report;
	json_t *list;
};

static bool add_thread(void *arg, const struct regions_process *process, const struct regions_thread *thread,
		       const struct regions_part *part)
{
	const struct threads *threads = arg;
	const struct regions_data *data = threads->report->data;
	json_t *object = json_object(), *regions = json_array();
	uint32_t at;

	set(object, "process", json_integer(process - data->process));
	set_number(object, "thread", thread->number);
	set_number(object, "tid", thread->tid);
	set(object, "name", util_json_string(thread->name));
	set(object, "threads", json_integer(thread->threads));
	set_real(object, "seconds", thread->seconds);
	for (at = 0; at < part->keys; at++) {
		json_t *region;

		if (!part->counts[at].used)
			continue;
		region = json_object();
		set(region, "region", region_of(data, at));
		set_counts(region, threads->report, &part->counts[at]);
		json_array_append_new(regions, region);
	}
	set(object, "regions", regions);
	json_array_append_new(threads->list, object);
	return true;
}

static json_t *threads_of(const struct regions_report *report)
{
	struct threads threads = {report, json_array()};

	if (regions_each_thread(report->data, REGIONS_BY_NAME, add_thread, &threads))
		return threads.list;
	json_decref(threads.list);
	return NULL;
}

static json_t *processes_of(const struct regions_data *data)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < data->processes; i++) {
		const struct regions_process *process = &data->process[i];
		json_t *object = json_object();

		set(object, "command", util_json_string(process->command));
		set_number(object, "pid", process->pid);
		set_number(object, "rank", process->rank);
		set_number(object, "ranks", process->ranks);
		set(object, "host", util_json_string(process->host));
		set(object, "started", util_json_string(process->started));
		set(object, "ended", util_json_string(process->ended));
		set_real(object, "seconds", process->seconds);
		set(object, "clock", util_json_string(process->clock));
		set(object, "slice_ns", util_json_count(process->slice_ns));
		set(object, "threads", json_integer((json_int_t)process->threads));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *notes_of(const struct regions_report *report)
{
	json_t *list = json_array();
	struct regions_notes notes;
	size_t i;

	if (!regions_notes_of(report, &notes)) {
		regions_notes_free(&notes);
		json_decref(list);
		return NULL;
	}
	for (i = 0; i < notes.n; i++) {
		json_t *object = json_object();

		set(object, "what", util_json_string(notes.note[i].what));
		set(object, "name", notes.note[i].name ? util_json_string(notes.note[i].name) : json_null());
		set(object, "times", util_json_count(notes.note[i].times));
		json_array_append_new(list, object);
	}
	regions_notes_free(&notes);
	return list;
}

json_t *regions_json(const struct regions_report *report)
{
	json_t *root = util_json_begin("upc_regions"), *events = json_array();
	json_t *regions = regions_of(report), *paths = paths_of(report), *notes = notes_of(report);
	json_t *threads = report->per_thread ? threads_of(report) : NULL;
	uint32_t i;
	bool whole = regions && paths && notes && (threads || !report->per_thread);

	for (i = 0; i < report->data->events.n; i++)
		json_array_append_new(events, util_json_string(report->data->events.text[i]));
	set(root, "title", util_json_string(report->title));
	set(root, "processes", processes_of(report->data));
	set(root, "events", events);
	if (report->metrics) {
		set(root, "metric_set", util_json_string(metrics_set(report->metrics)));
		set(root, "metrics", metrics_told(report->metrics));
	}
	set(root, "regions", regions);
	set(root, "call_paths", paths);
	if (threads)
		set(root, "threads", threads);
	set(root, "notes", notes);
	if (whole)
		return root;
	json_decref(root);
	return NULL;
}

bool regions_print_json(FILE *out, const struct regions_report *report)
{
	json_t *root = regions_json(report);

	return root && util_json_put(out, root, false) == 0;
}

/* ---- Hatchet: GraphFrame.from_literal ---------------------------------------------------------- */

static void set_metrics(json_t *metrics, const struct regions_data *data, const struct regions_counts *counts)
{
	char name[512];
	uint32_t i;

	set_real(metrics, "time (inc)", counts->seconds);
	set_real(metrics, "time", counts->own_seconds);
	set(metrics, "calls", util_json_count(counts->calls));
	for (i = 0; i < data->events.n; i++) {
		snprintf(name, sizeof(name), "%s (inc)", data->events.text[i]);
		set_real(metrics, name,
			 regions_is_nothing(&counts->value[i]) ? INFINITY : counts->value[i].value);
		set_real(metrics, data->events.text[i],
			 regions_is_nothing(&counts->own[i]) ? INFINITY : counts->own[i].value);
	}
}

/* Parents are before their children. */
static json_t *literal_of(const struct regions_report *report)
{
	const struct regions_sums *sums = report->by_path;
	const struct regions_data *data = report->data;
	json_t **children = calloc(sums->keys + 1, sizeof(json_t *)), *roots = json_array();
	uint32_t i;

	for (i = 0; children && i < sums->keys; i++) {
		const struct regions_path *path = &data->path[i];
		json_t *node = json_object(), *frame = json_object(), *metrics = json_object();

		if (!sums->line[i].counts.used) {
			json_decref(node);
			json_decref(frame);
			json_decref(metrics);
			continue;
		}
		set(frame, "name",
		    i ? util_json_string(data->names.text[path->name]) : util_json_string(report->title));
		set(frame, "type", json_string(i ? "region" : "program"));
		set(node, "frame", frame);
		set_metrics(metrics, data, &sums->line[i].counts);
		set(node, "metrics", metrics);
		children[i] = json_array();
		json_array_append_new(i ? children[path->parent] : roots, node);
		set(node, "children", children[i]);
		if (path->depth >= DEEPEST)
			children[i] = children[path->parent];
	}
	free(children);
	return roots;
}

bool regions_print_hatchet(FILE *out, const struct regions_report *report)
{
	return util_json_put(out, literal_of(report), false) == 0;
}
