/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report_text.c - jobs as text: first the findings, then tables III to VII, then each metric.
 */
#include <errno.h>
#include <stdlib.h>

#include "jobstat/jobstat_sheet.h"
#include "jobstat/report.h"
#include "lib/common.h"

struct text {
	struct jobstat_report report; /* first member; the receiver is cast to struct text */
	struct util_output *output;
	struct report_options options;
	unsigned jobs;
};

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
			fputs(head, t->output->file);
		before = head;
		fputs("  ", t->output->file);
		column = 2 + util_put(t->output->file, finding->nodes, 60);
		fprintf(t->output->file, ": %s: ", jobstat_finding_name(finding->kind));
		column += 4 + util_columns(jobstat_finding_name(finding->kind));
		util_wrap(t->output->file, finding->text, column, 6, t->options.width);
		putc('\n', t->output->file);
	}
	if (bad) {
		putc('\n', t->output->file);
		util_wrap(t->output->file, job->verdict, 0, 0, t->options.width);
		putc('\n', t->output->file);
	}
}

/* Write tables III to VII. */
static bool put_bandwidth_text(const struct text *t, const struct jobstat_sheet *sheet)
{
	const struct jobstat_job *job = sheet->job;
	const struct jobstat_metric *metric = &job->metric[job->bandwidth];
	bool done;

	fputs("\nMemory bandwidth, ", t->output->file);
	util_put(t->output->file, metric->define != NULL ? metric->define : metric->name, ~0u);
	if (job->peak > 0)
		fprintf(t->output->file, "; peak %.5g MB/s a NUMA node", job->peak / 1e6);
	putc('\n', t->output->file);
	done = sheet_text(t->output->file, &sheet->section[JOBSTAT_NUMA_NODES], &(struct sheet_style){0});
	fprintf(t->output->file,
		"  Means over %u node%s of each node's min, max and average in time; +/- the standard\n"
		"  deviation over nodes.\n",
		job->nodes, job->nodes == 1 ? "" : "s");
	fputs("  ", t->output->file);
	util_wrap(t->output->file, jobstat_locality, 2, 2, t->options.width);
	putc('\n', t->output->file);
	return done;
}

static bool put_jobstat_metrics_text(const struct text *t, const struct jobstat_sheet *sheet)
{
	fputs("\nA node's rate, over the nodes; +/-: standard deviation over nodes, mean in time; named at:\n"
	      "the smallest difference from the median that names a node. ~ is an estimate, >= a lower and <= an\n"
	      "upper bound, where not all nodes counted all of the time.\n",
	      t->output->file);
	return sheet_text(t->output->file, &sheet->section[JOBSTAT_METRICS], &(struct sheet_style){0});
}

static void put_head_text(const struct text *t, const struct jobstat_job *job)
{
	char start[REPORT_TIME_MAX], end[REPORT_TIME_MAX];

	report_time(job->start_ns, start);
	report_time(job->end_ns, end);
	if (job->id[0] != '\0') {
		fputs("Job ", t->output->file);
		util_put(t->output->file, job->id, ~0u);
		fputs(": ", t->output->file);
	}
	fprintf(t->output->file, "%u node%s, %s to %s, a sample each %.6g s\n", job->nodes,
		job->nodes == 1 ? "" : "s", start, end, (double)job->interval_ns / 1e9);
	if (job->missing[0] != '\0') {
		fputs("  No archive of ", t->output->file);
		util_put(t->output->file, job->missing, ~0u);
		putc('\n', t->output->file);
	}
	if (job->metrics == 0)
		fputs("  The archives have no records of its time.\n", t->output->file);
}

static int put_job_text(struct jobstat_report *report, struct jobstat_job *job)
{
	struct text *t = (struct text *)report;
	struct jobstat_sheet sheet;
	bool done = true;

	jobstat_sheet_make(&sheet, job);
	sheet.per_cpu = t->options.per_cpu;
	errno = 0;
	if (t->jobs++ > 0)
		putc('\n', t->output->file);
	put_head_text(t, job);
	if (job->metrics > 0) {
		put_findings_text(t, job, true);
		put_findings_text(t, job, false);
		done = (job->bandwidth < 0 || put_bandwidth_text(t, &sheet)) &&
		       put_jobstat_metrics_text(t, &sheet);
		if (done && (t->options.per_node || t->options.per_cpu))
			done = sheet_text(t->output->file, &sheet.section[JOBSTAT_EACH_NODE],
					  &(struct sheet_style){0});
	}
	jobstat_job_free(job);
	fflush(t->output->file);
	return util_output_made(t->output, done);
}

struct jobstat_report *report_text(struct util_output *output, const struct report_options *options)
{
	struct text *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->report = (struct jobstat_report){.job = put_job_text};
	t->output = output;
	t->options = *options;
	return &t->report;
}

void report_free(struct jobstat_report *report)
{
	free(report);
}
