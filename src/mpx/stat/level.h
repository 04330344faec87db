/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * level.h - intervals at confidence levels other than 95 %. Not for handlers: floating point.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_LEVEL_H
#define MPXI_LEVEL_H

#include "stat/stat.h"

#define MPXI_LEVEL_DEFAULT .95
#define MPXI_LEVEL_MIN .5
#define MPXI_LEVEL_MAX .9999

/* Return the two-sided quantile: the value that a normal variable, or Student's t with this number of
 * degrees of freedom, exceeds in absolute value with probability 1 - level. freedom may be any real
 * number; from 1 to 4 the result is interpolated between integers. */
double mpxi_level_normal(double level);
double mpxi_level_student(double level, double freedom);
/* Return the probability that |t| is at least this large by chance; freedom is at least 1. */
double mpxi_level_chance(double t, double freedom);
/* Return Student's quantile at the default level, within 0.3 % of mpxi_level_student. The call takes
 * some ns. */
double mpxi_level_default_student(double freedom);

/* Change the estimate's interval to this level. Does nothing at the default level, or if the interval is
 * a single point. */
void mpxi_estimate_at_level(struct mpxi_estimate *estimate, double level);

#endif
