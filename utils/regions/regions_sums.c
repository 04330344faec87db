/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sums.c - sums thread by thread. Paths of one thread are summed first, since their errors are
 * correlated (region/sum.h), then the threads of each process, and then all processes.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- spreads ------------------------------------------------------------------------------- */

/* Add a value by Welford's method. In a plain sum of squares, large values would leave no digits for their
 * differences. */
void regions_spread_add(struct regions_spread *spread, double value, struct regions_who who)
{
	double from_before = value - regions_mean(spread);

	if (!spread->n || value < spread->min) {
		spread->min = value;
		spread->least = who;
	}
	if (!spread->n || value > spread->max) {
		spread->max = value;
		spread->most = who;
	}
	spread->sum += value;
	spread->n++;
	spread->squares += from_before * (value - regions_mean(spread));
}

double regions_mean(const struct regions_spread *spread)
{
	return spread->n ? spread->sum / spread->n : 0;
}

double regions_deviation(const struct regions_spread *spread)
{
	return spread->n < 2 ? 0 : sqrt(fmax(spread->squares, 0) / (spread->n - 1));
}

double regions_imbalance(const struct regions_spread *spread)
{
	double mean = regions_mean(spread);

	return mean > 0 ? fmax(spread->max / mean - 1, 0) : 0;
}

/* ---- one thread ---------------------------------------------------------------------------- */

static struct regions_counts *make_counts(uint32_t keys, uint32_t events)
{
	struct regions_counts *counts = calloc(keys, sizeof(*counts));
	struct upcr_value *value = calloc((size_t)keys * 2 * events + 1, sizeof(*value));
	uint32_t i;

	if (!counts || !value) {
		free(counts);
		free(value);
		return NULL;
	}
	for (i = 0; i < keys; i++) {
		counts[i].value = value + (size_t)i * 2 * events;
		counts[i].own = counts[i].value + events;
	}
	return counts;
}

static void free_counts(struct regions_counts *counts)
{
	free(counts ? counts[0].value : NULL);
	free(counts);
}

static void clear_region_counts(struct regions_counts *counts, uint32_t events)
{
	memset(counts->value, 0, 2 * events * sizeof(*counts->value));
	counts->calls = 0;
	counts->seconds = counts->own_seconds = 0;
	counts->used = false;
}

static void part_free(struct regions_part *part)
{
	free_counts(part->counts);
	free(part->used);
	free(part->seen);
	memset(part, 0, sizeof(*part));
}

static bool part_begin(struct regions_part *part, const struct regions_data *data, enum regions_by by)
{
	memset(part, 0, sizeof(*part));
	part->by = by;
	part->events = data->events.n;
	part->keys = by == REGIONS_BY_NAME ? data->names.n + 1 : data->paths;
	part->counts = make_counts(part->keys, part->events);
	part->used = malloc(part->keys * sizeof(*part->used));
	part->seen = calloc(part->keys, sizeof(*part->seen));
	if (part->counts && part->used && part->seen)
		return true;
	part_free(part);
	return false;
}

static struct regions_counts *use_region_counts(struct regions_part *part, uint32_t key)
{
	struct regions_counts *counts = &part->counts[key];

	if (!counts->used)
		part->used[part->n++] = key;
	counts->used = true;
	return counts;
}

static uint32_t key_of(const struct regions_part *part, const struct regions_data *data, uint32_t path)
{
	if (part->by == REGIONS_BY_PATH)
		return path;
	return path ? data->path[path].name : data->names.n;
}

static struct upcr_value value_of_region(const struct regions_process *process, const struct regions_row *row,
					 uint32_t event)
{
	return event < process->events ? row->value[event] : upcr_uncounted();
}

static void add_inclusive(struct regions_part *part, const struct regions_process *process,
			  const struct regions_row *row, uint32_t key)
{
	struct regions_counts *counts;
	uint32_t i;

	if (part->seen[key] == part->stamp)
		return;
	part->seen[key] = part->stamp;
	counts = use_region_counts(part, key);
	counts->seconds += row->seconds;
	for (i = 0; i < part->events; i++) {
		struct upcr_value value = value_of_region(process, row, i);

		upcr_add_same(&counts->value[i], &value);
	}
}

static void add_row(struct regions_part *part, const struct regions_data *data,
		    const struct regions_process *process, const struct regions_row *row)
{
	struct regions_counts *counts = use_region_counts(part, key_of(part, data, row->path));
	uint32_t i, path = row->path;

	counts->calls += (double)row->calls;
	counts->own_seconds += row->seconds;
	for (i = 0; i < part->events; i++) {
		struct upcr_value value = value_of_region(process, row, i);

		upcr_add_same(&counts->own[i], &value);
	}
	part->stamp++;
	add_inclusive(part, process, row, key_of(part, data, path));
	while (path) {
		path = data->path[path].parent;
		/* By name, outside is no ancestor: its counts include no region. */
		if (path || part->by == REGIONS_BY_PATH)
			add_inclusive(part, process, row, key_of(part, data, path));
	}
}

static void part_of(struct regions_part *part, const struct regions_data *data,
		    const struct regions_process *process, const struct regions_thread *thread)
{
	size_t i;

	while (part->n)
		clear_region_counts(&part->counts[part->used[--part->n]], part->events);
	for (i = 0; i < thread->rows; i++)
		add_row(part, data, process, &thread->row[i]);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void add_counts(struct regions_counts *sum, const struct regions_counts *counts, uint32_t events)
{
	uint32_t i;

	sum->used = true;
	sum->calls += counts->calls;
	sum->seconds += counts->seconds;
	sum->own_seconds += counts->own_seconds;
	for (i = 0; i < events; i++) {
		upcr_add_independent(&sum->value[i], &counts->value[i]);
		upcr_add_independent(&sum->own[i], &counts->own[i]);
	}
}

static void spread_counts(struct regions_spread *spread, const struct regions_counts *counts, uint32_t events,
			  const struct regions_derive *derive, struct regions_who who)
{
	regions_spread_add(spread++, counts->seconds, who);
	for (uint32_t i = 0; i < events; i++, spread++) {
		const struct upcr_value *value = &counts->value[i];

		if (upcr_is_lower_bound(value)) {
			spread->lacking++;
			continue;
		}
		spread->estimates += !upcr_is_exact(value);
		regions_spread_add(spread, value->value, who);
	}
	for (uint32_t i = 0; derive && i < derive->n; i++, spread++) {
		const struct regions_derived value = derive->value(derive->arg, i, counts);

		if (value.lacking || value.none) {
			spread->lacking += value.lacking;
			continue;
		}
		spread->estimates += !value.exact;
		regions_spread_add(spread, value.value, who);
	}
}

bool regions_sums_make(struct regions_sums *sums, enum regions_by by, uint32_t keys, uint32_t events,
		       uint32_t derived)
{
	struct regions_counts *counts = make_counts(keys, events);
	size_t spreads = 1 + (size_t)events + derived;
	struct regions_spread *spread = calloc(keys * 2 * spreads, sizeof(*spread));
	uint32_t i;

	*sums = (struct regions_sums){.by = by, .keys = keys, .events = events};
	sums->line = calloc(keys, sizeof(*sums->line));
	if (!counts || !spread || !sums->line) {
		free_counts(counts);
		free(spread);
		free(sums->line);
		sums->line = NULL;
		return false;
	}
	for (i = 0; i < keys; i++)
		sums->line[i] = (struct regions_line){
			.key = i,
			.counts = counts[i],
			.of_threads = spread + i * 2 * spreads,
			.of_processes = spread + (i * 2 + 1) * spreads,
		};
	free(counts);
	return true;
}

void regions_sums_free(struct regions_sums *sums)
{
	if (sums->line) {
		free(sums->line[0].counts.value);
		free(sums->line[0].of_threads);
	}
	free(sums->line);
	memset(sums, 0, sizeof(*sums));
}

/* Add the process's counts by key to the sums and to the spread over processes. */
static void add_process(struct regions_sums *sums, struct regions_part *of_process,
			const struct regions_derive *derive, struct regions_who who)
{
	for (; of_process->n; of_process->n--) {
		uint32_t key = of_process->used[of_process->n - 1];
		struct regions_counts *counts = &of_process->counts[key];
		struct regions_line *line = &sums->line[key];

		add_counts(&line->counts, counts, sums->events);
		spread_counts(line->of_processes, counts, sums->events, derive, who);
		line->processes++;
		clear_region_counts(counts, sums->events);
	}
}

static void add_thread_sums(struct regions_sums *sums, struct regions_part *of_process,
			    const struct regions_part *part, unsigned threads,
			    const struct regions_derive *derive, struct regions_who who)
{
	uint32_t i;

	for (i = 0; i < part->n; i++) {
		const struct regions_counts *counts = &part->counts[part->used[i]];
		struct regions_line *line = &sums->line[part->used[i]];

		/* Counts without threads do not belong to a process either. */
		if (!threads) {
			add_counts(&line->counts, counts, sums->events);
			continue;
		}
		add_counts(use_region_counts(of_process, part->used[i]), counts, sums->events);
		/* The spread within merged threads is unknown. */
		if (threads == 1)
			spread_counts(line->of_threads, counts, sums->events, derive, who);
		line->threads += threads;
	}
}

bool regions_sum(const struct regions_data *data, unsigned run, enum regions_by by,
		 const struct regions_derive *derive, struct regions_sums *sums)
{
	struct regions_part part = {0}, of_process = {0};
	size_t i, k;
	bool done;

	memset(sums, 0, sizeof(*sums));
	done = part_begin(&part, data, by) && part_begin(&of_process, data, by);
	done = done && regions_sums_make(sums, by, part.keys, part.events, derive ? derive->n : 0);
	for (i = 0; done && i < data->processes; i++) {
		const struct regions_process *process = &data->process[i];

		if (process->run != run)
			continue;
		for (k = 0; k < process->threads; k++) {
			part_of(&part, data, process, &process->thread[k]);
			add_thread_sums(sums, &of_process, &part, process->thread[k].threads, derive,
					(struct regions_who){(uint32_t)i, (uint32_t)k});
			sums->threads += process->thread[k].threads;
		}
		add_process(sums, &of_process, derive, (struct regions_who){.process = (uint32_t)i});
		sums->processes++;
	}
	part_free(&part);
	part_free(&of_process);
	return done;
}

bool regions_each_thread(const struct regions_data *data, enum regions_by by,
			 bool (*put)(void *arg, const struct regions_process *process,
				     const struct regions_thread *thread, const struct regions_part *part),
			 void *arg)
{
	struct regions_part part;
	bool done = part_begin(&part, data, by);
	size_t i, k;

	for (i = 0; done && i < data->processes; i++)
		for (k = 0; done && k < data->process[i].threads; k++) {
			const struct regions_process *process = &data->process[i];

			part_of(&part, data, process, &process->thread[k]);
			done = put(arg, process, &process->thread[k], &part);
		}
	part_free(&part);
	return done;
}

const char *regions_name_of(const struct regions_data *data, enum regions_by by, uint32_t key)
{
	if (by == REGIONS_BY_PATH)
		return key ? data->names.text[data->path[key].name] : "(whole)";
	return key < data->names.n ? data->names.text[key] : "(outside)";
}
