/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joint.h - estimates that satisfy known linear relations. Pure; not for handlers: floating point.
 */
#ifndef MPXI_JOINT_H
#define MPXI_JOINT_H

#include <stdbool.h>

#include "stat/ratio.h"

/* Estimates of n events, with the covariances of their errors. */
struct mpxi_joint {
	unsigned n;
	double *value, *least; /* [n]: estimates; and actual counts as lower bounds */
	double *freedom;       /* [n]                                                 */
	double *covariance;    /* [n * n]: 0 if unknown */
	double *worst;         /* [n * n]: largest possible deviation from that */
};

/* Allocate a joint whose values are exact zeros; NULL: out of memory. */
struct mpxi_joint *mpxi_joint_create(unsigned n);
void mpxi_joint_free(struct mpxi_joint *joint);

/* Set event i's part, and the bond of events i and k. */
void mpxi_joint_event(struct mpxi_joint *joint, unsigned i, const struct mpxi_part *part);
void mpxi_joint_bond(struct mpxi_joint *joint, unsigned i, unsigned k, const struct mpxi_bond *bond);

/* A relation: the sum of coefficient times count is 0. */
struct mpxi_relation {
	unsigned n;
	const unsigned *event;     /* [n]: indexes of events in the joint, no duplicates */
	const double *coefficient; /* [n]                          */
};

/*
 * Adjust the estimates so that n relations hold, each as far as its error permits (generalised least
 * squares). Exact estimates do not change, and no estimate falls below its count. A relation with a
 * deviation that errors explain only once in a thousand cases gets wrong[i] and is not applied. False: out
 * of memory.
 */
bool mpxi_joint_reconcile(struct mpxi_joint *joint, const struct mpxi_relation *relation, unsigned n,
			  bool *wrong);

/* Compute an event's estimate from its adjusted value and variance. */
void mpxi_part_moved(const struct mpxi_part *part, double value, double variance,
		     struct mpxi_estimate *estimate);

#endif
