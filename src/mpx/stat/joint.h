/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joint.h - estimates of which linear relations are known to hold. Pure; not for handlers:
 * floating point.
 */
#ifndef MPXI_JOINT_H
#define MPXI_JOINT_H

#include <stdbool.h>

#include "stat/ratio.h"

/* Estimates of n events, with the covariances of their errors. */
struct mpxi_joint {
	unsigned n;
	double *value, *least; /* [n]: least: what was counted                        */
	double *freedom;       /* [n]                                                 */
	double *covariance;    /* [n * n]: 0 where it is not known                    */
	double *worst;         /* [n * n]: how far from that it may be                */
};

/* Makes one of exact zeros; NULL: out of memory. */
struct mpxi_joint *mpxi_joint_create(unsigned n);
void mpxi_joint_free(struct mpxi_joint *joint);

/* An event's own part, and that of two events. */
void mpxi_joint_event(struct mpxi_joint *joint, unsigned i, const struct mpxi_part *part);
void mpxi_joint_bond(struct mpxi_joint *joint, unsigned i, unsigned k, const struct mpxi_bond *bond);

/* The sum of coefficient times count is 0. */
struct mpxi_relation {
	unsigned n;
	const unsigned *event;     /* [n]: of the joint, each once */
	const double *coefficient; /* [n]                          */
};

/*
 * Moves the estimates so that n relations hold, as far as the errors of each let it (generalised
 * least squares). Exact ones stay, and none comes below what was counted. A relation from which
 * they are further than errors explain (one time of a thousand they would be) is wrong[i], and moves
 * nothing. False: out of memory.
 */
bool mpxi_joint_reconcile(struct mpxi_joint *joint, const struct mpxi_relation *relation, unsigned n,
			  bool *wrong);

/* An event's estimate with the value and the variance that it has then. */
void mpxi_part_moved(const struct mpxi_part *part, double value, double variance,
		     struct mpxi_estimate *estimate);

#endif
