/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_report.c - prints upc_stat's counts as text, JSON or CSV.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_report.h"

#include <stdlib.h>
#include <string.h>

#include "stat/stat_sheet.h"

uint64_t stat_part_value(const struct stat_report *report, const struct stat_part *part, unsigned i,
			 bool last)
{
	if (last || report->events->info[i].kind == UPC_KIND_LEVEL)
		return part->values[i];
	return part->values[i] - part->before[i];
}

bool stat_part_is_active(const struct stat_report *report, const struct stat_part *part, bool last)
{
	bool active = last || !part->ended;

	for (unsigned i = 0; i < report->events->n_own && !active; i++)
		active = part->values[i] != part->before[i];
	return active;
}

const char *stat_shortcoming(unsigned flags)
{
	return flags & UPC_COUNTER_NEVER     ? "not counted"
	       : flags & UPC_COUNTER_PARTIAL ? "partly counted"
	       : flags & UPC_COUNTER_LOST    ? "source lost"
					     : NULL;
}

double stat_cpus_used(const struct stat_report *report, const struct stat_sample *sample)
{
	const struct stat_events *events = report->events;

	/* The task clock of a CPU also runs while the CPU is idle. */
	if (strcmp(report->context, "program") != 0 && strcmp(report->context, "process") != 0)
		return 0;
	for (unsigned i = 0; i < events->n && sample->seconds > 0; i++)
		if (strcmp(events->info[i].name, "perf::TASK-CLOCK") == 0 &&
		    stat_shortcoming(sample->flags[i]) == NULL)
			return (double)sample->values[i] / 1e9 / sample->seconds;
	return 0;
}

/* Return a sample with the means of all runs in values, which the caller frees, and the maximum memory of any
 * run. */
static struct stat_sample mean_of(const struct stat_report *report, const struct stat_runs *runs,
				  uint64_t *values)
{
	struct stat_sample sample = {
		.seconds = stat_runs_time(runs, STAT_ELAPSED).mean,
		.values = values,
		.flags = runs->flags,
		.last = true,
		.has_program = true,
	};

	for (unsigned i = 0; i < report->events->n; i++)
		values[i] = stat_spread_whole(stat_runs_event(runs, i).mean);
	for (unsigned k = 0; k < runs->n; k++)
		if (sample.end.max_resident_kib < runs->run[k].end.max_resident_kib)
			sample.end.max_resident_kib = runs->run[k].end.max_resident_kib;
	for (unsigned time = 0; time < STAT_TIMES; time++)
		sample.end.seconds[time] = stat_runs_time(runs, time).mean;
	sample.time = sample.seconds;
	return sample;
}

static void print_stat_report(const struct stat_report *report, const struct stat_sample *sample,
			      const struct stat_runs *runs)
{
	struct stat_sheet sheet;
	bool done = stat_sheet_make(&sheet, report, sample, runs);

	if (done && report->format == UTIL_TEXT)
		done = stat_text_print(&sheet);
	else if (done)
		done = (report->format == UTIL_CSV ? sheet_csv : sheet_json)(report->out, &sheet.sheet);
	stat_sheet_free(&sheet);
	/* A failed write is reported when the output is closed. */
	if (!done && !ferror(report->out))
		util_error("out of memory");
}

void stat_report_begin(const struct stat_report *report)
{
	if (report->format == UTIL_CSV)
		print_stat_report(report, NULL, NULL);
	fflush(report->out);
}

void stat_report_print(const struct stat_report *report, const struct stat_sample *sample)
{
	const bool of_several = sample->last && report->repeat > 1;

	if (!of_several || report->format == UTIL_CSV)
		print_stat_report(report, sample, NULL);
	/* The caller flushes the last sample and checks for errors. */
	if (!sample->last || of_several)
		fflush(report->out);
}

void stat_report_runs(const struct stat_report *report, const struct stat_runs *runs)
{
	uint64_t *values = calloc(report->events->n + 1, sizeof(*values));
	struct stat_sample sample;

	if (values == NULL) {
		util_error("out of memory");
		return;
	}
	sample = mean_of(report, runs, values);
	print_stat_report(report, &sample, runs);
	free(values);
}
