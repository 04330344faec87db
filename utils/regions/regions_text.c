/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_text.c - the report for people: its title, the tables of its sheet, and notes.
 * Terms: regions/regions_data.h.
 */
#include "lib/common.h"
#include "regions/regions_metrics.h"
#include "regions/regions_sheet.h"

/* Lists the metrics that lack events in every region, with these events. */
static void text_missing(FILE *out, const struct regions_report *report)
{
	const struct metrics *metrics = report->metrics;
	const char *name[64];
	unsigned i, k, n = 0;

	for (i = 0; metrics && i < metrics_count(metrics); i++) {
		n = regions_metric_missing(report, report->by_name, i, name, 64);
		if (!n)
			continue;
		fputs("\nMissing: ", out);
		util_put(out, metrics_at(metrics, i)->name, UINT32_MAX);
		fputs(" needs ", out);
		for (k = 0; k < n && k < 64; k++) {
			fputs(k ? ", " : "", out);
			util_put(out, name[k], UINT32_MAX);
		}
	}
	if (metrics)
		fputs("\n", out);
}

static void text_notes(FILE *out, const struct sheet *sheet)
{
	if (sheet->notes)
		fputs("\n", out);
	for (size_t i = 0; i < sheet->notes; i++) {
		const struct sheet_note *note = &sheet->note[i];
		char times[UTIL_NUMBER_MAX];

		fputs("Note: ", out);
		if (note->name) {
			util_put(out, note->name, 80);
			fputs(": ", out);
		}
		util_put(out, note->what, UINT32_MAX);
		util_format_count(note->times, times);
		fprintf(out, note->times == 1 ? "\n" : " (%s times)\n", times);
	}
}

static void text_title(FILE *out, const struct regions_report *report)
{
	const struct regions_sums *sums = report->by_name;
	char processes[UTIL_NUMBER_MAX], threads[UTIL_NUMBER_MAX];

	util_format_count(sums->processes, processes);
	util_format_count(sums->threads, threads);
	fputs("Regions of ", out);
	util_put(out, report->title, UINT32_MAX);
	fprintf(out, ": %s process%s, %s thread%s", processes, sums->processes == 1 ? "" : "es", threads,
		sums->threads == 1 ? "" : "s");
	if (report->runs)
		fprintf(out, "; means of %u runs", report->runs->n);
	fputs("\n\n", out);
}

bool regions_print_text(FILE *out, const struct regions_report *report)
{
	const struct sheet_style style = {.width = util_width(out)};
	struct regions_sheet sheet;
	bool done = regions_sheet_make(&sheet, report, SHEET_IN_TEXT);

	if (done)
		text_title(out, report);
	for (size_t i = 0; done && i < sheet.sheet.sections; i++)
		if (sheet.section[i].forms & SHEET_IN_TEXT)
			done = sheet_text(out, &sheet.section[i], &style);
	if (done) {
		text_missing(out, report);
		text_notes(out, &sheet.sheet);
	}
	regions_sheet_free(&sheet);
	return done;
}
