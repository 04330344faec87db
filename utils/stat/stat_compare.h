/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_compare.h - compares two reports of upc_stat: their values, the ratios, and the confidence in the
 * ratios.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include <stdio.h>

#include "lib/data.h"
#include "sheet/sheet.h"
#include "stat/stat_spread.h"

/* One of the two reports, read from JSON. */
struct stat_side {
	const char *letter, *file;
	json_t *report;
	char *command; /* words of the command, separated by blanks; NULL: a running program was counted */
	unsigned runs, failed;
	struct sheet_cell *only; /* names of events that the other report lacks */
	size_t onlys;
};

/* An event or a time that both reports have. Index 0 is report A. */
struct stat_compared {
	const char *name, *unit;
	struct stat_spread spread[2]; /* spread of the value; spread.n is 0 if nothing was counted */
	struct stat_change change;
	enum sheet_exactness exactness[2];
	const char *shortcoming[2]; /* reason why the value is incomplete, or NULL */
};

struct stat_comparison {
	struct stat_side side[2];
	struct stat_compared *row; /* times first, then events in A's order */
	unsigned n;
};

/* Read both files. Return 0, or -1 after printing an error. */
int stat_compare_read(struct stat_comparison *comparison, const char *a, const char *b);

void stat_compare_free(struct stat_comparison *comparison);

/* Print the comparison. Return false if memory is short or the write failed. */
bool stat_compare_print(FILE *out, enum util_format format, const struct stat_comparison *comparison);

#endif
