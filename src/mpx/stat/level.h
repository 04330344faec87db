/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * level.h - intervals of other levels of confidence than 95 of 100. Not for handlers:
 * floating point.
 */
#ifndef MPXI_LEVEL_H
#define MPXI_LEVEL_H

#include "stat/stat.h"

#define MPXI_LEVEL_DEFAULT .95
#define MPXI_LEVEL_MIN .5
#define MPXI_LEVEL_MAX .9999

/* The quantile that a normal number, or Student's t with so many degrees of freedom, exceeds at both
 * sides together with the probability 1 - level. freedom: any; from 1 to 4 a line between whole
 * numbers. */
double mpxi_level_normal(double level);
double mpxi_level_student(double level, double freedom);
/* How often |t| is at least so large by chance; freedom from 1 on. */
double mpxi_level_chance(double t, double freedom);
/* Student's quantile at the default level, which takes some ns: within 0.3 % of mpxi_level_student. */
double mpxi_level_default_student(double freedom);

/* The interval at this level; at the default, and where it is a point, it stays as it is. */
void mpxi_estimate_at_level(struct mpxi_estimate *estimate, double level);

#endif
