/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_runs.c - means of runs. Runs are independent of each other, so the error of their mean is their
 * spread, with one degree of freedom less than the number of runs.
 * Terms: regions/regions_data.h.
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

/* Store a measure of one run. False if it was not counted. In a region that the run was not in, the measure
 * is 0. */
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

/* A measure in the runs of one side. */
struct runs_values {
	struct regions_spread spread;
	double squares; /* sum of the squared errors of the estimates */
	double freedom; /* of the last run */
	uint64_t whole; /* exact count of the last run */
	bool differ;    /* counts differ, or are estimates */
	bool open;
};

static double runs_number(const struct upcr_value *value)
{
	return upcr_is_exact(value) ? (double)value->whole : value->value;
}

static void runs_add(struct runs_values *values, const struct upcr_value *value)
{
	values->differ |= !upcr_is_exact(value) || (values->spread.n && value->whole != values->whole);
	values->open |= upcr_is_lower_bound(value);
	values->whole = value->whole;
	regions_spread_add(&values->spread, runs_number(value), (struct regions_who){0});
	values->squares += value->error * value->error;
	values->freedom = value->freedom;
}

static struct util_measured runs_mean_of(const struct runs_values *values)
{
	const struct regions_spread *spread = &values->spread;
	struct util_measured mean = {
		.value = values->differ ? regions_mean(spread) : (double)values->whole,
		.error = sqrt(values->squares),
		.freedom = values->freedom,
		.exact = !values->differ,
		.open = values->open || !spread->n,
	};

	if (spread->n > 1) {
		mean.error =
			fmax(regions_deviation(spread), sqrt(values->squares / spread->n)) / sqrt(spread->n);
		mean.freedom = spread->n - 1;
	}
	return mean;
}

struct util_measured regions_runs_mean(const struct regions_runs *runs, unsigned first, unsigned n,
				       uint32_t key, uint32_t measure, bool own, unsigned *counted)
{
	struct runs_values values = {.squares = 0};
	struct upcr_value value;

	for (unsigned i = first; i < first + n; i++)
		if (runs_value(runs, i, key, measure, own, &value))
			runs_add(&values, &value);
	*counted = values.spread.n;
	return runs_mean_of(&values);
}

struct util_difference regions_runs_compare(const struct regions_runs *runs,
					    const struct regions_pairs *pairs, uint32_t key, uint32_t measure,
					    bool own, unsigned *counted)
{
	struct runs_values before = {.squares = 0}, after = {.squares = 0};
	struct upcr_value a, b;
	struct util_difference difference;
	double squares;
	unsigned n = 0;

	for (unsigned i = 0; i < pairs->n; i++) {
		if (!runs_value(runs, pairs->pair[i].before, key, measure, own, &a) ||
		    !runs_value(runs, pairs->pair[i].after, key, measure, own, &b))
			continue;
		runs_add(&before, &a);
		runs_add(&after, &b);
		pairs->change[n++] = runs_number(&b) - runs_number(&a);
	}
	*counted = n;
	difference = (struct util_difference){.before = runs_mean_of(&before), .after = runs_mean_of(&after)};
	squares = before.squares + after.squares;
	/* Counts are whole numbers, so a few equal differences do not prove that there is no spread. The sum
	 * of the squared errors is at least a quarter for each pair. */
	if (measure != REGIONS_SECONDS && (before.differ || after.differ))
		squares = fmax(squares, .25 * n);
	difference.error = sqrt(squares) / fmax(n, 1);
	util_difference_find_pairs(&difference, pairs->change, n);
	return difference;
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
