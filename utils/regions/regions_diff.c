/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff.c - finds the measures that both sides have, and tests all of them together for significant
 * differences.
 * Terms: regions/regions_data.h.
 */
#include "regions/regions_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "region/names.h"

bool regions_diff_has(const struct regions_diff *diff, unsigned side, uint32_t key)
{
	const struct regions_side *of = &diff->side[side];

	for (unsigned i = of->first; i < of->first + of->n; i++)
		if (diff->runs->of[i].line[key].counts.used)
			return true;
	return false;
}

/* True if exclusive values of the measure differ from inclusive ones in a run. */
static bool diff_has_own(const struct regions_diff *diff, uint32_t key, uint32_t measure)
{
	const unsigned runs = diff->side[0].n + diff->side[1].n;

	for (unsigned i = 0; measure != REGIONS_CALLS && i < runs; i++) {
		const struct regions_counts *counts = &diff->runs->of[i].line[key].counts;
		const uint32_t event = measure - REGIONS_EVENT;

		if (measure == REGIONS_SECONDS
			    ? counts->seconds != counts->own_seconds
			    : counts->value[event].value != counts->own[event].value ||
				      counts->value[event].whole != counts->own[event].whole)
			return true;
	}
	return false;
}

/* ---- runs that took turns -------------------------------------------------------------------------- */

/* True if two runs are partners: runs of the two sides that were made next to each other in one
 * measurement. */
static bool diff_are_partners(const struct regions_process *a, const struct regions_process *b)
{
	return a && b && a->turns && b->turns && a->turn != b->turn && a->turn / 2 == b->turn / 2 &&
	       !strcmp(a->turns, b->turns);
}

/* Find pairs, if each run has a partner; otherwise pairs->n is 0. False: out of memory. */
static bool diff_find_pairs(struct regions_diff *diff)
{
	const struct regions_side *before = &diff->side[0], *after = &diff->side[1];
	const struct regions_process **of = calloc(diff->data->runs + 1, sizeof(*of));
	struct regions_pairs *pairs = &diff->pairs;
	unsigned i = 0, k = 0;

	pairs->pair = calloc(before->n + 1, sizeof(*pairs->pair));
	pairs->change = calloc(before->n + 1, sizeof(*pairs->change));
	for (size_t p = 0; of && p < diff->data->processes; p++)
		of[diff->data->process[p].run] = &diff->data->process[p];
	for (; of && pairs->pair && before->n == after->n && i < before->n && k < after->n; i++) {
		const struct regions_process *run = of[before->first + i];

		for (k = 0; k < after->n && !diff_are_partners(run, of[after->first + k]); k++)
			continue;
		if (k < after->n) {
			pairs->pair[i] = (struct regions_pair){before->first + i, after->first + k};
			/* This run is taken: it has its partner now. */
			of[after->first + k] = NULL;
		}
	}
	pairs->n = i == before->n && k < after->n ? i : 0;
	free(of);
	return of && pairs->pair && pairs->change;
}

/* ---- comparisons ----------------------------------------------------------------------------------- */

static bool diff_add_pairs(struct regions_diff *diff, struct regions_compared *compared)
{
	struct util_difference *difference = &compared->difference;
	unsigned counted;

	*difference = regions_runs_compare(diff->runs, &diff->pairs, compared->key, compared->measure,
					   compared->own, &counted);
	difference->before.open |= diff->judged && counted < REGIONS_RUNS_JUDGED;
	diff->n += counted > 0;
	return counted > 0;
}

static bool diff_add(struct regions_diff *diff, uint32_t key, uint32_t measure, bool own)
{
	struct regions_compared *compared = &diff->compared[diff->n];
	struct util_difference *difference = &compared->difference;
	struct util_measured *const measured[] = {&difference->before, &difference->after};

	*compared = (struct regions_compared){.key = key, .measure = measure, .own = own};
	if (diff->pairs.n)
		return diff_add_pairs(diff, compared);
	for (unsigned side = 0; side < 2; side++) {
		const struct regions_side *of = &diff->side[side];
		unsigned counted;

		*measured[side] =
			regions_runs_mean(diff->runs, of->first, of->n, key, measure, own, &counted);
		if (!counted)
			return false;
		/* The measure was counted in too few of the runs. */
		measured[side]->open |= diff->judged && counted < REGIONS_RUNS_JUDGED;
	}
	util_difference_find(difference);
	diff->n++;
	return true;
}

/* True for a region of the program on both sides. Rows of this tool's own work are left out, since they are
 * not work of the program. */
static bool diff_compares(const struct regions_diff *diff, uint32_t key)
{
	static const char *const own[] = {UPCR_MEASURING_NAME, UPCR_START_NAME, UPCR_END_NAME};
	const char *name = regions_name_of(diff->data, diff->by, key);

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(name, own[i]))
			return false;
	return regions_diff_has(diff, 0, key) && regions_diff_has(diff, 1, key);
}

static void diff_add_line(struct regions_diff *diff, uint32_t key)
{
	for (uint32_t measure = 0; measure < REGIONS_EVENT + diff->data->events.n; measure++)
		if (diff_add(diff, key, measure, false) && diff_has_own(diff, key, measure))
			diff_add(diff, key, measure, true);
}

static bool diff_judge(struct regions_diff *diff)
{
	struct util_difference *list = calloc(diff->n + 1, sizeof(*list));
	bool done = list != NULL;

	for (size_t i = 0; done && i < diff->n; i++)
		list[i] = diff->compared[i].difference;
	done = done && util_difference_judge(list, diff->n);
	for (size_t i = 0; done && i < diff->n; i++) {
		if (!diff->judged && list[i].verdict != UTIL_OPEN)
			list[i].verdict = UTIL_UNJUDGED;
		diff->compared[i].difference = list[i];
		diff->differ += list[i].verdict >= UTIL_LESS;
	}
	free(list);
	return done;
}

static double diff_size(const struct regions_compared *compared)
{
	const struct util_difference *d = &compared->difference;

	return fabs(d->change) / fmax(fmax(d->before.value, d->after.value), 1e-300);
}

/* Order by verdict, with measures that differ first, then by the size of the change in proportion to the
 * value. */
static int diff_by_size(const void *a, const void *b)
{
	const struct regions_compared *p = a, *q = b;
	const bool told = p->difference.verdict >= UTIL_LESS;
	const double s = diff_size(p), t = diff_size(q);

	if (told != (q->difference.verdict >= UTIL_LESS))
		return told ? -1 : 1;
	if (s != t)
		return s > t ? -1 : 1;
	return p->key != q->key ? (p->key < q->key ? -1 : 1) : (int)p->measure - (int)q->measure;
}

bool regions_diff_of(struct regions_diff *diff)
{
	const struct regions_sums *first = &diff->runs->of[0];
	const size_t measures = REGIONS_EVENT + (size_t)first->events;
	size_t keys = 0;

	for (uint32_t key = 0; key < first->keys; key++)
		keys += diff_compares(diff, key);
	diff->compared = calloc(2 * keys * measures + 1, sizeof(*diff->compared));
	diff->judged = diff->side[0].n >= REGIONS_RUNS_JUDGED && diff->side[1].n >= REGIONS_RUNS_JUDGED;
	if (!diff_find_pairs(diff))
		return false;
	for (uint32_t key = 0; diff->compared && key < first->keys; key++)
		if (diff_compares(diff, key))
			diff_add_line(diff, key);
	if (!diff->compared || !diff_judge(diff))
		return false;
	qsort(diff->compared, diff->n, sizeof(*diff->compared), diff_by_size);
	return true;
}

void regions_diff_free(struct regions_diff *diff)
{
	free(diff->compared);
	free(diff->pairs.pair);
	free(diff->pairs.change);
}
