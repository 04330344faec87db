/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates from tables that are worked out by hand, at the edges of what a window can
 * be, and with seeds: the interval holds the truth about as often as it says.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/level.h"
#include "stat/stat.h"

/* The spacing of all slices of all events. */
static struct mpxi_spacing spacing;

static const enum mpxi_estimator all[] = {MPXI_RATIO, MPXI_INTERPOLATED, MPXI_COVARIATE, MPXI_AUTO};

#define ALL (sizeof(all) / sizeof(all[0]))

static void assert_near(double value, double wanted)
{
	if (fabs(value - wanted) > 1e-9 * fabs(wanted) + 1e-12)
		fail_msg("%.12g, not %.12g", value, wanted);
}

/* Slices of 10,000 in every other 10,000 of time, with these counts. */
static void table(struct mpxi_window *window, const unsigned *count, unsigned n)
{
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	unsigned i;

	memset(window, 0, sizeof(*window));
	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);
	for (i = 0; i < n; i++) {
		uint64_t begin = 20000ul * i;
		struct mpxi_slice s = {begin, begin + 10000, 0, count[i], 0};

		mpxi_stat_slice_sig(&stat, &s, &spacing);
	}
	mpxi_stat_read(&stat, NULL, 20000ul * n, &end);
	mpxi_window_add(window, &start, &end);
}

TEST(test_ratio_by_hand)
{
	static const unsigned count[] = {100, 140, 90, 110, 160};
	struct mpxi_estimate e;
	struct mpxi_window w;
	/* Second differences -90, 70, 30; of sizes none. */
	double variance = (8100 + 4900 + 900) / (6. * 3) * 5 * (1 - .5) / .25;

	table(&w, count, 5);
	mpxi_estimate(&w, MPXI_RATIO, &e);
	assert_near(e.value, 1200);
	/* and a sixth of a count for each slice, as counts are whole */
	assert_near(e.standard_error, sqrt(variance + 5. / 6));
	assert_near(e.coverage, .5);
	assert_true(e.low >= 600 && e.low < 1200 && e.high > 1200);
	assert_false(e.exact || e.never);
	assert_true(e.rough);
	/* A variance that grows with the truth. */
	assert_true(e.high - e.value > e.value - e.low);
}

TEST(test_interpolated_by_hand)
{
	static const unsigned count[] = {100, 140, 90, 110, 160};
	struct mpxi_estimate e;
	struct mpxi_window w;
	double noise, variance;

	table(&w, count, 5);
	mpxi_estimate(&w, MPXI_INTERPOLATED, &e);
	/* 600, the means of neighbours, and the last one once more */
	assert_near(e.value, 600 + 120 + 115 + 100 + 135 + 160);
	/*
	 * Squares of differences 7000 over 80 (per thousand of time), products 2000 over
	 * 30; of four differences the products have a fifth of the say. Weights 55, gaps
	 * 50; the last gap is held, which doubles what changes make.
	 */
	noise = .2 * 2000 / 30 + .8 * 7000 / 80;
	variance = noise * (55 + 50) + (7000 - noise * 80) / 12 * 2;
	assert_near(e.standard_error, sqrt(variance + 5. / 6));
	assert_true(e.rough);
}

/* The same by a covariate that has these counts in the slices, and so many in each gap. */
static void table_by(struct mpxi_window *window, const unsigned *count, const unsigned *covariate,
		     unsigned gap, unsigned n)
{
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	uint64_t now = 0;
	unsigned i;

	*window = (struct mpxi_window){.by_covariate = true,
				       .clock_size = 10000ul * n,
				       .clock_time = 20000ul * n,
				       .turns = 2 * n,
				       .groups = 2};
	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);
	for (i = 0; i < n; i++) {
		struct mpxi_slice s = {.covariate = covariate[i], .count = count[i]}, by;

		now += covariate[i];
		by = mpxi_slice_by_covariate(&s, now, 0);
		mpxi_stat_slice_sig(&stat, &by, &spacing);
		mpxi_lengths_add_sig(&window->lengths, covariate[i]);
		now += gap;
		mpxi_lengths_add_sig(&window->lengths, gap);
	}
	mpxi_stat_read(&stat, NULL, now, &end);
	mpxi_window_add(window, &start, &end);
}

TEST(test_covariate)
{
	/* All that moves the count moves the covariate, twice as much. */
	static const unsigned count[] = {100, 140, 90, 110, 160, 80, 120, 100};
	static const unsigned twice[] = {200, 280, 180, 220, 320, 160, 240, 200};
	static const unsigned none[] = {150, 450, 150, 450, 150, 450, 150, 450};
	static const unsigned few[] = {2, 3, 2, 2, 3, 1, 2, 2};
	struct mpxi_window clock, by;
	struct mpxi_estimate e;

	table(&clock, count, 8);
	clock.turns = 16;
	clock.groups = 2;
	/* 250 in each gap: at one count for two of them. */
	table_by(&by, count, twice, 250, 8);
	mpxi_estimate(&by, MPXI_AUTO, &e);
	assert_near(e.value, 1900);
	assert_near(e.coverage, .5);
	assert_true(e.standard_error < 10);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_AUTO), &by);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_COVARIATE), &by);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_INTERPOLATED), &clock);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_RATIO), &clock);
	assert_ptr_equal(mpxi_window_choose(&clock, NULL, MPXI_COVARIATE), &clock);
	/* One that says nothing is not taken, nor one with a few counts. */
	table_by(&by, count, none, 300, 8);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_AUTO), &clock);
	table_by(&by, count, few, 2, 8);
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_AUTO), &clock);
	/* A window of less than two rounds is estimated by time as well, as it is pooled with others by
	 * time. */
	table_by(&by, count, twice, 250, 8);
	clock.groups = 9;
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_AUTO), &clock);
	/* An event that was counted all the time is exact by itself. */
	clock.groups = 2;
	clock.exact = true;
	assert_ptr_equal(mpxi_window_choose(&clock, &by, MPXI_COVARIATE), &clock);
}

TEST(test_exact)
{
	struct mpxi_window w = {.sums = {.count = 12345, .size = 9}, .time = 10, .exact = true};
	struct mpxi_estimate e;
	unsigned i;

	for (i = 0; i < ALL; i++) {
		mpxi_estimate(&w, all[i], &e);
		assert_true(e.exact && !e.never && !e.rough);
		assert_true(e.value == 12345 && e.low == 12345 && e.high == 12345);
		assert_true(e.standard_error == 0 && e.coverage == 1);
	}
}

TEST(test_never)
{
	struct mpxi_window w = {.time = 1000, .unknown = 1000};
	struct mpxi_estimate e;
	unsigned i;

	for (i = 0; i < ALL; i++) {
		mpxi_estimate(&w, all[i], &e);
		assert_true(e.never && e.rough && e.value == 0 && e.coverage == 0);
	}
	memset(&w, 0, sizeof(w));
	mpxi_estimate(&w, MPXI_RATIO, &e);
	assert_true(e.never);
}

/* No slice has ended: a value, and no error to be trusted. */
TEST(test_partial_slice)
{
	struct mpxi_slice running = {100, 150, 0, 25, 0};
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	struct mpxi_window w = {0};
	struct mpxi_estimate e;
	unsigned i;

	mpxi_stat_open(&stat, 50);
	mpxi_stat_start(&stat, NULL, 50, &start);
	mpxi_stat_read(&stat, &running, 150, &end);
	mpxi_window_add(&w, &start, &end);
	for (i = 0; i < ALL; i++) {
		mpxi_estimate(&w, all[i], &e);
		assert_true(e.rough && !e.never && e.high > 50);
		assert_near(e.value, 50);
		assert_true(isfinite(e.standard_error) && isfinite(e.high));
	}
}

/* No count at all: between the rule of three and its two-sided form. */
TEST(test_no_counts)
{
	static const unsigned count[50];
	struct mpxi_estimate e;
	struct mpxi_window w;
	unsigned i;

	table(&w, count, 50);
	for (i = 0; i < ALL; i++) {
		mpxi_estimate(&w, all[i], &e);
		assert_true(e.value == 0 && e.low == 0);
		assert_true(e.high > 3 && e.high < 4);
		assert_true(e.standard_error > 1);
	}
}

/* An estimate whose sums have overflowed is rough, finite, and not below the count. */
TEST(test_saturated)
{
	const unsigned __int128 top = ~(unsigned __int128)0;
	struct mpxi_window w = {.sums = {.slices = 10,
					 .count = UINT64_MAX,
					 .size = 1000,
					 .pairs = 9,
					 .triples = 8,
					 .gap = (mpxi_i128)(top >> 1),
					 .steps = top,
					 .lag = (mpxi_i128)(top >> 1),
					 .cc = (mpxi_i128)(top >> 1),
					 .weight = UINT64_MAX,
					 .apart = 1,
					 .lag_apart = 1},
				.time = 2000};
	struct mpxi_estimate e;
	unsigned i;

	for (i = 0; i < ALL; i++) {
		mpxi_estimate(&w, all[i], &e);
		assert_true(e.rough && isfinite(e.value) && isfinite(e.high));
		assert_true(e.low >= (double)UINT64_MAX && e.low <= e.value && e.value <= e.high);
	}
	/* A window that got less than the gap before it was given. */
	memset(&w, 0, sizeof(w));
	w.sums.slices = 1;
	w.sums.count = 3;
	w.sums.size = 10;
	w.sums.gap = -((mpxi_i128)9 << 40);
	w.time = 30;
	mpxi_estimate(&w, MPXI_INTERPOLATED, &e);
	assert_near(e.value, 3);
	assert_near(e.low, 3);
}

/* Windows of all kinds: the promises that hold for every one. */
TEST(test_what_was_given_is_in_the_interval)
{
	static const struct {
		long long given;
		double low, high;
	} row[] = {{90, 90, 120}, {100, 95, 120}, {150, 95, 150}, {95, 95, 120}, {120, 95, 120}};
	unsigned i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct mpxi_estimate e = {.value = 100, .standard_error = 7, .low = 95, .high = 120};

		mpxi_estimate_include(&e, row[i].given);
		assert_near(e.low, row[i].low);
		assert_near(e.high, row[i].high);
		/* The value and the standard error stay as they are. */
		assert_near(e.value, 100);
		assert_near(e.standard_error, 7);
	}
}

TEST(test_promises)
{
	uint64_t seed;

	for (seed = 1; seed <= 3000; seed++) {
		uint64_t random = seed, now = 5;
		unsigned n = random_next(&random) % 30, bits = random_next(&random) % 64, i;
		struct mpxi_stat stat = {0};
		struct mpxi_mark start, end;
		struct mpxi_window w = {0};
		struct mpxi_estimate e;

		mpxi_stat_open(&stat, now);
		mpxi_stat_start(&stat, NULL, now, &start);
		for (i = 0; i < n; i++) {
			struct mpxi_slice s = {0};

			s.begin = now + random_next(&random) % 3 * (random_next(&random) % 1000);
			s.end = now = s.begin + random_next(&random) % 1000;
			s.count = random_next(&random) >> bits;
			s.covariate = random_next(&random) >> bits;
			mpxi_stat_slice_sig(&stat, &s, &spacing);
			if (random_next(&random) % 4)
				continue;
			now += random_next(&random) % 50;
			mpxi_stat_read(&stat, NULL, now, &end);
			mpxi_window_add(&w, &start, &end);
			mpxi_stat_start(&stat, NULL, now, &start);
		}
		mpxi_stat_read(&stat, NULL, now + 7, &end);
		mpxi_window_add(&w, &start, &end);
		for (i = 0; i < ALL; i++) {
			double count = (double)w.sums.count;

			mpxi_estimate(&w, all[i], &e);
			assert_true(isfinite(e.value) && isfinite(e.high) && isfinite(e.low));
			assert_true(e.never || (e.value >= count && e.low >= count));
			assert_true(e.low <= e.value || e.never);
			assert_true(e.high >= e.value);
			assert_true(e.coverage >= 0 && e.coverage <= 1);
			assert_true(e.standard_error >= 0);
			assert_true(e.never || e.coverage == 1 || e.standard_error > 0);
			assert_true(e.never == !w.sums.size);
		}
	}
}

/* 500 measurements of a steady load in four groups: held 95 times of 100, give or take
 * four standard errors of that. The seed is fixed. */
TEST(test_held)
{
	uint64_t random = 7;
	unsigned held[ALL] = {0}, repeat, i;

	for (repeat = 0; repeat < 500; repeat++) {
		struct mpxi_stat stat = {0};
		struct mpxi_mark start, end;
		struct mpxi_window w = {0};
		struct mpxi_estimate e;
		uint64_t now = 0, truth = 0, place = 0;

		mpxi_stat_open(&stat, 0);
		mpxi_stat_start(&stat, NULL, 0, &start);
		for (i = 0; i < 4 * 60; i++) {
			uint64_t count = 0, k;
			struct mpxi_slice s;

			/* 64 chances of one in four */
			for (k = random_next(&random) & random_next(&random); k; k &= k - 1)
				count++;
			if (i % 4 == 0)
				place = random_next(&random) % 4;
			s = (struct mpxi_slice){now, now + 1000, 0, count, 0};
			truth += count;
			now += 1000;
			if (i % 4 == place)
				mpxi_stat_slice_sig(&stat, &s, &spacing);
		}
		mpxi_stat_read(&stat, NULL, now, &end);
		mpxi_window_add(&w, &start, &end);
		for (i = 0; i < ALL; i++) {
			mpxi_estimate(&w, all[i], &e);
			held[i] += (double)truth >= e.low && (double)truth <= e.high;
		}
	}
	for (i = 0; i < ALL; i++)
		assert_in_range(held[i], 456, 494);
}

/*
 * A program with phases in the kernel, in four groups: nine slices of 1,000 with some 60 counts, and
 * then one that a call of 6,000 without counts makes long. Without the call slices are of one to
 * three times the length, and the counts go with it.
 */
static void measure_long(bool call, uint64_t *random, struct mpxi_window *w, double *truth)
{
	struct mpxi_lengths lengths = {0};
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	uint64_t now = 0;
	unsigned i, place = 0, phase = (unsigned)(random_next(random) % 10);

	*w = (struct mpxi_window){0};
	*truth = 0;
	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);
	for (i = 0; i < 4 * 40; i++) {
		uint64_t length = call ? 1000 : 1000 * (1 + random_next(random) % 3), count;
		struct mpxi_slice s;

		count = length / 1000 * (56 + random_next(random) % 9);
		if (call && (i + phase) % 10 == 9)
			length += 6000;
		if (i % 4 == 0)
			place = (unsigned)(random_next(random) % 4);
		s = (struct mpxi_slice){now, now + length, 0, count, lengths.typical};
		*truth += (double)count;
		now += length;
		if (i % 4 == place)
			mpxi_stat_slice_sig(&stat, &s, &spacing);
		mpxi_lengths_add_sig(&lengths, length);
	}
	mpxi_stat_read(&stat, NULL, now, &end);
	mpxi_window_add(w, &start, &end);
	w->lengths = lengths;
}

TEST(test_slices_differ)
{
	static const enum mpxi_estimator both[] = {MPXI_INTERPOLATED, MPXI_AUTO};
	unsigned held[2] = {0}, narrow = 0, uneven = 0, repeat, i;
	double bias[2] = {0}, truth;
	struct mpxi_estimate e[2];
	struct mpxi_window w;
	uint64_t random = 11;

	for (repeat = 0; repeat < 300; repeat++) {
		measure_long(true, &random, &w, &truth);
		assert_true(mpxi_lengths_differ(&w.lengths));
		for (i = 0; i < 2; i++) {
			mpxi_estimate(&w, both[i], &e[i]);
			held[i] += truth >= e[i].low && truth <= e[i].high;
			bias[i] += (e[i].value / truth - 1) / 300;
		}
	}
	/* The counts that fill gaps are a third too high, and few intervals hold the truth. */
	assert_true(held[0] < 60 && bias[0] > .2);
	assert_in_range(held[1], 264, 300);
	assert_true(fabs(bias[1]) < .06);
	/* Lengths alone make no long interval: these go with the counts. */
	for (held[1] = repeat = 0; repeat < 300; repeat++) {
		measure_long(false, &random, &w, &truth);
		assert_true(mpxi_lengths_differ(&w.lengths));
		mpxi_estimate(&w, MPXI_AUTO, &e[1]);
		held[1] += truth >= e[1].low && truth <= e[1].high;
		narrow += e[1].high - e[1].low < .06 * truth;
		uneven += e[1].uneven;
	}
	assert_in_range(held[1], 264, 300);
	assert_true(narrow > 250 && uneven < 100);
}

/* One long slice in all that another group had: nobody knows what was in it, and so it is said. */
TEST(test_one_long_slice)
{
	unsigned count[] = {500, 501, 499, 500, 502, 498, 500, 501};
	struct mpxi_estimate e;
	struct mpxi_window w;
	unsigned i;

	table(&w, count, 8);
	for (i = 0; i < 16; i++)
		mpxi_lengths_add_sig(&w.lengths, 10000);
	mpxi_estimate(&w, MPXI_AUTO, &e);
	assert_false(e.uneven);
	assert_true(e.high - e.low < .02 * e.value);
	mpxi_lengths_add_sig(&w.lengths, 90000);
	w.time += 90000;
	mpxi_estimate(&w, MPXI_AUTO, &e);
	assert_true(e.uneven);
	/* All of the rate, or nothing. */
	assert_true(e.low < 500. * (double)(w.time - 90000) / 10000 &&
		    e.high > 500. * (double)w.time / 10000);
}

/* Quantiles at both sides together, as tables of Student's distribution have them: 0.5, 0.8, 0.9,
 * 0.95, 0.99, 0.999. NIST/SEMATECH e-Handbook 1.3.6.7.2, and Abramowitz and Stegun, table 26.10. */
TEST(test_quantiles)
{
	static const double level[] = {.5, .8, .9, .95, .99, .999};
	static const struct {
		double freedom, t[6];
	} row[] = {
		{1, {1.000, 3.078, 6.314, 12.706, 63.657, 636.619}},
		{2, {.816, 1.886, 2.920, 4.303, 9.925, 31.599}},
		{3, {.765, 1.638, 2.353, 3.182, 5.841, 12.924}},
		{4, {.741, 1.533, 2.132, 2.776, 4.604, 8.610}},
		{5, {.727, 1.476, 2.015, 2.571, 4.032, 6.869}},
		{10, {.700, 1.372, 1.812, 2.228, 3.169, 4.587}},
		{30, {.683, 1.310, 1.697, 2.042, 2.750, 3.646}},
		{120, {.677, 1.289, 1.658, 1.980, 2.617, 3.373}},
		{1e9, {.674, 1.282, 1.645, 1.960, 2.576, 3.291}},
	};
	unsigned i, k;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (k = 0; k < 6; k++) {
			double t = mpxi_level_student(level[k], row[i].freedom);

			if (fabs(t - row[i].t[k]) > .00051)
				fail_msg("%g, %g degrees: %.6f, not %.3f", level[k], row[i].freedom, t,
					 row[i].t[k]);
		}
	/* One degree of freedom is a tangent, two a root, at any level. */
	for (i = 0; i < 5000; i++) {
		double l = .5 + i * .0001 * .9998, one = tan(l * acos(-1) / 2);

		assert_true(fabs(mpxi_level_student(l, 1) / one - 1) < 1e-6);
		assert_true(fabs(mpxi_level_student(l, 2) / (l * sqrt(2 / (1 - l * l))) - 1) < 1e-6);
	}
	assert_true(fabs(mpxi_level_normal(.5) - .674490) < 1e-6);
	assert_true(fabs(mpxi_level_normal(.95) - 1.959964) < 1e-6);
	assert_true(fabs(mpxi_level_normal(.9999) - 3.890592) < 1e-6);
	/* From where the expansion is taken on, without a step. */
	assert_true(fabs(mpxi_level_student(.9999, 999.999) / mpxi_level_student(.9999, 1000) - 1) < 1e-6);
}

TEST(test_levels)
{
	static const unsigned count[] = {100, 140, 90, 110, 160, 80, 120, 130, 95, 150};
	/* A row of 10 for .5, .9, .95, .99, .9999; none decreases. */
	static const double level[] = {.5, .9, .9500001, .99, .9999};
	struct mpxi_estimate e, was, exact = {.value = 7, .low = 7, .high = 7, .exact = true};
	double width = 0, root, t;
	struct mpxi_window w;
	unsigned i, k;

	table(&w, count, 10);
	for (k = 0; k < 2; k++, width = 0) {
		mpxi_estimate(&w, all[k], &was);
		for (i = 0; i < 5; i++) {
			e = was;
			mpxi_estimate_at_level(&e, level[i]);
			assert_true(e.high - e.low > width);
			width = e.high - e.low;
			/* The ends solve (N - value)^2 = t^2 variance N / value. */
			t = mpxi_level_student(level[i], e.basis.freedom);
			root = t * e.standard_error * sqrt(e.high / e.value);
			assert_near(e.high - e.value, root);
			if (e.low > e.basis.count)
				assert_near(e.value - e.low, t * e.standard_error * sqrt(e.low / e.value));
			assert_true(e.low >= e.basis.count && e.rough == was.rough);
			if (i == 2)
				assert_true(fabs(e.high / was.high - 1) < 1e-2);
		}
		e = was;
		mpxi_estimate_at_level(&e, MPXI_LEVEL_DEFAULT);
		assert_true(e.low == was.low && e.high == was.high);
	}
	mpxi_estimate_at_level(&exact, .99);
	assert_true(exact.low == 7 && exact.high == 7);
}

UNIT_TESTS(mpx_estimate, NULL, NULL)
