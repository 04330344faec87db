/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_text.c - the report of a run as text: the lines before and after the tables.
 */
#include "run/run_text.h"

#include <string.h>

#include "lib/common.h"
#include "run/run_guest.h"

/* ---- before and after the tables ---------------------------------------------------------- */

static void run_text_head(const struct run_report *report)
{
	const struct run_counts *counts = &report->counts;
	char guests[80] = "", title[400], text[200], processes[UTIL_NUMBER_MAX], threads[UTIL_NUMBER_MAX];
	unsigned width = util_width(report->out), column;
	int cores = __builtin_popcount(counts->cores);
	bool long_title;

	for (unsigned g = 0; g < UPCS_GUESTS; g++)
		if (counts->guests >> g & 1)
			snprintf(guests + strlen(guests), sizeof(guests) - strlen(guests), "%s%s",
				 guests[0] != '\0' ? ", " : "", upcs_guest_name((enum upcs_guest)g));
	run_report_title(report, title, sizeof(title));
	util_format_count(counts->processes, processes);
	util_format_count(counts->threads, threads);
	snprintf(text, sizeof(text), ": %s, %s process%s, %s thread%s on %d core%s, %.3f s", guests,
		 processes, counts->processes == 1 ? "" : "es", threads, counts->threads == 1 ? "" : "s",
		 cores, cores == 1 ? "" : "s", report->seconds);
	long_title = 1 + util_columns(title) + util_columns(text) > width;
	fputs("\n ", report->out);
	/* Long commands are shortened, not the counts after them. */
	column = 1 + util_columns(text) + 13 < width ? width - 1 - util_columns(text) - 3 : 10;
	util_put(report->out, title, long_title ? column : UINT32_MAX);
	fprintf(report->out, "%s%s\n\n", long_title ? "..." : "", text);
}

static double sum_vector_flops(const struct run_vector *vector)
{
	return vector->item[UPCS_INSTRUCTIONS] > 0
		       ? (double)vector->item[UPCS_FP_OPS] / (double)vector->item[UPCS_INSTRUCTIONS]
		       : 0;
}

static void run_text_note(const struct run_report *report, const char *text)
{
	fputs("  Note: ", report->out);
	util_wrap(report->out, text, 8, 8, util_width(report->out));
	fputs(".\n", report->out);
}

/* Explain the pipes, if the report shows their events. */
static void run_text_pipes(const struct run_report *report)
{
	for (unsigned item = UPCS_JPIPE_INSTRUCTIONS; item <= UPCS_IPIPE_OTHER; item++)
		if (run_events_has_item(&report->options->events, item)) {
			fputs("  ", report->out);
			util_wrap(report->out, UTIL_PIPES, 2, 2, util_width(report->out));
			fputs(".\n", report->out);
			return;
		}
}

/* Print the floating-point operations per instruction. Zero is a word, and small numbers are not rounded to
 * zero. */
static void put_flops(FILE *out, const struct run_vector *vector, const char *none)
{
	if (upcs_bound_of(vector->doubt) == UPCS_BOUND_NONE)
		fputs("an unknown number of", out);
	else if (vector->item[UPCS_FP_OPS] == 0)
		fputs(none, out);
	else if (sum_vector_flops(vector) < 0.001)
		fputs("fewer than 0.001", out);
	else
		fprintf(out, "%.3f", sum_vector_flops(vector));
}

/* Explain the marks of columns. */
static void run_text_exactness(FILE *out, unsigned marks)
{
	static const char *const what[] = {
		[SHEET_AT_LEAST] = "The truth is at least the counts of columns with >=. ",
		[SHEET_AT_MOST] = "The truth is at most the counts of columns with <=. ",
		[SHEET_ESTIMATE] = "The counts of columns with ~ may be less or more than the truth. ",
		[SHEET_UNCOUNTED] = "Columns with ? have none. ",
	};
	char text[600] = "Percents are of INSTRUCTIONS. ";
	const bool exact = marks == 1u << SHEET_EXACT;

	for (unsigned e = SHEET_AT_LEAST; e <= SHEET_UNCOUNTED; e++)
		if (marks >> e & 1)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s", what[e]);
	snprintf(
		text + strlen(text), sizeof(text) - strlen(text),
		"All %scounts are exact: of every instruction that began, as what a Blue Gene/P core would have "
		"done for it.",
		exact ? "" : "other ");
	fputs("  ", out);
	util_wrap(out, text, 2, 2, 80);
	fputc('\n', out);
}

static void run_text_end(const struct run_report *report, unsigned marks)
{
	const struct run_counts *counts = &report->counts;
	FILE *out = report->out;

	fputs("\n  ", out);
	put_flops(out, &counts->sum[0], "no");
	fprintf(out, " floating-point operations%s\n",
		counts->sum[0].item[UPCS_FP_OPS] > 0 ? " an instruction" : "");
	for (unsigned r = 0; r < report->options->regions; r++) {
		char times[UTIL_NUMBER_MAX];

		util_format_count(counts->entered[r], times);
		fputs("  ", out);
		put_flops(out, &counts->sum[1 + r], "none");
		fputs(" in ", out);
		util_put(out, report->options->region[r], 200);
		if (upcs_bound_of(run_entered_doubt(counts, r)) == UPCS_BOUND_NONE)
			fputs(", entered an unknown number of times\n", out);
		else
			fprintf(out, ", entered %s time%s\n", times, counts->entered[r] == 1 ? "" : "s");
	}
	run_text_exactness(out, marks);
}

static void run_text_title(const struct run_report *report)
{
	const unsigned width = util_width(report->out);
	char title[400];

	run_report_title(report, title, sizeof(title));
	fputs("\n Counts of ", report->out);
	util_put(report->out, title, util_columns(title) <= width - 12 ? width - 12 : width - 15);
	fputs(util_columns(title) <= width - 12 ? "\n\n" : "...\n\n", report->out);
}

bool run_text(const struct run_report *report, const struct sheet *sheet, bool stat)
{
	const struct run_options *options = report->options;
	const struct sheet_style style = {
		.width = util_width(report->out),
		.colour = util_colour(report->out),
		.zeros = options->zeros || (options->events.asked && options->events.plain),
		.unseen = true,
	};
	bool done = true;

	if (stat)
		run_text_title(report);
	else
		run_text_head(report);
	for (size_t i = 0; done && i < sheet->sections; i++)
		done = sheet_text(report->out, &sheet->section[i], &style);
	if (stat)
		fprintf(report->out, "\n  %.6f s elapsed, simulated\n", report->seconds);
	else
		run_text_end(report, sheet_marks(sheet));
	run_text_pipes(report);
	for (size_t i = 0; i < sheet->notes; i++)
		run_text_note(report, sheet->note[i].what);
	fputc('\n', report->out);
	return done;
}
