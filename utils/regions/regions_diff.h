/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_diff.h - compares the runs of two sides: finds the measures of regions that differ between the
 * sides by more than between runs of one side.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_DIFF_H
#define REGIONS_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/difference.h"
#include "regions/regions_runs.h"

/* The runs of one side; the runs of the second side follow those of the first. */
struct regions_side {
	char *const *file; /* [files]: the files that the runs were read from */
	unsigned files, first, n;
};

struct regions_compared {
	uint32_t key, measure; /* as in regions_runs.h */
	bool own;              /* exclusive */
	struct util_difference difference;
};

struct regions_diff {
	const struct regions_data *data;
	const struct regions_runs *runs;
	enum regions_by by;
	struct regions_side side[2];
	bool judged;                /* both sides have enough runs */
	struct regions_pairs pairs; /* all runs, if the runs of both sides took turns; otherwise none */
	/* Calls, times and events of each region that both sides have, without (measuring), the largest
	 * change first. Exclusive measures are left out if they equal the inclusive ones in all runs. */
	struct regions_compared *compared;
	size_t n, differ;
};

/* Compare the sides. The caller has set data, runs, by and side. False: out of memory. */
bool regions_diff_of(struct regions_diff *diff);
void regions_diff_free(struct regions_diff *diff);

/* True if a run of the side has been in the region. */
bool regions_diff_has(const struct regions_diff *diff, unsigned side, uint32_t key);

bool regions_diff_text(FILE *out, const struct regions_diff *diff);
bool regions_diff_json(FILE *out, const struct regions_diff *diff);
bool regions_diff_csv(FILE *out, const struct regions_diff *diff);

#endif
