/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outcome.h - the intermediate result behind an estimate, for code that combines several
 * (estimate.c, pool.c). Not for handlers: floating point.
 */
#ifndef MPXI_OUTCOME_H
#define MPXI_OUTCOME_H

#include <stdbool.h>

#include "stat/stat.h"

/*
 * A value and the variance of its error, with the number of independent differences on which they are based
 * (freedom). The variance lies between of_noise, the variance if all differences are noise, and of_change,
 * the variance if all differences are changes of the rate. closely is the variance that the data suggest;
 * with few data it may lie far from both. An estimator that does not distinguish the two has three equal
 * values.
 */
struct mpxi_outcome {
	double value, variance, freedom;
	double of_noise, of_change, closely;
	double noise; /* variance of one slice's count */
	double whole; /* share of integer counts in all variances above */
	/* Possible error from long slices, of which other events had more or less than their share. The
	 * error has the same sign in all stretches, and must therefore be summed before squaring. */
	double unseen;
	bool left; /* a sum behind it has saturated */
};

/* Compute the outcome of a window that has a slice and is not exact. */
struct mpxi_outcome mpxi_outcome_of(const struct mpxi_window *window, enum mpxi_estimator estimator);

/* Return the variance of a value that is based on this number of differences. */
double mpxi_outcome_variance(double of_noise, double of_change, double closely, double differences);

/* The two-sided 95 % quantile of the normal distribution, and of Student's t for any real number of degrees
 * of freedom. */
#define MPXI_NORMAL 1.959964
double mpxi_student(double freedom);

/* Return the lower bound of the variance, independent of the slices. */
double mpxi_outcome_floor(const struct mpxi_outcome *outcome, double count, double p);

/* Compute the estimate's interval and its reliability. count is the actual count, in the share p of the
 * time. */
void mpxi_outcome_settle(const struct mpxi_outcome *outcome, double count, double p,
			 struct mpxi_estimate *estimate);

#endif
