/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ratios of estimates, and relations between them: by hand where that can be done, at the edges,
 * and with seeds, where the truth is known and the interval holds it about as often as it says.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/joint.h"

/* The spacing of all slices of all events. */
static struct mpxi_spacing spacing;

static const enum mpxi_estimator all[] = {MPXI_RATIO, MPXI_INTERPOLATED, MPXI_COVARIATE};

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted) + 1e-12))
		fail_msg("%.12g, not %.12g", value, wanted);
}

/* Events that were counted in the slices of their groups, which take turns. */
enum { EVENTS = 3, BOTH = EVENTS * EVENTS };

struct run {
	struct mpxi_stat stat[EVENTS], both[BOTH];
	struct mpxi_mark start;
	struct mpxi_window event[EVENTS], pair[BOTH];
	double truth[EVENTS];
	uint64_t now;
};

static void begin(struct run *run)
{
	unsigned i;

	memset(run, 0, sizeof(*run));
	for (i = 0; i < EVENTS; i++)
		mpxi_stat_open(&run->stat[i], 0);
	for (i = 0; i < BOTH; i++)
		mpxi_stat_open(&run->both[i], 0);
	mpxi_stat_start(&run->stat[0], NULL, 0, &run->start);
}

/* A slice of this group, with counts of all events, in it or not. */
static void slice(struct run *run, unsigned group, const unsigned *place, const uint64_t *count)
{
	struct mpxi_slice s = {.begin = run->now, .end = run->now + 1000};
	unsigned i, k;

	run->now = s.end;
	for (i = 0; i < EVENTS; i++) {
		run->truth[i] += (double)count[i];
		s.count = count[i];
		if (place[i] == group)
			mpxi_stat_slice_sig(&run->stat[i], &s, &spacing);
		for (k = 0; k < i; k++) {
			s.count = count[i] + count[k];
			if (place[i] == group && place[k] == group)
				mpxi_stat_slice_sig(&run->both[i * EVENTS + k], &s, &spacing);
		}
	}
}

static void end(struct run *run)
{
	struct mpxi_mark now;
	unsigned i, k;

	for (i = 0; i < EVENTS; i++) {
		mpxi_stat_read(&run->stat[i], NULL, run->now, &now);
		mpxi_window_add(&run->event[i], &run->start, &now);
		for (k = 0; k < i; k++) {
			mpxi_stat_read(&run->both[i * EVENTS + k], NULL, run->now, &now);
			mpxi_window_add(&run->pair[i * EVENTS + k], &run->start, &now);
			run->pair[k * EVENTS + i] = run->pair[i * EVENTS + k];
		}
	}
}

static struct mpxi_ratio ratio_of(const struct run *run, unsigned i, unsigned k,
				  enum mpxi_estimator estimator)
{
	struct mpxi_pair_windows pair = {&run->event[i], &run->event[k], &run->pair[i * EVENTS + k]};
	struct mpxi_ratio ratio;

	mpxi_ratio(&pair, estimator, &ratio);
	return ratio;
}

/* 64 chances of one in two to the power of so many. */
static uint64_t some(uint64_t *random, unsigned power)
{
	uint64_t k = ~(uint64_t)0, count = 0;

	while (power--)
		k &= random_next(random);
	for (; k; k &= k - 1)
		count++;
	return count;
}

/* Event 0 is the sum of 1 and 2, which come at rates that change together. */
static void measure(struct run *run, uint64_t *random, unsigned groups, const unsigned *place,
		    unsigned rounds)
{
	unsigned order[8], i, k, j;
	uint64_t count[EVENTS];

	begin(run);
	for (i = 0; i < groups; i++)
		order[i] = i;
	for (k = 0; k < rounds; k++) {
		for (i = groups; i > 1; i--) {
			unsigned other = (unsigned)(random_next(random) % i), o = order[other];

			order[other] = order[i - 1];
			order[i - 1] = o;
		}
		for (i = 0; i < groups; i++) {
			count[1] = count[2] = 0;
			for (j = 0; j < 1 + k / 10 % 3; j++) {
				count[1] += some(random, 2);
				count[2] += some(random, 4);
			}
			count[0] = count[1] + count[2];
			slice(run, order[i], place, count);
		}
	}
	end(run);
}

/* ---- ratios --------------------------------------------------------------------------- */

/* Two events that go together in each slice: their ratio is sure, though neither count is. */
TEST(test_together_by_hand)
{
	static const unsigned place[] = {0, 0, 0};
	static const uint64_t counts[] = {100, 140, 90, 110, 160, 80};
	struct mpxi_estimate estimate;
	struct mpxi_ratio r;
	struct run run;
	unsigned i, e;

	begin(&run);
	for (i = 0; i < 6; i++) {
		uint64_t count[] = {100 * counts[i], 50 * counts[i], 1000};

		slice(&run, 0, place, count);
		slice(&run, 1, place, count);
	}
	end(&run);
	for (e = 0; e < 2; e++) {
		r = ratio_of(&run, 1, 0, all[e]);
		assert_near(r.value, .5);
		assert_true(r.low <= r.value && r.high >= r.value);
		/* Only the rounding to whole counts is left in the interval. */
		assert_true(r.low > .499 && r.high < .501);
		assert_false(r.exact || r.never || r.open || r.guessed);
		mpxi_estimate(&run.event[1], all[e], &estimate);
		assert_true(estimate.high / estimate.low > 1.1);
	}
}

/* Second differences of a - r b by hand: the ratio estimator's variance is theirs. */
TEST(test_variance_by_hand)
{
	static const unsigned place[] = {0, 0, 0};
	static const uint64_t a[] = {1000, 1400, 900, 1100, 1600}, b[] = {2000, 1800, 2200, 2100, 1900};
	double d[5], dd = 0, variance;
	struct mpxi_ratio r;
	struct run run;
	unsigned i;

	begin(&run);
	for (i = 0; i < 5; i++) {
		uint64_t count[] = {a[i], b[i], 0};

		slice(&run, 0, place, count);
		slice(&run, 1, place, count);
		d[i] = (double)a[i] - .6 * (double)b[i];
	}
	end(&run);
	for (i = 2; i < 5; i++)
		dd += pow(d[i] - 2 * d[i - 1] + d[i - 2], 2);
	r = ratio_of(&run, 0, 1, MPXI_RATIO);
	assert_near(r.value, .6);
	variance = dd / 18 * 5 * .5 / .25 + 5. / 6 * (1 + .36);
	assert_near(r.standard_error, sqrt(variance) / 20000);
}

TEST(test_exact)
{
	struct mpxi_window a = {.sums = {.count = 300, .size = 9}, .time = 9, .exact = true}, b = a;
	struct mpxi_pair_windows pair = {&a, &b, NULL};
	struct mpxi_estimate e;
	struct mpxi_ratio r;
	struct run run;
	static const unsigned place[] = {0, 0, 0};
	uint64_t random = 1;
	unsigned i;

	b.sums.count = 400;
	for (i = 0; i < 3; i++) {
		mpxi_ratio(&pair, all[i], &r);
		assert_true(r.exact && !r.rough && !r.open && !r.guessed);
		assert_true(r.value == .75 && r.low == .75 && r.high == .75 && r.standard_error == 0);
	}
	b.sums.count = 0;
	mpxi_ratio(&pair, MPXI_RATIO, &r);
	assert_true(r.exact && r.open && isnan(r.value) && r.low == 0 && isinf(r.high));

	/* Over what is exact: the interval of the estimate itself, to the same scale. */
	b.sums.count = 1000;
	measure(&run, &random, 4, place, 40);
	pair.a = &run.event[0];
	for (i = 0; i < 2; i++) {
		mpxi_ratio(&pair, all[i], &r);
		mpxi_estimate(&run.event[0], all[i], &e);
		assert_near(r.value, e.value / 1000);
		assert_near(r.low, e.low / 1000);
		assert_near(r.high, e.high / 1000);
		assert_near(r.standard_error, e.standard_error / 1000);
	}
	pair = (struct mpxi_pair_windows){&b, &run.event[0], NULL};
	mpxi_ratio(&pair, MPXI_RATIO, &r);
	mpxi_estimate(&run.event[0], MPXI_RATIO, &e);
	assert_near(r.low, 1000 / e.high);
	assert_near(r.high, 1000 / e.low);
}

/* A ratio whose denominator may be 0 has no upper end, and one of an event that was not counted has
 * no value. */
TEST(test_open)
{
	static const unsigned place[] = {0, 0, 1};
	static const uint64_t count[] = {50, 0, 7};
	struct mpxi_window never = {.time = 1000, .unknown = 1000};
	struct mpxi_pair_windows pair;
	struct mpxi_ratio r;
	struct run run;
	unsigned i, k;

	begin(&run);
	for (i = 0; i < 40; i++)
		slice(&run, i % 2, place, count);
	end(&run);
	for (i = 0; i < 3; i++) {
		r = ratio_of(&run, 0, 1, all[i]);
		assert_true(r.open && isnan(r.value) && isnan(r.standard_error));
		assert_true(r.low == 0 && isinf(r.high) && r.high > 0);
		/* The other way round it is 0, or not much. */
		r = ratio_of(&run, 1, 0, all[i]);
		assert_true(!r.open && r.value == 0 && r.low == 0);
		assert_true(r.high > 0 && r.high < .01);
		for (k = 0; k < 2; k++) {
			pair = (struct mpxi_pair_windows){k ? &never : &run.event[0],
							  k ? &run.event[0] : &never, NULL};
			mpxi_ratio(&pair, all[i], &r);
			assert_true(r.never && r.rough && r.open && isnan(r.value) && isinf(r.high));
		}
	}
}

/* A denominator of one count, in one slice of many: there may have been none besides. */
TEST(test_one_count)
{
	static const unsigned place[] = {0, 0, 1};
	struct mpxi_ratio r;
	struct run run;
	unsigned i;

	begin(&run);
	for (i = 0; i < 400; i++) {
		uint64_t count[] = {50, i == 160, 7};

		slice(&run, i % 8, place, count);
	}
	end(&run);
	r = ratio_of(&run, 0, 1, MPXI_INTERPOLATED);
	assert_true(r.open && isinf(r.high) && r.low > 0 && r.low < r.value);
}

/* Sums that were not kept, or cover a part of the time, get the widest interval. */
TEST(test_guessed)
{
	static const unsigned place[] = {0, 0, 1};
	struct mpxi_pair_windows pair;
	struct mpxi_window less;
	struct mpxi_ratio kept, not_kept, part;
	uint64_t random = 5;
	struct run run;

	measure(&run, &random, 4, place, 60);
	kept = ratio_of(&run, 0, 1, MPXI_INTERPOLATED);
	pair = (struct mpxi_pair_windows){&run.event[0], &run.event[1], NULL};
	mpxi_ratio(&pair, MPXI_INTERPOLATED, &not_kept);
	less = run.pair[1];
	less.sums.size -= 1000;
	less.sums.slices--;
	pair.both = &less;
	mpxi_ratio(&pair, MPXI_INTERPOLATED, &part);
	assert_true(!kept.guessed && not_kept.guessed && part.guessed);
	assert_true(kept.value == not_kept.value && kept.value == part.value);
	assert_true(not_kept.low < kept.low && not_kept.high > kept.high);
	assert_near(part.high, not_kept.high);
}

/* How often 500 intervals hold the truth, give or take four standard errors of it: in one group,
 * and where errors of events that take turns go against each other. */
TEST(test_held)
{
	static const struct {
		unsigned groups, place[EVENTS], least, most;
	} row[] = {
		{4, {0, 0, 0}, 456, 494},
		{2, {0, 0, 0}, 456, 494},
		{4, {0, 1, 2}, 456, 500},
		{2, {0, 1, 1}, 456, 500},
	};
	unsigned i, e, held, repeat;
	uint64_t random = 11;
	struct run run;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (e = 0; e < 2; e++) {
			for (repeat = held = 0; repeat < 500; repeat++) {
				struct mpxi_ratio r;

				measure(&run, &random, row[i].groups, row[i].place, 60);
				r = ratio_of(&run, 1, 0, all[e]);
				held += run.truth[1] / run.truth[0] >= r.low &&
					run.truth[1] / run.truth[0] <= r.high;
			}
			if (held < row[i].least || held > row[i].most)
				fail_msg("row %u, estimator %u: %u of 500", i, e, held);
		}
}

/* Windows of all kinds: what holds for every one. */
TEST(test_promises)
{
	static const unsigned places[][EVENTS] = {{0, 0, 0}, {0, 1, 2}, {0, 0, 1}};
	uint64_t seed;

	for (seed = 1; seed <= 1000; seed++) {
		uint64_t random = seed;
		unsigned n = random_next(&random) % 30, bits = random_next(&random) % 64, i, k, e;
		struct run run;

		begin(&run);
		for (i = 0; i < n; i++) {
			uint64_t count[EVENTS];

			for (k = 0; k < EVENTS; k++)
				count[k] = random_next(&random) >> bits >> random_next(&random) % 4;
			run.now += random_next(&random) % 3 * (random_next(&random) % 1000);
			slice(&run, random_next(&random) % 3, places[seed % 3], count);
		}
		run.now += random_next(&random) % 500;
		end(&run);
		for (i = 0; i < EVENTS; i++)
			for (k = 0; k < EVENTS; k++)
				for (e = 0; e < 3 && i != k; e++) {
					struct mpxi_ratio r = ratio_of(&run, i, k, all[e]);

					assert_true(r.low >= 0 && r.high >= r.low && !isnan(r.high));
					assert_true(r.open == (isinf(r.high) != 0));
					assert_true(isnan(r.value) == isnan(r.standard_error));
					assert_true(
						isnan(r.value) ||
						(isfinite(r.value) && r.value >= r.low && r.value <= r.high));
					assert_true(isnan(r.value) ||
						    (isfinite(r.standard_error) && r.standard_error >= 0));
					assert_true(!isnan(r.value) || r.open);
				}
	}
}

/* ---- relations ------------------------------------------------------------------------ */

static struct mpxi_joint *joint_of(const struct run *run, enum mpxi_estimator estimator)
{
	struct mpxi_joint *joint = mpxi_joint_create(EVENTS);
	struct mpxi_part part[EVENTS];
	struct mpxi_bond bond;
	unsigned i, k;

	assert_non_null(joint);
	for (i = 0; i < EVENTS; i++) {
		mpxi_part_of(&run->event[i], estimator, &part[i]);
		mpxi_joint_event(joint, i, &part[i]);
		for (k = 0; k < i; k++) {
			struct mpxi_pair_windows pair = {&run->event[i], &run->event[k],
							 &run->pair[i * EVENTS + k]};

			mpxi_bond_of(&pair, &part[i], &part[k], estimator, &bond);
			mpxi_joint_bond(joint, i, k, &bond);
		}
	}
	return joint;
}

static const unsigned three[] = {0, 1, 2};
static const double sum_of_two[] = {1, -1, -1};
static const struct mpxi_relation holds = {3, three, sum_of_two};

static void set_value(struct mpxi_joint *joint, unsigned i, double value, double variance)
{
	struct mpxi_part part = {
		.outcome = {.value = value, .freedom = 1e6}, .variance = variance, .exact = !(variance > 0)};

	mpxi_joint_event(joint, i, &part);
}

/* Each event's share of the difference is its share of the variance; exact events have none. */
TEST(test_relation_by_hand)
{
	struct mpxi_joint *joint = mpxi_joint_create(EVENTS);
	bool wrong = true;

	assert_non_null(joint);
	set_value(joint, 0, 1000, 100);
	set_value(joint, 1, 700, 300);
	set_value(joint, 2, 310, 0);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_false(wrong);
	assert_near(joint->value[0], 1002.5);
	assert_near(joint->value[1], 692.5);
	assert_near(joint->value[2], 310);
	assert_near(joint->covariance[0], 75);
	assert_near(joint->covariance[4], 75);
	assert_near(joint->covariance[8], 0);
	/* A second time there is nothing to do. */
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_near(joint->value[0], 1002.5);
	mpxi_joint_free(joint);
}

TEST(test_relation_wrong)
{
	struct mpxi_joint *joint = mpxi_joint_create(EVENTS);
	bool wrong = false;

	assert_non_null(joint);
	set_value(joint, 0, 1000, 100);
	set_value(joint, 1, 700, 300);
	/* 3.29 standard errors, and more */
	set_value(joint, 2, 300 - 3.28 * 20, 0);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_false(wrong);
	set_value(joint, 0, 1000, 100);
	set_value(joint, 1, 700, 300);
	joint->covariance[1] = joint->covariance[3] = 0;
	set_value(joint, 2, 300 - 3.30 * 20, 0);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_true(wrong);
	assert_near(joint->value[0], 1000);
	assert_near(joint->value[1], 700);
	assert_near(joint->covariance[0], 100);
	mpxi_joint_free(joint);
	/* Exact ones that do not agree. */
	joint = mpxi_joint_create(EVENTS);
	assert_non_null(joint);
	set_value(joint, 0, 1000, 0);
	set_value(joint, 1, 700, 0);
	set_value(joint, 2, 301, 0);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_true(wrong);
	set_value(joint, 2, 300, 0);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_false(wrong);
	mpxi_joint_free(joint);
}

/* A value that would fall below its count stops there, and the other events take the rest. */
TEST(test_relation_least)
{
	struct mpxi_joint *joint = mpxi_joint_create(EVENTS);
	bool wrong;

	assert_non_null(joint);
	set_value(joint, 0, 1000, 100);
	set_value(joint, 1, 980, 100);
	set_value(joint, 2, 50, 400);
	joint->least[2] = 40;
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_false(wrong);
	assert_near(joint->value[2], 40);
	assert_near(joint->value[0], 1010);
	assert_near(joint->value[1], 970);
	/* The stop at the count does not make it exact: its variance is the same as without the stop. */
	assert_near(joint->covariance[8], 400 - 400 * 400 / 600.);
	assert_near(joint->covariance[0], 100 - 100 * 100 / 600.);
	mpxi_joint_free(joint);
}

/* A relation that holds in every slice adds nothing about events that are counted in the same slices. */
TEST(test_relation_together)
{
	static const unsigned place[] = {0, 0, 0};
	uint64_t random = 3;
	struct mpxi_joint *joint, *before;
	struct run run;
	unsigned i;
	bool wrong;

	measure(&run, &random, 4, place, 60);
	joint = joint_of(&run, MPXI_INTERPOLATED);
	before = joint_of(&run, MPXI_INTERPOLATED);
	assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
	assert_false(wrong);
	for (i = 0; i < EVENTS; i++) {
		assert_near(joint->value[i], before->value[i]);
		assert_near(joint->covariance[i * EVENTS + i], before->covariance[i * EVENTS + i]);
	}
	mpxi_joint_free(joint);
	mpxi_joint_free(before);
}

/* 500 measurements in three of four groups, and in two: the estimates agree, are better than they
 * were, and hold as often; hardly ever is the relation found wrong, and one that is wrong, is. */
TEST(test_relation_held)
{
	static const double too_much[] = {1, -1, -3};
	static const struct mpxi_relation wrong_one = {3, three, too_much};
	static const unsigned places[][EVENTS] = {{0, 1, 2}, {0, 1, 1}};
	unsigned row, repeat, i, held, found, refused;
	double before, after;
	uint64_t random = 17;
	struct run run;

	for (row = 0; row < 2; row++) {
		before = after = held = found = refused = 0;
		for (repeat = 0; repeat < 500; repeat++) {
			struct mpxi_joint *joint;
			struct mpxi_part part;
			bool wrong;

			measure(&run, &random, row ? 2 : 4, places[row], 60);
			joint = joint_of(&run, MPXI_INTERPOLATED);
			assert_true(mpxi_joint_reconcile(joint, &wrong_one, 1, &wrong));
			refused += wrong;
			mpxi_joint_free(joint);
			joint = joint_of(&run, MPXI_INTERPOLATED);
			assert_true(mpxi_joint_reconcile(joint, &holds, 1, &wrong));
			found += wrong;
			if (!wrong)
				assert_near(joint->value[0], joint->value[1] + joint->value[2]);
			for (i = 0; i < EVENTS; i++) {
				struct mpxi_estimate e;

				mpxi_part_of(&run.event[i], MPXI_INTERPOLATED, &part);
				mpxi_part_moved(&part, joint->value[i], joint->covariance[i * EVENTS + i],
						&e);
				assert_true(e.low <= e.value && e.value <= e.high);
				held += run.truth[i] >= e.low && run.truth[i] <= e.high;
			}
			mpxi_part_of(&run.event[0], MPXI_INTERPOLATED, &part);
			before += pow(part.outcome.value - run.truth[0], 2);
			after += pow(joint->value[0] - run.truth[0], 2);
			mpxi_joint_free(joint);
		}
		assert_in_range(held, 1385, 1500);
		assert_true(after < .6 * before);
		assert_in_range(found, 0, 5);
		assert_int_equal(refused, 500);
	}
}

UNIT_TESTS(mpx_ratio, NULL, NULL)
