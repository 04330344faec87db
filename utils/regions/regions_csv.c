/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_csv.c - a line for each region or call path, and event; those of one thread have its number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/data.h"
#include "regions/regions_metrics.h"
#include "regions/regions_report.h"

enum { FIELDS = 19, VALUE = 5 };

struct csv {
	FILE *out;
	const struct regions_report *report;
	const struct regions_data *data;
	enum regions_by by;
	uint32_t *order, n;
};

static void put_real(char text[UTIL_NUMBER_MAX], double value)
{
	if (isfinite(value))
		snprintf(text, UTIL_NUMBER_MAX, "%.12g", value);
	else
		text[0] = '\0';
}

/* Value, low, high, standard error, whether it is exact: yes, no, or "partial". */
static void put_value(char text[VALUE][UTIL_NUMBER_MAX], const struct upcr_value *value)
{
	if (regions_is_nothing(value)) {
		strcpy(text[4], "uncounted");
		return;
	}
	put_real(text[0], value->value);
	put_real(text[1], value->low);
	put_real(text[2], value->high);
	put_real(text[3], value->error);
	if (upcr_is_exact(value))
		snprintf(text[0], UTIL_NUMBER_MAX, "%llu", (unsigned long long)value->whole);
	strcpy(text[4], upcr_is_exact(value) ? "1" : upcr_is_lower_bound(value) ? "partial" : "0");
}

/* The same of a metric. */
static void put_metric(char text[VALUE][UTIL_NUMBER_MAX], const struct metric_value *value)
{
	if (value->missing) {
		strcpy(text[4], "missing");
		return;
	}
	put_real(text[0], value->value);
	put_real(text[1], value->low);
	put_real(text[2], value->high);
	put_real(text[3], value->error);
	strcpy(text[4], value->exact ? "1" : value->at_least || value->unsure ? "partial" : "0");
}

static bool put_line(const struct csv *csv, uint32_t key, const struct regions_counts *counts,
		     const struct regions_process *process, const struct regions_thread *thread)
{
	char own[3][UTIL_NUMBER_MAX] = {"", "", ""}, of[4][UTIL_NUMBER_MAX] = {"", "", "", ""};
	char *path = csv->by == REGIONS_BY_PATH ? regions_path_text(csv->data, key) : strdup("");
	const struct metrics *metrics = csv->report->metrics;
	uint32_t i = 0, events = csv->data->events.n;
	uint32_t lines = events + (metrics ? metrics_count(metrics) : 0);

	if (!path)
		return false;
	snprintf(of[0], sizeof(of[0]), "%llu", (unsigned long long)counts->calls);
	put_real(of[1], counts->seconds);
	put_real(of[2], counts->own_seconds);
	if (process && process->rank >= 0)
		snprintf(own[1], sizeof(own[1]), "%ld", process->rank);
	if (process)
		snprintf(own[0], sizeof(own[0]), "%ld", process->pid);
	if (thread && thread->tid >= 0)
		snprintf(own[2], sizeof(own[2]), "%ld", thread->tid);
	do {
		char value[2][VALUE][UTIL_NUMBER_MAX] = {{"", "", "", "", ""}, {"", "", "", "", ""}};
		const char *fields[FIELDS];
		unsigned k, n = 0;

		fields[n++] = regions_name_of(csv->data, csv->by, key);
		fields[n++] = path;
		for (k = 0; k < 3; k++)
			fields[n++] = own[k];
		for (k = 0; k < 3; k++)
			fields[n++] = of[k];
		fields[n++] = i < events  ? csv->data->events.text[i]
			      : i < lines ? metrics_at(metrics, i - events)->name
					  : "";
		if (i >= events && i < lines) {
			struct metric_value metric;

			for (k = 0; k < 2; k++) {
				regions_metric(csv->report, i - events, counts, k, &metric);
				put_metric(value[k], &metric);
			}
		} else if (i < events) {
			put_value(value[0], &counts->value[i]);
			put_value(value[1], &counts->own[i]);
		}
		for (k = 0; k < 2 * VALUE; k++)
			fields[n++] = value[k / VALUE][k % VALUE];
		util_csv_row(csv->out, fields, n);
	} while (++i < lines);
	free(path);
	return true;
}

static bool put_thread(void *arg, const struct regions_process *process, const struct regions_thread *thread,
		       const struct regions_part *part)
{
	const struct csv *csv = arg;
	bool done = true;
	uint32_t at;

	for (at = 0; done && at < csv->n; at++)
		if (part->counts[csv->order[at]].used)
			done = put_line(csv, csv->order[at], &part->counts[csv->order[at]], process, thread);
	return done;
}

bool regions_print_csv(FILE *out, const struct regions_report *report)
{
	const struct regions_sums *sums = report->paths ? report->by_path : report->by_name;
	struct csv csv = {.out = out, .report = report, .data = report->data, .by = sums->by};
	bool done;
	uint32_t at;

	csv.order = regions_order(report->data, sums, &csv.n);
	done = csv.order != NULL;
	fputs("region,path,pid,rank,tid,calls,seconds,exclusive_seconds,event,value,low,high,standard_error,"
	      "exact,exclusive_value,exclusive_low,exclusive_high,exclusive_standard_error,exclusive_exact\n",
	      out);
	for (at = 0; done && at < csv.n; at++)
		done = put_line(&csv, csv.order[at], &sums->line[csv.order[at]].counts, NULL, NULL);
	if (done && report->per_thread)
		done = regions_each_thread(report->data, sums->by, put_thread, &csv);
	free(csv.order);
	return done;
}
