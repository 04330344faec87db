/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff.h - two runs beside each other: which counts of which regions differ by more than their
 * errors explain.
 */
#ifndef REGIONS_DIFF_H
#define REGIONS_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/difference.h"
#include "regions/regions_sums.h"

/* A region that one of them has at least; by its name, or its path's text. */
struct regions_pair {
	char *name;
	const struct regions_counts *before, *after; /* NULL: it is not there */
};

struct regions_changed {
	size_t pair;
	const char *event;
	bool exclusive;
	struct util_difference difference;
};

struct regions_diff {
	struct regions_pair *pair;
	size_t pairs;
	struct regions_changed *changed; /* of each pair and event that both have, inclusive and exclusive */
	size_t changes;
};

/* Data and sums stay where they are, as long as the difference is used. False: out of memory. */
bool regions_diff_of(const struct regions_data *before, const struct regions_sums *sums_before,
		     const struct regions_data *after, const struct regions_sums *sums_after,
		     struct regions_diff *diff);
void regions_diff_free(struct regions_diff *diff);

bool regions_diff_text(FILE *out, const struct regions_diff *diff, const char *before, const char *after);
bool regions_diff_json(FILE *out, const struct regions_diff *diff, const char *before, const char *after);
bool regions_diff_csv(FILE *out, const struct regions_diff *diff);

#endif
