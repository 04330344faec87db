/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of events: what is kept of two together is what each has, summed up, as long as one group
 * counts both; what it is where groups change, and what there is of it after everything else.
 */
#include "mpx_fake.h"

static const struct mpxi_window *window_of(const struct mpxi_set *set, unsigned i, unsigned k)
{
	const struct mpxi_window *window = mpxi_set_pair_window(set, i, k);

	assert_non_null(window);
	assert_ptr_equal(window, mpxi_set_pair_window(set, k, i));
	return window;
}

/* The same slices, in the same places, and counts of both. */
static void assert_together(const struct mpxi_set *set, unsigned i, unsigned k)
{
	const struct mpxi_window *a = mpxi_set_window(set, i), *b = mpxi_set_window(set, k);
	const struct mpxi_window *both = window_of(set, i, k);

	assert_int_equal(both->sums.count, a->sums.count + b->sums.count);
	assert_true(both->sums.gap - (a->sums.gap + b->sums.gap) <= 2 &&
		    a->sums.gap + b->sums.gap - both->sums.gap <= 2);
	assert_int_equal(both->sums.size, a->sums.size);
	assert_int_equal(both->sums.slices, a->sums.slices);
	assert_int_equal(both->sums.pairs, a->sums.pairs);
	assert_int_equal(both->sums.weight, a->sums.weight);
	assert_int_equal(both->sums.apart, a->sums.apart);
	assert_int_equal(both->time, a->time);
	assert_int_equal(both->groups, a->groups);
	assert_int_equal(both->turns, a->turns);
	assert_false(both->exact);
}

/* Six events in groups of two. */
static struct mpxi_set *six(void)
{
	fake_create(2);
	return fake_set(1, 6);
}

static unsigned group_of(uint32_t code)
{
	return fake_master(code).group;
}

/* Finds the index of an event that shares a group with the first, and of one that does not. */
static void find_partners(const struct mpxi_set *set, unsigned *with, unsigned *without)
{
	unsigned i;

	*with = *without = 0;
	for (i = 1; i < mpxi_set_events(set); i++)
		if (group_of(mpxi_set_event(set, i)) == group_of(mpxi_set_event(set, 0)))
			*with = i;
		else
			*without = i;
	assert_true(*with && *without);
}

static void pair_all(struct mpxi_set *set)
{
	unsigned i, k;

	for (i = 0; i < mpxi_set_events(set); i++)
		for (k = 0; k < i; k++)
			assert_int_equal(mpxi_set_pair(set, i, k), 0);
}

TEST(test_together_and_apart)
{
	struct mpxi_set *set = six();
	unsigned with, without;

	pair_all(set);
	assert_int_equal(mpxi_set_start(set), 0);
	find_partners(set, &with, &without);
	fake_slices(41, 1000);
	fake.now += 300;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_together(set, 0, with);
	assert_int_equal(window_of(set, 0, without)->sums.size, 0);
	assert_int_equal(window_of(set, 0, without)->sums.count, 0);
	fake_slices(10, 1000);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_together(set, 0, with);
	assert_int_equal(window_of(set, 0, without)->sums.size, 0);
	/* It begins anew with the set. */
	fake_slices(3, 1000);
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(window_of(set, 0, with)->sums.size, 0);
	fake_slices(20, 1000);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_together(set, 0, with);
	assert_int_equal(mpxi_set_reset(set), 0);
	assert_int_equal(window_of(set, 0, with)->sums.size, 0);
	fake_destroy();
}

/* A reset of a set that runs: what follows is by itself. */
TEST(test_take)
{
	struct mpxi_set *set = six();
	unsigned with, without, i;
	uint64_t counted = 0;

	pair_all(set);
	assert_int_equal(mpxi_set_start(set), 0);
	find_partners(set, &with, &without);
	for (i = 0; i < 20; i++) {
		fake_slices(i, 700);
		fake.now += 90;
		assert_int_equal(mpxi_set_take(set), 0);
		counted += mpxi_set_window(set, 0)->sums.count + mpxi_set_window(set, with)->sums.count;
		assert_int_equal(window_of(set, 0, with)->sums.count,
				 mpxi_set_window(set, 0)->sums.count +
					 mpxi_set_window(set, with)->sums.count);
	}
	assert_true(counted > 0);
	assert_int_equal(mpxi_set_stop(set), 0);
	fake_destroy();
}

/* Another set's start and stop changes the groups: what was counted together stays that, and no
 * more than that is said. */
TEST(test_groups_change)
{
	struct mpxi_set *set = six(), *other;
	unsigned round, i, k;

	pair_all(set);
	other = fake_set(20, 25);
	assert_int_equal(mpxi_set_start(set), 0);
	for (round = 0; round < 12; round++) {
		fake_slices(7, 1000);
		assert_int_equal(round % 2 ? mpxi_set_stop(other) : mpxi_set_start(other), 0);
		/* Fewer events fit a group: there are others then. */
		fake.capacity = round % 4 == 1 ? 1 : 2;
		fake.modulus = round % 3 ? 3 : 0;
		assert_int_equal(mpxi_set_read(set), 0);
		for (i = 0; i < 6; i++)
			for (k = 0; k < i; k++) {
				const struct mpxi_window *a = mpxi_set_window(set, i);
				const struct mpxi_window *b = mpxi_set_window(set, k);
				const struct mpxi_window *both = window_of(set, i, k);
				uint64_t least = a->sums.size < b->sums.size ? a->sums.size : b->sums.size;

				assert_in_range(both->sums.size, 0, least);
				/* Rates are i + 2 and k + 2. */
				assert_int_equal(both->sums.count, both->sums.size * (i + 2 + k + 2));
			}
	}
	assert_int_equal(mpxi_set_stop(set), 0);
	fake_destroy();
}

/* Beside a set that has had one of the events all along, in the middle of a slice. */
TEST(test_overlap)
{
	struct mpxi_set *set = six(), *outer = fake_set(1, 6);
	unsigned with, without, i, k;

	pair_all(set);
	assert_int_equal(mpxi_set_start(outer), 0);
	fake_slices(9, 1000);
	fake.now += 400;
	assert_int_equal(mpxi_set_start(set), 0);
	find_partners(set, &with, &without);
	fake.now += 400;
	assert_int_equal(mpxi_set_read(set), 0);
	fake_slices(30, 1000);
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(window_of(set, 0, with)->sums.size, mpxi_set_window(set, 0)->sums.size);
	assert_int_equal(window_of(set, 0, with)->sums.slices, mpxi_set_window(set, 0)->sums.slices);
	assert_int_equal(window_of(set, 0, with)->sums.count,
			 mpxi_set_window(set, 0)->sums.count + mpxi_set_window(set, with)->sums.count);
	/* No more is filled in than comes at these rates in the time that was not seen. */
	for (i = 0; i < 6; i++)
		for (k = 0; k < i; k++) {
			const struct mpxi_window *both = window_of(set, i, k);

			assert_true(both->sums.gap >= 0);
			assert_in_range(both->sums.held, 0, 100 * both->time);
			assert_in_range(both->sums.weight, 0, 100 * both->time);
			if (both->sums.size)
				assert_in_range((uint64_t)(both->sums.gap >> MPXI_GAP_BITS), 0,
						(i + 2 + k + 2) * (both->time - both->sums.size));
		}
	assert_int_equal(mpxi_set_stop(outer), 0);
	fake_destroy();
}

TEST(test_asked_and_given_up)
{
	struct mpxi_set *set = six();
	size_t memory = fake_info().memory;

	assert_null(mpxi_set_pair_window(set, 0, 1));
	assert_int_equal(mpxi_set_pair(set, 0, 1), 0);
	assert_int_equal(mpxi_set_pair(set, 1, 0), 0);
	mpxi_set_unpair(set, 0, 1);
	assert_non_null(mpxi_set_pair_window(set, 0, 1));
	mpxi_set_unpair(set, 0, 1);
	assert_null(mpxi_set_pair_window(set, 0, 1));
	mpxi_set_unpair(set, 0, 1);
	assert_int_equal(fake_info().memory, memory);
	/* An event takes its pairs along. */
	assert_int_equal(mpxi_set_pair(set, 0, 1), 0);
	assert_int_equal(mpxi_set_pair(set, 1, 2), 0);
	assert_int_equal(mpxi_set_remove(set, 1), 0);
	assert_null(mpxi_set_pair_window(set, 0, 2));
	assert_non_null(mpxi_set_pair_window(set, 0, 1));
	assert_int_equal(mpxi_set_start(set), 0);
	assert_int_equal(mpxi_set_pair(set, 0, 3), MPXI_EISRUN);
	fake_slices(5, 1000);
	/* Destroyed as it runs. */
	mpxi_set_destroy(set);
	fake_slices(5, 1000);
	fake_destroy();
}

TEST(test_no_memory)
{
	unsigned k;
	struct mpxi_set *set = six();

	for (k = 1; k <= 2; k++) {
		fake_fail(FAKE_MEMORY, k, 1);
		assert_int_equal(mpxi_set_pair(set, 0, 1), MPXI_ENOMEM);
		assert_int_equal(fake.failed, 1);
		fake_fail(0, 0, 0);
		assert_null(mpxi_set_pair_window(set, 0, 1));
	}
	assert_int_equal(mpxi_set_pair(set, 0, 1), 0);
	/* A start that fails leaves nothing behind that a slice's end would touch. */
	for (k = 1; k <= 3; k++) {
		fake_fail(FAKE_START, k, 1);
		(void)mpxi_set_start(set);
		fake_fail(0, 0, 0);
		fake_slices(3, 1000);
		if (mpxi_set_runs(set))
			assert_int_equal(mpxi_set_stop(set), 0);
	}
	fake_destroy();
}

/* Groups that cannot be stopped lose the pair's slice as they lose the events'. */
TEST(test_lost)
{
	struct mpxi_set *set = six();
	unsigned with, without, i;

	pair_all(set);
	assert_int_equal(mpxi_set_start(set), 0);
	find_partners(set, &with, &without);
	for (i = 0; i < 30; i++) {
		fake_fail(FAKE_STOP, 1 + i % 3, 1);
		fake_slices(3, 1000);
		fake_fail(0, 0, 0);
	}
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_together(set, 0, with);
	fake_destroy();
}

UNIT_TESTS(mpx_pair, NULL, NULL)
