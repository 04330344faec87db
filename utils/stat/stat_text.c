/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_text.c - prints upc_stat's text report: the lines before and after the tables of its sheet.
 *
 * Terms: stat/stat_session.h, sheet/sheet.h.
 */
#include <string.h>

#include "stat/stat_sheet.h"

static void print_title(const struct stat_report *report, const struct stat_runs *runs, unsigned width)
{
	char means[40] = "";
	unsigned room;
	bool fits;

	if (runs != NULL)
		snprintf(means, sizeof(means), ", mean of %u run%s", runs->n, runs->n == 1 ? "" : "s");
	room = width - 12 - (unsigned)strlen(means);
	fits = util_columns(report->title) <= room;
	fputs(" Counts of ", report->out);
	util_put(report->out, report->title, fits ? room : room - 3);
	fprintf(report->out, "%s%s\n\n", fits ? "" : "...", means);
}

/* Print the times, such as "0.123456 s elapsed", with the spread of several runs. */
static void print_times(const struct stat_report *report, const struct stat_sample *sample,
			const struct stat_runs *runs)
{
	static const char *const words[] = {"elapsed", "user", "system"};
	const double cpus = stat_cpus_used(report, sample);

	for (unsigned time = 0; time < (sample->has_program ? STAT_TIMES : 1); time++) {
		fprintf(report->out, "%s%.6f s %s", time == 0 ? "  " : ", ",
			time == 0 ? sample->seconds : sample->end.seconds[time], words[time]);
		if (runs != NULL) {
			const struct stat_spread spread = stat_runs_time(runs, time);

			fprintf(report->out, " +- %.2f %%", stat_spread_percent(&spread));
		}
	}
	if (cpus > 0)
		fprintf(report->out, ", %.3f CPUs used", cpus);
	fputc('\n', report->out);
}

static void print_end(const struct stat_sheet *sheet)
{
	FILE *out = sheet->report->out;

	fputc('\n', out);
	print_times(sheet->report, sheet->sample, sheet->runs);
	if (sheet->sample->end.max_resident_kib > 0) {
		char most[UTIL_NUMBER_MAX];

		util_format_count(sheet->sample->end.max_resident_kib, most);
		fprintf(out, "  %s KiB resident at most\n", most);
	}
	for (size_t i = 0; i < sheet->sheet.notes; i++) {
		const struct sheet_note *note = &sheet->note[i];

		fprintf(out, "%s%s%s%s\n", note->name != NULL ? "    " : "  ",
			note->name != NULL ? note->name : "", note->name != NULL ? ": " : "", note->what);
	}
	fputc('\n', out);
}

bool stat_text_print(const struct stat_sheet *sheet)
{
	const struct stat_report *report = sheet->report;
	const struct sheet_style style = {
		.width = util_width(report->out),
		.colour = util_colour(report->out),
		.zeros = report->zeros,
		/* List the names of events that are 0 only once, since they would be the same in every
		 * interval. */
		.unseen = sheet->sample->last,
	};
	bool done = true;

	fputc('\n', report->out);
	if (sheet->sample->last)
		print_title(report, sheet->runs, style.width);
	else
		fprintf(report->out, report->repeat > 1 ? " at %.3f s of run %u\n" : " at %.3f s\n",
			sheet->sample->time, report->run);
	for (size_t i = 0; done && i < sheet->sheet.sections; i++) {
		fputs(i > 0 ? "\n" : "", report->out);
		done = sheet_text(report->out, &sheet->section[i], &style);
	}
	if (sheet->sample->last)
		print_end(sheet);
	return done;
}
