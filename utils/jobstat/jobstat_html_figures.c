/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_figures.c - figures of a job over time: its rates, their spread over nodes, and the memory
 * bandwidth of the NUMA nodes, for one representative node and for the nodes that stand apart.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_html_parts.h"
#include "jobstat/jobstat_sheet.h"
#include "page/page_axis.h"

enum {
	PLAIN = 6,    /* maximum number of drawn metrics if there is neither bandwidth nor FLOPs */
	DIVERGENT = 3 /* maximum number of divergent nodes with their own figure */
};

/* Lines over a job's steps, and bands that mark steps with missing values. */
struct lines {
	const struct jobstat_job *job;
	double *time, *value; /* [steps], [PAGE_LINES][steps] */
	struct page_line line[PAGE_LINES];
	char (*label)[64];
	size_t n, left_out;
	struct page_band *band;
	char (*why)[160];
	size_t bands;
};

static void lines_end(struct lines *lines)
{
	free(lines->time);
	free(lines->value);
	free(lines->label);
	free(lines->band);
	free(lines->why);
}

/* Allocate the lines. Each point is in the middle of its step, because a value is the mean over the step.
 * Return false if out of memory. */
static bool lines_begin(struct lines *lines, const struct jobstat_job *job)
{
	const size_t steps = job->steps;
	size_t i;

	*lines = (struct lines){.job = job};
	lines->time = calloc(steps + 1, sizeof(*lines->time));
	lines->value = calloc((steps + 1) * PAGE_LINES, sizeof(*lines->value));
	lines->label = calloc(PAGE_LINES, sizeof(*lines->label));
	lines->band = calloc(steps + 1, sizeof(*lines->band));
	lines->why = calloc(steps + 1, sizeof(*lines->why));
	if (!lines->time || !lines->value || !lines->label || !lines->band || !lines->why) {
		lines_end(lines);
		return false;
	}
	for (i = 0; i < steps; i++)
		lines->time[i] = ((double)i + .5) * (double)job->step_ns / 1e9;
	return true;
}

/* Add a line and return its values, to be filled in; NULL: the maximum number of lines is reached. */
static double *lines_add(struct lines *lines)
{
	double *value = lines->value + lines->n * (lines->job->steps + 1);

	if (lines->n == PAGE_LINES) {
		lines->left_out++;
		return NULL;
	}
	lines->line[lines->n] = (struct page_line){lines->label[lines->n], value, 0};
	lines->n++;
	return value;
}

/* Mark step i with a band. The band continues the previous one if both have the same label. */
static void lines_band(struct lines *lines, unsigned i, const char *why)
{
	const double step = (double)lines->job->step_ns / 1e9;
	struct page_band *last = lines->bands ? &lines->band[lines->bands - 1] : NULL;

	if (!last || fabs(last->to - i * step) > step / 2 || strcmp(last->label, why)) {
		last = &lines->band[lines->bands];
		snprintf(lines->why[lines->bands], sizeof(*lines->why), "%s", why);
		*last = (struct page_band){.from = i * step, .label = lines->why[lines->bands++]};
	}
	last->to = (i + 1) * step;
}

/* Draw the lines. With a unit prefix, three decimals show about four digits. */
static void lines_put(struct page *page, struct lines *lines, const char *caption, const char *unit,
		      double peak, const char *peak_words)
{
	page_lines(page, &(struct page_chart){.caption = caption,
					      .unit = unit && *unit ? unit : NULL,
					      .prefix = true,
					      .decimals = 3,
					      .started = (double)lines->job->first_ns / 1e9,
					      .time = lines->time,
					      .n = lines->job->steps,
					      .line = lines->line,
					      .lines = lines->n + lines->left_out,
					      .peak = peak,
					      .peak_words = peak_words,
					      .band = lines->band,
					      .bands = lines->bands});
}

static void band_of_nodes(struct lines *lines, unsigned metric)
{
	const unsigned all = html_nodes_with(lines->job, metric);
	char why[80];
	unsigned i;

	for (i = 0; i < lines->job->steps; i++) {
		const unsigned nodes = lines->job->point[metric][i].nodes;

		if (nodes >= all)
			continue;
		snprintf(why, sizeof(why), "%u of %u nodes without a value", all - nodes, all);
		lines_band(lines, i, why);
	}
}

/* ---- figures of all nodes -------------------------------------------------------------------- */

/* Draw the sum over all nodes of the job in each step. A step in which a node has no value has no sum. */
static bool put_whole(struct page *page, const struct jobstat_job *job, unsigned metric, const char *what)
{
	const unsigned all = html_nodes_with(job, metric);
	struct lines lines;
	char caption[200];
	double *sum;
	unsigned i;

	if (!lines_begin(&lines, job))
		return false;
	sum = lines_add(&lines);
	snprintf(lines.label[0], sizeof(*lines.label), "whole job, %u node%s", all, all == 1 ? "" : "s");
	for (i = 0; i < job->steps; i++) {
		const struct jobstat_point *point = &job->point[metric][i];

		sum[i] = point->nodes == all && all ? point->mean * all : NAN;
	}
	band_of_nodes(&lines, metric);
	snprintf(caption, sizeof(caption), "%s of the job", what);
	lines_put(page, &lines, caption, job->metric[metric].unit, 0, NULL);
	lines_end(&lines);
	return true;
}

static bool put_over_nodes(struct page *page, const struct jobstat_job *job, unsigned metric,
			   const char *what)
{
	struct lines lines;
	double *mean, *least, *most;
	char caption[200];
	unsigned i;

	if (html_nodes_with(job, metric) < 2)
		return true;
	if (!lines_begin(&lines, job))
		return false;
	mean = lines_add(&lines);
	least = lines_add(&lines);
	most = lines_add(&lines);
	snprintf(lines.label[0], sizeof(*lines.label), "mean of nodes");
	snprintf(lines.label[1], sizeof(*lines.label), "least of nodes");
	snprintf(lines.label[2], sizeof(*lines.label), "most of nodes");
	for (i = 0; i < job->steps; i++) {
		const struct jobstat_point *point = &job->point[metric][i];

		mean[i] = point->nodes ? point->mean : NAN;
		least[i] = point->nodes ? point->min : NAN;
		most[i] = point->nodes ? point->max : NAN;
	}
	band_of_nodes(&lines, metric);
	snprintf(caption, sizeof(caption), "%s of a node", what);
	lines_put(page, &lines, caption, job->metric[metric].unit, 0, NULL);
	lines_end(&lines);
	return true;
}

static bool put_spread_figure(struct page *page, const struct jobstat_job *job, unsigned metric,
			      const char *what)
{
	struct lines lines;
	char caption[200];
	double *sd;
	unsigned i;

	if (html_nodes_with(job, metric) < 2)
		return true;
	if (!lines_begin(&lines, job))
		return false;
	sd = lines_add(&lines);
	snprintf(lines.label[0], sizeof(*lines.label), "standard deviation");
	for (i = 0; i < job->steps; i++)
		sd[i] = html_spread(job, metric, i);
	band_of_nodes(&lines, metric);
	snprintf(caption, sizeof(caption), "Spread over nodes: standard deviation of %s", what);
	lines_put(page, &lines, caption, job->metric[metric].unit, 0, NULL);
	lines_end(&lines);
	return true;
}

/* Draw other metrics of a job that has neither FLOPs nor bandwidth. */
static bool put_metrics(struct page *page, const struct jobstat_job *job)
{
	unsigned i, k = 0;

	for (i = 0; i < job->metrics && k < PLAIN; i++) {
		const char *name = job->metric[i].name;

		if (!html_nodes_with(job, i))
			continue;
		if (!k++)
			page_section(page, "Rates");
		if (html_nodes_with(job, i) < 2
			    ? !put_whole(page, job, i, name)
			    : !put_over_nodes(page, job, i, name) || !put_spread_figure(page, job, i, name))
			return false;
	}
	return true;
}

bool html_put_rates(const void *arg, struct page *page)
{
	const struct jobstat_job *job = ((const struct jobstat_sheet *)arg)->job;
	const int metric = job->flops;

	if (metric < 0)
		return job->bandwidth >= 0 || put_metrics(page, job);
	page_section(page, "FLOP rate");
	return put_whole(page, job, (unsigned)metric, "FLOP rate") &&
	       put_over_nodes(page, job, (unsigned)metric, "FLOP rate") &&
	       put_spread_figure(page, job, (unsigned)metric, "the FLOP rate");
}

/* ---- figures of one node --------------------------------------------------------------------- */

static bool put_numa_lines(struct page *page, const struct jobstat_job *job, unsigned metric, unsigned node,
			   const char *caption)
{
	const struct jobstat_value *value = &job->node[node].value[metric];
	char why[120], words[160], peak[160];
	struct lines lines;
	unsigned i, k;

	if (!lines_begin(&lines, job))
		return false;
	for (k = 0; k < value->places; k++) {
		const float *of = html_line(job, metric, node, value->place[k].number);
		double *line = of ? lines_add(&lines) : NULL;

		if (!line)
			continue;
		if (job->metric[metric].scope == JOBSTAT_NUMA)
			snprintf(lines.label[lines.n - 1], sizeof(*lines.label), "NUMA node %d",
				 value->place[k].number);
		else
			snprintf(lines.label[lines.n - 1], sizeof(*lines.label), "%s",
				 *value->place[k].name ? value->place[k].name : "the node");
		for (i = 0; i < job->steps; i++)
			line[i] = of[i];
	}
	html_why_not(&value->lost, why, sizeof(why));
	snprintf(words, sizeof(words), "not counted%s%s%s", *why ? " (in all " : "", why, *why ? ")" : "");
	for (i = 0; i < job->steps; i++) {
		bool missing = false;

		for (k = 0; k < lines.n; k++)
			missing |= isnan(lines.line[k].value[i]);
		if (missing)
			lines_band(&lines, i, words);
	}
	snprintf(peak, sizeof(peak), "the stated peak of a NUMA node");
	lines_put(page, &lines, caption, job->metric[metric].unit, job->peak, peak);
	lines_end(&lines);
	return true;
}

static void put_choice(struct page *page, const struct jobstat_job *job, unsigned node,
		       const struct html_choice *choice)
{
	const char *prefix;
	const double unit = page_prefix_of(choice->median, &prefix);
	char text[400];

	if (choice->nodes < 2)
		return;
	snprintf(
		text, sizeof(text),
		"%s stands for the job: its mean is the nearest to the median of %u nodes (%.3f %sB/s), among %u %s.",
		job->node[node].name, choice->nodes, choice->median / unit, prefix, choice->among,
		choice->whole ? "that counted for 99 % of the time or more and are not named as bad"
			      : "nodes: none has counted for 99 % of the time and is not named as bad");
	page_text(page, text);
}

/* Draw the nodes that stand apart, for comparison with the representative node, as figure 5 does. */
static bool put_divergent(struct page *page, const struct jobstat_job *job, int shown)
{
	unsigned drawn = 0, i, k;
	char caption[300];

	for (i = 0; i < job->findings && drawn < DIVERGENT; i++) {
		const struct jobstat_finding *finding = &job->finding[i];
		bool before = (int)finding->first_node == shown;

		for (k = 0; k < i; k++)
			before |= job->finding[k].bad && job->finding[k].first_node == finding->first_node;
		if (!finding->bad || before || finding->first_node >= job->nodes ||
		    !job->node[finding->first_node].value[job->bandwidth].places)
			continue;
		snprintf(caption, sizeof(caption), "Memory bandwidth of %s, which is named as bad (%s)",
			 job->node[finding->first_node].name, jobstat_finding_name(finding->kind));
		if (!put_numa_lines(page, job, (unsigned)job->bandwidth, finding->first_node, caption))
			return false;
		drawn++;
	}
	return true;
}

bool html_put_bandwidth(const void *arg, struct page *page)
{
	const struct jobstat_job *job = ((const struct jobstat_sheet *)arg)->job;
	struct html_choice choice;
	char caption[300];
	int node;

	node = html_representative(job, (unsigned)job->bandwidth, &choice);
	if (node >= 0) {
		put_choice(page, job, (unsigned)node, &choice);
		snprintf(caption, sizeof(caption), "Memory bandwidth of %s", job->node[node].name);
		if (!put_numa_lines(page, job, (unsigned)job->bandwidth, (unsigned)node, caption))
			return false;
	}
	return put_divergent(page, job, node) &&
	       put_spread_figure(page, job, (unsigned)job->bandwidth, "a node's memory bandwidth");
}
