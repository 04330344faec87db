/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outcome.h - the intermediate result behind an estimate, for code that combines several results (pool.c,
 * ratio.c). Not for handlers: floating point.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_OUTCOME_H
#define MPXI_OUTCOME_H

#include <stdbool.h>

#include "stat/stat.h"

/*
 * An estimated value and the variance of its error, with the number of independent differences on which
 * they are based (freedom). The variance lies between of_noise, the variance if all differences are noise,
 * and of_change, the variance if all differences are changes of the rate. closely is the variance that the
 * data suggest; with few data it may lie far from both. If an estimator does not distinguish noise from
 * change, the three variances are equal.
 */
struct mpxi_outcome {
	double value, variance, freedom;
	double of_noise, of_change, closely;
	double noise; /* variance of one slice's count due to noise */
	double whole; /* part of each variance above that is due to counts being integers */
	/* Possible error from long slices of other events, if these had more or less than their share of
	 * them. The error may have the same sign in all stretches, so these errors are summed before
	 * they are squared. */
	double unseen;
	bool left; /* a sum from which it was computed has saturated */
};

/* Compute the outcome of a window that has a slice and is not exact (mpxi_window.exact). */
struct mpxi_outcome mpxi_outcome_of(const struct mpxi_window *window, enum mpxi_estimator estimator);

/* Return the variance to assume for a value that is based on this number of differences: between
 * of_noise and of_change, and the closer to `closely' the more differences there are. */
double mpxi_outcome_variance(double of_noise, double of_change, double closely, double differences);

/* The two-sided 95 % quantile of the normal distribution, and of Student's t for any real number of degrees
 * of freedom. */
#define MPXI_NORMAL 1.959964
double mpxi_student(double freedom);

/* Return a lower bound of the variance that is computed from the count alone (Poisson). p is the share
 * of the time in which the event was counted. */
double mpxi_outcome_floor(const struct mpxi_outcome *outcome, double count, double p);

/* Compute the estimate's interval and its reliability. count is the actual count, in the share p of the
 * time. */
void mpxi_outcome_settle(const struct mpxi_outcome *outcome, double count, double p,
			 struct mpxi_estimate *estimate);

#endif
