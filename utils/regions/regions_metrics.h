/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_metrics.h - metrics of regions: the sets, the events that they need, and their values.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_METRICS_H
#define REGIONS_METRICS_H

#include "metrics/metrics.h"
#include "regions/regions_report.h"

/* Open a set by its name or file; "auto" means the set of this machine, or of the simulated node. Return 0,
 * or an exit status after a message. */
int regions_metrics_open(const char *name, bool simulated, struct metrics **metrics);

/* Return the list of events, followed by those that the set needs and that are not in the list. The caller
 * frees it. NULL: out of memory. */
char *regions_metrics_events(const char *events, const struct metrics *metrics);

/* Print all sets, or the contents of one, to standard output. Return an exit status. */
int regions_metrics_list(const struct metrics *metrics);

/* Compute a metric of inclusive counts, or, with own, of exclusive ones. The report has metrics. */
void regions_metric(const struct regions_report *report, unsigned metric, const struct regions_counts *counts,
		    bool own, struct metric_value *value);

/* Compute a metric of inclusive counts for regions_sum. arg: the report, which has metrics and columns. */
struct regions_derived regions_metric_derived(const void *arg, uint32_t metric,
					      const struct regions_counts *counts);

/* If no line has all events that the metric needs, store the names of at most max events that it lacks, and
 * return the number of these events; otherwise return 0. */
unsigned regions_metric_missing(const struct regions_report *report, const struct regions_sums *sums,
				unsigned metric, const char **name, unsigned max);

#endif
