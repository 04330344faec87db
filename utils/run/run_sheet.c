/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_sheet.c - the counts of a run as sections of a sheet: in JSON and CSV, rows for the run and its
 * regions, processes, threads and functions; in text, tables with their counts side by side.
 *
 * Terms: run/run_counts.h.
 */
#include "run/run_sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/common.h"
#include "lib/list.h"
#include "run/run_advice.h"
#include "run/run_guest.h"

enum { FUNCTION_NAME = 44 };

/* ---- measures ---------------------------------------------------------------------------------- */

static const struct sheet_aspect aspects[] = {{.kind = SHEET_VALUE, .forms = SHEET_IN_ALL}};

static const char *run_sheet_group_of(unsigned item)
{
	if (item >= UPCS_TALLIES)
		return "derived";
	if (item == UPCS_INSTRUCTIONS || item == UPCS_UNKNOWN)
		return "instructions";
	if (item <= UPCS_IPIPE_OTHER)
		return "integer pipes";
	return item < UPCS_FPU_ADD_SUB_1 || item >= UPCS_STATIC ? "loads and stores" : "floating point";
}

/* Return the item at position i of the report. */
static unsigned run_sheet_item_at(unsigned i)
{
	static const unsigned first[] = {UPCS_INSTRUCTIONS, UPCS_UNKNOWN};
	const unsigned n = sizeof(first) / sizeof(first[0]);

	return i < n ? first[i] : i < UPCS_STATIC ? i - n : i;
}

/* Make the measures: the items that are shown for any place, and the items of each place that has a
 * column. */
static void run_sheet_make_measures(struct run_sheet *sheet)
{
	const struct run_report *report = sheet->report;
	const struct run_events *events = &report->options->events;

	for (unsigned i = 0; i < UPCS_ITEMS; i++)
		if (run_events_has_item(events, run_sheet_item_at(i))) {
			sheet->item[sheet->items] = run_sheet_item_at(i);
			sheet->measure[sheet->items++] =
				(struct sheet_measure){.name = upcs_item_name(run_sheet_item_at(i)),
						       .group = run_sheet_group_of(run_sheet_item_at(i))};
		}
	for (unsigned place = 0; place <= UPCS_CORES; place++)
		for (unsigned i = 0; i < UPCS_ITEMS && run_report_has_place(report, place); i++) {
			struct run_placed *placed = &sheet->placed[sheet->placeds];

			if (!events->shown[place][run_sheet_item_at(i)])
				continue;
			*placed = (struct run_placed){.place = place, .item = run_sheet_item_at(i)};
			run_event_name(place, run_sheet_item_at(i), placed->name);
			sheet->placed_measure[sheet->placeds++].name = placed->name;
		}
	sheet->placed_measure[sheet->placeds].name = "entered";
}

/* ---- cells ------------------------------------------------------------------------------------- */

/* Set a count and its exactness. reasons are the doubts that may be listed. */
static void run_sheet_set_doubt(struct sheet_cell *cell, uint64_t count, unsigned doubt, unsigned reasons)
{
	cell->count = count;
	cell->whole = true;
	cell->exactness = run_report_exactness(doubt);
	cell->low = -INFINITY;
	cell->high = cell->error = cell->freedom = cell->coverage = INFINITY;
	for (unsigned bit = 0; run_report_doubt(bit); bit++)
		if ((doubt & reasons) >> bit & 1 && cell->reasons < SHEET_REASONS)
			cell->reason[cell->reasons++] = run_report_doubt(bit);
}

static void run_sheet_set_count(struct sheet_cell *cell, uint64_t count, unsigned doubt)
{
	run_sheet_set_doubt(cell, count, doubt, doubt);
}

static bool run_sheet_value_of_item(const void *arg, const void *of, size_t measure, size_t aspect,
				    struct sheet_cell *cell)
{
	const struct run_sheet *sheet = arg;
	const struct run_row *row = of;
	const unsigned item = sheet->item[measure];

	(void)aspect;
	/* Zeros are left out, because there are many functions and each has few items. */
	if (row->function && !row->vector->item[item])
		return false;
	run_sheet_set_count(cell, row->vector->item[item], row->vector->doubt);
	cell->percent = run_percent(row->vector, item);
	return true;
}

static bool run_sheet_value_of_place(const void *arg, const void *of, size_t measure, size_t aspect,
				     struct sheet_cell *cell)
{
	const struct run_sheet *sheet = arg;
	const struct run_counts *counts = &sheet->report->counts;
	const struct run_row *row = of;
	const struct run_vector *vector;

	(void)aspect;
	if (measure == sheet->placeds) {
		if (row->column)
			run_sheet_set_doubt(cell, counts->entered[row->column - 1],
					    run_entered_doubt(counts, row->column - 1), row->vector->doubt);
		return row->column;
	}
	vector = run_report_vector(sheet->report, row->column, sheet->placed[measure].place);
	run_sheet_set_count(cell, vector->item[sheet->placed[measure].item], vector->doubt);
	return true;
}

static void run_sheet_set_guest(struct sheet_cell *cell, unsigned guest)
{
	cell->absent = guest >= UPCS_GUESTS;
	if (!cell->absent)
		cell->text = upcs_guest_name((enum upcs_guest)guest);
}

/* Return the run's guest if all programs had the same, else UPCS_GUESTS. */
static unsigned run_sheet_guest_of_run(const struct run_counts *counts)
{
	return __builtin_popcount(counts->guests) == 1 ? (unsigned)__builtin_ctz(counts->guests)
						       : UPCS_GUESTS;
}

static const char *run_sheet_state_name(uint32_t state)
{
	return state == UPCS_ENDED ? "ended" : state == UPCS_LOST ? "killed" : "runs";
}

static void run_sheet_set_region(const struct run_report *report, const struct run_row *row,
				 struct sheet_cell *cell)
{
	cell->absent = !row->column;
	if (row->column)
		cell->text = report->options->region[row->column - 1];
}

/* The ids of columns. A key means the same in every row. */
enum {
	REGION,
	FOUND,
	GUEST,
	PID,
	PARENT,
	PROGRAM,
	STATE,
	SECONDS,
	THREADS,
	TID,
	NUMBER,
	CORE,
	FUNCTION,
	SYMBOL,
	PATH,
	FILE_NAME,
	BYTES,
	CODE_NAME,
	ADDRESS,
	CODE_PROGRAM,
	NAME,
	WHICH
};

#define DATA SHEET_IN_DATA
#define JSON SHEET_IN_JSON
#define TEXT SHEET_IN_TEXT

static const struct sheet_column run_part_columns[] = {
	{.key = "region", .id = REGION, .forms = DATA},
	{.key = "found", .id = FOUND, .kind = SHEET_FLAG, .forms = JSON},
	{.key = "guest", .id = GUEST, .forms = DATA},
};
static const struct sheet_column process_columns[] = {
	{.key = "pid", .id = PID, .kind = SHEET_COUNT, .forms = DATA},
	{.key = "parent_pid", .id = PARENT, .kind = SHEET_COUNT, .forms = JSON},
	{.key = "program", .id = PROGRAM, .forms = JSON},
	{.key = "guest", .id = GUEST, .forms = DATA},
	{.key = "state", .id = STATE, .forms = JSON},
	{.key = "seconds", .id = SECONDS, .kind = SHEET_NUMBER, .forms = JSON},
	{.key = "thread_count", .id = THREADS, .kind = SHEET_COUNT, .forms = JSON},
	{.key = "region", .id = REGION, .forms = DATA},
};
static const struct sheet_column thread_columns[] = {
	{.key = "pid", .id = PID, .kind = SHEET_COUNT, .forms = DATA},
	{.key = "tid", .id = TID, .kind = SHEET_COUNT, .forms = DATA},
	{.key = "number", .id = NUMBER, .kind = SHEET_COUNT, .forms = JSON},
	{.key = "core", .id = CORE, .kind = SHEET_COUNT, .forms = JSON},
	{.key = "guest", .id = GUEST, .forms = DATA},
	{.key = "region", .id = REGION, .forms = DATA},
};
static const struct sheet_column function_columns[] = {
	{.key = "function",
	 .header = "function",
	 .id = FUNCTION,
	 .most = FUNCTION_NAME,
	 .forms = DATA | TEXT},
	{.key = "symbol", .id = SYMBOL, .forms = JSON},
	{.key = "file", .id = PATH, .forms = DATA},
	{.header = "file", .id = FILE_NAME, .forms = TEXT},
};
static const struct sheet_column unknown_columns[] = {
	{.key = "bytes", .id = BYTES, .forms = JSON},
	{.key = "name", .id = CODE_NAME, .forms = JSON},
	{.key = "address", .id = ADDRESS, .forms = JSON},
	{.key = "program", .id = CODE_PROGRAM, .forms = JSON},
};
static const struct sheet_column wide_columns[] = {
	{.id = NAME, .forms = TEXT},
	{.id = WHICH, .kind = SHEET_COUNT, .forms = TEXT},
};

static void run_sheet_set_number(struct sheet_cell *cell, int64_t number)
{
	cell->count = (uint64_t)number;
	cell->absent = number <= 0;
}

static unsigned run_sheet_guest_of(const struct run_counts *counts, const struct run_row *row)
{
	return row->thread    ? row->thread->guest
	       : row->process ? row->process->record.guest
			      : run_sheet_guest_of_run(counts);
}

static void run_sheet_set_unknown(const struct upcs_unknown *unknown, unsigned id, char *text,
				  struct sheet_cell *cell)
{
	if (id == BYTES)
		run_code_text(&unknown->code, text);
	else if (id == ADDRESS)
		snprintf(text, RUN_SHEET_TEXT, "0x%" PRIx64, unknown->code.address);
	else if (id == CODE_NAME)
		snprintf(text, RUN_SHEET_TEXT, "%.*s", (int)sizeof(unknown->name), unknown->name);
	else
		snprintf(text, RUN_SHEET_TEXT, "%.*s", (int)sizeof(unknown->program), unknown->program);
	cell->text = text;
}

static void run_sheet_cell_of_process(const struct upcs_process *process, unsigned id, char *text,
				      struct sheet_cell *cell)
{
	if (id == PARENT) {
		run_sheet_set_number(cell, process->parent);
	} else if (id == PROGRAM) {
		run_process_name(process, text);
		cell->text = text;
	} else if (id == STATE) {
		cell->text = run_sheet_state_name(process->state);
	} else if (id == SECONDS) {
		cell->absent = process->end_ns <= process->begin_ns;
		cell->value = (double)(process->end_ns - process->begin_ns) / 1e9;
	} else {
		cell->count = process->threads;
	}
}

static void run_sheet_cell_of_row(const void *arg, const void *of, const struct sheet_column *column,
				  struct sheet_cell *cell)
{
	const struct run_sheet *sheet = arg;
	const struct run_report *report = sheet->report;
	const struct run_row *row = of;

	switch (column->id) {
	case REGION:
		run_sheet_set_region(report, row, cell);
		break;
	case FOUND:
		cell->absent = !row->column;
		cell->count = row->column && report->counts.regions_found >> (row->column - 1) & 1;
		break;
	case GUEST:
		run_sheet_set_guest(cell, run_sheet_guest_of(&report->counts, row));
		break;
	case PID:
		run_sheet_set_number(cell, row->thread ? row->thread->pid : row->process->record.pid);
		break;
	case TID:
		run_sheet_set_number(cell, row->thread->tid);
		break;
	case NUMBER:
		cell->count = row->thread->number;
		break;
	case CORE:
		cell->count = row->thread->core;
		break;
	case FUNCTION:
		cell->text = row->function->name;
		break;
	case SYMBOL:
		cell->text = row->function->symbol;
		break;
	case PATH:
		cell->text = row->function->file;
		break;
	case FILE_NAME:
		cell->text = run_function_file(row->function);
		break;
	case NAME:
		cell->text = row->name;
		break;
	case WHICH:
		run_sheet_set_number(cell, row->number);
		break;
	case BYTES:
	case ADDRESS:
	case CODE_NAME:
	case CODE_PROGRAM:
		run_sheet_set_unknown(row->unknown, column->id, sheet->text, cell);
		break;
	default:
		run_sheet_cell_of_process(&row->process->record, column->id, sheet->text, cell);
	}
}

/* ---- rows -------------------------------------------------------------------------------------- */

static unsigned columns_of(const struct run_report *report)
{
	return 1 + report->options->regions;
}

static bool run_sheet_each_part(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;

	for (unsigned c = 0; c < columns_of(report); c++)
		if (!put(to, &(struct run_row){.vector = &report->counts.sum[c], .column = c}))
			return false;
	return true;
}

static bool run_sheet_each_process(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;

	for (unsigned p = 0; p < report->gathered->processes; p++)
		for (unsigned c = 0; c < columns_of(report); c++) {
			const struct run_process_row *process = report->gathered->process[p];

			if (!put(to, &(struct run_row){
					     .vector = &process->vector[c], .column = c, .process = process}))
				return false;
		}
	return true;
}

static bool run_sheet_each_thread(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;

	for (unsigned t = 0; t < report->gathered->threads; t++)
		for (unsigned c = 0; c < columns_of(report); c++) {
			const struct run_thread_row *thread = report->gathered->thread[t];

			if (!put(to, &(struct run_row){
					     .vector = &thread->vector[c], .column = c, .thread = thread}))
				return false;
		}
	return true;
}

static bool run_sheet_each_function(const void *arg, sheet_put *put, void *to)
{
	const struct run_functions *functions = &((const struct run_sheet *)arg)->report->functions;

	for (unsigned i = 0; i < functions->n; i++)
		if (!put(to, &(struct run_row){.vector = &functions->function[i].vector,
					       .function = &functions->function[i]}))
			return false;
	return true;
}

static bool run_sheet_each_unknown(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;
	struct run_row row = {.column = 0};

	for (unsigned i = 0; report->counts.sum[0].item[UPCS_UNKNOWN] > 0 &&
			     (row.unknown = run_unknown(report->results, i)) != NULL;
	     i++)
		if (!put(to, &row))
			return false;
	return true;
}

/* ---- text: side by side -------------------------------------------------------------------------- */

/* Call put with the row of the whole run and of each region. Text shows these rows as columns side by
 * side. */
static bool run_sheet_each_region_beside(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;

	for (unsigned c = 0; c < columns_of(report); c++)
		if (!put(to, &(struct run_row){.vector = &report->counts.sum[c],
					       .name = c ? report->options->region[c - 1] : "whole run"}))
			return false;
	return true;
}

/* Call put with the row of each core, which text shows as a column. With a single core no sum is shown. */
static bool run_sheet_each_core_beside(const void *arg, sheet_put *put, void *to)
{
	static const char *const names[] = {"all cores", "PU0", "PU1", "PU2", "PU3"};
	const struct run_report *report = ((const struct run_sheet *)arg)->report;
	unsigned places[1 + UPCS_CORES], n = 0, i;

	for (unsigned place = 0; place <= UPCS_CORES; place++)
		if (run_report_has_place(report, place))
			places[n++] = place;
	i = n == 2 && places[0] == 0 && !report->options->events.asked ? 1 : 0;
	for (; i < n; i++)
		if (!put(to, &(struct run_row){.vector = run_report_vector(report, 0, places[i]),
					       .name = names[places[i]]}))
			return false;
	return true;
}

static bool run_sheet_put_whole(const struct run_report *report, sheet_put *put, void *to)
{
	return put(to, &(struct run_row){.vector = &report->counts.sum[0], .name = "all"});
}

static bool run_sheet_each_whole(const void *arg, sheet_put *put, void *to)
{
	return run_sheet_put_whole(((const struct run_sheet *)arg)->report, put, to);
}

static bool run_sheet_each_process_beside(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;
	bool done = run_sheet_put_whole(report, put, to);

	for (unsigned p = 0; done && p < report->gathered->processes; p++) {
		const struct run_process_row *process = report->gathered->process[p];
		char name[UPCS_WORD_MAX];

		run_process_name(&process->record, name);
		done = put(to, &(struct run_row){.vector = process->vector,
						 .name = name,
						 .number = process->record.pid});
	}
	return done;
}

static bool run_sheet_each_thread_beside(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;
	bool done = run_sheet_put_whole(report, put, to);

	for (unsigned t = 0; done && t < report->gathered->threads; t++) {
		const struct run_thread_row *thread = report->gathered->thread[t];
		char name[16];

		snprintf(name, sizeof(name), "PU%u", thread->core);
		done = put(to,
			   &(struct run_row){.vector = thread->vector, .name = name, .number = thread->tid});
	}
	return done;
}

/* ---- text: functions ----------------------------------------------------------------------------- */

static const unsigned function_items[RUN_FUNCTION_COLUMNS] = {UPCS_INSTRUCTIONS, UPCS_LD_INS, UPCS_SR_INS,
							      UPCS_FP_OPS, UPCS_BR_INS};

static bool run_sheet_value_of_function(const void *arg, const void *of, size_t measure, size_t aspect,
					struct sheet_cell *cell)
{
	const uint64_t all = ((const struct run_sheet *)arg)->report->counts.sum[0].item[UPCS_INSTRUCTIONS];
	const struct run_row *row = of;
	const uint64_t count = row->vector->item[function_items[measure]];

	(void)aspect;
	run_sheet_set_count(cell, count, row->vector->doubt);
	if (function_items[measure] == UPCS_INSTRUCTIONS && all > 0)
		cell->percent = 100 * (double)count / (double)all;
	return true;
}

/* Call put with the rows of the functions with the most instructions, and with one row for all other
 * functions. */
static bool run_sheet_each_function_first(const void *arg, sheet_put *put, void *to)
{
	const struct run_report *report = ((const struct run_sheet *)arg)->report;
	const struct run_functions *functions = &report->functions;
	const unsigned n =
		report->options->function_rows < functions->n ? report->options->function_rows : functions->n;
	struct run_vector rest = run_functions_rest(functions, n);
	char others[64], count[UTIL_NUMBER_MAX];
	const struct run_function other = {.name = others, .file = ""};

	for (unsigned i = 0; i < n; i++)
		if (!put(to, &(struct run_row){.vector = &functions->function[i].vector,
					       .function = &functions->function[i]}))
			return false;
	util_format_count(functions->n - n, count);
	snprintf(others, sizeof(others), "%s other%s", count, functions->n - n == 1 ? "" : "s");
	return n == functions->n || put(to, &(struct run_row){.vector = &rest, .function = &other});
}

/* ---- the sheet ----------------------------------------------------------------------------------- */

static void run_sheet_add_fact(struct run_sheet *sheet, const char *key, enum sheet_kind kind,
			       struct sheet_cell cell)
{
	sheet->fact[sheet->sheet.facts++] = (struct sheet_fact){.key = key, .kind = kind, .cell = cell};
}

static bool run_sheet_make_facts(struct run_sheet *sheet)
{
	const struct run_report *report = sheet->report;
	const struct run_counts *counts = &report->counts;
	size_t words = 0, cores = 0;

	while (report->options->command[words])
		words++;
	sheet->command = calloc(words + 1, sizeof(*sheet->command));
	if (!sheet->command)
		return false;
	for (size_t i = 0; i < words; i++)
		sheet->command[i].text = report->options->command[i];
	for (unsigned core = 0; core < UPCS_CORES; core++)
		if (counts->cores >> core & 1)
			sheet->core[cores++].count = core;
	run_sheet_add_fact(sheet, "command", SHEET_TEXT, (struct sheet_cell){0});
	sheet->fact[0].list = sheet->command;
	sheet->fact[0].n = words;
	run_sheet_add_fact(sheet, "guest", SHEET_TEXT,
			   (struct sheet_cell){.text = upcs_guest_name(counts->guest)});
	run_sheet_add_fact(sheet, "randomised", SHEET_FLAG,
			   (struct sheet_cell){.count = report->options->randomise});
	run_sheet_add_fact(sheet, "children", SHEET_FLAG,
			   (struct sheet_cell){.count = report->options->children == UPCS_CHILDREN_COUNT});
	run_sheet_add_fact(sheet, "seconds", SHEET_NUMBER, (struct sheet_cell){.value = report->seconds});
	if (WIFEXITED(report->status))
		run_sheet_add_fact(sheet, "exit_status", SHEET_COUNT,
				   (struct sheet_cell){.count = (uint64_t)WEXITSTATUS(report->status)});
	else
		run_sheet_add_fact(sheet, "signal", SHEET_COUNT,
				   (struct sheet_cell){.count = (uint64_t)WTERMSIG(report->status)});
	run_sheet_add_fact(sheet, "process_count", SHEET_COUNT,
			   (struct sheet_cell){.count = counts->processes});
	run_sheet_add_fact(sheet, "thread_count", SHEET_COUNT, (struct sheet_cell){.count = counts->threads});
	run_sheet_add_fact(sheet, "cores", SHEET_COUNT, (struct sheet_cell){0});
	sheet->fact[sheet->sheet.facts - 1].list = sheet->core;
	sheet->fact[sheet->sheet.facts - 1].n = cores;
	return true;
}

static void run_sheet_add_note(void *to, const char *text)
{
	struct run_sheet *sheet = to;
	char *copy = strdup(text);

	if (!copy || !util_grow(&sheet->note, sheet->sheet.notes, sizeof(*sheet->note))) {
		free(copy);
		sheet->failed = true;
		return;
	}
	sheet->note[sheet->sheet.notes++] = (struct sheet_note){.what = copy, .times = 1};
}

static struct sheet_section *run_sheet_add_section(struct run_sheet *sheet, const char *key,
						   const char *record,
						   bool (*each)(const void *arg, sheet_put *put, void *to))
{
	struct sheet_section *section = &sheet->section[sheet->sheet.sections++];

	*section = (struct sheet_section){.key = key,
					  .record = record,
					  .forms = SHEET_IN_DATA,
					  .list = &sheet->items_list,
					  .lists = 1,
					  .arg = sheet,
					  .each = each,
					  .cell = run_sheet_cell_of_row};
	return section;
}

static void run_sheet_set_columns(struct sheet_section *section, const struct sheet_column *column, size_t n)
{
	section->column = column;
	section->columns = n;
}

#define SET_COLUMNS(section, of) run_sheet_set_columns(section, of, sizeof(of) / sizeof(*(of)))

static void run_sheet_add_data(struct run_sheet *sheet)
{
	const struct run_options *options = sheet->report->options;
	struct sheet_section *section = run_sheet_add_section(sheet, "run", "run", run_sheet_each_part);

	SET_COLUMNS(section, run_part_columns);
	section->list = &sheet->places_list;
	if (options->per_process)
		SET_COLUMNS(run_sheet_add_section(sheet, "processes", "process", run_sheet_each_process),
			    process_columns);
	if (options->per_thread)
		SET_COLUMNS(run_sheet_add_section(sheet, "threads", "thread", run_sheet_each_thread),
			    thread_columns);
	if (options->functions)
		SET_COLUMNS(run_sheet_add_section(sheet, "functions", "function", run_sheet_each_function),
			    function_columns);
	section = run_sheet_add_section(sheet, "unknown", NULL, run_sheet_each_unknown);
	SET_COLUMNS(section, unknown_columns);
	section->forms = SHEET_IN_JSON;
	section->lists = 0;
}

static void run_sheet_add_beside(struct run_sheet *sheet, const char *caption,
				 bool (*each)(const void *arg, sheet_put *put, void *to))
{
	struct sheet_section *section = run_sheet_add_section(sheet, NULL, NULL, each);

	SET_COLUMNS(section, wide_columns);
	section->caption = caption;
	section->forms = SHEET_IN_TEXT;
	section->layout = SHEET_WIDE;
}

static void run_sheet_add_text(struct run_sheet *sheet, bool alone)
{
	const struct run_options *options = sheet->report->options;

	run_sheet_add_beside(sheet, NULL,
			     alone                  ? run_sheet_each_whole
			     : options->regions > 0 ? run_sheet_each_region_beside
						    : run_sheet_each_core_beside);
	if (alone)
		sheet->section[0].layout = SHEET_ALONE;
	else if (options->regions > 0)
		sheet->section[0].list = &sheet->beside_list;
	if (options->per_process)
		run_sheet_add_beside(sheet, "Processes", run_sheet_each_process_beside);
	if (options->per_thread)
		run_sheet_add_beside(sheet, "Threads", run_sheet_each_thread_beside);
	if (options->functions) {
		struct sheet_section *section =
			run_sheet_add_section(sheet, NULL, NULL, run_sheet_each_function_first);

		SET_COLUMNS(section, function_columns);
		section->caption = "Functions, each without what it calls";
		section->forms = SHEET_IN_TEXT;
		section->list = &sheet->functions_list;
		section->values_first = true;
	}
}

bool run_sheet_make(struct run_sheet *sheet, const struct run_report *report, enum run_form form)
{
	static const char *const keys[] = {"pid", "tid", "region", NULL}, *const others[] = {"function",
											     "file", "guest",
											     NULL};
	const struct sheet_list list = {
		.key = "counts", .name = "event", .forms = SHEET_IN_ALL, .aspect = aspects, .aspects = 1};

	memset(sheet, 0, sizeof(*sheet));
	sheet->report = report;
	sheet->text = sheet->buffer;
	run_sheet_make_measures(sheet);
	sheet->items_list = sheet->beside_list = sheet->places_list = sheet->functions_list = list;
	sheet->items_list.measure = sheet->beside_list.measure = sheet->measure;
	sheet->items_list.measures = sheet->beside_list.measures = sheet->items;
	sheet->items_list.value = sheet->beside_list.value = run_sheet_value_of_item;
	sheet->beside_list.percents = true;
	sheet->places_list.measure = sheet->placed_measure;
	sheet->places_list.measures = sheet->placeds + 1;
	sheet->places_list.value = run_sheet_value_of_place;
	for (unsigned i = 0; i < RUN_FUNCTION_COLUMNS; i++)
		sheet->function_measure[i].name = upcs_item_name(function_items[i]);
	sheet->functions_list.measure = sheet->function_measure;
	sheet->functions_list.measures = RUN_FUNCTION_COLUMNS;
	sheet->functions_list.value = run_sheet_value_of_function;
	sheet->sheet = (struct sheet){.tool = "upc_run",
				      .fact = sheet->fact,
				      .section = sheet->section,
				      .keys = keys,
				      .others = others};
	if (!run_sheet_make_facts(sheet))
		return false;
	if (form == RUN_CSV || form == RUN_JSON)
		run_sheet_add_data(sheet);
	else
		run_sheet_add_text(sheet, form == RUN_STAT);
	run_report_notes(report, run_sheet_add_note, sheet);
	sheet->sheet.note = sheet->note;
	return !sheet->failed;
}

void run_sheet_free(struct run_sheet *sheet)
{
	for (size_t i = 0; i < sheet->sheet.notes; i++)
		free((char *)sheet->note[i].what);
	free(sheet->note);
	free(sheet->command);
}
