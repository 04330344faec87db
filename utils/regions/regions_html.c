/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_html.c - the report as a page: what went wrong first, then what was run, tables and pictures by
 * region and by call path, and the whole report as JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "page/page.h"
#include "regions/regions_html.h"
#include "regions/regions_report.h"

enum {
	NOTES = 10,         /* as paragraphs; with more of them, all are in a table */
	BARS = 20,          /* regions, those with most time                        */
	WORDS = 4,          /* hosts, commands and so on that are told of by name   */
	THREAD_ROWS = 4000, /* not more, if they were not asked for                 */
};

/* ---- what went wrong -------------------------------------------------------------------------- */

static bool put_note(struct page *page, const struct regions_note *note)
{
	char times[UTIL_NUMBER_MAX + 16] = "", *text, number[UTIL_NUMBER_MAX];

	util_format_count(note->times, number);
	if (note->times != 1)
		snprintf(times, sizeof(times), " (%s times)", number);
	if (asprintf(&text, "%s%s%s%s", note->name ? note->name : "", note->name ? ": " : "", note->what,
		     times) < 0)
		return false;
	page_note(page, text);
	free(text);
	return true;
}

static void put_notes_table(struct page *page, const struct regions_notes *notes)
{
	static const struct page_column column[] = {
		{.header = "Of"}, {.header = "What"}, {.header = "Times", .kind = PAGE_COUNT}};
	size_t i;

	page_table(page, "What went wrong", column, 3);
	for (i = 0; i < notes->n; i++) {
		const struct regions_note *note = &notes->note[i];

		page_row(page, (struct page_cell[]){{.text = note->name, .absent = !note->name},
						    {.text = note->what},
						    {.count = note->times}});
	}
}

static bool put_notes(struct page *page, const struct regions_report *report)
{
	struct regions_notes notes;
	bool done = regions_notes_of(report, &notes);
	char text[80];
	size_t i;

	if (done && notes.n > NOTES) {
		snprintf(text, sizeof(text), "%zu things went wrong, or are not as they seem: see the table.",
			 notes.n);
		page_note(page, text);
		put_notes_table(page, &notes);
	} else {
		for (i = 0; done && i < notes.n; i++)
			done = put_note(page, &notes.note[i]);
	}
	regions_notes_free(&notes);
	return done;
}

/* ---- what was run ------------------------------------------------------------------------------ */

#define TEXT_OF(process, offset) (*(char *const *)((const char *)(process) + (offset)))

/* Texts of the processes, those that are the same once. */
static void put_texts(struct page *page, const char *label, const struct regions_data *data, size_t offset)
{
	const char *seen[WORDS + 1];
	char *text = NULL;
	size_t n = 0, i, k, size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; out && i < data->processes && n <= WORDS; i++) {
		const char *of = TEXT_OF(&data->process[i], offset);

		for (k = 0; k < n && strcmp(seen[k], of); k++)
			;
		if (k < n || !*of)
			continue;
		seen[n++] = of;
		fprintf(out, "%s%s", n > 1 ? ", " : "", n > WORDS ? "and others" : of);
	}
	if (out && fclose(out) == 0 && n)
		page_fact(page, label, text);
	free(text);
}

static void put_times(struct page *page, const struct regions_data *data)
{
	const struct regions_process *first = data->process;
	double least = first->seconds, most = least;
	uint64_t low = first->slice_ns, high = low;
	const char *started = first->started;
	char text[128];
	size_t i;

	for (i = 1; i < data->processes; i++) {
		const struct regions_process *process = &data->process[i];

		if (*process->started && (!*started || strcmp(process->started, started) < 0))
			started = process->started;
		least = process->seconds < least ? process->seconds : least;
		most = process->seconds > most ? process->seconds : most;
		low = process->slice_ns < low ? process->slice_ns : low;
		high = process->slice_ns > high ? process->slice_ns : high;
	}
	if (*started)
		page_fact(page, "Started", started);
	snprintf(text, sizeof(text), least < most ? "%.6f to %.6f s" : "%.6f s", least, most);
	page_fact(page, "Elapsed", text);
	snprintf(text, sizeof(text), low < high ? "%.6g to %.6g ms" : "%.6g ms", (double)low / 1e6,
		 (double)high / 1e6);
	if (high)
		page_fact(page, "Slice", text);
}

static void put_facts(struct page *page, const struct regions_report *report)
{
	const struct regions_data *data = report->data;
	char number[UTIL_NUMBER_MAX], written[64];

	util_format_count(data->processes, number);
	page_fact(page, "Processes", number);
	util_format_count(report->by_name->threads, number);
	page_fact(page, "Threads", number);
	put_texts(page, "Command", data, offsetof(struct regions_process, command));
	put_texts(page, "Host", data, offsetof(struct regions_process, host));
	put_times(page, data);
	put_texts(page, "Ended by", data, offsetof(struct regions_process, ended));
	put_texts(page, "Clock", data, offsetof(struct regions_process, clock));
	if (report->metrics)
		page_fact(page, "Metrics", metrics_set(report->metrics));
	snprintf(written, sizeof(written), "upc_regions %s", upc_version());
	page_fact(page, "Written by", written);
}

static void put_processes(struct page *page, const struct regions_data *data)
{
	static const struct page_column column[] = {
		{.header = "Command"},
		{.header = "Rank", .kind = PAGE_COUNT},
		{.header = "Process", .kind = PAGE_COUNT},
		{.header = "Host"},
		{.header = "Started"},
		{.header = "Elapsed", .unit = "s", .kind = PAGE_NUMBER, .decimals = 6},
		{.header = "Threads", .kind = PAGE_COUNT},
	};
	size_t i;

	if (data->processes < 2)
		return;
	page_section(page, "Processes");
	page_table(page, "Each process", column, sizeof(column) / sizeof(*column));
	for (i = 0; i < data->processes; i++) {
		const struct regions_process *process = &data->process[i];

		page_row(page, (struct page_cell[]){
				       {.text = process->command},
				       {.count = (uint64_t)process->rank, .absent = process->rank < 0},
				       {.count = (uint64_t)process->pid, .absent = process->pid < 0},
				       {.text = process->host},
				       {.text = process->started},
				       {.value = process->seconds},
				       {.count = process->threads},
			       });
	}
}

/* ---- pictures ---------------------------------------------------------------------------------- */

/* What is exclusive is what no part below covers. */
static bool put_icicle(struct page *page, const struct regions_tables *tables)
{
	const struct regions_data *data = tables->report->data;
	struct page_node *node = calloc((size_t)tables->n + 1, sizeof(*node));
	size_t *place = calloc((size_t)tables->sums->keys + 1, sizeof(*place));
	uint32_t i;

	for (i = 0; node && place && i < tables->n; i++) {
		const uint32_t key = tables->order[i], parent = data->path[key].parent;

		place[key] = i;
		node[i].name = regions_name_of(data, REGIONS_BY_PATH, key);
		node[i].parent = parent == REGIONS_NONE ? PAGE_ROOT : place[parent];
		node[i].value = tables->sums->line[key].counts.seconds;
	}
	if (node && place)
		page_icicle(page, "Time by call path", "s, of all threads together", 6, node, tables->n);
	free(node);
	free(place);
	return node && place;
}

static void put_bars(const struct regions_tables *tables, bool of_processes)
{
	struct page_bar bar[BARS];
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < tables->n && n < BARS; i++) {
		const struct regions_line *line = &tables->sums->line[tables->order[i]];
		const struct regions_spread *spread = of_processes ? line->of_processes : line->of_threads;

		if (regions_is_outside(tables->report->data, tables->sums->by, line->key))
			continue;
		bar[n++] = (struct page_bar){
			.label = regions_name_of(tables->report->data, tables->sums->by, line->key),
			.min = spread->min,
			.mean = regions_mean(spread),
			.max = spread->max};
	}
	page_bars(tables->page,
		  of_processes ? "Time by region, over processes" : "Time by region, over threads",
		  "s, inclusive, of each that was in it", 6, bar, n);
}

/* ---- all --------------------------------------------------------------------------------------- */

static size_t thread_rows(const struct regions_data *data)
{
	size_t n = 0, i, k;

	for (i = 0; i < data->processes; i++)
		for (k = 0; k < data->process[i].threads; k++)
			n += data->process[i].thread[k].rows;
	return n;
}

static void put_key(struct page *page, const struct regions_report *report)
{
	page_text(page, "Inclusive is with all regions inside, exclusive without them. A region that is "
			"entered in itself counts once in what is inclusive.");
	if (report->data->events.n)
		page_text(page,
			  "A count without an interval is exact. \302\261 is half of a 95 % interval; "
			  "\342\211\245 is a lower bound, of which a part was not counted; \342\200\223 "
			  "was not counted at all.");
}

static void put_imbalance(struct regions_tables *tables)
{
	if (tables->sums->threads < 2)
		return;
	page_section(tables->page, "Imbalance");
	put_bars(tables, false);
	if (tables->sums->processes > 1)
		put_bars(tables, true);
	regions_put_imbalance(tables);
}

static bool put_threads(struct regions_tables *tables)
{
	const struct regions_report *report = tables->report;

	page_section(tables->page, "Threads");
	if (report->per_thread || thread_rows(report->data) <= THREAD_ROWS)
		return regions_put_threads(tables);
	page_text(tables->page, "There are many: upc_regions -t has each of them.");
	return true;
}

static bool put_all(struct page *page, const struct regions_report *report)
{
	struct regions_tables regions, paths;
	bool done = regions_tables_begin(&regions, page, report, report->by_name);

	done = regions_tables_begin(&paths, page, report, report->by_path) && done;
	if (done) {
		put_facts(page, report);
		page_section(page, "By region");
		put_key(page, report);
		regions_put_tables(&regions, "by region");
		page_section(page, "By call path");
		done = put_icicle(page, &paths);
		regions_put_tables(&paths, "by call path");
		put_imbalance(&regions);
		done = put_threads(&regions) && done;
		put_processes(page, report->data);
	}
	regions_tables_end(&regions);
	regions_tables_end(&paths);
	return done;
}

bool regions_print_html(FILE *out, const struct regions_report *report)
{
	struct page *page = page_begin(out, report->title, "Counts by region");
	json_t *json = regions_json(report);
	bool done = page && json && put_notes(page, report) && put_all(page, report);
	int error = 0;

	if (done) {
		page_section(page, "Data");
		page_text(page,
			  "The whole report is in this page as JSON, as upc_regions -f json has it: the "
			  "element \"report\".");
		page_data(page, "report", json);
	}
	json_decref(json);
	if (page)
		error = page_end(page);
	errno = error;
	return done && !error;
}
