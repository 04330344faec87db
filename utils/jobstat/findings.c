/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * findings.c - the findings about a job's nodes.
 *
 * A node is named if compare.c names it over the whole job, or if it stands apart in several consecutive
 * parts of the job. A node that stands apart in many metrics is reported for one of them, with the number
 * of others.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/compare.h"
#include "jobstat/divergent.h"
#include "jobstat/findings.h"
#include "jobstat/keep.h"
#include "jobstat/placement.h"
#include "jobstat/verdict.h"
#include "lib/common.h"

_Static_assert(COMPARE_PARTS == ACCOUNT_BLOCKS, "parts of a job");

/* Jobs with fewer than PARTS_MIN parts have no runs of parts. A run has at least RUN_MIN parts. */
#define PARTS_MIN 8
#define RUN_MIN 3

/* A loss of counting time is reported if it exceeds the other nodes' loss by at least this share of the job's
 * time and this number of intervals. */
#define LOST_MIN 0.05
#define LOST_INTERVALS 2

/* A node is not compared if its number of intervals is below this share of the median. */
#define ENOUGH 0.2

struct suspect {
	int metric; /* -1: no metric */
	int side;
	unsigned others;
	double value, usual, share, score;
	int64_t from_ns, to_ns;
};

struct work {
	struct jobstat_job *job;
	const struct account_job *account;
	const unsigned *was;
	double *sorted;
	struct compare compare;  /* comparison of the current metric */
	struct suspect *suspect; /* [nodes] */
	struct divided {
		int metric; /* -1: no metric */
		unsigned others;
		double between, ratio;
	} divided;
	unsigned room;
	double span;
};

static int add_finding(struct work *w, const struct jobstat_finding *finding)
{
	struct jobstat_finding *more;

	if (w->job->findings == w->room) {
		more = keep_job_memory(w->job, (size_t)w->room * 2 + 16, sizeof(*more));
		if (more == NULL)
			return -1;
		if (w->job->findings > 0)
			memcpy(more, w->job->finding, w->job->findings * sizeof(*more));
		w->job->finding = more;
		w->room = w->room * 2 + 16;
	}
	w->job->finding[w->job->findings++] = *finding;
	return 0;
}

static const struct account *account_at_work(const struct work *w, unsigned k, unsigned m)
{
	const struct account_node *node = &w->account->node[k];

	return w->was[m] < node->metrics ? node->metric[w->was[m]] : NULL;
}

/* True for a NUMA metric that counts the same event as a CPU metric. Its values are sums of the CPUs' and add
 * no information. */
static bool is_repeated_metric(const struct jobstat_job *job, unsigned m)
{
	if (strncmp(job->metric[m].name, "numa.", 5) != 0)
		return false;
	for (unsigned i = 0; i < job->metrics; i++)
		if (strncmp(job->metric[i].name, "cpu.", 4) == 0 &&
		    strcmp(job->metric[i].name + 4, job->metric[m].name + 5) == 0)
			return true;
	return false;
}

/* ---- rates that stand apart ------------------------------------------------------------------ */

static void suspect_node(struct work *w, unsigned k, unsigned m, int side, double value, double usual,
			 double share, int64_t from_ns, int64_t to_ns)
{
	struct suspect *s = &w->suspect[k];
	const double ratio = fmax(value, usual * 1e-3) / usual;
	double score = fabs(log(ratio)) * share;

	if (w->job->metric[m].role != JOBSTAT_PLAIN)
		score *= 2;
	s->others += s->metric >= 0;
	if (s->metric >= 0 && score <= s->score)
		return;
	s->metric = (int)m;
	s->side = side;
	s->value = value;
	s->usual = usual;
	s->share = share;
	s->score = score;
	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

static double median_intervals(struct work *w, unsigned m)
{
	unsigned n = 0;

	for (unsigned k = 0; k < w->job->nodes; k++)
		if (w->job->node[k].value[m].intervals > 0)
			w->sorted[n++] = w->job->node[k].value[m].intervals;
	return n > 0 ? spread_median(w->sorted, n) : 0;
}

/* Return the number of the job's parts that have records. */
static unsigned count_recorded_parts(const struct account_job *from)
{
	const unsigned parts = (from->intervals + from->per_block - 1) / from->per_block;

	return parts < ACCOUNT_BLOCKS ? parts : ACCOUNT_BLOCKS;
}

/* Fill in the rates of a metric, over the whole job and in its parts. */
static void rates_fill(struct work *w, unsigned m)
{
	const double enough = median_intervals(w, m) * ENOUGH;
	struct compare *c = &w->compare;

	c->nodes = w->job->nodes;
	c->parts = count_recorded_parts(w->account);
	for (unsigned k = 0; k < c->nodes; k++) {
		const struct jobstat_value *value = &w->job->node[k].value[m];
		const struct account *account = account_at_work(w, k, m);

		c->whole[k] = value->intervals > 0 && value->intervals >= enough ? value->mean : NAN;
		for (unsigned p = 0; p < c->parts; p++)
			c->part[(size_t)p * c->nodes + k] =
				account != NULL && account->block[p].n > 0
					? (double)(account->block[p].sum / account->block[p].n)
					: NAN;
	}
}

/* Find the longest run of parts in which node k stands apart. Return its side, or 0 if the run is too
 * short or the node is named over the whole job. */
static int rates_longest(const struct work *w, unsigned k, unsigned *first, unsigned *length)
{
	const struct compare *c = &w->compare;
	signed char side[COMPARE_PARTS];
	int found;

	for (unsigned p = 0; p < c->parts; p++)
		side[p] = c->in_part[(size_t)p * c->nodes + k];
	found = divergent_run(side, c->parts, first, length);
	return c->side[k] != 0 || *length < RUN_MIN || *length < c->parts / 8 ? 0 : found;
}

/* Suspect nodes that stand apart in several consecutive parts. */
static void rates_runs(struct work *w, unsigned m)
{
	const struct account_job *from = w->account;
	const struct compare *c = &w->compare;
	const int64_t part_ns = (int64_t)(from->per_block * from->interval_ns);
	unsigned first, length, named = 0;

	if (c->parts < PARTS_MIN)
		return;
	for (unsigned k = 0; k < c->nodes; k++)
		named += rates_longest(w, k, &first, &length) != 0;
	if (named > divergent_most(c->nodes))
		return;
	for (unsigned k = 0; k < c->nodes; k++) {
		const int side = rates_longest(w, k, &first, &length);
		double sum = 0, usual = 0;

		if (side == 0)
			continue;
		for (unsigned p = first; p < first + length; p++) {
			sum += c->part[(size_t)p * c->nodes + k] / length;
			usual += c->part_median[p] / length;
		}
		suspect_node(w, k, m, side, sum, usual, (double)length / c->parts,
			     from->first_ns + first * part_ns, from->first_ns + (first + length) * part_ns);
	}
}

/* Check whether the nodes form two groups, over the whole job and in each of its parts. If neither group
 * is much larger, the normal group is unknown, so no node is named. */
static void rates_groups(struct work *w, unsigned m)
{
	const struct compare *c = &w->compare;
	unsigned n = 0, low;
	double between, ratio;

	for (unsigned k = 0; k < c->nodes; k++)
		if (!isnan(c->whole[k]))
			w->sorted[n++] = c->whole[k];
	divergent_sort(w->sorted, n);
	low = c->parts < PARTS_MIN ? 0 : divergent_groups(w->sorted, n);
	if (low == 0)
		return;
	between = sqrt(w->sorted[low - 1]) * sqrt(w->sorted[low]);
	ratio = w->sorted[low] / w->sorted[low - 1];
	for (unsigned p = 0; p < c->parts; p++) {
		double most = 0, least = INFINITY; /* most: maximum of the lower group; least: minimum of the
						      higher group */

		for (unsigned k = 0; k < c->nodes; k++) {
			const double x = c->part[(size_t)p * c->nodes + k];

			if (isnan(c->whole[k]) || isnan(x))
				continue;
			if (c->whole[k] > between)
				least = fmin(least, x);
			else
				most = fmax(most, x);
		}
		if (most >= least)
			return;
	}
	w->divided.others += w->divided.metric >= 0;
	if (w->divided.metric < 0 || ratio > w->divided.ratio) {
		w->divided.metric = (int)m;
		w->divided.between = between;
		w->divided.ratio = ratio;
	}
}

static void rates_compare(struct work *w, unsigned m)
{
	struct jobstat_metric *metric = &w->job->metric[m];
	const struct compare *c = &w->compare;
	bool named = false;

	rates_fill(w, m);
	compare_run(&w->compare);
	metric->comparison = c->comparison;
	metric->less = c->less;
	metric->more = c->more;
	for (unsigned k = 0; k < c->nodes; k++) {
		if (c->side[k] == 0)
			continue;
		named = true;
		suspect_node(w, k, m, c->side[k], c->whole[k], c->median, c->share[k], w->job->start_ns,
			     w->job->end_ns);
	}
	rates_runs(w, m);
	if (!named)
		rates_groups(w, m);
}

static void put_finding_value(char text[UTIL_NUMBER_MAX], double value, const struct jobstat_metric *metric)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	unsigned p = 0;

	while (fabs(value) >= 999.5 && p + 1 < sizeof(prefixes) / sizeof(prefixes[0])) {
		value /= 1000;
		p++;
	}
	snprintf(text, UTIL_NUMBER_MAX, "%.3g%s%s%s", value, metric->unit[0] != '\0' || p > 0 ? " " : "",
		 prefixes[p], metric->unit);
}

static int add_groups(struct work *w)
{
	const struct jobstat_job *job = w->job;
	const struct divided *d = &w->divided;
	const char **group = keep_job_memory(w->job, job->nodes + 1, sizeof(*group));
	unsigned n[2] = {0, 0}, first = 0, count = 0;
	double sum[2] = {0, 0};
	char here[UTIL_NUMBER_MAX], there[UTIL_NUMBER_MAX], others[60] = "";
	int few;
	char *list;

	if (group == NULL)
		return -1;
	for (unsigned k = 0; k < job->nodes; k++) {
		const double x = job->node[k].value[d->metric].mean;

		if (!isnan(x)) {
			n[x > d->between]++;
			sum[x > d->between] += x;
		}
	}
	few = n[1] < n[0];
	for (unsigned k = job->nodes; k-- > 0;)
		if (!isnan(job->node[k].value[d->metric].mean) &&
		    (job->node[k].value[d->metric].mean > d->between) == few)
			first = k;
	for (unsigned k = first; k < job->nodes; k++)
		if (!isnan(job->node[k].value[d->metric].mean) &&
		    (job->node[k].value[d->metric].mean > d->between) == few)
			group[count++] = job->node[k].name;
	list = nodelist_text(group, count);
	if (list == NULL)
		return -1;
	put_finding_value(here, sum[few] / n[few], &job->metric[d->metric]);
	put_finding_value(there, sum[!few] / n[!few], &job->metric[d->metric]);
	if (d->others > 0)
		snprintf(others, sizeof(others), "; so does it in %u other metric%s", d->others,
			 d->others > 1 ? "s" : "");
	group[0] = keep_text(w->job, list);
	free(list);
	return add_finding(w,
			   &(struct jobstat_finding){
				   .kind = JOBSTAT_GROUPS,
				   .nodes = group[0],
				   .first_node = first,
				   .metric = d->metric,
				   .value = sum[few] / n[few],
				   .usual = sum[!few] / n[!few],
				   .share = 1,
				   .from_ns = job->start_ns,
				   .to_ns = job->end_ns,
				   .text = keep_format(
					   w->job,
					   "%s divides the nodes: %u have %s, %u have %s all of the time; "
					   "which is as it should be cannot be told%s",
					   job->metric[d->metric].name, n[few], here, n[!few], there, others),
			   });
}

static int add_divergent(struct work *w, unsigned k)
{
	const struct suspect *s = &w->suspect[k];
	const struct jobstat_metric *metric = &w->job->metric[s->metric];
	const double ratio = s->value / s->usual;
	char here[UTIL_NUMBER_MAX], usual[UTIL_NUMBER_MAX], much[40], others[60] = "", when[80];

	put_finding_value(here, s->value, metric);
	put_finding_value(usual, s->usual, metric);
	if (ratio < 2)
		snprintf(much, sizeof(much), "%.0f %% of", ratio * 100);
	else
		snprintf(much, sizeof(much), "%.1f times", ratio);
	if (s->others > 0)
		snprintf(others, sizeof(others), "; so are %u other metric%s", s->others,
			 s->others > 1 ? "s" : "");
	if (s->from_ns == w->job->start_ns && s->to_ns == w->job->end_ns)
		snprintf(when, sizeof(when), "in %.0f %% of the job's parts", s->share * 100);
	else
		snprintf(when, sizeof(when), "for %.0f %% of the time on end", s->share * 100);
	return add_finding(w, &(struct jobstat_finding){
				      .kind = JOBSTAT_DIVERGENT,
				      .bad = true,
				      .nodes = w->job->node[k].name,
				      .first_node = k,
				      .metric = s->metric,
				      .value = s->value,
				      .usual = s->usual,
				      .share = s->share,
				      .from_ns = s->from_ns,
				      .to_ns = s->to_ns,
				      .text = keep_format(w->job, "%s is %s what is usual: %s, not %s, %s%s",
							  metric->name, much, here, usual, when, others),
			      });
}

static int find_divergent(struct work *w)
{
	for (unsigned k = 0; k < w->job->nodes; k++)
		w->suspect[k] = (struct suspect){.metric = -1};
	w->divided = (struct divided){.metric = -1};
	for (unsigned m = 0; m < w->job->metrics; m++)
		if (!w->job->metric[m].level && !is_repeated_metric(w->job, m))
			rates_compare(w, m);
	for (unsigned k = 0; k < w->job->nodes; k++)
		if (w->suspect[k].metric >= 0 && add_divergent(w, k) != 0)
			return -1;
	return w->divided.metric >= 0 ? add_groups(w) : 0;
}

/* ---- lost counting time ---------------------------------------------------------------------- */

static const char *reason_of_loss(const struct jobstat_lost *lost)
{
	const struct {
		double share;
		const char *text;
	} why[] = {
		{lost->taken, "taken by somebody else"},
		{lost->yielded, "yielded to somebody else"},
		{lost->halted, "halted"},
		{lost->failed, "could not be counted"},
		{lost->offline, "offline"},
		{lost->opening, "being opened"},
		{lost->unknown, "without values"},
	};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(why) / sizeof(why[0]); i++)
		if (why[i].share > why[most].share)
			most = i;
	return why[most].text;
}

static double lost_of(const struct jobstat_node *node, unsigned m)
{
	return fmax(node->recorded - node->value[m].covered, 0);
}

/* Return the usual loss of a metric: the median over nodes, or 0 for fewer than 3 nodes. *have is the
 * number of nodes that have the metric. */
static double usual_loss(struct work *w, unsigned m, unsigned *have)
{
	unsigned n = 0;

	*have = 0;
	for (unsigned k = 0; k < w->job->nodes; k++) {
		if (w->job->node[k].recorded > 0)
			w->sorted[n++] = lost_of(&w->job->node[k], m);
		*have += w->job->node[k].value[m].places > 0;
	}
	return n >= 3 ? spread_median(w->sorted, n) : 0;
}

static int find_uncounted(struct work *w)
{
	const double least = fmax(LOST_MIN, LOST_INTERVALS * (double)w->job->interval_ns / w->span);

	for (unsigned k = 0; k < w->job->nodes; k++)
		w->suspect[k] = (struct suspect){.metric = -1};
	for (unsigned m = 0; m < w->job->metrics; m++) {
		unsigned have;
		double usual;

		/* A defined metric lacks the times that its inputs lack. */
		if (w->job->metric[m].define != NULL || w->job->metric[m].scope == JOBSTAT_CGROUP ||
		    is_repeated_metric(w->job, m))
			continue;
		usual = usual_loss(w, m, &have);
		for (unsigned k = 0; k < w->job->nodes; k++) {
			const double lost = lost_of(&w->job->node[k], m);

			if (lost - usual < least || have * 4 < w->job->nodes * 3)
				continue;
			suspect_node(w, k, m, -1, 1 - lost, 1 - usual, lost, w->job->start_ns,
				     w->job->end_ns);
		}
	}
	for (unsigned k = 0; k < w->job->nodes; k++) {
		const struct suspect *s = &w->suspect[k];
		const char *users = w->account->node[k].users, *text;
		char others[60] = "";

		if (s->metric < 0)
			continue;
		if (s->others > 0)
			snprintf(others, sizeof(others), " and %u other metric%s", s->others,
				 s->others > 1 ? "s" : "");
		if (w->job->node[k].value[s->metric].places == 0)
			text = keep_format(w->job, "%s%s: not there, as on other nodes",
					   w->job->metric[s->metric].name, others);
		else
			text = keep_format(w->job, "%s%s: %s for %.0f %% of the time%s%s%s",
					   w->job->metric[s->metric].name, others,
					   reason_of_loss(&w->job->node[k].value[s->metric].lost),
					   s->share * 100, users[0] != '\0' ? " (counters seen with " : "",
					   users, users[0] != '\0' ? ")" : "");
		if (add_finding(w, &(struct jobstat_finding){.kind = JOBSTAT_UNCOUNTED,
							     .bad = true,
							     .nodes = w->job->node[k].name,
							     .first_node = k,
							     .metric = s->metric,
							     .value = 1 - s->share,
							     .usual = s->usual,
							     .share = s->share,
							     .from_ns = w->job->start_ns,
							     .to_ns = w->job->end_ns,
							     .text = text}) != 0)
			return -1;
	}
	return 0;
}

static int find_unrecorded(struct work *w)
{
	/* The first and last interval of a job lie only partly in the job's time. */
	const double edge = 2 * (double)w->job->interval_ns / w->span;
	double usual = 1 - edge;

	for (unsigned k = 0; k < w->job->nodes; k++)
		w->sorted[k] = w->job->node[k].recorded;
	if (w->job->nodes >= 3)
		usual = spread_median(w->sorted, w->job->nodes);
	for (unsigned k = 0; k < w->job->nodes; k++) {
		const struct jobstat_node *node = &w->job->node[k];
		const char *text;

		if (usual - node->recorded < fmax(LOST_MIN, edge))
			continue;
		text = node->recorded > 0
			       ? keep_format(w->job,
					     "its archives have %.0f %% of the job's time, not %.0f %%%s%s",
					     node->recorded * 100, usual * 100,
					     node->note[0] != '\0' ? ": " : "", node->note)
			       : keep_format(w->job, "its archives have no records of the job's time%s%s",
					     node->note[0] != '\0' ? ": " : "", node->note);
		if (add_finding(w, &(struct jobstat_finding){.kind = JOBSTAT_UNRECORDED,
							     .bad = true,
							     .nodes = node->name,
							     .first_node = k,
							     .metric = -1,
							     .value = node->recorded,
							     .usual = usual,
							     .share = usual - node->recorded,
							     .from_ns = w->job->start_ns,
							     .to_ns = w->job->end_ns,
							     .text = text}) != 0)
			return -1;
	}
	return 0;
}

/* ---- CPUs and NUMA nodes --------------------------------------------------------------------- */

/* Add findings about the places of a metric. Nodes with the same sentence share a finding. Return 0, or -1
 * if out of memory. */
static int find_placement(struct work *w, int metric, enum jobstat_finding_kind kind)
{
	const struct jobstat_job *job = w->job;
	const char **text = keep_job_memory(w->job, job->nodes + 1, sizeof(*text));
	const char **same = keep_job_memory(w->job, job->nodes + 1, sizeof(*same));

	if (metric < 0)
		return 0;
	for (unsigned k = 0; text != NULL && k < job->nodes; k++) {
		const struct jobstat_value *value = &job->node[k].value[metric];
		char sentence[PLACEMENT_TEXT];

		if (placement_say(value, &job->metric[metric], kind == JOBSTAT_UNUSED, sentence))
			text[k] = keep_text(w->job, sentence);
	}
	if (same == NULL || keep_failed(w->job))
		return -1;
	for (unsigned k = 0; k < job->nodes; k++) {
		unsigned n = 0;
		char *list;

		if (text[k] == NULL)
			continue;
		for (unsigned j = k; j < job->nodes; j++)
			if (text[j] != NULL && strcmp(text[j], text[k]) == 0) {
				same[n++] = job->node[j].name;
				if (j > k)
					text[j] = NULL;
			}
		list = nodelist_text(same, n);
		if (list == NULL || add_finding(w, &(struct jobstat_finding){.kind = kind,
									     .nodes = keep_text(w->job, list),
									     .first_node = k,
									     .metric = metric,
									     .value = NAN,
									     .usual = NAN,
									     .share = 1,
									     .from_ns = job->start_ns,
									     .to_ns = job->end_ns,
									     .text = text[k]}) != 0) {
			free(list);
			return -1;
		}
		free(list);
	}
	return 0;
}

int findings_make(struct jobstat_job *job, const struct account_job *account, const unsigned *was)
{
	const unsigned n = job->nodes + 1;
	struct work w = {.job = job,
			 .account = account,
			 .was = was,
			 .sorted = calloc(n, sizeof(*w.sorted)),
			 .suspect = calloc(n, sizeof(*w.suspect)),
			 .span = (double)(job->end_ns - job->start_ns)};
	int error = compare_open(&w.compare, job->nodes);

	if (w.sorted == NULL || w.suspect == NULL)
		error = -1;
	if (error == 0 && w.span > 0 && job->nodes > 0) {
		const int cpu = placement_metric(job, JOBSTAT_CPU),
			  numa = placement_metric(job, JOBSTAT_NUMA);

		error = find_divergent(&w) != 0 || find_uncounted(&w) != 0 || find_unrecorded(&w) != 0 ||
			find_placement(&w, cpu, JOBSTAT_UNUSED) != 0 ||
			find_placement(&w, cpu, JOBSTAT_UNBALANCED) != 0 ||
			find_placement(&w, numa, JOBSTAT_UNUSED) != 0 ||
			find_placement(&w, numa, JOBSTAT_UNBALANCED) != 0;
	}
	if (error == 0)
		error = verdict_make(job);
	compare_close(&w.compare);
	free(w.sorted);
	free(w.suspect);
	return error == 0 && !keep_failed(job) ? 0 : -1;
}
