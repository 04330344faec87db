/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account_close.c - the end of an interval, after all nodes of a job have added theirs: the spread over
 * nodes, and the defined metrics.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/account_private.h"

/* Compute the spread over nodes of the values in x and add the spread as a point. Return 0, or -1 if out
 * of memory. */
static int close_metric(struct account_job *job, unsigned metric, unsigned interval, const double *x,
			bool part, struct spread *over_nodes)
{
	*over_nodes = (struct spread){0};
	for (unsigned k = 0; k < job->nodes; k++)
		if (!isnan(x[k]))
			spread_add(over_nodes, x[k], 1);
	return account_point(job, metric, interval, over_nodes, part);
}

unsigned account_lacking(const struct account_job *job, unsigned metric, unsigned nodes)
{
	unsigned with = job->missing_nodes + job->unread;

	for (unsigned k = 0; k < job->nodes; k++)
		with += metric < job->node[k].metrics && job->node[k].metric[metric] != NULL;
	return with - nodes;
}

static void tell_spread(const struct gather_watch *watch, const struct account_job *job, unsigned metric,
			const struct series_names *names, const struct spread *over_nodes, bool part)
{
	if (watch != NULL && watch->spread != NULL && over_nodes->n > 0)
		watch->spread(watch->arg, &names->metric[metric],
			      &(struct jobstat_point){.nodes = over_nodes->n,
						      .mean = spread_mean(over_nodes),
						      .min = over_nodes->min,
						      .max = over_nodes->max,
						      .sd = spread_sd(over_nodes),
						      .lacking = account_lacking(job, metric, over_nodes->n),
						      .part = part});
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

static bool fill_define_input(void *arg, unsigned k, unsigned input, bool counts,
			      struct define_vector *vector)
{
	const struct filling *f = arg;
	const int metric = account_resolve(f->names, define_input(f->define, input));
	const struct series_node *node = &f->node[f->job->node[k].node];
	const struct series *series = metric >= 0 ? series_of(node, (unsigned)metric) : NULL;

	if (series == NULL || series->places == 0 || !account_inside(f->job, node) ||
	    define_resize(vector, series->places) != 0)
		return false;
	vector->vector = f->names->metric[metric].scope != JOBSTAT_NODE;
	for (unsigned i = 0; i < series->places; i++) {
		const struct series_place *place = &series->place[i];

		vector->number[i] = place->number;
		vector->x[i] = account_rate(series, place);
		if (counts && !isnan(vector->x[i]))
			vector->x[i] = (double)place->bin.count;
		f->job->part |= account_covered(series, place) < JOBSTAT_WHOLE * (double)place->bin.span_ns;
	}
	return true;
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
				name = names->name[j];
		to = account_place(account, vector->number[i], name);
		if (to == NULL)
			return -1;
		if (isnan(vector->x[i]))
			continue;
		to->covered_ns += span_ns;
		account_add_place(to, vector->x[i], span_ns > 0 ? span_ns : 1);
		sum += vector->x[i];
		n++;
	}
	if (n > 0 && n == vector->n) {
		*whole = sums || !vector->vector ? sum : sum / n;
		*weight = span_ns > 0 ? span_ns : 1;
	}
	return 0;
}

/* Return the series of an input that has the same scope as the definition: the definition's places get the
 * names of this series' places. NULL: no input has this scope. */
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

	job->part = false;
	if (define_run(job->work, fill_define_input, f, (double)job->interval_ns / 1e9) != 0)
		return -1;
	for (unsigned d = 0; d < define_count(f->define); d++) {
		const bool is_shown = (int)d == options->bandwidth || (int)d == options->flops;

		for (unsigned k = 0; k < job->nodes; k++) {
			const struct series_node *node = &f->node[job->node[k].node];
			const struct define_vector *vector = define_value(job->work, d, k);
			const double span =
				account_inside(job, node) ? (double)(node->to_ns - node->from_ns) : 0;
			struct account *account;
			double weight = 0;

			job->x[k] = NAN;
			if (vector->n == 0 || span == 0)
				continue;
			account = account_at(&job->node[k], (unsigned)defined[d]);
			if (account == NULL || add_vector(account, vector, define_sums(f->define, d), span,
							  named_like(f, d, k), &job->x[k], &weight) != 0)
				return -1;
			account->part |= job->part;
			account_whole(job, account, interval, job->x[k], weight);
			if (is_shown && account_line(job, k, defined[d], -1, interval, job->x[k]) != 0)
				return -1;
			for (unsigned i = 0; is_shown && vector->vector && i < vector->n; i++)
				if (define_scope(f->define, d) == JOBSTAT_NUMA &&
				    account_line(job, k, defined[d], vector->number[i], interval,
						 vector->x[i]) != 0)
					return -1;
			for (unsigned i = 0; watch != NULL && watch->value != NULL && i < vector->n; i++)
				watch->value(watch->arg, node->name, &f->names->metric[defined[d]],
					     vector->number[i], account->place[i].name, vector->x[i],
					     job->part);
		}
		if (close_metric(job, (unsigned)defined[d], interval, job->x, job->part, &over_nodes) != 0)
			return -1;
		tell_spread(watch, job, (unsigned)defined[d], f->names, &over_nodes, job->part);
	}
	return 0;
}

int account_close(struct account_job *job, struct series_node *node, const struct series_names *names,
		  const struct gather_options *options, const int *defined, unsigned interval,
		  const struct gather_watch *watch)
{
	struct filling filling = {job, node, names, options->define};
	struct account_slot *slot = &job->slot[interval % job->slots];
	struct spread over_nodes;

	account_room(job, interval);
	/* No node had the previous interval. */
	if (interval > job->intervals && job->work != NULL)
		define_forget(job->work);
	if (interval >= job->intervals)
		job->intervals = interval + 1;
	for (unsigned m = 0; m < slot->metrics; m++) {
		double *x = &slot->x[(size_t)m * job->nodes];

		if (!slot->has[m])
			continue;
		if (close_metric(job, m, interval, x, slot->part[m], &over_nodes) != 0)
			return -1;
		tell_spread(watch, job, m, names, &over_nodes, slot->part[m]);
		for (unsigned k = 0; k < job->nodes; k++)
			x[k] = NAN;
		slot->has[m] = slot->part[m] = false;
	}
	if (define_count(options->define) > 0 && defined[0] >= 0)
		return add_defined(&filling, options, defined, interval, watch);
	return 0;
}
