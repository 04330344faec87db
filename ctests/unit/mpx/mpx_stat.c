/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over slices: by hand, against the same in floating point, at the ends of their
 * ranges, and that windows add up.
 */
#include <math.h>

#include "../unit_test.h"
#include "stat/stat.h"

typedef unsigned __int128 u128;

#define ONE_COUNT ((mpxi_i128)1 << MPXI_GAP_BITS)

static const u128 top = ~(u128)0;

/* The spacing is shared by all slices, so that an error which only later slices reveal is seen. */
static struct mpxi_spacing spacing;

static void slice(struct mpxi_stat *stat, uint64_t begin, uint64_t end, uint64_t count)
{
	struct mpxi_slice s = {begin, end, 0, count, 0};

	mpxi_stat_slice_sig(stat, &s, &spacing);
}

/* Three slices of 10 at 10, 40 and 80 of 100, with 20, 40 and 10 counts. */
TEST(test_by_hand)
{
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	struct mpxi_window window = {0};
	const struct mpxi_sums *s = &window.sums;

	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);
	slice(&stat, 10, 20, 20);
	slice(&stat, 40, 50, 40);
	slice(&stat, 80, 90, 10);
	mpxi_stat_read(&stat, NULL, 100, &end);
	mpxi_window_add(&window, &start, &end);

	assert_int_equal(window.time, 100);
	assert_int_equal(window.unknown, 0);
	assert_int_equal(s->slices, 3);
	assert_int_equal(s->pairs, 2);
	assert_int_equal(s->triples, 1);
	assert_int_equal(s->count, 70);
	assert_int_equal(s->size, 30);
	/* 10 at 2, 20 at 3, 30 at 2.5, 10 at 1 */
	assert_true(s->gap == (20 + 60 + 75 + 10) * ONE_COUNT);
	/* weights: 1 + 1, 1 + 1.5, 1.5 + 1: 10 (4 + 6.25 + 6.25) */
	assert_in_range(s->weight, 163, 165);
	/* u = 10 and -15; (2 g u)^2 / (s1 s2), and 4 g^2 / (s1 + s2) */
	assert_true(s->steps == (u128)(400 * 400 + 900 * 900) / 100 << 2 * MPXI_DIFFERENCE_BITS);
	assert_int_equal(s->apart, 80 + 180);
	assert_true(s->lag == (mpxi_i128)600 << 2 * MPXI_DIFFERENCE_BITS);
	assert_int_equal(s->lag_apart, 10);
	/* 8 g^2 / s at both ends */
	assert_int_equal(s->held, 80 + 80);
	assert_true(s->cc == 50 * 50 && !s->cs && !s->ss);
}

/* A slice of half the length: (4 - 3 e) / e with e = 8 / 9. */
TEST(test_unequal_slices)
{
	struct mpxi_stat stat = {0};

	mpxi_stat_open(&stat, 1000);
	slice(&stat, 1000, 3000, 0);
	slice(&stat, 6000, 7000, 1000);
	/* The common rate is 1000 / 3000. */
	assert_true(stat.sums.gap == 1000 * ONE_COUNT);
	assert_in_range(stat.sums.apart, 12000 * 1.49, 12000 * 1.51);
	/* The second differences see sizes, too. */
	slice(&stat, 7000, 9000, 500);
	assert_true(stat.sums.cc == 1500 * 1500);
	assert_true(stat.sums.cs == -1500 * 2000);
	assert_true(stat.sums.ss == 2000 * 2000);
}

TEST(test_running_slice)
{
	struct mpxi_slice running = {30, 34, 0, 8, 0};
	struct mpxi_stat stat = {0}, before;
	struct mpxi_mark mark, start;
	struct mpxi_window window = {0};

	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &start);

	/* The first one fills in what is before it, although it has not ended. */
	mpxi_stat_read(&stat, &running, 34, &mark);
	assert_int_equal(mark.unfilled, 30);
	mpxi_window_add(&window, &start, &mark);
	assert_int_equal(window.sums.count, 8);
	assert_int_equal(window.sums.slices, 0);
	assert_true(window.sums.gap == 60 * ONE_COUNT);

	slice(&stat, 10, 20, 10);
	memcpy(&before, &stat, sizeof(stat));
	mpxi_stat_read(&stat, &running, 34, &mark);
	/* 10 at 1; 10 at 18 / 14 */
	assert_true(mark.sums.gap >= 10 * ONE_COUNT + 10 * 18 * ONE_COUNT / 14 - 1);
	assert_true(mark.sums.gap <= 10 * ONE_COUNT + 10 * 18 * ONE_COUNT / 14 + 1);
	assert_int_equal(mark.sums.count, 18);
	assert_int_equal(mark.sums.size, 14);
	/* Begun, and no time yet: the gap is held. */
	running.end = 30;
	running.count = 0;
	mpxi_stat_start(&stat, &running, 30, &mark);
	assert_true(mark.sums.gap == 20 * ONE_COUNT);
	assert_int_equal(mark.sums.weight, stat.sums.weight);
	assert_memory_equal(&before, &stat, sizeof(stat));
}

/* A set that starts after the event was opened has its own part of the time before
 * the first slice; a set that ends before it knows nothing. */
TEST(test_before_first_slice)
{
	struct mpxi_stat stat = {0};
	struct mpxi_mark early, late, end;
	struct mpxi_window a = {0}, b = {0}, c = {0};

	mpxi_stat_open(&stat, 0);
	mpxi_stat_start(&stat, NULL, 0, &early);
	mpxi_stat_start(&stat, NULL, 60, &late);
	mpxi_stat_read(&stat, NULL, 70, &end);
	mpxi_window_add(&c, &late, &end);
	assert_int_equal(c.unknown, 10);
	assert_true(c.sums.gap == 0);

	slice(&stat, 100, 110, 30);
	mpxi_stat_read(&stat, NULL, 110, &end);
	mpxi_window_add(&a, &early, &end);
	mpxi_window_add(&b, &late, &end);
	assert_true(a.sums.gap == 300 * ONE_COUNT);
	assert_true(b.sums.gap == 120 * ONE_COUNT);
	assert_int_equal(a.unknown + b.unknown, 0);
}

/* Opened again: its history is kept, its rates are not. */
TEST(test_reopen)
{
	struct mpxi_stat stat = {0};

	mpxi_stat_open(&stat, 0);
	slice(&stat, 0, 10, 1000);
	slice(&stat, 10, 20, 1000);
	mpxi_stat_open(&stat, 1000);
	assert_true(stat.sums.gap == 0);
	slice(&stat, 1010, 1020, 1);
	assert_true(stat.sums.gap == ONE_COUNT);
	assert_int_equal(stat.sums.count, 2001);
	assert_int_equal(stat.sums.pairs, 1);
	/* No time: its counts stay, and nothing is divided by it. */
	slice(&stat, 1030, 1030, 5);
	assert_int_equal(stat.sums.count, 2006);
	assert_int_equal(stat.sums.slices, 3);
}

TEST(test_rare_events)
{
	struct mpxi_stat stat = {0};
	unsigned i;

	mpxi_stat_open(&stat, 0);
	/* One count in 1000 slices of a million cycles, gaps of seven cycles. */
	for (i = 0; i < 100000; i++)
		slice(&stat, i * 1000007ul, i * 1000007ul + 1000000, i % 1000 == 0);
	/* 0.7 counts in all gaps; each loses less than 2^-32. */
	assert_true(fabs(ldexp((double)stat.sums.gap, -MPXI_GAP_BITS) - 0.0007) < 0.00003);
}

/* A sum that overflows stays at its limit, and windows report it. */
TEST(test_saturation)
{
	static const uint64_t most = ((uint64_t)1 << 63) - 1;
	struct mpxi_stat stat = {0};
	struct mpxi_mark start, end;
	struct mpxi_window window = {0};
	unsigned i;

	mpxi_stat_open(&stat, 0);
	for (i = 0; i < 64; i++)
		slice(&stat, 3 + i * 4ul, 4 + i * 4ul, i % 2 ? most : 0);
	mpxi_stat_start(&stat, NULL, 300, &start);
	for (; i < 128; i++)
		slice(&stat, 3 + i * 4ul, 4 + i * 4ul, i % 2 ? UINT64_MAX : 0);
	mpxi_stat_read(&stat, NULL, 516, &end);
	mpxi_window_add(&window, &start, &end);
	assert_true(stat.sums.count == UINT64_MAX && window.sums.count == UINT64_MAX);
	assert_true(stat.sums.cc == (mpxi_i128)(top >> 1) && window.sums.cc == (mpxi_i128)(top >> 1));
	assert_true(stat.sums.lag == (mpxi_i128)(top >> 1));
	assert_true(stat.sums.steps == top && window.sums.steps == top);

	/* The longest times there are. */
	memset(&stat, 0, sizeof(stat));
	mpxi_stat_open(&stat, 0);
	slice(&stat, most - 3, most - 2, most);
	assert_true(stat.sums.gap == (mpxi_i128)(top >> 1));
	assert_int_equal(stat.sums.held, UINT64_MAX);
	slice(&stat, most - 2, most, most);
	assert_true(stat.sums.gap == (mpxi_i128)(top >> 1));
	assert_int_equal(stat.sums.slices, 2);
}

/* The same sums in floating point. */
struct oracle {
	long double gap, steps, apart, lag, lag_apart, weight, cc, cs, ss;
};

static void sum_oracle(struct oracle *o, const struct mpxi_slice *slice, unsigned n)
{
	long double c[3] = {0}, s[3] = {0}, u = 0, before, w[200] = {0};
	unsigned i;

	memset(o, 0, sizeof(*o));
	for (i = 0; i < n; i++) {
		long double g = slice[i].begin - (i ? slice[i - 1].end : 0), e;

		memmove(c, c + 1, 2 * sizeof(*c));
		memmove(s, s + 1, 2 * sizeof(*s));
		c[2] = slice[i].count;
		s[2] = slice[i].end - slice[i].begin;
		if (!i) {
			o->gap += g * c[2] / s[2];
			w[0] = g / s[2];
			continue;
		}
		o->gap += g * (c[1] + c[2]) / (s[1] + s[2]);
		w[i - 1] += g / (s[1] + s[2]);
		w[i] = g / (s[1] + s[2]);
		before = u;
		u = (c[2] * s[1] - c[1] * s[2]) / (s[1] + s[2]);
		e = 4 * s[1] * s[2] / (s[1] + s[2]) / (s[1] + s[2]);
		e = fminl((4 - 3 * e) / e, 8);
		o->steps += e * 4 * g * g * u * u / s[1] / s[2];
		o->apart += e * 4 * g * g / (s[1] + s[2]);
		if (i == 1)
			continue;
		o->lag += -4 * before * u;
		o->lag_apart += 4 * s[0] * s[1] / (s[0] + s[1]) * s[2] / (s[1] + s[2]);
		o->cc += (c[0] - 2 * c[1] + c[2]) * (c[0] - 2 * c[1] + c[2]);
		o->cs += (c[0] - 2 * c[1] + c[2]) * (s[0] - 2 * s[1] + s[2]);
		o->ss += (s[0] - 2 * s[1] + s[2]) * (s[0] - 2 * s[1] + s[2]);
	}
	for (i = 0; i < n; i++)
		o->weight += w[i] * w[i] * (slice[i].end - slice[i].begin);
}

static void check_near(long double value, long double wanted, long double part, long double slack)
{
	if (fabsl(value - wanted) > part * fabsl(wanted) + slack)
		fail_msg("%Lg, not %Lg", value, wanted);
}

TEST(test_oracle)
{
	uint64_t seed;

	if (getenv("UPC_TEST_INEXACT"))
		skip_because("the oracle needs long doubles of 64 bits, which valgrind has not");
	for (seed = 1; seed <= 300; seed++) {
		const long double square = ldexpl(1, -2 * MPXI_DIFFERENCE_BITS);
		uint64_t random = seed, now = 0;
		struct mpxi_slice slices[200];
		struct mpxi_stat stat = {0};
		const struct mpxi_sums *s = &stat.sums;
		unsigned i, n = 3 + random_next(&random) % 198, bits = random_next(&random) % 40;
		struct oracle o;
		long double total = 0;

		mpxi_stat_open(&stat, 0);
		for (i = 0; i < n; i++) {
			struct mpxi_slice *p = &slices[i];

			p->begin = now + random_next(&random) % 4 * (random_next(&random) % 1000000);
			p->end = now = p->begin + 20000 + random_next(&random) % 1000000;
			p->count = random_next(&random) % (UINT64_C(1) << bits);
			mpxi_stat_slice_sig(&stat, p, &spacing);
			total += p->count;
		}
		sum_oracle(&o, slices, n);
		check_near((long double)s->count, total, 0, 0);
		/* Rounding: below a thousandth of a count for each difference, in a gap of at
		 * most 150 of them, beside the counts of a slice. */
		total = ldexpl(1, (int)bits);
		check_near(ldexpl((long double)s->gap, -MPXI_GAP_BITS), o.gap, 1e-12L, n * 1e-9L);
		check_near((long double)s->steps * square, o.steps, 0.02L, n * 1e4L * (total + 1) / 1000);
		check_near((long double)s->lag * square, o.lag, 1e-6L, n * 0.02L * (total + 1));
		check_near(s->apart, o.apart, 0.02L, n * 40);
		check_near(s->lag_apart, o.lag_apart, 1e-6L, n * 40);
		check_near(s->weight, o.weight, 1e-3L, n * 100);
		check_near((long double)s->cc, o.cc, bits > 28 ? 1e-15L : 0, 0);
		check_near((long double)s->cs, o.cs, 1e-9L, 1);
		check_near((long double)s->ss, o.ss, 1e-15L, 0);
	}
}

/* N(A..C) = N(A..B) + N(B..C) wherever B lies, and the marks between change nothing. */
TEST(test_windows_add_up)
{
	uint64_t seed;

	for (seed = 1; seed <= 300; seed++) {
		uint64_t random = seed, now = 100;
		struct mpxi_stat stat = {0};
		struct mpxi_mark whole, part, mark;
		struct mpxi_window all = {0}, parts = {0};
		unsigned i;

		mpxi_stat_open(&stat, 0);
		slice(&stat, 50, 100, 7);
		mpxi_stat_start(&stat, NULL, now, &whole);
		part = whole;
		for (i = 0; i < 100; i++) {
			struct mpxi_slice p = {.begin = now + random_next(&random) % 50};
			unsigned cuts = random_next(&random) % 4;

			p.end = p.begin;
			for (; cuts; cuts--) {
				uint64_t at = p.end + random_next(&random) % 20;

				if (random_next(&random) % 2 && p.end == p.begin && p.begin > now) {
					/* before the slice */
					at = now + random_next(&random) % (p.begin - now);
					if (at < part.now)
						continue;
					mpxi_stat_read(&stat, NULL, at, &mark);
					mpxi_window_add(&parts, &part, &mark);
					mpxi_stat_start(&stat, NULL, at, &part);
					continue;
				}
				p.count += random_next(&random) % 1000;
				p.end = at;
				mpxi_stat_read(&stat, &p, at, &mark);
				mpxi_window_add(&parts, &part, &mark);
				mpxi_stat_start(&stat, &p, at, &part);
			}
			p.end += 1 + random_next(&random) % 10;
			mpxi_stat_slice_sig(&stat, &p, &spacing);
			now = p.end;
		}
		mpxi_stat_read(&stat, NULL, now + 9, &mark);
		mpxi_window_add(&parts, &part, &mark);
		mpxi_window_add(&all, &whole, &mark);
		assert_true(all.sums.count == parts.sums.count && all.sums.size == parts.sums.size);
		assert_true(all.sums.gap == parts.sums.gap);
		assert_true(all.sums.slices == parts.sums.slices && all.sums.cc == parts.sums.cc);
		assert_true(all.time == parts.time);
	}
}

/* Events that had slices together but for the first few, and each by itself. */
TEST(test_spacing)
{
	uint64_t seed;

	for (seed = 1; seed <= 300; seed++) {
		uint64_t random = seed, now = 0;
		struct mpxi_stat together[4] = {0}, alone[4] = {0};
		unsigned i, k;

		for (i = 0; i < 50; i++) {
			struct mpxi_slice p = {.begin = now + random_next(&random) % 3 * 100};
			struct mpxi_spacing common = {0}, none;

			p.end = now = p.begin + random_next(&random) % 3 * 50;
			for (k = 0; k < 4 && k <= i; k++) {
				p.count = random_next(&random) % 1000;
				memset(&none, 0, sizeof(none));
				mpxi_stat_slice_sig(&together[k], &p, &common);
				mpxi_stat_slice_sig(&alone[k], &p, &none);
			}
		}
		assert_memory_equal(together, alone, sizeof(alone));
	}
}

/* Lengths differ from a fiftieth of the squares on; and a long one is not the next typical one. */
TEST(test_lengths)
{
	struct mpxi_lengths lengths = {.slices = 3, .squares = 5000, .steps = 199};

	assert_false(mpxi_lengths_differ(&lengths));
	lengths.steps = 200;
	assert_true(mpxi_lengths_differ(&lengths));
	lengths.slices = 2;
	assert_false(mpxi_lengths_differ(&lengths));
	lengths = (struct mpxi_lengths){.slices = 0};
	mpxi_lengths_add_sig(&lengths, 1600);
	assert_int_equal(lengths.typical, 1600);
	mpxi_lengths_add_sig(&lengths, 160000);
	assert_int_equal(lengths.typical, 1600 - 100 + MPXI_LONG * 100);
	assert_int_equal(lengths.excess, 160000 - MPXI_LONG * 1600);
}

UNIT_TESTS(mpx_stat, NULL, NULL)
