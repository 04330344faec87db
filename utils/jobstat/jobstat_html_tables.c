/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_tables.c - a job in tables: what was found, tables III to VII, nodes with what was not counted
 * on them, and all metrics.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jobstat/jobstat_html_parts.h"
#include "page/page_axis.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct page_cell make_number_cell(double value)
{
	return (struct page_cell){.value = value, .absent = !isfinite(value)};
}

static struct page_cell make_percent_cell(double share)
{
	return make_number_cell(100 * share);
}

/* ---- findings ------------------------------------------------------------------------------- */

static void put_finding(struct page *page, const struct jobstat_job *job,
			const struct jobstat_finding *finding)
{
	char from[HTML_TIME_MAX], to[HTML_TIME_MAX], when[2 * HTML_TIME_MAX + 8];
	const bool metric = finding->metric >= 0 && (unsigned)finding->metric < job->metrics;

	html_format_span((double)(finding->from_ns - job->start_ns) / 1e9, from);
	html_format_span((double)(finding->to_ns - job->start_ns) / 1e9, to);
	snprintf(when, sizeof(when), "%s to %s", from, to);
	page_row(page, (struct page_cell[]){
			       {.text = finding->nodes, .flags = finding->bad ? "bad" : NULL},
			       {.text = jobstat_finding_name(finding->kind)},
			       {.text = finding->text},
			       {.text = metric ? job->metric[finding->metric].name : "", .absent = !metric},
			       make_percent_cell(finding->share),
			       {.text = when},
		       });
}

void html_put_findings(struct page *page, const struct jobstat_job *job)
{
	static const struct page_column column[] = {
		{.header = "Nodes"},
		{.header = "What", .help = "Those with \"bad\" name a node as bad; others are to be known"},
		{.header = "Why"},
		{.header = "Metric", .help = "The one that shows it best"},
		{.header = "Share of time", .unit = "%", .kind = PAGE_NUMBER, .decimals = 1},
		{.header = "When", .help = "Since the job's start"},
	};
	unsigned i;

	page_section(page, "Findings");
	if (!html_is_noted(job))
		page_text(page, job->verdict);
	if (!job->findings)
		return;
	page_table(page, "What was found", column, COUNT(column));
	for (i = 0; i < job->findings; i++)
		put_finding(page, job, &job->finding[i]);
	page_table_end(page);
}

/* ---- tables III to VII ---------------------------------------------------------------------- */

static struct page_cell make_spread_cell(double mean, double sd)
{
	return (struct page_cell){.value = mean / 1e6,
				  .interval = isfinite(sd),
				  .low = (mean - sd) / 1e6,
				  .high = (mean + sd) / 1e6,
				  .absent = !isfinite(mean)};
}

void html_put_numa_table(struct page *page, const struct jobstat_job *job)
{
	static const struct page_column column[] = {
		{.header = "NUMA", .kind = PAGE_COUNT},
		{.header = "Min", .unit = "MB/s", .kind = PAGE_ESTIMATE, .decimals = 2},
		{.header = "Max", .unit = "MB/s", .kind = PAGE_ESTIMATE, .decimals = 2},
		{.header = "Avg", .unit = "MB/s", .kind = PAGE_ESTIMATE, .decimals = 2},
		{.header = "Avg", .unit = "% of peak", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "Nodes", .kind = PAGE_COUNT},
		{.header = "Counted", .unit = "% of the time", .kind = PAGE_NUMBER, .decimals = 1},
	};
	char text[160];
	unsigned i;

	if (!job->rows)
		return;
	page_table(page, "Memory bandwidth of each NUMA node, over all nodes", column, COUNT(column));
	for (i = 0; i < job->rows; i++) {
		const struct jobstat_row *row = &job->row[i];

		page_row(page, (struct page_cell[]){
				       {.count = (uint64_t)(row->number < 0 ? 0 : row->number)},
				       make_spread_cell(row->min, row->min_sd),
				       make_spread_cell(row->max, row->max_sd),
				       make_spread_cell(row->mean, row->mean_sd),
				       make_number_cell(job->peak > 0 ? 100 * row->mean / job->peak : NAN),
				       {.count = row->nodes},
				       make_percent_cell(row->covered),
			       });
	}
	page_table_end(page);
	page_text(page, "Averages over the nodes of what each one had least, most and in the mean over time; "
			"\302\261 is the standard deviation over nodes. A MB is 1e6 bytes.");
	if (job->line_bytes > 0) {
		snprintf(text, sizeof(text), "A miss is taken as a load of %g bytes.", job->line_bytes);
		page_text(page, text);
	}
	page_text(page, jobstat_locality);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The metric of which most was not counted says why. */
static const struct jobstat_value *least_covered(const struct jobstat_job *job,
						 const struct jobstat_node *node)
{
	const struct jobstat_value *least = NULL;
	unsigned i;

	for (i = 0; i < job->metrics; i++)
		if (node->value[i].places && (!least || node->value[i].covered < least->covered))
			least = &node->value[i];
	return least;
}

static void put_node_row(struct page *page, const struct jobstat_job *job, const struct jobstat_node *node)
{
	const struct jobstat_value *least = least_covered(job, node);
	const struct jobstat_value none = {.mean = NAN, .min = NAN, .max = NAN, .sd = NAN};
	const struct jobstat_value *flops = job->flops < 0 ? &none : &node->value[job->flops];
	const struct jobstat_value *bandwidth = job->bandwidth < 0 ? &none : &node->value[job->bandwidth];
	char why[200] = "";

	if (!flops->places)
		flops = &none;
	if (!bandwidth->places)
		bandwidth = &none;
	if (least)
		html_why_not(&least->lost, why, sizeof(why));
	page_row(page, (struct page_cell[]){
			       {.text = node->name},
			       make_number_cell(flops->mean / 1e9),
			       make_number_cell(bandwidth->mean / 1e6),
			       make_percent_cell(node->recorded),
			       make_percent_cell(least ? least->covered : NAN),
			       {.text = why},
			       {.text = node->note},
		       });
}

void html_put_nodes(struct page *page, const struct jobstat_job *job)
{
	static const struct page_column column[] = {
		{.header = "Node"},
		{.header = "FLOP rate", .unit = "GFLOP/s", .kind = PAGE_NUMBER, .decimals = 3},
		{.header = "Bandwidth", .unit = "MB/s", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "Recorded", .unit = "% of the time", .kind = PAGE_NUMBER, .decimals = 1},
		{.header = "Counted",
		 .unit = "% of the time",
		 .help = "Of the metric that was counted least",
		 .kind = PAGE_NUMBER,
		 .decimals = 1},
		{.header = "Not counted", .help = "Why, in % of the time"},
		{.header = "Archives"},
	};
	unsigned i;

	page_section(page, "Nodes");
	page_table(page, "Each node", column, COUNT(column));
	for (i = 0; i < job->nodes; i++)
		put_node_row(page, job, &job->node[i]);
	page_table_end(page);
}

/* ---- metrics -------------------------------------------------------------------------------- */

struct sum {
	unsigned nodes;
	double mean, square; /* of node means: running mean, and sum of squares about it */
	double covered;
	const struct jobstat_node *least, *most;
};

static struct sum sum_of_metric(const struct jobstat_job *job, unsigned metric)
{
	struct sum sum = {0};
	unsigned i;

	for (i = 0; i < job->nodes; i++) {
		const struct jobstat_value *value = &job->node[i].value[metric];
		const double before = sum.mean;

		if (!value->places || !isfinite(value->mean))
			continue;
		sum.nodes++;
		sum.mean += (value->mean - before) / sum.nodes;
		sum.square += (value->mean - before) * (value->mean - sum.mean);
		sum.covered += (value->covered - sum.covered) / sum.nodes;
		if (!sum.least || value->mean < sum.least->value[metric].mean)
			sum.least = &job->node[i];
		if (!sum.most || value->mean > sum.most->value[metric].mean)
			sum.most = &job->node[i];
	}
	return sum;
}

static bool put_sum(struct page *page, const struct jobstat_job *job, unsigned metric)
{
	const struct jobstat_metric *is = &job->metric[metric];
	const struct sum sum = sum_of_metric(job, metric);
	char *name;

	if (asprintf(&name, "%s%s%s", is->name, is->define ? " = " : "", is->define ? is->define : "") < 0)
		return false;
	page_row(page, (struct page_cell[]){
			       {.text = name},
			       {.text = is->unit && *is->unit ? is->unit
					: is->level           ? "level"
							      : ""},
			       make_number_cell(sum.nodes ? sum.mean : NAN),
			       make_number_cell(sum.nodes > 1 ? sqrt(sum.square / (sum.nodes - 1)) : NAN),
			       make_number_cell(sum.least ? sum.least->value[metric].mean : NAN),
			       {.text = sum.least ? sum.least->name : ""},
			       make_number_cell(sum.most ? sum.most->value[metric].mean : NAN),
			       {.text = sum.most ? sum.most->name : ""},
			       {.count = html_nodes_with(job, metric)},
			       make_percent_cell(sum.nodes ? sum.covered : NAN),
		       });
	free(name);
	return true;
}

static void put_named_at(struct page *page, const struct jobstat_job *job)
{
	static const struct page_column column[] = {
		{.header = "Metric"},
		{.header = "Named at",
		 .help = "Percent of the median, below and above; or why there is none"},
	};

	page_table(page, "The smallest difference that names a node", column, COUNT(column));
	for (unsigned i = 0; i < job->metrics; i++)
		page_row(page, (struct page_cell[]){{.text = job->metric[i].name},
						    {.text = job->metric[i].named_at}});
	page_table_end(page);
}

bool html_put_sums(struct page *page, const struct jobstat_job *job)
{
	static const struct page_column column[] = {
		{.header = "Metric"},
		{.header = "Unit"},
		{.header = "Mean", .help = "Of the nodes' means", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "Over nodes", .unit = "standard deviation", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "Least", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "on"},
		{.header = "Most", .kind = PAGE_NUMBER, .decimals = 2},
		{.header = "on"},
		{.header = "Nodes", .help = "That have it", .kind = PAGE_COUNT},
		{.header = "Counted", .unit = "% of the time", .kind = PAGE_NUMBER, .decimals = 1},
	};
	bool done = true;
	unsigned i;

	page_section(page, "Metrics");
	page_table(page, "Each metric, over nodes", column, COUNT(column));
	for (i = 0; done && i < job->metrics; i++)
		done = put_sum(page, job, i);
	page_table_end(page);
	put_named_at(page, job);
	return done;
}
