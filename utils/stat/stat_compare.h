/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare.h - two reports of upc_stat beside each other: what was counted, the ratio,
 * and what is known of it.
 */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include <stdio.h>

#include "lib/data.h"
#include "sheet/sheet.h"
#include "stat/stat_spread.h"

/* One of the two: a report in JSON. */
struct stat_side {
	const char *letter, *file;
	json_t *report;
	char *command; /* with blanks between its words; NULL: it counted what ran already */
	unsigned runs, failed;
	struct sheet_cell *only; /* names of events that the other one has not */
	size_t onlys;
};

/* An event, or a time, of both: the first is A's. */
struct stat_compared {
	const char *name, *unit;
	struct stat_spread spread[2]; /* n is 0: nothing was counted */
	struct stat_change change;
	enum sheet_exactness exactness[2];
	const char *shortcoming[2]; /* why it is not all that happened, or NULL */
};

struct stat_comparison {
	struct stat_side side[2];
	struct stat_compared *row; /* times, then events as A has them */
	unsigned n;
};

/* Reads both files. 0, or -1 with the error said. */
int stat_compare_read(struct stat_comparison *comparison, const char *a, const char *b);

void stat_compare_free(struct stat_comparison *comparison);

/* Prints both beside each other. False: out of memory, or the write failed. */
bool stat_compare_print(FILE *out, enum util_format format, const struct stat_comparison *comparison);

#endif
