/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of upc_regions over paths, threads and processes of random trees, beside what a slow walk over
 * all rows finds.
 */
#include <math.h>

#include "../unit_test.h"
#include "regions/regions_report.h"

enum { NAMES = 5, DEPTH = 6, ROWS = 30, THREADS = 4, PROCESSES = 3, EVENTS = 2 };

static uint32_t name[NAMES];

static uint64_t below(uint64_t *random, uint64_t n)
{
	return (random_next(random) >> 33) % n;
}

static void add_rows(struct regions_data *data, const struct regions_process *process,
		     struct regions_thread *thread, uint64_t *random)
{
	unsigned i, k, depth;

	for (i = 0; i < ROWS; i++) {
		struct regions_row *row;
		uint32_t path = 0;

		depth = (unsigned)below(random, DEPTH + 1);
		for (k = 0; k < depth; k++)
			path = regions_path(data, path, name[below(random, NAMES)]);
		row = regions_add_row(process, thread, path);
		assert_non_null(row);
		row->calls = below(random, 100);
		row->seconds = (double)below(random, 1000);
		row->value[0] = upcr_exact(below(random, 1000000));
		row->value[1] = upcr_estimated((double)below(random, 1000), 1, 0, 2000, .5, 0);
	}
}

static void make(struct regions_data *data, uint64_t seed)
{
	uint64_t random = seed;
	unsigned i, k;

	assert_true(regions_begin(data));
	for (i = 0; i < NAMES; i++) {
		char text[] = {(char)('a' + i), '\0'};

		name[i] = regions_number(&data->names, text);
	}
	for (i = 0; i < EVENTS; i++)
		assert_int_equal(regions_number(&data->events, i ? "second" : "first"), i);
	for (i = 0; i < PROCESSES; i++) {
		struct regions_process *process = regions_add_process(data);

		process->events = EVENTS;
		for (k = 0; k < THREADS; k++)
			add_rows(data, process, regions_add_thread(process), &random);
	}
}

static bool is_on(const struct regions_data *data, uint32_t path, uint32_t wanted, enum regions_by by)
{
	if (by == REGIONS_BY_NAME && wanted == data->names.n)
		return !path;
	for (;; path = data->path[path].parent) {
		if (by == REGIONS_BY_PATH && path == wanted)
			return true;
		if (!path)
			return false;
		if (by == REGIONS_BY_NAME && data->path[path].name == wanted)
			return true;
	}
}

static bool is_last(const struct regions_data *data, uint32_t path, uint32_t wanted, enum regions_by by)
{
	if (by == REGIONS_BY_PATH)
		return path == wanted;
	return path ? data->path[path].name == wanted : wanted == data->names.n;
}

struct truth {
	uint64_t calls, exact, own_exact;
	double seconds, own_seconds, estimate, error_squared;
	unsigned threads, processes;
	double least, most; /* exact, of threads */
	struct regions_who who_least, who_most;
};

static struct truth truth_of(const struct regions_data *data, uint32_t key, enum regions_by by)
{
	struct truth truth = {0};
	size_t i, k, r;

	for (i = 0; i < data->processes; i++) {
		bool in_process = false;

		for (k = 0; k < data->process[i].threads; k++) {
			const struct regions_thread *thread = &data->process[i].thread[k];
			double exact = 0, errors = 0;
			bool in_thread = false;

			for (r = 0; r < thread->rows; r++) {
				const struct regions_row *row = &thread->row[r];

				if (is_last(data, row->path, key, by)) {
					truth.calls += row->calls;
					truth.own_exact += row->value[0].whole;
					truth.own_seconds += row->seconds;
				}
				if (!is_on(data, row->path, key, by))
					continue;
				in_thread = in_process = true;
				truth.exact += row->value[0].whole;
				exact += (double)row->value[0].whole;
				truth.seconds += row->seconds;
				truth.estimate += row->value[1].value;
				errors += row->value[1].error;
			}
			if (!in_thread)
				continue;
			truth.error_squared += errors * errors;
			if (!truth.threads || exact < truth.least) {
				truth.least = exact;
				truth.who_least = (struct regions_who){(uint32_t)i, (uint32_t)k};
			}
			if (!truth.threads || exact > truth.most) {
				truth.most = exact;
				truth.who_most = (struct regions_who){(uint32_t)i, (uint32_t)k};
			}
			truth.threads++;
		}
		truth.processes += in_process;
	}
	return truth;
}

static bool is_same(struct regions_who a, struct regions_who b)
{
	return a.process == b.process && a.thread == b.thread;
}

static void check(const struct regions_data *data, enum regions_by by)
{
	struct regions_sums sums;
	uint64_t whole = 0, parts = 0;
	uint32_t key, n, *order;
	size_t i, k, r;

	assert_true(regions_sum(data, 0, by, NULL, &sums));
	order = regions_order(data, &sums, &n);
	assert_non_null(order);
	for (key = 0; key < sums.keys; key++) {
		const struct regions_line *line = &sums.line[key];
		const struct truth truth = truth_of(data, key, by);

		if (!line->counts.used) {
			assert_int_equal(truth.threads, 0);
			continue;
		}
		n--;
		parts += line->counts.own[0].whole;
		assert_int_equal(line->counts.calls, truth.calls);
		assert_int_equal(line->counts.value[0].whole, truth.exact);
		assert_int_equal(line->counts.own[0].whole, truth.own_exact);
		assert_true(upcr_is_exact(&line->counts.value[0]));
		assert_true(fabs(line->counts.seconds - truth.seconds) < 1e-6);
		assert_true(fabs(line->counts.own_seconds - truth.own_seconds) < 1e-6);
		assert_true(fabs(line->counts.value[1].value - truth.estimate) < 1e-6);
		assert_true(fabs(line->counts.value[1].error - sqrt(truth.error_squared)) < 1e-6);
		assert_int_equal(line->threads, truth.threads);
		assert_int_equal(line->processes, truth.processes);
		assert_int_equal(line->of_threads[1].n, truth.threads);
		assert_true(line->of_threads[1].min == truth.least && line->of_threads[1].max == truth.most);
		assert_true(is_same(line->of_threads[1].least, truth.who_least) &&
			    is_same(line->of_threads[1].most, truth.who_most));
		assert_int_equal(line->of_threads[1].estimates, 0);
		assert_int_equal(line->of_threads[2].estimates, truth.threads);
		assert_true(fabs(regions_mean(&line->of_threads[1]) * truth.threads - (double)truth.exact) <
			    1e-6);
	}
	assert_int_equal(n, 0);
	for (i = 0; i < data->processes; i++)
		for (k = 0; k < data->process[i].threads; k++)
			for (r = 0; r < data->process[i].thread[k].rows; r++)
				whole += data->process[i].thread[k].row[r].value[0].whole;
	/* Nothing twice, and nothing lost. */
	assert_int_equal(parts, whole);
	free(order);
	regions_sums_free(&sums);
}

TEST(test_random)
{
	struct regions_data data;
	uint64_t seed;

	for (seed = 1; seed < 20; seed++) {
		make(&data, seed);
		check(&data, REGIONS_BY_NAME);
		check(&data, REGIONS_BY_PATH);
		regions_free(&data);
	}
}

/* Each path stands behind its parent, deeper than it, before others of another parent. */
TEST(test_order)
{
	struct regions_data data;
	struct regions_sums sums;
	uint32_t n, i, *order, open[DEPTH + 1] = {0};

	make(&data, 77);
	assert_true(regions_sum(&data, 0, REGIONS_BY_PATH, NULL, &sums));
	order = regions_order(&data, &sums, &n);
	assert_non_null(order);
	assert_int_equal(order[0], 0);
	for (i = 1; i < n; i++) {
		const struct regions_path *path = &data.path[order[i]];

		assert_int_equal(open[path->depth - 1], path->parent);
		open[path->depth] = order[i];
	}
	free(order);
	regions_sums_free(&sums);
	regions_free(&data);
}

TEST(test_spread)
{
	const struct regions_spread spread = {.n = 4, .min = 1, .max = 4, .sum = 10, .squares = 5},
				    none = {0};

	assert_true(regions_mean(&spread) == 2.5);
	assert_true(fabs(regions_deviation(&spread) - sqrt(5. / 3)) < 1e-12);
	assert_true(fabs(regions_imbalance(&spread) - .6) < 1e-12);
	assert_true(regions_mean(&none) == 0 && regions_deviation(&none) == 0 &&
		    regions_imbalance(&none) == 0);
}

/* Ranks with counts that differ in the last digits alone. */
TEST(test_near)
{
	const uint64_t base = 1000000000000000;
	struct regions_data data;
	struct regions_sums sums;
	unsigned i;

	assert_true(regions_begin(&data));
	assert_int_equal(regions_number(&data.names, "a"), 0);
	assert_int_equal(regions_number(&data.events, "first"), 0);
	for (i = 0; i < 4; i++) {
		struct regions_process *process = regions_add_process(&data);
		struct regions_row *row;

		process->events = 1;
		row = regions_add_row(process, regions_add_thread(process), regions_path(&data, 0, 0));
		row->value[0] = upcr_exact(base + 2 * i);
	}
	assert_true(regions_sum(&data, 0, REGIONS_BY_NAME, NULL, &sums));
	assert_int_equal(sums.line[0].of_processes[1].n, 4);
	assert_true(regions_mean(&sums.line[0].of_processes[1]) == (double)(base + 3));
	assert_true(fabs(regions_deviation(&sums.line[0].of_processes[1]) - sqrt(20. / 3)) < .1);
	regions_sums_free(&sums);
	regions_free(&data);
}

/* A file may say that there are any number of ranks. */
TEST(test_ranks)
{
	struct regions_data data;
	struct regions_report report = {.data = &data};
	struct regions_notes notes;
	unsigned i;

	make(&data, 5);
	for (i = 0; i < PROCESSES; i++) {
		data.process[i].rank = 2 * (long)i + 1;
		data.process[i].ranks = 7;
	}
	assert_true(regions_notes_of(&report, &notes));
	assert_int_equal(notes.n, 4);
	assert_string_equal(notes.note[0].name, "rank 0 of 7");
	assert_string_equal(notes.note[3].name, "rank 6 of 7");
	regions_notes_free(&notes);
	data.process[0].ranks = 2000000000;
	assert_true(regions_notes_of(&report, &notes));
	assert_int_equal(notes.n, 65);
	assert_string_equal(notes.note[63].name, "rank 66 of 2000000000");
	assert_string_equal(notes.note[64].name, "further ranks");
	assert_int_equal(notes.note[64].times, 2000000000 - 3 - 64);
	regions_notes_free(&notes);
	regions_free(&data);
}

/* Events of another process, which this one has not counted. */
TEST(test_other_events)
{
	struct regions_data data;
	struct regions_process *process;
	struct regions_sums sums;
	uint64_t random = 1;

	make(&data, 3);
	process = regions_add_process(&data);
	assert_int_equal(regions_number(&data.events, "third"), 2);
	process->events = 3;
	add_rows(&data, process, regions_add_thread(process), &random);
	assert_true(regions_sum(&data, 0, REGIONS_BY_PATH, NULL, &sums));
	assert_true(upcr_is_exact(&sums.line[0].counts.value[0]));
	assert_true(upcr_is_lower_bound(&sums.line[0].counts.value[2]));
	regions_sums_free(&sums);
	regions_free(&data);
}

/* Faults of each call: lacking where the count lacks, and none without calls. */
static struct regions_derived derived_per_call(const void *arg, uint32_t which,
					       const struct regions_counts *counts)
{
	const struct upcr_value *value = &counts->value[*(const uint32_t *)arg + which];

	return (struct regions_derived){.value = value->value / counts->calls,
					.none = counts->calls == 0,
					.lacking = upcr_is_lower_bound(value),
					.exact = upcr_is_exact(value)};
}

/* Five threads of two processes; one has no calls, one has not counted. */
TEST(test_derived)
{
	static const double calls[] = {2, 4, 0, 5, 1};
	static const uint64_t counts[] = {100, 120, 7, 20, 0};
	const uint32_t first = 0;
	const struct regions_derive derive = {.n = 1, .value = derived_per_call, .arg = &first};
	const struct regions_spread *spread;
	struct regions_data data;
	struct regions_sums sums;

	assert_true(regions_begin(&data));
	assert_int_equal(regions_number(&data.names, "a"), 0);
	assert_int_equal(regions_number(&data.events, "first"), 0);
	for (unsigned i = 0; i < 5; i++) {
		struct regions_process *process =
			i == 0 || i == 3 ? regions_add_process(&data) : &data.process[data.processes - 1];
		struct regions_row *row;

		process->events = 1;
		row = regions_add_row(process, regions_add_thread(process), regions_path(&data, 0, 0));
		row->calls = (uint64_t)calls[i];
		row->value[0] = i == 4 ? upcr_uncounted() : upcr_exact(counts[i]);
	}
	assert_true(regions_sum(&data, 0, REGIONS_BY_NAME, &derive, &sums));
	spread = &sums.line[0].of_threads[2];
	assert_true(spread->n == 3 && spread->lacking == 1 && spread->estimates == 0);
	assert_true(spread->min == 4 && is_same(spread->least, (struct regions_who){1, 0}));
	assert_true(spread->max == 50 && is_same(spread->most, (struct regions_who){0, 0}));
	assert_true(regions_mean(spread) == 28);
	/* The first process: 227 in six calls; the second has not counted one of its threads. */
	spread = &sums.line[0].of_processes[2];
	assert_true(spread->n == 1 && spread->lacking == 1 && spread->max == 227. / 6);
	regions_sums_free(&sums);
	regions_free(&data);
}

UNIT_TESTS(regions_sums, NULL, NULL)
