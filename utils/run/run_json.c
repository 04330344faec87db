/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_json.c - what a run has counted, as one JSON object.
 */
#include <inttypes.h>
#include <sys/wait.h>

#include "lib/common.h"
#include "lib/data.h"
#include "run/run_advice.h"
#include "run/run_guest.h"
#include "run/run_report.h"

/* "exact": true; or false, and why. */
static void put_exact(json_t *object, unsigned doubt)
{
	json_t *list;

	json_object_set_new(object, "exact", json_boolean(doubt == 0));
	if (doubt == 0)
		return;
	list = json_array();
	for (unsigned bit = 0; run_report_doubt(bit) != NULL; bit++)
		if ((doubt >> bit & 1) != 0)
			json_array_append_new(list, json_string(run_report_doubt(bit)));
	json_object_set_new(object, "why", list);
	json_object_set_new(object, "lower_bound", json_boolean(upcs_bound_of(doubt) == UPCS_BOUND_LOW));
	json_object_set_new(object, "upper_bound", json_boolean(upcs_bound_of(doubt) == UPCS_BOUND_HIGH));
}

static void put_event(json_t *events, const char *name, uint64_t value, unsigned doubt)
{
	json_t *object = json_object();

	json_object_set_new(object, "event", json_string(name));
	json_object_set_new(object, "value",
			    upcs_bound_of(doubt) == UPCS_BOUND_NONE ? json_null() : util_json_count(value));
	put_exact(object, doubt);
	json_array_append_new(events, object);
}

/* What is shown of a column of the results: sums by their names, those of a core behind PU0_. */
static json_t *json_column(const struct run_report *report, unsigned column)
{
	json_t *events = json_array();
	char name[RUN_EVENT_NAME_MAX];

	for (unsigned place = 0; place <= UPCS_CORES; place++) {
		const struct run_vector *vector = run_report_vector(report, column, place);

		for (unsigned item = 0; item < UPCS_ITEMS && run_report_has_place(report, place); item++)
			if (report->options->events.shown[place][item]) {
				run_event_name(place, item, name);
				put_event(events, name, vector->item[item], vector->doubt);
			}
	}
	return events;
}

static json_t *json_regions(const struct run_report *report)
{
	json_t *list = json_array();

	for (unsigned r = 0; r < report->options->regions; r++) {
		json_t *region = json_object();

		json_object_set_new(region, "region", util_json_string(report->options->region[r]));
		json_object_set_new(region, "found", json_boolean(report->counts.regions_found >> r & 1));
		json_object_set_new(region, "entered",
				    upcs_bound_of(run_entered_doubt(&report->counts, r)) == UPCS_BOUND_NONE
					    ? json_null()
					    : util_json_count(report->counts.entered[r]));
		json_object_set_new(region, "events", json_column(report, 1 + r));
		json_array_append_new(list, region);
	}
	return list;
}

/* What is shown of a thread or process: it is on no core, or on one, and its events have no
 * core's name. */
static json_t *json_vector(const struct run_report *report, const struct run_vector *vector)
{
	json_t *events = json_array();

	for (unsigned item = 0; item < UPCS_ITEMS; item++)
		if (run_events_has_item(&report->options->events, item))
			put_event(events, upcs_item_name(item), vector->item[item], vector->doubt);
	return events;
}

static void put_counts(const struct run_report *report, json_t *object, const struct run_vector *vector)
{
	json_t *regions = json_array();

	json_object_set_new(object, "events", json_vector(report, vector));
	for (unsigned r = 0; r < report->options->regions; r++) {
		json_t *region = json_object();

		json_object_set_new(region, "region", util_json_string(report->options->region[r]));
		json_object_set_new(region, "events", json_vector(report, &vector[1 + r]));
		json_array_append_new(regions, region);
	}
	if (report->options->regions > 0)
		json_object_set(object, "regions", regions);
	json_decref(regions);
}

static const char *state_name(uint32_t state)
{
	return state == UPCS_ENDED ? "ended" : state == UPCS_LOST ? "killed" : "runs";
}

static json_t *json_processes(const struct run_report *report)
{
	json_t *list = json_array();

	for (unsigned p = 0; p < report->gathered->processes; p++) {
		const struct run_process_row *row = report->gathered->process[p];
		const struct upcs_process *process = &row->record;
		char name[UPCS_WORD_MAX];
		json_t *object = json_object();

		run_process_name(process, name);
		json_object_set_new(object, "pid", json_integer(process->pid));
		json_object_set_new(object, "parent_pid", json_integer(process->parent));
		json_object_set_new(object, "program", util_json_string(name));
		json_object_set_new(object, "guest", json_string(upcs_guest_name(process->guest)));
		json_object_set_new(object, "state", json_string(state_name(process->state)));
		if (process->end_ns > process->begin_ns)
			json_object_set_new(object, "seconds",
					    json_real((double)(process->end_ns - process->begin_ns) / 1e9));
		json_object_set_new(object, "thread_count", json_integer(process->threads));
		put_counts(report, object, row->vector);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *json_threads(const struct run_report *report)
{
	json_t *list = json_array();

	for (unsigned t = 0; t < report->gathered->threads; t++) {
		const struct run_thread_row *thread = report->gathered->thread[t];
		json_t *object = json_object();

		json_object_set_new(object, "pid", json_integer(thread->pid));
		json_object_set_new(object, "tid", json_integer(thread->tid));
		json_object_set_new(object, "number", json_integer(thread->number));
		json_object_set_new(object, "core", json_integer(thread->core));
		put_counts(report, object, thread->vector);
		json_array_append_new(list, object);
	}
	return list;
}

/* All, with most instructions first: what each did itself. */
static json_t *json_functions(const struct run_report *report)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < report->functions.n; i++) {
		const struct run_function *function = &report->functions.function[i];
		json_t *object = json_object(), *events = json_array();

		json_object_set_new(object, "function", util_json_string(function->name));
		json_object_set_new(object, "symbol", util_json_string(function->symbol));
		json_object_set_new(object, "file", util_json_string(function->file));
		for (unsigned item = 0; item < UPCS_ITEMS; item++)
			if (run_function_shows(report, function, item))
				put_event(events, upcs_item_name(item), function->vector.item[item],
					  function->vector.doubt);
		json_object_set_new(object, "events", events);
		json_array_append_new(list, object);
	}
	return list;
}

/* What the decoder did not know, where it was executed. */
static void put_unknown(const struct run_report *report, json_t *object)
{
	const struct upcs_unknown *unknown;
	char text[RUN_CODE_MAX], word[UPCS_WORD_MAX];
	json_t *list = json_array();

	for (unsigned i = 0; (unknown = run_unknown(report->results, i)) != NULL; i++) {
		json_t *code = json_object();

		run_code_text(&unknown->code, text);
		json_object_set_new(code, "bytes", json_string(text));
		snprintf(word, sizeof(word), "%.*s", (int)sizeof(unknown->name), unknown->name);
		json_object_set_new(code, "name", util_json_string(word));
		snprintf(text, sizeof(text), "0x%" PRIx64, unknown->code.address);
		json_object_set_new(code, "address", json_string(text));
		snprintf(word, sizeof(word), "%.*s", (int)sizeof(unknown->program), unknown->program);
		json_object_set_new(code, "program", util_json_string(word));
		json_array_append_new(list, code);
	}
	if (report->counts.sum[0].item[UPCS_UNKNOWN] > 0)
		json_object_set(object, "unknown", list);
	json_decref(list);
}

static void append_note(void *to, const char *text)
{
	json_array_append_new(to, util_json_string(text));
}

void run_report_json(const struct run_report *report)
{
	const struct run_counts *counts = &report->counts;
	json_t *object = util_json_begin("upc_run"), *list = json_array();

	for (char *const *word = report->options->command; *word != NULL; word++)
		json_array_append_new(list, util_json_string(*word));
	json_object_set_new(object, "command", list);
	json_object_set_new(object, "guest", json_string(upcs_guest_name(counts->guest)));
	json_object_set_new(object, "randomised", json_boolean(report->options->randomise));
	json_object_set_new(object, "children",
			    json_boolean(report->options->children == UPCS_CHILDREN_COUNT));
	json_object_set_new(object, "seconds", json_real(report->seconds));
	if (WIFEXITED(report->status))
		json_object_set_new(object, "exit_status", json_integer(WEXITSTATUS(report->status)));
	else
		json_object_set_new(object, "signal", json_integer(WTERMSIG(report->status)));
	json_object_set_new(object, "process_count", util_json_count(counts->processes));
	json_object_set_new(object, "thread_count", util_json_count(counts->threads));
	list = json_array();
	for (unsigned core = 0; core < UPCS_CORES; core++)
		if (counts->cores >> core & 1)
			json_array_append_new(list, json_integer(core));
	json_object_set_new(object, "cores", list);
	json_object_set_new(object, "events", json_column(report, 0));
	if (report->options->regions > 0)
		json_object_set_new(object, "regions", json_regions(report));
	if (report->options->per_process)
		json_object_set_new(object, "processes", json_processes(report));
	if (report->options->per_thread)
		json_object_set_new(object, "threads", json_threads(report));
	if (report->options->functions)
		json_object_set_new(object, "functions", json_functions(report));
	put_unknown(report, object);
	list = json_array();
	run_report_notes(report, append_note, list);
	json_object_set_new(object, "notes", list);
	util_json_put(report->out, object, false);
}
