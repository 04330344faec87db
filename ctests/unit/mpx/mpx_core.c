/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The switching of groups: the rules of MPX's section 4 on a clock that the test moves.
 */
#include <signal.h>

#include "mpx_fake.h"

/* C_e and S_e are sums over slices of any length, T of all. */
TEST(sums_over_slices)
{
	struct mpxi_set *set;
	uint64_t size[3] = {0}, time = 0;
	unsigned i, k;

	fake_create(1);
	set = fake_running(0, 2);
	for (i = 0; i < 300; i++) {
		uint64_t length = 1 + i * i % 97;

		for (k = 0; k < 3 && !fake_counts(k); k++)
			;
		assert_in_range(k, 0, 2);
		size[k] += length;
		time += length;
		fake.now += length;
		assert_true(fake_tick());
	}
	assert_int_equal(mpxi_set_stop(set), 0);
	for (k = 0; k < 3; k++)
		assert_window(set, k, time, size[k]);
	assert_int_equal(fake_info().time, time);
	assert_int_equal(fake_info().slices, 301);
	fake_destroy();
}

/* The ratio gives N_e exactly at constant rates, whatever the slices. */
TEST(ratio_at_constant_rates)
{
	struct mpxi_set *set;
	struct mpxi_estimate estimate;
	unsigned i;

	fake_create(3);
	set = fake_running(0, 10);
	for (i = 0; i < 100; i++)
		fake_slices(1, 1 + i * 7 % 31);
	assert_int_equal(mpxi_set_stop(set), 0);
	for (i = 0; i < 11; i++) {
		const struct mpxi_window *window = mpxi_set_window(set, i);

		mpxi_estimate(window, MPXI_RATIO, &estimate);
		assert_true(estimate.value > (double)((i + 1) * window->time) - 0.5);
		assert_true(estimate.value < (double)((i + 1) * window->time) + 0.5);
		assert_false(estimate.exact);
	}
	fake_destroy();
}

/* The current event's running slice counts, in a read and in the master list. */
TEST(read_in_a_slice)
{
	struct mpxi_set *set;

	fake_create(1);
	set = fake_running(4, 4);
	fake.now += 10;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_window(set, 4, 10, 10);
	fake.now += 5;
	assert_int_equal(fake_master(4).count, 75);
	assert_int_equal(fake_master(4).size, 15);
	assert_int_equal(fake_master(4).slices, 0);
	assert_int_equal(mpxi_set_read(set), 0);
	assert_window(set, 4, 15, 15);
	fake_destroy();
}

/* There is a current group while a set runs, and else none. */
TEST(current_while_something_runs)
{
	struct mpxi_set *a, *b;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(1, 4);
	assert_null(fake.timed);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_non_null(fake.timed);
	assert_true(fake_master(0).current);
	assert_int_equal(mpxi_set_start(b), 0);
	assert_non_null(fake.timed);
	fake_slices(7, 3);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_non_null(fake.timed);
	assert_false(fake_master(0).current);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_null(fake.timed);
	fake.now += 1000;
	assert_false(fake_tick());
	assert_null(fake.timed);
	assert_int_equal(fake_info().time, 21);
	fake_destroy();
}

/* Only one group runs at once; the fake backend checks that. The backend's work between slices is
 * off the clock. */
TEST(handler_is_off_the_clock)
{
	struct mpxi_set *set;

	fake_create(1);
	set = fake_running(0, 1);
	fake.cost = 1000;
	fake_slices(20, 10);
	fake.cost = 0;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_window(set, 0)->time, 200);
	assert_int_equal(mpxi_set_window(set, 0)->sums.size + mpxi_set_window(set, 1)->sums.size, 200);
	fake_destroy();
}

/* Each group has one turn in a round, in an order that changes. */
TEST(each_once_a_round)
{
	enum { GROUPS = 7, ROUNDS = 400 };
	unsigned round, i, k, first[GROUPS] = {0};

	fake_create(1);
	fake_running(0, GROUPS - 1);
	for (round = 0; round < ROUNDS; round++) {
		unsigned turns[GROUPS] = {0};

		for (i = 0; i < GROUPS; i++) {
			for (k = 0; !fake_counts(k); k++)
				;
			first[k] += !i;
			turns[k]++;
			fake_slices(1, 10);
		}
		for (k = 0; k < GROUPS; k++)
			assert_int_equal(turns[k], 1);
	}
	/* 57 on average, with a standard deviation of 7. */
	for (k = 0; k < GROUPS; k++)
		assert_in_range(first[k], 22, 92);
	fake_destroy();
}

/* Only active events are scheduled: a group without one is passed over. */
TEST(only_active_ones)
{
	struct mpxi_set *a, *b, *c;
	unsigned i, k;

	fake_create(1);
	a = fake_set(0, 1);
	b = fake_set(2, 3);
	c = fake_set(3, 4);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	assert_int_equal(mpxi_set_start(c), 0);
	fake_slices(17, 10);
	assert_int_equal(mpxi_set_stop(b), 0);
	for (i = 0; i < 40; i++) {
		assert_false(fake_counts(2));
		fake_slices(1, 10);
	}
	assert_int_equal(fake_info().groups, 4);
	for (k = 0; k < 5; k++)
		assert_int_equal(fake_master(k).activations, k != 2);
	fake_destroy();
}

/* An event that comes while others take turns has a turn in the round that is under way, and takes
 * no other event's turn. */
TEST(newcomers_have_a_turn)
{
	enum { OLD = 5, ALL = 7 };
	struct mpxi_set *a, *b;
	bool seen[ALL] = {0};
	unsigned i, k;

	fake_create(1);
	a = fake_set(0, OLD - 1);
	b = fake_set(OLD, ALL - 1);
	assert_int_equal(mpxi_set_start(a), 0);
	for (i = 0; i < ALL; i++) {
		for (k = 0; !fake_counts(k); k++)
			;
		assert_in_range(k, 0, (i < 2 ? OLD : ALL) - 1);
		assert_false(seen[k]);
		seen[k] = true;
		if (i == 1)
			assert_int_equal(mpxi_set_start(b), 0);
		fake_slices(1, 10);
	}
	fake_destroy();
}

/* One group needs no ticks, and one that comes does nothing; more ask for them. */
TEST(ticks_are_asked_for)
{
	struct mpxi_set *a, *b;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(2, 2);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_false(fake.sharing);
	assert_false(fake_tick());
	assert_int_equal(fake.stops, 0);
	assert_int_equal(mpxi_set_start(b), 0);
	assert_true(fake.sharing);
	assert_true(fake_tick());
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_false(fake.sharing);
	assert_int_equal(mpxi_set_stop(b), 0);
	fake_destroy();
}

/* A tick in the middle of something is acted on at its end, once. */
TEST(held)
{
	unsigned stops;

	fake_create(1);
	fake_running(0, 1);
	stops = fake.stops;
	mpxi_core_hold(fake.core);
	mpxi_core_hold(fake.core);
	assert_false(fake_tick());
	mpxi_core_release(fake.core);
	assert_false(fake_tick());
	assert_int_equal(fake.stops, stops);
	mpxi_core_release(fake.core);
	assert_int_equal(fake.stops, stops + 1);
	mpxi_core_hold(fake.core);
	mpxi_core_release(fake.core);
	assert_int_equal(fake.stops, stops + 1);
	assert_true(fake_tick());
	fake_destroy();
}

/* A group that cannot be started loses its turn; if none can, ticks try again. */
TEST(starts_that_fail)
{
	struct mpxi_set *a, *b;

	fake_create(1);
	a = fake_set(0, 1);
	b = fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_fail(FAKE_START, 1, 1);
	fake_slices(1, 10);
	assert_non_null(fake.timed);
	assert_int_equal(fake_info().lost, 1);
	fake_fail(FAKE_START, 1, 1000);
	fake_slices(1, 10);
	assert_null(fake.timed);
	assert_int_equal(fake_info().time, 20);
	/* Time that nobody counts is time. */
	fake.now += 500;
	assert_int_equal(fake_info().time, 520);
	fake_fail(0, 0, 0);
	fake_tick();
	assert_non_null(fake.timed);
	fake.now += 10;
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_int_equal(fake_window(a, 0)->time, 530);
	assert_int_equal(fake_window(a, 0)->sums.size + fake_window(a, 1)->sums.size, 30);
	assert_false(fake_window(a, 0)->exact);
	assert_false(fake_window(a, 1)->exact);
	/* An unlimited event beside them was counted all the time. */
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_int_equal(fake_window(b, FAKE_UNLIMITED)->sums.count, 530);
	assert_true(fake_window(b, FAKE_UNLIMITED)->exact);
	fake_destroy();
}

/* The only group cannot go on: ticks are asked for, until one succeeds. */
TEST(retried_by_ticks)
{
	struct mpxi_set *a, *b;

	fake_create(2);
	a = fake_set(0, 1);
	b = fake_set(2, 3);
	assert_int_equal(mpxi_set_start(a), 0);
	assert_int_equal(mpxi_set_start(b), 0);
	fake_slices(1, 10);
	while (!fake_counts(0))
		fake_slices(1, 10);
	fake_fail(FAKE_START, 1, 100);
	assert_int_equal(mpxi_set_stop(a), 0);
	assert_null(fake.timed);
	assert_true(fake.sharing);
	fake_fail(0, 0, 0);
	assert_true(fake_tick());
	assert_true(fake_counts(2));
	assert_int_equal(mpxi_set_read(b), 0);
	assert_int_equal(mpxi_set_stop(b), 0);
	assert_false(fake.sharing);
	fake_destroy();
}

/* A slice whose end cannot be read has what the last read found; the rest of its time is a gap. */
TEST(stops_that_fail)
{
	struct mpxi_set *set;
	unsigned k;

	fake_create(1);
	set = fake_running(0, 1);
	for (k = 0; !fake_counts(k); k++)
		;
	fake.now += 10;
	assert_int_equal(mpxi_set_read(set), 0);
	fake.now += 10;
	fake_fail(FAKE_STOP, 1, 1);
	assert_true(fake_tick());
	assert_int_equal(mpxi_set_read(set), 0);
	assert_window(set, k, 20, 10);
	assert_int_equal(fake_info().lost, 1);
	fake_destroy();
}

/* Counters that go backwards do not make T or sums do so. */
TEST(backward_counters)
{
	struct mpxi_set *set;

	fake_create(1);
	set = fake_running(0, 1);
	fake.now += 100;
	assert_int_equal(mpxi_set_read(set), 0);
	fake.now -= 50;
	assert_int_equal(mpxi_set_read(set), 0);
	assert_int_equal(mpxi_set_window(set, 0)->time, 100);
	fake.now += 60;
	assert_int_equal(mpxi_set_stop(set), 0);
	assert_int_equal(mpxi_set_window(set, 0)->time, 110);
	fake_destroy();
}

/* In a forked child nothing is stopped or closed. */
TEST(forgotten)
{
	unsigned open;

	fake_create(1);
	fake_running(0, 5);
	(void)fake_set(FAKE_UNLIMITED, FAKE_UNLIMITED + 1);
	open = fake.open;
	fake_slices(3, 1);
	{
		unsigned stops = fake.stops;
		struct fake_group *timed = fake.timed;

		mpxi_core_forget(fake.core);
		assert_int_equal(fake.stops, stops);
		assert_ptr_equal(fake.timed, timed);
	}
	assert_int_equal(fake.open, open);
	while (fake.groups)
		fake_free(fake.groups);
	mpxi_core_destroy(NULL);
	mpxi_core_forget(NULL);
}

TEST(creation_fails)
{
	struct mpxi_core_options options = {.ops = &fake_ops, .backend = &fake};
	struct mpxi_core *core = NULL;
	unsigned k;

	memset(&fake, 0, sizeof(fake));
	fake.capacity = 1;
	for (k = 1; k < 10; k++) {
		fake_fail(FAKE_ALL, k, 1);
		if (!mpxi_core_create(&options, &core))
			break;
		assert_null(core);
		assert_int_equal(fake.failed, 1);
		assert_int_equal(fake.open, 0);
	}
	assert_int_equal(k, 4); /* two blocks of memory, one group */
	mpxi_core_destroy(core);
	assert_int_equal(fake.open, 0);
}

/* ---- real signals -------------------------------------------------------------------- */

static volatile sig_atomic_t signals;

static void on_signal(int signo)
{
	(void)signo;
	signals++;
	fake.in_handler = true;
	mpxi_core_tick_sig(fake.core);
	fake.in_handler = false;
}

/* Ticks come at any instruction of a long program of sets that come and go; all slices
 * together are the time that passed, and events come at their rates. */
TEST(at_any_time)
{
	struct sigaction action = {.sa_handler = on_signal}, before;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec interval = {{0, 50000}, {0, 50000}}, off = {{0, 0}, {0, 0}};
	uint64_t random = 1;
	struct mpxi_set *set[6] = {NULL};
	timer_t timer;
	unsigned round, i;

	fake_create(2);
	sigemptyset(&action.sa_mask);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &interval, NULL), 0);
	for (round = 0; round < 60000 || signals < 200; round++) {
		unsigned k = (unsigned)(random_next(&random) % 6);

		fake.now += random_next(&random) % 50;
		if (!set[k]) {
			set[k] = fake_set(k, k + 2);
			assert_true(mpxi_set_add(set[k], FAKE_UNLIMITED + k % 2) >= 0);
		} else if (!mpxi_set_runs(set[k])) {
			if (random_next(&random) % 4)
				assert_int_equal(mpxi_set_start(set[k]), 0);
			else
				mpxi_set_destroy(set[k]), set[k] = NULL;
		} else {
			if (random_next(&random) % 2)
				assert_int_equal(mpxi_set_read(set[k]), 0);
			else
				assert_int_equal(mpxi_set_stop(set[k]), 0);
			for (i = 0; i < 4; i++) {
				const struct mpxi_window *window = mpxi_set_window(set[k], i);
				uint64_t rate = mpxi_set_event(set[k], i) % FAKE_EVENTS + 1;

				assert_true(window->sums.size <= window->time);
				assert_int_equal(window->sums.count, rate * window->sums.size);
				if (i == 3 || window->exact)
					assert_int_equal(window->sums.size, window->time);
			}
		}
	}
	assert_int_equal(timer_settime(timer, 0, &off, NULL), 0);
	timer_delete(timer);
	sigaction(SIGUSR1, &before, NULL);
	fake_destroy();
}

UNIT_TESTS(mpx_core, NULL, NULL)
