/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_metrics.c - metrics of regions: the sets, the events that they need, and their values.
 */
#include "regions/regions_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"

#define SIMULATED "bgp" /* metrics of the simulated node */

int regions_metrics_open(const char *name, bool simulated, struct metrics **metrics)
{
	const bool choose = !strcmp(name, "auto");
	int error = choose && !simulated ? metrics_choose(metrics)
					 : metrics_open(choose ? SIMULATED : name, metrics);

	if (error)
		util_error("%s", upc_last_message());
	return error ? UTIL_FAILED : 0;
}

static bool has_event(const char *list, const char *event)
{
	size_t n = strlen(event), length;

	for (; list; list = list[length] ? list + length + 1 : NULL) {
		length = strcspn(list, ",");
		if (length == n && !memcmp(list, event, n))
			return true;
	}
	return false;
}

char *regions_metrics_events(const char *events, const struct metrics *metrics)
{
	size_t size = (events ? strlen(events) : 0) + 1;
	char *list, *end;
	unsigned i;

	for (i = 0; i < metrics_events(metrics); i++)
		size += strlen(metrics_event(metrics, i)) + 1;
	list = malloc(size);
	if (!list)
		return NULL;
	end = stpcpy(list, events ? events : "");
	for (i = 0; i < metrics_events(metrics); i++) {
		if (has_event(events, metrics_event(metrics, i)))
			continue;
		if (end != list)
			*end++ = ',';
		end = stpcpy(end, metrics_event(metrics, i));
	}
	return list;
}

static int list_sets(void)
{
	char **names = metrics_names();
	size_t i;

	for (i = 0; names && names[i]; i++) {
		struct metrics *m;

		if (regions_metrics_open(names[i], false, &m))
			continue;
		printf("%-12s %u metrics of %u events%s\n", names[i], metrics_count(m), metrics_events(m),
		       metrics_fits(m) ? ", for this machine's PMU" : "");
		metrics_free(m);
	}
	metrics_names_free(names);
	return util_flush(stdout, "standard output") ? UTIL_FAILED : 0;
}

int regions_metrics_list(const struct metrics *metrics)
{
	unsigned width = util_width(stdout), i, event;

	if (!metrics)
		return list_sets();
	for (i = 0; i < metrics_count(metrics); i++) {
		const struct metric *metric = metrics_at(metrics, i);

		util_put(stdout, metric->name, UINT32_MAX);
		if (metric->unit) {
			fputs(" [", stdout);
			util_put(stdout, metric->unit, UINT32_MAX);
			fputs("]", stdout);
		}
		fputs(" = ", stdout);
		util_put(stdout, metric->formula, UINT32_MAX);
		fputs("\n", stdout);
		if (metric->description) {
			util_pad(stdout, 4);
			util_wrap(stdout, metric->description, 4, 4, width);
			fputs("\n", stdout);
		}
		for (event = 0; event < metrics_events(metrics); event++)
			if (metrics_needs(metrics, i, event)) {
				fputs("    needs ", stdout);
				util_put(stdout, metrics_event(metrics, event), UINT32_MAX);
				fputs("\n", stdout);
			}
	}
	return util_flush(stdout, "standard output") ? UTIL_FAILED : 0;
}

void regions_metric(const struct regions_report *report, unsigned metric, const struct regions_counts *counts,
		    bool own, struct metric_value *value)
{
	const struct metrics_counts of = {
		.seconds = own ? counts->own_seconds : counts->seconds,
		.calls = counts->calls,
		.value = own ? counts->own : counts->value,
	};

	metrics_value(report->metrics, metric, report->columns, &of, value);
}

struct regions_derived regions_metric_derived(const void *arg, uint32_t metric,
					      const struct regions_counts *counts)
{
	struct metric_value value;

	regions_metric(arg, metric, counts, false, &value);
	return (struct regions_derived){
		.value = value.value,
		.none = isnan(value.value),
		.lacking = value.missing || value.at_least,
		.exact = value.exact,
	};
}

unsigned regions_metric_missing(const struct regions_report *report, const struct regions_sums *sums,
				unsigned metric, const char **name, unsigned max)
{
	unsigned n = 0;
	uint32_t i;

	for (i = 0; i < sums->keys; i++) {
		const struct metrics_counts of = {.value = sums->line[i].counts.value};

		if (!sums->line[i].counts.used)
			continue;
		n = metrics_missing(report->metrics, metric, report->columns, &of, name, max);
		if (!n)
			break;
	}
	return n;
}
