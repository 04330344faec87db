/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finish.c - converts the gathered totals of a job into the data that reports are made from.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/findings.h"
#include "jobstat/finish.h"
#include "jobstat/keep.h"

const char jobstat_locality[] =
	"Each miss is taken for one line read from the memory of its own NUMA node. A miss that another "
	"node's memory or cache has answered counts here all the same, and reads of devices are not told "
	"apart: so this holds for programs whose processes and memory are bound to NUMA nodes.";

struct sorting {
	const struct series_names *names;
	const unsigned *was;
};

/* Order metrics: those with a role first, then defined ones, then by scope and name. */
static int by_kind(const void *a, const void *b, void *arg)
{
	const struct series_names *names = arg;
	const struct jobstat_metric *x = &names->metric[*(const unsigned *)a];
	const struct jobstat_metric *y = &names->metric[*(const unsigned *)b];

	if (x->role != y->role)
		return x->role > y->role ? -1 : 1;
	if ((x->define != NULL) != (y->define != NULL))
		return x->define != NULL ? -1 : 1;
	if (x->scope != y->scope)
		return x->scope < y->scope ? -1 : 1;
	return strverscmp(x->name, y->name);
}

static const struct account *account_of_node(const struct account_job *job, unsigned node, unsigned metric)
{
	return metric < job->node[node].metrics ? job->node[node].metric[metric] : NULL;
}

/* Choose the metrics that any node of the job has. Return the index of each among all metrics; NULL: out
 * of memory. */
static unsigned *choose_metrics(const struct account_job *from, const struct series_names *names,
				struct jobstat_job *job)
{
	unsigned *was = keep_job_memory(job, names->n + 1, sizeof(*was)), n = 0;

	for (unsigned m = 0; was != NULL && m < names->n; m++)
		for (unsigned k = 0; k < from->nodes; k++)
			if (account_of_node(from, k, m) != NULL) {
				was[n++] = m;
				break;
			}
	if (was == NULL)
		return NULL;
	qsort_r(was, n, sizeof(*was), by_kind, (void *)names);
	job->metric = keep_job_memory(job, n + 1, sizeof(*job->metric));
	for (unsigned i = 0; job->metric != NULL && i < n; i++) {
		const struct jobstat_metric *shown = &names->metric[was[i]];

		job->metric[i] = *shown;
		job->metric[i].name = keep_text(job, shown->name);
		job->metric[i].unit = keep_text(job, shown->unit);
		if (shown->define != NULL)
			job->metric[i].define = keep_text(job, shown->define);
		if (shown->role == JOBSTAT_BANDWIDTH)
			job->bandwidth = (int)i;
		if (shown->role == JOBSTAT_FLOPS)
			job->flops = (int)i;
	}
	job->metrics = n;
	return was;
}

static double share_of_whole(double part, double whole)
{
	return whole > 0 ? fmin(fmax(part / whole, 0), 1) : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct jobstat_place *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void fill_value(struct jobstat_job *job, struct jobstat_value *value, const struct account *from,
		       double span, double recorded)
{
	const double *lost = from->lost_ns;
	double sum = 0, told = 0;

	value->place = keep_job_memory(job, from->places + 1, sizeof(*value->place));
	if (value->place == NULL)
		return;
	value->places = from->places;
	for (unsigned i = 0; i < from->places; i++) {
		const struct account_place *place = &from->place[i];

		value->place[i] = (struct jobstat_place){
			.number = place->number,
			.name = keep_text(job, place->name),
			.total = place->total,
			.mean = place->n ? place->sum / place->weight : NAN,
			.min = place->n ? place->min : NAN,
			.max = place->n ? place->max : NAN,
			.covered = share_of_whole(place->covered_ns, span),
			.intervals = place->n,
		};
		sum += value->place[i].covered;
	}
	qsort(value->place, value->places, sizeof(*value->place), by_place);
	value->covered = from->places ? sum / from->places : 0;
	value->mean = spread_mean(&from->spread);
	value->min = spread_min(&from->spread);
	value->max = spread_max(&from->spread);
	value->sd = spread_sd(&from->spread);
	value->intervals = from->spread.n;
	value->part = from->part;
	value->lost = (struct jobstat_lost){share_of_whole(lost[0], span),
					    share_of_whole(lost[2], span),
					    share_of_whole(lost[3], span),
					    share_of_whole(lost[4], span),
					    share_of_whole(lost[5], span),
					    share_of_whole(lost[6], span),
					    0,
					    1 - recorded};
	for (unsigned s = 0; s < SERIES_STATES; s++)
		told += s != 1 ? share_of_whole(lost[s], span) : 0;
	value->lost.unknown = fmax(recorded - value->covered - told, 0);
}

static void fill_nodes(struct jobstat_job *job, const struct account_job *from,
		       const struct series_node *node, const unsigned *was, double span)
{
	job->node = keep_job_memory(job, from->nodes + 1, sizeof(*job->node));
	for (unsigned k = 0; job->node != NULL && k < from->nodes; k++) {
		struct jobstat_node *to = &job->node[k];

		to->name = keep_text(job, node[from->node[k].node].name);
		to->note = keep_text(job, node[from->node[k].node].archive->note);
		to->recorded = share_of_whole(from->node[k].recorded_ns, span);
		to->value = keep_job_memory(job, job->metrics + 1, sizeof(*to->value));
		for (unsigned m = 0; to->value != NULL && m < job->metrics; m++) {
			const struct account *account = account_of_node(from, k, was[m]);

			to->value[m].mean = to->value[m].min = to->value[m].max = to->value[m].sd = NAN;
			if (account != NULL)
				fill_value(job, &to->value[m], account, span, to->recorded);
		}
		job->nodes = k + 1;
	}
}

static void fill_points(struct jobstat_job *job, const struct account_job *from, const unsigned *was)
{
	job->point = keep_job_memory(job, job->metrics + 1, sizeof(struct jobstat_point *));
	for (unsigned m = 0; job->point != NULL && m < job->metrics; m++) {
		job->point[m] = keep_job_memory(job, job->steps + 1, sizeof(**job->point));
		for (unsigned i = 0; job->point[m] != NULL && i < job->steps; i++) {
			const struct account_step *step = was[m] < from->metrics && from->step[was[m]] != NULL
								  ? &from->step[was[m]][i]
								  : NULL;

			job->point[m][i] =
				(struct jobstat_point){.mean = NAN, .min = NAN, .max = NAN, .sd = NAN};
			if (step != NULL && step->intervals > 0)
				job->point[m][i] = (struct jobstat_point){
					.nodes = step->nodes,
					.mean = step->mean / step->intervals,
					.min = step->min,
					.max = step->max,
					.sd = step->nodes > 1 ? sqrt(step->variance / step->intervals) : NAN,
					.lacking = account_lacking(from, was[m], step->nodes),
					.part = step->part ||
						(step->intervals < from->per_step && i + 1 < job->steps),
				};
		}
	}
}

static int by_line(const void *a, const void *b)
{
	const struct jobstat_line *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void fill_lines(struct jobstat_job *job, const struct account_job *from, const unsigned *was)
{
	job->lines = keep_job_memory(job, 2, sizeof(*job->lines));
	for (unsigned m = 0; job->lines != NULL && m < job->metrics; m++) {
		struct jobstat_lines *lines = &job->lines[job->n_lines];

		if (job->metric[m].role == JOBSTAT_PLAIN || job->n_lines == 2)
			continue;
		lines->metric = (int)m;
		lines->line = keep_job_memory(job, from->lines + 1, sizeof(*lines->line));
		job->n_lines++;
		for (unsigned l = 0; lines->line != NULL && l < from->lines; l++) {
			const struct account_line *line = &from->line[l];
			float *value;

			if ((unsigned)line->metric != was[m])
				continue;
			value = keep_job_memory(job, job->steps + 1, sizeof(*value));
			for (unsigned i = 0; value != NULL && i < job->steps; i++)
				value[i] = i < line->room && line->weight[i] > 0
						   ? line->sum[i] / line->weight[i]
						   : (float)NAN;
			lines->line[lines->lines++] = (struct jobstat_line){
				.node = line->node, .number = line->number, .value = value};
		}
		if (lines->lines > 0)
			qsort(lines->line, lines->lines, sizeof(*lines->line), by_line);
	}
}

/* Rows of tables III to VII: each NUMA node over all nodes. */

/* Return a node's value of the bandwidth, which has no places if the job has no bandwidth. */
static struct jobstat_value bandwidth_of(const struct jobstat_job *job, unsigned node)
{
	const struct jobstat_value none = {0};

	return job->bandwidth >= 0 && job->node[node].value != NULL ? job->node[node].value[job->bandwidth]
								    : none;
}

static int by_row_number(const void *a, const void *b)
{
	const struct jobstat_row *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Collect the numbers of all nodes' places, because nodes may have different places. */
static void find_rows(struct jobstat_job *job)
{
	size_t places = 0;

	for (unsigned k = 0; k < job->nodes; k++)
		places += bandwidth_of(job, k).places;
	job->row = keep_job_memory(job, places + 1, sizeof(*job->row));
	for (unsigned k = 0; job->row != NULL && k < job->nodes; k++) {
		const struct jobstat_value value = bandwidth_of(job, k);

		for (unsigned i = 0; i < value.places; i++) {
			unsigned r;

			for (r = 0; r < job->rows && job->row[r].number != value.place[i].number; r++)
				;
			if (r == job->rows)
				job->row[job->rows++].number = value.place[i].number;
		}
	}
	if (job->row != NULL)
		qsort(job->row, job->rows, sizeof(*job->row), by_row_number);
}

static void fill_rows(struct jobstat_job *job)
{
	find_rows(job);
	for (unsigned r = 0; r < job->rows; r++) {
		struct spread min = {0}, max = {0}, mean = {0}, covered = {0};
		struct jobstat_row *row = &job->row[r];

		for (unsigned k = 0; k < job->nodes; k++) {
			const struct jobstat_value value = bandwidth_of(job, k);

			for (unsigned i = 0; i < value.places; i++) {
				const struct jobstat_place *place = &value.place[i];

				if (place->number != row->number)
					continue;
				spread_add(&min, place->min, 1);
				spread_add(&max, place->max, 1);
				spread_add(&mean, place->mean, 1);
				spread_add(&covered, place->covered, 1);
			}
		}
		*row = (struct jobstat_row){.number = row->number,
					    .nodes = mean.n,
					    .min = spread_mean(&min),
					    .min_sd = spread_sd(&min),
					    .max = spread_mean(&max),
					    .max_sd = spread_sd(&max),
					    .mean = spread_mean(&mean),
					    .mean_sd = spread_sd(&mean),
					    .covered = spread_mean(&covered)};
	}
}

struct jobstat_job *finish_job(const struct account_job *from, const struct series_node *node,
			       const struct series_names *names, const struct gather_options *options,
			       const struct archives *archives)
{
	struct jobstat_job *job = keep_job();
	const bool has_records = from->end_ns > from->start_ns;
	const unsigned *was;

	if (job == NULL)
		return NULL;
	job->id = keep_text(job, from->job->id);
	job->missing = keep_text(job, from->missing);
	job->unread = from->unread;
	job->unread_why = keep_text(job, archives->unread_why);
	job->start_ns = from->job->start_ns > INT64_MIN / 2 ? from->job->start_ns
			: has_records                       ? from->start_ns
							    : 0;
	job->end_ns = from->job->end_ns != JOBS_RUNNING ? from->job->end_ns
		      : has_records                     ? from->end_ns
							: job->start_ns;
	job->interval_ns = from->interval_ns;
	job->step_ns = from->interval_ns * from->per_step;
	job->first_ns = from->first_ns;
	job->steps = (from->intervals + from->per_step - 1) / from->per_step;
	job->bandwidth = job->flops = -1;
	job->line_bytes = options->line_bytes;
	job->peak = options->peak;
	was = choose_metrics(from, names, job);
	if (was != NULL && !keep_failed(job)) {
		fill_nodes(job, from, node, was, (double)(job->end_ns - job->start_ns));
		fill_points(job, from, was);
		fill_lines(job, from, was);
	}
	if (!keep_failed(job))
		fill_rows(job);
	if (keep_failed(job) || findings_make(job, from, was) != 0) {
		jobstat_job_free(job);
		return NULL;
	}
	return job;
}
