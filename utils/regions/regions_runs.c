/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_runs.c - means of runs. Runs are independent of each other, so their spread is the error of their
 * mean, with one degree of freedom less than there are runs.
 */
#include "regions/regions_runs.h"

#include <math.h>
#include <stdlib.h>

static bool runs_is_counted(const struct upcr_value *value)
{
	return !value->uncounted || value->estimated || value->whole;
}

static void runs_find_events(const struct regions_counts *counts, uint32_t events, bool *has)
{
	for (uint32_t i = 0; counts->used && i < events; i++)
		has[i] |= runs_is_counted(&counts->value[i]);
}

bool regions_runs_sum(const struct regions_data *data, enum regions_by by, struct regions_runs *runs)
{
	bool done;

	runs->n = data->runs;
	runs->of = calloc(runs->n + 1, sizeof(*runs->of));
	runs->has = calloc((size_t)runs->n * data->events.n + 1, sizeof(*runs->has));
	done = runs->of && runs->has;
	for (unsigned i = 0; done && i < runs->n; i++) {
		done = regions_sum(data, i, by, NULL, &runs->of[i]);
		for (uint32_t key = 0; done && key < runs->of[i].keys; key++)
			runs_find_events(&runs->of[i].line[key].counts, data->events.n,
					 runs->has + (size_t)i * data->events.n);
	}
	return done;
}

void regions_runs_free(struct regions_runs *runs)
{
	for (unsigned i = 0; runs->of && i < runs->n; i++)
		regions_sums_free(&runs->of[i]);
	free(runs->of);
	free(runs->has);
	*runs = (struct regions_runs){.n = 0};
}

/* A value of one run; false: it was not counted. A region that the run was not in has nothing of it. */
static bool runs_value(const struct regions_runs *runs, unsigned run, uint32_t key, uint32_t measure,
		       bool own, struct upcr_value *value)
{
	const struct regions_counts *counts = &runs->of[run].line[key].counts;
	const uint32_t event = measure - REGIONS_EVENT;

	if (measure == REGIONS_CALLS) {
		*value = upcr_exact((uint64_t)counts->calls);
	} else if (measure == REGIONS_SECONDS) {
		*value = upcr_estimated(own ? counts->own_seconds : counts->seconds, 0, 0, 0, 1, 0);
	} else {
		*value = own ? counts->own[event] : counts->value[event];
		return runs->has[(size_t)run * runs->of[run].events + event] && runs_is_counted(value);
	}
	return true;
}

struct util_measured regions_runs_mean(const struct regions_runs *runs, unsigned first, unsigned n,
				       uint32_t key, uint32_t measure, bool own, unsigned *counted)
{
	struct util_measured mean = {.exact = true};
	struct regions_spread spread = {0};
	uint64_t whole = 0;
	double squares = 0;

	for (unsigned i = first; i < first + n; i++) {
		struct upcr_value value;

		if (!runs_value(runs, i, key, measure, own, &value))
			continue;
		mean.exact &= upcr_is_exact(&value) && (!spread.n || value.whole == whole);
		mean.open |= upcr_is_lower_bound(&value);
		whole = value.whole;
		regions_spread_add(&spread, upcr_is_exact(&value) ? (double)value.whole : value.value,
				   (struct regions_who){0});
		squares += value.error * value.error;
		mean.freedom = value.freedom;
	}
	*counted = spread.n;
	mean.open |= !spread.n;
	mean.value = mean.exact ? (double)whole : regions_mean(&spread);
	mean.error = sqrt(squares);
	if (spread.n > 1) {
		mean.error = fmax(regions_deviation(&spread), sqrt(squares / spread.n)) / sqrt(spread.n);
		mean.freedom = spread.n - 1;
	}
	return mean;
}

static struct upcr_value runs_mean_value(const struct regions_runs *runs, uint32_t key, uint32_t event,
					 bool own)
{
	unsigned n;
	const struct util_measured mean =
		regions_runs_mean(runs, 0, runs->n, key, REGIONS_EVENT + event, own, &n);
	const double half = util_measured_half(&mean);
	struct upcr_value value;

	if (!n)
		return upcr_uncounted();
	if (mean.exact && n == runs->n) {
		runs_value(runs, 0, key, REGIONS_EVENT + event, own, &value);
		return value;
	}
	value = upcr_estimated(mean.value, mean.error, fmax(mean.value - half, 0), mean.value + half, 1,
			       mean.open ? UPCR_PARTIAL : 0);
	value.freedom = mean.freedom;
	return value;
}

static void runs_spread(const struct regions_runs *runs, uint32_t key, uint32_t measure,
			struct regions_spread *spread)
{
	for (unsigned i = 0; i < runs->n; i++) {
		struct upcr_value value;

		if (runs_value(runs, i, key, measure, false, &value) && !upcr_is_lower_bound(&value))
			regions_spread_add(spread, value.value, (struct regions_who){0});
	}
}

static void runs_mean_line(const struct regions_runs *runs, uint32_t key, uint32_t events,
			   struct regions_line *line)
{
	unsigned n;

	for (unsigned i = 0; i < runs->n; i++) {
		const struct regions_line *of = &runs->of[i].line[key];

		line->counts.used |= of->counts.used;
		line->threads = of->threads > line->threads ? of->threads : line->threads;
		line->processes = of->processes > line->processes ? of->processes : line->processes;
	}
	line->counts.calls = regions_runs_mean(runs, 0, runs->n, key, REGIONS_CALLS, false, &n).value;
	line->counts.seconds = regions_runs_mean(runs, 0, runs->n, key, REGIONS_SECONDS, false, &n).value;
	line->counts.own_seconds = regions_runs_mean(runs, 0, runs->n, key, REGIONS_SECONDS, true, &n).value;
	for (uint32_t i = 0; i < events; i++) {
		line->counts.value[i] = runs_mean_value(runs, key, i, false);
		line->counts.own[i] = runs_mean_value(runs, key, i, true);
	}
	for (uint32_t i = 0; i < 1 + events; i++)
		runs_spread(runs, key, REGIONS_SECONDS + i, &line->of_threads[i]);
}

bool regions_runs_means(const struct regions_runs *runs, struct regions_sums *means)
{
	const struct regions_sums *first = &runs->of[0];

	if (!regions_sums_make(means, first->by, first->keys, first->events, 0))
		return false;
	for (unsigned i = 0; i < runs->n; i++) {
		means->threads = runs->of[i].threads > means->threads ? runs->of[i].threads : means->threads;
		means->processes =
			runs->of[i].processes > means->processes ? runs->of[i].processes : means->processes;
	}
	for (uint32_t key = 0; key < means->keys; key++)
		runs_mean_line(runs, key, means->events, &means->line[key]);
	return true;
}
