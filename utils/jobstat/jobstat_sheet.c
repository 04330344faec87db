/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_sheet.c - a job as a sheet. The id of a column is the offset of a field in struct job_row.
 *
 * Terms: jobstat/jobstat_data.h, sheet/sheet.h.
 */
#include <math.h>

#include "jobstat/jobstat_rows.h"

static void cell_of_row(const void *arg, const void *of, const struct sheet_column *column,
			struct sheet_cell *cell)
{
	const size_t numbers = offsetof(struct job_row, x);
	const void *field = (const char *)of + column->id;
	const struct job_row *row = of;

	(void)arg;
	if (column->id >= numbers && column->id < numbers + sizeof(row->x)) {
		job_row_number(row, (enum job_number)((column->id - numbers) / sizeof(*row->x)), cell);
	} else if (column->kind == SHEET_TEXT) {
		cell->text = *(const char *const *)field;
		cell->absent = !cell->text;
		cell->depth = row->depth;
	} else if (column->kind == SHEET_NUMBER) {
		cell->value = *(const double *)field;
		cell->absent = isnan(cell->value);
	} else {
		cell->count = *(const uint64_t *)field;
		cell->absent = cell->count == JOB_ROW_NONE;
	}
}

/* ---- columns ----------------------------------------------------------------------------------- */

#define AT(field) offsetof(struct job_row, field)
#define COLUMN(kind, field, key, forms) SHEET_COLUMN(AT(field), kind, key, NULL, forms)
#define CSV(field) COLUMN(SHEET_TEXT, field, #field, SHEET_IN_CSV)
#define TEXT(field, key) COLUMN(SHEET_TEXT, field, key, SHEET_IN_DATA)
#define COUNT(field, key) COLUMN(SHEET_COUNT, field, key, SHEET_IN_DATA)
#define REAL(field, key) COLUMN(SHEET_NUMBER, field, key, SHEET_IN_DATA)
#define VALUE(which, key) COLUMN(SHEET_VALUE, x[which], key, SHEET_IN_DATA)
#define JSON(kind, field, key) COLUMN(kind, field, key, SHEET_IN_JSON)

static const struct sheet_column interval_columns[] = {
	CSV(job), CSV(node), CSV(place), CSV(event), CSV(unit), REAL(time, "time"), VALUE(MEAN, "mean"),
};

/* Columns of text and HTML, for human readers. */
#define TEXT_ONLY(kind, field, header, ...) \
	SHEET_COLUMN(AT(field), kind, "", header, SHEET_IN_TEXT, __VA_ARGS__)
#define RATE(which, header, ...) TEXT_ONLY(SHEET_NUMBER, x[which], header, .prefix = true, __VA_ARGS__)
#define PAGE(kind, field, header, ...) SHEET_COLUMN(AT(field), kind, "", header, SHEET_IN_HTML, __VA_ARGS__)
#define MEGA(which, header) PAGE(SHEET_NUMBER, x[which], header, .unit = "MB/s", .decimals = 2, .scale = 1e6)
#define OF_TIME(field, header, ...) \
	PAGE(SHEET_NUMBER, field, header, .unit = "% of the time", .decimals = 1, .scale = .01, __VA_ARGS__)
#define SHARE(field, header) TEXT_ONLY(SHEET_NUMBER, field, header, .unit = "%", .decimals = 1, .scale = .01)

static const struct sheet_column finding_columns[] = {
	CSV(job),
	JSON(SHEET_TEXT, node, "nodes"),
	CSV(node),
	TEXT(kind, "kind"),
	TEXT(text, "text"),
	TEXT(event, "event"),
	CSV(unit),
	VALUE(MEAN, "value"),
	JSON(SHEET_FLAG, bad, "bad"),
	JSON(SHEET_VALUE, x[OTHER], "usual"),
	JSON(SHEET_NUMBER, share, "share"),
	COLUMN(SHEET_NUMBER, time, "time", SHEET_IN_CSV),
	JSON(SHEET_NUMBER, time, "from"),
	JSON(SHEET_NUMBER, end, "to"),
	PAGE(SHEET_TEXT, node, "Nodes"),
	PAGE(SHEET_TEXT, kind, "What"),
	PAGE(SHEET_TEXT, text, "Why"),
	PAGE(SHEET_TEXT, why, "Bad", .help = "The nodes are named as bad; others are to be known"),
	PAGE(SHEET_TEXT, event, "Metric", .help = "The one that shows it best"),
	PAGE(SHEET_NUMBER, share, "Share of time", .unit = "%", .decimals = 1, .scale = .01),
	PAGE(SHEET_TEXT, when, "When", .help = "Since the job's start"),
};

static const struct sheet_column numa_columns[] = {
	CSV(job),
	TEXT(place, "place"),
	JSON(SHEET_COUNT, number, "number"),
	CSV(event),
	CSV(unit),
	VALUE(MIN, "min"),
	VALUE(MIN_SD, "min_sd"),
	VALUE(MAX, "max"),
	VALUE(MAX_SD, "max_sd"),
	VALUE(MEAN, "mean"),
	VALUE(MEAN_SD, "mean_sd"),
	COUNT(nodes, "node_count"),
	REAL(covered, "covered"),
	TEXT_ONLY(SHEET_COUNT, number, "NUMA", .width = 4),
	RATE(MIN, "Min", .unit = "B/s"),
	RATE(MIN_SD, "+/-"),
	RATE(MAX, "Max", .unit = "B/s"),
	RATE(MAX_SD, "+/-"),
	RATE(MEAN, "Avg", .unit = "B/s"),
	RATE(MEAN_SD, "+/-"),
	SHARE(of_peak, "of peak"),
	SHARE(covered, "covered"),
	PAGE(SHEET_COUNT, number, "NUMA"),
	MEGA(MIN, "Min"),
	MEGA(MIN_SD, "\302\261"),
	MEGA(MAX, "Max"),
	MEGA(MAX_SD, "\302\261"),
	MEGA(MEAN, "Avg"),
	MEGA(MEAN_SD, "\302\261"),
	PAGE(SHEET_NUMBER, of_peak, "Avg", .unit = "% of peak", .decimals = 2, .scale = .01),
	PAGE(SHEET_COUNT, nodes, "Nodes"),
	OF_TIME(covered, "Counted"),
};

static const struct sheet_column node_columns[] = {
	TEXT(node, "node"),
	REAL(share, "recorded"),
	TEXT(text, "note"),
	PAGE(SHEET_TEXT, node, "Node"),
	PAGE(SHEET_NUMBER, x[MEAN], "FLOP rate", .unit = "GFLOP/s", .decimals = 3, .scale = 1e9),
	MEGA(OTHER, "Bandwidth"),
	OF_TIME(share, "Recorded"),
	OF_TIME(covered, "Counted", .help = "Of the metric that was counted least"),
	PAGE(SHEET_TEXT, why, "Not counted", .help = "Why, in % of the time"),
	PAGE(SHEET_TEXT, text, "Archives"),
};

static const struct sheet_column metric_columns[] = {
	TEXT(event, "event"),
	TEXT(unit, "unit"),
	TEXT(scope, "scope"),
	TEXT(role, "role"),
	JSON(SHEET_FLAG, level, "level"),
	TEXT(comparison, "comparison"),
	REAL(below, "named_below"),
	REAL(above, "named_above"),
	TEXT(define, "define"),
	TEXT_ONLY(SHEET_TEXT, event, "metric", .width = 6),
	TEXT_ONLY(SHEET_TEXT, kind, "", .width = 6),
	RATE(MEAN, "mean", .width = 7),
	RATE(MIN, "min", .width = 7),
	RATE(MAX, "max", .width = 7),
	RATE(OTHER, "+/-", .width = 7),
	SHARE(covered, "covered"),
	TEXT_ONLY(SHEET_COUNT, nodes, "nodes", .width = 0),
	TEXT_ONLY(SHEET_TEXT, named_at, "named at", .width = 0),
	PAGE(SHEET_TEXT, event, "Metric"),
	PAGE(SHEET_TEXT, kind, "Unit"),
	PAGE(SHEET_NUMBER, x[MEAN], "Mean", .decimals = 2, .help = "Of the nodes' means"),
	PAGE(SHEET_NUMBER, x[SD], "Over nodes", .unit = "standard deviation", .decimals = 2),
	PAGE(SHEET_NUMBER, x[MIN], "Least", .decimals = 2),
	PAGE(SHEET_TEXT, least, "on"),
	PAGE(SHEET_NUMBER, x[MAX], "Most", .decimals = 2),
	PAGE(SHEET_TEXT, most, "on"),
	PAGE(SHEET_COUNT, nodes, "Nodes", .help = "That have a value"),
	OF_TIME(covered, "Counted"),
};

static const struct sheet_column named_columns[] = {
	PAGE(SHEET_TEXT, event, "Metric"),
	PAGE(SHEET_TEXT, define, "Definition"),
	PAGE(SHEET_TEXT, named_at, "Named at",
	     .help = "Percent of the median, below and above; or why there is none"),
};

static const struct sheet_column value_columns[] = {
	CSV(job),
	TEXT(node, "node"),
	TEXT(event, "event"),
	CSV(unit),
	VALUE(MEAN, "mean"),
	VALUE(MIN, "min"),
	VALUE(MAX, "max"),
	VALUE(SD, "sd"),
	REAL(covered, "covered"),
	COUNT(intervals, "intervals"),
	JSON(SHEET_NUMBER, lost.opening, "opening"),
	JSON(SHEET_NUMBER, lost.halted, "halted"),
	JSON(SHEET_NUMBER, lost.taken, "taken"),
	JSON(SHEET_NUMBER, lost.yielded, "yielded"),
	JSON(SHEET_NUMBER, lost.failed, "failed"),
	JSON(SHEET_NUMBER, lost.offline, "offline"),
	JSON(SHEET_NUMBER, lost.unknown, "unknown"),
	JSON(SHEET_NUMBER, lost.record, "no_record"),
};

static const struct sheet_column place_columns[] = {
	CSV(job),
	TEXT(node, "node"),
	TEXT(place, "place"),
	JSON(SHEET_COUNT, number, "number"),
	TEXT(event, "event"),
	CSV(unit),
	VALUE(TOTAL, "total"),
	VALUE(MEAN, "mean"),
	VALUE(MIN, "min"),
	VALUE(MAX, "max"),
	REAL(covered, "covered"),
	COUNT(intervals, "intervals"),
};

static const struct sheet_column line_columns[] = {
	TEXT_ONLY(SHEET_TEXT, event, "metric", .width = 10),
	RATE(MEAN, "mean", .width = 7),
	RATE(MIN, "min", .width = 7),
	RATE(MAX, "max", .width = 7),
	RATE(SD, "sd", .width = 7),
	SHARE(covered, "covered"),
};

static const struct sheet_column point_columns[] = {
	CSV(job),           TEXT(event, "event"),       CSV(unit),
	REAL(time, "time"), COUNT(nodes, "node_count"), VALUE(MEAN, "mean"),
	VALUE(MIN, "min"),  VALUE(MAX, "max"),          VALUE(SD, "sd"),
};

/* ---- sections ---------------------------------------------------------------------------------- */

#define COLUMNS(of) .cell = cell_of_row, .column = (of), .columns = sizeof(of) / sizeof(*(of))

static const struct sheet_section sections[JOBSTAT_SECTIONS] = {
	[JOBSTAT_FOUND] = {.key = "findings",
			   .record = "finding",
			   .forms = SHEET_IN_DATA | SHEET_IN_HTML,
			   .each = job_each_finding,
			   COLUMNS(finding_columns)},
	[JOBSTAT_NUMA_NODES] = {.key = "bandwidth",
				.record = "bandwidth",
				.forms = SHEET_IN_DATA | SHEET_IN_HTML,
				.each = job_each_numa_node,
				COLUMNS(numa_columns)},
	[JOBSTAT_EACH] = {.key = "nodes",
			  .forms = SHEET_IN_JSON | SHEET_IN_HTML,
			  .each = job_each_node,
			  COLUMNS(node_columns)},
	[JOBSTAT_METRICS] = {.key = "metrics",
			     .forms = SHEET_IN_JSON | SHEET_IN_HTML,
			     .each = job_each_metric,
			     COLUMNS(metric_columns)},
	[JOBSTAT_NAMED] = {.forms = SHEET_IN_HTML, .each = job_each_metric, COLUMNS(named_columns)},
	[JOBSTAT_VALUES] = {.key = "values",
			    .record = "node",
			    .forms = SHEET_IN_DATA,
			    .each = job_each_value,
			    COLUMNS(value_columns)},
	[JOBSTAT_PLACES] = {.key = "places",
			    .record = "place",
			    .forms = SHEET_IN_DATA,
			    .each = job_each_place,
			    COLUMNS(place_columns)},
	[JOBSTAT_POINTS] = {.key = "series",
			    .record = "point",
			    .forms = SHEET_IN_DATA,
			    .each = job_each_point,
			    COLUMNS(point_columns)},
	[JOBSTAT_INTERVALS] = {.forms = 0, COLUMNS(interval_columns)},
	[JOBSTAT_EACH_NODE] = {.heading = job_node_heading, .each = job_each_line, COLUMNS(line_columns)},
};

#define FACT_TEXT(key, value)                               \
	{                                                   \
		key, SHEET_TEXT, {.text = (value)}, NULL, 0 \
	}
#define FACT_NUMBER(key, number)                                \
	{                                                       \
		key, SHEET_NUMBER, {.value = (number)}, NULL, 0 \
	}

static void make_facts(struct jobstat_sheet *sheet, const struct jobstat_job *job)
{
	const char *bandwidth = job->bandwidth < 0 ? "" : job->metric[job->bandwidth].name;
	const struct sheet_fact facts[JOBSTAT_FACTS] = {
		FACT_TEXT("job", job->id),
		FACT_NUMBER("start", (double)job->start_ns / 1e9),
		FACT_NUMBER("end", (double)job->end_ns / 1e9),
		FACT_NUMBER("interval", (double)job->interval_ns / 1e9),
		FACT_NUMBER("step", (double)job->step_ns / 1e9),
		FACT_TEXT("missing", job->missing),
		{"unread", SHEET_COUNT, {.count = job->unread}, NULL, 0},
		FACT_TEXT("told", jobstat_told_name(job->told)),
		FACT_TEXT("verdict", job->verdict),
		FACT_TEXT("bandwidth_event", bandwidth),
		FACT_NUMBER("line_bytes", job->line_bytes),
		FACT_NUMBER("peak", job->peak > 0 ? job->peak : NAN),
		FACT_TEXT("assumption", jobstat_locality),
	};

	memcpy(sheet->fact, facts, sizeof(facts));
	sheet->sheet.facts = *bandwidth ? JOBSTAT_FACTS : JOBSTAT_FACTS - 4;
}

static void make_notes(struct jobstat_sheet *sheet, const struct jobstat_job *job)
{
	if (job->missing[0])
		sheet->note[sheet->sheet.notes++] =
			(struct sheet_note){.what = "there is no archive", .name = job->missing, .times = 1};
	if (job->unread)
		sheet->note[sheet->sheet.notes++] =
			(struct sheet_note){.what = "archives could not be read", .times = job->unread};
}

void jobstat_sheet_make(struct jobstat_sheet *sheet, const struct jobstat_job *job)
{
	static const char *const keys[] = {"job", "node", "place", "time", "statistic", NULL};
	static const char *const others[] = {"unit", "node_count", "covered", "intervals",
					     "kind", "text",       NULL};

	*sheet = (struct jobstat_sheet){.job = job,
					.sheet = {.tool = "upc_jobstat",
						  .continued = true,
						  .fact = sheet->fact,
						  .section = sheet->section,
						  .sections = JOBSTAT_SECTIONS,
						  .note = sheet->note,
						  .keys = keys,
						  .others = others,
						  .which_value = "statistic"}};
	if (!job)
		return;
	make_facts(sheet, job);
	make_notes(sheet, job);
	memcpy(sheet->section, sections, sizeof(sections));
	for (unsigned i = 0; i < JOBSTAT_SECTIONS; i++)
		sheet->section[i].arg = sheet;
	if (job->bandwidth < 0)
		sheet->section[JOBSTAT_NUMA_NODES].forms = 0;
}

static bool each_given(const void *arg, sheet_put *put, void *to)
{
	return put(to, arg);
}

bool jobstat_sheet_row(FILE *out, unsigned section, const char *record, const struct job_row *row)
{
	struct jobstat_sheet sheet;

	jobstat_sheet_make(&sheet, NULL);
	sheet.section[0] = sections[section];
	sheet.section[0].record = record;
	sheet.section[0].forms = SHEET_IN_CSV;
	sheet.section[0].each = each_given;
	sheet.section[0].arg = row;
	sheet.sheet.sections = 1;
	return sheet_csv(out, &sheet.sheet);
}
