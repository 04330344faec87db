/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sheet.c - makes a sheet from upc_stat's counts, with sections of events, threads or other parts, runs,
 * and refused events.
 *
 * Terms: stat/stat_session.h, sheet/sheet.h.
 */
#include "stat/stat_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/stat_run.h"

/* ---- values ------------------------------------------------------------------------------------ */

/* Set the exactness of a value. A partial count is a lower bound. A partial level, or a partial value that is
 * computed from several counts, may be less or more than the true value. */
static void stat_sheet_set_flags(struct sheet_cell *cell, const struct upc_event_info *info, unsigned flags)
{
	if (stat_shortcoming(flags) == NULL)
		return;
	cell->reason[cell->reasons++] = stat_shortcoming(flags);
	cell->exactness = flags & UPC_COUNTER_NEVER ? SHEET_UNCOUNTED
			  : info->kind == UPC_KIND_COUNT && info->source != UPC_SOURCE_DERIVED
				  ? SHEET_AT_LEAST
				  : SHEET_ESTIMATE;
	cell->low = -INFINITY;
	cell->high = INFINITY;
	cell->error = cell->freedom = cell->coverage = NAN;
}

void stat_sheet_set_mean(struct sheet_cell *cell, const struct stat_spread *spread)
{
	const double half = stat_spread_half(spread);

	if (cell->exactness == SHEET_UNCOUNTED)
		return;
	cell->value = spread->mean;
	cell->count = stat_spread_whole(spread->mean);
	cell->whole = spread->mean == (double)cell->count;
	cell->exactness = sheet_exactness_both(cell->exactness, SHEET_ESTIMATE);
	if (cell->reasons > 0)
		return;
	cell->reason[cell->reasons++] = "mean of several runs";
	cell->low = fmax(spread->mean - half, 0);
	cell->high = spread->mean + half;
	cell->error = spread->error;
	cell->freedom = spread->n - 1;
	cell->coverage = 1;
}

static void stat_sheet_set_value(const struct stat_sheet *sheet, const struct stat_sheet_row *row, unsigned i,
				 struct sheet_cell *cell)
{
	const struct upc_event_info *info = &sheet->report->events->info[i];
	unsigned flags = sheet->sample->flags[i];

	cell->count = sheet->sample->values[i];
	if (row->run != NULL) {
		flags = row->run->flags[i];
		cell->count = row->run->values[i];
	} else if (row->part != NULL) {
		flags = row->part->flags[i];
		cell->count = stat_part_value(sheet->report, row->part, i, sheet->sample->last);
	}
	cell->value = (double)cell->count;
	cell->whole = true;
	stat_sheet_set_flags(cell, info, flags);
	if (sheet->runs != NULL && sheet->runs->n > 1 && row->run == NULL) {
		const struct stat_spread spread = stat_runs_event(sheet->runs, i);

		stat_sheet_set_mean(cell, &spread);
	}
}

/* Return the words next to a value: the reason why the value is incomplete, or the rate per second. */
static const char *stat_sheet_rate(const struct stat_sheet *sheet, unsigned i, double value, char *text)
{
	const struct upc_event_info *info = &sheet->report->events->info[i];
	const unsigned flags = sheet->sample->flags[i];
	const double seconds = sheet->sample->seconds;

	if (flags & UPC_COUNTER_PARTIAL)
		return "part only";
	if (info->kind == UPC_KIND_LEVEL)
		return flags & UPC_COUNTER_LOST ? "last seen" : "level";
	if (flags & UPC_COUNTER_LOST)
		return "source lost";
	*text = '\0';
	/* For an event in units of time, show the share of the sample's time in percent, not a rate. */
	if (seconds > 0 && util_unit_ns(info->unit) > 0)
		snprintf(text, UTIL_NUMBER_MAX, "%.1f %%",
			 value * (double)util_unit_ns(info->unit) / seconds / 1e7);
	else if (seconds > 0)
		util_format_rate(value / seconds, text);
	return text;
}

/* Return the standard error of the mean of all runs in percent, as perf stat shows it. */
static const char *stat_sheet_spread(const struct stat_sheet *sheet, unsigned i, char *text)
{
	const struct stat_spread spread = stat_runs_event(sheet->runs, i);

	snprintf(text, UTIL_NUMBER_MAX, "+- %.2f %%", stat_spread_percent(&spread));
	return text;
}

enum { ASPECT_VALUE, ASPECT_RATE, ASPECT_SPREAD, ASPECTS };

static bool stat_sheet_value_of(const void *arg, const void *row, size_t measure, size_t aspect,
				struct sheet_cell *cell)
{
	const struct stat_sheet *sheet = arg;
	const unsigned i = sheet->event[measure];

	stat_sheet_set_value(sheet, row, i, cell);
	if (aspect == ASPECT_RATE)
		cell->text = stat_sheet_rate(sheet, i, cell->value, sheet->text);
	if (aspect == ASPECT_SPREAD && sheet->runs != NULL && cell->exactness != SHEET_UNCOUNTED)
		cell->text = stat_sheet_spread(sheet, i, sheet->text);
	return true;
}

static bool stat_sheet_value_of_rest(const void *arg, const void *row, size_t measure, size_t aspect,
				     struct sheet_cell *cell)
{
	return stat_sheet_value_of(arg, row, ((const struct stat_sheet *)arg)->own + measure, aspect, cell);
}

/* ---- columns ----------------------------------------------------------------------------------- */

/* IDs of columns: of a sample and a part, of an event, of a run's end (in the order of enum stat_time), of a
 * refused event, and of text. */
enum { RUN, TIME, SECONDS, PID, TID, NAME, LIFETIME };
enum { EVENT = LIFETIME + 1, VALUE, UNIT, SCOPE, KIND, SUBSYSTEM, PER_SECOND };
enum { ELAPSED_SECONDS, USER_SECONDS, SYSTEM_SECONDS, RESIDENT, EXIT_STATUS, SIGNAL };
enum { REFUSED, REASON };
enum { SHOWN_NAME = PER_SECOND + 1, SHOWN_NUMBER };
enum { FIRST_OF_PARTS = 3, FIRST_OF_EVENTS = 11, EVENT_COLUMNS = 18, RUN_COLUMNS = 6 };

#define DATA SHEET_IN_DATA
#define JSON SHEET_IN_JSON

/* Columns of a sample, then of parts (part_columns), then of events. */
static const struct sheet_column event_columns[EVENT_COLUMNS] = {
	SHEET_COLUMN(RUN, SHEET_COUNT, "run", NULL, DATA, ),
	SHEET_COLUMN(TIME, SHEET_NUMBER, "time", NULL, DATA, ),
	SHEET_COLUMN(SECONDS, SHEET_NUMBER, "seconds", NULL, DATA, ),
	SHEET_COLUMN(PID, SHEET_COUNT, "pid", NULL, DATA, ),
	SHEET_COLUMN(TID, SHEET_COUNT, "tid", NULL, DATA, ),
	SHEET_COLUMN(NAME, SHEET_TEXT, "thread", NULL, DATA, ),
	SHEET_COLUMN(LIFETIME, SHEET_NUMBER, "lifetime", NULL, JSON, ),
	SHEET_COLUMN(NAME, SHEET_TEXT, "cpu", NULL, DATA, ),
	SHEET_COLUMN(NAME, SHEET_TEXT, "core", NULL, DATA, ),
	SHEET_COLUMN(NAME, SHEET_TEXT, "socket", NULL, DATA, ),
	SHEET_COLUMN(NAME, SHEET_TEXT, "node", NULL, DATA, ),
	SHEET_COLUMN(EVENT, SHEET_TEXT, "event", NULL, DATA, ),
	SHEET_COLUMN(VALUE, SHEET_VALUE, NULL, NULL, DATA, ),
	SHEET_COLUMN(UNIT, SHEET_TEXT, "unit", NULL, DATA, ),
	SHEET_COLUMN(SCOPE, SHEET_TEXT, "scope", NULL, DATA, ),
	SHEET_COLUMN(KIND, SHEET_TEXT, "kind", NULL, DATA, ),
	SHEET_COLUMN(SUBSYSTEM, SHEET_TEXT, "subsystem", NULL, DATA, ),
	SHEET_COLUMN(PER_SECOND, SHEET_NUMBER, "per_second", NULL, DATA, ),
};
static const struct sheet_column run_columns[RUN_COLUMNS] = {
	SHEET_COLUMN(ELAPSED_SECONDS, SHEET_NUMBER, "seconds", NULL, JSON, ),
	SHEET_COLUMN(USER_SECONDS, SHEET_NUMBER, "user_seconds", NULL, JSON, ),
	SHEET_COLUMN(SYSTEM_SECONDS, SHEET_NUMBER, "system_seconds", NULL, JSON, ),
	SHEET_COLUMN(RESIDENT, SHEET_COUNT, "max_resident_kib", NULL, JSON, ),
	SHEET_COLUMN(EXIT_STATUS, SHEET_COUNT, "exit_status", NULL, JSON, ),
	SHEET_COLUMN(SIGNAL, SHEET_COUNT, "signal", NULL, JSON, ),
};
static const struct sheet_column shown_columns[] = {
	SHEET_COLUMN(SHOWN_NAME, SHEET_TEXT, NULL, NULL, SHEET_IN_TEXT, ),
	SHEET_COLUMN(SHOWN_NUMBER, SHEET_COUNT, NULL, NULL, SHEET_IN_TEXT, ),
};
static const struct sheet_column refused_columns[] = {
	SHEET_COLUMN(REFUSED, SHEET_TEXT, "event", NULL, DATA, ),
	SHEET_COLUMN(REASON, SHEET_VALUE, NULL, NULL, DATA, ),
};

/* Columns of a part, by the kind of the part. */
static const struct {
	unsigned first, n;
} part_columns[] = {
	[STAT_BY_NONE] = {FIRST_OF_PARTS, 0},     [STAT_BY_THREAD] = {FIRST_OF_PARTS, 4},
	[STAT_BY_PROCESS] = {FIRST_OF_PARTS, 1},  [STAT_BY_CPU] = {FIRST_OF_PARTS + 4, 1},
	[STAT_BY_CORE] = {FIRST_OF_PARTS + 5, 1}, [STAT_BY_SOCKET] = {FIRST_OF_PARTS + 6, 1},
	[STAT_BY_NODE] = {FIRST_OF_PARTS + 7, 1},
};

static void stat_sheet_cell_of_part(const struct stat_part *part, unsigned id, struct sheet_cell *cell)
{
	cell->absent = part == NULL;
	if (part == NULL)
		return;
	if (id == NAME)
		cell->text = part->name;
	else if (id == LIFETIME)
		cell->value = (double)((part->ended ? part->died : stat_run_now()) - part->born) / 1e9;
	else
		cell->count = (uint64_t)(id == TID ? part->tid : part->pid);
}

static void stat_sheet_cell_of_event(const struct stat_sheet *sheet, const struct stat_sheet_row *row,
				     unsigned id, struct sheet_cell *cell)
{
	const struct upc_event_info *info = &sheet->report->events->info[row->event];
	const char *const texts[] = {[EVENT] = info->name,
				     [UNIT] = info->unit,
				     [SCOPE] = util_scope_name(info->scope),
				     [KIND] = util_kind_name(info->kind),
				     [SUBSYSTEM] = info->subsystem};

	if (id != VALUE && id != PER_SECOND) {
		cell->text = texts[id];
		return;
	}
	stat_sheet_set_value(sheet, row, row->event, cell);
	if (id == PER_SECOND)
		*cell = (struct sheet_cell){.absent = info->kind == UPC_KIND_LEVEL ||
						      sheet->sample->seconds <= 0 ||
						      cell->exactness == SHEET_UNCOUNTED,
					    .value = cell->value / sheet->sample->seconds};
}

static void stat_sheet_cell_of_end(const struct stat_end *end, unsigned id, struct sheet_cell *cell)
{
	const bool exited = WIFEXITED(end->status);

	if (id <= SYSTEM_SECONDS) {
		cell->value = end->seconds[id];
	} else if (id == RESIDENT) {
		cell->count = end->max_resident_kib;
	} else {
		cell->absent = exited != (id == EXIT_STATUS);
		cell->count = (uint64_t)(exited ? WEXITSTATUS(end->status) : WTERMSIG(end->status));
	}
}

static const char *stat_sheet_all_of(enum stat_by by)
{
	return by == STAT_BY_THREAD ? "all threads" : by == STAT_BY_PROCESS ? "all processes" : "all CPUs";
}

static void stat_sheet_cell_of(const void *arg, const void *of, const struct sheet_column *column,
			       struct sheet_cell *cell)
{
	const struct stat_sheet *sheet = arg;
	const struct stat_sheet_row *row = of;

	if (row->run != NULL) {
		stat_sheet_cell_of_end(&row->run->end, column->id, cell);
	} else if (row->refused != NULL) {
		cell->text = row->refused->name;
		cell->exactness = column->id == REASON ? SHEET_UNCOUNTED : SHEET_EXACT;
		cell->reason[cell->reasons++] = row->refused->reason;
	} else if (column->id == RUN) {
		cell->absent = sheet->runs != NULL || sheet->report->repeat <= 1;
		cell->count = sheet->report->run;
	} else if (column->id == TIME || column->id == SECONDS) {
		cell->value = column->id == TIME ? sheet->sample->time : sheet->sample->seconds;
	} else if (column->id == SHOWN_NUMBER) {
		cell->absent = row->part == NULL || row->part->tid == 0;
		cell->count = cell->absent ? 0 : (uint64_t)row->part->tid;
	} else if (column->id == SHOWN_NAME) {
		cell->text = row->part != NULL ? row->part->name : stat_sheet_all_of(sheet->report->by);
	} else if (column->id <= LIFETIME) {
		stat_sheet_cell_of_part(row->part, column->id, cell);
	} else {
		stat_sheet_cell_of_event(sheet, row, column->id, cell);
	}
}

/* ---- rows -------------------------------------------------------------------------------------- */

static bool stat_sheet_put_events(unsigned n, const struct stat_part *part, sheet_put *put, void *to)
{
	for (unsigned i = 0; i < n; i++)
		if (!put(to, &(struct stat_sheet_row){.event = i, .part = part}))
			return false;
	return true;
}

static bool stat_sheet_each_event(const void *arg, sheet_put *put, void *to)
{
	return stat_sheet_put_events(((const struct stat_sheet *)arg)->report->events->n, NULL, put, to);
}

/* Return the k-th part, or NULL if the sample does not list the part. */
static const struct stat_part *stat_sheet_part_at(const struct stat_sheet *sheet, unsigned k)
{
	const struct stat_part *part = &sheet->report->parts->part[k];

	return stat_part_is_active(sheet->report, part, sheet->sample->last) ? part : NULL;
}

/* Put the events of each part. */
static bool stat_sheet_each_event_of_part(const void *arg, sheet_put *put, void *to)
{
	const struct stat_report *report = ((const struct stat_sheet *)arg)->report;
	bool done = true;

	for (unsigned k = 0; done && k < report->parts->n; k++)
		if (stat_sheet_part_at(arg, k) != NULL)
			done = stat_sheet_put_events(report->events->n_own, &report->parts->part[k], put, to);
	return done;
}

static bool stat_sheet_each_part(const void *arg, sheet_put *put, void *to)
{
	const struct stat_parts *parts = ((const struct stat_sheet *)arg)->report->parts;
	struct stat_sheet_row row = {.event = 0};

	for (unsigned k = 0; k < parts->n; k++)
		if ((row.part = stat_sheet_part_at(arg, k)) != NULL && !put(to, &row))
			return false;
	return true;
}

/* Put the row for all parts, then the rows of the parts that are shown separately. */
static bool stat_sheet_each_shown(const void *arg, sheet_put *put, void *to)
{
	const struct stat_shown *shown = &((const struct stat_sheet *)arg)->shown;
	bool done = put(to, &(struct stat_sheet_row){.part = NULL});

	for (unsigned k = 0; done && k < shown->n; k++)
		done = put(to, &(struct stat_sheet_row){.part = shown->part[k]});
	return done;
}

static bool stat_sheet_each_run(const void *arg, sheet_put *put, void *to)
{
	const struct stat_runs *runs = ((const struct stat_sheet *)arg)->runs;

	for (unsigned k = 0; k < runs->n; k++)
		if (!put(to, &(struct stat_sheet_row){.run = &runs->run[k]}))
			return false;
	return true;
}

static bool stat_sheet_each_refused(const void *arg, sheet_put *put, void *to)
{
	const struct stat_events *events = ((const struct stat_sheet *)arg)->report->events;

	for (unsigned i = 0; i < events->n_refused; i++)
		if (!put(to, &(struct stat_sheet_row){.refused = &events->refused[i]}))
			return false;
	return true;
}

/* ---- facts and notes --------------------------------------------------------------------------- */

static void stat_sheet_add_fact(struct stat_sheet *sheet, const char *key, enum sheet_kind kind,
				struct sheet_cell cell)
{
	sheet->fact[sheet->sheet.facts++] = (struct sheet_fact){.key = key, .kind = kind, .cell = cell};
}

static void stat_sheet_add_number(struct stat_sheet *sheet, const char *key, double value)
{
	stat_sheet_add_fact(sheet, key, SHEET_NUMBER, (struct sheet_cell){.value = value});
}

static void stat_sheet_add_count(struct stat_sheet *sheet, const char *key, uint64_t count)
{
	stat_sheet_add_fact(sheet, key, SHEET_COUNT, (struct sheet_cell){.count = count});
}

/* Add the facts that are the same in all samples. Return false if memory is short. */
static bool stat_sheet_add_subject(struct stat_sheet *sheet)
{
	const struct stat_report *report = sheet->report;
	size_t words = 0;

	stat_sheet_add_fact(
		sheet, "wiring", SHEET_TEXT,
		(struct sheet_cell){.text = upc_catalogue_wiring_hash(report->events->catalogue)});
	stat_sheet_add_fact(sheet, "context", SHEET_TEXT, (struct sheet_cell){.text = report->context});
	if (report->command == NULL)
		return true;
	while (report->command[words] != NULL)
		words++;
	sheet->command = calloc(words + 1, sizeof(*sheet->command));
	if (sheet->command == NULL)
		return false;
	for (size_t i = 0; i < words; i++)
		sheet->command[i].text = report->command[i];
	stat_sheet_add_fact(sheet, "command", SHEET_TEXT, (struct sheet_cell){.text = NULL});
	sheet->fact[sheet->sheet.facts - 1].list = sheet->command;
	sheet->fact[sheet->sheet.facts - 1].n = words;
	return true;
}

/* Add the time and the run of the sample, which CSV repeats in each line. */
static void stat_sheet_add_sample(struct stat_sheet *sheet)
{
	const struct stat_sample *sample = sheet->sample;

	if (sheet->report->intervals) {
		stat_sheet_add_fact(sheet, "record", SHEET_TEXT,
				    (struct sheet_cell){.text = sample->last ? "total" : "interval"});
		stat_sheet_add_number(sheet, "time", sample->time);
	}
	if (sheet->report->intervals && sheet->report->repeat > 1 && !sample->last)
		stat_sheet_add_count(sheet, "run", sheet->report->run);
	stat_sheet_add_number(sheet, "seconds", sample->seconds);
}

/* Add the facts that are known at the end of the measurement. The facts about a program have the columns of a
 * run. */
static void stat_sheet_add_end(struct stat_sheet *sheet)
{
	const struct stat_end *end = &sheet->sample->end;
	const double cpus = stat_cpus_used(sheet->report, sheet->sample);

	if (sheet->report->delay > 0)
		stat_sheet_add_number(sheet, "delay", sheet->report->delay);
	if (end->timed_out)
		stat_sheet_add_fact(sheet, "timed_out", SHEET_FLAG, (struct sheet_cell){.count = 1});
	for (unsigned i = 1; sheet->sample->has_program && i < (sheet->runs != NULL ? 4 : RUN_COLUMNS); i++) {
		struct sheet_cell cell = {.absent = false};

		stat_sheet_cell_of_end(end, run_columns[i].id, &cell);
		if (!cell.absent)
			stat_sheet_add_fact(sheet, run_columns[i].key, run_columns[i].kind, cell);
	}
	if (sheet->runs != NULL)
		stat_sheet_add_count(sheet, "failed_runs", stat_runs_failed(sheet->runs));
	if (cpus > 0)
		stat_sheet_add_number(sheet, "cpus_used", cpus);
}

/* Add a note about the named run, or about the whole measurement if name is "". Return the buffer for the
 * note's text. */
static char *stat_sheet_add_note(struct stat_sheet *sheet, const char *name)
{
	const size_t i = sheet->sheet.notes++;

	snprintf(sheet->name[i], sizeof(sheet->name[i]), "%s", name);
	sheet->note[i] = (struct sheet_note){
		.what = sheet->what[i], .name = *name ? sheet->name[i] : NULL, .times = 1};
	return sheet->what[i];
}

static void stat_sheet_print_status(char what[STAT_SHEET_NOTE_MAX], int status, const char *before)
{
	if (WIFSIGNALED(status))
		snprintf(what, STAT_SHEET_NOTE_MAX, "%ssignal %d (%s)", before, WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(what, STAT_SHEET_NOTE_MAX, "%sexit status %d", before, WEXITSTATUS(status));
}

static void stat_sheet_add_failed(struct stat_sheet *sheet)
{
	const struct stat_runs *runs = sheet->runs;
	const unsigned failed = stat_runs_failed(runs);
	unsigned noted = 0;
	char name[32];

	if (failed == 0)
		return;
	snprintf(stat_sheet_add_note(sheet, ""), STAT_SHEET_NOTE_MAX,
		 "%u of %u runs failed; what they counted is in the means", failed, runs->n);
	for (unsigned k = 0; k < runs->n && noted < STAT_SHEET_FAILED; k++) {
		if (!stat_run_failed(&runs->run[k]))
			continue;
		snprintf(name, sizeof(name), "run %u", k + 1);
		stat_sheet_print_status(stat_sheet_add_note(sheet, name), runs->run[k].end.status, "");
		noted++;
	}
	snprintf(name, sizeof(name), "%u more", failed - noted);
	if (noted < failed)
		strcpy(stat_sheet_add_note(sheet, name), "failed, too");
}

static void stat_sheet_add_notes(struct stat_sheet *sheet)
{
	const struct stat_sample *sample = sheet->sample;

	if (sheet->runs != NULL) {
		stat_sheet_add_failed(sheet);
	} else if (sample->has_program && WIFSIGNALED(sample->end.status)) {
		char *what = stat_sheet_add_note(sheet, "");

		stat_sheet_print_status(what, sample->end.status, "ended by ");
		if (sample->end.timed_out)
			strcat(what, ", by --timeout");
	}
	if (sheet->report->delay > 0)
		snprintf(stat_sheet_add_note(sheet, ""), STAT_SHEET_NOTE_MAX,
			 "counted from %.3f s after the start on", sheet->report->delay);
}

/* ---- the sheet --------------------------------------------------------------------------------- */

static struct sheet_section *stat_sheet_add_section(struct stat_sheet *sheet, const char *key,
						    bool (*each)(const void *arg, sheet_put *put, void *to),
						    const struct sheet_column *column, size_t columns)
{
	struct sheet_section *section = &sheet->section[sheet->sheet.sections++];

	*section = (struct sheet_section){.key = key,
					  .record = !sheet->sample->last  ? "interval"
						    : sheet->runs == NULL ? "total"
									  : "mean",
					  .forms = DATA,
					  .column = column,
					  .columns = columns,
					  .list = &sheet->list,
					  .arg = sheet,
					  .each = each,
					  .cell = stat_sheet_cell_of};
	return section;
}

static void stat_sheet_add_csv(struct stat_sheet *sheet)
{
	stat_sheet_add_section(sheet, "events", stat_sheet_each_event, event_columns, EVENT_COLUMNS);
	if (sheet->report->parts != NULL)
		stat_sheet_add_section(sheet, "parts", stat_sheet_each_event_of_part, event_columns,
				       EVENT_COLUMNS);
}

static void stat_sheet_add_json(struct stat_sheet *sheet)
{
	const enum stat_by by = sheet->report->by;

	stat_sheet_add_section(sheet, "events", stat_sheet_each_event, &event_columns[FIRST_OF_EVENTS],
			       EVENT_COLUMNS - FIRST_OF_EVENTS);
	if (sheet->runs != NULL)
		stat_sheet_add_section(sheet, "runs", stat_sheet_each_run, run_columns, RUN_COLUMNS)->lists =
			1;
	if (sheet->report->parts == NULL)
		return;
	stat_sheet_add_section(sheet, by == STAT_BY_THREAD ? "threads" : "parts", stat_sheet_each_part,
			       &event_columns[part_columns[by].first], part_columns[by].n)
		->lists = 1;
}

/* Return true if an event counts a CPU or the machine. Text shows such events after the program's events. */
static bool stat_sheet_is_everybodys(const struct upc_event_info *info)
{
	return info->scope == UPC_SCOPE_CPU || info->scope == UPC_SCOPE_MACHINE;
}

/* Return an event's description. A tracepoint that the catalogue does not know is described by its name only,
 * which would merely repeat the name, so the function returns "". */
static const char *stat_sheet_description(const struct upc_event_info *info)
{
	const char *own = strstr(info->name, "::");

	if (info->description == NULL || (own != NULL && strstr(info->description, own + 2) != NULL))
		return "";
	return info->description;
}

/* Add measures for events *n to last - 1. In text, events of a CPU or the machine come last. If each thread
 * has a column, groups of thread scope omit "main thread only". */
static void stat_sheet_add_measures(struct stat_sheet *sheet, unsigned *n, unsigned last, bool text)
{
	static const char *const scopes[] = {
		[UPC_SCOPE_CONTEXT] = "",
		[UPC_SCOPE_THREAD] = ", main thread only",
		[UPC_SCOPE_PROCESS] = ", main process",
		[UPC_SCOPE_CPU] = ", one CPU",
		[UPC_SCOPE_MACHINE] = ", machine wide",
	};
	const unsigned first = *n;

	for (int pass = 0; pass < (text ? 2 : 1); pass++)
		for (unsigned i = first; i < last; i++) {
			const struct upc_event_info *info = &sheet->report->events->info[i];
			const bool threads = first < sheet->own && sheet->report->by == STAT_BY_THREAD;
			char *group = sheet->group[*n];

			if (text && stat_sheet_is_everybodys(info) != pass)
				continue;
			snprintf(group, SHEET_GROUP_MAX, "%.60s%s", info->subsystem,
				 threads && info->scope == UPC_SCOPE_THREAD ? "" : scopes[info->scope]);
			sheet->event[*n] = i;
			sheet->measure[(*n)++] = (struct sheet_measure){.name = info->name,
									.unit = info->unit,
									.help = stat_sheet_description(info),
									.group = group};
		}
}

static bool stat_sheet_make_lists(struct stat_sheet *sheet)
{
	static const struct sheet_aspect aspects[ASPECTS] = {
		[ASPECT_VALUE] = {.kind = SHEET_VALUE, .forms = JSON | SHEET_IN_TEXT},
		[ASPECT_RATE] = {.kind = SHEET_TEXT, .forms = SHEET_IN_TEXT},
		[ASPECT_SPREAD] = {.kind = SHEET_TEXT, .forms = SHEET_IN_TEXT},
	};
	const struct stat_events *events = sheet->report->events;
	unsigned n = 0;

	sheet->measure = calloc(events->n + 1, sizeof(*sheet->measure));
	sheet->event = calloc(events->n + 1, sizeof(*sheet->event));
	sheet->group = calloc(events->n + 1, sizeof(*sheet->group));
	if (sheet->measure == NULL || sheet->event == NULL || sheet->group == NULL)
		return false;
	sheet->own = sheet->report->parts != NULL                                ? events->n_own
		     : sheet->runs != NULL && sheet->report->format == UTIL_JSON ? events->n
										 : 0;
	stat_sheet_add_measures(sheet, &n, sheet->own, sheet->report->format == UTIL_TEXT);
	stat_sheet_add_measures(sheet, &n, events->n, sheet->report->format == UTIL_TEXT);
	sheet->list = (struct sheet_list){.key = "counts",
					  .name = "event",
					  .forms = JSON,
					  .marked = true,
					  .measure = sheet->measure,
					  .measures = sheet->own,
					  .aspect = aspects,
					  .aspects = ASPECTS,
					  .value = stat_sheet_value_of};
	sheet->rest = sheet->list;
	sheet->rest.measure += sheet->own;
	sheet->rest.measures = events->n - sheet->own;
	sheet->rest.value = stat_sheet_value_of_rest;
	return true;
}

static bool stat_sheet_add_text(struct stat_sheet *sheet)
{
	if (sheet->own > 0) {
		if (!stat_shown_choose(&sheet->shown, sheet->report, sheet->sample->last))
			return false;
		stat_sheet_add_section(sheet, NULL, stat_sheet_each_shown, shown_columns, 2)->layout =
			SHEET_WIDE;
	}
	if (sheet->rest.measures > 0) {
		struct sheet_section *section =
			stat_sheet_add_section(sheet, NULL, stat_sheet_each_shown, shown_columns, 2);

		section->layout = SHEET_ALONE;
		section->list = &sheet->rest;
	}
	return true;
}

bool stat_sheet_make(struct stat_sheet *sheet, const struct stat_report *report,
		     const struct stat_sample *sample, const struct stat_runs *runs)
{
	static const char *const others[] = {"unit", "scope", "kind", "subsystem", "per_second", NULL};
	const bool csv = report->format == UTIL_CSV;
	/* One of several runs has lines in CSV, but no facts about its end. */
	const bool end = sample != NULL && sample->last && (runs != NULL || report->repeat <= 1);

	memset(sheet, 0, sizeof(*sheet));
	sheet->report = report;
	sheet->sample = sample;
	sheet->runs = runs;
	sheet->text = sheet->buffer;
	sheet->sheet = (struct sheet){.tool = "upc_stat",
				      .fact = sheet->fact,
				      .section = sheet->section,
				      .note = sheet->note,
				      .keys = sheet->keys,
				      .others = others,
				      .one_line = report->intervals,
				      .continued = sample != NULL};
	for (unsigned i = 0, n = 0; i < FIRST_OF_PARTS + part_columns[report->by].n; i++) {
		const struct sheet_column *column =
			&event_columns[i < FIRST_OF_PARTS
					       ? i
					       : part_columns[report->by].first + i - FIRST_OF_PARTS];

		if (column->forms & SHEET_IN_CSV)
			sheet->keys[n++] = column->key;
	}
	if (!stat_sheet_make_lists(sheet) || ((!csv || sample == NULL) && !stat_sheet_add_subject(sheet)))
		return false;
	if (sample == NULL)
		return true;
	if (end)
		stat_sheet_add_notes(sheet);
	if (report->format == UTIL_TEXT)
		return stat_sheet_add_text(sheet);
	if (!csv)
		stat_sheet_add_sample(sheet);
	(csv ? stat_sheet_add_csv : stat_sheet_add_json)(sheet);
	if (!end)
		return true;
	stat_sheet_add_end(sheet);
	stat_sheet_add_section(sheet, "refused", stat_sheet_each_refused, refused_columns, 2)->record =
		"refused";
	return true;
}

void stat_sheet_free(struct stat_sheet *sheet)
{
	free(sheet->measure);
	free(sheet->event);
	free(sheet->group);
	free(sheet->command);
	stat_shown_free(&sheet->shown);
}
