/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_html.c - the report as a page: notes first, then the table of regions and the picture of call
 * paths, all other tables, facts about the run, and the whole report as JSON.
 * Terms: regions/regions_data.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "page/page.h"
#include "regions/regions_metrics.h"
#include "regions/regions_sheet.h"

enum {
	NOTES = 3,          /* up to this many as paragraphs; more go into a table */
	BARS = 20,          /* regions with the most time that have a bar */
	WORDS = 4,          /* hosts, commands and so on that are named */
	THREAD_ROWS = 4000, /* limit of thread rows that were not requested (report.per_thread) */
};

/* ---- notes ----------------------------------------------------------------------------------- */

static bool html_note(struct page *page, const struct sheet_note *note)
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

static void html_notes_table(struct page *page, const struct sheet *sheet)
{
	static const struct page_column column[] = {
		{.header = "Of"}, {.header = "What"}, {.header = "Times", .kind = PAGE_COUNT}};

	if (sheet->notes <= NOTES)
		return;
	page_section(page, "Notes");
	page_table(page, "What went wrong", column, 3);
	for (size_t i = 0; i < sheet->notes; i++) {
		const struct sheet_note *note = &sheet->note[i];

		page_row(page, (struct page_cell[]){{.text = note->name, .absent = !note->name},
						    {.text = note->what},
						    {.count = note->times}});
	}
}

static bool html_notes(struct page *page, const struct sheet *sheet)
{
	bool done = true;
	char text[128];

	if (sheet->notes > NOTES) {
		snprintf(text, sizeof(text),
			 "%zu things went wrong, or are not as they seem: the table is behind the others.",
			 sheet->notes);
		page_note(page, text);
	}
	for (size_t i = 0; done && sheet->notes <= NOTES && i < sheet->notes; i++)
		done = html_note(page, &sheet->note[i]);
	return done;
}

/* ---- the run ----------------------------------------------------------------------------------- */

#define TEXT_OF(process, offset) (*(char *const *)((const char *)(process) + (offset)))

/* Write as one fact the text at this offset of each process; equal texts appear once. */
static void html_texts(struct page *page, const char *label, const struct regions_data *data, size_t offset)
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

static void html_times(struct page *page, const struct regions_data *data)
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

static void html_facts(struct page *page, const struct regions_report *report)
{
	const struct regions_data *data = report->data;
	char number[UTIL_NUMBER_MAX], written[64];

	page_section(page, "What was run");
	util_format_count(data->processes, number);
	page_fact(page, "Processes", number);
	util_format_count(report->by_name->threads, number);
	page_fact(page, "Threads", number);
	html_texts(page, "Command", data, offsetof(struct regions_process, command));
	html_texts(page, "Host", data, offsetof(struct regions_process, host));
	html_times(page, data);
	html_texts(page, "Ended by", data, offsetof(struct regions_process, ended));
	html_texts(page, "Clock", data, offsetof(struct regions_process, clock));
	if (report->metrics)
		page_fact(page, "Metrics", metrics_set(report->metrics));
	snprintf(written, sizeof(written), "upc_regions %s", upc_version());
	page_fact(page, "Written by", written);
}

/* ---- pictures ---------------------------------------------------------------------------------- */

/* Draw the call paths. A node's exclusive time is the part of its width that has no node below. */
static bool html_icicle(const void *arg, struct page *page)
{
	const struct regions_group *group = arg;
	const struct regions_data *data = group->sheet->report->data;
	struct page_node *node = calloc((size_t)group->n + 1, sizeof(*node));
	size_t *place = calloc((size_t)group->sums->keys + 1, sizeof(*place));

	for (uint32_t i = 0; node && place && i < group->n; i++) {
		const uint32_t key = group->order[i], parent = data->path[key].parent;

		place[key] = i;
		node[i].name = regions_name_of(data, REGIONS_BY_PATH, key);
		node[i].parent = parent == REGIONS_NONE ? PAGE_ROOT : place[parent];
		node[i].value = group->sums->line[key].counts.seconds;
	}
	if (node && place)
		page_icicle(page, "Time by call path", "s, of all threads together", 6, node, group->n);
	free(node);
	free(place);
	return node && place;
}

static bool html_opening(const void *arg, struct page *page)
{
	return html_icicle(&((const struct regions_group *)arg)->sheet->group[REGIONS_BY_PATH], page);
}

static void html_bars(const struct regions_group *group, struct page *page, bool of_processes)
{
	const struct regions_data *data = group->sheet->report->data;
	struct page_bar bar[BARS];
	size_t n = 0;

	for (uint32_t i = 0; i < group->n && n < BARS; i++) {
		const struct regions_line *line = &group->sums->line[group->order[i]];
		const struct regions_spread *spread = of_processes ? line->of_processes : line->of_threads;

		if (regions_is_outside(data, group->by, line->key))
			continue;
		bar[n++] = (struct page_bar){.label = regions_name_of(data, group->by, line->key),
					     .min = spread->min,
					     .mean = regions_mean(spread),
					     .max = spread->max};
	}
	page_bars(page, of_processes ? "Time by region, over processes" : "Time by region, over threads",
		  "s, inclusive, of each that was in it", 6, bar, n);
}

static bool html_imbalance(const void *arg, struct page *page)
{
	const struct regions_group *group = ((const struct regions_over *)arg)->group;

	html_bars(group, page, false);
	if (group->sums->processes > 1)
		html_bars(group, page, true);
	return true;
}

/* ---- words around tables ----------------------------------------------------------------------- */

static bool html_key(const void *arg, struct page *page)
{
	const struct regions_group *group = arg;

	page_text(page, "Inclusive is with all regions inside, exclusive without them. A region that is "
			"entered in itself counts once in what is inclusive.");
	if (group->sums->events)
		page_text(page,
			  "A count without an interval is exact. \302\261 is half of a 95 % interval; "
			  "\342\211\245 is a lower bound, of which a part was not counted; \342\200\223 "
			  "was not counted at all. Heads are without the \"upc:::\" of events.");
	return true;
}

/* List the metrics whose events are missing in all regions. */
static bool html_missing(const void *arg, struct page *page)
{
	const struct regions_report *report = ((const struct regions_group *)arg)->sheet->report;
	const char *name[8];
	unsigned missing = 0;

	for (unsigned i = 0; report->metrics && i < metrics_count(report->metrics); i++) {
		char text[512] = "needs";
		unsigned n = regions_metric_missing(report, report->by_name, i, name, 8);

		if (!n)
			continue;
		if (!missing++)
			page_note(page, "Not all metrics are there: some need what was not counted.");
		for (unsigned k = 0; k < n && k < 8; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s", k ? "," : "",
				 name[k]);
		if (n > 8)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), " and others");
		page_fact(page, metrics_at(report->metrics, i)->name, text);
	}
	return true;
}

/* Without events the table of times is the first one on the page. */
static bool html_first(const void *arg, struct page *page)
{
	return html_opening(arg, page) && html_key(arg, page) && html_missing(arg, page);
}

static bool html_many(const void *arg, struct page *page)
{
	(void)arg;
	page_text(page, "There are many: upc_regions -t has each of them.");
	return true;
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

static void html_headings(const struct regions_sheet *sheet)
{
	const struct regions_report *report = sheet->report;

	sheet->regions->caption = sheet->opening ? "By region" : "Regions";
	sheet->regions->before = sheet->opening ? html_key : NULL;
	sheet->regions->behind = sheet->opening ? html_missing : html_first;
	if (sheet->opening) {
		sheet->opening->caption = "Regions";
		sheet->opening->behind = html_opening;
	}
	sheet->paths->caption = "By call path";
	if (sheet->imbalance) {
		sheet->imbalance->caption = "Imbalance";
		sheet->imbalance->before = html_imbalance;
	}
	if (!sheet->threads)
		return;
	sheet->threads->caption = "Threads";
	if (report->per_thread || thread_rows(report->data) <= THREAD_ROWS)
		return;
	sheet->threads->table = NULL;
	sheet->threads->before = html_many;
}

static bool html_data(struct page *page, const struct regions_report *report)
{
	struct regions_sheet sheet;
	bool done = regions_sheet_make(&sheet, report, SHEET_IN_JSON);

	page_section(page, "Data");
	page_text(page, "The whole report is in this page as JSON, as upc_regions -f json has it: the "
			"element \"report\".");
	page_data_begin(page, "report");
	done = done && sheet_json_to(page_data_put, page, &sheet.sheet);
	page_data_end(page);
	regions_sheet_free(&sheet);
	return done;
}

bool regions_print_html(FILE *out, const struct regions_report *report)
{
	struct page *page = page_begin(out, report->title, "Counts by region");
	struct regions_sheet sheet;
	bool done = regions_sheet_make(&sheet, report, SHEET_IN_HTML) && page;
	int error = 0;

	if (done) {
		html_headings(&sheet);
		done = html_notes(page, &sheet.sheet);
		done = done && sheet_html(page, sheet.section, sheet.sheet.sections);
		html_notes_table(page, &sheet.sheet);
		html_facts(page, report);
		done = done && html_data(page, report);
	}
	regions_sheet_free(&sheet);
	if (page)
		error = page_end(page);
	errno = error;
	return done && !error;
}
