/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_table.h - counts as a table for people: a function of its arguments,
 * which knows neither a unit nor a clock.
 */
#ifndef STAT_TABLE_H
#define STAT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "upc.h"

/* One event and its count. */
struct stat_row {
	const char *name;
	const char *unit;
	const char *subsystem;
	const char *description;
	enum upc_scope scope;
	enum upc_kind kind;
	unsigned flags; /* UPC_COUNTER_LOST, _PARTIAL and _NEVER are looked at */
	uint64_t value;
	double percent; /* of something that the reader knows, in place of a rate; 0: none */
	bool repeated;  /* value is the next whole number to the mean of several runs, */
	double mean;    /* ... this, */
	double spread;  /* ... which is so many percent uncertain: its standard error  */
};

/* One thread beside the others; values and flags in the order of the rows. */
struct stat_column {
	pid_t tid; /* 0: no single thread, only a name */
	const char *name;
	const uint64_t *values;
	const unsigned *flags;
	const double *percents; /* as in the rows; NULL: none */
};

struct stat_style {
	unsigned width; /* of a line; descriptions are cut to it, names are not */
	double seconds; /* for rates; 0: none are shown */
	bool colour;
	bool zeros;  /* rows that are 0 in full, too */
	bool unseen; /* rows that are 0 by their names, where zeros is not set */
};

/*
 * A row an event under headings of subsystem and scope, in the order in which
 * they come; what belongs to the program comes before what is a CPU's or the
 * machine's. Rows that are 0 are named in a line at the end of their group.
 */
void stat_table_print(FILE *out, const struct stat_row *rows, unsigned n, const struct stat_style *style);

/*
 * A column a thread, as many beside each other as fit, the others below. The
 * first column is the row's own value, the sum; its name is total. Where a row or
 * column has percents, they are beside its values.
 */
void stat_table_print_columns(FILE *out, const struct stat_row *rows, unsigned n, const char *total,
			      const struct stat_column *columns, unsigned n_columns,
			      const struct stat_style *style);

#endif
