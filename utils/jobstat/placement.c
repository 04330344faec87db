/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * placement.c - CPUs and NUMA nodes that are idle, or that do less or more than the others.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jobstat/placement.h"
#include "jobstat/spread.h"

/* A place is unused below the share UNUSED of the busiest place. It is unbalanced below the share
 * UNBALANCED of the median, or above the median divided by UNBALANCED. */
#define UNUSED 0.01
#define UNBALANCED 0.5

/* Maximum number of places in a finding. If more places are unused or unbalanced, there is no finding. */
#define TOLD_MAX 400u
#define PLACES_MAX 4096u

int placement_metric(const struct jobstat_job *job, enum jobstat_scope scope)
{
	static const char *const words[] = {"instr", "flop", "cycles", "task_clock", "cpu_clock", "miss"};

	for (unsigned m = 0; m < job->metrics; m++)
		if (job->metric[m].scope == scope && job->metric[m].role != JOBSTAT_PLAIN)
			return (int)m;
	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
		for (unsigned m = 0; m < job->metrics; m++)
			if (job->metric[m].scope == scope && !job->metric[m].level &&
			    job->metric[m].define == NULL && strstr(job->metric[m].name, words[w]) != NULL)
				return (int)m;
	return -1;
}

static bool is_unused(const struct jobstat_place *place, double max)
{
	return place->mean < max * UNUSED;
}

static bool is_place_told(const struct jobstat_place *place, bool unused, double max, double middle)
{
	if (isnan(place->mean))
		return false;
	if (unused || is_unused(place, max))
		return unused && is_unused(place, max);
	return place->mean < middle * UNBALANCED || place->mean > middle / UNBALANCED;
}

/* Write the numbers of the unused or unbalanced places, as 0-3,7. Return how many there are. */
static unsigned put_numbers(const struct jobstat_value *value, bool unused, double max, double middle,
			    char *text, size_t size)
{
	size_t n = 0;
	unsigned told = 0;

	text[0] = '\0';
	for (unsigned i = 0, end; i < value->places; i = end) {
		const struct jobstat_place *place = value->place;

		end = i + 1;
		if (!is_place_told(&place[i], unused, max, middle))
			continue;
		while (end < value->places && place[end].number == place[end - 1].number + 1 &&
		       is_place_told(&place[end], unused, max, middle))
			end++;
		if (n + 30 < size)
			n += (size_t)snprintf(text + n, size - n, "%s%d", told > 0 ? "," : "",
					      place[i].number);
		if (end > i + 1 && n + 30 < size)
			n += (size_t)snprintf(text + n, size - n, "-%d", place[end - 1].number);
		told += end - i;
	}
	return told;
}

bool placement_say(const struct jobstat_value *value, const struct jobstat_metric *metric, bool unused,
		   char text[PLACEMENT_TEXT])
{
	const char *what = metric->scope == JOBSTAT_NUMA ? "NUMA node" : "CPU";
	double used[PLACES_MAX], max = 0, middle = 0;
	char numbers[PLACEMENT_TEXT / 2];
	unsigned n = 0, told;

	for (unsigned i = 0; i < value->places; i++)
		max = fmax(max, isnan(value->place[i].mean) ? 0 : value->place[i].mean);
	for (unsigned i = 0; i < value->places && n < PLACES_MAX; i++)
		if (!isnan(value->place[i].mean) && !is_unused(&value->place[i], max))
			used[n++] = value->place[i].mean;
	/* Without any counts there is no difference; with fewer than two places there is no comparison. */
	if (max <= 0 || n == 0 || value->places < 2)
		return false;
	middle = spread_median(used, n);
	told = put_numbers(value, unused, max, middle, numbers, sizeof(numbers));
	if (told == 0 || told > TOLD_MAX)
		return false;
	if (unused)
		snprintf(text, PLACEMENT_TEXT, "%s%s %s: %s below %.0f %% of the busiest", what,
			 told > 1 ? "s" : "", numbers, metric->name, UNUSED * 100);
	else
		snprintf(text, PLACEMENT_TEXT,
			 "%s%s %s: %s less than half, or more than twice, of the middle one", what,
			 told > 1 ? "s" : "", numbers, metric->name);
	return true;
}
