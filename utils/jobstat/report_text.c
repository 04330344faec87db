/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c - jobs as text: who stands apart first, then tables III to VII, then each metric.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/report.h"
#include "jobstat/spread.h"
#include "lib/common.h"

struct text {
	struct jobstat_report report; /* the first */
	FILE *out;
	struct report_options options;
	unsigned jobs;
};

/* As the paper has it: three digits, in millions. */
static void put_millions(char text[UTIL_NUMBER_MAX], double x)
{
	const double m = x / 1e6;

	if (isnan(x))
		snprintf(text, UTIL_NUMBER_MAX, "-");
	else if (fabs(m) >= 99.95)
		snprintf(text, UTIL_NUMBER_MAX, "%.0fe6", m);
	else if (fabs(m) >= 9.995)
		snprintf(text, UTIL_NUMBER_MAX, "%.1fe6", m);
	else if (fabs(m) >= 0.9995)
		snprintf(text, UTIL_NUMBER_MAX, "%.2fe6", m);
	else if (fabs(m) >= 0.001 || x == 0)
		snprintf(text, UTIL_NUMBER_MAX, "%.3fe6", m);
	else
		snprintf(text, UTIL_NUMBER_MAX, "%.3g", x);
}

static void put_number_text(char text[UTIL_NUMBER_MAX], double x)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	unsigned p = 0;

	if (isnan(x)) {
		snprintf(text, UTIL_NUMBER_MAX, "-");
		return;
	}
	while (fabs(x) >= 999.5 && p + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
		x /= 1000;
		p++;
	}
	snprintf(text, UTIL_NUMBER_MAX, "%.*f%s%s",
		 fabs(x) >= 99.95 || x == 0 ? 0
		 : fabs(x) >= 9.995         ? 1
					    : 2,
		 x, p > 0 ? " " : "", prefixes[p]);
	/* A number below a hundredth keeps two digits. */
	if (x != 0 && fabs(x) < 0.01)
		snprintf(text, UTIL_NUMBER_MAX, "%.2g", x);
}

static void put_share(char text[UTIL_NUMBER_MAX], double share)
{
	if (isnan(share))
		snprintf(text, UTIL_NUMBER_MAX, "-");
	else
		snprintf(text, UTIL_NUMBER_MAX, "%.*f %%", share > 0.9995 || share == 0 ? 0 : 1, share * 100);
}

static void put_paragraph(const struct text *t, const char *text)
{
	fputs("  ", t->out);
	util_wrap(t->out, text, 2, 2, t->options.width);
	putc('\n', t->out);
}

static void put_findings_text(const struct text *t, const struct jobstat_job *job, bool bad)
{
	const char *head, *before = NULL;

	for (unsigned i = 0; i < job->findings; i++) {
		const struct jobstat_finding *finding = &job->finding[i];
		unsigned column;

		if (finding->bad != bad)
			continue;
		head = bad                               ? "\nNodes to look at:\n"
		       : finding->kind == JOBSTAT_GROUPS ? "\nGroups of nodes:\n"
							 : "\nPlacement:\n";
		if (head != before)
			fputs(head, t->out);
		before = head;
		fputs("  ", t->out);
		column = 2 + util_put(t->out, finding->nodes, 60);
		fprintf(t->out, ": %s: ", jobstat_finding_name(finding->kind));
		column += 4 + util_columns(jobstat_finding_name(finding->kind));
		util_wrap(t->out, finding->text, column, 6, t->options.width);
		putc('\n', t->out);
	}
	if (bad) {
		putc('\n', t->out);
		util_wrap(t->out, job->verdict, 0, 0, t->options.width);
		putc('\n', t->out);
	}
}

/* Tables III to VII. */
static void put_rows_text(const struct text *t, const struct jobstat_job *job)
{
	const struct jobstat_metric *metric = &job->metric[job->bandwidth];
	char number[3][2][UTIL_NUMBER_MAX], cell[3][90], share[UTIL_NUMBER_MAX], covered[UTIL_NUMBER_MAX];

	fprintf(t->out, "\nMemory bandwidth, %s", metric->define != NULL ? metric->define : metric->name);
	if (job->peak > 0)
		fprintf(t->out, "; peak %.5g MB/s a NUMA node", job->peak / 1e6);
	fprintf(t->out, "\n  %-6s %-22s %-22s %-22s %8s %8s\n",
		metric->scope == JOBSTAT_NUMA ? "NUMA" : "place", "Min (B/s)", "Max (B/s)", "Avg (B/s)",
		job->peak > 0 ? "of peak" : "", "covered");
	for (unsigned i = 0; i < job->rows; i++) {
		const struct jobstat_row *row = &job->row[i];
		const double pair[3][2] = {
			{row->min, row->min_sd}, {row->max, row->max_sd}, {row->mean, row->mean_sd}};

		for (int j = 0; j < 3; j++) {
			put_millions(number[j][0], pair[j][0]);
			put_millions(number[j][1], pair[j][1]);
			snprintf(cell[j], sizeof(cell[j]), "%.39s +/- %.39s", number[j][0], number[j][1]);
		}
		put_share(share, job->peak > 0 ? row->mean / job->peak : NAN);
		put_share(covered, row->covered);
		fprintf(t->out, "  %-6d %-22s %-22s %-22s %8s %8s\n", row->number, cell[0], cell[1], cell[2],
			job->peak > 0 ? share : "", covered);
	}
	fprintf(t->out,
		"  Means over %u node%s of each node's min, max and average in time; +/- the standard\n"
		"  deviation over nodes.\n",
		job->nodes, job->nodes == 1 ? "" : "s");
	put_paragraph(t, jobstat_locality);
}

static void put_metric(const struct text *t, const struct jobstat_job *job, unsigned m, unsigned width)
{
	const struct jobstat_metric *metric = &job->metric[m];
	struct spread mean = {0}, covered = {0}, deviation = {0};
	char text[5][UTIL_NUMBER_MAX];

	for (unsigned k = 0; k < job->nodes; k++) {
		const struct jobstat_value *value = &job->node[k].value[m];

		spread_add(&mean, value->mean, 1);
		if (value->places > 0)
			spread_add(&covered, value->covered, 1);
	}
	for (unsigned i = 0; i < job->steps; i++)
		spread_add(&deviation, job->point[m][i].sd, 1);
	put_number_text(text[0], spread_mean(&mean));
	put_number_text(text[1], spread_min(&mean));
	put_number_text(text[2], spread_max(&mean));
	put_number_text(text[3], spread_mean(&deviation));
	put_share(text[4], spread_mean(&covered));
	fputs("  ", t->out);
	util_put_left(t->out, metric->name, width);
	fprintf(t->out, " %-6s %9s %9s %9s %9s %8s %5u  %s\n", metric->level ? "level" : metric->unit,
		text[0], text[1], text[2], text[3], text[4], mean.n, metric->named_at);
}

static void put_metrics(const struct text *t, const struct jobstat_job *job)
{
	unsigned width = 6;

	if (job->metrics == 0)
		return;
	for (unsigned m = 0; m < job->metrics; m++)
		util_widen(&width, job->metric[m].name);
	fputs("\nA node's rate, over the nodes; +/-: standard deviation over nodes, mean in time; named at:\n"
	      "the smallest difference from the median that names a node.\n  ",
	      t->out);
	util_put_left(t->out, "metric", width);
	fprintf(t->out, " %-6s %9s %9s %9s %9s %8s %5s  %s\n", "", "mean", "min", "max", "+/-", "covered",
		"nodes", "named at");
	for (unsigned m = 0; m < job->metrics; m++)
		put_metric(t, job, m, width);
}

static void put_places_text(const struct text *t, const struct jobstat_value *value, unsigned width)
{
	char text[3][UTIL_NUMBER_MAX], covered[UTIL_NUMBER_MAX];

	for (unsigned i = 0; i < value->places; i++) {
		const struct jobstat_place *place = &value->place[i];

		put_number_text(text[0], place->mean);
		put_number_text(text[1], place->min);
		put_number_text(text[2], place->max);
		put_share(covered, place->covered);
		fputs("      ", t->out);
		util_put_left(t->out, place->name[0] != '\0' ? place->name : "(node)", width);
		fprintf(t->out, " %9s %9s %9s %9s %8s\n", text[0], text[1], text[2], "", covered);
	}
}

static void put_node_text(const struct text *t, const struct jobstat_job *job,
			  const struct jobstat_node *node)
{
	char text[4][UTIL_NUMBER_MAX], covered[UTIL_NUMBER_MAX];
	unsigned width = 10;

	for (unsigned m = 0; m < job->metrics; m++)
		util_widen(&width, job->metric[m].name);
	put_share(covered, node->recorded);
	fputs("\nNode ", t->out);
	util_put(t->out, node->name, ~0u);
	fprintf(t->out, ", records of %s of the time%s", covered, node->note[0] != '\0' ? "; " : "");
	util_put(t->out, node->note, ~0u);
	fputs("\n    ", t->out);
	util_put_left(t->out, "metric", width);
	fprintf(t->out, " %9s %9s %9s %9s %8s\n", "mean", "min", "max", "sd", "covered");
	for (unsigned m = 0; m < job->metrics; m++) {
		const struct jobstat_value *value = &node->value[m];

		if (value->places == 0)
			continue;
		put_number_text(text[0], value->mean);
		put_number_text(text[1], value->min);
		put_number_text(text[2], value->max);
		put_number_text(text[3], value->sd);
		put_share(covered, value->covered);
		fputs("    ", t->out);
		util_put_left(t->out, job->metric[m].name, width);
		fprintf(t->out, " %9s %9s %9s %9s %8s\n", text[0], text[1], text[2], text[3], covered);
		if (t->options.per_cpu)
			put_places_text(t, value, width - 2);
	}
}

static void put_head_text(const struct text *t, const struct jobstat_job *job)
{
	char start[REPORT_TIME_MAX], end[REPORT_TIME_MAX];

	report_time(job->start_ns, start);
	report_time(job->end_ns, end);
	if (job->id[0] != '\0') {
		fputs("Job ", t->out);
		util_put(t->out, job->id, ~0u);
		fputs(": ", t->out);
	}
	fprintf(t->out, "%u node%s, %s to %s, a sample each %.6g s\n", job->nodes, job->nodes == 1 ? "" : "s",
		start, end, (double)job->interval_ns / 1e9);
	if (job->missing[0] != '\0') {
		fputs("  No archive of ", t->out);
		util_put(t->out, job->missing, ~0u);
		putc('\n', t->out);
	}
	if (job->metrics == 0)
		fputs("  The archives have no records of its time.\n", t->out);
}

static int text_job(struct jobstat_report *report, struct jobstat_job *job)
{
	struct text *t = (struct text *)report;

	if (t->jobs++ > 0)
		putc('\n', t->out);
	put_head_text(t, job);
	if (job->metrics > 0) {
		put_findings_text(t, job, true);
		put_findings_text(t, job, false);
		if (job->bandwidth >= 0)
			put_rows_text(t, job);
		put_metrics(t, job);
	}
	for (unsigned k = 0; (t->options.per_node || t->options.per_cpu) && k < job->nodes; k++)
		put_node_text(t, job, &job->node[k]);
	jobstat_job_free(job);
	fflush(t->out);
	return 0;
}

struct jobstat_report *report_text(FILE *out, const struct report_options *options)
{
	struct text *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->report = (struct jobstat_report){.job = text_job};
	t->out = out;
	t->options = *options;
	return &t->report;
}

void report_free(struct jobstat_report *report)
{
	free(report);
}
