/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_wide.c - a line for each node and interval, a column for each metric's place, as the paper's CSV
 * has its metric sets. It is written while archives are read, so its columns are those that the
 * archives name when they are opened.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/names.h"
#include "jobstat/report.h"
#include "lib/data.h"
#include "lib/list.h"

struct column {
	char *metric, *place;
};

struct report_wide {
	FILE *out;
	struct column *column;
	unsigned columns;
	bool failed, all;
	/* The rows of nodes in the interval that is written; their values come metric by metric. */
	char **node;
	double *value; /* [nodes][columns] */
	unsigned nodes;
	char *job; /* its name */
	int64_t time_ns;
	struct archive *archive; /* whose names are asked for */
	unsigned next;
};

static void add_column(struct report_wide *wide, const char *metric, const char *place)
{
	struct column *more;

	for (unsigned i = 0; i < wide->columns; i++)
		if (strcmp(wide->column[i].metric, metric) == 0 && strcmp(wide->column[i].place, place) == 0)
			return;
	if (!util_grow(&wide->column, wide->columns, sizeof(*more))) {
		wide->failed = true;
		return;
	}
	more = &wide->column[wide->columns];
	*more = (struct column){strdup(metric), strdup(place)};
	if (more->metric == NULL || more->place == NULL)
		wide->failed = true;
	else
		wide->columns++;
}

static void add_metric(const char *full, void *arg)
{
	struct report_wide *wide = arg;
	enum jobstat_scope scope;
	const char *name = full;
	const enum names_kind kind = names_kind(full, &scope, &name);

	if (kind == NAMES_VALUE || (kind == NAMES_FOREIGN && wide->all)) {
		char **place = NULL;
		const int n = archive_places(wide->archive, full, &place);

		for (int i = 0; i < n; i++)
			add_column(wide, kind == NAMES_VALUE ? name : full, place[i]);
		if (n == 0)
			add_column(wide, kind == NAMES_VALUE ? name : full, "");
		free(place);
	}
}

static int by_column(const void *a, const void *b)
{
	const struct column *x = a, *y = b;
	const int order = strverscmp(x->metric, y->metric);

	return order != 0 ? order : strverscmp(x->place, y->place);
}

struct report_wide *report_wide(FILE *out, struct archives *archives, const struct define *define, bool all)
{
	struct report_wide *wide = calloc(1, sizeof(*wide));
	char name[600];

	if (wide == NULL)
		return NULL;
	wide->out = out;
	wide->all = all;
	for (unsigned k = 0; k < archives->nodes; k++) {
		wide->archive = &archives->node[k];
		archive_names(wide->archive, add_metric, wide);
	}
	if (wide->columns > 0)
		qsort(wide->column, wide->columns, sizeof(*wide->column), by_column);
	/* A definition has a column for the node's own number. */
	for (unsigned d = 0; d < define_count(define); d++)
		add_column(wide, define_name(define, d), "");
	fputs("time,job,node", out);
	for (unsigned i = 0; i < wide->columns; i++) {
		snprintf(name, sizeof(name), "%s%s%s", wide->column[i].metric,
			 wide->column[i].place[0] != '\0' ? "." : "", wide->column[i].place);
		putc(',', out);
		util_csv_put(out, name);
	}
	putc('\n', out);
	return wide;
}

static void put_wide_rows(struct report_wide *wide)
{
	char time[REPORT_TIME_MAX];

	report_time(wide->time_ns, time);
	for (unsigned k = 0; k < wide->nodes; k++) {
		const double *value = &wide->value[(size_t)k * wide->columns];

		fprintf(wide->out, "%s,", time);
		util_csv_put(wide->out, wide->job != NULL ? wide->job : "");
		putc(',', wide->out);
		util_csv_put(wide->out, wide->node[k]);
		for (unsigned i = 0; i < wide->columns; i++)
			if (isnan(value[i]))
				putc(',', wide->out);
			else
				fprintf(wide->out, ",%.9g", value[i]);
		putc('\n', wide->out);
		free(wide->node[k]);
	}
	wide->nodes = 0;
}

static void begin_wide_interval(void *arg, const struct jobs_job *job, int64_t start_ns, uint64_t interval_ns)
{
	struct report_wide *wide = arg;

	(void)interval_ns;
	put_wide_rows(wide);
	if (wide->job == NULL || strcmp(wide->job, job->id) != 0) {
		free(wide->job);
		wide->job = strdup(job->id);
	}
	wide->time_ns = start_ns;
}

/* The row of a node: they come in the same order for each metric. */
static double *wide_row_of(struct report_wide *wide, const char *node)
{
	double *values;

	for (unsigned k = 0; k < wide->nodes; k++)
		if (strcmp(wide->node[k], node) == 0)
			return &wide->value[(size_t)k * wide->columns];
	if (!util_grow(&wide->node, wide->nodes, sizeof(*wide->node)) ||
	    !util_grow(&wide->value, wide->nodes, wide->columns * sizeof(*values)) ||
	    (wide->node[wide->nodes] = strdup(node)) == NULL) {
		wide->failed = true;
		return NULL;
	}
	values = &wide->value[(size_t)wide->nodes++ * wide->columns];
	for (unsigned i = 0; i < wide->columns; i++)
		values[i] = NAN;
	return values;
}

static void put_wide_value(void *arg, const char *node, const struct jobstat_metric *metric, int place,
			   const char *place_name, double value)
{
	struct report_wide *wide = arg;
	double *row = wide->columns > 0 && !wide->failed ? wide_row_of(wide, node) : NULL;

	(void)place;
	if (row == NULL || isnan(value))
		return;
	for (unsigned i = 0; i < wide->columns; i++) {
		const unsigned at = (wide->next + i) % wide->columns;

		if (strcmp(wide->column[at].metric, metric->name) == 0 &&
		    strcmp(wide->column[at].place, place_name) == 0) {
			row[at] = value;
			wide->next = at + 1;
			return;
		}
	}
}

void report_wide_watch(struct report_wide *wide, struct gather_watch *watch)
{
	*watch = (struct gather_watch){.interval = begin_wide_interval, .value = put_wide_value, .arg = wide};
}

int report_wide_end(struct report_wide *wide)
{
	const bool failed = wide->failed;

	put_wide_rows(wide);
	for (unsigned i = 0; i < wide->columns; i++) {
		free(wide->column[i].metric);
		free(wide->column[i].place);
	}
	free(wide->column);
	free(wide->job);
	free(wide->node);
	free(wide->value);
	free(wide);
	if (failed)
		util_error("out of memory");
	return failed ? -1 : 0;
}
