/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events that a set wants counted all the time, which are in every group: what they count, what
 * becomes of other sets that have them, what does not fit beside them, and failures. Random
 * programs of them are in mpx_random.c.
 */
#include "mpx_fake.h"

static struct mpxi_set *set_with(uint32_t from, uint32_t to, uint32_t always)
{
	struct mpxi_set *set = fake_set(from, to);

	assert_int_equal(mpxi_set_always(set, fake_index(set, always), true), 0);
	return set;
}

/* It is in all groups, is exact, and takes no turns; the others share what is left. */
TEST(in_every_group)
{
	struct mpxi_set *set;

	fake_create(2);
	set = set_with(0, 3, 2);
	assert_int_equal(mpxi_set_conflict(set), 4);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(fake_info().groups, 3);
	assert_int_equal(fake_master(2).group, UINT_MAX);
	assert_true(fake_master(2).current);
	fake_slices(30, 10);
	fake.now += 5;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, 2, 305);
	assert_false(fake_window(set, 0)->exact);
	fake_slices(30, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_exact(set, 2, 605);
	/* Half of the time each, were it not for the third: rounds of three. */
	assert_in_range(fake_window(set, 0)->sums.size, 190, 215);
	assert_in_range(fake_window(set, 3)->sums.size, 190, 215);
	assert_int_equal(mpxi_set_always(set, 2, false), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(4, 10);
	/* The groups stay until others are made. */
	assert_int_equal(mpxi_set_stop(set), 0);
	fake_destroy();
}

/* Truth is that all goes on while groups change, or that nothing does: both are in the interval. */
static void is_in_interval(const struct mpxi_set *set, uint32_t code, uint64_t time, uint64_t held_up)
{
	const struct mpxi_window *window = fake_window(set, code);
	struct mpxi_estimate e;
	double rate = (double)fake.rate[code];

	assert_false(window->exact);
	mpxi_estimate(window, MPXI_AUTO, &e);
	assert_true(e.low <= rate * (double)(time - held_up) * 1.001);
	assert_true(e.high >= rate * (double)time * .999);
	assert_true(e.low > rate * (double)(time - held_up) * .98);
	assert_true(e.high < rate * (double)time * 1.02);
}

/* A thread that goes on while its groups change: what is in every group is not exact either. */
static void in_another_thread(bool by_cpu, uint64_t slice)
{
	const uint64_t cost = 5, slices = 120;
	struct mpxi_set *set;
	uint64_t begun;

	fake_apart = true;
	fake_by_cpu = by_cpu;
	fake_make(2, slice, true);
	fake_apart = fake_by_cpu = false;
	set = set_with(0, 3, 2);
	assert_int_equal(mpxi_set_start(set), 0);
	begun = fake.now;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_exact(set, 2, 0);
	fake.cost = cost;
	fake_slices(slices, 1000);
	fake.cost = 0;
	fake.now += 500;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(fake.now - begun, slices * (1000 + 2 * cost) + 500);
	/* Half of what went by between the groups. */
	assert_in_range(fake_window(set, 2)->time, slices * (1000 + cost) + 500 - slices / 10,
			slices * (1000 + cost) + 500 + slices / 10);
	assert_in_range(fake_window(set, 2)->lengths.between, slices * (2 * cost) - slices / 5,
			slices * (2 * cost) + slices / 5);
	is_in_interval(set, 2, fake.now - begun, slices * 2 * cost);
	is_in_interval(set, 0, fake.now - begun, slices * 2 * cost);
	fake_destroy();
}

TEST(in_another_thread_by_its_time)
{
	in_another_thread(true, 1000);
}

TEST(in_another_thread_by_cycles)
{
	in_another_thread(false, 100000);
}

/* Alone it is in the group of no other event. */
TEST(alone)
{
	struct mpxi_set *set, *other;

	fake_create(1);
	set = set_with(4, 4, 4);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(fake_info().groups, 0);
	fake.now += 10;
	/* Unlimited ones beside it change nothing. */
	other = fake_running(FAKE_UNLIMITED, FAKE_UNLIMITED + 1);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(other), 0);
	assert_exact(other, FAKE_UNLIMITED, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_exact(set, 4, 20);
	assert_null(fake.timed);
	/* An event that needs no turn is not changed. */
	assert_int_equal(mpxi_set_always(other, 0, true), 0);
	assert_int_equal(mpxi_set_conflict(other), 2);
	assert_int_equal(mpxi_set_start(other), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(other), 0);
	assert_exact(other, FAKE_UNLIMITED, 10);
	fake_destroy();
}

/* An event that takes turns in a set that runs is in every group while another one wants it so,
 * and takes turns again when others come after that. Its counts are not lost. */
TEST(of_two_sets)
{
	struct mpxi_set *turns, *wants;
	uint64_t before, with;

	fake_create(1);
	turns = fake_running(0, 1);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_read(turns), 0);
	before = fake_window(turns, 1)->sums.size;
	assert_int_equal(before, 50);
	fake.capacity = 2;
	wants = set_with(1, 1, 1);
	assert_int_equal(mpxi_set_start(wants), 0);
	assert_int_equal(fake_master(1).activations, 2);
	fake_slices(10, 10);
	assert_int_equal(mpxi_set_read(wants), 0);
	assert_exact(wants, 1, 100);
	assert_int_equal(mpxi_set_read(turns), 0);
	with = fake_window(turns, 1)->sums.size;
	assert_int_equal(with, before + 100);
	assert_int_equal(fake_window(turns, 1)->sums.count, 2 * with);
	assert_false(fake_window(turns, 1)->exact);
	assert_int_equal(mpxi_set_stop(wants), 0);
	fake.capacity = 1;
	fake_running(5, 5);
	assert_int_equal(fake_info().groups, 3);
	fake_slices(30, 10);
	assert_int_equal(mpxi_set_stop(turns), 0);
	assert_int_equal(fake_window(turns, 1)->sums.size, with + 100);
	assert_int_equal(fake_window(turns, 1)->sums.count, 2 * (with + 100));
	assert_int_equal(fake_window(turns, 0)->sums.count, fake_window(turns, 0)->sums.size);
	assert_false(fake_window(turns, 1)->exact);
	fake_destroy();
}

/* A set that was started with it, and from which it goes to turns, does not call it exact. */
TEST(exact_no_more)
{
	struct mpxi_set *wants, *has;

	fake_create(2);
	wants = set_with(0, 2, 1);
	has = fake_set(1, 1);
	assert_int_equal(mpxi_set_start(wants), 0);
	assert_int_equal(mpxi_set_start(has), 0);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_read(has), 0);
	assert_exact(has, 1, 40);
	assert_int_equal(mpxi_set_stop(wants), 0);
	fake.capacity = 1;
	fake_running(7, 8);
	fake_slices(30, 10);
	assert_int_equal(mpxi_set_stop(has), 0);
	assert_window(has, 1, 340, 140);
	assert_false(fake_window(has, 1)->exact);
	fake_destroy();
}

/* Events that no group can have beside it are named, and a start with them is refused. */
TEST(conflicts)
{
	struct mpxi_set *set, *other;

	fake_create(3);
	fake.modulus = 4;
	set = fake_set(0, 5);
	assert_int_equal(mpxi_set_conflict(set), 6);
	assert_int_equal(mpxi_set_always(set, 1, true), 0);
	assert_int_equal(mpxi_set_conflict(set), 5);
	assert_int_equal(mpxi_set_start(set), MPXI_ECNFLCT);
	assert_non_null(strstr(mpxi_last_message(), "mpx_set_always"));
	assert_int_equal(mpxi_set_always(set, 1, false), 0);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(4, 10);
	/* A set that makes the wishes of running sets impossible is refused. */
	other = set_with(1, 1, 1);
	assert_int_equal(mpxi_set_conflict(other), 1);
	assert_int_equal(mpxi_set_start(other), MPXI_ECNFLCT);
	assert_int_equal(mpxi_set_always(set, 1, true), MPXI_EISRUN);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(fake_window(set, 5)->time, 80);
	assert_int_equal(mpxi_set_start(other), 0);
	assert_int_equal(mpxi_set_start(set), MPXI_ECNFLCT);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(other), 0);
	assert_exact(other, 1, 10);
	/* All of them in one group, or none. */
	fake.modulus = 0;
	fake.capacity = 1;
	assert_int_equal(mpxi_set_always(set, 0, true), 0);
	assert_int_equal(mpxi_set_always(set, 1, true), 0);
	assert_int_equal(mpxi_set_conflict(set), 0);
	fake_destroy();
}

/* Its place in the groups is nobody's when it has left all sets, and is its own again. */
TEST(comes_and_goes)
{
	struct mpxi_set *runs, *set;
	unsigned i;

	fake_create(2);
	runs = fake_running(0, 2);
	for (i = 0; i < 5; i++) {
		set = set_with(9, 9, 9);
		assert_int_equal(mpxi_set_start(set), 0);
		fake_slices(6, 10);
		assert_int_equal(mpxi_set_stop(set), 0);
		assert_exact(set, 9, 60);
		mpxi_set_destroy(set);
		assert_int_equal(fake_master(9).references, 0);
		fake_slices(6, 10);
	}
	assert_int_equal(mpxi_set_stop(runs), 0);
	assert_int_equal(fake_window(runs, 0)->time, 600);
	assert_int_equal(fake_window(runs, 0)->sums.count, fake_window(runs, 0)->sums.size);
	fake_destroy();
}

/* Time that no group could count is not in it, and it is exact no more. */
TEST(lost)
{
	struct mpxi_set *set;

	fake_create_sliced(2, 1000);
	set = set_with(0, 2, 0);
	assert_int_equal(mpxi_set_start(set), 0);
	fake_slices(5, 1000);
	fake_fail(FAKE_STOP, 1, 1);
	fake_slices(1, 1000);
	fake_slices(4, 1000);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_true(mpxi_set_lost(set));
	assert_int_equal(fake_window(set, 0)->time, 10000);
	assert_int_equal(fake_window(set, 0)->sums.size, 9000);
	assert_int_equal(fake_window(set, 0)->sums.count, 9000);
	assert_false(fake_window(set, 0)->exact);
	fake_destroy();
}

/* Whatever fails in a start that puts an event into every group, all is as it was. */
TEST(failures)
{
	unsigned k;

	for (k = 1; k < 400; k++) {
		struct mpxi_set *turns, *wants;
		int error;

		fake_create(2);
		turns = fake_running(0, 4);
		fake_slices(6, 10);
		wants = set_with(1, 6, 1);
		fake_fail(FAKE_FITS | FAKE_OPEN | FAKE_MEMORY, k, 1);
		error = mpxi_set_start(wants);
		assert_int_equal(error != 0, fake.failed != 0);
		assert_int_equal(mpxi_set_runs(wants), !error);
		fake_fail(0, 0, 0);
		assert_int_equal(fake_info().groups, error ? 3 : 6);
		assert_int_equal(fake_master(1).activations, error ? 1 : 2);
		fake_slices(12, 10);
		assert_int_equal(mpxi_set_read(turns), 0);
		assert_int_equal(fake_window(turns, 1)->time, 180);
		assert_int_equal(fake_window(turns, 1)->sums.count, 2 * fake_window(turns, 1)->sums.size);
		if (error)
			assert_int_equal(mpxi_set_start(wants), 0);
		fake_slices(12, 10);
		assert_int_equal(mpxi_set_stop(wants), 0);
		assert_exact(wants, 1, error ? 120 : 240);
		fake_destroy();
		if (!error)
			return;
	}
	fail_msg("something fails in each of them");
}

/* Groups that do not start, while the former ones were: they are taken back. */
TEST(starts_fail)
{
	struct mpxi_set *turns, *wants;

	fake_create(2);
	turns = fake_running(0, 2);
	fake_slices(4, 10);
	wants = set_with(1, 1, 1);
	fake_fail(FAKE_START, 1, 4);
	assert_int_equal(mpxi_set_start(wants), MPXI_ESYS);
	fake_fail(0, 0, 0);
	assert_int_equal(fake_info().groups, 2);
	assert_true(fake_master(1).group != UINT_MAX);
	fake_slices(4, 10);
	assert_int_equal(mpxi_set_stop(turns), 0);
	assert_int_equal(fake_window(turns, 1)->sums.count, 2 * fake_window(turns, 1)->sums.size);
	assert_int_equal(fake_window(turns, 1)->time, 80);
	assert_int_equal(mpxi_set_start(wants), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(wants), 0);
	assert_exact(wants, 1, 10);
	/* Nobody wants it in every group any more. */
	assert_int_equal(mpxi_set_start(turns), 0);
	assert_true(fake_master(1).group != UINT_MAX);
	assert_int_equal(mpxi_set_stop(turns), 0);
	fake_destroy();
}

UNIT_TESTS(mpx_always, NULL, NULL)
