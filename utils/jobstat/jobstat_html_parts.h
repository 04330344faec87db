/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_parts.h - what the page of a job is made of.
 */
#ifndef JOBSTAT_HTML_PARTS_H
#define JOBSTAT_HTML_PARTS_H

#include "jobstat/jobstat_data.h"
#include "page/page.h"

/* ---- numbers of a job (jobstat_html_numbers.c) ---------------------------------------------- */

/* How many of its nodes have the metric. */
unsigned html_nodes_with(const struct jobstat_job *job, unsigned metric);

/*
 * The node that stands for a job: the one whose mean is nearest to the median of all nodes, among those that
 * counted for at least HTML_COVERED of the time and that no finding calls bad; where there is none such,
 * among all that have a mean. -1: no node has one.
 */
#define HTML_COVERED .99
struct html_choice {
	double median;
	unsigned among, nodes; /* so many could be chosen, of so many with a mean */
	bool whole;            /* they were those that counted and are not bad    */
};
int html_representative(const struct jobstat_job *job, unsigned metric, struct html_choice *choice);

/* Means of a line over time, without the first and the last step that have a value: start and end of a
 * program are no part of its work (MSR, section VII-B). NAN: there are none left. */
double html_inner_mean(const double *value, size_t n);
double html_inner_most(const double *value, size_t n);

/* A step's spread over nodes; NAN where fewer nodes have a value than nine of ten of the most that have one
 * in any step: of others it would be, and not comparable. */
double html_spread(const struct jobstat_job *job, unsigned metric, unsigned step);

/* Why a metric was not counted on a node, in words and shares of the time; "" where it always was. */
void html_why_not(const struct jobstat_lost *lost, char *text, size_t size);

#define HTML_TIME_MAX 40
void html_format_time(int64_t ns, char text[HTML_TIME_MAX]);     /* "2026-10-14 17:46:40 UTC" */
void html_format_span(double seconds, char text[HTML_TIME_MAX]); /* "1:02:03" */

/* Those of a metric with a role, of a node and a place (-1: the whole node); NULL: there are none. */
const float *html_line(const struct jobstat_job *job, unsigned metric, unsigned node, int number);

/* ---- figures of a job, beside tables of its sheet (jobstat_html_figures.c) ---------------------- */

/* arg is a struct jobstat_sheet. False: out of memory. */
bool html_put_rates(const void *arg, struct page *page);     /* figures 3 to 7, top; or the first metrics */
bool html_put_bandwidth(const void *arg, struct page *page); /* and bottom */

/* ---- several jobs (jobstat_html_runs.c) ------------------------------------------------------- */

struct html_runs;

struct html_runs *html_runs_create(void);
bool html_runs_add(struct html_runs *runs, const struct jobstat_job *job);
bool html_runs_put(struct page *page, const struct html_runs *runs); /* figure 8 */
size_t html_runs_count(const struct html_runs *runs);
void html_runs_free(struct html_runs *runs);

#endif
