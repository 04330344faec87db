/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_html_tables.c - tables of a page. Those by region and by call path are the same, but that the
 * second are trees. Each event has a column, so that regions can be sorted by any.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regions/regions_html.h"
#include "regions/regions_metrics.h"

#define OWN_COLUMNS 12 /* at most, beside those of events and metrics */

bool regions_tables_begin(struct regions_tables *tables, struct page *page,
			  const struct regions_report *report, const struct regions_sums *sums)
{
	const size_t metrics = report->metrics ? metrics_count(report->metrics) : 0;

	*tables = (struct regions_tables){
		.page = page, .report = report, .sums = sums, .room = OWN_COLUMNS + sums->events + metrics};
	tables->order = regions_order(report->data, sums, &tables->n);
	tables->column = calloc(tables->room, sizeof(*tables->column));
	tables->cell = calloc(tables->room, sizeof(*tables->cell));
	tables->words = calloc(tables->room, sizeof(*tables->words));
	return tables->order && tables->column && tables->cell && tables->words;
}

void regions_tables_end(struct regions_tables *tables)
{
	free(tables->order);
	free(tables->column);
	free(tables->cell);
	free(tables->words);
}

/* ---- columns and cells ------------------------------------------------------------------------- */

static void add(struct regions_tables *tables, struct page_column column)
{
	tables->column[tables->columns++] = column;
}

static void add_events(struct regions_tables *tables)
{
	uint32_t i;

	for (i = 0; i < tables->sums->events; i++)
		add(tables,
		    (struct page_column){tables->report->data->events.text[i], NULL, NULL, PAGE_ESTIMATE, 0});
}

/* The first column is that of names. */
static void begin(struct regions_tables *tables)
{
	tables->columns = 0;
	add(tables,
	    (struct page_column){.header = tables->sums->by == REGIONS_BY_PATH ? "Call path" : "Region"});
}

static void put_head(const struct regions_tables *tables, const char *what, const char *which)
{
	char caption[96];

	snprintf(caption, sizeof(caption), "%s %s", what, which);
	page_table(tables->page, caption, tables->column, tables->columns);
}

static struct page_cell name_cell(const struct regions_tables *tables, uint32_t key)
{
	const struct regions_data *data = tables->report->data;

	return (struct page_cell){.text = regions_name_of(data, tables->sums->by, key),
				  .depth = tables->sums->by == REGIONS_BY_PATH && key ? data->path[key].depth
										      : 0};
}

static const char *joined(const char *const *word, unsigned n, char text[128])
{
	unsigned i;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		snprintf(text + strlen(text), 128 - strlen(text), "%s%s", i ? ", " : "", word[i]);
	return text;
}

/* That it is a lower bound, or nothing, is seen without words. */
static struct page_cell value_cell(const struct upcr_value *value, char text[128])
{
	const bool exact = upcr_is_exact(value), nothing = regions_is_nothing(value);
	const char *word[REGIONS_WORDS];

	return (struct page_cell){
		.count = value->whole,
		.value = value->value,
		.low = value->low,
		.high = value->high,
		.interval = true,
		.exact = exact,
		.at_least = upcr_is_lower_bound(value),
		.absent = nothing,
		.flags = nothing ? "not counted" : joined(word, regions_words(value, word), text),
	};
}

static struct page_cell metric_cell(const struct metric_value *value, char text[128])
{
	const bool absent = value->missing || isnan(value->value);
	const char *word[REGIONS_WORDS];

	return (struct page_cell){
		.value = value->value,
		.low = value->low,
		.high = value->high,
		.interval = !value->exact,
		.at_least = value->at_least,
		.absent = absent,
		.flags = value->missing ? "not counted"
			 : absent       ? "of nothing"
					: joined(word, regions_metric_words(value, word), text),
	};
}

/* ---- times ------------------------------------------------------------------------------------- */

static void add_times(struct regions_tables *tables)
{
	const bool threads = tables->sums->threads > 1, processes = tables->sums->processes > 1;

	begin(tables);
	add(tables, (struct page_column){.header = "Calls", .kind = PAGE_COUNT});
	if (threads)
		add(tables, (struct page_column){"Threads", NULL, "That were in it", PAGE_COUNT, 0});
	if (processes)
		add(tables, (struct page_column){"Processes", NULL, "That were in it", PAGE_COUNT, 0});
	add(tables, (struct page_column){"Time", "s", "Inclusive, of all threads together", PAGE_NUMBER, 6});
	add(tables, (struct page_column){"Time", "%", "Of the whole", PAGE_NUMBER, 1});
	add(tables, (struct page_column){"Exclusive", "s", "Of all threads together", PAGE_NUMBER, 6});
	add(tables, (struct page_column){"Exclusive", "%", "Of the whole", PAGE_NUMBER, 1});
	if (threads)
		add(tables, (struct page_column){"Imbalance", "%",
						 "How much more time than the mean the busiest thread has",
						 PAGE_NUMBER, 1});
}

static void put_times(struct regions_tables *tables, const char *which)
{
	const double whole = fmax(regions_whole_seconds(tables->sums), 1e-300);
	uint32_t i;

	add_times(tables);
	put_head(tables, "Time", which);
	for (i = 0; i < tables->n; i++) {
		const struct regions_line *line = &tables->sums->line[tables->order[i]];
		const struct regions_counts *counts = &line->counts;
		struct page_cell *cell = tables->cell;

		*cell++ = name_cell(tables, line->key);
		*cell++ = (struct page_cell){
			.count = counts->calls,
			.absent = regions_is_outside(tables->report->data, tables->sums->by, line->key)};
		if (tables->sums->threads > 1)
			*cell++ = (struct page_cell){.count = line->threads};
		if (tables->sums->processes > 1)
			*cell++ = (struct page_cell){.count = line->processes};
		*cell++ = (struct page_cell){.value = counts->seconds};
		*cell++ = (struct page_cell){.value = 100 * counts->seconds / whole};
		*cell++ = (struct page_cell){.value = counts->own_seconds};
		*cell++ = (struct page_cell){.value = 100 * counts->own_seconds / whole};
		*cell = (struct page_cell){.value = 100 * regions_imbalance(&line->of_threads[0])};
		page_row(tables->page, tables->cell);
	}
}

/* ---- counts and metrics ------------------------------------------------------------------------ */

static void put_counts(struct regions_tables *tables, const char *which, bool own)
{
	uint32_t i, k;

	begin(tables);
	add_events(tables);
	put_head(tables, own ? "Counts, exclusive," : "Counts, inclusive,", which);
	for (i = 0; i < tables->n; i++) {
		const struct regions_line *line = &tables->sums->line[tables->order[i]];
		const struct upcr_value *value = own ? line->counts.own : line->counts.value;

		tables->cell[0] = name_cell(tables, line->key);
		for (k = 0; k < tables->sums->events; k++)
			tables->cell[1 + k] = value_cell(&value[k], tables->words[k]);
		page_row(tables->page, tables->cell);
	}
}

/* So many that the largest has three or four digits. */
static unsigned decimals_of(const struct regions_tables *tables, unsigned metric, bool own)
{
	struct metric_value value;
	double most = 0;
	uint32_t i;

	for (i = 0; i < tables->n; i++) {
		regions_metric(tables->report, metric, &tables->sums->line[tables->order[i]].counts, own,
			       &value);
		if (!value.missing && isfinite(value.value))
			most = fmax(most, fabs(value.value));
	}
	return most < 10 ? 3 : most < 100 ? 2 : most < 1000 ? 1 : 0;
}

static void put_metrics(struct regions_tables *tables, const char *which, bool own)
{
	const struct metrics *metrics = tables->report->metrics;
	unsigned i;
	uint32_t at;

	begin(tables);
	for (i = 0; i < metrics_count(metrics); i++) {
		const struct metric *metric = metrics_at(metrics, i);

		add(tables, (struct page_column){metric->name, metric->unit,
						 metric->description ? metric->description : metric->formula,
						 PAGE_ESTIMATE, decimals_of(tables, i, own)});
	}
	put_head(tables, own ? "Metrics, exclusive," : "Metrics, inclusive,", which);
	for (at = 0; at < tables->n; at++) {
		const struct regions_line *line = &tables->sums->line[tables->order[at]];

		tables->cell[0] = name_cell(tables, line->key);
		for (i = 0; i < metrics_count(metrics); i++) {
			struct metric_value value;

			regions_metric(tables->report, i, &line->counts, own, &value);
			tables->cell[1 + i] = metric_cell(&value, tables->words[i]);
		}
		page_row(tables->page, tables->cell);
	}
}

/* Of what no region has the events. */
static void put_missing(const struct regions_tables *tables)
{
	const struct metrics *metrics = tables->report->metrics;
	char text[512];
	const char *name[8];
	unsigned i, k, n, missing = 0;

	for (i = 0; i < metrics_count(metrics); i++) {
		n = regions_metric_missing(tables->report, tables->sums, i, name, 8);
		if (!n)
			continue;
		if (!missing++)
			page_note(tables->page, "Not all metrics are there: some need what was not counted.");
		snprintf(text, sizeof(text), "needs");
		for (k = 0; k < n && k < 8; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s", k ? "," : "",
				 name[k]);
		if (n > 8)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " and others");
		page_fact(tables->page, metrics_at(metrics, i)->name, text);
	}
}

static void put_formulas(const struct regions_tables *tables)
{
	static const struct page_column column[] = {
		{.header = "Metric"}, {.header = "Unit"}, {.header = "Formula"}, {.header = "What it is"}};
	const struct metrics *metrics = tables->report->metrics;
	unsigned i;

	page_table(tables->page, "What metrics are", column, 4);
	for (i = 0; i < metrics_count(metrics); i++) {
		const struct metric *metric = metrics_at(metrics, i);

		page_row(tables->page, (struct page_cell[]){{.text = metric->name},
							    {.text = metric->unit},
							    {.text = metric->formula},
							    {.text = metric->description}});
	}
}

void regions_put_tables(struct regions_tables *tables, const char *which)
{
	put_times(tables, which);
	if (tables->sums->events) {
		put_counts(tables, which, false);
		put_counts(tables, which, true);
	}
	if (!tables->report->metrics)
		return;
	put_metrics(tables, which, false);
	put_metrics(tables, which, true);
	if (tables->sums->by == REGIONS_BY_PATH)
		return;
	put_missing(tables);
	put_formulas(tables);
}

/* ---- threads ----------------------------------------------------------------------------------- */

static void put_spreads(struct regions_tables *tables, bool of_processes)
{
	uint32_t i, k;

	begin(tables);
	for (k = 0; k <= tables->sums->events; k++)
		add(tables, (struct page_column){k ? tables->report->data->events.text[k - 1] : "Time", "%",
						 NULL, PAGE_NUMBER, 1});
	put_head(tables, "How much more than the mean the busiest has, inclusive, over",
		 of_processes ? "processes" : "threads");
	for (i = 0; i < tables->n; i++) {
		const struct regions_line *line = &tables->sums->line[tables->order[i]];
		const struct regions_spread *spread = of_processes ? line->of_processes : line->of_threads;

		tables->cell[0] = name_cell(tables, line->key);
		for (k = 0; k <= tables->sums->events; k++)
			tables->cell[1 + k] = (struct page_cell){.value = 100 * regions_imbalance(&spread[k]),
								 .absent = spread[k].n < 2};
		page_row(tables->page, tables->cell);
	}
}

void regions_put_imbalance(struct regions_tables *tables)
{
	put_spreads(tables, false);
	if (tables->sums->processes > 1)
		put_spreads(tables, true);
}

static bool put_thread(void *arg, const struct regions_process *process, const struct regions_thread *thread,
		       const struct regions_part *part)
{
	struct regions_tables *tables = arg;
	char *name = regions_thread_text(tables->report->data, process, thread);
	uint32_t i, k;

	for (i = 0; name && i < tables->n; i++) {
		const struct regions_counts *counts = &part->counts[tables->order[i]];
		struct page_cell *cell = tables->cell;

		if (!counts->used)
			continue;
		*cell++ = (struct page_cell){.text = name};
		*cell++ = name_cell(tables, tables->order[i]);
		*cell++ =
			(struct page_cell){.count = counts->calls,
					   .absent = regions_is_outside(tables->report->data,
									tables->sums->by, tables->order[i])};
		*cell++ = (struct page_cell){.value = counts->seconds};
		*cell++ = (struct page_cell){.value = counts->own_seconds};
		for (k = 0; k < tables->sums->events; k++)
			*cell++ = value_cell(&counts->value[k], tables->words[k]);
		page_row(tables->page, tables->cell);
	}
	free(name);
	return name != NULL;
}

bool regions_put_threads(struct regions_tables *tables)
{
	tables->columns = 0;
	add(tables, (struct page_column){.header = "Thread"});
	add(tables, (struct page_column){.header = "Region"});
	add(tables, (struct page_column){.header = "Calls", .kind = PAGE_COUNT});
	add(tables, (struct page_column){"Time", "s", NULL, PAGE_NUMBER, 6});
	add(tables, (struct page_column){"Exclusive", "s", NULL, PAGE_NUMBER, 6});
	add_events(tables);
	put_head(tables, "Regions of each thread,", "counts inclusive");
	return regions_each_thread(tables->report->data, tables->sums->by, put_thread, tables);
}
