/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * indoms.h - the instances of the metrics: CPUs, NUMA nodes, control groups, counters and users.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_INDOMS_H
#define PMDA_INDOMS_H

#include "pmda/current.h"
#include "pmda/metric.h"
#include "pmda/pcp.h"

/* Initialise the domains as pmdaInit expects them; pmdaInit adds the agent's domain to their numbers. */
void indoms_init(pmdaIndom indom[INDOM_COUNT]);

/* Set the instances from the current sample. -ENOMEM: they are unchanged. */
int indoms_update(pmdaIndom indom[INDOM_COUNT], const struct current *current);

/* True if the users are those of the current sample. */
bool indoms_users_same(const pmdaIndom indom[INDOM_COUNT], const struct current *current);

void indoms_free(pmdaIndom indom[INDOM_COUNT]);

#endif
