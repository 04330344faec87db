/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sum.h - sums of estimates: over the call paths of a thread, over threads, processes and
 * ranks. Pure. A sum of nothing is {0}, and is 0, exactly.
 *
 * Values add up. A sum is exact if all its parts are. Errors of threads and processes are
 * independent of each other, since their events take turns in orders of their own: variances
 * add up. How the errors of two paths of one thread go together is not known: standard errors
 * add up, which is right where they are one and the same error, and too wide otherwise.
 * Intervals are Student's t with so many degrees of freedom: of independent parts by Welch and
 * Satterthwaite, of the others weighted as if all errors were one.
 *
 * A part that nobody counted makes the sum a lower bound, and no interval of it.
 */
#ifndef UPCR_SUM_H
#define UPCR_SUM_H

#include <stdbool.h>
#include <stdint.h>

/* Flags of estimates; upcr_flag_word has their words. */
#define UPCR_ROUGH 0x1u
#define UPCR_LOST 0x2u
#define UPCR_PARTIAL 0x4u /* a stretch of it was not counted: a lower bound */
#define UPCR_BORROWED 0x8u
#define UPCR_UNEVEN 0x10u
#define UPCR_SLOWED 0x20u
#define UPCR_FLAGS 6

/* The word of flag number i, from 0. */
const char *upcr_flag_word(unsigned i);

struct upcr_value {
	double value;     /* of what was counted or estimated                       */
	uint64_t whole;   /* the same of what is exact: a double has 53 bits        */
	double error;     /* standard error                                         */
	double freedom;   /* degrees of freedom of error; INFINITY: it is known      */
	double low, high; /* 95 % interval                                          */
	double coverage;  /* the least of those of estimated parts                  */
	unsigned flags;
	unsigned estimated; /* parts that are estimates                               */
	bool uncounted;     /* a part has no value at all                             */
};

/* Parts. */
struct upcr_value upcr_exact(uint64_t count);
struct upcr_value upcr_uncounted(void);
struct upcr_value upcr_estimated(double value, double error, double low, double high, double coverage,
				 unsigned flags);

/* The sum is less than what was; values are those of the parts that were counted. */
static inline bool upcr_is_lower_bound(const struct upcr_value *value)
{
	return value->uncounted || (value->flags & UPCR_PARTIAL);
}

static inline bool upcr_is_exact(const struct upcr_value *value)
{
	return !value->estimated && !upcr_is_lower_bound(value);
}

/* Adds a part of the same thread. The interval of *sum is right after each call. */
void upcr_add_same(struct upcr_value *sum, const struct upcr_value *part);
/* Adds a part of another thread or process. */
void upcr_add_independent(struct upcr_value *sum, const struct upcr_value *part);

/* How many degrees of freedom make half an interval so many standard errors wide. */
double upcr_freedom(double half, double error);

#endif
