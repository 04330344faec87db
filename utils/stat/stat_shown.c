/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_shown.c - chooses the parts that a table shows: the busiest parts, and the sum of all others.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_sheet.h"

#include <stdlib.h>

struct ranked {
	unsigned part;
	uint64_t key;
};

static int oldest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->part < y->part ? -1 : x->part > y->part;
}

static int busiest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key ? -1 : 1) : oldest_first(a, b);
}

/* Return the index of the event that ranks parts: CPU time if it is counted, else the first event. */
static unsigned key_event(const struct stat_events *events)
{
	for (unsigned i = 0; i < events->n_own; i++)
		if (util_match("*TASK*CLOCK", events->info[i].name))
			return i;
	return 0;
}

static bool add_up_others(struct stat_part *others, const struct stat_report *report,
			  const struct ranked *rank, unsigned count, bool last)
{
	const unsigned n = report->events->n_own;
	unsigned *which = calloc(count + 1, sizeof(*which));

	others->values = calloc(n + 1, sizeof(*others->values));
	others->before = calloc(n + 1, sizeof(*others->before));
	others->flags = calloc(n + 1, sizeof(*others->flags));
	if (which == NULL || others->values == NULL || others->before == NULL || others->flags == NULL) {
		free(which);
		return false;
	}
	snprintf(others->name, sizeof(others->name), "%u others", count);
	for (unsigned k = 0; k < count; k++)
		which[k] = rank[k].part;
	stat_parts_sum(report->parts, which, count, others->values, others->flags);
	for (unsigned i = 0; i < n; i++) {
		if (report->events->info[i].kind == UPC_KIND_LEVEL)
			continue;
		others->values[i] = 0;
		for (unsigned k = 0; k < count; k++)
			others->values[i] += stat_part_value(report, &report->parts->part[which[k]], i, last);
	}
	free(which);
	return true;
}

bool stat_shown_choose(struct stat_shown *shown, const struct stat_report *report, bool last)
{
	const struct stat_parts *parts = report->parts;
	const unsigned key = key_event(report->events);
	struct ranked *rank = calloc(parts->n + 1, sizeof(*rank));
	unsigned active = 0;
	bool done = true;

	*shown = (struct stat_shown){.part = calloc(parts->n + 1, sizeof(*shown->part))};
	if (rank == NULL || shown->part == NULL) {
		free(rank);
		return false;
	}
	for (unsigned k = 0; k < parts->n; k++)
		if (stat_part_is_active(report, &parts->part[k], last))
			rank[active++] =
				(struct ranked){k, stat_part_value(report, &parts->part[k], key, last)};
	shown->n = report->top > 0 && report->top < active ? report->top : active;
	qsort(rank, active, sizeof(*rank), busiest_first);
	qsort(rank, shown->n, sizeof(*rank), oldest_first);
	for (unsigned k = 0; k < shown->n; k++)
		shown->part[k] = &parts->part[rank[k].part];
	if (shown->n < active) {
		done = add_up_others(&shown->others, report, &rank[shown->n], active - shown->n, last);
		shown->part[shown->n++] = &shown->others;
	}
	free(rank);
	return done;
}

void stat_shown_free(struct stat_shown *shown)
{
	free(shown->part);
	free(shown->others.values);
	free(shown->others.before);
	free(shown->others.flags);
}
