/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sheet.c - counts of regions as sections of a sheet: by name, by call path, and by thread. A call
 * path has its parent's number instead of all its names: paths may be thousands deep.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "region/names.h"
#include "regions/regions_metrics.h"

struct row {
	const struct regions_line *line; /* NULL: a row of one thread */
	const struct regions_group *group;
	uint32_t key;
	const struct regions_counts *counts;
	const struct regions_process *process;
	const struct regions_thread *thread;
	unsigned run;     /* number of the run */
	size_t which;     /* number of the thread in the report, from 0 */
	const char *name; /* of the thread */
};

const struct regions_line *regions_line_of(const void *row)
{
	return ((const struct row *)row)->line;
}

/* ---- values ------------------------------------------------------------------------------------ */

static const char *const flag_reasons[UPCR_FLAGS] = {
	"rough: the interval is of few slices", "lost: slices were lost",
	"partial: a stretch was not counted",   "borrowed: the error is of other regions' slices",
	"uneven: slices were unlike",           "slowed: counting slowed the program",
};

static void sheet_add_reason(struct sheet_cell *cell, const char *reason)
{
	if (cell->reasons < SHEET_REASONS)
		cell->reason[cell->reasons++] = reason;
}

static void sheet_add_flags(struct sheet_cell *cell, unsigned flags)
{
	for (unsigned i = 0; i < UPCR_FLAGS; i++)
		if (flags & 1u << i)
			sheet_add_reason(cell, flag_reasons[i]);
	cell->rough = flags & UPCR_ROUGH;
}

/* Return the reason why a value is an estimate. */
static const char *sheet_reason_of(const struct regions_report *report)
{
	return report->runs ? "runs: the mean of runs" : "turns: events took turns";
}

static void sheet_set_value(struct sheet_cell *cell, const struct upcr_value *value,
			    const struct regions_report *report)
{
	cell->count = value->whole;
	cell->whole = upcr_is_exact(value);
	cell->value = cell->whole ? (double)value->whole : value->value;
	cell->low = value->low;
	cell->high = value->high;
	cell->error = value->error;
	cell->freedom = value->freedom;
	cell->coverage = value->coverage;
	if (cell->whole)
		return;
	if (regions_is_nothing(value)) {
		cell->exactness = SHEET_UNCOUNTED;
		sheet_add_reason(cell, "not counted");
		return;
	}
	cell->exactness = upcr_is_lower_bound(value) ? SHEET_AT_LEAST : SHEET_ESTIMATE;
	if (!value->flags && !upcr_is_lower_bound(value))
		sheet_add_reason(cell, sheet_reason_of(report));
	if (value->uncounted)
		sheet_add_reason(cell, "part: a thread or a stretch was not counted");
	sheet_add_flags(cell, value->flags);
}

static bool sheet_value_of_count(const void *arg, const void *of, size_t measure, size_t aspect,
				 struct sheet_cell *cell)
{
	const struct row *row = of;

	sheet_set_value(cell, aspect ? &row->counts->own[measure] : &row->counts->value[measure],
			((const struct regions_group *)arg)->sheet->report);
	return true;
}

/* Add the names of the events that a metric lacks after "not counted". */
static void sheet_set_missing(struct sheet_cell *cell, const struct regions_report *report, size_t metric,
			      const struct upcr_value *counts)
{
	const struct metrics_counts of = {.value = counts};
	const char *name[SHEET_REASONS - 1];
	unsigned n = metrics_missing(report->metrics, (unsigned)metric, report->columns, &of, name,
				     SHEET_REASONS - 1);

	sheet_add_reason(cell, "not counted");
	for (unsigned i = 0; i < n && i < SHEET_REASONS - 1; i++)
		sheet_add_reason(cell, name[i]);
}

static bool sheet_value_of_metric(const void *arg, const void *of, size_t metric, size_t aspect,
				  struct sheet_cell *cell)
{
	const struct regions_report *report = ((const struct regions_group *)arg)->sheet->report;
	const struct row *row = of;
	struct metric_value value;

	regions_metric(report, (unsigned)metric, row->counts, aspect, &value);
	cell->value = value.value;
	cell->low = value.unsure || value.open ? -INFINITY : value.low;
	cell->high = value.unsure || value.open ? INFINITY : value.high;
	cell->error = value.error;
	cell->freedom = value.freedom;
	cell->coverage = NAN;
	if (value.missing || isnan(value.value)) {
		cell->exactness = SHEET_UNCOUNTED;
		if (value.missing)
			sheet_set_missing(cell, report, metric,
					  aspect ? row->counts->own : row->counts->value);
		else
			sheet_add_reason(cell, "of nothing");
		return true;
	}
	if (value.exact)
		return true;
	cell->exactness = value.at_least ? SHEET_AT_LEAST : SHEET_ESTIMATE;
	if (!value.flags && !value.open && !value.unsure && !value.at_least)
		sheet_add_reason(cell, sheet_reason_of(report));
	sheet_add_flags(cell, value.flags);
	if (value.open)
		sheet_add_reason(cell, "open: what it is divided by may be 0");
	if (value.at_least)
		sheet_add_reason(cell, "at least: some of its counts are lower bounds");
	if (value.unsure)
		sheet_add_reason(cell, "unsure: its counts or their clocks may be off either way");
	return true;
}

#define ALL SHEET_IN_ALL
#define TABLES SHEET_IN_TABLES

static const struct sheet_aspect both_aspects[] = {
	{.key = "inclusive", .header = "Inclusive", .kind = SHEET_VALUE, .forms = ALL},
	{.key = "exclusive",
	 .header = "Exclusive",
	 .prefix = "exclusive_",
	 .kind = SHEET_VALUE,
	 .forms = ALL},
};
/* In HTML, the first table has the inclusive counts, so these lists show only the exclusive ones. */
static const struct sheet_aspect page_aspects[] = {
	{.key = "inclusive", .kind = SHEET_VALUE},
	{.key = "exclusive", .header = "Exclusive", .kind = SHEET_VALUE, .forms = SHEET_IN_HTML},
};
/* In the order of page_aspects: inclusive, then exclusive. */
static const struct sheet_aspect run_aspects[] = {
	{.key = "inclusive", .kind = SHEET_VALUE},
	{.key = "exclusive", .kind = SHEET_VALUE, .forms = SHEET_IN_JSON},
};
static const struct sheet_aspect thread_aspects[] = {
	{.key = "inclusive", .header = "Inclusive", .kind = SHEET_VALUE, .forms = ALL},
	{.key = "exclusive", .prefix = "exclusive_", .kind = SHEET_VALUE, .forms = SHEET_IN_DATA},
};
/* ---- columns ----------------------------------------------------------------------------------- */

enum { NAME, PATH, PARENT, THREAD, THREAD_NAME, PID, RANK, TID, CALLS, THREADS, PROCESSES, SECONDS };
enum { SHARE = SECONDS + 1, OWN, OWN_SHARE, IMBALANCE, RUN, SPREAD, OWN_SPREAD };

#define CALLS_COLUMN SHEET_COLUMN(CALLS, SHEET_COUNT, "calls", "Calls", ALL, .width = 10)
#define SECONDS_COLUMN                                                           \
	SHEET_COLUMN(SECONDS, SHEET_NUMBER, "seconds", "Time", ALL, .unit = "s", \
		     .help = "Inclusive, of all threads together", .decimals = 6, .width = 13)
#define OWN_COLUMN                                                                          \
	SHEET_COLUMN(OWN, SHEET_NUMBER, "exclusive_seconds", "Exclusive", ALL, .unit = "s", \
		     .help = "Of all threads together", .decimals = 6, .width = 13)

#define SPREAD_COLUMN(id)                                                              \
	SHEET_COLUMN(id, SHEET_NUMBER, NULL, "+-", TABLES, .unit = "%", .decimals = 1, \
		     .help = "Half the 95 % interval of the mean of runs")

static const struct sheet_column region_columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", "Region", ALL, .width = 12),
	CALLS_COLUMN,
	SHEET_COLUMN(THREADS, SHEET_COUNT, "threads", "Threads", SHEET_IN_JSON | TABLES,
		     .help = "That were in it"),
	SHEET_COLUMN(PROCESSES, SHEET_COUNT, "processes", "Processes", SHEET_IN_JSON | SHEET_IN_HTML,
		     .help = "That were in it"),
	SECONDS_COLUMN,
	SHEET_COLUMN(SHARE, SHEET_NUMBER, NULL, "Time", TABLES, .unit = "%", .help = "Of the whole",
		     .decimals = 1, .width = 6),
	SPREAD_COLUMN(SPREAD),
	OWN_COLUMN,
	SHEET_COLUMN(OWN_SHARE, SHEET_NUMBER, NULL, "Exclusive", TABLES, .unit = "%", .help = "Of the whole",
		     .decimals = 1, .width = 6),
	SPREAD_COLUMN(OWN_SPREAD),
	SHEET_COLUMN(IMBALANCE, SHEET_NUMBER, NULL, "Imbalance", TABLES, .unit = "%",
		     .help = "How much more time than the mean the busiest thread has", .decimals = 1),
};
static const struct sheet_column opening_columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, NULL, "Region", SHEET_IN_HTML),
	SHEET_COLUMN(SHARE, SHEET_NUMBER, NULL, "Time", SHEET_IN_HTML, .unit = "%",
		     .help = "Inclusive, of the whole", .decimals = 1),
};
static const struct sheet_column path_columns[] = {
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", "Call path", ALL, .width = 12),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, SHEET_IN_DATA),
	SHEET_COLUMN(PARENT, SHEET_COUNT, "parent", NULL, SHEET_IN_DATA),
};
static const struct sheet_column run_path_columns[] = {
	SHEET_COLUMN(RUN, SHEET_COUNT, "run", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(PARENT, SHEET_COUNT, "parent", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(CALLS, SHEET_COUNT, "calls", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(OWN, SHEET_NUMBER, "exclusive_seconds", NULL, SHEET_IN_JSON),
};
static const struct sheet_column thread_columns[] = {
	SHEET_COLUMN(THREAD_NAME, SHEET_TEXT, NULL, "Thread", SHEET_IN_HTML),
	SHEET_COLUMN(NAME, SHEET_TEXT, "region", "Region", ALL, .width = 12),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(PARENT, SHEET_COUNT, "parent", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(THREAD, SHEET_COUNT, "thread", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(PID, SHEET_COUNT, "pid", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(RANK, SHEET_COUNT, "rank", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(TID, SHEET_COUNT, "tid", NULL, SHEET_IN_CSV),
	CALLS_COLUMN,
	SECONDS_COLUMN,
	OWN_COLUMN,
};

/* Set half the interval of a mean time, in per cent of the time. */
static void sheet_set_time_spread(struct sheet_cell *cell, const struct row *row, bool own)
{
	const struct regions_runs *runs = row->group->runs;
	unsigned n;
	const struct util_measured mean =
		regions_runs_mean(runs, 0, runs->n, row->key, REGIONS_SECONDS, own, &n);

	cell->absent = !(mean.value > 0);
	if (!cell->absent)
		cell->value = 100 * util_measured_half(&mean) / mean.value;
}

static void sheet_set_number(struct sheet_cell *cell, long number)
{
	cell->count = (uint64_t)number;
	cell->absent = number < 0;
}

/* Set the name of a row's region. In the row of outside, the name is absent in CSV and JSON, and text and
 * HTML show "(outside)". */
static void sheet_set_name(struct sheet_cell *cell, const struct regions_data *data, const struct row *row)
{
	const enum regions_by by = row->group->by;

	cell->text = regions_name_of(data, by, row->key);
	cell->absent = regions_is_outside(data, by, row->key);
	if (by == REGIONS_BY_PATH && row->key)
		cell->depth = data->path[row->key].depth - (row->group->sheet->form & SHEET_IN_TEXT ? 1 : 0);
}

/* True for rows of the whole run's counters: they belong to no thread, and have only counts. */
static bool sheet_has_counts_alone(const struct regions_data *data, const struct row *row)
{
	const char *name = regions_name_of(data, row->group->by, row->key);

	/* Rows of each run's paths have no line and no thread. They have all numbers, since upc_regions reads
	 * them in again. */
	return (row->line || row->thread) && (!strcmp(name, UPCR_START_NAME) || !strcmp(name, UPCR_END_NAME));
}

static void sheet_cell_of_region(const void *arg, const void *of, const struct sheet_column *column,
				 struct sheet_cell *cell)
{
	const struct regions_group *group = arg;
	const struct regions_data *data = group->sheet->report->data;
	const struct row *row = of;
	const bool path = group->by == REGIONS_BY_PATH;

	if (column->id >= CALLS && sheet_has_counts_alone(data, row)) {
		cell->absent = true;
		return;
	}
	switch (column->id) {
	case NAME:
		sheet_set_name(cell, data, row);
		break;
	case PATH:
		sheet_set_number(cell, path ? (long)row->key : -1);
		break;
	case PARENT:
		sheet_set_number(cell, path && row->key ? (long)data->path[row->key].parent : -1);
		break;
	case THREAD:
		cell->count = row->which;
		break;
	case THREAD_NAME:
		cell->text = row->name;
		break;
	case PID:
		sheet_set_number(cell, row->process->pid);
		break;
	case RANK:
		sheet_set_number(cell, row->process->rank);
		break;
	case TID:
		sheet_set_number(cell, row->thread->tid);
		break;
	case CALLS:
		cell->count = (uint64_t)row->counts->calls;
		cell->value = row->counts->calls;
		cell->absent = regions_is_outside(data, group->by, row->key);
		break;
	case THREADS:
		cell->count = row->line->threads;
		break;
	case PROCESSES:
		cell->count = row->line->processes;
		break;
	case SECONDS:
		cell->value = row->counts->seconds;
		break;
	case RUN:
		cell->count = row->run;
		break;
	case SPREAD:
		sheet_set_time_spread(cell, row, false);
		break;
	case OWN_SPREAD:
		sheet_set_time_spread(cell, row, true);
		break;
	case SHARE:
		cell->value = 100 * row->counts->seconds / group->whole;
		break;
	case OWN:
		cell->value = row->counts->own_seconds;
		break;
	case OWN_SHARE:
		cell->value = 100 * row->counts->own_seconds / group->whole;
		break;
	default:
		cell->value = 100 * regions_imbalance(&row->line->of_threads[0]);
	}
}

static char *sheet_region_heading(const void *arg, const void *of)
{
	const struct regions_group *group = arg;
	const struct regions_data *data = group->sheet->report->data;
	const struct row *row = of;
	char *text, *path = group->by == REGIONS_BY_PATH ? regions_path_text(data, row->key, false) : NULL;
	int n = -1;

	if (path || group->by != REGIONS_BY_PATH)
		n = asprintf(&text, "Region %s", path ? path : regions_name_of(data, group->by, row->key));
	free(path);
	return n < 0 ? NULL : text;
}

static char *sheet_thread_heading(const void *arg, const void *of)
{
	const struct row *row = of;
	char *text;

	(void)arg;
	return asprintf(&text, "Thread %s", row->name) < 0 ? NULL : text;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool sheet_each_region(const void *arg, sheet_put *put, void *to)
{
	const struct regions_group *group = arg;

	for (uint32_t i = 0; i < group->n; i++) {
		const struct regions_line *line = &group->sums->line[group->order[i]];

		if (!put(to,
			 &(struct row){
				 .group = group, .key = line->key, .counts = &line->counts, .line = line}))
			return false;
	}
	return true;
}

/* Put the paths of each run, in the order of all paths. */
static bool sheet_each_run_path(const void *arg, sheet_put *put, void *to)
{
	const struct regions_group *group = arg;
	const struct regions_runs *runs = group->sheet->report->runs;

	for (unsigned run = 0; run < runs->n; run++)
		for (uint32_t i = 0; i < group->n; i++) {
			const struct regions_counts *counts = &runs->of[run].line[group->order[i]].counts;
			const struct row row = {
				.group = group, .key = group->order[i], .counts = counts, .run = run};

			if (counts->used && !put(to, &row))
				return false;
		}
	return true;
}

struct threads {
	const struct regions_group *group;
	sheet_put *put;
	void *to;
	size_t which;
};

static bool sheet_put_thread(void *arg, const struct regions_process *process,
			     const struct regions_thread *thread, const struct regions_part *part)
{
	struct threads *threads = arg;
	const struct regions_group *group = threads->group;
	char *name = regions_thread_text(group->sheet->report->data, process, thread);
	bool done = name != NULL;

	for (uint32_t i = 0; done && i < group->n; i++) {
		const struct row row = {.group = group,
					.key = group->order[i],
					.counts = &part->counts[group->order[i]],
					.process = process,
					.thread = thread,
					.which = threads->which,
					.name = name};

		if (row.counts->used)
			done = threads->put(threads->to, &row);
	}
	threads->which++;
	free(name);
	return done;
}

static bool sheet_each_part(const void *arg, sheet_put *put, void *to)
{
	const struct regions_group *group = arg;
	struct threads threads = {.group = group, .put = put, .to = to};

	return regions_each_thread(group->sheet->report->data, group->by, sheet_put_thread, &threads);
}

/* ---- sections about processes, threads and metrics ---------------------------------------------------- */

enum { COMMAND, OF_PID, OF_RANK, RANKS, HOST, STARTED, ENDED, ELAPSED, CLOCK, SLICE, LISTS };
enum { NUMBER, OF_TID, OF_NAME, MEMBERS, OF_PROCESS };

static const struct sheet_column process_columns[] = {
	SHEET_COLUMN(COMMAND, SHEET_TEXT, "command", "Command", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(OF_RANK, SHEET_COUNT, "rank", "Rank", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(OF_PID, SHEET_COUNT, "pid", "Process", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(RANKS, SHEET_COUNT, "ranks", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(HOST, SHEET_TEXT, "host", "Host", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(STARTED, SHEET_TEXT, "started", "Started", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(ENDED, SHEET_TEXT, "ended", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(ELAPSED, SHEET_NUMBER, "seconds", "Elapsed", SHEET_IN_JSON | SHEET_IN_HTML, .unit = "s",
		     .decimals = 6),
	SHEET_COLUMN(CLOCK, SHEET_TEXT, "clock", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(SLICE, SHEET_COUNT, "slice_ns", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(LISTS, SHEET_COUNT, "threads", "Threads", SHEET_IN_JSON | SHEET_IN_HTML),
};

static void sheet_cell_of_process(const void *arg, const void *of, const struct sheet_column *column,
				  struct sheet_cell *cell)
{
	const struct regions_process *process = of;
	const char *const texts[] = {[COMMAND] = process->command,
				     [HOST] = process->host,
				     [STARTED] = process->started,
				     [ENDED] = process->ended,
				     [CLOCK] = process->clock};

	(void)arg;
	if (column->kind == SHEET_TEXT)
		cell->text = texts[column->id];
	else if (column->id == ELAPSED)
		cell->value = process->seconds;
	else
		sheet_set_number(cell, column->id == OF_PID    ? process->pid
				       : column->id == OF_RANK ? process->rank
				       : column->id == RANKS   ? process->ranks
				       : column->id == SLICE   ? (long)process->slice_ns
							       : (long)process->threads);
}

static bool sheet_each_process(const void *arg, sheet_put *put, void *to)
{
	const struct regions_data *data = ((const struct regions_sheet *)arg)->report->data;

	for (size_t i = 0; i < data->processes; i++)
		if (!put(to, &data->process[i]))
			return false;
	return true;
}

enum { RUN_NUMBER, RUN_STATUS, RUN_SIGNAL, RUN_TURN };

static const struct sheet_column run_columns[] = {
	SHEET_COLUMN(RUN_NUMBER, SHEET_COUNT, "run", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(RUN_STATUS, SHEET_COUNT, "exit_status", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(RUN_SIGNAL, SHEET_COUNT, "signal", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(RUN_TURN, SHEET_COUNT, "turn", NULL, SHEET_IN_JSON),
};

static void sheet_cell_of_run(const void *arg, const void *of, const struct sheet_column *column,
			      struct sheet_cell *cell)
{
	const struct regions_report *report = ((const struct regions_sheet *)arg)->report;
	const unsigned run = *(const unsigned *)of;
	const int status = report->status[run];

	sheet_set_number(cell, column->id == RUN_NUMBER ? (long)run
			       : column->id == RUN_TURN
				       ? (report->turns ? (long)regions_turn(run, report->side) : -1)
			       : column->id == RUN_STATUS ? (WIFEXITED(status) ? WEXITSTATUS(status) : -1)
			       : WIFSIGNALED(status)      ? WTERMSIG(status)
							  : -1);
}

static bool sheet_each_run(const void *arg, sheet_put *put, void *to)
{
	const struct regions_runs *runs = ((const struct regions_sheet *)arg)->report->runs;

	for (unsigned run = 0; run < runs->n; run++)
		if (!put(to, &run))
			return false;
	return true;
}

static const struct sheet_column who_columns[] = {
	SHEET_COLUMN(OF_PROCESS, SHEET_COUNT, "process", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(NUMBER, SHEET_COUNT, "thread", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(OF_TID, SHEET_COUNT, "tid", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(OF_NAME, SHEET_TEXT, "name", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(MEMBERS, SHEET_COUNT, "threads", NULL, SHEET_IN_JSON),
	SHEET_COLUMN(ELAPSED, SHEET_NUMBER, "seconds", NULL, SHEET_IN_JSON),
};

static void sheet_cell_of_who(const void *arg, const void *of, const struct sheet_column *column,
			      struct sheet_cell *cell)
{
	const struct row *row = of;

	if (column->id == OF_NAME)
		cell->text = row->thread->name;
	else if (column->id == ELAPSED)
		cell->value = row->thread->seconds;
	else
		sheet_set_number(
			cell,
			column->id == NUMBER   ? row->thread->number
			: column->id == OF_TID ? row->thread->tid
			: column->id == MEMBERS
				? (long)row->thread->threads
				: row->process - ((const struct regions_sheet *)arg)->report->data->process);
}

static bool sheet_each_who(const void *arg, sheet_put *put, void *to)
{
	const struct regions_data *data = ((const struct regions_sheet *)arg)->report->data;

	for (size_t i = 0; i < data->processes; i++)
		for (size_t k = 0; k < data->process[i].threads; k++)
			if (!put(to, &(struct row){.process = &data->process[i],
						   .thread = &data->process[i].thread[k]}))
				return false;
	return true;
}

/* ---- parts and the whole ------------------------------------------------------------------------ */

enum { WHOLE_EVENT, WHOLE_PARTS, WHOLE_REST, WHOLE_RUN };

static const struct sheet_column whole_columns[] = {
	SHEET_COLUMN(WHOLE_EVENT, SHEET_TEXT, "event", "Event", ALL),
	SHEET_COLUMN(WHOLE_PARTS, SHEET_VALUE, "parts", "Sum of rows", SHEET_IN_JSON | TABLES,
		     .help = "Exclusive, of all rows"),
	SHEET_COLUMN(WHOLE_RUN, SHEET_VALUE, "whole", "Whole run", ALL,
		     .help = "Counted by upc_regions from outside"),
	SHEET_COLUMN(WHOLE_REST, SHEET_NUMBER, "in_no_row", "In no row", SHEET_IN_JSON | TABLES,
		     .help = "The whole run less the rows"),
};

static void sheet_cell_of_whole(const void *arg, const void *of, const struct sheet_column *column,
				struct sheet_cell *cell)
{
	const struct regions_report *report = ((const struct regions_sheet *)arg)->report;
	const uint32_t event = *(const uint32_t *)of;
	const struct upcr_value whole = regions_whole_of(report->data, event);
	const struct upcr_value parts = regions_parts_of(report->by_name, event);

	switch (column->id) {
	case WHOLE_EVENT:
		cell->text = report->data->events.text[event];
		break;
	case WHOLE_PARTS:
		sheet_set_value(cell, &parts, report);
		break;
	case WHOLE_REST:
		cell->value = whole.value - parts.value;
		cell->absent = regions_is_nothing(&parts);
		break;
	default:
		sheet_set_value(cell, &whole, report);
	}
}

/* Put the events that a counter of the whole run has counted. */
static bool sheet_each_whole(const void *arg, sheet_put *put, void *to)
{
	const struct regions_data *data = ((const struct regions_sheet *)arg)->report->data;

	for (uint32_t i = 0; i < data->events.n; i++) {
		const struct upcr_value whole = regions_whole_of(data, i);

		if (!whole.uncounted && !put(to, &i))
			return false;
	}
	return true;
}

enum { METRIC, UNIT, FORMULA, DESCRIPTION, NEEDS };

static const struct sheet_column metric_columns[] = {
	SHEET_COLUMN(METRIC, SHEET_TEXT, "metric", "Metric", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(UNIT, SHEET_TEXT, "unit", "Unit", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(FORMULA, SHEET_TEXT, "formula", "Formula", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(DESCRIPTION, SHEET_TEXT, "description", "What it is", SHEET_IN_JSON | SHEET_IN_HTML),
	SHEET_COLUMN(NEEDS, SHEET_TEXT, "needs", NULL, SHEET_IN_JSON),
};

/* Write the names of the events that a metric needs, separated by commas. */
static void sheet_text_of_needs(const struct regions_sheet *sheet, const struct metric *metric)
{
	const struct metrics *metrics = sheet->report->metrics;
	const size_t room = sizeof(sheet->buffer);
	unsigned i = 0;
	size_t n = 0;

	while (metrics_at(metrics, i) != metric)
		i++;
	sheet->text[0] = '\0';
	for (unsigned event = 0; event < metrics_events(metrics) && n < room; event++)
		if (metrics_needs(metrics, i, event))
			n += (size_t)snprintf(sheet->text + n, room - n, "%s%s", n ? "," : "",
					      metrics_event(metrics, event));
}

static void sheet_cell_of_metric(const void *arg, const void *of, const struct sheet_column *column,
				 struct sheet_cell *cell)
{
	const struct regions_sheet *sheet = arg;
	const struct metric *metric = of;
	const char *const texts[] = {metric->name, metric->unit, metric->formula, metric->description,
				     sheet->text};

	if (column->id == NEEDS)
		sheet_text_of_needs(sheet, metric);
	cell->text = texts[column->id];
	cell->absent = !cell->text;
}

static bool sheet_each_metric(const void *arg, sheet_put *put, void *to)
{
	const struct metrics *metrics = ((const struct regions_sheet *)arg)->report->metrics;

	for (unsigned i = 0; i < metrics_count(metrics); i++)
		if (!put(to, metrics_at(metrics, i)))
			return false;
	return true;
}

/* ---- the sheet ---------------------------------------------------------------------------------- */

static bool sheet_make_measures(struct regions_sheet *sheet)
{
	const struct regions_report *report = sheet->report;
	const uint32_t events = report->data->events.n;
	const unsigned metrics = report->metrics ? metrics_count(report->metrics) : 0;

	sheet->counts = calloc(events + 1, sizeof(*sheet->counts));
	sheet->spread = calloc(events + 2, sizeof(*sheet->spread));
	sheet->metrics = calloc(metrics + 1, sizeof(*sheet->metrics));
	sheet->event = calloc(events + 1, sizeof(*sheet->event));
	if (!sheet->counts || !sheet->spread || !sheet->metrics || !sheet->event)
		return false;
	sheet->spread[0].decimals = 6;
	for (uint32_t i = 0; i < events; i++)
		sheet->counts[i].name = sheet->spread[1 + i].name = sheet->event[i].text =
			report->data->events.text[i];
	for (unsigned i = 0; i < metrics; i++) {
		const struct metric *metric = metrics_at(report->metrics, i);

		sheet->metrics[i] = (struct sheet_measure){.name = metric->name,
							   .unit = metric->unit,
							   .help = metric->description ? metric->description
										       : metric->formula};
	}
	return true;
}

static void sheet_make_facts(struct regions_sheet *sheet)
{
	const struct regions_report *report = sheet->report;

	sheet->fact[0] = (struct sheet_fact){.key = "title", .cell = {.text = report->title}};
	sheet->fact[1] =
		(struct sheet_fact){.key = "events", .list = sheet->event, .n = report->data->events.n};
	sheet->sheet.facts = 2;
	if (report->metrics)
		sheet->fact[sheet->sheet.facts++] = (struct sheet_fact){
			.key = "metric_set", .cell = {.text = metrics_set(report->metrics)}};
	if (report->turns)
		sheet->fact[sheet->sheet.facts++] =
			(struct sheet_fact){.key = "turns", .cell = {.text = report->turns}};
}

static bool sheet_make_notes(struct regions_sheet *sheet)
{
	bool done = regions_notes_of(sheet->report, &sheet->notes);

	sheet->note = done ? calloc(sheet->notes.n + 1, sizeof(*sheet->note)) : NULL;
	for (size_t i = 0; sheet->note && i < sheet->notes.n; i++)
		sheet->note[i] = (struct sheet_note){.what = sheet->notes.note[i].what,
						     .name = sheet->notes.note[i].name,
						     .times = sheet->notes.note[i].times};
	sheet->sheet.note = sheet->note;
	sheet->sheet.notes = sheet->note ? sheet->notes.n : 0;
	return sheet->note != NULL;
}

/* Make the lists of counts, of metrics, and of the differences between threads and processes. */
static void sheet_make_lists(struct regions_group *group, bool thread)
{
	const struct regions_sheet *sheet = group->sheet;
	const struct metrics *metrics = sheet->report->metrics;
	const unsigned forms = thread ? SHEET_IN_DATA : SHEET_IN_ALL;

	group->list[0] = (struct sheet_list){.key = "counts",
					     .name = "event",
					     .header = "Event",
					     .caption = "Counts",
					     .forms = SHEET_IN_ALL,
					     .measure = sheet->counts,
					     .measures = sheet->report->data->events.n,
					     .aspect = thread ? thread_aspects : both_aspects,
					     .aspects = 2,
					     .value = sheet_value_of_count};
	group->list[1] = (struct sheet_list){.key = "metrics",
					     .name = "metric",
					     .header = "Metric",
					     .caption = "Metrics",
					     .forms = metrics ? forms : 0,
					     .of_any_size = true,
					     .measure = sheet->metrics,
					     .measures = metrics ? metrics_count(metrics) : 0,
					     .aspect = both_aspects,
					     .aspects = 2,
					     .value = sheet_value_of_metric};
	regions_over_lists(group, &group->list[2]);
}

static struct sheet_section *sheet_add_section(struct regions_sheet *sheet, const char *key,
					       bool (*each)(const void *arg, sheet_put *put, void *to))
{
	struct sheet_section *section = &sheet->section[sheet->sheet.sections++];

	*section = (struct sheet_section){.key = key, .arg = sheet, .each = each};
	return section;
}

static struct regions_group *sheet_make_group(struct regions_sheet *sheet, unsigned which, enum regions_by by)
{
	struct regions_group *group = &sheet->group[which];

	group->sheet = sheet;
	group->by = by;
	group->sums = by == REGIONS_BY_NAME ? sheet->report->by_name : sheet->report->by_path;
	group->runs = by == REGIONS_BY_NAME ? sheet->report->runs_by_name : sheet->report->runs;
	group->order = sheet->order[by];
	group->n = sheet->n[by];
	group->whole = fmax(regions_whole_seconds(group->sums), 1e-300);
	return group;
}

static bool sheet_calls_are_whole(const struct regions_group *group)
{
	for (uint32_t i = 0; i < group->n; i++) {
		const double calls = group->sums->line[group->order[i]].counts.calls;

		if (calls != floor(calls))
			return false;
	}
	return true;
}

static struct sheet_section *sheet_add_group(struct regions_sheet *sheet, struct regions_group *group,
					     const char *key, const struct sheet_column *column,
					     size_t columns, bool thread)
{
	struct sheet_section *section =
		sheet_add_section(sheet, key, thread ? sheet_each_part : sheet_each_region);

	memcpy(group->column, column, columns * sizeof(*column));
	sheet_make_lists(group, thread);
	section->column = group->column;
	section->columns = columns;
	section->list = group->list;
	section->lists =
		thread || (group->by == REGIONS_BY_PATH && sheet->form & SHEET_IN_JSON) ? 2 : REGIONS_LISTS;
	section->arg = group;
	section->cell = sheet_cell_of_region;
	/* Mean calls that are not whole numbers have decimals. */
	for (size_t i = 0; i < columns && !thread; i++)
		if (column[i].id == CALLS && !sheet_calls_are_whole(group)) {
			group->column[i].kind = SHEET_NUMBER;
			group->column[i].decimals = 2;
		}
	/* A single thread or process cannot differ from others. */
	for (size_t i = 0; i < columns; i++)
		if (((column[i].id == THREADS || column[i].id == IMBALANCE) && group->sums->threads < 2) ||
		    (column[i].id == IMBALANCE && sheet->report->runs) ||
		    ((column[i].id == SPREAD || column[i].id == OWN_SPREAD) && !sheet->report->runs) ||
		    (column[i].id == PROCESSES && group->sums->processes < 2))
			group->column[i].forms &= SHEET_IN_DATA;
	return section;
}

static void sheet_add_lines(struct regions_sheet *sheet, enum regions_by by)
{
	const bool path = by == REGIONS_BY_PATH;
	const size_t n = sizeof(region_columns) / sizeof(*region_columns);
	struct sheet_column column[REGIONS_COLUMNS];
	struct sheet_section *section;
	size_t columns = 0;

	memcpy(column, path ? path_columns : region_columns, (path ? 3 : 1) * sizeof(*column));
	columns = path ? 3 : 1;
	memcpy(column + columns, region_columns + 1, (n - 1) * sizeof(*column));
	columns += n - 1;
	/* The text form has a section of regions or of call paths, and heads the first column of either
	 * "Region". */
	if (path && sheet->form & SHEET_IN_TEXT)
		column[0].header = "Region";
	section = sheet_add_group(sheet, sheet_make_group(sheet, by, by), path ? "call_paths" : "regions",
				  column, columns, false);
	for (size_t i = 0; path && i < columns; i++)
		if (column[i].id == THREADS || column[i].id == PROCESSES)
			sheet->group[by].column[i].forms &= ~SHEET_IN_JSON;
	section->record = path ? "path" : "region";
	section->layout = SHEET_BLOCKS;
	section->heading = sheet_region_heading;
	section->table = "Time";
	section->which = path ? "by call path" : "by region";
	section->forms = SHEET_IN_JSON | SHEET_IN_HTML;
	if (path == sheet->report->paths)
		section->forms |= SHEET_IN_CSV | SHEET_IN_TEXT;
	if (path)
		sheet->paths = section;
	else
		sheet->regions = section;
	if (!path && sheet->form & SHEET_IN_HTML)
		sheet->group[by].list[0].aspect = page_aspects;
}

/* Add the first table of a page, which has only the most important columns. */
static void sheet_add_opening(struct regions_sheet *sheet)
{
	struct regions_group *group = sheet_make_group(sheet, 4, REGIONS_BY_NAME);

	sheet->opening = sheet_add_group(sheet, group, NULL, opening_columns,
					 sizeof(opening_columns) / sizeof(*opening_columns), false);
	sheet->opening->forms = SHEET_IN_HTML;
	sheet->opening->together = true;
	sheet->opening->lists = 1;
	sheet->opening->table = "Counts, inclusive,";
	sheet->opening->which = "by region";
}

static void sheet_add_threads(struct regions_sheet *sheet)
{
	const bool by_path = sheet->report->paths && sheet->form & (SHEET_IN_CSV | SHEET_IN_TEXT);
	struct regions_group *group = sheet_make_group(sheet, 2, by_path ? REGIONS_BY_PATH : REGIONS_BY_NAME);
	struct sheet_section *section =
		sheet_add_group(sheet, group, "thread_regions", thread_columns,
				sizeof(thread_columns) / sizeof(*thread_columns), true);

	section->record = "thread";
	section->forms = SHEET_IN_ALL;
	section->sure = section->together = true;
	section->heading = sheet_thread_heading;
	section->table = "Regions of each thread,";
	section->which = "counts inclusive";
	sheet->threads = section;
}

static void sheet_add_processes(struct regions_sheet *sheet)
{
	struct sheet_section *section = sheet_add_section(sheet, "processes", sheet_each_process);

	section->cell = sheet_cell_of_process;
	section->column = process_columns;
	section->columns = sizeof(process_columns) / sizeof(*process_columns);
	section->forms = SHEET_IN_JSON | (sheet->report->data->processes > 1 ? SHEET_IN_HTML : 0);
	section->table = "Each process";
	section->caption = sheet->form & SHEET_IN_HTML ? "Processes" : NULL;
}

static void sheet_add_runs(struct regions_sheet *sheet)
{
	struct sheet_section *section = sheet_add_section(sheet, "runs", sheet_each_run);
	struct regions_group *group = sheet_make_group(sheet, 3, REGIONS_BY_PATH);

	section->cell = sheet_cell_of_run;
	section->column = run_columns;
	section->columns = sizeof(run_columns) / sizeof(*run_columns);
	section->forms = SHEET_IN_JSON;
	section = sheet_add_group(sheet, group, "run_paths", run_path_columns,
				  sizeof(run_path_columns) / sizeof(*run_path_columns), true);
	group->list[0].aspect = run_aspects;
	section->lists = 1;
	section->each = sheet_each_run_path;
	section->forms = SHEET_IN_JSON;
}

static void sheet_add_who(struct regions_sheet *sheet)
{
	struct sheet_section *section = sheet_add_section(sheet, "threads", sheet_each_who);

	section->cell = sheet_cell_of_who;
	section->column = who_columns;
	section->columns = sizeof(who_columns) / sizeof(*who_columns);
	section->forms = SHEET_IN_JSON;
}

/* Add the section that compares the sums over all lines with the counts of the whole run. It exists for a
 * single run, if the whole count of any event is known. */
static void sheet_add_whole(struct regions_sheet *sheet)
{
	const struct regions_data *data = sheet->report->data;
	struct sheet_section *section;
	bool known = false;

	for (uint32_t i = 0; !sheet->report->runs && i < data->events.n; i++)
		known |= !regions_whole_of(data, i).uncounted;
	if (!known)
		return;
	section = sheet_add_section(sheet, "whole", sheet_each_whole);
	section->record = "whole";
	section->cell = sheet_cell_of_whole;
	section->column = whole_columns;
	section->columns = sizeof(whole_columns) / sizeof(*whole_columns);
	section->forms = SHEET_IN_ALL;
	section->table = "The parts and the whole";
	section->caption = sheet->form & SHEET_IN_TEXT ? "The parts and the whole" : NULL;
}

static void sheet_add_metrics(struct regions_sheet *sheet)
{
	struct sheet_section *section = sheet_add_section(sheet, "metrics", sheet_each_metric);

	section->cell = sheet_cell_of_metric;
	section->column = metric_columns;
	section->columns = sizeof(metric_columns) / sizeof(*metric_columns);
	section->forms = SHEET_IN_JSON | SHEET_IN_HTML;
	section->table = "What metrics are";
}

bool regions_sheet_make(struct regions_sheet *sheet, const struct regions_report *report, unsigned form)
{
	static const char *const keys[] = {"region", "path", "parent", "pid", "rank", "tid", NULL},
				 *const others[] = {"calls", "seconds", "exclusive_seconds", NULL};
	const bool threads = !report->runs && (report->per_thread || form & SHEET_IN_HTML);

	memset(sheet, 0, sizeof(*sheet));
	sheet->report = report;
	sheet->form = form;
	sheet->text = sheet->buffer;
	sheet->sheet = (struct sheet){.tool = "upc_regions",
				      .fact = sheet->fact,
				      .section = sheet->section,
				      .keys = keys,
				      .others = others};
	sheet->order[REGIONS_BY_NAME] =
		regions_order(report->data, report->by_name, &sheet->n[REGIONS_BY_NAME]);
	sheet->order[REGIONS_BY_PATH] =
		regions_order(report->data, report->by_path, &sheet->n[REGIONS_BY_PATH]);
	if (!sheet->order[0] || !sheet->order[1] || !sheet_make_measures(sheet) || !sheet_make_notes(sheet))
		return false;
	sheet_make_facts(sheet);
	if (form & SHEET_IN_JSON)
		sheet_add_processes(sheet);
	if (form & SHEET_IN_JSON && report->metrics)
		sheet_add_metrics(sheet);
	if (form & SHEET_IN_HTML && report->data->events.n)
		sheet_add_opening(sheet);
	sheet_add_lines(sheet, REGIONS_BY_NAME);
	if (form & SHEET_IN_HTML && report->metrics)
		sheet_add_metrics(sheet);
	sheet_add_lines(sheet, REGIONS_BY_PATH);
	if (form & SHEET_IN_JSON && report->runs)
		sheet_add_runs(sheet);
	if (!report->runs)
		sheet->imbalance = regions_over_sections(
			sheet, &sheet->group[report->paths && form & SHEET_IN_CSV ? REGIONS_BY_PATH
										  : REGIONS_BY_NAME]);
	sheet_add_whole(sheet);
	if (form & SHEET_IN_JSON && report->per_thread)
		sheet_add_who(sheet);
	if (threads)
		sheet_add_threads(sheet);
	if (form & SHEET_IN_HTML)
		sheet_add_processes(sheet);
	return true;
}

void regions_sheet_free(struct regions_sheet *sheet)
{
	regions_notes_free(&sheet->notes);
	free(sheet->note);
	free(sheet->counts);
	free(sheet->spread);
	free(sheet->metrics);
	free(sheet->event);
	free(sheet->order[0]);
	free(sheet->order[1]);
}

static bool sheet_print(FILE *out, const struct regions_report *report, unsigned form,
			bool (*print)(FILE *out, const struct sheet *sheet))
{
	struct regions_sheet sheet;
	bool done = regions_sheet_make(&sheet, report, form) && print(out, &sheet.sheet);

	regions_sheet_free(&sheet);
	return done;
}

bool regions_print_json(FILE *out, const struct regions_report *report)
{
	return sheet_print(out, report, SHEET_IN_JSON, sheet_json);
}

bool regions_print_csv(FILE *out, const struct regions_report *report)
{
	return sheet_print(out, report, SHEET_IN_CSV, sheet_csv);
}
