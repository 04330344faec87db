/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_csv.c - what upc_stat has counted, as CSV.
 */
#include <inttypes.h>

#include "lib/data.h"
#include "stat/stat_report.h"

/* The columns that say which part it is. */
static const char *part_columns(enum stat_by by)
{
	static const char *const columns[] = {
		[STAT_BY_NONE] = "",        [STAT_BY_THREAD] = "pid,tid,thread,",
		[STAT_BY_PROCESS] = "pid,", [STAT_BY_CPU] = "cpu,",
		[STAT_BY_CORE] = "core,",   [STAT_BY_SOCKET] = "socket,",
		[STAT_BY_NODE] = "node,",
	};

	return columns[by];
}

static bool has_runs(const struct stat_report *report)
{
	return report->repeat > 1;
}

void stat_csv_begin(const struct stat_report *report)
{
	fprintf(report->out,
		"%s%stime,%sevent,value,%sunit,scope,kind,subsystem,seconds,shortcoming,"
		"wiring,version\n",
		has_runs(report) ? "run," : "", report->intervals ? "record," : "", part_columns(report->by),
		has_runs(report) ? "deviation,spread_percent," : "");
}

/* Where part is NULL it is all of them. */
static void put_part_lines(const struct stat_report *report, const struct stat_part *part)
{
	FILE *out = report->out;

	if (report->by == STAT_BY_NONE)
		return;
	if (report->by == STAT_BY_THREAD) {
		if (part != NULL)
			fprintf(out, "%d,%d", (int)part->pid, (int)part->tid);
		else
			fputc(',', out);
		fputc(',', out);
	}
	if (part != NULL)
		util_csv_put(out, part->name);
	fputc(',', out);
}

/* Writes the fields behind an event's value. */
static void put_rest(const struct stat_report *report, const struct stat_sample *sample, unsigned i,
		     unsigned flags)
{
	const struct upc_event_info *info = &report->events->info[i];
	const char *shortcoming = stat_shortcoming(flags);
	FILE *out = report->out;

	util_csv_put(out, info->unit);
	fprintf(out, ",%s,%s,", util_scope_name(info->scope), util_kind_name(info->kind));
	util_csv_put(out, info->subsystem);
	fprintf(out, ",%.6f,%s,%s,%s\n", sample->seconds, shortcoming != NULL ? shortcoming : "",
		upc_catalogue_wiring_hash(report->events->catalogue), upc_version());
}

static void put_part_line(const struct stat_report *report, const struct stat_sample *sample,
			  const struct stat_part *part, unsigned i)
{
	FILE *out = report->out;

	if (report->intervals)
		fprintf(out, "%s,", sample->last ? "total" : "interval");
	fprintf(out, "%.6f,", sample->time);
	put_part_lines(report, part);
	util_csv_put(out, report->events->info[i].name);
	fprintf(out, ",%" PRIu64 ",%s",
		part != NULL ? stat_part_value(report, part, i, sample->last) : sample->values[i],
		has_runs(report) ? ",," : "");
	put_rest(report, sample, i, part != NULL ? part->flags[i] : sample->flags[i]);
}

void stat_csv_print(const struct stat_report *report, const struct stat_sample *sample, unsigned number)
{
	const struct stat_events *events = report->events;

	for (unsigned i = 0; i < events->n; i++) {
		if (number > 0)
			fprintf(report->out, "%u,", number);
		put_part_line(report, sample, NULL, i);
	}
	for (unsigned k = 0; report->parts != NULL && k < report->parts->n; k++)
		if (stat_part_is_active(report, &report->parts->part[k], sample->last))
			for (unsigned i = 0; i < events->n_own; i++)
				put_part_line(report, sample, &report->parts->part[k], i);
}

void stat_csv_means(const struct stat_report *report, const struct stat_sample *sample,
		    const struct stat_runs *runs)
{
	for (unsigned i = 0; i < report->events->n; i++) {
		struct stat_spread spread = stat_runs_event(runs, i);

		fprintf(report->out, "mean,%s%.6f,", report->intervals ? "total," : "", sample->time);
		util_csv_put(report->out, report->events->info[i].name);
		fprintf(report->out, ",%.15g,%.6g,%.6g,", spread.mean, spread.deviation,
			stat_spread_percent(&spread));
		put_rest(report, sample, i, sample->flags[i]);
	}
}
