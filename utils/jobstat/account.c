/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.c - adds the intervals of each node to a job's running totals while archives are read.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/account_private.h"
#include "lib/list.h"

/* Maximum number of steps. For many nodes the maximum is lower, so that their lines need no more than
 * LINES_MEMORY bytes. */
#define STEPS_MAX 2048u
#define STEPS_MIN 64u
#define LINES_MEMORY (48u << 20)

/* A sample may be late or early by 1 / TOLERANCE of the interval and still belong to the job. */
#define TOLERANCE 20

static void merge_blocks(struct account_job *job)
{
	for (unsigned k = 0; k < job->nodes; k++)
		for (unsigned m = 0; m < job->node[k].metrics; m++) {
			struct account *account = job->node[k].metric[m];

			for (unsigned i = 0; account != NULL && i < ACCOUNT_BLOCKS; i++) {
				struct account_block *block = account->block;

				if (i < ACCOUNT_BLOCKS / 2) {
					block[i].sum = block[2 * i].sum + block[2 * i + 1].sum;
					block[i].n = block[2 * i].n + block[2 * i + 1].n;
				} else {
					block[i] = (struct account_block){0};
				}
			}
		}
	job->per_block *= 2;
}

/* ---- a metric on a node ---------------------------------------------------------------------- */

struct account *account_at(struct account_node *node, unsigned metric)
{
	if (metric >= node->metrics) {
		if (!util_resize(&node->metric, metric + 64, sizeof(struct account *)))
			return NULL;
		while (node->metrics < metric + 64)
			node->metric[node->metrics++] = NULL;
	}
	if (node->metric[metric] == NULL)
		node->metric[metric] = calloc(1, sizeof(struct account));
	return node->metric[metric];
}

struct account_place *account_place(struct account *account, int number, const char *name)
{
	struct account_place *place;

	for (unsigned i = 0; i < account->places; i++)
		if (account->place[i].number == number)
			return &account->place[i];
	if (!util_grow(&account->place, account->places, sizeof(*place)))
		return NULL;
	place = &account->place[account->places];
	*place = (struct account_place){.number = number, .name = strdup(name != NULL ? name : "")};
	if (place->name == NULL)
		return NULL;
	account->places++;
	return place;
}

/* Add the open interval of one metric's places on a node. *whole is set to the node's value if all places
 * counted. Return 0, or -1 if out of memory. */
static int add_places(struct account *account, const struct series *series, bool sums, double *whole,
		      double *weight, bool *part)
{
	double sum = 0, weights = 0;
	unsigned n = 0;
	bool all = true;

	for (unsigned i = 0; i < series->places; i++) {
		const struct series_place *from = &series->place[i];
		const double x = account_rate(series, from);
		double counted = (double)from->bin.running_ns;
		struct account_place *to;

		if (i < account->places && account->place[i].number == from->number)
			to = &account->place[i];
		else
			to = account_place(account, from->number, series->name[i]);
		if (to == NULL)
			return -1;
		if (isnan(x)) {
			/* An offline CPU has no counts that the node's value could lack. */
			all = all && from->state == 6;
			continue;
		}
		to->covered_ns += account_covered(series, from);
		*part |= account_covered(series, from) < JOBSTAT_WHOLE * (double)from->bin.span_ns;
		if (series->level && counted == 0)
			counted = 1;
		if (!series->level)
			to->total += from->bin.count;
		account_add_place(to, x, counted);
		sum += x;
		weights += counted;
		n++;
	}
	if (n > 0 && all) {
		*whole = sums ? sum : sum / n;
		*weight = weights / n;
	}
	for (unsigned s = 0; series->has_lost && s < SERIES_STATES; s++)
		account->lost_ns[s] += series->lost_ns[s];
	return 0;
}

void account_whole(struct account_job *job, struct account *account, unsigned interval, double whole,
		   double weight)
{
	const unsigned block = interval / job->per_block;

	if (isnan(whole))
		return;
	spread_add(&account->spread, whole, weight);
	account->block[block].sum += (float)whole;
	account->block[block].n += 1;
}

bool account_inside(const struct account_job *job, const struct series_node *node)
{
	const int64_t late = (int64_t)(job->interval_ns / TOLERANCE);

	return node->to_ns > node->from_ns && node->from_ns + late >= job->job->start_ns &&
	       (job->job->end_ns == JOBS_RUNNING || node->to_ns <= job->job->end_ns + late);
}

static void add_node_account(struct account_job *job, struct account_node *to, const struct series_node *from)
{
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

static double *row_of_slot(struct account_job *job, struct account_slot *slot, unsigned metric)
{
	if (metric >= slot->metrics) {
		const unsigned n = metric + 64;

		if (!util_resize(&slot->x, (size_t)n * job->nodes, sizeof(*slot->x)) ||
		    !util_resize(&slot->has, n, sizeof(*slot->has)) ||
		    !util_resize(&slot->part, n, sizeof(*slot->part)))
			return NULL;
		for (size_t i = (size_t)slot->metrics * job->nodes; i < (size_t)n * job->nodes; i++)
			slot->x[i] = NAN;
		memset(slot->has + slot->metrics, 0, (n - slot->metrics) * sizeof(*slot->has));
		memset(slot->part + slot->metrics, 0, (n - slot->metrics) * sizeof(*slot->part));
		slot->metrics = n;
	}
	slot->has[metric] = true;
	return &slot->x[(size_t)metric * job->nodes];
}

int account_take(struct account_job *job, unsigned k, const struct series_node *from,
		 const struct series_names *names, unsigned interval, const struct gather_watch *watch)
{
	struct account_node *to = &job->node[k];
	struct account_slot *slot = &job->slot[interval % job->slots];

	if (!account_inside(job, from))
		return 0;
	while (interval / job->per_block >= ACCOUNT_BLOCKS)
		merge_blocks(job);
	add_node_account(job, to, from);
	for (unsigned s = 0; s < from->n; s++) {
		const struct series *series = from->series[s];
		const unsigned m = series->metric;
		struct account *account;
		double *x, whole = NAN, weight = 0;
		bool part = false;

		if (series->interval != from->interval || series->places == 0)
			continue;
		account = m < to->metrics && to->metric[m] != NULL ? to->metric[m] : account_at(to, m);
		x = m < slot->metrics && slot->has[m] ? &slot->x[(size_t)m * job->nodes]
						      : row_of_slot(job, slot, m);
		if (account == NULL || x == NULL ||
		    add_places(account, series, names->metric[m].sums, &whole, &weight, &part) != 0)
			return -1;
		account->part |= part;
		slot->part[m] |= part;
		account_whole(job, account, interval, whole, weight);
		x[k] = whole;
		for (unsigned i = 0; watch != NULL && watch->value != NULL && i < series->places; i++)
			watch->value(watch->arg, from->name, &names->metric[m], series->place[i].number,
				     series->name[i], account_rate(series, &series->place[i]),
				     account_covered(series, &series->place[i]) <
					     JOBSTAT_WHOLE * (double)series->place[i].bin.span_ns);
	}
	return 0;
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* True if two names denote the same node. If one of them has no domain, only the parts before the first
 * dot are compared. */
static bool is_same_node(const char *a, const char *b)
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
	job->place = calloc(nodes ? nodes : 1, sizeof(*job->place));
	if (missing == NULL || job->node == NULL || job->place == NULL) {
		free(missing);
		return -1;
	}
	for (unsigned i = 0; i < nodes; i++) {
		bool in = wanted->n == 0;

		for (unsigned j = 0; !in && j < wanted->n; j++)
			in = is_same_node(wanted->name[j], node[i].name);
		job->place[i] = in ? (int)job->nodes : -1;
		if (in)
			job->node[job->nodes++].node = i;
	}
	for (unsigned j = 0; j < wanted->n; j++) {
		bool in = false;

		for (unsigned i = 0; !in && i < nodes; i++)
			in = is_same_node(wanted->name[j], node[i].name);
		if (!in)
			missing[n++] = wanted->name[j];
	}
	job->missing = nodelist_text(missing, n);
	job->missing_nodes = n;
	free(missing);
	return job->missing != NULL ? 0 : -1;
}

struct account_job *account_begin(const struct jobs_job *from, const struct series_node *node, unsigned nodes,
				  uint64_t interval_ns, int64_t first_ns, unsigned slots,
				  const struct define *define)
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
	/* Assume six lines per node, each with a sum and a weight: one metric on the node and on four NUMA
	 * nodes, and the other metric on the node. */
	most = LINES_MEMORY / (job->nodes ? job->nodes : 1) / (6 * 2 * sizeof(float));
	job->steps_max = most > STEPS_MAX ? STEPS_MAX : most < STEPS_MIN ? STEPS_MIN : most & ~1u;
	job->slots = slots;
	job->slot = calloc(slots, sizeof(*job->slot));
	job->x = calloc(job->nodes ? job->nodes : 1, sizeof(*job->x));
	if (define_count(define) > 0)
		job->work = define_begin(define, job->nodes);
	if (job->slot == NULL || job->x == NULL || (define_count(define) > 0 && job->work == NULL)) {
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
	for (unsigned i = 0; job->slot != NULL && i < job->slots; i++) {
		free(job->slot[i].x);
		free(job->slot[i].has);
		free(job->slot[i].part);
	}
	define_end(job->work);
	free(job->slot);
	free(job->step);
	free(job->line);
	free(job->node);
	free(job->place);
	free(job->missing);
	free(job->x);
	free(job);
}
