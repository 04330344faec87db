/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html.c - the frame of a page of jobs: what is bad first, then several runs side by side, then each
 * job. Jobs are kept until the last one has come, as many as have a part of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_html.h"
#include "jobstat/jobstat_html_parts.h"
#include "lib/common.h"

enum {
	JOBS = 24,  /* with a part of their own; others are in the table of runs */
	NOTES = 10, /* of a job's bad findings */
};

struct html {
	struct jobstat_report report;
	FILE *out;
	struct html_runs *runs;
	struct jobstat_job *job[JOBS];
	unsigned jobs;
};

static int fail_html_memory(void)
{
	util_error("out of memory for the page");
	return -1;
}

/* ---- one job --------------------------------------------------------------------------------- */

static bool put_job_notes(struct page *page, const struct jobstat_job *job)
{
	unsigned i, n = 0;
	char *text;

	for (i = 0; i < job->findings; i++) {
		if (!job->finding[i].bad || n++ >= NOTES)
			continue;
		if (asprintf(&text, "%s: %s", job->finding[i].nodes, job->finding[i].text) < 0)
			return false;
		page_note(page, text);
		free(text);
	}
	if (n > NOTES) {
		if (asprintf(&text, "%u more are in the table of findings.", n - NOTES) < 0)
			return false;
		page_note(page, text);
		free(text);
	}
	if (html_is_noted(job))
		page_note(page, job->verdict);
	return true;
}

static void put_facts(struct page *page, const struct jobstat_job *job)
{
	char text[4 * HTML_TIME_MAX], from[HTML_TIME_MAX], to[HTML_TIME_MAX], span[HTML_TIME_MAX];

	html_format_time(job->start_ns, from);
	html_format_time(job->end_ns, to);
	html_format_span((double)(job->end_ns - job->start_ns) / 1e9, span);
	snprintf(text, sizeof(text), "%s to %s (%s)", from, to, span);
	page_fact(page, "Time", text);
	snprintf(text, sizeof(text), "%u", job->nodes);
	page_fact(page, "Nodes", text);
	snprintf(text, sizeof(text), "each %g s; a point of lines is %g s", (double)job->interval_ns / 1e9,
		 (double)job->step_ns / 1e9);
	page_fact(page, "Samples", text);
	if (job->peak > 0) {
		snprintf(text, sizeof(text), "%g MB/s", job->peak / 1e6);
		page_fact(page, "Stated peak of a NUMA node", text);
	}
}

static bool put_job(struct page *page, const struct jobstat_job *job)
{
	bool done = put_job_notes(page, job);

	put_facts(page, job);
	html_put_findings(page, job);
	done = done && html_put_rates(page, job) && html_put_bandwidth(page, job);
	if (done && job->flops < 0 && job->bandwidth < 0)
		done = html_put_metrics(page, job);
	html_put_nodes(page, job);
	return done && html_put_sums(page, job);
}

/* ---- all ------------------------------------------------------------------------------------- */

static int begin_html_report(struct jobstat_report *report)
{
	struct html *html = (struct html *)report;

	html->runs = html_runs_create();
	return html->runs ? 0 : fail_html_memory();
}

static int take_job(struct jobstat_report *report, struct jobstat_job *job)
{
	struct html *html = (struct html *)report;
	const bool done = html_runs_add(html->runs, job);

	if (done && html->jobs < JOBS)
		html->job[html->jobs++] = job;
	else
		jobstat_job_free(job);
	return done ? 0 : fail_html_memory();
}

static bool put_jobs(struct page *page, const struct html *html)
{
	const size_t all = html_runs_count(html->runs);
	bool done = true;
	char text[160];
	unsigned i;

	if (all > 1)
		done = html_runs_put(page, html->runs);
	if (all > html->jobs) {
		snprintf(text, sizeof(text), "The first %u jobs follow; the others are in the table only.",
			 html->jobs);
		page_text(page, text);
	}
	for (i = 0; done && i < html->jobs; i++) {
		if (all > 1) {
			snprintf(text, sizeof(text), "Job %.140s", html->job[i]->id);
			page_section(page, text);
		}
		done = put_job(page, html->job[i]);
	}
	if (!all)
		page_note(page, "There is no job.");
	return done;
}

static int end_html_report(struct jobstat_report *report)
{
	struct html *html = (struct html *)report;
	const size_t all = html_runs_count(html->runs);
	struct page *page;
	char title[200];
	bool done;
	int error;

	if (all == 1)
		snprintf(title, sizeof(title), *html->job[0]->id ? "Job %.180s" : "Counters of nodes%.0s",
			 html->job[0]->id);
	else
		snprintf(title, sizeof(title), "%zu jobs", all);
	page = page_begin(html->out, title, "What their nodes counted");
	if (!page)
		return fail_html_memory();
	done = put_jobs(page, html);
	error = page_end(page);
	if (error)
		util_error("cannot write the page: %s", strerror(error));
	else if (!done)
		fail_html_memory();
	return done && !error ? 0 : -1;
}

struct jobstat_report *jobstat_html_create(FILE *out)
{
	struct html *html = calloc(1, sizeof(*html));

	if (!html)
		return NULL;
	html->report =
		(struct jobstat_report){.begin = begin_html_report, .job = take_job, .end = end_html_report};
	html->out = out;
	return &html->report;
}

void jobstat_html_free(struct jobstat_report *report)
{
	struct html *html = (struct html *)report;

	while (html && html->jobs)
		jobstat_job_free(html->job[--html->jobs]);
	if (html)
		html_runs_free(html->runs);
	free(html);
}
