/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_report.c - what upc_stat has counted, as a table, as JSON or as CSV.
 */
#include "stat_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "common.h"
#include "data.h"
#include "stat_run.h"
#include "stat_table.h"

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* What a thread has counted of event i in the sample. */
static uint64_t thread_value(const struct stat_report *report, const struct stat_thread *thread,
			     unsigned i, bool last)
{
	if (last || report->events->info[i].kind == UPC_KIND_LEVEL)
		return thread->values[i];
	return thread->values[i] - thread->before[i];
}

/* An interval does not list those that ended before it. */
static bool is_active(const struct stat_report *report, const struct stat_thread *thread, bool last)
{
	bool active = last || !thread->ended;

	for (unsigned i = 0; i < report->events->n_own && !active; i++)
		active = thread->values[i] != thread->before[i];
	return active;
}

/* ---- the table --------------------------------------------------------- */

struct ranked {
	unsigned thread;
	uint64_t key;
};

static int busiest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int oldest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* What threads are ranked by: CPU time, where it is counted. */
static unsigned key_event(const struct stat_events *events)
{
	for (unsigned i = 0; i < events->n_own; i++)
		if (util_match("*TASK*CLOCK", events->info[i].name))
			return i;
	return 0;
}

/*
 * The threads that the table shows, in the order of their birth, and one
 * column for all others.
 */
static void print_threads(const struct stat_report *report, const struct stat_sample *sample,
			  const struct stat_row *rows, const struct stat_style *style)
{
	const struct stat_threads *threads = report->threads;
	unsigned n = report->events->n_own, key = key_event(report->events), shown, active = 0, columns;
	struct ranked *rank = calloc(threads->n + 1, sizeof(*rank));
	struct stat_column *column = calloc(threads->n + 1, sizeof(*column));
	uint64_t *values = calloc((size_t)(threads->n + 1) * (n + 1), sizeof(*values));
	unsigned *no_flags = calloc(n + 1, sizeof(*no_flags));
	unsigned *rest = calloc(threads->n + 1, sizeof(*rest));
	char others[40];

	if (rank == NULL || column == NULL || values == NULL || no_flags == NULL || rest == NULL) {
		util_error("out of memory");
		goto out;
	}
	for (unsigned t = 0; t < threads->n; t++)
		if (is_active(report, &threads->thread[t], sample->last)) {
			rank[active].key = n > 0 ? thread_value(report, &threads->thread[t], key, sample->last) : 0;
			rank[active++].thread = t;
		}
	shown = report->top > 0 && report->top < active ? report->top : active;
	qsort(rank, active, sizeof(*rank), busiest_first);
	qsort(rank, shown, sizeof(*rank), oldest_first);
	for (unsigned c = 0; c < active; c++) {
		const struct stat_thread *thread = &threads->thread[rank[c].thread];
		unsigned to = c < shown ? c : shown;
		uint64_t *value = &values[(size_t)to * n];

		column[to].tid = c < shown ? thread->tid : 0;
		column[to].name = c < shown ? thread->name : others;
		column[to].values = value;
		column[to].flags = c < shown ? thread->flags : no_flags;
		for (unsigned i = 0; i < n; i++)
			value[i] += thread_value(report, thread, i, sample->last);
	}
	for (unsigned c = shown; c < active; c++)
		rest[c - shown] = rank[c].thread;
	for (unsigned i = 0; i < n && shown < active; i++)
		if (report->events->info[i].kind == UPC_KIND_LEVEL)
			values[(size_t)shown * n + i] =
				stat_threads_together(threads, rest, active - shown, i);
	snprintf(others, sizeof(others), "%u others", active - shown);
	columns = shown < active ? shown + 1 : active;
	stat_table_print_columns(report->out, rows, n, "all threads", column, columns, style);
out:
	free(rank);
	free(column);
	free(values);
	free(no_flags);
	free(rest);
}

static void print_end(const struct stat_report *report, const struct stat_sample *sample)
{
	FILE *out = report->out;

	fprintf(out, "\n  %.6f s elapsed", sample->seconds);
	if (sample->has_program)
		fprintf(out, ", %.6f s user, %.6f s system", seconds_of(sample->usage.ru_utime),
			seconds_of(sample->usage.ru_stime));
	fputc('\n', out);
	if (sample->has_program && sample->usage.ru_maxrss > 0) {
		char most[UTIL_NUMBER_MAX];

		util_format_count((uint64_t)sample->usage.ru_maxrss, most);
		fprintf(out, "  %s KiB resident at most\n", most);
	}
	if (sample->has_program && WIFSIGNALED(sample->status))
		fprintf(out, "  ended by signal %d (%s)\n", WTERMSIG(sample->status),
			strsignal(WTERMSIG(sample->status)));
	fputc('\n', out);
}

/* A tracepoint that the catalogue knows nothing of is described by its own name:
 * that says nothing more beside it. */
static const char *description(const struct upc_event_info *info)
{
	const char *own = strstr(info->name, "::");

	if (info->description == NULL || (own != NULL && strstr(info->description, own + 2) != NULL))
		return "";
	return info->description;
}

static void print_table(const struct stat_report *report, const struct stat_sample *sample)
{
	const struct stat_events *events = report->events;
	struct stat_row *rows = calloc(events->n + 1, sizeof(*rows));
	struct stat_style style = {
		.width = util_width(report->out),
		.colour = util_colour(report->out),
		.seconds = sample->seconds,
		.zeros = report->zeros,
		/* Every interval would repeat the same names. */
		.unseen = sample->last,
	};
	unsigned own = report->threads != NULL ? events->n_own : 0;

	if (rows == NULL) {
		util_error("out of memory");
		return;
	}
	for (unsigned i = 0; i < events->n; i++)
		rows[i] = (struct stat_row){
			.name = events->info[i].name,
			.unit = events->info[i].unit,
			.subsystem = events->info[i].subsystem,
			.description = description(&events->info[i]),
			.scope = events->info[i].scope,
			.kind = events->info[i].kind,
			.flags = sample->flags[i],
			.value = sample->values[i],
		};
	fputc('\n', report->out);
	if (sample->last) {
		unsigned room = style.width - 12;
		bool fits = util_columns(report->title) <= room;

		fputs(" Counts of ", report->out);
		util_put(report->out, report->title, fits ? room : room - 3);
		fputs(fits ? "\n\n" : "...\n\n", report->out);
	} else {
		fprintf(report->out, " at %.3f s\n", sample->time);
	}
	if (own > 0) {
		print_threads(report, sample, rows, &style);
		if (own < events->n)
			fputc('\n', report->out);
	}
	stat_table_print(report->out, rows + own, events->n - own, &style);
	if (sample->last)
		print_end(report, sample);
	free(rows);
}

/* ---- JSON -------------------------------------------------------------- */

/* Why a value is not all that happened, or NULL. */
static const char *shortcoming(unsigned flags)
{
	return flags & UPC_COUNTER_NEVER   ? "not counted" :
	       flags & UPC_COUNTER_PARTIAL ? "partly counted" :
	       flags & UPC_COUNTER_LOST	   ? "source lost" :
					     NULL;
}

static json_t *json_thread(const struct stat_report *report, const struct stat_thread *thread, bool last)
{
	const struct stat_events *events = report->events;
	json_t *object = json_object(), *list = json_array();
	int64_t end = thread->ended ? thread->died : stat_run_now();

	json_object_set_new(object, "tid", json_integer(thread->tid));
	json_object_set_new(object, "pid", json_integer(thread->pid));
	json_object_set_new(object, "thread", util_json_string(thread->name));
	json_object_set_new(object, "lifetime", json_real((double)(end - thread->born) / 1e9));
	for (unsigned i = 0; i < events->n_own; i++) {
		json_t *event = json_object();

		json_object_set_new(event, "event", util_json_string(events->info[i].name));
		json_object_set_new(event, "value", util_json_count(thread_value(report, thread, i, last)));
		if (shortcoming(thread->flags[i]) != NULL)
			json_object_set_new(event, "shortcoming", json_string(shortcoming(thread->flags[i])));
		json_array_append_new(list, event);
	}
	json_object_set_new(object, "events", list);
	return object;
}

static json_t *json_event(const struct stat_report *report, const struct stat_sample *sample, unsigned i)
{
	const struct upc_event_info *info = &report->events->info[i];
	json_t *event = json_object();

	json_object_set_new(event, "event", util_json_string(info->name));
	json_object_set_new(event, "value", util_json_count(sample->values[i]));
	json_object_set_new(event, "unit", util_json_string(info->unit));
	json_object_set_new(event, "scope", json_string(util_scope_name(info->scope)));
	json_object_set_new(event, "kind", json_string(util_kind_name(info->kind)));
	json_object_set_new(event, "subsystem", util_json_string(info->subsystem));
	if (info->kind == UPC_KIND_COUNT && sample->seconds > 0)
		json_object_set_new(event, "per_second",
				    json_real((double)sample->values[i] / sample->seconds));
	if (shortcoming(sample->flags[i]) != NULL)
		json_object_set_new(event, "shortcoming", json_string(shortcoming(sample->flags[i])));
	return event;
}

static void json_program(const struct stat_sample *sample, json_t *object)
{
	json_object_set_new(object, "user_seconds", json_real(seconds_of(sample->usage.ru_utime)));
	json_object_set_new(object, "system_seconds", json_real(seconds_of(sample->usage.ru_stime)));
	json_object_set_new(object, "max_resident_kib", json_integer(sample->usage.ru_maxrss));
	if (WIFEXITED(sample->status))
		json_object_set_new(object, "exit_status", json_integer(WEXITSTATUS(sample->status)));
	else
		json_object_set_new(object, "signal", json_integer(WTERMSIG(sample->status)));
}

static void print_json(const struct stat_report *report, const struct stat_sample *sample)
{
	const struct stat_events *events = report->events;
	json_t *object = util_json_begin("upc_stat"), *list = json_array();

	json_object_set_new(object, "wiring", json_string(upc_catalogue_wiring_hash(events->catalogue)));
	json_object_set_new(object, "context", json_string(report->context));
	if (report->command != NULL) {
		json_t *command = json_array();

		for (char *const *word = report->command; *word != NULL; word++)
			json_array_append_new(command, util_json_string(*word));
		json_object_set_new(object, "command", command);
	}
	if (report->intervals) {
		json_object_set_new(object, "record", json_string(sample->last ? "total" : "interval"));
		json_object_set_new(object, "time", json_real(sample->time));
	}
	json_object_set_new(object, "seconds", json_real(sample->seconds));
	if (sample->has_program)
		json_program(sample, object);
	for (unsigned i = 0; i < events->n; i++)
		json_array_append_new(list, json_event(report, sample, i));
	json_object_set_new(object, "events", list);
	if (report->threads != NULL) {
		list = json_array();
		for (unsigned t = 0; t < report->threads->n; t++)
			if (is_active(report, &report->threads->thread[t], sample->last))
				json_array_append_new(list, json_thread(report, &report->threads->thread[t],
									sample->last));
		json_object_set_new(object, "threads", list);
	}
	if (sample->last) {
		list = json_array();
		for (unsigned i = 0; i < events->n_refused; i++) {
			json_t *refused = json_object();

			json_object_set_new(refused, "event", util_json_string(events->refused[i].name));
			json_object_set_new(refused, "reason", util_json_string(events->refused[i].reason));
			json_array_append_new(list, refused);
		}
		json_object_set_new(object, "refused", list);
	}
	util_json_put(report->out, object, report->intervals);
}

/* ---- CSV --------------------------------------------------------------- */

static void csv_line(const struct stat_report *report, const struct stat_sample *sample,
		     const struct stat_thread *thread, unsigned i)
{
	const struct upc_event_info *info = &report->events->info[i];
	unsigned flags = thread != NULL ? thread->flags[i] : sample->flags[i];
	FILE *out = report->out;

	if (report->intervals)
		fprintf(out, "%s,", sample->last ? "total" : "interval");
	fprintf(out, "%.6f,", sample->time);
	if (report->threads != NULL) {
		if (thread != NULL) {
			fprintf(out, "%d,%d,", (int)thread->pid, (int)thread->tid);
			util_csv_put(out, thread->name);
		} else {
			fputs(",,", out);
		}
		fputc(',', out);
	}
	util_csv_put(out, info->name);
	fprintf(out, ",%" PRIu64 ",",
		thread != NULL ? thread_value(report, thread, i, sample->last) : sample->values[i]);
	util_csv_put(out, info->unit);
	fprintf(out, ",%s,%s,", util_scope_name(info->scope), util_kind_name(info->kind));
	util_csv_put(out, info->subsystem);
	fprintf(out, ",%.6f,%s,%s,%s\n", sample->seconds, shortcoming(flags) != NULL ? shortcoming(flags) : "",
		upc_catalogue_wiring_hash(report->events->catalogue), upc_version());
}

static void print_csv(const struct stat_report *report, const struct stat_sample *sample)
{
	const struct stat_events *events = report->events;

	for (unsigned i = 0; i < events->n; i++)
		csv_line(report, sample, NULL, i);
	for (unsigned t = 0; report->threads != NULL && t < report->threads->n; t++)
		if (is_active(report, &report->threads->thread[t], sample->last))
			for (unsigned i = 0; i < events->n_own; i++)
				csv_line(report, sample, &report->threads->thread[t], i);
}

void stat_report_begin(const struct stat_report *report)
{
	if (report->format == UTIL_CSV)
		fprintf(report->out, "%stime,%sevent,value,unit,scope,kind,subsystem,seconds,shortcoming,"
				     "wiring,version\n",
			report->intervals ? "record," : "", report->threads != NULL ? "pid,tid,thread," : "");
}

void stat_report_print(const struct stat_report *report, const struct stat_sample *sample)
{
	switch (report->format) {
	case UTIL_TEXT:
		print_table(report, sample);
		break;
	case UTIL_JSON:
		print_json(report, sample);
		break;
	case UTIL_CSV:
		print_csv(report, sample);
		break;
	}
	fflush(report->out);
}
