/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which events share a group, and the order of turns.
 */
#include "core/plan.h"

#include "mpx_fake.h"

enum { EVENTS = 1024 };

static struct mpxi_event event[EVENTS], *events[EVENTS];
static struct mpxi_draft draft;

static int setup(void **state)
{
	unsigned i;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.capacity = 4;
	for (i = 0; i < EVENTS; i++) {
		event[i] = (struct mpxi_event){.code = i, .activations = 1};
		events[i] = &event[i];
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	mpxi_draft_clear(&draft);
	assert_null(draft.code);
	return 0;
}

static void add(uint32_t from, uint32_t to, unsigned slot)
{
	assert_int_equal(mpxi_draft_add(&draft, events + from, to - from + 1, true, slot), 0);
}

static int place(uint32_t from, uint32_t to)
{
	return mpxi_draft_place(&draft, &fake_ops, &fake, events + from, to - from + 1);
}

static unsigned length(unsigned k)
{
	return draft.list[k + 1].begin - draft.list[k].begin;
}

/* Each list ascending and one that fits; each event of from..to once. */
static void assert_holds(uint32_t from, uint32_t to)
{
	bool seen[EVENTS] = {0};
	unsigned k, i;

	assert_int_equal(draft.codes, to - from + 1);
	assert_int_equal(draft.list[draft.lists].begin, draft.codes);
	for (k = 0; k < draft.lists; k++) {
		assert_true(length(k) > 0);
		assert_int_equal(fake_fits(&fake, draft.code + draft.list[k].begin, length(k)), 1);
	}
	for (i = 0; i < draft.codes; i++) {
		assert_in_range(draft.code[i], from, to);
		assert_false(seen[draft.code[i]]);
		seen[draft.code[i]] = true;
	}
}

TEST_WITH(lists_are_filled, setup, teardown)
{
	assert_int_equal(place(0, 9), 0);
	assert_int_equal(draft.lists, 3);
	assert_holds(0, 9);
}

/* One list if the counters hold all of it, whatever lists there were. */
TEST_WITH(joined, setup, teardown)
{
	add(0, 0, 0);
	add(1, 1, 1);
	add(2, 2, 2);
	assert_int_equal(place(3, 3), 0);
	assert_int_equal(draft.lists, 1);
	assert_int_equal(draft.list[0].from, 0);
	assert_int_not_equal(draft.list[0].taken, length(0));
	assert_holds(0, 3);
}

/* Inactive events are left out, but for those whose places are kept, and empty lists too. */
TEST_WITH(only_active, setup, teardown)
{
	event[1].activations = event[2].activations = event[5].activations = 0;
	event[2].pins = 1;
	add(0, 3, 7);
	add(5, 5, 8);
	assert_int_equal(draft.lists, 1);
	assert_int_equal(length(0), 3);
	assert_int_equal(draft.code[1], 2);
	assert_int_equal(draft.list[0].from, 7);
	assert_int_equal(draft.list[0].taken, 3);
}

/* Lists that nobody comes to stay as they are; one by one is as good as all at once. */
TEST_WITH(one_by_one, setup, teardown)
{
	unsigned i;

	for (i = 0; i < EVENTS; i++)
		assert_int_equal(place(i, i), 0);
	assert_int_equal(draft.lists, EVENTS / 4);
	assert_holds(0, EVENTS - 1);
}

TEST_WITH(thousand_at_once, setup, teardown)
{
	assert_int_equal(place(0, EVENTS - 1), 0);
	assert_int_equal(draft.lists, EVENTS / 4);
	assert_holds(0, EVENTS - 1);
	/* The backend is asked about a few lists for an event. */
	assert_in_range(fake.fits, EVENTS, 20 * EVENTS);
}

/* Events of 16 counters, 64 for each: 64 lists would do. */
TEST_WITH(conflicts, setup, teardown)
{
	fake.capacity = 100;
	fake.modulus = 16;
	assert_int_equal(place(0, EVENTS - 1), 0);
	assert_in_range(draft.lists, 64, 80);
	assert_holds(0, EVENTS - 1);
}

TEST_WITH(shrunk, setup, teardown)
{
	add(0, 1, 0);
	add(2, 4, 1);
	add(5, 5, 2);
	add(6, 8, 3);
	assert_int_equal(mpxi_draft_shrink(&draft, &fake_ops, &fake), 0);
	assert_int_equal(draft.lists, 3);
	assert_holds(0, 8);
	mpxi_draft_clear(&draft);
	add(0, 1, 0);
	add(2, 3, 1);
	assert_int_equal(mpxi_draft_shrink(&draft, &fake_ops, &fake), 0);
	assert_int_equal(draft.lists, 1);
	assert_holds(0, 3);
}

/* Lists that do not fit into fewer stay as they are. */
TEST_WITH(not_shrunk, setup, teardown)
{
	unsigned i;

	add(0, 2, 0);
	add(3, 5, 1);
	add(6, 8, 2);
	assert_int_equal(mpxi_draft_shrink(&draft, &fake_ops, &fake), 0);
	assert_int_equal(draft.lists, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(draft.list[i].from, i);
		assert_int_equal(draft.list[i].taken, 3);
		assert_int_equal(length(i), 3);
	}
	assert_holds(0, 8);
}

/* Whichever call fails: the error, and nothing is leaked (the sanitizers look). */
TEST_WITH(failures, setup, teardown)
{
	unsigned k, n;
	int error;

	for (n = 0; n < 2; n++)
		for (k = 1;; k++) {
			mpxi_draft_clear(&draft);
			add(0, 1, 0);
			add(2, 3, 1);
			add(4, 6, 2);
			fake_fail(FAKE_FITS | FAKE_MEMORY, k, 1);
			error = n ? place(7, 11) : mpxi_draft_shrink(&draft, &fake_ops, &fake);
			fake_fail(0, 0, 0);
			if (!error)
				break;
			assert_true(error == MPXI_ESYS || error == MPXI_ENOMEM);
			assert_true(k < 100);
		}
	event[20].code = FAKE_NOWHERE;
	assert_int_equal(place(20, 20), MPXI_ECNFLCT);
}

/* ---- turns --------------------------------------------------------------------------- */

TEST(rounds)
{
	unsigned slot[5], was[5] = {9, 9, 9, 9, 9}, round, i;
	struct mpxi_order order = {.random = 1};

	mpxi_order_set(&order, was, slot, 5);
	for (round = 0; round < 1000; round++) {
		unsigned seen = 0;

		for (i = 0; i < 5; i++)
			seen |= 1u << mpxi_order_next_sig(&order);
		assert_int_equal(seen, 31);
	}
}

/* All orders come, and none much more often than others: 24 of them, 1000 times each,
 * with a standard deviation of 31. */
TEST(all_orders)
{
	unsigned slot[4], was[4] = {9, 9, 9, 9}, times[256] = {0}, round, i, orders = 0;
	struct mpxi_order order = {.random = 7};

	mpxi_order_set(&order, was, slot, 4);
	for (round = 0; round < 24000; round++) {
		unsigned which = 0;

		for (i = 0; i < 4; i++)
			which = which * 4 + mpxi_order_next_sig(&order);
		times[which]++;
	}
	for (i = 0; i < 256; i++) {
		orders += times[i] > 0;
		if (times[i])
			assert_in_range(times[i], 840, 1160);
	}
	assert_int_equal(orders, 24);
}

/* Which group is first in a thread is chance: 4000 threads, give or take four standard
 * errors. */
TEST(first_turns)
{
	unsigned slot[4], was[4] = {9, 9, 9, 9}, times[4] = {0}, i;

	for (i = 0; i < 4000; i++) {
		struct mpxi_order order = {.random = (i + 1) * UINT64_C(0x9e3779b97f4a7c15)};

		mpxi_order_set(&order, was, slot, 4);
		times[mpxi_order_next_sig(&order)]++;
	}
	for (i = 0; i < 4; i++)
		assert_in_range(times[i], 890, 1110);
}

/* In the middle of a round: those that had their turn, those that wait, newcomers. */
TEST(order_is_kept)
{
	unsigned slot[4], was[4] = {9, 9, 9, 9}, turn[4], seen = 0, i;
	unsigned later_slot[5], later_was[5];
	struct mpxi_order order = {.random = 3};

	mpxi_order_set(&order, was, slot, 4);
	for (i = 0; i < 4; i++)
		(void)mpxi_order_next_sig(&order);
	turn[0] = mpxi_order_next_sig(&order);
	turn[1] = mpxi_order_next_sig(&order);
	turn[2] = order.slot[2];
	turn[3] = order.slot[3];
	/* turn[3] leaves, two newcomers come first in the new numbers. */
	later_was[0] = later_was[1] = MPXI_NEW_LIST;
	later_was[2] = turn[2];
	later_was[3] = turn[0];
	later_was[4] = turn[1];
	mpxi_order_set(&order, later_was, later_slot, 5);
	assert_int_equal(order.n - order.next, 3);
	for (i = 0; i < 3; i++)
		seen |= 1u << mpxi_order_next_sig(&order);
	assert_int_equal(seen, 7);
}

UNIT_TESTS(mpx_plan, NULL, NULL)
