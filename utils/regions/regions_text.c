/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_text.c - tables for people: times of all regions, then what was counted in each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "regions/regions_metrics.h"
#include "regions/regions_report.h"

/* Of numbers, with the blanks before them. */
enum { COLUMN = 15, COLUMN_CALLS = 12, COLUMN_THREADS = 9, COLUMN_PERCENT = 8, COLUMN_IMBALANCE = 11 };

#define INDENT 2

struct table {
	FILE *out;
	const struct regions_report *report;
	const struct regions_sums *sums;
	uint32_t *order, n;
	unsigned first; /* columns of names */
};

/* ---- numbers ------------------------------------------------------------------------------- */

static void put_number(FILE *out, const char *text)
{
	util_put_right(out, text, COLUMN);
}

static void put_seconds(FILE *out, double seconds)
{
	char text[UTIL_NUMBER_MAX];

	snprintf(text, sizeof(text), "%.6f", seconds);
	put_number(out, text);
}

static void put_percent(FILE *out, double part, unsigned width)
{
	char text[UTIL_NUMBER_MAX];

	snprintf(text, sizeof(text), "%.1f %%", 100 * part);
	util_put_right(out, text, width);
}

static void put_count(FILE *out, uint64_t count, unsigned width)
{
	char text[UTIL_NUMBER_MAX];

	util_format_count(count, text);
	util_put_right(out, text, width);
}

static void put_real(FILE *out, double value)
{
	char text[UTIL_NUMBER_MAX];

	if (value < 100 && value != floor(value))
		snprintf(text, sizeof(text), "%.2f", value);
	else
		util_format_count(value < 1.8e19 ? (uint64_t)(value + .5) : UINT64_MAX, text);
	put_number(out, text);
}

/* How sure a value is: half of its interval. */
static void put_error(FILE *out, const struct upcr_value *value)
{
	char text[UTIL_NUMBER_MAX];
	double half = (value->high - value->low) / 2;

	if (upcr_is_exact(value))
		strcpy(text, "exact");
	else if (upcr_is_lower_bound(value))
		strcpy(text, "or more");
	else if (value->value > 0 && half < 9.995 * value->value)
		snprintf(text, sizeof(text), "+-%.*f %%", half < .0995 * value->value ? 1 : 0,
			 100 * half / value->value);
	else
		snprintf(text, sizeof(text), "0 to %.3g", value->high);
	if (value->flags & UPCR_ROUGH && !upcr_is_exact(value))
		strcat(text, " ?");
	put_number(out, text);
}

static void put_value(FILE *out, const struct upcr_value *value)
{
	char text[UTIL_NUMBER_MAX];

	if (regions_is_nothing(value)) {
		put_number(out, "-");
		put_number(out, "not counted");
		return;
	}
	if (upcr_is_exact(value)) {
		util_format_count(value->whole, text);
		put_number(out, text);
	} else {
		put_real(out, value->value);
	}
	put_error(out, value);
}

static void put_metric(FILE *out, const struct metric_value *v)
{
	double half = (v->high - v->low) / 2, size = fabs(v->value);
	char text[UTIL_NUMBER_MAX];

	if (v->missing || isnan(v->value)) {
		put_number(out, "-");
		put_number(out, v->missing ? "not counted" : "of nothing");
		return;
	}
	if (size >= 1000 && size < 1.8e19) {
		text[0] = '-';
		util_format_count((uint64_t)(size + .5), text + (v->value < 0));
	} else if (size != 0 && (size < .0005 || size >= 1000)) {
		snprintf(text, sizeof(text), "%.3g", v->value);
	} else {
		snprintf(text, sizeof(text), "%.*f", size < 10 ? 3 : size < 100 ? 2 : 1, v->value);
	}
	put_number(out, text);
	if (v->exact)
		strcpy(text, "exact");
	else if (v->at_least)
		strcpy(text, "or more");
	else if (v->open || v->unsure || !isfinite(half))
		strcpy(text, "not known");
	else if (size > 0 && half < 9.995 * size)
		snprintf(text, sizeof(text), "+-%.*f %%", half < .0995 * size ? 1 : 0, 100 * half / size);
	else
		snprintf(text, sizeof(text), "+-%.3g", half);
	if (v->flags & UPCR_ROUGH && !v->exact)
		strcat(text, " ?");
	put_number(out, text);
}

/* ---- headings ------------------------------------------------------------------------------ */

static void put_heads(const struct table *table, const char *first, const char *const *head)
{
	util_put_left(table->out, first, table->first);
	for (; *head; head++)
		put_number(table->out, *head);
	fputc('\n', table->out);
}

static void put_line_name(const struct table *table, uint32_t key)
{
	const struct regions_data *data = table->report->data;
	unsigned indent = 0;

	if (table->sums->by == REGIONS_BY_PATH && key)
		indent = INDENT * (data->path[key].depth - 1);
	util_pad(table->out, indent);
	util_put_left(table->out, regions_name_of(data, table->sums->by, key),
		      table->first > indent ? table->first - indent : 0);
}

static void widen_names(struct table *table)
{
	const struct regions_data *data = table->report->data;
	uint32_t i;

	table->first = 12;
	for (i = 0; i < table->n; i++) {
		uint32_t key = table->order[i];
		unsigned width = util_columns(regions_name_of(data, table->sums->by, key));

		if (table->sums->by == REGIONS_BY_PATH && key)
			width += INDENT * (data->path[key].depth - 1);
		if (width > table->first)
			table->first = width;
	}
	/* One very long name does not push all numbers off the screen. */
	if (table->first > 48)
		table->first = 48;
}

/* ---- times --------------------------------------------------------------------------------- */

static void put_times(const struct table *table)
{
	const bool threads = table->sums->threads > 1;
	double whole = fmax(regions_whole_seconds(table->sums), 1e-300);
	uint32_t i;

	util_put_left(table->out, "Region", table->first);
	util_put_right(table->out, "Calls", COLUMN_CALLS);
	if (threads)
		util_put_right(table->out, "Threads", COLUMN_THREADS);
	put_number(table->out, "Time [s]");
	util_put_right(table->out, "%", COLUMN_PERCENT);
	put_number(table->out, "Exclusive [s]");
	util_put_right(table->out, "%", COLUMN_PERCENT);
	if (threads)
		util_put_right(table->out, "Imbalance", COLUMN_IMBALANCE);
	fputc('\n', table->out);
	for (i = 0; i < table->n; i++) {
		const struct regions_line *line = &table->sums->line[table->order[i]];

		put_line_name(table, line->key);
		if (regions_is_outside(table->report->data, table->sums->by, line->key))
			util_pad(table->out, COLUMN_CALLS);
		else
			put_count(table->out, line->counts.calls, COLUMN_CALLS);
		if (threads)
			put_count(table->out, line->threads, COLUMN_THREADS);
		put_seconds(table->out, line->counts.seconds);
		put_percent(table->out, line->counts.seconds / whole, COLUMN_PERCENT);
		put_seconds(table->out, line->counts.own_seconds);
		put_percent(table->out, line->counts.own_seconds / whole, COLUMN_PERCENT);
		if (threads)
			put_percent(table->out, regions_imbalance(&line->of_threads[0]), COLUMN_IMBALANCE);
		fputc('\n', table->out);
	}
}

/* ---- counts -------------------------------------------------------------------------------- */

static void put_spreads(const struct table *table, const struct regions_spread *spread, const char *whose)
{
	static const char *const heads[] = {"Min", "Max", "Mean", "Std. dev.", "Imbalance", NULL};
	char first[64];
	uint32_t i;

	if (spread[0].n < 2)
		return;
	snprintf(first, sizeof(first), "Over %u %s", spread[0].n, whose);
	put_heads(table, first, heads);
	for (i = 0; i <= table->sums->events; i++) {
		util_put_left(table->out, i ? table->report->data->events.text[i - 1] : "Time [s]",
			      table->first);
		if (!spread[i].n) {
			put_number(table->out, "-");
			put_number(table->out, "-");
			put_number(table->out, "-");
			put_number(table->out, "-");
			put_number(table->out, "not counted");
			fputc('\n', table->out);
			continue;
		}
		if (i) {
			put_real(table->out, spread[i].min);
			put_real(table->out, spread[i].max);
			put_real(table->out, regions_mean(&spread[i]));
			put_real(table->out, regions_deviation(&spread[i]));
		} else {
			put_seconds(table->out, spread[i].min);
			put_seconds(table->out, spread[i].max);
			put_seconds(table->out, regions_mean(&spread[i]));
			put_seconds(table->out, regions_deviation(&spread[i]));
		}
		put_percent(table->out, regions_imbalance(&spread[i]), COLUMN);
		/* Who has not counted it is not among them. */
		if (spread[i].n < spread[0].n)
			fprintf(table->out, "  of %u", spread[i].n);
		fputc('\n', table->out);
	}
}

static void put_metrics(const struct table *table, const struct regions_counts *counts)
{
	static const char *const heads[] = {"Inclusive", "", "Exclusive", ""};
	const struct metrics *metrics = table->report->metrics;
	unsigned i, own;

	if (!metrics)
		return;
	util_put_left(table->out, "Metric", table->first);
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		put_number(table->out, heads[i]);
	fputs("  Unit\n", table->out);
	for (i = 0; i < metrics_count(metrics); i++) {
		const struct metric *metric = metrics_at(metrics, i);

		util_put_left(table->out, metric->name, table->first);
		for (own = 0; own < 2; own++) {
			struct metric_value value;

			regions_metric(table->report, i, counts, own, &value);
			put_metric(table->out, &value);
		}
		fputs("  ", table->out);
		if (metric->unit)
			util_put(table->out, metric->unit, UINT32_MAX);
		fputc('\n', table->out);
	}
}

static bool put_block(const struct table *table, const struct regions_line *line)
{
	static const char *const heads[] = {"Inclusive", "", "Exclusive", NULL};
	const struct regions_data *data = table->report->data;
	char *path = table->sums->by == REGIONS_BY_PATH ? regions_path_text(data, line->key) : NULL;
	uint32_t i;

	if (table->sums->by == REGIONS_BY_PATH && !path)
		return false;
	fputs("\nRegion ", table->out);
	util_put(table->out, path ? path : regions_name_of(data, table->sums->by, line->key), UINT32_MAX);
	fputs("\n", table->out);
	free(path);
	put_heads(table, "Event", heads);
	for (i = 0; i < table->sums->events; i++) {
		util_put_left(table->out, data->events.text[i], table->first);
		put_value(table->out, &line->counts.value[i]);
		put_value(table->out, &line->counts.own[i]);
		fputc('\n', table->out);
	}
	put_metrics(table, &line->counts);
	put_spreads(table, line->of_threads, "threads");
	if (table->sums->processes > 1)
		put_spreads(table, line->of_processes, "processes");
	return true;
}

static bool put_blocks(struct table *table)
{
	const struct regions_table *events = &table->report->data->events;
	unsigned before = table->first;
	uint32_t i;
	bool done = true;

	if (!events->n && !table->report->metrics)
		return true;
	table->first = 20;
	for (i = 0; i < events->n; i++)
		util_widen(&table->first, events->text[i]);
	for (i = 0; table->report->metrics && i < metrics_count(table->report->metrics); i++)
		util_widen(&table->first, metrics_at(table->report->metrics, i)->name);
	for (i = 0; done && i < table->n; i++)
		done = put_block(table, &table->sums->line[table->order[i]]);
	table->first = before;
	return done;
}

/* ---- each thread --------------------------------------------------------------------------- */

static bool put_thread(void *arg, const struct regions_process *process, const struct regions_thread *thread,
		       const struct regions_part *part)
{
	const struct table *table = arg;
	const struct regions_data *data = table->report->data;
	char *text = regions_thread_text(data, process, thread);
	uint32_t i, k;

	if (!text)
		return false;
	fputs("\nThread ", table->out);
	util_put(table->out, text, UINT32_MAX);
	free(text);
	fputs("\n", table->out);
	util_put_left(table->out, "Region", table->first);
	util_put_right(table->out, "Calls", COLUMN_CALLS);
	put_number(table->out, "Time [s]");
	put_number(table->out, "Exclusive [s]");
	for (i = 0; i < table->sums->events; i++)
		util_put_right(table->out, data->events.text[i], 2 * COLUMN);
	fputs("\n", table->out);
	for (k = 0; k < table->n; k++) {
		const struct regions_counts *counts = &part->counts[table->order[k]];

		if (!counts->used)
			continue;
		put_line_name(table, table->order[k]);
		if (regions_is_outside(table->report->data, table->sums->by, table->order[k]))
			util_pad(table->out, COLUMN_CALLS);
		else
			put_count(table->out, counts->calls, COLUMN_CALLS);
		put_seconds(table->out, counts->seconds);
		put_seconds(table->out, counts->own_seconds);
		for (i = 0; i < table->sums->events; i++)
			put_value(table->out, &counts->value[i]);
		fputc('\n', table->out);
	}
	return true;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Of what no region has the events. */
static void put_missing(const struct table *table)
{
	const struct metrics *metrics = table->report->metrics;
	const char *name[64];
	unsigned i, k, n = 0;

	for (i = 0; metrics && i < metrics_count(metrics); i++) {
		n = regions_metric_missing(table->report, table->sums, i, name, 64);
		if (!n)
			continue;
		fputs("\nMissing: ", table->out);
		util_put(table->out, metrics_at(metrics, i)->name, UINT32_MAX);
		fputs(" needs ", table->out);
		for (k = 0; k < n && k < 64; k++) {
			fputs(k ? ", " : "", table->out);
			util_put(table->out, name[k], UINT32_MAX);
		}
	}
	if (metrics)
		fputs("\n", table->out);
}

static bool put_notes(const struct table *table)
{
	struct regions_notes notes;
	bool done = regions_notes_of(table->report, &notes);
	char times[UTIL_NUMBER_MAX];
	size_t i;

	if (done && notes.n)
		fputs("\n", table->out);
	for (i = 0; done && i < notes.n; i++) {
		const struct regions_note *note = &notes.note[i];

		fputs("Note: ", table->out);
		if (note->name) {
			util_put(table->out, note->name, 80);
			fputs(": ", table->out);
		}
		util_put(table->out, note->what, UINT32_MAX);
		util_format_count(note->times, times);
		fprintf(table->out, note->times == 1 ? "\n" : " (%s times)\n", times);
	}
	regions_notes_free(&notes);
	return done;
}

static void put_title(const struct table *table)
{
	const struct regions_sums *sums = table->sums;
	char processes[UTIL_NUMBER_MAX], threads[UTIL_NUMBER_MAX];

	util_format_count(sums->processes, processes);
	util_format_count(sums->threads, threads);
	fputs("Regions of ", table->out);
	util_put(table->out, table->report->title, UINT32_MAX);
	fprintf(table->out, ": %s process%s, %s thread%s\n\n", processes, sums->processes == 1 ? "" : "es",
		threads, sums->threads == 1 ? "" : "s");
}

bool regions_print_text(FILE *out, const struct regions_report *report)
{
	struct table table = {
		.out = out,
		.report = report,
		.sums = report->paths ? report->by_path : report->by_name,
	};
	bool done;

	table.order = regions_order(report->data, table.sums, &table.n);
	if (!table.order)
		return false;
	widen_names(&table);
	put_title(&table);
	put_times(&table);
	done = put_blocks(&table);
	if (done && report->per_thread)
		done = regions_each_thread(report->data, table.sums->by, put_thread, &table);
	if (done)
		put_missing(&table);
	done = done && put_notes(&table);
	free(table.order);
	return done;
}
