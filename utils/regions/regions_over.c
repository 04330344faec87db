/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_over.c - least, most and mean over threads and processes. Text and JSON have lists for each region.
 * CSV and HTML have lines, so that a line can name the thread or process with the least or the most.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_over.h"

#include <math.h>
#include <string.h>

#include "regions/regions_metrics.h"
#include "regions/regions_sheet.h"

/* ---- names ---------------------------------------------------------------------------------------- */

/* True if another process of the run has the same rank. Processes are sorted by rank. */
static bool over_shares_rank(const struct regions_data *data, uint32_t i)
{
	const struct regions_process *process = &data->process[i];

	return (i > 0 && process[-1].run == process->run && process[-1].rank == process->rank) ||
	       (i + 1 < data->processes && process[1].run == process->run &&
		process[1].rank == process->rank);
}

/* Return a name like "3.1" for thread 1 of rank 3. A line shows two names, of the least and of the most, so
 * these use different halves of the sheet's buffer. */
static const char *over_name(const struct regions_sheet *sheet, const struct regions_who *who, bool processes,
			     bool most)
{
	const struct regions_data *data = sheet->report->data;
	const struct regions_process *process = &data->process[who->process];
	const size_t room = sizeof(sheet->buffer) / 2;
	char *text = sheet->text + (most ? room : 0);
	int n = 0;

	*text = '\0';
	if (process->rank >= 0)
		n = snprintf(text, room, "%ld", process->rank);
	if (process->rank >= 0 && over_shares_rank(data, who->process))
		n += snprintf(text + n, room - (size_t)n, "/%ld", process->pid);
	else if (process->rank < 0 && (processes || data->processes > 1))
		n = snprintf(text, room, "%ld", process->pid);
	if (!processes)
		snprintf(text + n, room - (size_t)n, "%s%ld", n ? "." : "",
			 process->thread[who->thread].number);
	return text;
}

static void over_set_who(const struct regions_sheet *sheet, const struct regions_who *who, bool processes,
			 unsigned what, struct sheet_cell *cell)
{
	const struct regions_process *process = &sheet->report->data->process[who->process];
	long number = -1;

	if (what == OVER_LEAST_RANK || what == OVER_MOST_RANK)
		number = process->rank;
	else if (what == OVER_LEAST_PID || what == OVER_MOST_PID)
		number = process->pid;
	else if (what != OVER_LEAST && what != OVER_MOST)
		number = processes ? -1 : process->thread[who->thread].number;
	else
		cell->text = over_name(sheet, who, processes, what == OVER_MOST);
	cell->count = (uint64_t)number;
	cell->absent = !cell->text && number < 0;
}

/* ---- values --------------------------------------------------------------------------------------- */

static const struct regions_spread *over_spread(const struct regions_line *line, bool processes, size_t place)
{
	return &(processes ? line->of_processes : line->of_threads)[place];
}

/* Set the exactness of a statistic. If some values are lacking, the least of the others is an upper bound of
 * the least of all, and the most of the others is a lower bound of the most of all. The mean of the others
 * may be less or more than the mean of all. */
static void over_set_exactness(const struct regions_spread *spread, unsigned what, struct sheet_cell *cell)
{
	if (spread->estimates)
		cell->reason[cell->reasons++] = "turns: events took turns";
	if (spread->lacking)
		cell->reason[cell->reasons++] = "part: some were not counted, or not wholly";
	if (cell->reasons)
		cell->exactness = SHEET_ESTIMATE;
	if (!spread->estimates && spread->lacking && what == OVER_MIN)
		cell->exactness = SHEET_AT_MOST;
	if (!spread->estimates && spread->lacking && what == OVER_MAX)
		cell->exactness = SHEET_AT_LEAST;
	cell->low = -INFINITY;
	cell->high = INFINITY;
	cell->error = cell->freedom = cell->coverage = NAN;
}

/* Set the metric of the summed counts, unless the metric is a ratio, which does not add up. */
static void over_set_sum(const struct regions_sheet *sheet, const struct regions_line *line, unsigned metric,
			 struct sheet_cell *cell)
{
	struct metric_value value;

	cell->absent = !metrics_adds_up(sheet->report->metrics, metric);
	if (cell->absent)
		return;
	regions_metric(sheet->report, metric, &line->counts, false, &value);
	cell->value = value.value;
	cell->absent = isnan(value.value);
	cell->exactness = value.exact ? SHEET_EXACT : value.at_least ? SHEET_AT_LEAST : SHEET_ESTIMATE;
}

static void over_set(const struct regions_sheet *sheet, const struct regions_line *line, bool processes,
		     size_t place, unsigned what, struct sheet_cell *cell)
{
	const struct regions_spread *spread = over_spread(line, processes, place);
	const uint32_t events = sheet->report->data->events.n;

	cell->absent = !spread->n;
	switch (what) {
	case OVER_N:
		cell->count = spread->n;
		cell->absent = false;
		return;
	case OVER_EXACTNESS:
		cell->text = sheet_exactness_word(!spread->n                             ? SHEET_UNCOUNTED
						  : spread->estimates || spread->lacking ? SHEET_ESTIMATE
											 : SHEET_EXACT);
		cell->absent = false;
		return;
	case OVER_SUM:
		over_set_sum(sheet, line, (unsigned)(place - 1 - events), cell);
		return;
	case OVER_MIN:
		cell->value = spread->min;
		break;
	case OVER_MAX:
		cell->value = spread->max;
		break;
	case OVER_MEAN:
		cell->value = regions_mean(spread);
		break;
	case OVER_DEVIATION:
		cell->value = regions_deviation(spread);
		break;
	case OVER_IMBALANCE:
		cell->value = regions_imbalance(spread);
		break;
	default:
		if (spread->n)
			over_set_who(sheet, what < OVER_MAX ? &spread->least : &spread->most, processes, what,
				     cell);
		return;
	}
	/* The value is a count that a double holds exactly. */
	cell->whole = place && place <= events && what != OVER_IMBALANCE && cell->value < 0x1p53 &&
		      cell->value == floor(cell->value);
	cell->count = cell->whole ? (uint64_t)cell->value : 0;
	over_set_exactness(spread, what, cell);
}

/* ---- lists: text and JSON ------------------------------------------------------------------------- */

static bool over_set_of(const void *arg, const void *row, bool processes, size_t place, size_t aspect,
			struct sheet_cell *cell)
{
	over_set(((const struct regions_group *)arg)->sheet, regions_line_of(row), processes, place,
		 (unsigned)aspect, cell);
	return true;
}

static size_t over_first_metric(const void *arg)
{
	return 1 + ((const struct regions_group *)arg)->sums->events;
}

static bool over_value_of_threads(const void *arg, const void *row, size_t measure, size_t aspect,
				  struct sheet_cell *cell)
{
	return over_set_of(arg, row, false, measure, aspect, cell);
}

static bool over_value_of_processes(const void *arg, const void *row, size_t measure, size_t aspect,
				    struct sheet_cell *cell)
{
	return over_set_of(arg, row, true, measure, aspect, cell);
}

static bool over_metric_of_threads(const void *arg, const void *row, size_t measure, size_t aspect,
				   struct sheet_cell *cell)
{
	return over_set_of(arg, row, false, over_first_metric(arg) + measure, aspect, cell);
}

static bool over_metric_of_processes(const void *arg, const void *row, size_t measure, size_t aspect,
				     struct sheet_cell *cell)
{
	return over_set_of(arg, row, true, over_first_metric(arg) + measure, aspect, cell);
}

/* Write the heading of a region's table. False unless several threads or processes were in the region. */
static bool over_head(const char *words, const char *whose, const struct regions_spread *spread,
		      char text[SHEET_HEAD_MAX])
{
	snprintf(text, SHEET_HEAD_MAX, "%s %u %s", words, spread[0].n, whose);
	return spread[0].n > 1;
}

static bool over_head_of_threads(const void *arg, const void *row, char text[SHEET_HEAD_MAX])
{
	const struct regions_group *group = arg;

	return over_head("Over", group->sheet->report->runs ? "runs" : "threads",
			 regions_line_of(row)->of_threads, text);
}

static bool over_head_of_processes(const void *arg, const void *row, char text[SHEET_HEAD_MAX])
{
	(void)arg;
	return over_head("Over", "processes", regions_line_of(row)->of_processes, text);
}

static bool over_head_of_metrics(const void *arg, const void *row, char text[SHEET_HEAD_MAX])
{
	(void)arg;
	return over_head("Metrics,", "threads", regions_line_of(row)->of_threads, text);
}

static bool over_head_of_process_metrics(const void *arg, const void *row, char text[SHEET_HEAD_MAX])
{
	(void)arg;
	return over_head("Metrics,", "processes", regions_line_of(row)->of_processes, text);
}

#define JSON_TEXT (SHEET_IN_JSON | SHEET_IN_TEXT)

static const struct sheet_aspect over_aspects[OVER_ASPECTS] = {
	[OVER_N] = {.key = "n", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_SUM] = {.key = "sum", .header = "Sum", .kind = SHEET_NUMBER, .forms = SHEET_IN_JSON},
	[OVER_MIN] = {.key = "min", .header = "Min", .kind = SHEET_NUMBER, .forms = JSON_TEXT},
	[OVER_LEAST] = {.kind = SHEET_TEXT, .forms = SHEET_IN_TEXT},
	[OVER_LEAST_RANK] = {.key = "min_rank", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_LEAST_PID] = {.key = "min_pid", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_LEAST_THREAD] = {.key = "min_thread", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_MAX] = {.key = "max", .header = "Max", .kind = SHEET_NUMBER, .forms = JSON_TEXT},
	[OVER_MOST] = {.kind = SHEET_TEXT, .forms = SHEET_IN_TEXT},
	[OVER_MOST_RANK] = {.key = "max_rank", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_MOST_PID] = {.key = "max_pid", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_MOST_THREAD] = {.key = "max_thread", .kind = SHEET_COUNT, .forms = SHEET_IN_JSON},
	[OVER_MEAN] = {.key = "mean", .header = "Mean", .kind = SHEET_NUMBER, .forms = JSON_TEXT},
	[OVER_DEVIATION] = {.key = "standard_deviation",
			    .header = "Std. dev.",
			    .kind = SHEET_NUMBER,
			    .forms = SHEET_IN_JSON},
	[OVER_IMBALANCE] = {.key = "imbalance",
			    .header = "Imbalance",
			    .kind = SHEET_NUMBER,
			    .share = true,
			    .forms = JSON_TEXT},
	[OVER_EXACTNESS] = {.key = "exactness", .kind = SHEET_TEXT, .forms = SHEET_IN_JSON},
};

static const char *over_who_header(const struct regions_sheet *sheet, bool processes)
{
	if (!processes)
		return "Thread";
	for (size_t i = 0; i < sheet->report->data->processes; i++)
		if (sheet->report->data->process[i].rank >= 0)
			return "Rank";
	return "Process";
}

/* Make the aspects of a list. Means of runs have no thread and no imbalance. Lists of counts have no sum,
 * which is elsewhere in the sheet. Metrics have no imbalance, since they may be ratios. */
static void over_make_aspects(const struct regions_sheet *sheet, bool processes, bool metrics,
			      struct sheet_aspect aspect[OVER_ASPECTS])
{
	const bool runs = sheet->report->runs;

	memcpy(aspect, over_aspects, sizeof(over_aspects));
	aspect[OVER_LEAST].header = aspect[OVER_MOST].header = over_who_header(sheet, processes);
	if (metrics)
		aspect[OVER_SUM].forms = JSON_TEXT;
	else
		aspect[OVER_SUM].forms = 0;
	if (metrics || runs)
		aspect[OVER_IMBALANCE].forms = 0;
	if (processes)
		aspect[OVER_LEAST_THREAD].forms = aspect[OVER_MOST_THREAD].forms = 0;
	for (unsigned i = 0; runs && i < OVER_ASPECTS; i++)
		if ((i >= OVER_LEAST && i < OVER_MAX) || (i >= OVER_MOST && i < OVER_MEAN))
			aspect[i].forms = 0;
	if (runs)
		aspect[OVER_DEVIATION].forms = JSON_TEXT;
}

void regions_over_lists(struct regions_group *group, struct sheet_list list[OVER_LISTS])
{
	static const struct sheet_list lists[OVER_LISTS] = {
		{.key = "over_threads",
		 .name = "event",
		 .value = over_value_of_threads,
		 .head = over_head_of_threads},
		{.key = "over_processes",
		 .name = "event",
		 .value = over_value_of_processes,
		 .head = over_head_of_processes},
		{.key = "metrics_over_threads",
		 .name = "metric",
		 .value = over_metric_of_threads,
		 .head = over_head_of_metrics},
		{.key = "metrics_over_processes",
		 .name = "metric",
		 .value = over_metric_of_processes,
		 .head = over_head_of_process_metrics},
	};
	const struct regions_sheet *sheet = group->sheet;
	const struct regions_report *report = sheet->report;

	for (unsigned i = 0; i < OVER_LISTS; i++) {
		const bool metrics = i >= 2, processes = i % 2;

		over_make_aspects(sheet, processes, metrics, group->over[i]);
		list[i] = lists[i];
		list[i].forms = JSON_TEXT;
		list[i].aspect = group->over[i];
		list[i].aspects = OVER_ASPECTS;
		list[i].of_any_size = metrics;
		list[i].measure = metrics ? sheet->metrics : sheet->spread;
		list[i].measures = !metrics          ? 1 + report->data->events.n
				   : report->metrics ? metrics_count(report->metrics)
						     : 0;
		if ((processes || metrics) && report->runs)
			list[i].forms = 0;
		else if (metrics && !report->metrics)
			list[i].forms = 0;
		else if (processes && group->sums->processes < 2)
			list[i].forms = SHEET_IN_JSON;
	}
	if (report->runs)
		list[0].key = "over_runs";
}

/* ---- sections: HTML and CSV ----------------------------------------------------------------------- */

enum { TIME, COUNTS, METRICS, KINDS };

/* Columns that are no OVER_* aspects. */
enum { REGION = OVER_ASPECTS, PATH, PARENT, NAME, UNIT, PID, RANK, TID, VALUE };

struct over_row {
	const struct regions_line *line;
	size_t place;
};

static const struct sheet_column over_html_columns[] = {
	SHEET_COLUMN(REGION, SHEET_TEXT, NULL, "Region", SHEET_IN_HTML),
	SHEET_COLUMN(NAME, SHEET_TEXT, NULL, "Event", SHEET_IN_HTML),
	SHEET_COLUMN(OVER_MIN, SHEET_NUMBER, NULL, "Min", SHEET_IN_HTML),
	SHEET_COLUMN(OVER_LEAST, SHEET_TEXT, NULL, "Thread", SHEET_IN_HTML, .help = "Which one has the min",
		     .word = true),
	SHEET_COLUMN(OVER_MAX, SHEET_NUMBER, NULL, "Max", SHEET_IN_HTML),
	SHEET_COLUMN(OVER_MOST, SHEET_TEXT, NULL, "Thread", SHEET_IN_HTML, .help = "Which one has the max",
		     .word = true),
	SHEET_COLUMN(OVER_MEAN, SHEET_NUMBER, NULL, "Mean", SHEET_IN_HTML),
	SHEET_COLUMN(OVER_SUM, SHEET_NUMBER, NULL, "Sum", SHEET_IN_HTML),
	SHEET_COLUMN(OVER_IMBALANCE, SHEET_NUMBER, NULL, "Imbalance", SHEET_IN_HTML, .unit = "%",
		     .help = "How much more than the mean the busiest has", .decimals = 1),
	SHEET_COLUMN(UNIT, SHEET_TEXT, NULL, "Unit", SHEET_IN_HTML, .word = true),
	SHEET_COLUMN(OVER_EXACTNESS, SHEET_TEXT, NULL, "How sure", SHEET_IN_HTML, .word = true),
};

static const struct sheet_column over_csv_columns[] = {
	SHEET_COLUMN(REGION, SHEET_TEXT, "region", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(PATH, SHEET_COUNT, "path", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(PARENT, SHEET_COUNT, "parent", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(PID, SHEET_COUNT, "pid", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(RANK, SHEET_COUNT, "rank", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(TID, SHEET_COUNT, "tid", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(NAME, SHEET_TEXT, "event", NULL, SHEET_IN_CSV),
	SHEET_COLUMN(VALUE, SHEET_VALUE, "value", NULL, SHEET_IN_CSV),
};

static const struct sheet_measure *over_measure(const struct regions_sheet *sheet, size_t place)
{
	const uint32_t events = sheet->report->data->events.n;

	return place > events ? &sheet->metrics[place - 1 - events] : &sheet->spread[place];
}

/* Set the number of the process or thread that has the line's value. A mean belongs to none. */
static void over_set_whose(const struct regions_over *over, const struct regions_spread *spread, unsigned id,
			   struct sheet_cell *cell)
{
	const struct regions_who *who = over->what == OVER_MIN   ? &spread->least
					: over->what == OVER_MAX ? &spread->most
								 : NULL;
	const struct regions_process *process =
		who ? &over->group->sheet->report->data->process[who->process] : NULL;
	const long number = !who              ? -1
			    : id == PID       ? process->pid
			    : id == RANK      ? process->rank
			    : over->processes ? -1
					      : process->thread[who->thread].tid;

	cell->count = (uint64_t)number;
	cell->absent = number < 0;
}

static void over_cell(const void *arg, const void *of, const struct sheet_column *column,
		      struct sheet_cell *cell)
{
	const struct regions_over *over = arg;
	const struct regions_group *group = over->group;
	const struct regions_sheet *sheet = group->sheet;
	const struct regions_data *data = sheet->report->data;
	const struct over_row *row = of;
	const uint32_t key = row->line->key;
	const bool path = group->by == REGIONS_BY_PATH;

	switch (column->id) {
	case REGION:
		cell->text = regions_name_of(data, group->by, key);
		cell->absent = regions_is_outside(data, group->by, key);
		break;
	case PATH:
		cell->count = key;
		cell->absent = !path;
		break;
	case PARENT:
		cell->count = path ? data->path[key].parent : 0;
		cell->absent = !path || !key;
		break;
	case NAME:
		cell->text = over_measure(sheet, row->place)->name;
		cell->text = !cell->text                   ? "seconds"
			     : sheet->form & SHEET_IN_HTML ? sheet_short_name(cell->text)
							   : cell->text;
		break;
	case UNIT:
		cell->text = over_measure(sheet, row->place)->unit;
		break;
	case PID:
	case RANK:
	case TID:
		over_set_whose(over, over_spread(row->line, over->processes, row->place), column->id, cell);
		break;
	case VALUE:
		over_set(sheet, row->line, over->processes, row->place, over->what, cell);
		break;
	default:
		over_set(sheet, row->line, over->processes, row->place, column->id, cell);
		if (column->id == OVER_IMBALANCE)
			cell->value *= 100;
	}
}

/* Put the lines of all regions that several threads or processes have been in. */
static bool over_each(const void *arg, sheet_put *put, void *to)
{
	const struct regions_over *over = arg;
	const struct regions_group *group = over->group;
	const struct regions_report *report = group->sheet->report;
	const size_t events = report->data->events.n,
		     all = 1 + events + (report->metrics ? metrics_count(report->metrics) : 0);
	const size_t first[] = {0, 1, 1 + events, all};

	for (uint32_t i = 0; i < group->n; i++) {
		struct over_row row = {.line = &group->sums->line[group->order[i]]};

		for (row.place = over->kind < KINDS ? first[over->kind] : 0;
		     row.place < (over->kind < KINDS ? first[over->kind + 1] : all); row.place++)
			if (over_spread(row.line, over->processes, row.place)->n > 1 && !put(to, &row))
				return false;
	}
	return true;
}

static struct sheet_section *over_add(struct regions_sheet *sheet, const struct regions_over *made,
				      const struct sheet_column *column, size_t columns)
{
	struct regions_over *over = &sheet->over[sheet->overs++];
	struct sheet_section *section = &sheet->section[sheet->sheet.sections++];

	*over = *made;
	memcpy(over->column, column, columns * sizeof(*column));
	*section = (struct sheet_section){.column = over->column,
					  .columns = columns,
					  .arg = over,
					  .each = over_each,
					  .cell = over_cell};
	return section;
}

static struct sheet_section *over_add_html(struct regions_sheet *sheet, const struct regions_group *group,
					   bool processes, unsigned kind)
{
	static const char *const words[] = {"Time", "Counts", "Metrics"};
	const struct regions_over over = {.group = group, .processes = processes, .kind = kind};
	const size_t columns = sizeof(over_html_columns) / sizeof(*over_html_columns);
	struct sheet_section *section = over_add(sheet, &over, over_html_columns, columns);
	struct sheet_column *column = sheet->over[sheet->overs - 1].column;

	for (size_t i = 0; i < columns; i++) {
		if ((column[i].id == NAME && kind == TIME) ||
		    (column[i].id == OVER_EXACTNESS && kind == TIME) ||
		    (column[i].id == UNIT && kind != METRICS) ||
		    (column[i].id == OVER_SUM && kind != METRICS) ||
		    (column[i].id == OVER_IMBALANCE && kind == METRICS))
			column[i].forms = 0;
		if (column[i].id == OVER_LEAST || column[i].id == OVER_MOST)
			column[i].header = over_who_header(sheet, processes);
		if (column[i].id == NAME && kind == METRICS)
			column[i].header = "Metric";
		if (column[i].id != OVER_IMBALANCE && column[i].kind == SHEET_NUMBER) {
			column[i].decimals = kind == TIME ? 6 : column[i].id == OVER_MEAN;
			column[i].of_any_size = kind == METRICS;
			column[i].unit = kind == TIME ? "s" : NULL;
		}
	}
	section->forms = SHEET_IN_HTML;
	section->table = words[kind];
	section->which = processes ? "over processes, inclusive" : "over threads, inclusive";
	return section;
}

static void over_add_csv(struct regions_sheet *sheet, const struct regions_group *group)
{
	static const struct {
		const char *record[2];
		unsigned what;
	} kinds[] = {{{"thread_min", "process_min"}, OVER_MIN},
		     {{"thread_max", "process_max"}, OVER_MAX},
		     {{"thread_mean", "process_mean"}, OVER_MEAN},
		     {{"thread_standard_deviation", "process_standard_deviation"}, OVER_DEVIATION}};

	for (unsigned processes = 0; processes < 2; processes++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			const struct regions_over over = {
				.group = group, .processes = processes, .kind = KINDS, .what = kinds[i].what};
			struct sheet_section *section =
				over_add(sheet, &over, over_csv_columns,
					 sizeof(over_csv_columns) / sizeof(*over_csv_columns));

			section->record = kinds[i].record[processes];
			section->forms = SHEET_IN_CSV;
		}
}

struct sheet_section *regions_over_sections(struct regions_sheet *sheet, const struct regions_group *group)
{
	const struct regions_report *report = sheet->report;
	struct sheet_section *first = NULL;

	if (sheet->form & SHEET_IN_CSV)
		over_add_csv(sheet, group);
	for (unsigned processes = 0; sheet->form & SHEET_IN_HTML && processes < 2; processes++)
		for (unsigned kind = TIME; kind < KINDS; kind++)
			if ((processes ? group->sums->processes : group->sums->threads) > 1 &&
			    !(kind == COUNTS && !report->data->events.n) &&
			    !(kind == METRICS && !report->metrics)) {
				struct sheet_section *section = over_add_html(sheet, group, processes, kind);

				first = first ? first : section;
			}
	return first;
}
