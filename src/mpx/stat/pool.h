/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pool.h - estimates one event over many stretches: over starts and stops of a set, over threads, or both.
 * For stretches in which the event had no turn, the rate of the other stretches is used. Pure; not for
 * handlers: floating point.
 *
 * There are three kinds of stretches. The kind depends only on quantities that the event's turns do not
 * influence, so that the random order of turns causes no bias:
 * - stretches in which the event needs no turn: its counts are exact;
 * - long stretches, in which the groups took at least MPXI_ROUNDS rounds of turns: each is estimated by
 *   itself, and their errors are combined;
 * - shorter stretches, the pieces: together they are a sample. The estimate is N = T sum(g c) / sum(g s),
 *   where c and s are a piece's count and counted time, and g is the number of groups, since the chance of
 *   a turn is 1/g. The pieces of one slice form one cluster of the sample; a stretch longer than a slice is
 *   a cluster of its own. If a pool has only one stretch, mpxi_estimate estimates it.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_POOL_H
#define MPXI_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat.h"

/* Share of an estimate that may come from stretches without a turn before `borrowed' is set. The
 * interval covers the error of a smaller share. */
#define MPXI_BORROWED .1

struct mpxi_result {
	struct mpxi_estimate estimate;
	uint64_t count, size, time, slices;
	unsigned threads, missed;
	bool lost, partial;
	bool slowed; /* counting slowed the program (burden.h) */
	/* delaying counts per unit of time, in the event's slices and in all slices */
	double burden, burdens;
	bool borrowed; /* more than MPXI_BORROWED of the estimate comes from stretches without a turn */
};

/* Extend the interval of an estimate by off on both sides; low does not fall below the count. */
void mpxi_result_widen(struct mpxi_result *result, double off);

/* Return the number of counts that delay the thread per unit of time, in the event's slices of the
 * window. */
double mpxi_window_burden(const struct mpxi_window *window);

/*
 * Convert the window of one stretch to a result. The event's rate may have been different while no group
 * counted. For that time the interval covers rates from zero to twice the estimated rate.
 */
void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result);

/* Sums over the outcomes (outcome.h) of the long stretches. */
struct mpxi_longs {
	double value, of_noise, of_change, closely, unseen;
	double squares; /* sum of of_noise squared over degrees of freedom */
	uint64_t stretches, count, size, time;
	bool left;
};

struct mpxi_pieces {
	double groups;      /* sum over pieces of the number of groups */
	double count, size; /* sums over ended clusters of count and size, times the number of groups */
	double cc, cs, ss;  /* sums of the products of these two */
	/* sums of squares: of the clusters' sizes; of the times of the slices of all groups */
	double size_squares, time_squares;
	double open_count, open_size, open_groups, open_time;
	/* unseen: the longest time of any thread that the event's turns in that thread do not represent.
	 * source_unseen: this time of the present thread, whose number is source. sources: the number of
	 * threads. */
	double unseen, source_unseen;
	uint64_t sources;
	uint64_t clusters, next_turn;
	unsigned source;
	uint64_t stretches, counted, counted_time, time; /* C_e, S_e, T */
};

/* Must be zeroed at first. */
struct mpxi_pool {
	struct mpxi_window only; /* window of the only stretch that needed turns, while shared is 1 */
	struct mpxi_longs longs;
	struct mpxi_pieces pieces;
	uint64_t count, size, time, slices; /* sums over all stretches */
	uint64_t sure_count, sure_time;     /* sums over the stretches in which the event needed no turn */
	uint64_t stretches, shared; /* number of all stretches; number of stretches that needed turns */
	uint64_t burden, burdens, lost_time; /* as in a window */
	uint64_t borrowed;                   /* time of stretches in which the event had no turn */
	bool lost, inexact;                  /* inexact: some stretch was not exact */
	/* Set by the caller. torn: more stretches began in one slice than could be combined to a cluster
	 * again, so the number of independent clusters is unknown. */
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

/* Estimate the total of the pool. Lost time is treated as in mpxi_result_of_window. The result is exact
 * if every stretch is exact, and has `never' set if the event was counted in no stretch. threads and
 * missed stay 0. */
void mpxi_pool_result(const struct mpxi_pool *pool, enum mpxi_estimator estimator,
		      struct mpxi_result *result);

/* Compute the counts per unit of counted time over all stretches. Return false if the event was counted
 * in no stretch. */
bool mpxi_pool_rate(const struct mpxi_pool *pool, double *rate);

#endif
