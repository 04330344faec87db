/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spacing.c - computes the sums that depend only on lengths of slices and gaps; stat.c gives the reasons.
 *
 * A weight (stat.c) is limited to 2^20, which stands for a gap a million times as long as the slices next
 * to it.
 *
 * Terms: stat/stat.h.
 */
#include "stat/spacing.h"

#define WEIGHT_BITS 16
#define WEIGHT_MAX ((uint64_t)1 << (20 + WEIGHT_BITS))
#define FACTOR_BITS 12
#define FACTOR_MAX (8 << FACTOR_BITS)

static uint64_t saturate_to_u64(mpxi_u128 value)
{
	return value < UINT64_MAX ? (uint64_t)value : UINT64_MAX;
}

static uint64_t smaller_of_two(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Return a / b in units of 2^-64, rounded to nearest; requires a < b. */
static uint64_t fraction_of_one(uint64_t a, uint64_t b)
{
	return (uint64_t)((((mpxi_u128)a << 64) + b / 2) / b);
}

static struct mpxi_times times_of_gap(uint64_t gap, uint64_t size)
{
	return (struct mpxi_times){gap / size, fraction_of_one(gap % size, size)};
}

static uint64_t weight_of_times(const struct mpxi_times *times)
{
	if (times->whole >= WEIGHT_MAX >> WEIGHT_BITS)
		return WEIGHT_MAX;
	return times->whole << WEIGHT_BITS | times->fraction >> (64 - WEIGHT_BITS);
}

static mpxi_u128 weighted_size(uint64_t size, uint64_t w)
{
	return ((mpxi_u128)size * w >> WEIGHT_BITS) * w >> WEIGHT_BITS;
}

/* Return the growth of size * w^2 when w grows by `more'. */
static mpxi_u128 weighted_growth(uint64_t size, uint64_t w, uint64_t more)
{
	return weighted_size(size, smaller_of_two(w + more, WEIGHT_MAX)) - weighted_size(size, w);
}

/* Return g^2 / size. */
static mpxi_u128 squared_apart(uint64_t g, uint64_t size)
{
	return (mpxi_u128)g * g / size;
}

void mpxi_spacing_hold(struct mpxi_held *held, uint64_t gap, uint64_t size, uint64_t w)
{
	held->times = times_of_gap(gap, size);
	held->weight = weight_of_times(&held->times);
	held->heavier = saturate_to_u64(weighted_growth(size, w, held->weight));
	/* If the rate changes somewhere in the gap g, the error of a gap with a slice of size s on one
	 * side only is twice the error of a gap between two slices. The squared error is four times as
	 * large, hence 4 * 2 g^2 / s. */
	held->held = saturate_to_u64(squared_apart(gap, size));
	held->held = held->held > UINT64_MAX / 8 ? UINT64_MAX : 8 * held->held;
}

void mpxi_spacing_fill(struct mpxi_spacing *spacing)
{
	uint64_t last = spacing->last, size = spacing->size;

	spacing->times = times_of_gap(spacing->gap, last + size);
	spacing->weight = weight_of_times(&spacing->times);
	spacing->heavier = saturate_to_u64(weighted_growth(last, spacing->last_weight, spacing->weight) +
					   weighted_growth(size, 0, spacing->weight));
}

/*
 * Return a factor for two slices of unequal lengths. A change of the rate then has a smaller effect on
 * their difference, and a larger effect on the error of the gap, than with equal lengths. With e = 4 s1 s2
 * / (s1 + s2)^2, which is 1 for equal lengths, the effect on the squared difference is multiplied by e, and
 * the effect on the error by 1 + 3 (1 - e). The factor is the quotient, (4 - 3 e) / e, in units of
 * 2^-FACTOR_BITS. The factor is limited, since for small e the difference consists mostly of noise.
 */
static uint64_t unequal_factor(uint64_t part)
{
	uint64_t p = part >> (64 - FACTOR_BITS);
	uint64_t e = p * ((1 << FACTOR_BITS) - p) * 4 >> FACTOR_BITS;

	if (!e)
		return FACTOR_MAX;
	return smaller_of_two((((4 << FACTOR_BITS) - 3 * e) << FACTOR_BITS) / e, FACTOR_MAX);
}

/* Return a / b as mantissa and exponent, with at least 62 significant bits; 0 if a is 0. */
static struct mpxi_scale scale_of_quotient(uint64_t a, uint64_t b)
{
	int up, down = __builtin_clzll(b);

	if (!a)
		return (struct mpxi_scale){0, 0};
	up = __builtin_clzll(a) - 1;
	a = up < 0 ? a >> 1 : a << up;
	return (struct mpxi_scale){(uint64_t)(((mpxi_u128)a << 64) / (b << down)), down - up - 64};
}

static struct mpxi_scale multiply_scales(struct mpxi_scale a, struct mpxi_scale b)
{
	return (struct mpxi_scale){(uint64_t)((mpxi_u128)a.mantissa * b.mantissa >> 64),
				   a.exponent + b.exponent + 64};
}

static uint64_t scaled_apart(uint64_t gap, uint64_t both, uint64_t factor)
{
	mpxi_u128 value = squared_apart(gap, both);

	return value > UINT64_MAX ? UINT64_MAX : saturate_to_u64(value * 4 * factor >> FACTOR_BITS);
}

void mpxi_spacing_pair(struct mpxi_spacing *spacing)
{
	uint64_t last = spacing->last, size = spacing->size, both = last + size, factor;
	uint64_t twice = 2 * spacing->gap, previous = spacing->previous;

	spacing->part = fraction_of_one(last, both);
	factor = unequal_factor(spacing->part);
	/* 4 g^2 / (s1 s2) */
	spacing->scale = multiply_scales(scale_of_quotient(twice, last), scale_of_quotient(twice, size));
	spacing->scale = multiply_scales(spacing->scale, scale_of_quotient(factor, 1 << FACTOR_BITS));
	spacing->apart = scaled_apart(spacing->gap, both, factor);
	if (!previous)
		return;
	spacing->lag_apart =
		saturate_to_u64((mpxi_u128)previous * last / (previous + last) * 4 * size / both);
	spacing->bend = mpxi_second_difference(previous, last, size);
}
