/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_parts.c - upc_stat's counts of each part, and their sums.
 *
 * Terms: stat/stat_session.h.
 */
#include "stat/stat_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/list.h"
#include "stat/stat_sample.h"

static void free_values(struct stat_part *part)
{
	free(part->values);
	free(part->before);
	free(part->terms);
	free(part->flags);
}

struct stat_part *stat_parts_add(struct stat_parts *parts)
{
	size_t n = parts->events->n_own + 1;
	struct stat_part *part;

	if (!util_grow(&parts->part, parts->n, sizeof(*part)))
		return NULL;
	part = &parts->part[parts->n];
	*part = (struct stat_part){.values = calloc(n, sizeof(*part->values))};
	part->before = calloc(n, sizeof(*part->before));
	part->terms = calloc(parts->events->n_terms + 1, sizeof(*part->terms));
	part->flags = calloc(n, sizeof(*part->flags));
	if (part->values == NULL || part->before == NULL || part->terms == NULL || part->flags == NULL) {
		free_values(part);
		return NULL;
	}
	parts->n++;
	return part;
}

void stat_part_read(const struct stat_events *events, struct stat_part *part)
{
	if (part->unit == NULL)
		return;
	stat_events_read(part->unit, events->code, events->n_own, part->values, part->flags);
	/* upc_unit_get_events does not read again: it returns the terms as stat_events_read has just read
	 * them. */
	upc_unit_get_events(part->unit, events->term, events->n_terms, part->terms);
}

void stat_part_read_name(struct stat_part *thread)
{
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread->tid);
	file = fopen(path, "re");
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		int pid;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "Name:\t", 6) == 0) {
			snprintf(thread->name, sizeof(thread->name), "%.*s", (int)sizeof(thread->name) - 1,
				 line + 6);
		} else if (sscanf(line, "Tgid: %d", &pid) == 1) {
			thread->pid = pid;
			break;
		}
	}
	fclose(file);
}

/* Return the ratio for event i, or NULL if event i is not a ratio. */
static const struct stat_ratio *find_event_ratio(const struct stat_events *events, unsigned i)
{
	for (unsigned r = 0; r < events->n_ratios; r++)
		if (events->ratio[r].event == i)
			return &events->ratio[r];
	return NULL;
}

static const struct stat_part *get_stat_part(const struct stat_parts *parts, const unsigned *which,
					     unsigned k)
{
	return &parts->part[which != NULL ? which[k] : k];
}

/* Return the combined value of event i over n parts. */
static uint64_t add_up_parts(const struct stat_parts *parts, const unsigned *which, unsigned n, unsigned i)
{
	const struct stat_events *events = parts->events;
	const struct stat_ratio *ratio = find_event_ratio(events, i);
	uint64_t terms[UPC_COUNTERS] = {0}, sum = 0, largest = 0, together;

	for (unsigned k = 0; k < n; k++) {
		const struct stat_part *part = get_stat_part(parts, which, k);

		sum += part->values[i];
		if (largest < part->values[i])
			largest = part->values[i];
		for (unsigned t = 0; ratio != NULL && t < ratio->n; t++)
			terms[t] += part->terms[ratio->first + t];
	}
	if (events->info[i].kind == UPC_KIND_COUNT)
		return sum;
	if (ratio != NULL &&
	    upc_catalogue_compute(events->catalogue, events->code[i], terms, ratio->n, &together) == 0)
		return together;
	return largest;
}

void stat_parts_sum(const struct stat_parts *parts, const unsigned *which, unsigned n, uint64_t *values,
		    unsigned *flags)
{
	for (unsigned i = 0; i < parts->events->n_own; i++) {
		values[i] = add_up_parts(parts, which, n, i);
		flags[i] = n > 0 ? get_stat_part(parts, which, 0)->flags[i] : 0;
		for (unsigned k = 1; k < n; k++)
			flags[i] = stat_flags_both(flags[i], get_stat_part(parts, which, k)->flags[i]);
	}
}

void stat_parts_end_interval(struct stat_parts *parts)
{
	for (unsigned k = 0; k < parts->n; k++)
		memcpy(parts->part[k].before, parts->part[k].values,
		       parts->events->n_own * sizeof(*parts->part[k].before));
}

void stat_parts_free(struct stat_parts *parts)
{
	for (unsigned k = 0; k < parts->n; k++) {
		upc_unit_destroy(parts->part[k].unit);
		free_values(&parts->part[k]);
	}
	free(parts->part);
	*parts = (struct stat_parts){.events = parts->events};
}
