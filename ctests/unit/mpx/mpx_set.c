/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Event sets over the master event list: the rules of MPX's section 5.2 on a clock that
 * the test moves. mpx_set_fails.c tests failures.
 */
#include "mpx_fake.h"

/* Each distinct event is once in the list, with the number of sets that have it and of
 * those that run; an event in no set is not in the list. */
TEST(master_list)
{
	struct mpxi_set *a, *b, *c;

	fake_create(4);
	a = fake_set(5, 7);
	b = fake_set(6, 9);
	c = fake_set(7, 7);
	assert_int_equal(fake_info().events, 5);
	assert_int_equal(fake_master(5).references, 1);
	assert_int_equal(fake_master(6).references, 2);
	assert_int_equal(fake_master(7).references, 3);
	assert_int_equal(fake_master(7).activations, 0);
	assert_int_equal(fake_master(10).references, 0);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(c), 0);
	assert_int_equal(fake_info().running, 2);
	assert_int_equal(fake_master(5).activations, 1);
	assert_int_equal(fake_master(7).activations, 2);
	assert_int_equal(fake_master(8).activations, 0);
	assert_int_equal(mpxi_set_remove(b, 6), 0);
	assert_int_equal(fake_master(6).references, 1);
	mpxi_set_destroy(a);
	assert_int_equal(fake_master(5).references, 0);
	assert_int_equal(fake_master(6).references, 0);
	assert_int_equal(fake_master(7).references, 2);
	assert_int_equal(fake_master(7).activations, 1);
	assert_int_equal(fake_info().events, 3);
	mpxi_set_destroy(b);
	mpxi_set_destroy(c);
	assert_int_equal(fake_info().events, 0);
	assert_null(fake.timed);
	mpxi_set_destroy(NULL);
	fake_destroy();
}

/* Counts before a set's start are subtracted, also the running slice's part of them; later counts of
 * the slice are in. Each set has a T of its own. */
TEST(start_in_a_slice)
{
	struct mpxi_set *a, *b;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(1, 1);
	assert_int_equal(mpxi_set_start(a), 0);
	fake.now += 7;
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 5;
	assert_int_equal(mpxi_set_read(b), 0);
	assert_exact(b, 1, 5);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_exact(a, 0, 12);
	assert_exact(a, 1, 12);
	fake.now += 4;
	assert_int_equal(fake_info().running, 1);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_int_equal(fake_info().running, 0);
	assert_exact(b, 1, 9);
	fake_destroy();
}

/* An event that becomes active in the middle of its group's slice begins there. */
TEST(active_in_a_slice)
{
	struct mpxi_set *a, *b, *all;

	fake_create(3);
	all = fake_set(0, 2);
	a = fake_set(0, 0);
	b = fake_set(1, 2);
	assert_int_equal(mpxi_set_start(all), 0);
	assert_int_equal(mpxi_set_start(a), 0);
	fake.now += 3;
	assert_int_equal(mpxi_set_stop(all), 0);
	fake.now += 3;
	assert_int_equal(fake_master(1).size, 3);
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 3;
	assert_int_equal(fake_master(1).size, 6);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, 1, 3);
	assert_exact(b, 2, 3);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_exact(a, 0, 9);
	/* Counts between the runs are not in the list. */
	assert_int_equal(fake_master(1).count, 2 * fake_master(1).size);
	assert_int_equal(fake.opened, 2); /* the idle one, and this */
	fake_destroy();
}

static void overlap(struct mpxi_set *a, struct mpxi_set *b)
{
	assert_int_equal(mpxi_set_start(a), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 20;
	assert_int_equal(mpxi_set_stop(a), 0);
	fake.now += 40;
	assert_int_equal(mpxi_set_stop(b), 0);
}

/* Partial overlap: a begins, b begins, a ends, b ends; with and without shared events. */
TEST(partial_overlap)
{
	struct mpxi_set *a, *b;

	fake_create(4);
	a = fake_set(0, 1);
	b = fake_set(1, 3);
	overlap(a, b);
	/* A larger group took over its group: it was counted all the time, but not in one run. */
	assert_window(a, 0, 30, 30);
	assert_window(a, 1, 30, 30);
	assert_false(fake_window(a, 0)->exact);
	assert_exact(b, 1, 60);
	assert_exact(b, 2, 60);
	assert_exact(b, 3, 60);
	/* The larger group now holds the events of both sets. */
	overlap(a, b);
	assert_exact(a, 0, 30);
	assert_exact(a, 1, 30);
	assert_exact(b, 1, 60);
	assert_exact(b, 3, 60);
	fake_destroy();
}

/* Nesting, and an inner set that is entered again and again: nothing is opened, found
 * out or allocated then. */
TEST(nested)
{
	struct mpxi_set *outer, *inner;
	unsigned i, opened, fits, allocations;

	fake_create(2);
	outer = fake_set(0, 1);
	inner = fake_set(1, 4);
	assert_int_equal(mpxi_set_start(outer), 0);
	assert_int_equal(mpxi_set_start(inner), 0);
	assert_int_equal(mpxi_set_stop(inner), 0);
	opened = fake.opened;
	fits = fake.fits;
	allocations = fake.allocations;
	for (i = 0; i < 50; i++) {
		uint64_t before = fake_info().time;

		assert_int_equal(mpxi_set_start(inner), 0);
		fake_slices(3, 5);
		assert_int_equal(mpxi_set_stop(inner), 0);
		assert_int_equal(mpxi_set_window(inner, 0)->time, 15);
		assert_int_equal(fake_info().time, before + 15);
		fake.now += 3;
	}
	assert_int_equal(fake.opened, opened);
	assert_int_equal(fake.fits, fits);
	assert_int_equal(fake.allocations, allocations);
	assert_int_equal(mpxi_set_stop(outer), 0);
	assert_int_equal(fake_window(outer, 0)->time, 50 * 18);
	fake_destroy();
}

/* A set that runs twice in turn: the first time is forgotten. */
TEST(twice_in_turn)
{
	struct mpxi_set *set;

	fake_create(2);
	set = fake_running(0, 1);
	assert_int_equal(mpxi_set_start(set), MPXI_EISRUN);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_stop(set), MPXI_ENOTRUN);
	fake.now += 1000;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, 0, 10);
	assert_int_equal(mpxi_set_start(set), 0);
	fake.now += 25;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, 0, 25);
	fake.now += 1;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_exact(set, 1, 26);
	assert_int_equal(fake_master(1).size, 36);
	fake_destroy();
}

/* Reset: from now on, of a running set and of one that was stopped. */
TEST(reset)
{
	struct mpxi_set *a, *b;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(0, 1);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_reset(a), 0);
	fake.now += 5;
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(a, 0, 5);
	assert_exact(b, 0, 15);
	assert_int_equal(mpxi_set_reset(a), 0);
	assert_int_equal(mpxi_set_window(a, 0)->time, 0);
	assert_int_equal(mpxi_set_window(a, 0)->sums.count, 0);
	fake_destroy();
}

/* Sets come and go while others run; what leaves the list and comes back begins anew. */
TEST(created_while_others_run)
{
	struct mpxi_set *a, *b;
	unsigned i;

	fake_create(4);
	a = fake_set(0, 2);
	b = fake_set(2, 3);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	assert_int_equal(mpxi_set_reset(a), 0);
	for (i = 0; i < 20; i++) {
		fake.now += 10;
		mpxi_set_destroy(b); /* it runs, and event 3 goes with it */
		assert_int_equal(fake_master(3).references, 0);
		fake.now += 10;
		b = fake_set(2, 3);
		assert_int_equal(fake_master(3).size, 0);
		assert_int_equal(mpxi_set_start(b), 0);
		fake.now += 10;
		assert_int_equal(mpxi_set_read(b), 0);
		assert_exact(b, 2, 10);
		assert_exact(b, 3, 10);
	}
	assert_int_equal(mpxi_set_stop(a), 0);
	/* The group that knows event 3 was there all the time. */
	assert_exact(a, 0, 600);
	assert_exact(a, 2, 600);
	assert_int_equal(fake.opened, 3);
	fake_destroy();
}

/* Two sets share an event of which one group's slice ends while both run. */
TEST(shared_events)
{
	struct mpxi_set *a, *b;
	uint64_t size[3] = {0}, b_size[3] = {0}, b_time = 0;
	unsigned i, k;

	fake_create(1);
	a = fake_set(0, 1);
	b = fake_set(1, 2);
	assert_int_equal(mpxi_set_start(a), 0);
	for (i = 0; i < 60; i++) {
		if (i == 20)
			assert_int_equal(mpxi_set_start(b), 0);
		for (k = 0; !fake_counts(k); k++)
			;
		fake.now += 10 + i;
		size[k] += 10 + i;
		if (i >= 20) {
			b_size[k] += 10 + i;
			b_time += 10 + i;
		}
		if (i % 3)
			fake_tick();
	}
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_window(a, 0, size[0] + size[1] + size[2], size[0]);
	assert_window(a, 1, size[0] + size[1] + size[2], size[1]);
	assert_window(b, 1, b_time, b_size[1]);
	assert_window(b, 2, b_time, b_size[2]);
	fake_destroy();
}

/* Some of a set's events have a place, in a group that is not active now, and some are
 * newcomers. */
TEST(old_and_new_events)
{
	struct mpxi_set *a, *b, *c;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(1, 2);
	c = fake_set(3, 3);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, 1, 10);
	assert_exact(b, 2, 10);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(c), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_slices(30, 10);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_int_equal(fake_window(b, 1)->time, 300);
	assert_true(fake_window(b, 1)->sums.size > 0);
	assert_true(fake_window(b, 2)->sums.size > 0);
	fake_destroy();
}

/* Unlimited events count all the time, whatever takes turns beside them. */
TEST(unlimited)
{
	struct mpxi_set *a, *b, *c;
	unsigned i;

	fake_create(1);
	a = fake_set(0, 3);
	b = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED + 2);
	c = fake_set(FAKE_UNLIMITED + 2, FAKE_UNLIMITED + 3);
	assert_true(mpxi_set_add(a, FAKE_UNLIMITED + 1) >= 0);
	assert_int_equal(mpxi_set_start(a), 0);
	fake_slices(3, 10);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_slices(3, 10);
	assert_int_equal(mpxi_set_start(c), 0);
	fake_slices(3, 10);
	for (i = 0; i < 10; i++) {
		assert_int_equal(mpxi_set_read(c), 0);
		fake_slices(1, 10);
	}
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, FAKE_UNLIMITED, 160);
	assert_exact(b, FAKE_UNLIMITED + 1, 160);
	assert_exact(b, FAKE_UNLIMITED + 2, 160);
	assert_int_equal(mpxi_set_stop(c), 0);
	assert_exact(c, FAKE_UNLIMITED + 2, 130);
	assert_exact(c, FAKE_UNLIMITED + 3, 130);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_exact(a, FAKE_UNLIMITED + 1, 190);
	fake_destroy();
}

/* Acts like the handler that serves requests to a thread's part of a process-wide set. */
static void in_handler(int (*call)(struct mpxi_set *), struct mpxi_set *set)
{
	mpxi_in_handler = true;
	assert_int_equal(call(set), 0);
	mpxi_in_handler = false;
}

/* A handler that acts on a set touches nothing that is not for handlers, also where another set
 * has both; the fake backend looks. Ticks neither. */
TEST(not_for_handlers)
{
	struct mpxi_set *asked, *both;
	unsigned i;

	fake_create(1);
	both = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED + 1);
	for (i = 0; i < 3; i++)
		assert_true(mpxi_set_add(both, FAKE_OUTSIDE + i) >= 0);
	asked = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED);
	assert_true(mpxi_set_add(asked, 0) >= 0 && mpxi_set_add(asked, 1) >= 0);
	assert_int_equal(mpxi_set_start(both), 0);
	assert_int_equal(fake.besides, 2);
	assert_int_equal(mpxi_set_admit(asked), 0);
	in_handler(mpxi_set_start, asked);
	fake_slices(4, 10);
	in_handler(mpxi_set_read, asked);
	in_handler(mpxi_set_take, asked);
	fake_slices(4, 10);
	in_handler(mpxi_set_stop, asked);
	assert_exact(asked, FAKE_UNLIMITED, 40);
	assert_int_equal(mpxi_set_stop(both), 0);
	assert_exact(both, FAKE_OUTSIDE + 2, 80);
	fake_destroy();
}

/* One that could not be started again is left alone by handlers, and starts with the next call
 * outside of them. */
TEST(not_started_by_handlers)
{
	struct mpxi_set *asked, *first, *second;

	fake_create(1);
	first = fake_set(FAKE_OUTSIDE, FAKE_OUTSIDE);
	second = fake_set(FAKE_OUTSIDE, FAKE_OUTSIDE);
	asked = fake_set(0, 1);
	assert_int_equal(mpxi_set_admit(asked), 0);
	assert_int_equal(mpxi_set_start(first), 0);
	assert_int_equal(mpxi_set_start(second), 0);
	fake.now += 10;
	/* The stop's read fails, and all that would begin the group anew. */
	fake_fail(FAKE_READ | FAKE_START, 1, 4);
	assert_int_not_equal(mpxi_set_stop(first), 0);
	fake_fail(0, 0, 0);
	assert_int_equal(fake.besides, 0);
	in_handler(mpxi_set_start, asked);
	fake_slices(4, 10);
	in_handler(mpxi_set_stop, asked);
	assert_int_equal(fake.besides, 0);
	assert_int_equal(mpxi_set_start(first), 0);
	assert_int_equal(fake.besides, 1);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(first), 0);
	assert_exact(first, FAKE_OUTSIDE, 10);
	assert_int_equal(mpxi_set_stop(second), 0);
	assert_false(fake_window(second, FAKE_OUTSIDE)->exact);
	fake_destroy();
}

/* Unlimited events that come and go leave no groups behind. */
TEST(unlimited_that_come_and_go)
{
	struct mpxi_set *set;
	unsigned i, open = 0;

	fake_create(1);
	for (i = 0; i < 500; i++) {
		set = fake_running(FAKE_UNLIMITED + i, FAKE_UNLIMITED + i + 1);
		fake.now += 10;
		assert_int_equal(mpxi_set_stop(set), 0);
		assert_exact(set, FAKE_UNLIMITED + i, 10);
		mpxi_set_destroy(set);
		if (i == 100)
			open = fake.open;
	}
	assert_int_equal(fake.open, open);
	fake_destroy();
}

/* A set that needs no counter of its own: the idle group keeps T going. */
TEST(clock_and_covariate)
{
	struct mpxi_set *set, *a;

	fake_create(2);
	set = fake_set(FAKE_CLOCK, FAKE_CLOCK);
	assert_int_equal(mpxi_set_add(set, FAKE_BESIDE), 1);
	a = fake_set(0, 3);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_non_null(fake.timed);
	assert_int_equal(fake.timed->n, 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, FAKE_CLOCK, 10);
	assert_exact(set, FAKE_BESIDE, 10);
	assert_int_equal(mpxi_set_window_by_covariate(set, fake_index(set, FAKE_CLOCK))->time, 10);
	/* Others take over the clock, and give it back. */
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_not_equal(fake.timed->n, 0);
	fake_slices(5, 10);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(fake.timed->n, 0);
	fake.now += 10;
	assert_int_equal(fake_master(FAKE_CLOCK).count, 70);
	assert_true(fake_master(FAKE_BESIDE).current);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_exact(set, FAKE_CLOCK, 70);
	assert_exact(set, FAKE_BESIDE, 70);
	assert_null(fake.timed);
	assert_false(fake_master(FAKE_BESIDE).current);
	fake_destroy();
}

/* Only an event that was counted all the time in one run of one group is exact. */
TEST(exactness)
{
	struct mpxi_set *a, *b, *c;

	fake_create(3);
	a = fake_set(0, 1);
	b = fake_set(2, 2);
	c = fake_set(3, 4);
	assert_int_equal(mpxi_set_start(a), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(a), 0);
	assert_exact(a, 0, 10);
	/* A hand-over to the group with 2 in it: all the time, but not exact. */
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(a), 0);
	assert_window(a, 0, 20, 20);
	assert_false(fake_window(a, 0)->exact);
	assert_int_equal(mpxi_set_reset(a), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(a), 0);
	assert_exact(a, 0, 10);
	/* Sharing, as long as no slice has ended. */
	assert_int_equal(mpxi_set_start(c), 0);
	assert_int_equal(mpxi_set_read(a), 0);
	assert_exact(a, 0, 10);
	fake_slices(1, 10);
	assert_int_equal(mpxi_set_read(a), 0);
	assert_false(fake_window(a, 0)->exact);
	/* It was not counted at all: no count, and not exact. */
	fake_slices(1, 10);
	while (!fake_counts(0))
		fake_slices(1, 10);
	assert_int_equal(mpxi_set_reset(c), 0);
	assert_int_equal(mpxi_set_read(c), 0);
	assert_false(fake_window(c, 3)->exact);
	assert_int_equal(fake_window(c, 3)->sums.slices, 0);
	fake_destroy();
}

/* When sharing has ended, the remaining events are in one group, and exact again. */
TEST(exact_again)
{
	struct mpxi_set *a, *b;

	fake_create(4);
	a = fake_set(0, 3);
	b = fake_set(2, 5);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(fake_info().groups, 1);
	assert_false(fake.sharing);
	assert_int_equal(mpxi_set_reset(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, 2, 10);
	assert_exact(b, 5, 10);
	/* And at a start, of events whose places are in several groups. */
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_exact(b, 3, 10);
	assert_exact(b, 4, 10);
	fake_destroy();
}

/* Regions that come and go faster than slices keep the groups that they have found, and
 * a read makes fewer when slices have ended. */
TEST(no_flapping)
{
	struct mpxi_set *a, *b, *c;
	unsigned i, opened = 0, fits = 0, allocations = 0;

	fake_create(4);
	a = fake_set(0, 3);
	b = fake_set(4, 7);
	c = fake_set(3, 4);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(mpxi_set_start(a), 0);
		assert_int_equal(mpxi_set_start(b), 0);
		assert_int_equal(mpxi_set_start(c), 0);
		fake.now++;
		assert_int_equal(mpxi_set_stop(a), 0);
		assert_int_equal(mpxi_set_stop(b), 0);
		if (i == 999)
			break;
		assert_int_equal(mpxi_set_stop(c), 0);
		if (i == 3) {
			opened = fake.opened;
			fits = fake.fits;
			allocations = fake.allocations;
		}
	}
	assert_int_equal(fake.opened, opened);
	assert_int_equal(fake.fits, fits);
	assert_int_equal(fake.allocations, allocations);
	/* Two groups, maybe, but with time one. */
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_read(c), 0);
	assert_int_equal(fake_info().groups, 1);
	assert_int_equal(mpxi_set_reset(c), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(c), 0);
	assert_exact(c, 3, 10);
	assert_exact(c, 4, 10);
	fake_destroy();
}

/* take: read and reset in one, with nothing between. */
TEST(taken)
{
	struct mpxi_set *set;
	unsigned i;

	fake_create(1);
	set = fake_set(3, 4);
	assert_int_equal(mpxi_set_take(set), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	for (i = 1; i < 20; i++) {
		uint64_t sizes;

		fake_slices(3, i);
		assert_int_equal(mpxi_set_take(set), 0);
		sizes = fake_window(set, 3)->sums.size + fake_window(set, 4)->sums.size;
		assert_int_equal(fake_window(set, 3)->time, 3 * i);
		assert_int_equal(sizes, 3 * i);
		assert_int_equal(mpxi_set_lost(set), i == 7);
		if (i == 6)
			fake_fail(FAKE_START, 1, 1);
	}
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(mpxi_set_window(set, 0)->time, 0);
	assert_false(mpxi_set_lost(set));
	fake_destroy();
}

/* Sets that a handler starts: nothing is opened, asked or allocated once they are
 * admitted, whatever sets come and go meanwhile, and whoever ran then runs on. */
TEST(admitted)
{
	struct mpxi_set *set, *a, *b;
	unsigned i;

	fake_create(2);
	set = fake_set(0, 2);
	assert_int_equal(mpxi_set_add(set, FAKE_UNLIMITED), 3);
	a = fake_running(2, 4);
	assert_int_equal(mpxi_set_admit(set), 0);
	assert_int_equal(mpxi_set_admit(set), 0);
	assert_non_null(fake.timed);
	for (i = 0; i < 50; i++) {
		unsigned fits, opened, allocations;

		b = fake_set(5 + i, 8 + i);
		assert_int_equal(mpxi_set_add(b, FAKE_UNLIMITED + 1 + i), 4);
		assert_int_equal(mpxi_set_start(b), 0);
		fake_slices(5, 10);
		fits = fake.fits;
		opened = fake.opened;
		allocations = fake.allocations;
		assert_int_equal(mpxi_set_start(set), 0);
		fake_slices(8, 10);
		assert_int_equal(mpxi_set_read(set), 0);
		assert_int_equal(mpxi_set_take(set), 0);
		assert_int_equal(mpxi_set_reset(set), 0);
		fake_slices(8, 10);
		assert_int_equal(mpxi_set_stop(set), 0);
		assert_exact(set, FAKE_UNLIMITED, 80);
		assert_true(fake_window(set, 0)->sums.size > 0);
		assert_int_equal(fake.fits, fits);
		assert_int_equal(fake.opened, opened);
		assert_int_equal(fake.allocations, allocations);
		mpxi_set_destroy(b);
	}
	assert_int_equal(mpxi_set_add(set, 77), MPXI_EISRUN);
	mpxi_set_destroy(set);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(fake_window(a, 3)->time, 50 * 210);
	fake_destroy();
}

TEST(removed_from_the_middle)
{
	struct mpxi_set *set;

	fake_create(3);
	set = fake_running(0, 2);
	fake.now += 5;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_remove(set, 0), 0);
	/* The other events keep their counts, and go on. */
	assert_int_equal(mpxi_set_event(set, 0), 1);
	assert_exact(set, 1, 5);
	assert_exact(set, 2, 5);
	assert_int_equal(mpxi_set_start(set), 0);
	fake.now += 7;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_exact(set, 1, 7);
	assert_exact(set, 2, 7);
	fake_destroy();
}

/* The turns of a window are those since its set's start. */
TEST(turns_of_a_window)
{
	struct mpxi_set *all, *late;

	fake_create(2);
	all = fake_set(0, 3);
	late = fake_set(0, 1);
	assert_int_equal(mpxi_set_start(all), 0);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_start(late), 0);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(late), 0);
	assert_int_equal(mpxi_set_stop(all), 0);
	assert_int_equal(fake_window(late, 0)->turns, 4);
	assert_int_equal(fake_window(all, 0)->turns, 14);
	assert_int_equal(fake_window(late, 0)->turn, fake_window(all, 0)->turn + 10);
	fake_destroy();
}

/* Sets give back the memory that they had. */
TEST(memory_of_sets)
{
	size_t memory = 0;
	unsigned i;

	fake_create(2);
	for (i = 0; i < 3; i++) {
		mpxi_set_destroy(fake_set(0, 20));
		if (i)
			assert_int_equal(fake_info().memory, memory);
		memory = fake_info().memory;
	}
	fake_destroy();
}

/* ---- many ------------------------------------------------------------------------------ */

/* A thousand sets of a thousand events, each with one of its neighbour's. */
TEST(thousand_sets)
{
	enum { SETS = 1000 };
	static struct mpxi_set *set[SETS];
	struct mpxi_core_info info;
	unsigned i, allocations, reads;

	fake_create(4);
	for (i = 0; i < SETS; i++) {
		set[i] = fake_set(i, i + 1);
		assert_int_equal(mpxi_set_start(set[i]), 0);
		fake.now += 3;
	}
	fake_slices(3000, 10);
	info = fake_info();
	assert_int_equal(info.events, SETS + 1);
	assert_int_equal(info.running, SETS);
	assert_in_range(info.groups, 251, 300);
	/* The cost of a read is one of the set. */
	allocations = fake.allocations;
	reads = fake.reads;
	assert_int_equal(mpxi_set_read(set[500]), 0);
	assert_int_equal(fake.reads, reads + 1);
	for (i = 0; i < SETS; i++) {
		assert_int_equal(mpxi_set_read(set[i]), 0);
		assert_window(set[i], i, 30000 + (SETS - i) * 3, mpxi_set_window(set[i], 0)->sums.size);
		assert_true(mpxi_set_window(set[i], 1)->sums.slices >= 2);
	}
	assert_int_equal(fake.allocations, allocations);
	assert_int_equal(fake_info().memory, info.memory);
	for (i = 0; i < SETS; i++)
		mpxi_set_destroy(set[i]);
	assert_int_equal(fake_info().events, 0);
	fake_destroy();
}

UNIT_TESTS(mpx_set, NULL, NULL)
