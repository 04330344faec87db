/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_parts.h - functions shared by the parts of a job's HTML page.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_HTML_PARTS_H
#define JOBSTAT_HTML_PARTS_H

#include "jobstat/jobstat_data.h"
#include "page/page.h"

/* ---- numbers of a job (jobstat_html_numbers.c) ---------------------------------------------- */

/* Return how many of the job's nodes have the metric. */
unsigned html_nodes_with(const struct jobstat_job *job, unsigned metric);

/*
 * The node that represents a job: its mean is nearest to the median of all nodes. Candidates are the nodes
 * that counted for at least HTML_COVERED of the time and that no finding calls bad. If there is no such
 * node, all nodes with a mean are candidates. The function returns -1 if no node has a mean.
 */
#define HTML_COVERED .99
struct html_choice {
	double median;
	unsigned among, nodes; /* number of candidates; number of nodes with a mean */
	bool whole;            /* the candidates counted long enough and are not bad */
};
int html_representative(const struct jobstat_job *job, unsigned metric, struct html_choice *choice);

/* Return the mean, or the maximum, of a line over time, without the first and the last step that have a
 * value: start and end of a program are not part of its work (MSR, section VII-B). NAN: no value is left. */
double html_inner_mean(const double *value, size_t n);
double html_inner_most(const double *value, size_t n);

/* Return the standard deviation over nodes in a step. Return NAN if the step has values of fewer nodes than
 * 90 % of the highest number in any step, because it cannot be compared with those over other nodes. */
double html_spread(const struct jobstat_job *job, unsigned metric, unsigned step);

/* Write why a metric was not counted on a node, in words and shares of the time; "" if it was always
 * counted. */
void html_why_not(const struct jobstat_lost *lost, char *text, size_t size);

#define HTML_TIME_MAX 40
void html_format_time(int64_t ns, char text[HTML_TIME_MAX]);     /* "2026-10-14 17:46:40 UTC" */
void html_format_span(double seconds, char text[HTML_TIME_MAX]); /* "1:02:03" */

/* Return the line of a metric with a role, for a node and a place (-1: the whole node); NULL: there is no
 * line. */
const float *html_line(const struct jobstat_job *job, unsigned metric, unsigned node, int number);

/* ---- figures of a job, next to the tables of its sheet (jobstat_html_figures.c) ------------- */

/* Write figures. arg is a struct jobstat_sheet. Return false if out of memory. */
bool html_put_rates(const void *arg, struct page *page);     /* figures 3 to 7, top; or the first metrics */
bool html_put_bandwidth(const void *arg, struct page *page); /* figures 3 to 7, bottom */

/* ---- several jobs (jobstat_html_runs.c) ------------------------------------------------------- */

struct html_runs;

struct html_runs *html_runs_create(void);
bool html_runs_add(struct html_runs *runs, const struct jobstat_job *job);
bool html_runs_put(struct page *page, const struct html_runs *runs); /* figure 8 */
size_t html_runs_count(const struct html_runs *runs);
void html_runs_free(struct html_runs *runs);

#endif
