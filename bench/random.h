/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h - pseudo-random numbers, the same in each run.
 */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Return a random number from 0 to below - 1. Uses the upper bits of Knuth's MMIX generator, since the lower
 * ones are less random. */
static inline uint64_t bench_pick(uint64_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 16) % below;
}

/* Return 64 random bits (Steele's splitmix64). */
static inline uint64_t bench_next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* The functions below use this seed. */
static uint64_t bench_seed;

static inline uint64_t bench_bits(void)
{
	return bench_next(&bench_seed);
}

/* Return a uniform random number in (0, 1). */
static inline double bench_uniform(void)
{
	return ((double)(bench_bits() >> 12) + 0.5) / 0x1p52;
}

static inline double bench_normal(void)
{
	return sqrt(-2 * log(bench_uniform())) * cos(2 * 3.14159265358979 * bench_uniform());
}

static inline double bench_poisson(double mean)
{
	double limit, product = 1, n = -1;

	if (mean > 50)
		return fmax(0, floor(mean + sqrt(mean) * bench_normal() + 0.5));
	limit = exp(-mean);
	do {
		product *= bench_uniform();
		n++;
	} while (product > limit);
	return n;
}

#endif
