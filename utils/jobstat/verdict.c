/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verdict.c - writes a job's verdict: whether a node stands apart, the smallest difference that would have
 * been seen, and the comparisons that were impossible.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jobstat/divergent.h"
#include "jobstat/keep.h"
#include "jobstat/verdict.h"

#define NAMES 3 /* maximum number of metrics that are listed by name */

static unsigned verdict_count(const struct jobstat_job *job, enum jobstat_comparison comparison)
{
	unsigned n = 0;

	for (unsigned m = 0; m < job->metrics; m++)
		n += job->metric[m].comparison == comparison;
	return n;
}

static void verdict_names(FILE *out, const struct jobstat_job *job, enum jobstat_comparison comparison)
{
	const unsigned all = verdict_count(job, comparison);
	unsigned n = 0;

	for (unsigned m = 0; m < job->metrics && n < NAMES; m++)
		if (job->metric[m].comparison == comparison)
			fprintf(out, "%s%s", n++ > 0 ? ", " : "", job->metric[m].name);
	if (all > n)
		fprintf(out, " and %u more", all - n);
}

/* Return a share in percent, rounded up. */
static unsigned verdict_percent(double share)
{
	return (unsigned)ceil(share * 100 - 0.01);
}

static void verdict_range(FILE *out, unsigned least, unsigned most)
{
	if (least == most)
		fprintf(out, "%u %%", least);
	else
		fprintf(out, "%u to %u %%", least, most);
}

/* Write the smallest differences that would have named a node. */
static void verdict_seen(FILE *out, const struct jobstat_job *job)
{
	const struct jobstat_metric *best = NULL, *worst = NULL;
	double least = INFINITY, most = 0;

	for (unsigned m = 0; m < job->metrics; m++) {
		const struct jobstat_metric *metric = &job->metric[m];

		if (metric->comparison != JOBSTAT_COMPARED)
			continue;
		best = best == NULL || metric->less < best->less ? metric : best;
		worst = worst == NULL || metric->less > worst->less ? metric : worst;
		least = fmin(least, metric->more);
		most = fmax(most, metric->more);
	}
	fputs(": a node ", out);
	verdict_range(out, verdict_percent(best->less), verdict_percent(worst->less));
	fputs(" below or ", out);
	verdict_range(out, verdict_percent(least), verdict_percent(most));
	fputs(" above the median would have been named", out);
	if (verdict_percent(best->less) != verdict_percent(worst->less))
		fprintf(out, ", depending on the metric (from %s to %s)", best->name, worst->name);
	putc('.', out);
}

/* Write why metrics could not be compared. */
static void verdict_reasons(FILE *out, const struct jobstat_job *job)
{
	const unsigned few = verdict_count(job, JOBSTAT_FEW), zero = verdict_count(job, JOBSTAT_ZERO),
		       wide = verdict_count(job, JOBSTAT_WIDE);
	const char *before = "";

	if (wide > 0) {
		fputs("nodes differ too much in ", out);
		verdict_names(out, job, JOBSTAT_WIDE);
		fputs(", so that one with half or twice the median would not be named; compare nodes that should "
		      "be alike (--nodes), or a longer time",
		      out);
		before = "; ";
	}
	if (few > 0) {
		fprintf(out, "%sfewer than %d nodes have values of ", before, DIVERGENT_NODES_MIN);
		verdict_names(out, job, JOBSTAT_FEW);
		before = "; ";
	}
	if (zero > 0) {
		fprintf(out, "%smost nodes have nothing of ", before);
		verdict_names(out, job, JOBSTAT_ZERO);
		before = "; ";
	}
	if (wide + few + zero == 0)
		fputs("there is no counter whose rate could be compared", out);
	putc('.', out);
}

/* Return the number of nodes whose archives have no records in the job's time. */
static unsigned verdict_empty(const struct jobstat_job *job)
{
	unsigned n = 0;

	for (unsigned k = 0; k < job->nodes; k++)
		n += !(job->node[k].recorded > 0);
	return n;
}

static void verdict_missing(FILE *out, const struct jobstat_job *job)
{
	const unsigned empty = verdict_empty(job);
	const bool before = job->unread > 0 || job->missing[0] != '\0';

	if (job->unread > 0)
		fprintf(out,
			"%u archive%s could not be read (%s%s): make %s readable, or leave %s out, and ask again",
			job->unread, job->unread > 1 ? "s" : "", job->unread > 1 ? "the first: " : "",
			job->unread_why, job->unread > 1 ? "them" : "it", job->unread > 1 ? "them" : "it");
	if (job->missing[0] != '\0')
		fprintf(out, "%sthere is no archive of %s: give it, and ask again",
			job->unread > 0 ? "; " : "", job->missing);
	if (empty > 0)
		fprintf(out,
			"%s%u of %u nodes ha%s no records of the time: see to their archives, or leave them out "
			"(--nodes)",
			before ? "; " : "", empty, job->nodes, empty > 1 ? "ve" : "s");
	fputs(". ", out);
}

static void verdict_write(FILE *out, struct jobstat_job *job, bool named)
{
	const unsigned compared = verdict_count(job, JOBSTAT_COMPARED),
		       others = verdict_count(job, JOBSTAT_FEW) + verdict_count(job, JOBSTAT_ZERO) +
				verdict_count(job, JOBSTAT_WIDE);
	const unsigned empty = verdict_empty(job);
	const bool missing = job->unread > 0 || job->missing[0] != '\0' || empty > 0;

	job->told = missing || compared == 0 ? JOBSTAT_TOLD_NOT
		    : others > 0             ? JOBSTAT_TOLD_PART
					     : JOBSTAT_TOLD_ALL;
	if (job->told == JOBSTAT_TOLD_NOT)
		fprintf(out, "Whether %s node stands apart cannot be told: ", named ? "another" : "a");
	if (missing)
		verdict_missing(out, job);
	if (compared == 0) {
		if (missing)
			fprintf(out, "Nor can it be told of the %u that were read: ", job->nodes - empty);
		verdict_reasons(out, job);
		return;
	}
	fprintf(out, "No %snode ", named ? "other " : "");
	if (missing)
		fprintf(out, "of the %u that were read ", job->nodes - empty);
	fputs("stands apart", out);
	if (others > 0)
		fprintf(out, " in %u of %u metrics", compared, compared + others);
	verdict_seen(out, job);
	if (others > 0) {
		fputs(" In the others it cannot be told: ", out);
		verdict_reasons(out, job);
	}
}

/* Return the differences that name a node in one metric, or why they are unknown. */
static const char *verdict_metric(struct jobstat_job *job, const struct jobstat_metric *metric)
{
	if (metric->comparison == JOBSTAT_COMPARED)
		return keep_format(job, "-%u/+%u %%", verdict_percent(metric->less),
				   verdict_percent(metric->more));
	return jobstat_comparison_name(metric->comparison);
}

int verdict_make(struct jobstat_job *job)
{
	bool named = false;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return -1;
	for (unsigned i = 0; i < job->findings; i++)
		named = named || job->finding[i].bad;
	verdict_write(out, job, named);
	if (fclose(out) != 0)
		return -1;
	job->verdict = keep_text(job, text);
	for (unsigned m = 0; m < job->metrics; m++)
		job->metric[m].named_at = verdict_metric(job, &job->metric[m]);
	free(text);
	return keep_failed(job) ? -1 : 0;
}
