/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_shim_record.c - what sets have counted, added up.
 */
#include <papi.h>

#include "shim/shim_record.h"
#include "../unit_test.h"

/* Each test ends as a forked child begins, which leaves its parent's records where they
 * are, on purpose; here somebody still knows them. */
static struct shim_record *made[8192];
static unsigned n_made;

static struct shim_record *create(pid_t thread, unsigned serial)
{
	assert_true(n_made < sizeof(made) / sizeof(made[0]));
	made[n_made] = shim_record_create(thread, serial);
	assert_non_null(made[n_made]);
	return made[n_made++];
}

static struct mpx_estimate estimate(int code, long long value, double error, unsigned flags)
{
	return (struct mpx_estimate){
		.size = sizeof(struct mpx_estimate),
		.code = code,
		.flags = flags,
		.value = value,
		.estimate = (double)value,
		.standard_error = error,
		.low = (double)value - 2 * error,
		.high = (double)value + 2 * error,
		.count = 10,
		.counted_time = 100,
		.time = 300,
		.slices = 7,
	};
}

/* The last record that each() has shown, and how many there were. */
struct seen {
	unsigned n, serial, sets, rows;
	pid_t thread;
	uint64_t starts;
	struct shim_sum sum[4];
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
		seen->sum[i] = shim_sum_of(&record->row[i]);
}

static struct seen see(void)
{
	struct seen seen = {0};

	shim_record_each(look, &seen, true);
	return seen;
}

static void test_stretches(void **state)
{
	struct shim_record *r = create(5, 1);
	struct mpx_estimate e[2];
	struct seen seen;

	(void)state;
	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	assert_int_equal(shim_record_add(r, 71, NULL), PAPI_OK);
	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	assert_false(shim_record_any());
	shim_record_start(r);
	e[0] = estimate(70, 40, 3, 0);
	e[1] = estimate(71, MPX_NEVER, 0, MPX_UNCOUNTED);
	shim_record_note(r, e, 2);
	shim_record_note(r, e, 2); /* a later reading takes the place of an earlier one */
	shim_record_fold(r);
	e[0] = estimate(70, 60, 4, MPX_ROUGH);
	e[1] = estimate(71, 8, 0, MPX_EXACT);
	shim_record_note(r, e, 2);
	seen = see();
	assert_true(shim_record_any());
	assert_int_equal(seen.rows, 2);
	assert_int_equal(seen.sum[0].value, 100);
	assert_true(seen.sum[0].variance == 25 && seen.sum[0].below == 100 && seen.sum[0].above == 100);
	assert_int_equal(seen.sum[0].time, 600);
	assert_int_equal(seen.sum[0].slices, 14);
	assert_int_equal(seen.sum[0].rough, 1);
	assert_int_equal(seen.sum[0].inexact, 2);
	assert_int_equal(seen.sum[1].value, 8);
	assert_int_equal(seen.sum[1].never, 1);
	assert_int_equal(seen.sum[1].stretches, 2);
	shim_record_in_child();
	assert_int_equal(see().n, 0);
}

static void retire_one(pid_t thread, unsigned serial, int code)
{
	struct shim_record *r = create(thread, serial);
	struct mpx_estimate e = estimate(code, 10, 0, MPX_EXACT);

	assert_int_equal(shim_record_add(r, code, "event"), PAPI_OK);
	shim_record_start(r);
	shim_record_note(r, &e, 1);
	shim_record_retire(r);
}

static void test_retired(void **state)
{
	struct seen seen;
	unsigned i;

	(void)state;
	for (i = 0; i < 1000; i++)
		retire_one(5, i + 1, 70);
	seen = see();
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.serial, 1);
	assert_int_equal(seen.sets, 1000);
	assert_int_equal(seen.starts, 1000);
	assert_int_equal(seen.sum[0].value, 10000);
	retire_one(5, 1001, 71); /* other events */
	retire_one(6, 1002, 70); /* another thread */
	assert_int_equal(see().n, 3);
	/* An empty set leaves nothing. */
	shim_record_retire(create(5, 1003));
	assert_int_equal(see().n, 3);
	shim_record_in_child();
}

/* Threads without number do not take memory without end. */
static void test_many_threads(void **state)
{
	struct seen seen;
	pid_t i;

	(void)state;
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

static void test_order(void **state)
{
	uint64_t random = 1;
	unsigned n, i;

	(void)state;
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

static void test_huge(void **state)
{
	struct shim_record *r = create(5, 1);
	struct mpx_estimate e = estimate(70, INT64_MAX, 0, MPX_EXACT);
	int i;

	(void)state;
	assert_int_equal(shim_record_add(r, 70, "a"), PAPI_OK);
	for (i = 0; i < 3; i++) {
		shim_record_start(r);
		shim_record_note(r, &e, 1);
		shim_record_stop(r);
	}
	assert_true(see().sum[0].value == INT64_MAX);
	shim_record_in_child();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stretches),    cmocka_unit_test(test_retired),
		cmocka_unit_test(test_many_threads), cmocka_unit_test(test_order),
		cmocka_unit_test(test_huge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
