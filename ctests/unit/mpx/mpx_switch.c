/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets that run go from region to region. Two sets of the same events run at once: one steps, the
 * other one takes, at the same moments; what they add up has to be the same, however slices, other
 * sets and stretches fall. And sums over regions have a truth.
 */
#include <math.h>

#include "mpx_fake.h"
#include "stat/pool.h"

#define REGIONS 5u
#define EVENTS 8u

static uint64_t random_state;
static struct mpxi_set *steps, *takes, *others;
static struct mpxi_pool stepped[REGIONS][EVENTS], taken[REGIONS][EVENTS];
static uint64_t truth[REGIONS][EVENTS];
static unsigned pieces_seen, windows_seen;

static uint64_t draw(uint64_t n)
{
	return random_next(&random_state) % n;
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted) + 1e-9))
		fail_msg("%.17g instead of %.17g", value, wanted);
}

/* Ends the stretch of both. */
static void next(unsigned region)
{
	bool pieces;
	unsigned i;

	assert_int_equal(mpxi_set_step(steps, &pieces), 0);
	assert_int_equal(mpxi_set_take(takes), 0);
	pieces_seen += pieces;
	windows_seen += !pieces;
	for (i = 0; i < mpxi_set_events(steps); i++) {
		if (pieces)
			mpxi_pool_add_piece(&stepped[region][i], mpxi_set_piece(steps, i), MPXI_AUTO);
		else
			mpxi_pool_add(&stepped[region][i], mpxi_set_best_window(steps, i, MPXI_AUTO),
				      MPXI_AUTO, mpxi_set_lost(steps));
		mpxi_pool_add(&taken[region][i], mpxi_set_best_window(takes, i, MPXI_AUTO), MPXI_AUTO,
			      mpxi_set_lost(takes));
	}
}

static void stop(unsigned region)
{
	unsigned i;

	assert_int_equal(mpxi_set_stop(steps), 0);
	assert_int_equal(mpxi_set_stop(takes), 0);
	for (i = 0; i < mpxi_set_events(steps); i++) {
		mpxi_pool_add(&stepped[region][i], mpxi_set_best_window(steps, i, MPXI_AUTO), MPXI_AUTO,
			      mpxi_set_lost(steps));
		mpxi_pool_add(&taken[region][i], mpxi_set_best_window(takes, i, MPXI_AUTO), MPXI_AUTO,
			      mpxi_set_lost(takes));
	}
}

static void assert_same_pool(const struct mpxi_pool *a, const struct mpxi_pool *b)
{
	struct mpxi_result x, y;

	assert_int_equal(a->count, b->count);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->stretches, b->stretches);
	assert_int_equal(a->shared, b->shared);
	assert_int_equal(a->inexact, b->inexact);
	assert_int_equal(a->borrowed, b->borrowed);
	assert_int_equal(a->sure_count, b->sure_count);
	assert_int_equal(a->lost, b->lost);
	mpxi_pool_result(a, MPXI_AUTO, &x);
	mpxi_pool_result(b, MPXI_AUTO, &y);
	assert_int_equal(x.estimate.exact, y.estimate.exact);
	assert_int_equal(x.estimate.never, y.estimate.never);
	if (a->shared == 1)
		return; /* of one piece, which is rough, the value alone is the same: see pool.c */
	assert_near(x.estimate.value, y.estimate.value);
	assert_near(x.estimate.standard_error, y.estimate.standard_error);
	assert_near(x.estimate.low, y.estimate.low);
	assert_near(x.estimate.high, y.estimate.high);
	assert_int_equal(x.estimate.rough, y.estimate.rough);
}

static void begin(unsigned capacity, bool covariate)
{
	memset(stepped, 0, sizeof(stepped));
	memset(taken, 0, sizeof(taken));
	memset(truth, 0, sizeof(truth));
	fake_make(capacity, 0, covariate);
	fake.half = 700;
	fake.burst[2] = 9;
	steps = fake_set(0, EVENTS - 4);
	assert_true(mpxi_set_add(steps, FAKE_BESIDE) >= 0);
	assert_true(mpxi_set_add(steps, FAKE_UNLIMITED) >= 0 && mpxi_set_add(steps, FAKE_CLOCK) >= 0);
	takes = fake_set(0, EVENTS - 4);
	assert_true(mpxi_set_add(takes, FAKE_BESIDE) >= 0);
	assert_true(mpxi_set_add(takes, FAKE_UNLIMITED) >= 0 && mpxi_set_add(takes, FAKE_CLOCK) >= 0);
	others = fake_set(2, EVENTS);
}

static void go(unsigned region, uint64_t time)
{
	uint64_t before = fake.now;
	unsigned i;

	fake.now += time;
	for (i = 0; i < EVENTS; i++)
		truth[region][i] += fake_total(mpxi_set_event(steps, i), fake.now) -
				    fake_total(mpxi_set_event(steps, i), before);
}

/* Another set comes or goes, and with it groups. */
static void disturb(void)
{
	if (mpxi_set_runs(others))
		assert_int_equal(mpxi_set_stop(others), 0);
	else
		assert_int_equal(mpxi_set_start(others), 0);
}

static void one_history(unsigned capacity, unsigned often)
{
	unsigned region = 0, k, i;

	begin(capacity, draw(2));
	assert_int_equal(mpxi_set_start(steps), 0);
	assert_int_equal(mpxi_set_start(takes), 0);
	for (k = 0; k < 400; k++) {
		go(region, draw(4) ? draw(300) : draw(20000));
		if (!draw(often))
			fake_tick();
		if (!draw(40))
			disturb();
		if (!draw(30)) {
			/* Reads in between say the same of both. */
			long long a[EVENTS], b[EVENTS];

			assert_int_equal(mpxi_set_values(steps, MPXI_AUTO, a), 0);
			assert_int_equal(mpxi_set_values(takes, MPXI_AUTO, b), 0);
			assert_memory_equal(a, b, sizeof(a));
		}
		if (!draw(2)) {
			next(region);
			region = (unsigned)draw(REGIONS);
		}
		if (!draw(100)) {
			stop(region);
			assert_int_equal(mpxi_set_start(steps), 0);
			assert_int_equal(mpxi_set_start(takes), 0);
		}
	}
	stop(region);
	for (region = 0; region < REGIONS; region++)
		for (i = 0; i < EVENTS; i++)
			assert_same_pool(&stepped[region][i], &taken[region][i]);
	fake_destroy();
}

TEST(as_takes)
{
	uint64_t seed;

	for (seed = 1; seed <= 60; seed++) {
		random_state = seed;
		one_history(1 + (unsigned)(seed % 9), 1 + (unsigned)(seed % 6));
	}
	assert_true(pieces_seen > 1000 && windows_seen > 1000);
}

/* Two regions take turns within each slice: each gets its own counts, and what needs no turn to the
 * last one. */
TEST(sums_of_regions)
{
	struct mpxi_result result;
	unsigned k, i, r;

	random_state = 5;
	begin(1, false);
	fake.half = 100; /* burst: half of the time, which is the second region's */
	fake.now = 1000;
	assert_int_equal(mpxi_set_start(steps), 0);
	assert_int_equal(mpxi_set_start(takes), 0);
	for (k = 0; k < 20000; k++) {
		go(0, 100);
		next(0);
		go(1, 100);
		next(1);
		if (k % 16 == 15)
			fake_tick();
	}
	for (r = 0; r < 2; r++)
		for (i = 0; i < EVENTS; i++) {
			mpxi_pool_result(&stepped[r][i], MPXI_AUTO, &result);
			assert_int_equal(result.estimate.exact, i >= EVENTS - 3);
			assert_true(fabs(result.estimate.value - (double)truth[r][i]) <=
				    .01 * (double)truth[r][i] * !result.estimate.exact);
		}
	stop(0);
	fake_destroy();
}

/* Nothing is allocated but at the first step. */
TEST(allocates_once)
{
	bool pieces;
	unsigned k, before;

	begin(2, false);
	assert_int_equal(mpxi_set_start(steps), 0);
	fake_fail(FAKE_MEMORY, 1, 1);
	assert_int_equal(mpxi_set_step(steps, &pieces), MPXI_ENOMEM);
	fake_fail(0, 0, 0);
	assert_int_equal(mpxi_set_step(steps, &pieces), 0);
	before = fake.allocations;
	for (k = 0; k < 1000; k++) {
		fake.now += 10;
		assert_int_equal(mpxi_set_step(steps, &pieces), 0);
		if (k % 7 == 0)
			fake_tick();
	}
	assert_int_equal(fake.allocations, before);
	assert_int_equal(mpxi_set_stop(steps), 0);
	assert_int_equal(mpxi_set_step(steps, &pieces), MPXI_ENOTRUN);
	fake_destroy();
}

/* A read that fails changes nothing: the stretch goes on. */
TEST(failed_reads)
{
	const struct mpxi_piece *piece;
	bool pieces;

	begin(9, false);
	assert_int_equal(mpxi_set_start(steps), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_step(steps, &pieces), 0);
	fake.now += 10;
	fake_fail(FAKE_READ, 1, 1);
	assert_int_not_equal(mpxi_set_step(steps, &pieces), 0);
	fake.now += 10;
	assert_int_equal(mpxi_set_step(steps, &pieces), 0);
	assert_true(pieces);
	piece = mpxi_set_piece(steps, 3);
	assert_int_equal(piece->count, 20 * 4);
	assert_int_equal(piece->time, 20);
	assert_true(piece->exact && piece->needs_no_turn);
	assert_int_equal(mpxi_set_stop(steps), 0);
	fake_destroy();
}

UNIT_TESTS(mpx_switch, NULL, NULL)
