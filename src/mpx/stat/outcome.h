/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outcome.h - what an estimate is made of, for those that put several together
 * (estimate.c, pool.c). Not for handlers: floating point.
 */
#ifndef MPXI_OUTCOME_H
#define MPXI_OUTCOME_H

#include <stdbool.h>

#include "stat/stat.h"

/*
 * A value and the variance of its error, with the number of independent differences that it
 * stands on. The variance lies between of_noise, where all differences are noise, and of_change, where
 * all are change of the rate. closely is the variance that the data supports; with few data it may lie
 * far from both. An estimator that does not tell the two apart has three equal values.
 */
struct mpxi_outcome {
	double value, variance, freedom;
	double of_noise, of_change, closely;
	double noise; /* variance of one slice's count    */
	double whole; /* of all variances above: what counts have that are whole */
	/* How far long slices, of which others had more or less than their share, may put it off:
	 * of one sign in all stretches, and so to be added up before it is squared. */
	double unseen;
	bool left; /* a sum in it has left its range   */
};

/* The outcome of a window that has a slice and is not exact. */
struct mpxi_outcome mpxi_outcome_of(const struct mpxi_window *window, enum mpxi_estimator estimator);

/* The variance of a value that stands on so many differences. */
double mpxi_outcome_variance(double of_noise, double of_change, double closely, double differences);

/* The 95 % quantile at both sides together: the normal one, and Student's t, for any real number of
 * degrees of freedom. */
#define MPXI_NORMAL 1.959964
double mpxi_student(double freedom);

/* The variance is not less, whatever the slices say. */
double mpxi_outcome_floor(const struct mpxi_outcome *outcome, double count, double p);

/* The interval, and whether it can be trusted: count was counted, in the part p of the time. */
void mpxi_outcome_settle(const struct mpxi_outcome *outcome, double count, double p,
			 struct mpxi_estimate *estimate);

#endif
