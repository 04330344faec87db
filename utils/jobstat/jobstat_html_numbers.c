/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_html_numbers.c - numbers of a page that are computed from the data of jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jobstat/jobstat_html_parts.h"

unsigned html_nodes_with(const struct jobstat_job *job, unsigned metric)
{
	unsigned n = 0, i;

	for (i = 0; i < job->nodes; i++)
		n += job->node[i].value[metric].places > 0;
	return n;
}

static int compare_node_means(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool is_bad(const struct jobstat_job *job, unsigned node)
{
	unsigned i;

	for (i = 0; i < job->findings; i++)
		if (job->finding[i].bad && job->finding[i].first_node == node)
			return true;
	return false;
}

static int find_nearest_node(const struct jobstat_job *job, unsigned metric, struct html_choice *choice)
{
	int best = -1;
	unsigned i;

	choice->among = 0;
	for (i = 0; i < job->nodes; i++) {
		const struct jobstat_value *value = &job->node[i].value[metric];

		if (!value->places || !isfinite(value->mean) ||
		    (choice->whole && (value->covered < HTML_COVERED || is_bad(job, i))))
			continue;
		choice->among++;
		if (best < 0 || fabs(value->mean - choice->median) <
					fabs(job->node[best].value[metric].mean - choice->median))
			best = (int)i;
	}
	return best;
}

int html_representative(const struct jobstat_job *job, unsigned metric, struct html_choice *choice)
{
	double *mean = calloc((size_t)job->nodes + 1, sizeof(*mean));
	int best;
	unsigned i;

	*choice = (struct html_choice){.whole = true};
	for (i = 0; mean && i < job->nodes; i++)
		if (job->node[i].value[metric].places && isfinite(job->node[i].value[metric].mean))
			mean[choice->nodes++] = job->node[i].value[metric].mean;
	if (!choice->nodes) {
		free(mean);
		return -1;
	}
	qsort(mean, choice->nodes, sizeof(*mean), compare_node_means);
	choice->median = mean[choice->nodes / 2] / 2 + mean[(choice->nodes - 1) / 2] / 2;
	free(mean);
	best = find_nearest_node(job, metric, choice);
	if (best < 0) {
		choice->whole = false;
		best = find_nearest_node(job, metric, choice);
	}
	return best;
}

static bool find_inner_values(const double *value, size_t n, size_t *first, size_t *last)
{
	for (*first = 0; *first < n && isnan(value[*first]); ++*first)
		;
	for (*last = n; *last > *first && isnan(value[*last - 1]); --*last)
		;
	++*first;
	return *last > *first && --*last > *first;
}

double html_inner_mean(const double *value, size_t n)
{
	size_t first, last, k = 0;
	double mean = 0;

	if (!find_inner_values(value, n, &first, &last))
		return NAN;
	for (; first < last; first++)
		if (!isnan(value[first]))
			mean += (value[first] - mean) / (double)++k;
	return k ? mean : NAN;
}

double html_inner_most(const double *value, size_t n)
{
	size_t first, last;
	double most = NAN;

	if (find_inner_values(value, n, &first, &last))
		for (; first < last; first++)
			most = fmax(most, value[first]);
	return most;
}

double html_spread(const struct jobstat_job *job, unsigned metric, unsigned step)
{
	const struct jobstat_point *point = job->point[metric];
	unsigned most = 0, i;

	for (i = 0; i < job->steps; i++)
		most = point[i].nodes > most ? point[i].nodes : most;
	return point[step].nodes > 1 && point[step].nodes * 10. >= most * 9. ? point[step].sd : NAN;
}

void html_why_not(const struct jobstat_lost *lost, char *text, size_t size)
{
	const struct {
		double share;
		const char *name;
	} all[] = {{lost->opening, "opening"}, {lost->halted, "halted"},   {lost->taken, "taken"},
		   {lost->yielded, "yielded"}, {lost->failed, "failed"},   {lost->offline, "offline"},
		   {lost->unknown, "absent"},  {lost->record, "no record"}};
	size_t used = 0, i;

	*text = 0;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!(all[i].share > 1 - JOBSTAT_WHOLE) || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s %.3g %%", used ? ", " : "",
					 all[i].name, 100 * all[i].share);
	}
}

void html_format_time(int64_t ns, char text[HTML_TIME_MAX])
{
	time_t seconds = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(text, HTML_TIME_MAX, "%Y-%m-%d %H:%M:%S UTC", &tm))
		snprintf(text, HTML_TIME_MAX, "%lld s", (long long)seconds);
}

void html_format_span(double seconds, char text[HTML_TIME_MAX])
{
	const long long whole = isfinite(seconds) && fabs(seconds) < 1e15 ? llround(seconds) : 0;

	snprintf(text, HTML_TIME_MAX, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
}

const float *html_line(const struct jobstat_job *job, unsigned metric, unsigned node, int number)
{
	unsigned i, k;

	for (i = 0; i < job->n_lines; i++)
		for (k = 0; job->lines[i].metric == (int)metric && k < job->lines[i].lines; k++)
			if (job->lines[i].line[k].node == node && job->lines[i].line[k].number == number)
				return job->lines[i].line[k].value;
	return NULL;
}
