/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff.c - finds what belongs together in two runs, and judges all of it at once.
 */
#include "regions/regions_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regions/regions_report.h"

/* Of one run: a region's text, and its counts. */
struct found {
	char *name;
	const struct regions_counts *counts;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

static void free_found(struct found *list, size_t n)
{
	while (list && n)
		free(list[--n].name);
	free(list);
}

static struct found *find_all(const struct regions_data *data, const struct regions_sums *sums, size_t *n)
{
	struct found *list = calloc(sums->keys + 1, sizeof(*list));
	uint32_t i;

	*n = 0;
	for (i = 0; list && i < sums->keys; i++) {
		if (!sums->line[i].counts.used)
			continue;
		list[*n].counts = &sums->line[i].counts;
		list[*n].name = sums->by == REGIONS_BY_PATH ? regions_path_text(data, i, true)
							    : strdup(regions_name_of(data, sums->by, i));
		if (!list[(*n)++].name) {
			free_found(list, *n);
			return NULL;
		}
	}
	if (list)
		qsort(list, *n, sizeof(*list), by_name);
	return list;
}

/* Both lists are in the order of names. */
static bool pair_up(struct regions_diff *diff, struct found *before, size_t n, struct found *after, size_t m)
{
	size_t i = 0, k = 0;

	diff->pair = calloc(n + m + 1, sizeof(*diff->pair));
	if (!diff->pair)
		return false;
	while (i < n || k < m) {
		int order = i == n ? 1 : k == m ? -1 : strcmp(before[i].name, after[k].name);
		struct regions_pair *pair = &diff->pair[diff->pairs++];

		if (order <= 0) {
			pair->name = before[i].name;
			before[i].name = NULL;
			pair->before = before[i++].counts;
		}
		if (order >= 0) {
			if (!pair->name) {
				pair->name = after[k].name;
				after[k].name = NULL;
			}
			pair->after = after[k++].counts;
		}
	}
	return true;
}

static struct util_measured measured(const struct upcr_value *value)
{
	return (struct util_measured){
		.value = upcr_is_exact(value) ? (double)value->whole : value->value,
		.error = value->error,
		.freedom = value->freedom,
		.exact = upcr_is_exact(value),
		.open = upcr_is_lower_bound(value),
	};
}

static uint32_t event_of(const struct regions_data *data, const char *name)
{
	uint32_t i;

	for (i = 0; i < data->events.n && strcmp(data->events.text[i], name); i++)
		;
	return i;
}

static void add_change(struct regions_diff *diff, size_t pair, const char *event, bool exclusive,
		       const struct upcr_value *before, const struct upcr_value *after)
{
	struct regions_changed *changed = &diff->changed[diff->changes++];

	*changed = (struct regions_changed){.pair = pair, .event = event, .exclusive = exclusive};
	changed->difference.before = measured(before);
	changed->difference.after = measured(after);
	util_difference_find(&changed->difference);
}

static bool judge(struct regions_diff *diff)
{
	struct util_difference *list = calloc(diff->changes + 1, sizeof(*list));
	size_t i;
	bool done;

	for (i = 0; list && i < diff->changes; i++)
		list[i] = diff->changed[i].difference;
	done = list && util_difference_judge(list, diff->changes);
	for (i = 0; done && i < diff->changes; i++)
		diff->changed[i].difference = list[i];
	free(list);
	return done;
}

static double size_of(const struct regions_changed *changed)
{
	const struct util_difference *d = &changed->difference;

	return fabs(d->change) / fmax(fmax(d->before.value, d->after.value), 1e-300);
}

/* The largest part of its count first. */
static int by_size(const void *a, const void *b)
{
	double p = size_of(a), q = size_of(b);

	return p > q ? -1 : p < q;
}

bool regions_diff_of(const struct regions_data *before, const struct regions_sums *sums_before,
		     const struct regions_data *after, const struct regions_sums *sums_after,
		     struct regions_diff *diff)
{
	size_t n = 0, m = 0, i;
	struct found *a = find_all(before, sums_before, &n), *b = find_all(after, sums_after, &m);
	uint32_t event, other;
	bool done;

	memset(diff, 0, sizeof(*diff));
	done = a && b && pair_up(diff, a, n, b, m);
	if (done)
		diff->changed = calloc(2 * diff->pairs * before->events.n + 1, sizeof(*diff->changed));
	done = done && diff->changed;
	for (i = 0; done && i < diff->pairs; i++)
		for (event = 0; diff->pair[i].before && diff->pair[i].after && event < before->events.n;
		     event++) {
			const char *name = before->events.text[event];

			other = event_of(after, name);
			if (other == after->events.n)
				continue;
			add_change(diff, i, name, false, &diff->pair[i].before->value[event],
				   &diff->pair[i].after->value[other]);
			add_change(diff, i, name, true, &diff->pair[i].before->own[event],
				   &diff->pair[i].after->own[other]);
		}
	done = done && judge(diff);
	if (done)
		qsort(diff->changed, diff->changes, sizeof(*diff->changed), by_size);
	free_found(a, n);
	free_found(b, m);
	return done;
}

void regions_diff_free(struct regions_diff *diff)
{
	while (diff->pairs)
		free(diff->pair[--diff->pairs].name);
	free(diff->pair);
	free(diff->changed);
}
