/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html.c - the frame of a page of jobs: first the bad findings, then several runs side by side,
 * then each job. The first JOBS jobs are kept until the last job has arrived.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_html.h"
#include "jobstat/jobstat_html_parts.h"
#include "jobstat/jobstat_sheet.h"
#include "lib/common.h"

enum {
	JOBS = 24,  /* jobs with their own part of the page; further jobs are only in the table of runs */
	NOTES = 10, /* maximum number of a job's bad findings that become notes */
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

/* True if the verdict is a note at the top, because nodes of the job are missing. */
static bool is_noted(const struct jobstat_job *job)
{
	return job->unread > 0 || job->missing[0] != '\0';
}

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
	if (is_noted(job))
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

static bool put_verdict(const void *arg, struct page *page)
{
	const struct jobstat_job *job = ((const struct jobstat_sheet *)arg)->job;

	if (!is_noted(job))
		page_text(page, job->verdict);
	return true;
}

static bool put_numa_words(const void *arg, struct page *page)
{
	const struct jobstat_job *job = ((const struct jobstat_sheet *)arg)->job;
	char text[160];

	if (!job->rows)
		return true;
	page_text(page, "Averages over the nodes of what each one had least, most and in the mean over time; "
			"\302\261 is the standard deviation over nodes. A MB is 1e6 bytes. \342\211\245 is a "
			"lower bound, \342\211\244 an upper bound: not all nodes counted all of the time.");
	if (job->line_bytes > 0) {
		snprintf(text, sizeof(text), "A miss is taken as a load of %g bytes.", job->line_bytes);
		page_text(page, text);
	}
	page_text(page, jobstat_locality);
	return true;
}

static bool put_job(struct page *page, const struct jobstat_job *job)
{
	struct jobstat_sheet sheet;
	struct sheet_section *section = sheet.section;

	jobstat_sheet_make(&sheet, job);
	section[JOBSTAT_FOUND].caption = "Findings";
	section[JOBSTAT_FOUND].before = put_verdict;
	section[JOBSTAT_FOUND].table = job->findings ? "What was found" : NULL;
	section[JOBSTAT_FOUND].behind = html_put_rates;
	section[JOBSTAT_NUMA_NODES].caption = "Memory bandwidth";
	section[JOBSTAT_NUMA_NODES].before = html_put_bandwidth;
	section[JOBSTAT_NUMA_NODES].table =
		job->rows ? "Memory bandwidth of each NUMA node, over all nodes" : NULL;
	section[JOBSTAT_NUMA_NODES].behind = put_numa_words;
	section[JOBSTAT_EACH].caption = "Nodes";
	section[JOBSTAT_EACH].table = "Each node";
	section[JOBSTAT_METRICS].caption = "Metrics";
	section[JOBSTAT_METRICS].table = "Each metric, over nodes";
	section[JOBSTAT_NAMED].table = "The smallest difference that names a node";
	if (!put_job_notes(page, job))
		return false;
	put_facts(page, job);
	return sheet_html(page, section, JOBSTAT_SECTIONS);
}

/* ---- the page of all jobs -------------------------------------------------------------------- */

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
