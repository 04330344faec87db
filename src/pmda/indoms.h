/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * indoms.h - the instances of the metrics: CPUs, NUMA nodes, control groups, counters, users.
 */
#ifndef PMDA_INDOMS_H
#define PMDA_INDOMS_H

#include "pmda/current.h"
#include "pmda/metric.h"
#include "pmda/pcp.h"

/* As pmdaInit wants them; their numbers with the domain. */
void indoms_init(pmdaIndom indom[INDOM_COUNT]);

/* Makes them those of the sample at hand. -ENOMEM: they are as they were. */
int indoms_update(pmdaIndom indom[INDOM_COUNT], const struct current *current);

/* Whether the users are those of the sample at hand. */
bool indoms_users_same(const pmdaIndom indom[INDOM_COUNT], const struct current *current);

void indoms_free(pmdaIndom indom[INDOM_COUNT]);

#endif
