/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account_steps.c - a job's points and lines over time. At the maximum number of steps, each pair of steps
 * is merged into one.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/account_private.h"
#include "lib/list.h"

static unsigned step_of(const struct account_job *job, unsigned interval)
{
	return interval / job->per_step;
}

static void merge_steps(struct account_job *job)
{
	const unsigned half = job->steps_max / 2;

	for (unsigned m = 0; m < job->metrics; m++) {
		struct account_step *step = job->step[m];

		for (unsigned i = 0; step != NULL && i < half; i++) {
			const struct account_step *a = &step[2 * i], *b = &step[2 * i + 1];

			step[i] = (struct account_step){
				.intervals = a->intervals + b->intervals,
				.nodes = a->nodes > b->nodes ? a->nodes : b->nodes,
				.mean = a->mean + b->mean,
				.variance = a->variance + b->variance,
				.min = !b->intervals || (a->intervals && a->min < b->min) ? a->min : b->min,
				.max = !b->intervals || (a->intervals && a->max > b->max) ? a->max : b->max,
				.part = a->part || b->part || a->nodes != b->nodes,
			};
		}
		if (step != NULL)
			memset(&step[half], 0, (job->steps_max - half) * sizeof(*step));
	}
	for (unsigned l = 0; l < job->lines; l++) {
		struct account_line *line = &job->line[l];
		const unsigned n = line->room / 2;

		for (unsigned i = 0; i < n; i++) {
			line->sum[i] = line->sum[2 * i] + line->sum[2 * i + 1];
			line->weight[i] = line->weight[2 * i] + line->weight[2 * i + 1];
		}
		memset(&line->sum[n], 0, (line->room - n) * sizeof(*line->sum));
		memset(&line->weight[n], 0, (line->room - n) * sizeof(*line->weight));
	}
	job->per_step *= 2;
}

int account_point(struct account_job *job, unsigned metric, unsigned interval,
		  const struct spread *over_nodes, bool part)
{
	struct account_step *step;

	if (metric >= job->metrics) {
		if (!util_resize(&job->step, metric + 64, sizeof(struct account_step *)))
			return -1;
		while (job->metrics < metric + 64)
			job->step[job->metrics++] = NULL;
	}
	if (over_nodes->n == 0)
		return 0;
	if (job->step[metric] == NULL) {
		job->step[metric] = calloc(job->steps_max, sizeof(*step));
		if (job->step[metric] == NULL)
			return -1;
	}
	step = &job->step[metric][step_of(job, interval)];
	if (step->intervals == 0 || over_nodes->min < step->min)
		step->min = over_nodes->min;
	if (step->intervals == 0 || over_nodes->max > step->max)
		step->max = over_nodes->max;
	step->part |= part || (step->intervals > 0 && step->nodes != over_nodes->n);
	step->intervals++;
	if (over_nodes->n > step->nodes)
		step->nodes = over_nodes->n;
	step->mean += spread_mean(over_nodes);
	if (over_nodes->n > 1) {
		const double sd = spread_sd(over_nodes);

		step->variance += sd * sd;
	}
	return 0;
}

int account_line(struct account_job *job, unsigned node, int metric, int number, unsigned interval,
		 double value)
{
	const unsigned step = step_of(job, interval);
	struct account_line *line = NULL;
	unsigned room;

	if (isnan(value))
		return 0;
	/* Lines come in the same order in each interval, so the search begins after the last line found. */
	for (unsigned i = 0; line == NULL && i < job->lines; i++) {
		const unsigned at = (job->line_next + i) % job->lines;

		if (job->line[at].node == node && job->line[at].metric == metric &&
		    job->line[at].number == number) {
			line = &job->line[at];
			job->line_next = at + 1;
		}
	}
	if (line == NULL) {
		if (!util_grow(&job->line, job->lines, sizeof(*line)))
			return -1;
		line = &job->line[job->lines++];
		*line = (struct account_line){.node = node, .metric = metric, .number = number};
	}
	if (step >= line->room) {
		room = step * 2 + 32 < job->steps_max ? step * 2 + 32 : job->steps_max;
		if (!util_resize(&line->sum, room, sizeof(*line->sum)) ||
		    !util_resize(&line->weight, room, sizeof(*line->weight)))
			return -1;
		memset(line->sum + line->room, 0, (room - line->room) * sizeof(*line->sum));
		memset(line->weight + line->room, 0, (room - line->room) * sizeof(*line->weight));
		line->room = room;
	}
	line->sum[step] += (float)value;
	line->weight[step] += 1;
	return 0;
}

void account_room(struct account_job *job, unsigned interval)
{
	while (step_of(job, interval) >= job->steps_max)
		merge_steps(job);
}
