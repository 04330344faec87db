/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sum.h - sums of estimates over the call paths of a thread, over threads, processes and ranks. Pure. A sum
 * without parts is {0}, an exact 0.
 *
 * Values add up. A sum is exact if all its parts are exact. Errors of threads and processes are independent
 * of each other, since their events take turns in different orders: variances add up. The correlation between
 * the errors of two paths of one thread is unknown: standard errors add up, which is right if the errors are
 * fully correlated, and gives too wide an interval otherwise. Intervals are Student's t. Their degrees of
 * freedom follow Welch and Satterthwaite for independent parts; for paths of one thread, they are weighted as
 * if the errors were fully correlated.
 *
 * A part that was not counted makes the sum a lower bound without an interval.
 * Terms: region/region.h.
 */
#ifndef UPCR_SUM_H
#define UPCR_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* Flags of estimates; upcr_flag_word returns their words. */
#define UPCR_ROUGH 0x1u
#define UPCR_LOST 0x2u
#define UPCR_PARTIAL 0x4u /* some time was not counted: a lower bound */
#define UPCR_BORROWED 0x8u
#define UPCR_UNEVEN 0x10u
#define UPCR_SLOWED 0x20u
#define UPCR_FLAGS 6

/* Return the word for flag number i, from 0. */
const char *upcr_flag_word(unsigned i);

struct upcr_value {
	double value;     /* sum of counted and estimated parts */
	uint64_t whole;   /* sum of the exact parts: a double has only 53 bits */
	double error;     /* standard error */
	double freedom;   /* degrees of freedom of error; INFINITY: error is known */
	double low, high; /* 95 % interval */
	double coverage;  /* least coverage of the estimated parts */
	unsigned flags;
	unsigned estimated; /* number of parts that are estimates */
	bool uncounted;     /* a part has no value */
};

/* Make a part. */
struct upcr_value upcr_exact(uint64_t count);
struct upcr_value upcr_uncounted(void);
struct upcr_value upcr_estimated(double value, double error, double low, double high, double coverage,
				 unsigned flags);

/* True if the sum is a lower bound; value is then the sum of the counted parts. */
static inline bool upcr_is_lower_bound(const struct upcr_value *value)
{
	return value->uncounted || (value->flags & UPCR_PARTIAL);
}

static inline bool upcr_is_exact(const struct upcr_value *value)
{
	return !value->estimated && !upcr_is_lower_bound(value);
}

/* Add a part of the same thread. The interval of *sum is valid after each call. */
void upcr_add_same(struct upcr_value *sum, const struct upcr_value *part);
/* Add a part of another thread or process. */
void upcr_add_independent(struct upcr_value *sum, const struct upcr_value *part);

/* Return the degrees of freedom of an interval with this half-width and this standard error. */
double upcr_freedom(double half, double error);

#endif
