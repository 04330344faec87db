/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joint.h - adjusts the estimates of several events so that they satisfy known linear relations, such as
 * hits + misses = accesses. Pure; not for handlers: floating point.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_JOINT_H
#define MPXI_JOINT_H

#include <stdbool.h>

#include "stat/ratio.h"

/* Estimates of n events, with the covariances of their errors. */
struct mpxi_joint {
	unsigned n;
	double *value, *least; /* [n]: estimates; actual counts, which are lower bounds of the estimates */
	double *freedom;       /* [n]                                                 */
	double *covariance;    /* [n * n]: covariances of the errors; 0 if unknown */
	double *worst;         /* [n * n]: largest possible deviation from the covariance */
};

/* Allocate a joint whose values are zero with variance zero. Return NULL if out of memory. */
struct mpxi_joint *mpxi_joint_create(unsigned n);
void mpxi_joint_free(struct mpxi_joint *joint);

/* Set event i's estimate from its part; set the covariance of events i and k from their bond (ratio.h). */
void mpxi_joint_event(struct mpxi_joint *joint, unsigned i, const struct mpxi_part *part);
void mpxi_joint_bond(struct mpxi_joint *joint, unsigned i, unsigned k, const struct mpxi_bond *bond);

/* A relation: the sum over its events of coefficient times count is 0. */
struct mpxi_relation {
	unsigned n;
	const unsigned *event;     /* [n]: indexes of events in the joint, no duplicates */
	const double *coefficient; /* [n]                          */
};

/*
 * Adjust the estimates so that n relations hold (generalised least squares: estimates with larger errors
 * change more). Exact estimates do not change, and no estimate falls below its count. wrong[i] becomes true
 * if the errors explain the deviation from relation i only once in a thousand cases. Such a relation is not
 * applied. Return false if out of memory.
 */
bool mpxi_joint_reconcile(struct mpxi_joint *joint, const struct mpxi_relation *relation, unsigned n,
			  bool *wrong);

/* Compute an event's estimate from its adjusted value and variance. */
void mpxi_part_moved(const struct mpxi_part *part, double value, double variance,
		     struct mpxi_estimate *estimate);

#endif
