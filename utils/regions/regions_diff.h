/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff.h - runs before and runs after: which numbers of which regions differ by more than runs do.
 */
#ifndef REGIONS_DIFF_H
#define REGIONS_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/difference.h"
#include "regions/regions_runs.h"

/* Runs of one side; those of both stand one behind the other. */
struct regions_side {
	char *const *file; /* [files]: where they are from */
	unsigned files, first, n;
};

struct regions_compared {
	uint32_t key, measure; /* of regions_runs.h */
	bool own;              /* exclusive */
	struct util_difference difference;
};

struct regions_diff {
	const struct regions_data *data;
	const struct regions_runs *runs;
	enum regions_by by;
	struct regions_side side[2];
	bool judged;                /* both sides have runs enough */
	struct regions_pairs pairs; /* all runs, if those of both sides took turns; or none */
	/* Calls, times and events of each region that both sides have, but (measuring); the largest change
	 * first. Exclusive ones are left out where they are the same as inclusive in all runs. */
	struct regions_compared *compared;
	size_t n, differ;
};

/* data, runs, by and side are set. False: out of memory. */
bool regions_diff_of(struct regions_diff *diff);
void regions_diff_free(struct regions_diff *diff);

/* Some run of that side has been in the region. */
bool regions_diff_has(const struct regions_diff *diff, unsigned side, uint32_t key);

bool regions_diff_text(FILE *out, const struct regions_diff *diff);
bool regions_diff_json(FILE *out, const struct regions_diff *diff);
bool regions_diff_csv(FILE *out, const struct regions_diff *diff);

#endif
