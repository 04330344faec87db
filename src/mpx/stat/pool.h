/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool.h - one event in many stretches: over starts and stops of a set, over threads, or
 * both. The counts of any stretch speak for those in which the event had no turn. Pure; not for
 * handlers: floating point.
 *
 * Stretches are of three kinds, told apart by what the event had no influence on, so that
 * its luck with the turns chooses nothing:
 * - the event needs no turn: its counts are the truth, and no error is theirs;
 * - long ones, in which the groups took at least MPXI_ROUNDS rounds of turns: each is estimated by
 *   itself, and their errors are combined;
 * - shorter ones, the pieces: together they are a sample, N = T sum(g c) / sum(g s), with g
 *   the number of groups, which is 1 to the chance of a turn. The pieces of one slice, or of one
 *   stretch where that is longer, are one cluster of the sample.
 * A stretch that is the only one of its pool is estimated as by mpxi_estimate.
 */
#ifndef MPXI_POOL_H
#define MPXI_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat.h"

/* The largest share of an estimate from stretches without a turn that sets no flag: the interval covers
 * it. */
#define MPXI_BORROWED .1

struct mpxi_result {
	struct mpxi_estimate estimate;
	uint64_t count, size, time, slices;
	unsigned threads, missed;
	bool lost, partial;
	bool slowed;            /* by counting (burden.h)                                  */
	double burden, burdens; /* delaying counts in a unit of its slices, and of all time */
	bool borrowed;          /* stretches without a turn are more than MPXI_BORROWED of it */
};

/* The interval of an estimate reaches further by off on both sides; its low end is not below the count for
 * that. */
void mpxi_result_widen(struct mpxi_result *result, double off);

/* Counts of the window's slices that delay the thread, in a unit of these slices. */
double mpxi_window_burden(const struct mpxi_window *window);

/*
 * One stretch as a result. Time in which no group counted may have held other rates than the slices did: the
 * interval reaches as far as none of the event in it, and twice its rate.
 */
void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result);

/* Sums over the outcomes of long stretches (outcome.h). */
struct mpxi_longs {
	double value, of_noise, of_change, closely, unseen;
	double squares; /* of of_noise, each divided by its degrees of freedom */
	uint64_t stretches, count, size, time;
	bool left;
};

struct mpxi_pieces {
	double groups;                     /* summed over pieces              */
	double count, size;                /* of ended clusters, times groups */
	double cc, cs, ss;                 /* of their products               */
	double size_squares, time_squares; /* of clusters' sizes, and of all slices' times, ours or not */
	double open_count, open_size, open_groups, open_time;
	/* The most time of one thread for which its turns do not stand, of so many threads. */
	double unseen, source_unseen;
	uint64_t sources;
	uint64_t clusters, next_turn;
	unsigned source;
	uint64_t stretches, counted, counted_time, time; /* C_e, S_e, T */
};

/* Zeroed at first. */
struct mpxi_pool {
	struct mpxi_window only; /* as long as it is the only stretch that shared */
	struct mpxi_longs longs;
	struct mpxi_pieces pieces;
	uint64_t count, size, time, slices;  /* of all stretches                    */
	uint64_t sure_count, sure_time;      /* of those where no turn was needed   */
	uint64_t stretches, shared;          /* all; those where turns were needed  */
	uint64_t burden, burdens, lost_time; /* as of a window                      */
	uint64_t borrowed;                   /* time of these that had no turn      */
	bool lost, inexact;                  /* inexact: of one of these at least   */
	/* Set by the caller. torn: slices were cut into more stretches than can be put together
	 * again, and how many are independent is not known. */
	bool partial, torn;
};

/* One more stretch. */
void mpxi_pool_add(struct mpxi_pool *pool, const struct mpxi_window *window, enum mpxi_estimator estimator,
		   bool lost);
/* The same of one in which no slice has ended. */
void mpxi_pool_add_piece(struct mpxi_pool *pool, const struct mpxi_piece *piece,
			 enum mpxi_estimator estimator);
/* Adds the contents of another pool, which may be another thread's. */
void mpxi_pool_merge(struct mpxi_pool *pool, const struct mpxi_pool *other, enum mpxi_estimator estimator);

/* Lost time is as of mpxi_result_of_window. Exact where each stretch is; never where no stretch has counted
 * anything. threads and missed stay 0. */
void mpxi_pool_result(const struct mpxi_pool *pool, enum mpxi_estimator estimator,
		      struct mpxi_result *result);

/* Counts in a unit of time, over all stretches. False: none has counted anything. */
bool mpxi_pool_rate(const struct mpxi_pool *pool, double *rate);

#endif
