/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which nodes stand apart: of noises of many kinds nobody, of made faults the right ones.
 */
#include "../unit_test.h"
#include "jobstat/divergent.h"

enum noise { STEADY, NORMAL, WIDE, LOGNORMAL, SKEW, EXPONENTIAL, UNIFORM, HALVES, THIRDS, NOISES };

static double draw(enum noise noise, uint64_t *seed)
{
	switch (noise) {
	case STEADY:
		return 1;
	case NORMAL:
		return fmax(1 + 0.05 * random_normal(seed), 0.01);
	case WIDE:
		return fmax(1 + 0.2 * random_normal(seed), 0.01);
	case LOGNORMAL:
		return exp(0.3 * random_normal(seed));
	case SKEW:
		return exp(random_normal(seed));
	case EXPONENTIAL:
		return -log(random_uniform(seed));
	case UNIFORM:
		return 1 + 0.3 * (2 * random_uniform(seed) - 1);
	case HALVES:
		return (random_uniform(seed) < 0.5 ? 1 : 2) * (1 + 0.01 * random_normal(seed));
	default:
		return (random_uniform(seed) < 1.0 / 3 ? 3 : 1) * (1 + 0.01 * random_normal(seed));
	}
}

static unsigned named(double *x, unsigned n, signed char *side)
{
	struct divergent_limits limits;
	double copy[256];
	unsigned count = 0;

	memcpy(copy, x, n * sizeof(*x));
	divergent_sort(copy, n);
	limits = divergent_limits(copy, n, true, 0);
	for (unsigned i = 0; i < n; i++) {
		side[i] = (signed char)divergent_side(&limits, x[i]);
		count += side[i] != 0;
	}
	return count <= divergent_most(n) ? count : 0;
}

/* In 1000 jobs of each kind one is wrong at most; of the common kinds none. */
TEST(test_good)
{
	static const unsigned sizes[] = {5, 8, 16, 20, 64, 128};
	signed char side[256];
	double x[256];

	for (enum noise noise = 0; noise < NOISES; noise++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			unsigned wrong = 0, n = sizes[s];
			uint64_t seed = 1000 * noise + n;

			/* With few nodes one that is alone in its group cannot be told from a bad one. */
			if (noise >= HALVES && n < 64)
				continue;
			for (unsigned trial = 0; trial < 1000; trial++) {
				for (unsigned i = 0; i < n; i++)
					x[i] = draw(noise, &seed);
				wrong += named(x, n, side) > 0;
			}
			if (wrong > (noise == STEADY || noise == NORMAL || noise == UNIFORM ? 0 : 1))
				fail_msg("noise %d, %u nodes: %u of 1000", noise, n, wrong);
		}
}

/* Two nodes of 64, at 60 %, beside 3 % of noise. */
TEST(test_bad)
{
	signed char side[256];
	double x[64];
	uint64_t seed = 3;

	for (unsigned trial = 0; trial < 200; trial++) {
		const unsigned a = trial % 64, b = (trial + 13) % 64;

		for (unsigned i = 0; i < 64; i++)
			x[i] = 1 + 0.02 * random_normal(&seed);
		x[a] *= 0.6;
		x[b] *= 2;
		assert_int_equal(named(x, 64, side), 2);
		assert_int_equal(side[a], -1);
		assert_int_equal(side[b], 1);
	}
}

/* Less than a tenth is not worth a word, and nodes that do nothing are. */
TEST(test_effect)
{
	signed char side[256];
	double x[20];

	for (unsigned i = 0; i < 20; i++)
		x[i] = 1;
	x[7] = 0.92;
	assert_int_equal(named(x, 20, side), 0);
	x[7] = 0.88;
	assert_int_equal(named(x, 20, side), 1);
	x[7] = 0;
	assert_int_equal(named(x, 20, side), 1);
	assert_int_equal(side[7], -1);
	for (unsigned i = 0; i < 20; i++)
		x[i] = i == 3;
	assert_int_equal(named(x, 20, side), 0);
	x[3] = NAN;
	assert_int_equal(named(x, 4, side), 0);
}

/* A tenth of the nodes is named, a third is another group. */
TEST(test_groups)
{
	signed char side[256];
	double x[60];

	for (unsigned i = 0; i < 60; i++)
		x[i] = i < 6 ? 0.5 : 1 + 0.001 * i;
	assert_int_equal(named(x, 60, side), 6);
	for (unsigned i = 0; i < 20; i++)
		x[i] = 0.5;
	assert_int_equal(named(x, 60, side), 0);
}

/* Moving all by a factor changes nothing, and the order of the nodes neither. */
TEST(test_invariant)
{
	signed char side[256], other[256];
	double x[32], y[32];
	uint64_t seed = 9;

	for (unsigned trial = 0; trial < 500; trial++) {
		for (unsigned i = 0; i < 32; i++)
			x[i] = draw(SKEW, &seed);
		x[5] *= trial % 3 ? 1 : 1e-2;
		for (unsigned i = 0; i < 32; i++)
			y[31 - i] = x[i] * 1048576;
		assert_int_equal(named(x, 32, side), named(y, 32, other));
		for (unsigned i = 0; i < 32; i++)
			assert_int_equal(side[i], other[31 - i]);
	}
}

TEST(test_run)
{
	const signed char side[] = {0, -1, -1, 1, 1, 1, 0, -1, -1};
	unsigned first, length;

	assert_int_equal(divergent_run(side, 9, &first, &length), 1);
	assert_int_equal(first, 3);
	assert_int_equal(length, 3);
	assert_int_equal(divergent_run(side, 1, &first, &length), 0);
	assert_int_equal(length, 0);
}

UNIT_TESTS(divergent, NULL, NULL)
