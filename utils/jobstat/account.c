/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - one job while it is read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/account.h"
#include "jobstat/divergent.h"

/* Points of a metric at most; fewer where lines of many nodes would need too much memory. */
#define STEPS_MAX 2048u
#define STEPS_MIN 64u
#define LINES_MEMORY (48u << 20)

/* A sample may be late, or early, by this share of the interval and still be the job's. */
#define TOLERANCE 20

/* ---- steps of time --------------------------------------------------------------------------- */

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

static void merge_blocks(struct account_job *job)
{
	for (unsigned k = 0; k < job->nodes; k++)
		for (unsigned m = 0; m < job->node[k].metrics; m++) {
			struct account *account = job->node[k].metric[m];

			for (unsigned i = 0; account != NULL && i < ACCOUNT_BLOCKS; i++) {
				const bool is_half = i < ACCOUNT_BLOCKS / 2;
				float *sum = account->block_sum, *weight = account->block_weight;

				sum[i] = is_half ? sum[2 * i] + sum[2 * i + 1] : 0;
				weight[i] = is_half ? weight[2 * i] + weight[2 * i + 1] : 0;
			}
		}
	job->per_block *= 2;
}

static int add_point(struct account_job *job, unsigned metric, unsigned interval,
		     const struct spread *over_nodes)
{
	struct account_step **more, *step;

	if (metric >= job->metrics) {
		more = realloc(job->step, (metric + 64) * sizeof(struct account_step *));
		if (more == NULL)
			return -1;
		job->step = more;
		while (job->metrics < metric + 64)
			more[job->metrics++] = NULL;
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
	step->intervals++;
	if (over_nodes->n > step->nodes)
		step->nodes = over_nodes->n;
	step->mean += over_nodes->mean;
	if (over_nodes->n > 1)
		step->variance += fmax(over_nodes->squares, 0) / (over_nodes->n - 1);
	return 0;
}

static int add_line(struct account_job *job, unsigned node, int metric, int number, unsigned interval,
		    double value)
{
	const unsigned step = step_of(job, interval);
	struct account_line *line = NULL, *more;
	unsigned room;
	float *sum, *weight;

	if (isnan(value))
		return 0;
	/* They come in the same order each time. */
	for (unsigned i = 0; line == NULL && i < job->lines; i++) {
		const unsigned at = (job->line_next + i) % job->lines;

		if (job->line[at].node == node && job->line[at].metric == metric &&
		    job->line[at].number == number) {
			line = &job->line[at];
			job->line_next = at + 1;
		}
	}
	if (line == NULL) {
		if ((job->lines & (job->lines - 1)) == 0) {
			more = realloc(job->line, (job->lines ? job->lines * 2 : 1) * sizeof(*more));
			if (more == NULL)
				return -1;
			job->line = more;
		}
		line = &job->line[job->lines++];
		*line = (struct account_line){.node = node, .metric = metric, .number = number};
	}
	if (step >= line->room) {
		room = step * 2 + 32 < job->steps_max ? step * 2 + 32 : job->steps_max;
		sum = realloc(line->sum, room * sizeof(*sum));
		if (sum != NULL)
			line->sum = sum;
		weight = realloc(line->weight, room * sizeof(*weight));
		if (weight != NULL)
			line->weight = weight;
		if (sum == NULL || weight == NULL)
			return -1;
		memset(sum + line->room, 0, (room - line->room) * sizeof(*sum));
		memset(weight + line->room, 0, (room - line->room) * sizeof(*weight));
		line->room = room;
	}
	line->sum[step] += (float)value;
	line->weight[step] += 1;
	return 0;
}

/* ---- a metric on a node ---------------------------------------------------------------------- */

static struct account *account_of(struct account_node *node, unsigned metric)
{
	struct account **more;

	if (metric >= node->metrics) {
		more = realloc(node->metric, (metric + 64) * sizeof(struct account *));
		if (more == NULL)
			return NULL;
		node->metric = more;
		while (node->metrics < metric + 64)
			more[node->metrics++] = NULL;
	}
	if (node->metric[metric] == NULL)
		node->metric[metric] = calloc(1, sizeof(struct account));
	return node->metric[metric];
}

static struct account_place *place_of(struct account *account, unsigned guess, int number, const char *name)
{
	struct account_place *place;

	if (guess < account->places && account->place[guess].number == number)
		return &account->place[guess];
	for (unsigned i = 0; i < account->places; i++)
		if (account->place[i].number == number)
			return &account->place[i];
	if (account->places == account->room) {
		const unsigned room = account->room ? account->room * 2 : 2;

		place = realloc(account->place, room * sizeof(*place));
		if (place == NULL)
			return NULL;
		account->place = place;
		account->room = room;
	}
	place = &account->place[account->places];
	*place = (struct account_place){.number = number, .name = strdup(name != NULL ? name : "")};
	if (place->name == NULL)
		return NULL;
	account->places++;
	return place;
}

/* How fast it counted, or its level; NAN: it did not count. */
static double rate_of(const struct series *series, const struct series_place *place)
{
	if (series->level)
		return place->bin.count ? place->bin.level / (double)place->bin.count : NAN;
	return place->bin.running_ns ? (double)place->bin.count * 1e9 / (double)place->bin.running_ns : NAN;
}

/* The places of one metric on a node: *whole is the node's value where all of them counted. */
static int add_places(struct account *account, const struct series *series, bool sums, double *whole,
		      double *weight)
{
	double sum = 0, weights = 0;
	unsigned n = 0;
	bool all = true;

	for (unsigned i = 0; i < series->places; i++) {
		const struct series_place *from = &series->place[i];
		struct account_place *to = place_of(account, i, from->number, from->name);
		const double x = rate_of(series, from);
		double counted = (double)from->bin.running_ns;

		if (to == NULL)
			return -1;
		if (isnan(x)) {
			/* A CPU that is offline counts nothing that the node would be without. */
			all = all && from->state == 6;
			continue;
		}
		/* A script's time is its own: what it counted, it counted all of the time. */
		to->covered_ns += series->replay || counted > (double)from->bin.span_ns
					  ? (double)from->bin.span_ns
					  : counted;
		if (series->level && counted == 0)
			counted = 1;
		if (!series->level)
			to->total += from->bin.count;
		spread_add(&to->spread, x, counted);
		sum += x;
		weights += counted;
		n++;
	}
	if (n > 0 && all) {
		*whole = sums ? sum : sum / n;
		*weight = weights / n;
	}
	for (unsigned s = 0; s < SERIES_STATES; s++)
		account->lost_ns[s] += series->lost_ns[s];
	return 0;
}

static int add_vector(struct account *account, const struct define_vector *vector, bool sums, double span_ns,
		      const struct series *names, double *whole, double *weight)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < vector->n; i++) {
		const char *name = "";
		struct account_place *to;

		for (unsigned j = 0; names != NULL && vector->vector && j < names->places; j++)
			if (names->place[j].number == vector->number[i])
				name = names->place[j].name;
		to = place_of(account, i, vector->number[i], name);
		if (to == NULL)
			return -1;
		if (isnan(vector->x[i]))
			continue;
		to->covered_ns += span_ns;
		spread_add(&to->spread, vector->x[i], span_ns > 0 ? span_ns : 1);
		sum += vector->x[i];
		n++;
	}
	if (n > 0 && n == vector->n) {
		*whole = sums || !vector->vector ? sum : sum / n;
		*weight = span_ns > 0 ? span_ns : 1;
	}
	return 0;
}

static void add_whole(struct account_job *job, struct account *account, unsigned interval, double whole,
		      double weight)
{
	const unsigned block = interval / job->per_block;

	if (isnan(whole))
		return;
	spread_add(&account->spread, whole, weight);
	account->block_sum[block] += (float)whole;
	account->block_weight[block] += 1;
}

/* ---- an interval ----------------------------------------------------------------------------- */

/* Whether a node's records of the interval are all in the job's time. */
static bool is_inside(const struct account_job *job, const struct series_node *node)
{
	const int64_t late = (int64_t)(job->interval_ns / TOLERANCE);

	return node->to_ns > node->from_ns && node->from_ns + late >= job->job->start_ns &&
	       (job->job->end_ns == JOBS_RUNNING || node->to_ns <= job->job->end_ns + late);
}

/* The spread over nodes, and who stands apart now. */
static int close_metric(struct account_job *job, unsigned metric, unsigned interval, bool compare,
			struct spread *over_nodes)
{
	struct divergent_limits limits;
	unsigned n = 0;

	*over_nodes = (struct spread){0};
	for (unsigned k = 0; k < job->nodes; k++) {
		spread_add(over_nodes, job->x[k], 1);
		if (!isnan(job->x[k]))
			job->sorted[n++] = job->x[k];
	}
	if (add_point(job, metric, interval, over_nodes) != 0)
		return -1;
	if (!compare || n < DIVERGENT_NODES_MIN)
		return 0;
	divergent_limits(job->sorted, n, false, &limits);
	for (unsigned k = 0; limits.can && k < job->nodes; k++) {
		const int side = divergent_side(&limits, job->x[k]);
		struct account *account;

		if (isnan(job->x[k]))
			continue;
		account = job->node[k].metric[metric];
		account->compared++;
		account->low += side < 0;
		account->high += side > 0;
	}
	return 0;
}

struct filling {
	struct account_job *job;
	struct series_node *node;
	const struct series_names *names;
	const struct define *define;
};

int account_resolve(const struct series_names *names, const char *name)
{
	static const char *const scopes[] = {"numa.", "cpu.", "node.", "cgroup."};
	char full[400];
	int at = series_find_name(names, name);

	for (size_t i = 0; at < 0 && i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (strlen(name) > 300)
			return -1;
		strcpy(full, scopes[i]);
		strcat(full, name);
		at = series_find_name(names, full);
	}
	return at;
}

static bool fill(void *arg, unsigned k, unsigned input, bool counts, struct define_vector *vector)
{
	const struct filling *f = arg;
	const int metric = account_resolve(f->names, define_input(f->define, input));
	const struct series_node *node = &f->node[f->job->node[k].node];
	const struct series *series = metric >= 0 ? series_of(node, (unsigned)metric) : NULL;

	if (series == NULL || series->places == 0 || !is_inside(f->job, node) ||
	    define_resize(vector, series->places) != 0)
		return false;
	vector->vector = f->names->metric[metric].scope != JOBSTAT_NODE;
	for (unsigned i = 0; i < series->places; i++) {
		const struct series_place *place = &series->place[i];

		vector->number[i] = place->number;
		vector->x[i] = rate_of(series, place);
		if (counts && !isnan(vector->x[i]))
			vector->x[i] = (double)place->bin.count;
	}
	return true;
}

/* Any series with the places of a definition, for their names. */
static const struct series *named_like(const struct filling *f, unsigned definition, unsigned k)
{
	const enum jobstat_scope scope = define_scope(f->define, definition);

	for (unsigned i = 0; i < define_inputs(f->define); i++) {
		const int metric = account_resolve(f->names, define_input(f->define, i));

		if (metric >= 0 && f->names->metric[metric].scope == scope)
			return series_of(&f->node[f->job->node[k].node], (unsigned)metric);
	}
	return NULL;
}

static int add_defined(struct filling *f, const struct gather_options *options, const int *defined,
		       unsigned interval, const struct gather_watch *watch)
{
	struct account_job *job = f->job;
	struct spread over_nodes;

	if (define_run(job->work, fill, f, (double)job->interval_ns / 1e9) != 0)
		return -1;
	for (unsigned d = 0; d < define_count(f->define); d++) {
		const bool is_shown = (int)d == options->bandwidth || (int)d == options->flops;

		for (unsigned k = 0; k < job->nodes; k++) {
			const struct series_node *node = &f->node[job->node[k].node];
			const struct define_vector *vector = define_value(job->work, d, k);
			const double span = is_inside(job, node) ? (double)(node->to_ns - node->from_ns) : 0;
			struct account *account;
			double weight = 0;

			job->x[k] = NAN;
			if (vector->n == 0 || span == 0)
				continue;
			account = account_of(&job->node[k], (unsigned)defined[d]);
			if (account == NULL || add_vector(account, vector, define_sums(f->define, d), span,
							  named_like(f, d, k), &job->x[k], &weight) != 0)
				return -1;
			add_whole(job, account, interval, job->x[k], weight);
			if (is_shown && add_line(job, k, defined[d], -1, interval, job->x[k]) != 0)
				return -1;
			for (unsigned i = 0; is_shown && vector->vector && i < vector->n; i++)
				if (define_scope(f->define, d) == JOBSTAT_NUMA &&
				    add_line(job, k, defined[d], vector->number[i], interval, vector->x[i]) !=
					    0)
					return -1;
			for (unsigned i = 0; watch != NULL && watch->value != NULL && i < vector->n; i++)
				watch->value(watch->arg, node->name, &f->names->metric[defined[d]],
					     vector->number[i], account->place[i].name, vector->x[i]);
		}
		if (close_metric(job, (unsigned)defined[d], interval, true, &over_nodes) != 0)
			return -1;
		if (watch != NULL && watch->spread != NULL && over_nodes.n > 0)
			watch->spread(watch->arg, &f->names->metric[defined[d]],
				      &(struct jobstat_point){over_nodes.n, over_nodes.mean, over_nodes.min,
							      over_nodes.max, spread_sd(&over_nodes)});
	}
	return 0;
}

static int add_metric(struct account_job *job, struct series_node *node, const struct series_names *names,
		      unsigned metric, unsigned interval, const struct gather_watch *watch)
{
	const struct jobstat_metric *shown = &names->metric[metric];
	struct spread over_nodes;
	bool any = false;

	for (unsigned k = 0; k < job->nodes; k++) {
		const struct series_node *from = &node[job->node[k].node];
		const struct series *series = series_of(from, metric);
		struct account *account;
		double weight = 0;

		job->x[k] = NAN;
		if (series == NULL || series->places == 0 || !is_inside(job, from))
			continue;
		account = account_of(&job->node[k], metric);
		if (account == NULL || add_places(account, series, shown->sums, &job->x[k], &weight) != 0)
			return -1;
		any = true;
		add_whole(job, account, interval, job->x[k], weight);
		for (unsigned i = 0; watch != NULL && watch->value != NULL && i < series->places; i++)
			watch->value(watch->arg, from->name, shown, series->place[i].number,
				     series->place[i].name, rate_of(series, &series->place[i]));
	}
	if (!any)
		return 0;
	if (close_metric(job, metric, interval, !shown->level, &over_nodes) != 0)
		return -1;
	if (watch != NULL && watch->spread != NULL && over_nodes.n > 0)
		watch->spread(watch->arg, shown,
			      &(struct jobstat_point){over_nodes.n, over_nodes.mean, over_nodes.min,
						      over_nodes.max, spread_sd(&over_nodes)});
	return 0;
}

static void add_node(struct account_job *job, struct account_node *to, const struct series_node *from)
{
	if (!is_inside(job, from))
		return;
	to->recorded_ns += (double)(from->to_ns - from->from_ns);
	if (from->to_ns > job->end_ns)
		job->end_ns = from->to_ns;
	if (from->from_ns < job->start_ns)
		job->start_ns = from->from_ns;
	if (from->users[0] != '\0' && strstr(to->users, from->users) == NULL &&
	    strlen(to->users) + strlen(from->users) + 3 < sizeof(to->users)) {
		if (to->users[0] != '\0')
			strcat(to->users, ", ");
		strcat(to->users, from->users);
	}
}

int account_add(struct account_job *job, struct series_node *node, const struct series_names *names,
		const struct gather_options *options, const int *defined, unsigned interval,
		const struct gather_watch *watch)
{
	struct filling filling = {job, node, names, options->define};
	unsigned defines = define_count(options->define);

	while (step_of(job, interval) >= job->steps_max)
		merge_steps(job);
	while (interval / job->per_block >= ACCOUNT_BLOCKS)
		merge_blocks(job);
	if (interval >= job->intervals)
		job->intervals = interval + 1;
	if (watch != NULL && watch->interval != NULL)
		watch->interval(watch->arg, job->job, job->first_ns + (int64_t)(interval * job->interval_ns),
				job->interval_ns);
	for (unsigned k = 0; k < job->nodes; k++)
		add_node(job, &job->node[k], &node[job->node[k].node]);
	for (unsigned m = 0; m < names->n; m++)
		if (names->metric[m].define == NULL && add_metric(job, node, names, m, interval, watch) != 0)
			return -1;
	if (defines > 0 && defined[0] >= 0)
		return add_defined(&filling, options, defined, interval, watch);
	return 0;
}

/* ---- begin and end --------------------------------------------------------------------------- */

bool account_same_node(const char *a, const char *b)
{
	const size_t n = strcspn(a, "."), m = strcspn(b, ".");

	if (a[n] != '\0' && b[m] != '\0')
		return strcmp(a, b) == 0;
	return n == m && strncmp(a, b, n) == 0;
}

static int choose_nodes(struct account_job *job, const struct series_node *node, unsigned nodes)
{
	const struct nodelist *wanted = &job->job->nodes;
	const char **missing = calloc(wanted->n + 1, sizeof(*missing));
	unsigned n = 0;

	job->node = calloc(nodes ? nodes : 1, sizeof(*job->node));
	if (missing == NULL || job->node == NULL) {
		free(missing);
		return -1;
	}
	for (unsigned i = 0; i < nodes; i++) {
		bool in = wanted->n == 0;

		for (unsigned j = 0; !in && j < wanted->n; j++)
			in = account_same_node(wanted->name[j], node[i].name);
		if (in)
			job->node[job->nodes++].node = i;
	}
	for (unsigned j = 0; j < wanted->n; j++) {
		bool in = false;

		for (unsigned i = 0; !in && i < nodes; i++)
			in = account_same_node(wanted->name[j], node[i].name);
		if (!in)
			missing[n++] = wanted->name[j];
	}
	job->missing = nodelist_text(missing, n);
	free(missing);
	return job->missing != NULL ? 0 : -1;
}

struct account_job *account_begin(const struct jobs_job *from, const struct series_node *node, unsigned nodes,
				  uint64_t interval_ns, int64_t first_ns, const struct define *define)
{
	struct account_job *job = calloc(1, sizeof(*job));
	unsigned most;

	if (job == NULL)
		return NULL;
	*job = (struct account_job){.job = from,
				    .start_ns = INT64_MAX,
				    .end_ns = INT64_MIN,
				    .interval_ns = interval_ns,
				    .first_ns = first_ns,
				    .per_step = 1,
				    .per_block = 1};
	if (choose_nodes(job, node, nodes) != 0) {
		account_end(job);
		return NULL;
	}
	/* Two metrics with lines, of the node and of four NUMA nodes, each with a sum and a weight. */
	most = LINES_MEMORY / (job->nodes ? job->nodes : 1) / (6 * 2 * sizeof(float));
	job->steps_max = most > STEPS_MAX ? STEPS_MAX : most < STEPS_MIN ? STEPS_MIN : most & ~1u;
	job->x = calloc(job->nodes ? job->nodes : 1, sizeof(*job->x));
	job->sorted = calloc(job->nodes ? job->nodes : 1, sizeof(*job->sorted));
	if (define_count(define) > 0)
		job->work = define_begin(define, job->nodes);
	if (job->x == NULL || job->sorted == NULL || (define_count(define) > 0 && job->work == NULL)) {
		account_end(job);
		return NULL;
	}
	return job;
}

void account_end(struct account_job *job)
{
	if (job == NULL)
		return;
	for (unsigned k = 0; job->node != NULL && k < job->nodes; k++) {
		for (unsigned m = 0; m < job->node[k].metrics; m++) {
			struct account *account = job->node[k].metric[m];

			for (unsigned i = 0; account != NULL && i < account->places; i++)
				free(account->place[i].name);
			if (account != NULL)
				free(account->place);
			free(account);
		}
		free(job->node[k].metric);
	}
	for (unsigned m = 0; m < job->metrics; m++)
		free(job->step[m]);
	for (unsigned l = 0; l < job->lines; l++) {
		free(job->line[l].sum);
		free(job->line[l].weight);
	}
	define_end(job->work);
	free(job->step);
	free(job->line);
	free(job->node);
	free(job->missing);
	free(job->x);
	free(job->sorted);
	free(job);
}
