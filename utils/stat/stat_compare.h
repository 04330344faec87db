/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare.h - two reports of upc_stat beside each other: what was counted, the ratio,
 * and what is known of it.
 */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include <stdio.h>

#include "lib/data.h"
#include "stat/stat_spread.h"

/* One of the two: a report in JSON. */
struct stat_side {
	const char *file;
	json_t *report;
	unsigned runs, failed;
};

/* An event, or a time, of both. */
struct stat_compared {
	const char *name, *unit;
	struct stat_spread a, b;
	struct stat_change change;
	const char *shortcoming; /* why one of them is not all that happened, or NULL */
};

struct stat_comparison {
	struct stat_side a, b;
	struct stat_compared *row; /* times, then events as a has them */
	unsigned n;
};

/* Reads both files. 0, or -1 with the error said. */
int stat_compare_read(struct stat_comparison *comparison, const char *a, const char *b);

void stat_compare_free(struct stat_comparison *comparison);

/* The i-th event that one side has and the other has not; NULL: there are no more. */
const char *stat_compare_missing(const struct stat_side *has, const struct stat_side *has_not, unsigned i);

void stat_compare_print(FILE *out, enum util_format format, const struct stat_comparison *comparison);

#endif
