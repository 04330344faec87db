/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_shim_record.c - what sets have counted, added up.
 */
#include <math.h>
#include <papi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "shim/shim_record.h"
#include "../unit_test.h"

/* Each test ends as a forked child begins, which leaves its parent's records where they
 * are, on purpose; here somebody still knows them. */
static struct shim_record *made[80000];
static unsigned n_made;

static struct shim_record *create(pid_t thread, unsigned serial)
{
	assert_true(n_made < sizeof(made) / sizeof(made[0]));
	made[n_made] = shim_record_create(thread, serial);
	assert_non_null(made[n_made]);
	return made[n_made++];
}

/* The pool of a set without turns, with this exact count. */
static struct mpxi_pool exactly(uint64_t count)
{
	const struct mpxi_window window = {
		.sums = {.count = count, .size = 100, .slices = 7},
		.time = 100,
		.exact = true,
		.needs_no_turn = true,
	};
	struct mpxi_pool pool = {0};

	mpxi_pool_add(&pool, &window, MPXI_RATIO, false);
	return pool;
}

/* Stretches of one slice, and two groups: in every second one count was counted. */
static struct mpxi_pool pieces(unsigned n, uint64_t count)
{
	struct mpxi_pool pool = {0};
	unsigned i;

	for (i = 0; i < n; i++) {
		struct mpxi_window window = {.time = 100, .groups = 2, .turn = i};

		if (i % 2)
			window.sums.count = count, window.sums.size = 100, window.exact = true;
		mpxi_pool_add(&pool, &window, MPXI_RATIO, false);
	}
	return pool;
}

/* The last record that each() has shown, and how many there were. */
struct seen {
	unsigned n, serial, sets, rows;
	pid_t thread;
	uint64_t starts;
	struct mpxi_result result[4];
};

static void look(const struct shim_record *record, void *argument)
{
	struct seen *seen = argument;
	unsigned i;

	seen->n++;
	seen->serial = record->serial;
	seen->sets = record->sets;
	seen->rows = record->rows;
	seen->thread = record->thread;
	seen->starts = record->starts;
	for (i = 0; i < record->rows && i < 4; i++)
		seen->result[i] = shim_row_result(&record->row[i]);
}

static struct seen see(void)
{
	struct seen seen = {0};

	shim_record_each(look, &seen, true);
	return seen;
}

static void note(struct shim_record *r, unsigned i, int code, struct mpxi_pool pool)
{
	shim_record_note(r, i, code, &pool);
}

TEST(test_stretches)
{
	struct shim_record *r = create(5, 1);
	struct seen seen;

	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	assert_int_equal(shim_record_add(r, 71, NULL), PAPI_OK);
	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	assert_false(shim_record_any());
	shim_record_start(r);
	note(r, 0, 70, pieces(40, 30));
	note(r, 0, 70, pieces(60, 30)); /* a later reading takes the place of an earlier one */
	note(r, 1, 71, exactly(8));
	seen = see();
	assert_true(shim_record_any());
	assert_int_equal(seen.rows, 2);
	/* The stretches without a turn are in it. */
	assert_true(fabs(seen.result[0].estimate.value - 1800) < 1e-6);
	assert_int_equal(seen.result[0].count, 900);
	assert_int_equal(seen.result[0].time, 6000);
	assert_true(seen.result[0].borrowed && !seen.result[0].estimate.exact);
	assert_true(seen.result[1].estimate.value == 8 && seen.result[1].estimate.exact);
	/* The event goes from the set, and comes again. */
	shim_record_drop(r, 70);
	shim_record_drop(r, 99);
	note(r, 1, 70, pieces(20, 30));
	seen = see();
	assert_true(fabs(seen.result[0].estimate.value - 2400) < 1e-6);
	assert_int_equal(seen.result[0].count, 1200);
	shim_record_in_child();
	assert_int_equal(see().n, 0);
}

struct by_place {
	unsigned n;
	uint64_t rest, starts, count, pieces;
	const char *last;
};

static void look_by_place(const struct shim_record *record, void *argument)
{
	struct by_place *seen = argument;
	unsigned i;

	seen->n = record->places.n;
	seen->rest = record->places.place[seen->n - 1].starts;
	seen->last = record->places.place[seen->n - 1].name;
	for (i = 0; i < seen->n; i++) {
		seen->starts += record->places.place[i].starts;
		seen->count += shim_record_place_result(record, i, 0).count;
		seen->pieces += shim_record_place_result(record, i, 1).count;
	}
}

static void run_at(struct shim_record *r, const void *address, uint64_t count)
{
	const struct mpxi_pool stretch = exactly(count), other = pieces(2, 30);

	shim_record_choose_place(r, address);
	shim_record_start(r);
	shim_record_note_stretch(r, 0, 70, &stretch);
	shim_record_note_stretch(r, 0, 70, &stretch);
	shim_record_note_stretch(r, 1, 71, &other);
	shim_record_end_stretch(r);
	shim_record_stop(r);
}

/* Starts at very many places: as many as a set has are told apart, and no start is left out. Two
 * sets that are put together have their places together. */
TEST(test_places)
{
	static const char places[1000];
	struct by_place seen = {0};
	unsigned i, k;

	for (k = 0; k < 2; k++) {
		struct shim_record *r = create(5, k + 1);

		assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
		run_at(r, &places[0], 1);
		assert_int_equal(shim_record_add(r, 71, "b"), PAPI_OK);
		for (i = 0; i < 1000; i++)
			run_at(r, &places[i], 3);
		/* One that could not be started. */
		shim_record_choose_place(r, &places[0]);
		shim_record_retire(r);
	}
	shim_record_each(look_by_place, &seen, true);
	assert_int_equal(seen.n, SHIM_PLACES + 1);
	assert_int_equal(seen.starts, 2002);
	assert_int_equal(seen.rest, 2 * (1000 - SHIM_PLACES));
	assert_null(seen.last);
	assert_int_equal(seen.count, 2 * 3001);
	assert_int_equal(seen.pieces, 2 * 1000 * 30);
	shim_record_in_child();
}

/* More than a report has. */
TEST(test_left_out)
{
	const unsigned n = 65536 + 5;
	unsigned i;

	for (i = 0; i < n - 5; i++)
		(void)create(5, i + 1);
	assert_int_equal(shim_record_left_out(true), 0);
	for (; i < n; i++)
		(void)create(5, i + 1);
	assert_int_equal(shim_record_left_out(true), 5);
	assert_int_equal(see().n, 65536);
	shim_record_in_child();
}

static atomic_bool looks;

static void look_long(const struct shim_record *record, void *argument)
{
	const struct timespec wait = {.tv_nsec = 20000000};

	(void)record;
	(void)argument;
	looks = true;
	(void)nanosleep(&wait, NULL);
}

static void *look_elsewhere(void *unused)
{
	shim_record_each(look_long, NULL, true);
	return unused;
}

/* A handler may not wait for a lock for ever, and another thread has it for a moment only. */
TEST(test_patience)
{
	struct seen seen = {0};
	pthread_t other;

	(void)create(5, 1);
	assert_int_equal(pthread_create(&other, NULL, look_elsewhere, NULL), 0);
	while (!looks)
		;
	shim_record_each(look, &seen, false);
	assert_int_equal(seen.n, 1);
	assert_int_equal(pthread_join(other, NULL), 0);
	shim_record_in_child();
}

static void retire_one(pid_t thread, unsigned serial, int code)
{
	struct shim_record *r = create(thread, serial);

	assert_int_equal(shim_record_add(r, code, "event"), PAPI_OK);
	shim_record_start(r);
	note(r, 0, code, exactly(10));
	shim_record_retire(r);
}

/* A set that is made, started, and destroyed for each of many short stretches: half of them had no
 * turn for the event. */
TEST(test_sets_of_one_stretch)
{
	const unsigned n = 1000;
	struct mpxi_result result;
	unsigned i;

	for (i = 0; i < n; i++) {
		struct shim_record *r = create(5, i + 1);
		struct mpxi_window window = {.time = 100, .groups = 2, .turn = i};
		struct mpxi_pool pool = {0};

		if (i % 2)
			window.sums.count = 50, window.sums.size = 100, window.exact = true;
		mpxi_pool_add(&pool, &window, MPXI_RATIO, false);
		assert_int_equal(shim_record_add(r, 70, "event"), PAPI_OK);
		shim_record_start(r);
		note(r, 0, 70, pool);
		shim_record_retire(r);
	}
	result = see().result[0];
	assert_true(fabs(result.estimate.value - 50. * n) < 1e-6 && result.borrowed);
	assert_false(result.estimate.rough || result.estimate.exact);
	shim_record_in_child();
}

TEST(test_retired)
{
	struct seen seen;
	unsigned i;

	for (i = 0; i < 1000; i++)
		retire_one(5, i + 1, 70);
	seen = see();
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.serial, 1);
	assert_int_equal(seen.sets, 1000);
	assert_int_equal(seen.starts, 1000);
	assert_true(seen.result[0].estimate.value == 10000 && seen.result[0].estimate.exact);
	retire_one(5, 1001, 71); /* other events */
	retire_one(6, 1002, 70); /* another thread */
	assert_int_equal(see().n, 3);
	/* An empty set leaves nothing. */
	shim_record_retire(create(5, 1003));
	assert_int_equal(see().n, 3);
	shim_record_in_child();
}

/* Threads without number do not take memory without end. */
TEST(test_many_threads)
{
	struct seen seen;
	pid_t i;

	for (i = 1; i <= 5000; i++)
		retire_one(i, (unsigned)i, 70);
	seen = see();
	assert_int_equal(seen.n, 4096);
	shim_record_in_child();
}

/* The record that each() has shown before. */
struct previous {
	unsigned n, serial, wrong;
	pid_t thread;
};

/* Asserts nothing: it is called with locks held. */
static void compare(const struct shim_record *record, void *argument)
{
	struct previous *previous = argument;

	if (previous->n++ && (previous->thread > record->thread ||
			      (previous->thread == record->thread && previous->serial >= record->serial)))
		previous->wrong++;
	previous->thread = record->thread;
	previous->serial = record->serial;
}

TEST(test_order)
{
	uint64_t random = 1;
	unsigned n, i;

	for (n = 0; n < 700; n = 3 * n + 1) {
		struct previous previous = {0};

		/* Each serial once, in no order: 1009 is a prime. */
		for (i = 0; i < n; i++)
			create(1 + (pid_t)(random_next(&random) % 20), (i + 1) * 123 % 1009);
		shim_record_each(compare, &previous, true);
		assert_int_equal(previous.n, n);
		assert_int_equal(previous.wrong, 0);
		shim_record_in_child();
	}
}

TEST(test_huge)
{
	struct shim_record *r = create(5, 1);
	unsigned i;

	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	for (i = 0; i < 3; i++) {
		shim_record_start(r);
		note(r, 0, 70, exactly(UINT64_MAX - 1));
		shim_record_drop(r, 70);
	}
	assert_true(see().result[0].count == UINT64_MAX);
	shim_record_in_child();
}

UNIT_TESTS(mpx_shim_record, NULL, NULL)
