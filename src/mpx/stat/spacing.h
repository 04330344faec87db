/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spacing.h - the terms of the sums over slices that depend only on the lengths of slices and of the gaps
 * between them, not on counts. Everything that needs a division is here. The events of a group that take
 * turns together have their slices at the same places: these terms are computed once for all of them, and
 * each event's slice then costs a few multiplications.
 *
 * Integers, for handlers. Lengths are below 2^63.
 */
#ifndef MPXI_SPACING_H
#define MPXI_SPACING_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 mpxi_u128;
typedef __int128 mpxi_i128;

#define MPXI_U128_MAX (~(mpxi_u128)0)
#define MPXI_I128_MAX ((mpxi_i128)(MPXI_U128_MAX >> 1))

/* Number of fraction bits of counts in gaps, and of differences between slices. */
enum { MPXI_GAP_BITS = 32, MPXI_DIFFERENCE_BITS = 10 };

/* Limit of differences, so that a product of four fits. */
#define MPXI_DIFFERENCE_MAX ((int64_t)1 << 62)

static inline int64_t mpxi_difference_cut(mpxi_i128 difference)
{
	if (difference > MPXI_DIFFERENCE_MAX)
		return MPXI_DIFFERENCE_MAX;
	return difference < -MPXI_DIFFERENCE_MAX ? -MPXI_DIFFERENCE_MAX : (int64_t)difference;
}

/* Return a - 2 b + c, limited. */
static inline int64_t mpxi_second_difference(uint64_t a, uint64_t b, uint64_t c)
{
	if (!((a | b | c) >> 60))
		return (int64_t)(a + c - 2 * b);
	return mpxi_difference_cut((mpxi_i128)a + c - (mpxi_i128)b - b);
}

/* Quotient of two lengths; the fraction is in units of 2^-64. */
struct mpxi_times {
	uint64_t whole, fraction;
};

/* The number mantissa * 2^exponent. */
struct mpxi_scale {
	uint64_t mantissa;
	int exponent;
};

/* The lengths of a slice, the gap before it, and the two slices before that, and terms derived from them. */
struct mpxi_spacing {
	uint64_t size, gap, last, previous; /* previous 0: there is none */
	uint64_t last_weight;               /* weight of the slice before in the gap on its other side */
	struct mpxi_times times;            /* gap / (last + size)                             */
	uint64_t weight;                    /* times, as a weight */
	uint64_t heavier;                   /* growth of sums.weight */
	uint64_t part;                      /* last / (last + size), in units of 2^-64 */
	struct mpxi_scale scale;            /* factor of a difference's square in sums.steps */
	uint64_t apart, lag_apart;          /* growth of these sums */
	int64_t bend;                       /* second difference of the sizes                  */
};

/* A gap with a slice on one side only; w is the weight of this slice on its other side. */
struct mpxi_held {
	struct mpxi_times times; /* gap / size */
	uint64_t weight, heavier, held;
};

void mpxi_spacing_hold(struct mpxi_held *held, uint64_t gap, uint64_t size, uint64_t w);
/* Compute the fields up to heavier, which a gap needs, from the lengths; and the other fields. */
void mpxi_spacing_fill(struct mpxi_spacing *spacing);
void mpxi_spacing_pair(struct mpxi_spacing *spacing);

/* Return the expected count in `times' times the time that had `count' counts, in units of
 * 2^-MPXI_GAP_BITS. */
static inline mpxi_i128 mpxi_times_count(const struct mpxi_times *times, uint64_t count)
{
	const unsigned drop = 64 - MPXI_GAP_BITS;
	mpxi_u128 whole = (mpxi_u128)count * times->whole;
	mpxi_u128 rest = (mpxi_u128)count * times->fraction + ((uint64_t)1 << (drop - 1));

	if (whole >> (126 - MPXI_GAP_BITS))
		return MPXI_I128_MAX;
	return (mpxi_i128)((whole << MPXI_GAP_BITS) + (rest >> drop));
}

/* Return u = (c2 s1 - c1 s2) / (s1 + s2) of two slices, in units of 2^-MPXI_DIFFERENCE_BITS. */
static inline int64_t mpxi_spacing_difference(const struct mpxi_spacing *spacing, uint64_t last,
					      uint64_t count)
{
	const unsigned drop = 64 - MPXI_DIFFERENCE_BITS;
	mpxi_u128 both = (mpxi_u128)last + count;
	/* u equals (c1 + c2) s1 / (s1 + s2) - c1. */
	mpxi_u128 even = (both > UINT64_MAX ? UINT64_MAX : (uint64_t)both) * (mpxi_u128)spacing->part;
	mpxi_i128 u = (mpxi_i128)((even + ((uint64_t)1 << (drop - 1))) >> drop) -
		      ((mpxi_i128)last << MPXI_DIFFERENCE_BITS);

	return mpxi_difference_cut(u);
}

/* Return the square of u, scaled as in sums.steps. */
static inline mpxi_u128 mpxi_spacing_square(const struct mpxi_spacing *spacing, int64_t u)
{
	mpxi_u128 square = (mpxi_u128)((mpxi_i128)u * u), product;
	uint64_t high = (uint64_t)(square >> 64);
	int drop = high ? 64 - __builtin_clzll(high) : 0;
	int exponent = spacing->scale.exponent + drop;

	product = (uint64_t)(square >> drop) * (mpxi_u128)spacing->scale.mantissa;
	if (exponent < 0)
		return exponent > -128 ? product >> -exponent : 0;
	if (!product)
		return 0;
	return exponent < 128 && product <= MPXI_U128_MAX >> exponent ? product << exponent : MPXI_U128_MAX;
}

#endif
