/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool.h - one event in many stretches: over starts and stops of a set, over threads, or both. The counts of
 * the other stretches serve for the stretches in which the event had no turn. Pure; not for handlers:
 * floating point.
 *
 * There are three kinds of stretches. Only quantities that the event did not influence decide the kind, so
 * that its luck with the turns causes no bias:
 * - stretches in which the event needs no turn: its counts are exact;
 * - long stretches, in which the groups took at least MPXI_ROUNDS rounds of turns: each is estimated by
 *   itself, and their errors are combined;
 * - shorter stretches, the pieces: together they are a sample, N = T sum(g c) / sum(g s), with g the number
 *   of groups. The chance of a turn is 1/g. The pieces of one slice form one cluster of the sample; a
 *   stretch longer than a slice is a cluster of its own.
 * The only stretch of a pool is estimated by mpxi_estimate.
 */
#ifndef MPXI_POOL_H
#define MPXI_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat.h"

/* Share of an estimate from stretches without a turn up to which no flag is set: the interval covers it. */
#define MPXI_BORROWED .1

struct mpxi_result {
	struct mpxi_estimate estimate;
	uint64_t count, size, time, slices;
	unsigned threads, missed;
	bool lost, partial;
	bool slowed;            /* counting slowed the program (burden.h) */
	double burden, burdens; /* delaying counts per unit of time, in its slices and in all time */
	bool borrowed;          /* stretches without a turn are more than MPXI_BORROWED of it */
};

/* Extend the interval of an estimate by off on both sides; low does not fall below the count. */
void mpxi_result_widen(struct mpxi_result *result, double off);

/* Return the counts that delay the thread, per unit of time of the window's slices. */
double mpxi_window_burden(const struct mpxi_window *window);

/*
 * Convert one stretch to a result. The event's rate may have been different while no group counted: the
 * interval covers rates from zero to twice the estimated rate for that time.
 */
void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result);

/* Sums over the outcomes of long stretches (outcome.h). */
struct mpxi_longs {
	double value, of_noise, of_change, closely, unseen;
	double squares; /* sum of of_noise squared over degrees of freedom */
	uint64_t stretches, count, size, time;
	bool left;
};

struct mpxi_pieces {
	double groups;                     /* sum over pieces */
	double count, size;                /* of ended clusters, times groups */
	double cc, cs, ss;                 /* of products of those */
	double size_squares, time_squares; /* of clusters' sizes; of the times of all slices, of any event */
	double open_count, open_size, open_groups, open_time;
	/* Longest time of one thread that its turns do not represent, and the running value of the present
	 * thread (source); sources is the number of threads. */
	double unseen, source_unseen;
	uint64_t sources;
	uint64_t clusters, next_turn;
	unsigned source;
	uint64_t stretches, counted, counted_time, time; /* C_e, S_e, T */
};

/* Must be zeroed at first. */
struct mpxi_pool {
	struct mpxi_window only; /* valid while it is the only shared stretch */
	struct mpxi_longs longs;
	struct mpxi_pieces pieces;
	uint64_t count, size, time, slices;  /* sums over all stretches */
	uint64_t sure_count, sure_time;      /* sums over the stretches that needed no turn */
	uint64_t stretches, shared;          /* number of all stretches; of those that needed turns */
	uint64_t burden, burdens, lost_time; /* as in a window */
	uint64_t borrowed;                   /* time of stretches in which the event had no turn */
	bool lost, inexact;                  /* inexact: some stretch was not exact */
	/* Set by the caller. torn: slices were cut into more stretches than can be combined again, so the
	 * number of independent ones is unknown. */
	bool partial, torn;
};

/* Add a stretch. */
void mpxi_pool_add(struct mpxi_pool *pool, const struct mpxi_window *window, enum mpxi_estimator estimator,
		   bool lost);
/* Add a stretch in which no slice has ended. */
void mpxi_pool_add_piece(struct mpxi_pool *pool, const struct mpxi_piece *piece,
			 enum mpxi_estimator estimator);
/* Add another pool, possibly of another thread. */
void mpxi_pool_merge(struct mpxi_pool *pool, const struct mpxi_pool *other, enum mpxi_estimator estimator);

/* Estimate the pool. Lost time is treated as in mpxi_result_of_window. The result is exact if every stretch
 * is, and never if no stretch has counted anything. threads and missed stay 0. */
void mpxi_pool_result(const struct mpxi_pool *pool, enum mpxi_estimator estimator,
		      struct mpxi_result *result);

/* Compute the counts per unit of time over all stretches. False: no stretch has counted anything. */
bool mpxi_pool_rate(const struct mpxi_pool *pool, double *rate);

#endif
