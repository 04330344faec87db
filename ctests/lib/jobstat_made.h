/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_made.h - jobs with generated numbers, for tests. A job has several nodes with four NUMA nodes each,
 * and two metrics: FLOPs and memory bandwidth. In a bad job, node 7 falls behind. In each job, another user
 * takes the counters of node 3 for some time.
 */
#ifndef JOBSTAT_MADE_H
#define JOBSTAT_MADE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/jobstat_data.h"

enum { MADE_NUMA = 4, MADE_METRICS = 2 };

static const char *made_name(const char *format, unsigned number)
{
	char *name;

	return asprintf(&name, format, number) < 0 ? NULL : name;
}

/* Return the rate of a node in a step: a saw-tooth, as in figure 3. */
static double made_rate(const struct jobstat_job *job, unsigned node, unsigned step, bool bad)
{
	const double tooth = .7 + .3 * (step % 24) / 24,
		     noise = 1 + .004 * ((node * 7 + step * 13) % 11 - 5.);
	const bool behind = bad && node == 7 && step > job->steps / 3;

	return tooth * noise * (behind ? .45 : 1);
}

/* Return the value of a node, or of one of its NUMA nodes if numa >= 0, in a step. NAN: the counter was
 * taken. */
static double made_value(const struct jobstat_job *job, unsigned node, int numa, unsigned step, bool bad)
{
	if (node == 3 && step >= 40 && step < 56)
		return NAN;
	return made_rate(job, node, step, bad) * (numa < 0 ? 1 : .9e9 + .15e9 * (numa == 3 ? -2 : numa));
}

static void made_place(struct jobstat_job *job, unsigned node, struct jobstat_value *value, unsigned metric,
		       bool bad)
{
	const unsigned places = metric ? MADE_NUMA : 1;
	unsigned i, k;

	value->place = calloc(places, sizeof(*value->place));
	value->places = places;
	value->covered = node == 3 ? 1 - 16. / job->steps : 1;
	value->lost.taken = 1 - value->covered;
	value->min = INFINITY;
	for (i = 0; i < places; i++) {
		struct jobstat_line *line = &job->lines[metric].line[node * (places + 1) + i + 1];
		float *number = calloc(job->steps, sizeof(*number));
		double sum = 0;

		value->place[i].number = metric ? (int)i : -1;
		value->place[i].name = metric ? made_name("node%u", i) : made_name("", 0);
		*line = (struct jobstat_line){node, value->place[i].number, number};
		for (k = 0; k < job->steps; k++) {
			double rate = made_value(job, node, metric ? (int)i : -1, k, bad);

			rate *= metric ? 1 : 9.7e9;
			number[k] = (float)rate;
			if (isnan(rate))
				continue;
			value->place[i].intervals++;
			sum += rate;
		}
		value->place[i].mean = sum / value->place[i].intervals;
		value->place[i].covered = value->covered;
		value->mean += value->place[i].mean;
	}
	value->intervals = value->place[0].intervals;
	value->sd = value->mean / 20;
	value->min = value->mean / 2;
	value->max = value->mean * 2;
}

static void made_points(struct jobstat_job *job, unsigned metric)
{
	const unsigned places = metric ? MADE_NUMA : 1;
	unsigned i, k, p;

	for (k = 0; k < job->steps; k++) {
		struct jobstat_point *point = &job->point[metric][k];
		double sum = 0, squares = 0;

		point->min = INFINITY;
		point->max = -INFINITY;
		for (i = 0; i < job->nodes; i++) {
			double value = 0;

			for (p = 0; p < places; p++)
				value += job->lines[metric].line[i * (places + 1) + p + 1].value[k];
			if (isnan(value))
				continue;
			point->nodes++;
			sum += value;
			squares += value * value;
			point->min = fmin(point->min, value);
			point->max = fmax(point->max, value);
		}
		point->mean = sum / point->nodes;
		point->sd = sqrt(fmax(0, (squares - sum * sum / point->nodes) / (point->nodes - 1.)));
	}
}

static void made_findings(struct jobstat_job *job, bool bad)
{
	job->finding = calloc(2, sizeof(*job->finding));
	if (bad)
		job->finding[job->findings++] = (struct jobstat_finding){
			JOBSTAT_DIVERGENT,
			true,
			"nid007",
			7,
			0,
			4.2e9,
			8.2e9,
			.66,
			job->start_ns + 3600000000000,
			job->end_ns,
			"its FLOP rate is 0.51 of the other nodes' for 66 % of the time <b>"};
	job->finding[job->findings++] =
		(struct jobstat_finding){JOBSTAT_UNCOUNTED,
					 false,
					 "nid003",
					 3,
					 -1,
					 NAN,
					 NAN,
					 16. / job->steps,
					 job->start_ns + 2400000000000,
					 job->start_ns + 3360000000000,
					 "counters were taken by pid 4711 (perf) for 8.9 % of the time"};
}

static struct jobstat_job *made_job(const char *id, unsigned nodes, unsigned steps, bool bad)
{
	struct jobstat_job *job = calloc(1, sizeof(*job));
	unsigned i, m;

	job->id = id;
	job->start_ns = job->first_ns = 1792000000000000000;
	job->interval_ns = job->step_ns = 60000000000;
	job->steps = steps;
	job->end_ns = job->start_ns + (int64_t)steps * 60000000000;
	job->nodes = nodes;
	job->metrics = job->n_lines = MADE_METRICS;
	job->metric = calloc(MADE_METRICS, sizeof(*job->metric));
	job->metric[0] = (struct jobstat_metric){.name = "node.flops",
						 .unit = "FLOP/s",
						 .scope = JOBSTAT_NODE,
						 .role = JOBSTAT_FLOPS,
						 .sums = true,
						 .named_at = "-23/+34 %"};
	job->metric[1] = (struct jobstat_metric){.name = "bandwidth",
						 .unit = "B/s",
						 .scope = JOBSTAT_NUMA,
						 .role = JOBSTAT_BANDWIDTH,
						 .sums = true,
						 .named_at = "wide",
						 .define = "numa.l3_cache_misses * 64"};
	job->flops = 0;
	job->bandwidth = 1;
	job->peak = 25.6e9;
	job->line_bytes = 64;
	job->missing = bad ? "nid[020-021]" : "";
	job->verdict =
		bad ? "Whether another node stands apart cannot be told: there is no archive of nid[020-021]."
		    : "No node stands apart: a node 20 % below the median would have been named.";
	job->node = calloc(nodes, sizeof(*job->node));
	job->point = calloc(MADE_METRICS, sizeof(*job->point));
	job->lines = calloc(MADE_METRICS, sizeof(*job->lines));
	for (m = 0; m < MADE_METRICS; m++) {
		job->lines[m].metric = (int)m;
		job->lines[m].lines = nodes * ((m ? MADE_NUMA : 1) + 1);
		job->lines[m].line = calloc(job->lines[m].lines, sizeof(*job->lines[m].line));
		job->point[m] = calloc(steps, sizeof(*job->point[m]));
	}
	for (i = 0; i < nodes; i++) {
		job->node[i].name = made_name("nid%03u", i);
		job->node[i].note = i == 5 ? "its archive ends early" : "";
		job->node[i].recorded = 1;
		job->node[i].value = calloc(MADE_METRICS, sizeof(*job->node[i].value));
		for (m = 0; m < MADE_METRICS; m++) {
			struct jobstat_line *whole = &job->lines[m].line[i * ((m ? MADE_NUMA : 1u) + 1)];

			made_place(job, i, &job->node[i].value[m], m, bad);
			*whole = (struct jobstat_line){i, -1, calloc(steps, sizeof(float))};
		}
	}
	for (m = 0; m < MADE_METRICS; m++)
		made_points(job, m);
	job->row = calloc(MADE_NUMA, sizeof(*job->row));
	job->rows = MADE_NUMA;
	for (i = 0; i < MADE_NUMA; i++)
		job->row[i] = (struct jobstat_row){(int)i,           nodes,  12.2e6, 1.81e6, 3580e6, 107e6,
						   1342e6 + 1e6 * i, 45.7e6, .99};
	made_findings(job, bad);
	return job;
}

static void made_free(struct jobstat_job *job)
{
	unsigned i, k, m;

	for (i = 0; i < job->nodes; i++) {
		for (m = 0; m < MADE_METRICS; m++) {
			for (k = 0; k < job->node[i].value[m].places; k++)
				free((char *)job->node[i].value[m].place[k].name);
			free(job->node[i].value[m].place);
		}
		free((char *)job->node[i].name);
		free(job->node[i].value);
	}
	for (m = 0; m < MADE_METRICS; m++) {
		for (k = 0; k < job->lines[m].lines; k++)
			free((float *)job->lines[m].line[k].value);
		free(job->lines[m].line);
		free(job->point[m]);
	}
	free(job->lines);
	free(job->point);
	free(job->metric);
	free(job->node);
	free(job->row);
	free(job->finding);
	free(job);
}

#endif
