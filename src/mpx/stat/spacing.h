/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spacing.h - the terms of the sums over slices that depend only on the lengths of slices and of the gaps
 * between them, not on counts. All divisions are done here. The events of a group have their slices at the
 * same times. These terms are therefore computed once for all of them, and each event's slice then costs
 * only a few multiplications.
 *
 * Uses integers only, for handlers. Lengths are below 2^63.
 *
 * Terms: stat/stat.h.
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

/* Limit of the absolute value of a difference. It keeps products of differences within 128 bits. */
#define MPXI_DIFFERENCE_MAX ((int64_t)1 << 62)

static inline int64_t mpxi_difference_cut(mpxi_i128 difference)
{
	if (difference > MPXI_DIFFERENCE_MAX)
		return MPXI_DIFFERENCE_MAX;
	return difference < -MPXI_DIFFERENCE_MAX ? -MPXI_DIFFERENCE_MAX : (int64_t)difference;
}

/* Return a - 2 b + c, limited to MPXI_DIFFERENCE_MAX in absolute value. */
static inline int64_t mpxi_second_difference(uint64_t a, uint64_t b, uint64_t c)
{
	if (!((a | b | c) >> 60))
		return (int64_t)(a + c - 2 * b);
	return mpxi_difference_cut((mpxi_i128)a + c - (mpxi_i128)b - b);
}

/* Quotient of two lengths: whole + fraction * 2^-64. */
struct mpxi_times {
	uint64_t whole, fraction;
};

/* The number mantissa * 2^exponent. */
struct mpxi_scale {
	uint64_t mantissa;
	int exponent;
};

/* The lengths of a slice (size), of the gap before it, and of the two slices before it (last, previous),
 * and terms derived from these lengths. stat.c defines the sums. */
struct mpxi_spacing {
	uint64_t size, gap, last, previous; /* previous is 0 if there is no such slice */
	uint64_t last_weight;               /* weight of the slice `last' in the gap before it */
	struct mpxi_times times;            /* gap / (last + size)                             */
	uint64_t weight;                    /* times, as a weight (spacing.c) */
	uint64_t heavier;                   /* growth of sums.weight */
	uint64_t part;                      /* last / (last + size), in units of 2^-64 */
	struct mpxi_scale scale;            /* factor with which a squared difference enters sums.steps */
	uint64_t apart, lag_apart;          /* growth of sums.apart and sums.lag_apart */
	int64_t bend;                       /* second difference of the sizes                  */
};

/* Terms of a gap that has a slice on one side only. */
struct mpxi_held {
	struct mpxi_times times; /* gap / size */
	uint64_t weight, heavier, held;
};

void mpxi_spacing_hold(struct mpxi_held *held, uint64_t gap, uint64_t size, uint64_t w);
/* mpxi_spacing_fill computes times, weight and heavier, which filling in a gap needs, from the lengths.
 * mpxi_spacing_pair computes the fields after heavier. */
void mpxi_spacing_fill(struct mpxi_spacing *spacing);
void mpxi_spacing_pair(struct mpxi_spacing *spacing);

/* Return count multiplied by the quotient times: the expected count in a gap, in units of
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

/* Return u = (c2 s1 - c1 s2) / (s1 + s2) of two consecutive slices, in units of 2^-MPXI_DIFFERENCE_BITS.
 * last is c1, the count of the earlier slice, and count is c2. */
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

/* Return the square of u, multiplied by spacing->scale as in sums.steps; saturates. */
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
