/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * placement.h - CPUs and NUMA nodes on which nothing happens, or less or more than on the others.
 */
#ifndef JOBSTAT_PLACEMENT_H
#define JOBSTAT_PLACEMENT_H

#include "jobstat/jobstat_data.h"

#define PLACEMENT_TEXT 400

/* The metric of a scope that tells best what is done there: with a role, instructions, cycles, time; -1:
 * none does. */
int placement_metric(const struct jobstat_job *job, enum jobstat_scope scope);

/* Whether something is to be said of a node's places: unused, or else unbalanced; and what. */
bool placement_say(const struct jobstat_value *value, const struct jobstat_metric *metric, bool unused,
		   char text[PLACEMENT_TEXT]);

#endif
