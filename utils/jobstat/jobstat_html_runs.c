/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_runs.c - comparison of several runs: figure 8, which shows each run's standard deviation
 * over its nodes as a line, and a table whose numbers distinguish good runs from bad ones.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_html_parts.h"
#include "page/page_axis.h"
#include "lib/list.h"

struct run {
	char *name, *bad;
	int64_t start_ns;
	double seconds, step;
	unsigned nodes;
	size_t steps;
	double *sd; /* [steps] */
	double mean, spread, most;
};

struct html_runs {
	struct run *run;
	size_t n;
	char *metric, *unit;
};

struct html_runs *html_runs_create(void)
{
	return calloc(1, sizeof(struct html_runs));
}

void html_runs_free(struct html_runs *runs)
{
	size_t i;

	for (i = 0; runs && i < runs->n; i++) {
		free(runs->run[i].name);
		free(runs->run[i].bad);
		free(runs->run[i].sd);
	}
	if (runs) {
		free(runs->run);
		free(runs->metric);
		free(runs->unit);
	}
	free(runs);
}

size_t html_runs_count(const struct html_runs *runs)
{
	return runs->n;
}

/* Return the FLOP rate, as in the paper; else the bandwidth; else the first metric that any node has; -1:
 * none. */
static int choose_runs_metric(const struct jobstat_job *job)
{
	unsigned i;

	if (job->flops >= 0 || job->bandwidth >= 0)
		return job->flops >= 0 ? job->flops : job->bandwidth;
	for (i = 0; i < job->metrics; i++)
		if (html_nodes_with(job, i))
			return (int)i;
	return -1;
}

/* Return the index of the metric that all runs show, which is chosen for the first run; -1: the job lacks
 * the metric. */
static int same_metric(struct html_runs *runs, const struct jobstat_job *job)
{
	int metric = choose_runs_metric(job);
	unsigned i;

	if (runs->metric) {
		for (i = 0; i < job->metrics; i++)
			if (!strcmp(job->metric[i].name, runs->metric))
				return (int)i;
		return -1;
	}
	if (metric >= 0) {
		runs->metric = strdup(job->metric[metric].name);
		runs->unit = strdup(job->metric[metric].unit ? job->metric[metric].unit : "");
	}
	return runs->metric && runs->unit ? metric : -1;
}

static char *bad_nodes(const struct jobstat_job *job)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned i, n = 0;

	for (i = 0; out && i < job->findings; i++)
		if (job->finding[i].bad)
			fprintf(out, "%s%s (%s)", n++ ? ", " : "", job->finding[i].nodes,
				jobstat_finding_name(job->finding[i].kind));
	if (!out || fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void take_numbers(struct run *run, const struct jobstat_job *job, int metric)
{
	double *mean = run->sd + run->steps;
	unsigned i;

	for (i = 0; i < job->steps; i++) {
		const struct jobstat_point *point = metric < 0 ? NULL : &job->point[metric][i];

		mean[i] = point && point->nodes ? point->mean : NAN;
		run->sd[i] = point ? html_spread(job, (unsigned)metric, i) : NAN;
	}
	run->mean = html_inner_mean(mean, run->steps);
	run->spread = html_inner_mean(run->sd, run->steps);
	run->most = html_inner_most(run->sd, run->steps);
}

bool html_runs_add(struct html_runs *runs, const struct jobstat_job *job)
{
	struct run run = {.start_ns = job->start_ns,
			  .seconds = (double)(job->end_ns - job->start_ns) / 1e9,
			  .step = (double)job->step_ns / 1e9,
			  .nodes = job->nodes,
			  .steps = job->steps};
	const int metric = same_metric(runs, job);

	if (!util_grow(&runs->run, runs->n, sizeof(run)))
		return false;
	run.name = strdup(*job->id ? job->id : "the job");
	run.bad = bad_nodes(job);
	run.sd = calloc(2 * run.steps + 1, sizeof(*run.sd));
	if (!run.name || !run.bad || !run.sd) {
		free(run.name);
		free(run.bad);
		free(run.sd);
		return false;
	}
	take_numbers(&run, job, metric);
	runs->run[runs->n++] = run;
	return true;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* Draw the lines over common points of time, which have the finest step and reach to the end of the
 * longest run. Return false if out of memory. */
static bool put_figure(struct page *page, const struct html_runs *runs)
{
	const size_t n = runs->n < PAGE_LINES ? runs->n : PAGE_LINES;
	struct page_line line[PAGE_LINES];
	double *time, *value, step = INFINITY, longest = 0;
	size_t i, k, steps;
	char caption[200];

	for (i = 0; i < n; i++) {
		step = fmin(step, runs->run[i].step);
		longest = fmax(longest, runs->run[i].step * (double)runs->run[i].steps);
	}
	if (!(step > 0) || !(longest > 0) || longest / step > 1e7)
		return true;
	steps = (size_t)lround(longest / step);
	time = calloc(steps, sizeof(*time));
	value = calloc(n * steps, sizeof(*value));
	for (k = 0; time && k < steps; k++)
		time[k] = ((double)k + .5) * step;
	for (i = 0; time && value && i < n; i++) {
		const struct run *run = &runs->run[i];

		line[i] = (struct page_line){run->name, value + i * steps, 0};
		for (k = 0; k < steps; k++) {
			const size_t at = (size_t)(time[k] / run->step);

			value[i * steps + k] = at < run->steps ? run->sd[at] : NAN;
			line[i].n += at < run->steps;
		}
	}
	snprintf(caption, sizeof(caption), "Standard deviation over nodes of %s: one line a run",
		 runs->metric);
	if (time && value)
		page_lines(page, &(struct page_chart){.caption = caption,
						      .unit = *runs->unit ? runs->unit : NULL,
						      .prefix = true,
						      .decimals = 3,
						      .time = time,
						      .n = steps,
						      .line = line,
						      .lines = n});
	free(time);
	free(value);
	return time && value;
}

static const char spread_help[] = "Standard deviation over nodes, over the steps";

static void put_run_row(struct page *page, const struct run *run, double unit)
{
	char start[HTML_TIME_MAX], span[HTML_TIME_MAX];

	html_format_time(run->start_ns, start);
	html_format_span(run->seconds, span);
	page_row(page, (struct page_cell[]){
			       {.text = run->name},
			       {.text = run->bad},
			       {.count = run->nodes},
			       {.text = span},
			       {.value = run->mean / unit, .absent = isnan(run->mean)},
			       {.value = run->spread / unit, .absent = isnan(run->spread)},
			       {.value = run->most / unit, .absent = isnan(run->most)},
			       {.text = start},
		       });
}

static void put_runs_table(struct page *page, const struct html_runs *runs, const char *unit, double power)
{
	const struct page_column column[] = {
		{.header = "Run"},
		{.header = "Bad nodes"},
		{.header = "Nodes", .kind = PAGE_COUNT},
		{.header = "Time"},
		{.header = "Mean of nodes", .unit = unit, .kind = PAGE_NUMBER, .decimals = 3},
		{.header = "Spread, mean",
		 .unit = unit,
		 .help = spread_help,
		 .kind = PAGE_NUMBER,
		 .decimals = 3},
		{.header = "Spread, most",
		 .unit = unit,
		 .help = spread_help,
		 .kind = PAGE_NUMBER,
		 .decimals = 3},
		{.header = "Start"},
	};
	size_t i;

	page_table(page, "Each run", column, sizeof(column) / sizeof(*column));
	for (i = 0; i < runs->n; i++)
		put_run_row(page, &runs->run[i], power);
	page_table_end(page);
}

bool html_runs_put(struct page *page, const struct html_runs *runs)
{
	const char *prefix;
	double most = 0, power;
	char *unit;
	size_t i;

	for (i = 0; i < runs->n; i++)
		most = fmax(most, runs->run[i].mean);
	power = page_prefix_of(most, &prefix);
	if (asprintf(&unit, "%s%s", prefix, runs->unit ? runs->unit : "") < 0)
		return false;
	page_section(page, "Runs side by side");
	if (runs->metric && !put_figure(page, runs)) {
		free(unit);
		return false;
	}
	if (runs->metric)
		page_text(
			page,
			"A step in which fewer than nine of ten nodes have a value has no spread. Numbers of the "
			"table are without the first and the last step of each run, in which it starts and ends.");
	put_runs_table(page, runs, unit, power);
	free(unit);
	return true;
}
