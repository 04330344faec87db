/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Periodic signals in closed form: cycle by cycle where that can be done, and by
 * what must hold anyway where numbers are near 2^64.
 */
#include "../unit_test.h"
#include "engine/wave.h"

/* The definition, in as many bits as it takes. */
static bool sample(const struct upci_wave *w, uint64_t k)
{
	return ((unsigned __int128)k + w->phase) % w->period < w->high;
}

static bool counted(enum upc_mode mode, bool sampled, bool p, bool s)
{
	switch (mode) {
	case UPC_MODE_HIGH:
		return s;
	case UPC_MODE_RISE:
		return sampled && s && !p;
	case UPC_MODE_FALL:
		return sampled && p && !s;
	case UPC_MODE_LOW:
		return !s;
	}
	return false;
}

static struct upci_counting counting_of(const struct upci_wave *w, unsigned variant)
{
	return upci_wave_counting(w, variant % 4, variant & 4, variant & 8);
}

/* All modes and samples before the run, cycle by cycle. */
static void check_steps(const struct upci_wave *w, uint64_t cycles)
{
	unsigned variant;

	for (variant = 0; variant < 16; variant++) {
		struct upci_counting c = counting_of(w, variant);
		bool sampled = variant & 4, p = variant & 8;
		uint64_t k, counts = 0;

		assert_int_equal(upci_wave_counts(&c, 0), 0);
		for (k = 0; k < cycles; k++) {
			bool s = sample(w, k);

			assert_int_equal(upci_wave_at(w, k), s);
			if (counted(variant % 4, sampled, p, s)) {
				counts++;
				assert_int_equal(upci_wave_count_cycle(&c, counts), k);
			}
			assert_int_equal(upci_wave_counts(&c, k + 1), counts);
			sampled = true;
			p = s;
		}
	}
}

TEST(test_small)
{
	struct upci_wave w;

	for (w.period = 1; w.period <= 9; w.period++)
		for (w.high = 0; w.high <= w.period; w.high++)
			for (w.phase = 0; w.phase < w.period; w.phase++)
				check_steps(&w, 40);
}

/* The ends of 32 and of 64 bits. */
static const uint64_t edges[] = {UINT32_MAX, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static uint64_t near(uint64_t *seed, uint64_t low, uint64_t high)
{
	uint64_t r = random_next(seed), span = high - low;

	switch (r % 4) {
	case 0:
		return low + (r >> 8) % ((span < 20 ? span : 20) + 1);
	case 1:
		return high - (r >> 8) % ((span < 20 ? span : 20) + 1);
	default:
		return span == UINT64_MAX ? random_next(seed) : low + random_next(seed) % (span + 1);
	}
}

static struct upci_wave random_wave(uint64_t *seed)
{
	struct upci_wave w;
	uint64_t r = random_next(seed);

	if (r % 2)
		w.period = near(seed, 1, edges[r / 2 % EDGES]);
	else
		w.period = 1 + (random_next(seed) >> r / 2 % 64);
	if (w.period == 0)
		w.period = UINT64_MAX;
	w.high = near(seed, 0, w.period);
	w.phase = near(seed, 0, w.period - 1);
	return w;
}

TEST(test_large_steps)
{
	uint64_t seed = 1;
	unsigned n;

	for (n = 0; n < 2000; n++) {
		struct upci_wave w = random_wave(&seed);

		check_steps(&w, 30);
	}
}

/* The highs at positions 0..x-1. */
static unsigned __int128 highs_before(const struct upci_wave *w, unsigned __int128 x)
{
	unsigned __int128 rest = x % w->period;

	return x / w->period * w->high + (rest < w->high ? rest : w->high);
}

TEST(test_highs_wide)
{
	uint64_t seed = 2;
	unsigned n;

	for (n = 0; n < 200000; n++) {
		struct upci_wave w = random_wave(&seed);
		uint64_t m = near(&seed, 0, edges[n % EDGES]);
		unsigned __int128 wide =
			highs_before(&w, (unsigned __int128)w.phase + m) - highs_before(&w, w.phase);

		assert_true(wide <= m);
		assert_int_equal(upci_wave_highs(&w, m), (uint64_t)wide);
	}
}

/* Around any cycle, however far: what a step adds, and the way back. */
TEST(test_far)
{
	uint64_t seed = 3;
	unsigned n;

	for (n = 0; n < 200000; n++) {
		struct upci_wave w = random_wave(&seed);
		struct upci_counting c = counting_of(&w, n);
		uint64_t k = near(&seed, 1, UINT64_MAX - 1), counts = upci_wave_counts(&c, k), cycle;
		bool count = counted(n % 4, true, sample(&w, k - 1), sample(&w, k));

		assert_int_equal(upci_wave_at(&w, k), sample(&w, k));
		assert_int_equal(upci_wave_counts(&c, k + 1), counts + count);
		if (count)
			assert_int_equal(upci_wave_count_cycle(&c, counts + 1), k);
		if (counts) {
			cycle = upci_wave_count_cycle(&c, counts);
			assert_true(cycle < k);
			assert_int_equal(upci_wave_counts(&c, cycle), counts - 1);
			assert_int_equal(upci_wave_counts(&c, cycle + 1), counts);
		}
	}
}

UNIT_TESTS(wave, NULL, NULL)
