/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * placement.h - CPUs and NUMA nodes that are idle, or that do less or more than the others.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_PLACEMENT_H
#define JOBSTAT_PLACEMENT_H

#include "jobstat/jobstat_data.h"

#define PLACEMENT_TEXT 400

/* Return the metric of a scope that best shows the activity of its places: one with a role, else the first of
 * instructions, cycles and time that the job has. -1: the job has none of them. */
int placement_metric(const struct jobstat_job *job, enum jobstat_scope scope);

/* Return true, with a text, if a node's places are unused (with unused set) or unbalanced. */
bool placement_say(const struct jobstat_value *value, const struct jobstat_metric *metric, bool unused,
		   char text[PLACEMENT_TEXT]);

#endif
