/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_json.c - what upc_stat has counted, as JSON.
 */
#include <sys/wait.h>

#include "lib/data.h"
#include "stat/stat_report.h"
#include "lib/stat_run.h"

static void put_shortcoming(json_t *object, unsigned flags)
{
	if (stat_shortcoming(flags) != NULL)
		json_object_set_new(object, "shortcoming", json_string(stat_shortcoming(flags)));
}

static void identify_thread(const struct stat_part *part, json_t *object)
{
	int64_t end = part->ended ? part->died : stat_run_now();

	json_object_set_new(object, "tid", json_integer(part->tid));
	json_object_set_new(object, "pid", json_integer(part->pid));
	json_object_set_new(object, "thread", util_json_string(part->name));
	json_object_set_new(object, "lifetime", json_real((double)(end - part->born) / 1e9));
}

static void identify_place(enum stat_by by, const struct stat_part *part, json_t *object)
{
	static const char *const names[] = {
		[STAT_BY_CPU] = "cpu",
		[STAT_BY_CORE] = "core",
		[STAT_BY_SOCKET] = "socket",
		[STAT_BY_NODE] = "node",
	};

	if (by == STAT_BY_PROCESS)
		json_object_set_new(object, "pid", json_integer(part->pid));
	else
		json_object_set_new(object, names[by], util_json_string(part->name));
}

static json_t *json_part(const struct stat_report *report, const struct stat_part *part, bool last)
{
	const struct stat_events *events = report->events;
	json_t *object = json_object(), *list = json_array();

	if (report->by == STAT_BY_THREAD)
		identify_thread(part, object);
	else
		identify_place(report->by, part, object);
	for (unsigned i = 0; i < events->n_own; i++) {
		json_t *event = json_object();

		json_object_set_new(event, "event", util_json_string(events->info[i].name));
		json_object_set_new(event, "value", util_json_count(stat_part_value(report, part, i, last)));
		put_shortcoming(event, part->flags[i]);
		json_array_append_new(list, event);
	}
	json_object_set_new(object, "events", list);
	return object;
}

/* A mean; a whole one as a whole number. */
static json_t *json_mean(double mean)
{
	uint64_t whole = stat_spread_whole(mean);

	return mean == (double)whole ? util_json_count(whole) : json_real(mean);
}

static void put_runs_of_event(const struct stat_runs *runs, unsigned i, json_t *event)
{
	struct stat_spread spread = stat_runs_event(runs, i);
	json_t *list = json_array();

	json_object_set_new(event, "value", json_mean(spread.mean));
	json_object_set_new(event, "deviation", json_real(spread.deviation));
	json_object_set_new(event, "spread_percent", json_real(stat_spread_percent(&spread)));
	for (unsigned k = 0; k < runs->n; k++)
		json_array_append_new(list, util_json_count(runs->run[k].values[i]));
	json_object_set_new(event, "runs", list);
}

static json_t *json_event(const struct stat_report *report, const struct stat_sample *sample,
			  const struct stat_runs *runs, unsigned i)
{
	const struct upc_event_info *info = &report->events->info[i];
	double value = runs != NULL ? stat_runs_event(runs, i).mean : (double)sample->values[i];
	json_t *event = json_object();

	json_object_set_new(event, "event", util_json_string(info->name));
	json_object_set_new(event, "value", util_json_count(sample->values[i]));
	json_object_set_new(event, "unit", util_json_string(info->unit));
	json_object_set_new(event, "scope", json_string(util_scope_name(info->scope)));
	json_object_set_new(event, "kind", json_string(util_kind_name(info->kind)));
	json_object_set_new(event, "subsystem", util_json_string(info->subsystem));
	if (info->kind == UPC_KIND_COUNT && sample->seconds > 0)
		json_object_set_new(event, "per_second", json_real(value / sample->seconds));
	if (runs != NULL)
		put_runs_of_event(runs, i, event);
	put_shortcoming(event, sample->flags[i]);
	return event;
}

static void put_usage(const struct rusage *usage, json_t *object)
{
	json_object_set_new(object, "user_seconds", json_real(stat_user_seconds(usage)));
	json_object_set_new(object, "system_seconds", json_real(stat_system_seconds(usage)));
	json_object_set_new(object, "max_resident_kib", json_integer(usage->ru_maxrss));
}

static void put_status(int status, json_t *object)
{
	if (WIFEXITED(status))
		json_object_set_new(object, "exit_status", json_integer(WEXITSTATUS(status)));
	else
		json_object_set_new(object, "signal", json_integer(WTERMSIG(status)));
}

static void put_runs(const struct stat_runs *runs, const struct stat_sample *sample, json_t *object)
{
	json_t *list = json_array();

	json_object_set_new(object, "user_seconds", json_real(stat_runs_user_seconds(runs).mean));
	json_object_set_new(object, "system_seconds", json_real(stat_runs_system_seconds(runs).mean));
	json_object_set_new(object, "max_resident_kib", json_integer(sample->usage.ru_maxrss));
	json_object_set_new(object, "failed_runs", json_integer(stat_runs_failed(runs)));
	for (unsigned k = 0; k < runs->n; k++) {
		json_t *run = json_object();

		json_object_set_new(run, "seconds", json_real(runs->run[k].seconds));
		put_usage(&runs->run[k].usage, run);
		put_status(runs->run[k].status, run);
		json_array_append_new(list, run);
	}
	json_object_set_new(object, "runs", list);
}

static json_t *json_command(char *const *command)
{
	json_t *list = json_array();

	for (char *const *word = command; *word != NULL; word++)
		json_array_append_new(list, util_json_string(*word));
	return list;
}

static json_t *json_refused(const struct stat_events *events)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < events->n_refused; i++) {
		json_t *refused = json_object();

		json_object_set_new(refused, "event", util_json_string(events->refused[i].name));
		json_object_set_new(refused, "reason", util_json_string(events->refused[i].reason));
		json_array_append_new(list, refused);
	}
	return list;
}

static json_t *json_parts(const struct stat_report *report, bool last)
{
	json_t *list = json_array();

	for (unsigned k = 0; k < report->parts->n; k++)
		if (stat_part_is_active(report, &report->parts->part[k], last))
			json_array_append_new(list, json_part(report, &report->parts->part[k], last));
	return list;
}

void stat_json_print(const struct stat_report *report, const struct stat_sample *sample,
		     const struct stat_runs *runs)
{
	const struct stat_events *events = report->events;
	json_t *object = util_json_begin("upc_stat"), *list = json_array();
	double cpus = sample->last ? stat_cpus_used(report, sample) : 0;

	json_object_set_new(object, "wiring", json_string(upc_catalogue_wiring_hash(events->catalogue)));
	json_object_set_new(object, "context", json_string(report->context));
	if (report->command != NULL)
		json_object_set_new(object, "command", json_command(report->command));
	if (report->intervals) {
		json_object_set_new(object, "record", json_string(sample->last ? "total" : "interval"));
		json_object_set_new(object, "time", json_real(sample->time));
		if (report->repeat > 1 && !sample->last)
			json_object_set_new(object, "run", json_integer(report->run));
	}
	json_object_set_new(object, "seconds", json_real(sample->seconds));
	if (report->delay > 0)
		json_object_set_new(object, "delay", json_real(report->delay));
	if (sample->timed_out)
		json_object_set_new(object, "timed_out", json_true());
	if (runs != NULL) {
		put_runs(runs, sample, object);
	} else if (sample->has_program) {
		put_usage(&sample->usage, object);
		put_status(sample->status, object);
	}
	if (cpus > 0)
		json_object_set_new(object, "cpus_used", json_real(cpus));
	for (unsigned i = 0; i < events->n; i++)
		json_array_append_new(list, json_event(report, sample, runs, i));
	json_object_set_new(object, "events", list);
	if (report->parts != NULL)
		json_object_set_new(object, report->by == STAT_BY_THREAD ? "threads" : "parts",
				    json_parts(report, sample->last));
	if (sample->last)
		json_object_set_new(object, "refused", json_refused(events));
	util_json_put(report->out, object, report->intervals);
}
