/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_metrics.h - metrics of regions: which ones, what they need, and what they are.
 */
#ifndef REGIONS_METRICS_H
#define REGIONS_METRICS_H

#include "metrics/metrics.h"
#include "regions/regions_report.h"

/* A set by its name or file, or "auto": the one for this machine, or for the simulated one. 0 or an exit
 * status; said. */
int regions_metrics_open(const char *name, bool simulated, struct metrics **metrics);

/* A list of events, and behind it those that the set needs and that are not in it, for the caller to
 * free. NULL: out of memory. */
char *regions_metrics_events(const char *events, const struct metrics *metrics);

/* To standard output: all sets, or what is in one. An exit status. */
int regions_metrics_list(const struct metrics *metrics);

/* A metric of a report that has metrics: of inclusive counts, or (own) exclusive ones. */
void regions_metric(const struct regions_report *report, unsigned metric, const struct regions_counts *counts,
		    bool own, struct metric_value *value);

/* A metric of inclusive counts for regions_sum; arg: the report, which has metrics and columns. */
struct regions_derived regions_metric_derived(const void *arg, uint32_t metric,
					      const struct regions_counts *counts);

/* Names of the events that a metric needs, where none of the lines has them all; returns how many there
 * are, of which at most max are named. */
unsigned regions_metric_missing(const struct regions_report *report, const struct regions_sums *sums,
				unsigned metric, const char **name, unsigned max);

#endif
