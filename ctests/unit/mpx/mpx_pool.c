/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many stretches put together, over threads and over starts: sums whose truth is known by
 * construction, how far their intervals hold, and what may be said of them.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/pool.h"

#define SLICE 1000u

static struct mpxi_spacing spacing;
static uint64_t random_state;
static unsigned threads;

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fabs(wanted) + 1e-12))
		fail_msg("%.17g instead of %.17g", value, wanted);
}

/* ---- threads whose truth is known ------------------------------------------------------ */

/* As many counts as 64 chances of one in four give, times rate: 16 on average. */
static uint64_t draw_counts(void)
{
	uint64_t chances = random_next(&random_state) & random_next(&random_state), count = 0;

	for (; chances; chances &= chances - 1)
		count++;
	return count;
}

/* A thread that makes so many slices, with so many groups in shuffled rounds; window is of the
 * event of the first group. Returns the truth. */
static uint64_t run_thread(unsigned groups, unsigned slices, unsigned rate, struct mpxi_window *window)
{
	unsigned order[16], i, k, swap;
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	uint64_t truth = 0;

	*window = (struct mpxi_window){.groups = groups, .turns = slices, .source = ++threads};
	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);
	for (i = 0; i < slices; i++) {
		struct mpxi_slice s = {i * SLICE, (i + 1) * SLICE, 0, rate * draw_counts(), 0};

		if (i % groups == 0)
			for (k = 0; k < groups; k++)
				order[k] = k;
		k = i % groups + (unsigned)(random_next(&random_state) % (groups - i % groups));
		swap = order[i % groups];
		order[i % groups] = order[k];
		order[k] = swap;
		truth += s.count;
		if (!order[i % groups])
			mpxi_stat_slice_sig(&stat, &s, &spacing);
	}
	mpxi_stat_read(&stat, NULL, slices * SLICE, &end);
	mpxi_window_add(window, &start, &end);
	return truth;
}

/* By a pool of its own: that comes to the same as mpxi_pool_add. */
static void add_thread(struct mpxi_pool *pool, const struct mpxi_window *window,
		       enum mpxi_estimator estimator)
{
	struct mpxi_pool one = {0};

	mpxi_pool_add(&one, window, estimator, false);
	mpxi_pool_merge(pool, &one, estimator);
}

static struct mpxi_result result_of(const struct mpxi_pool *pool, enum mpxi_estimator estimator)
{
	struct mpxi_result result;

	/* The previous contents must not show. */
	memset(&result, 0xff, sizeof(result));
	mpxi_pool_result(pool, estimator, &result);
	assert_int_equal(result.threads, 0);
	assert_int_equal(result.missed, 0);
	assert_false(result.partial);
	return result;
}

/* Threads of one kind. */
struct kind {
	unsigned threads, groups, slices, rate;
};

/* The summary of many measurements of the same program. */
struct score {
	double bias, error, width; /* of the truth, the latter two as a mean of squares, a mean */
	unsigned held, rough, repeats;
};

static struct score measure(const struct kind *kind, unsigned kinds, enum mpxi_estimator estimator,
			    unsigned repeats)
{
	struct score score = {.repeats = repeats};
	unsigned r, k, i;

	random_state = 7;
	for (r = 0; r < repeats; r++) {
		struct mpxi_pool pool = {0};
		struct mpxi_result result;
		double truth = 0, off;

		for (k = 0; k < kinds; k++)
			for (i = 0; i < kind[k].threads; i++) {
				struct mpxi_window window;

				truth += (double)run_thread(kind[k].groups, kind[k].slices, kind[k].rate,
							    &window);
				add_thread(&pool, &window, estimator);
			}
		result = result_of(&pool, estimator);
		off = (result.estimate.value - truth) / truth;
		score.bias += off / repeats;
		score.error += off * off / repeats;
		score.width += (result.estimate.high - result.estimate.low) / 2 / truth / repeats;
		score.held += truth >= result.estimate.low && truth <= result.estimate.high;
		score.rough += result.estimate.rough;
	}
	score.error = sqrt(score.error);
	return score;
}

/* Held 95 times of 100, give or take; the interval is that of the errors; no bias that three
 * of its standard errors do not explain. */
static void assert_calibrated(const struct score *score, double least, double most_width)
{
	if (score->held < least * score->repeats ||
	    fabs(score->bias) > 4 * score->error / sqrt(score->repeats) ||
	    score->width > most_width * 1.96 * score->error)
		fail_msg("held %u of %u, bias %g, error %g, half width %g", score->held, score->repeats,
			 score->bias, score->error, score->width);
}

/* Each thread makes one slice: its event was counted in all of it, or not at all. */
TEST(test_threads_of_one_slice)
{
	static const struct kind kind = {60, 4, 1, 3};
	struct score score = measure(&kind, 1, MPXI_INTERPOLATED, 1000);

	assert_calibrated(&score, .93, 1.3);
	assert_int_equal(score.rough, 0);
	assert_true(fabs(score.bias) < .02);
}

/* Whatever kinds of threads there are: fast and slow ones, with few groups and with many,
 * long and short. */
TEST(test_threads_of_all_kinds)
{
	static const struct kind groups[] = {{400, 2, 1, 1}, {400, 8, 1, 20}};
	static const struct kind lengths[] = {{40, 4, 3, 20}, {2, 4, 400, 1}};
	static const enum mpxi_estimator estimators[] = {MPXI_RATIO, MPXI_INTERPOLATED};
	struct score score;
	unsigned e;

	for (e = 0; e < 2; e++) {
		score = measure(groups, 2, estimators[e], 1000);
		assert_calibrated(&score, .9, 1.5);
		score = measure(lengths, 2, estimators[e], 1000);
		assert_calibrated(&score, .93, 1.5);
	}
}

/* Threads of so many slices an event that their errors are known together only. */
TEST(test_errors_of_threads_are_known_together)
{
	static const unsigned slices[] = {8, 12, 16, 24};
	unsigned i, e;

	for (i = 0; i < 4; i++)
		for (e = 0; e < 2; e++) {
			const struct kind kind = {100, 4, slices[i], 1};
			struct score score = measure(&kind, 1, e ? MPXI_INTERPOLATED : MPXI_RATIO, 1000);

			assert_calibrated(&score, .92, 1.15);
			assert_int_equal(score.rough, 0);
		}
}

/* Long threads of different rates, and with different parts of their time counted: each is
 * estimated by itself. */
TEST(test_long_threads_keep_their_rates)
{
	static const struct kind kind[] = {{10, 2, 40, 1}, {10, 8, 160, 20}};
	struct score score = measure(kind, 2, MPXI_RATIO, 300);

	assert_calibrated(&score, .92, 1.15);
	score = measure(kind, 2, MPXI_INTERPOLATED, 300);
	assert_calibrated(&score, .92, 1.15);
}

/* ---- a region, entered many times in one thread ----------------------------------------- */

/* On for a part of a slice, off for another; its groups have their turns only while it is on,
 * and each start is another group's turn. */
TEST(test_region_shorter_than_a_slice)
{
	const unsigned groups = 16, entries = 1600, repeats = 400;
	struct score score = {.repeats = repeats};
	unsigned r, i, k;

	random_state = 11;
	for (r = 0; r < repeats; r++) {
		struct mpxi_stat stat = {0};
		struct mpxi_pool pool = {0};
		struct mpxi_mark start, end;
		struct mpxi_result result;
		unsigned turn = 0;
		double truth = 0, off;
		uint64_t now = 0;

		mpxi_stat_open(&stat, 0);
		for (i = 0; i < entries; i++) {
			struct mpxi_slice s = {now, now + SLICE / 10, 0, draw_counts(), 0};
			struct mpxi_window window = {.groups = groups};

			if (i % groups == 0)
				turn = i + (unsigned)(random_next(&random_state) % groups);
			truth += (double)s.count;
			mpxi_stat_start(&stat, NULL, now, &start);
			now = s.end;
			if (i == turn)
				mpxi_stat_slice_sig(&stat, &s, &spacing);
			mpxi_stat_read(&stat, NULL, now, &end);
			mpxi_window_add(&window, &start, &end);
			window.turn = i;
			window.exact = i == turn;
			mpxi_pool_add(&pool, &window, MPXI_INTERPOLATED, false);
		}
		result = result_of(&pool, MPXI_INTERPOLATED);
		assert_true(result.borrowed);
		assert_false(result.estimate.exact || result.estimate.never || result.estimate.rough);
		k = entries / groups;
		assert_int_equal(result.slices, k);
		assert_near(result.estimate.coverage, 1. / groups);
		off = (result.estimate.value - truth) / truth;
		score.bias += off / repeats;
		score.error += off * off / repeats;
		score.width += (result.estimate.high - result.estimate.low) / 2 / truth / repeats;
		score.held += truth >= result.estimate.low && truth <= result.estimate.high;
	}
	score.error = sqrt(score.error);
	assert_calibrated(&score, .92, 1.3);
}

/* The main thread has a slice or two of its own beside its short threads, and counts nothing: the
 * interval knows that one of those that were not seen may be unlike the others. */
TEST(test_an_odd_one_out)
{
	const unsigned repeats = 500;
	unsigned r, i, sure = 0, held = 0;

	random_state = 17;
	for (r = 0; r < repeats; r++) {
		struct mpxi_pool pool = {0};
		struct mpxi_window window;
		struct mpxi_result result;
		double truth = 0;

		run_thread(4, 2, 0, &window);
		mpxi_pool_add(&pool, &window, MPXI_INTERPOLATED, false);
		for (i = 0; i < 60; i++) {
			truth += (double)run_thread(4, 1, 100, &window);
			mpxi_pool_add(&pool, &window, MPXI_INTERPOLATED, false);
		}
		result = result_of(&pool, MPXI_INTERPOLATED);
		if (result.estimate.rough)
			continue;
		sure++;
		held += truth >= result.estimate.low && truth <= result.estimate.high;
	}
	if (sure < repeats * .9 || held < sure * .93)
		fail_msg("held %u of %u that are not rough", held, sure);
}

/* Many short stretches, and then a few long slices at another rate: what the short ones say of the
 * long ones is little, and that is said. */
TEST(test_short_stretches_and_long_slices)
{
	const unsigned repeats = 500;
	unsigned r, i, sure = 0, held = 0;

	random_state = 13;
	for (r = 0; r < repeats; r++) {
		struct mpxi_pool pool = {0};
		struct mpxi_stat stat = {0};
		struct mpxi_mark start, end;
		struct mpxi_result result;
		double truth = 0;
		uint64_t now = 0;

		mpxi_stat_open(&stat, 0);
		for (i = 0; i < 63; i++) {
			uint64_t length = i < 60 ? SLICE / 10 : 20 * SLICE;
			struct mpxi_slice s = {now, now + length, 0, length / (i < 60 ? 10 : 12), 0};
			bool ours = random_next(&random_state) % 2;
			struct mpxi_window window = {.groups = 2, .turn = i};

			truth += (double)s.count;
			mpxi_stat_start(&stat, ours ? &(struct mpxi_slice){now, now, 0, 0, 0} : NULL, now,
					&start);
			now = s.end;
			mpxi_stat_read(&stat, ours ? &s : NULL, now, &end);
			mpxi_window_add(&window, &start, &end);
			window.exact = ours;
			if (ours)
				mpxi_stat_slice_sig(&stat, &s, &spacing);
			mpxi_pool_add(&pool, &window, MPXI_INTERPOLATED, false);
		}
		result = result_of(&pool, MPXI_INTERPOLATED);
		sure += !result.estimate.rough;
		held += !result.estimate.rough && truth >= result.estimate.low &&
			truth <= result.estimate.high;
	}
	/* Where it saw all of the long slices, or most. */
	if (sure > repeats / 6)
		fail_msg("held %u, not rough %u", held, sure);
}

static double upper_end(double value, double t, double variance)
{
	double a = t * t * variance / value;

	return value + a / 2 + sqrt(a * value + a * a / 4);
}

/* A set that starts and stops ten times in each slice: a slice is one cluster. Five clusters of
 * 100 with 10, 14, 10, 14, 12 counts, the last one open, in twice the time. */
TEST(test_clusters_by_hand)
{
	static const unsigned count[] = {10, 14, 10, 14, 12};
	struct mpxi_slice running = {0, 0, 0, 0, 0};
	struct mpxi_stat stat = {0};
	struct mpxi_pool pool = {0};
	struct mpxi_window other = {.time = 100, .unknown = 100, .groups = 2};
	struct mpxi_mark start, end;
	struct mpxi_result result;
	unsigned i, k;

	mpxi_stat_open(&stat, 0);
	for (i = 0; i < 5; i++) {
		running.begin = running.end = i * 1000ul;
		running.count = 0;
		for (k = 0; k < 10; k++) {
			struct mpxi_window window = {.groups = 2};

			running.end += 20;
			mpxi_stat_start(&stat, &running, running.end, &start);
			running.end += 10;
			running.count += count[i] / 10 + (k < count[i] % 10);
			mpxi_stat_read(&stat, &running, running.end, &end);
			mpxi_window_add(&window, &start, &end);
			window.turn = 2 * i;
			mpxi_pool_add(&pool, &window, MPXI_RATIO, false);
		}
		/* The other group's turn. */
		other.turn = 2 * i + 1;
		mpxi_pool_add(&pool, &other, MPXI_RATIO, false);
		if (i < 4)
			mpxi_stat_slice_sig(&stat, &running, &spacing);
	}
	result = result_of(&pool, MPXI_RATIO);
	assert_near(result.estimate.value, 120);
	assert_near(result.estimate.standard_error, sqrt(16 * 5 / 4. * .5 / .25));
	assert_true(fabs(result.estimate.high - upper_end(120, 2.776, 40)) < 0.1);
	assert_near(result.estimate.coverage, .5);
	assert_false(result.estimate.rough);
	assert_true(result.borrowed);
}

/* ---- what may be said -------------------------------------------------------------------- */

static struct mpxi_window exact(uint64_t count)
{
	return (struct mpxi_window){
		.sums = {.count = count, .size = 500, .slices = 7},
		.time = 500,
		.exact = true,
		.needs_no_turn = true,
	};
}

/* A thread that has run so long, and whose event never got a slice. */
static struct mpxi_window never(uint64_t time)
{
	return (struct mpxi_window){.time = time, .unknown = time, .groups = 2};
}

static struct mpxi_result sum_of(const struct mpxi_window *window, unsigned n)
{
	struct mpxi_pool pool = {0};
	unsigned i;

	for (i = 0; i < n; i++)
		add_thread(&pool, &window[i], MPXI_RATIO);
	return result_of(&pool, MPXI_RATIO);
}

TEST(test_of_nothing_nothing_is_known)
{
	struct mpxi_result result = sum_of(NULL, 0);

	assert_true(result.estimate.never && result.estimate.rough);
	assert_false(result.estimate.exact || result.lost || result.borrowed);
	assert_near(result.estimate.value, 0);
	assert_near(result.estimate.coverage, 0);
	assert_int_equal(result.time, 0);
}

TEST(test_exact_stretches_make_an_exact_sum)
{
	const struct mpxi_window part[] = {exact(1000), never(0), exact(0), exact(234)};
	struct mpxi_result result = sum_of(part, 4);

	assert_true(result.estimate.exact);
	assert_false(result.estimate.never || result.estimate.rough || result.borrowed);
	assert_near(result.estimate.value, 1234);
	assert_near(result.estimate.low, 1234);
	assert_near(result.estimate.high, 1234);
	assert_near(result.estimate.standard_error, 0);
	assert_near(result.estimate.coverage, 1);
	assert_int_equal(result.count, 1234);
	assert_int_equal(result.size, 1500);
	assert_int_equal(result.time, 1500);
	assert_int_equal(result.slices, 21);
}

/* One stretch is what it is alone, beside an exact one as well. */
TEST(test_one_stretch_is_its_own_estimate)
{
	static const enum mpxi_estimator estimators[] = {MPXI_RATIO, MPXI_INTERPOLATED, MPXI_COVARIATE};
	unsigned slices, e;

	random_state = 3;
	for (slices = 4; slices < 100; slices += 7)
		for (e = 0; e < 3; e++) {
			struct mpxi_window part[2] = {{.time = 0}, exact(5000)};
			struct mpxi_estimate wanted;
			struct mpxi_result result;
			struct mpxi_pool pool = {0};

			run_thread(4, slices, 1, &part[0]);
			mpxi_estimate(&part[0], estimators[e], &wanted);
			add_thread(&pool, &part[0], estimators[e]);
			result = result_of(&pool, estimators[e]);
			assert_memory_equal(&result.estimate, &wanted, sizeof(wanted));
			add_thread(&pool, &part[1], estimators[e]);
			result = result_of(&pool, estimators[e]);
			assert_near(result.estimate.value, wanted.value + 5000);
			assert_near(result.estimate.standard_error, wanted.standard_error);
			assert_near(result.estimate.low, wanted.low + 5000);
			assert_near(result.estimate.high, wanted.high + 5000);
			assert_int_equal(result.estimate.rough, wanted.rough);
			assert_false(result.estimate.exact || result.borrowed);
		}
}

/* A tenth of the estimate may be of such that had no turn, beside what needs none and what took turns. */
TEST(test_little_is_borrowed_without_a_word)
{
	struct mpxi_window part[2] = {exact(1000), never(55)};
	struct mpxi_result result;

	assert_near(sum_of(part, 2).estimate.value, 1000 + 110);
	assert_false(sum_of(part, 2).borrowed);
	part[1] = never(56);
	assert_true(sum_of(part, 2).borrowed);
	run_thread(4, 80, 1, &part[0]);
	part[1] = never(part[0].time / 9 - 1);
	result = sum_of(part, 2);
	assert_true(result.estimate.value > 0 && !result.borrowed);
	part[1] = never(part[0].time / 9 + 2);
	assert_true(sum_of(part, 2).borrowed);
	/* Events that are rare are not the surer for it. */
	part[0] = exact(0);
	assert_true(sum_of(part, 2).borrowed);
}

/* The rate of another thread stands for it, and nothing says how well. */
TEST(test_a_thread_without_a_turn_borrows)
{
	const struct mpxi_window part[] = {exact(50), never(300)};
	struct mpxi_result result = sum_of(part, 2);

	assert_false(result.estimate.never || result.estimate.exact);
	assert_true(result.estimate.rough && result.borrowed);
	assert_near(result.estimate.value, 50 + 30);
	assert_true(result.estimate.low >= 50 && result.estimate.high > 100);
	assert_int_equal(result.time, 800);
	assert_near(result.estimate.coverage, 500. / 800);
}

TEST(test_only_threads_that_were_never_counted)
{
	const struct mpxi_window part[] = {never(300), never(0), never(20)};
	struct mpxi_result result = sum_of(part, 3);

	assert_true(result.estimate.never && result.estimate.rough);
	assert_false(result.estimate.exact || result.borrowed);
	assert_int_equal(result.time, 320);
	assert_near(result.estimate.coverage, 0);
}

TEST(test_lost_stays)
{
	struct mpxi_window part = exact(4), none = never(0);
	struct mpxi_pool pool = {0}, sum = {0};

	mpxi_pool_add(&pool, &part, MPXI_RATIO, false);
	assert_false(result_of(&pool, MPXI_RATIO).lost);
	mpxi_pool_add(&pool, &none, MPXI_RATIO, true);
	assert_true(result_of(&pool, MPXI_RATIO).lost);
	mpxi_pool_merge(&sum, &pool, MPXI_RATIO);
	assert_true(result_of(&sum, MPXI_RATIO).lost);
}

TEST(test_counts_saturate)
{
	struct mpxi_window part[] = {exact(UINT64_MAX - 4), exact(5), exact(7)};
	struct mpxi_result result = sum_of(part, 1);

	assert_true(result.count == UINT64_MAX - 4);
	part[0].sums.size = part[0].time = part[0].sums.slices = UINT64_MAX;
	result = sum_of(part, 3);
	assert_true(result.count == UINT64_MAX && result.size == UINT64_MAX);
	assert_true(result.time == UINT64_MAX && result.slices == UINT64_MAX);
	assert_true(result.estimate.exact);
}

/* However stretches are put together: one by one, by threads, threads in another order. */
TEST(test_sums_do_not_depend_on_the_way)
{
	struct mpxi_window window[40];
	struct mpxi_pool forth = {0}, back = {0}, half[2] = {{.count = 0}}, both = {0};
	struct mpxi_result a, b, c;
	unsigned i;

	random_state = 5;
	for (i = 0; i < 40; i++)
		run_thread(4, i % 3 ? 1 + i % 5 : 40, 1 + i % 7, &window[i]);
	for (i = 0; i < 40; i++) {
		add_thread(&forth, &window[i], MPXI_INTERPOLATED);
		add_thread(&back, &window[39 - i], MPXI_INTERPOLATED);
		add_thread(&half[i < 20], &window[i], MPXI_INTERPOLATED);
	}
	mpxi_pool_merge(&both, &half[0], MPXI_INTERPOLATED);
	mpxi_pool_merge(&both, &half[1], MPXI_INTERPOLATED);
	a = result_of(&forth, MPXI_INTERPOLATED);
	b = result_of(&back, MPXI_INTERPOLATED);
	c = result_of(&both, MPXI_INTERPOLATED);
	assert_near(b.estimate.value, a.estimate.value);
	assert_near(b.estimate.low, a.estimate.low);
	assert_near(b.estimate.high, a.estimate.high);
	assert_near(c.estimate.value, a.estimate.value);
	assert_near(c.estimate.low, a.estimate.low);
	assert_near(c.estimate.high, a.estimate.high);
	assert_int_equal(c.slices, a.slices);
}

/* Two pools of one thread do not look like different threads. */
TEST(test_one_thread_in_two_pools)
{
	struct mpxi_pool one[2] = {{.count = 0}}, other[2] = {{.count = 0}}, whole[2] = {{.count = 0}};
	struct mpxi_result of_one, of_other;
	struct mpxi_window window;
	unsigned i;

	random_state = 9;
	for (i = 0; i < 40; i++) {
		run_thread(4, 3, 1, &window);
		window.source = 1;
		add_thread(&one[i % 2], &window, MPXI_INTERPOLATED);
		window.source = 1 + i % 2;
		add_thread(&other[i % 2], &window, MPXI_INTERPOLATED);
	}
	for (i = 0; i < 2; i++) {
		mpxi_pool_merge(&whole[0], &one[i], MPXI_INTERPOLATED);
		mpxi_pool_merge(&whole[1], &other[i], MPXI_INTERPOLATED);
	}
	assert_true(whole[0].pieces.sources == 1 && whole[1].pieces.sources == 2);
	of_one = result_of(&whole[0], MPXI_INTERPOLATED);
	of_other = result_of(&whole[1], MPXI_INTERPOLATED);
	assert_near(of_one.estimate.value, of_other.estimate.value);
	assert_true(of_one.estimate.standard_error < of_other.estimate.standard_error);
}

TEST(test_a_window_is_a_result)
{
	const struct mpxi_window window = {
		.sums = {.count = 30, .size = 250, .slices = 4},
		.time = 1000,
	};
	struct mpxi_estimate wanted;
	struct mpxi_result result;

	mpxi_estimate(&window, MPXI_RATIO, &wanted);
	memset(&result, 0xff, sizeof(result));
	mpxi_result_of_window(&window, MPXI_RATIO, true, &result);
	assert_int_equal(result.count, 30);
	assert_int_equal(result.size, 250);
	assert_int_equal(result.time, 1000);
	assert_int_equal(result.slices, 4);
	assert_int_equal(result.threads, 1);
	assert_int_equal(result.missed, 0);
	assert_true(result.lost);
	assert_false(result.partial || result.borrowed);
	assert_near(result.estimate.value, 120);
	assert_near(result.estimate.standard_error, wanted.standard_error);
	assert_near(result.estimate.coverage, .25);
	mpxi_result_of_window(&window, MPXI_RATIO, false, &result);
	assert_false(result.lost);
}

UNIT_TESTS(mpx_pool, NULL, NULL)
