/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pmids.c - the metric of a counter: the same as before, never another's.
 */
#include "unit/unit_test.h"

#include <errno.h>

#include "made_sample.h"
#include "pmda/pmids.h"

static void claim(struct pmids *pmids, struct made_sample *made, struct pmids_entry **of, int grown)
{
	unsigned i;

	assert_int_equal(pmids_claim(pmids, &made->sample, of), grown);
	/* Sets the ids, as current.c does once values are taken. */
	for (i = 0; i < made->sample.counters; i++)
		of[i]->id = made->counter[i].id;
}

TEST(test_comes_back)
{
	struct pmids_entry *of[MADE_COUNTERS], *first, *second;
	struct made_sample made;
	struct pmids pmids;

	assert_int_equal(pmids_init(&pmids), 0);
	made_sample_init(&made);
	made_sample_add(&made, 1, "perf::A", SERVICE_CPU);
	made_sample_add(&made, 2, "perf::B", SERVICE_CPU);
	claim(&pmids, &made, of, 2);
	first = of[0];
	second = of[1];
	assert_string_equal(first->metric, "perf.a");
	assert_ptr_equal(first->counter, &made.counter[0]);
	/* The first counter is removed, and comes back behind the other. */
	made.counter[0] = made.counter[1];
	made.sample.counters = 1;
	claim(&pmids, &made, of, 0);
	assert_ptr_equal(of[0], second);
	assert_null(first->counter);
	made_sample_add(&made, 7, "perf::A", SERVICE_CPU);
	claim(&pmids, &made, of, 0);
	assert_ptr_equal(of[0], second);
	assert_ptr_equal(of[1], first);
	pmids_free(&pmids);
}

/* Another event, unit, kind or scope is another metric, though the name is the same. */
TEST(test_same_name)
{
	struct pmids_entry *of[MADE_COUNTERS];
	struct service_counter *counter;
	struct made_sample made;
	struct pmids pmids;
	unsigned i, j;

	assert_int_equal(pmids_init(&pmids), 0);
	made_sample_init(&made);
	made_sample_add(&made, 1, "perf::A", SERVICE_CPU)->name = "x";
	made_sample_add(&made, 2, "perf::B", SERVICE_CPU)->name = "x";
	counter = made_sample_add(&made, 3, "perf::A", SERVICE_CPU);
	counter->name = "x";
	counter->level = true;
	counter = made_sample_add(&made, 4, "perf::A", SERVICE_CPU);
	counter->name = "x";
	counter->unit = "bytes";
	made_sample_add(&made, 5, "perf::A", SERVICE_NODE)->name = "x";
	/* A second counter like the first. */
	made_sample_add(&made, 6, "perf::A", SERVICE_CPU)->name = "x";
	claim(&pmids, &made, of, 6);
	assert_string_equal(of[0]->metric, "x");
	assert_string_equal(of[1]->metric, "x_2");
	assert_string_equal(of[2]->metric, "x_3");
	assert_string_equal(of[3]->metric, "x_4");
	assert_string_equal(of[4]->metric, "x"); /* another branch */
	assert_string_equal(of[5]->metric, "x_5");
	for (i = 0; i < 6; i++)
		for (j = 0; j < i; j++)
			assert_int_not_equal(of[i]->slot, of[j]->slot);
	/* The first of two alike goes: the second keeps its own. */
	made.counter[0].id = 0;
	memmove(&made.counter[0], &made.counter[1], 5 * sizeof(made.counter[0]));
	made.sample.counters = 5;
	{
		struct pmids_entry *last = of[5];

		claim(&pmids, &made, of, 0);
		assert_ptr_equal(of[4], last);
	}
	pmids_free(&pmids);
}

/* A metric has the same number in whatever order metrics are met; where that is used already it gets the
 * next. */
TEST(test_slots)
{
	static const struct pmids_key a = {"perf::A", "perf::A", "events", SERVICE_CPU, false},
				      b = {"perf::B", "perf::B", "events", SERVICE_CPU, false};
	struct pmids_entry *one, *two, *three;
	struct pmids pmids, other;

	assert_int_equal(pmids_init(&pmids), 0);
	assert_int_equal(pmids_init(&other), 0);
	assert_int_equal(pmids_add(&pmids, &a, NULL, 0, &one), 0);
	/* The number is in archives: it must stay. */
	assert_int_equal(one->slot, 183578);
	assert_int_equal(pmids_add(&other, &b, NULL, 0, &two), 0);
	assert_int_equal(pmids_add(&other, &a, NULL, 0, &two), 0);
	assert_int_equal(two->slot, one->slot);
	pmids_free(&other);
	assert_int_equal(pmids_init(&other), 0);
	assert_int_equal(pmids_add(&other, &b, "b", one->slot, &two), 0);
	assert_int_equal(pmids_add(&other, &a, NULL, 0, &three), 0);
	assert_int_equal(three->slot, one->slot + 1);
	pmids_free(&other);
	pmids_free(&pmids);
}

/* The names and numbers that a file gives are checked. */
TEST(test_given)
{
	static const struct pmids_key a = {"a", "a", "events", SERVICE_CPU, false},
				      node = {"a", "a", "events", SERVICE_NODE, false};
	struct pmids_entry *entry;
	struct pmids pmids;

	assert_int_equal(pmids_init(&pmids), 0);
	assert_int_equal(pmids_add(&pmids, &a, "a.b", 17, &entry), 0);
	assert_int_equal(entry->slot, 17);
	assert_int_equal(pmids_add(&pmids, &a, "c", 17, &entry), -ENOSPC);
	assert_int_equal(pmids_add(&pmids, &a, "c", PMIDS_SLOTS, &entry), -EINVAL);
	assert_int_equal(pmids_add(&pmids, &a, "A B", 18, &entry), -EINVAL);
	assert_int_equal(pmids_add(&pmids, &a, "", 18, &entry), -EINVAL);
	assert_int_equal(pmids_add(&pmids, &a, "a", 18, &entry), -EEXIST);
	assert_int_equal(pmids_add(&pmids, &a, "a.b.c", 18, &entry), -EEXIST);
	assert_int_equal(pmids.count, 1);
	assert_int_equal(pmids_add(&pmids, &node, "a", 18, &entry), 0);
	pmids_free(&pmids);
}

/* Names of any bytes, thousands: each its own metric, and the room ends without harm. */
TEST(test_many)
{
	struct pmids_key key = {NULL, "e", "events", SERVICE_CGROUP, false};
	struct pmids_entry *entry;
	struct pmids pmids;
	char name[32];
	unsigned i;

	assert_int_equal(pmids_init(&pmids), 0);
	key.name = name;
	for (i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "\x01%c\x02%u", (char)(i | 0x80), i % 7);
		assert_int_equal(pmids_add(&pmids, &key, NULL, 0, &entry), 0);
		assert_int_equal(entry->number, i);
	}
	pmids.count = PMIDS_MOST;
	assert_int_equal(pmids_add(&pmids, &key, NULL, 0, &entry), -ENOSPC);
	pmids.count = 3000;
	pmids_free(&pmids);
}

UNIT_TESTS(pmids, NULL, NULL)
