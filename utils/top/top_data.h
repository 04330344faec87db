/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_data.h - prints one refresh of a shared unit as JSON or CSV.
 *
 * Terms: top/top_table.h.
 */
#ifndef TOP_DATA_H
#define TOP_DATA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/common.h"
#include "top/top_table.h"

struct top_look {
	const char *name, *user, *command, *state;
	const char *notice; /* a problem to report, or NULL */
	pid_t process, changed_by;
	long refresh;     /* number of the refresh, from 1 */
	double unix_time; /* when the unit was read, s */
	double age;       /* age of the counts, s */
	double seconds;   /* time that the rates cover, s */
	uint64_t generation;
	bool changed;
	bool continued; /* this is not the first refresh that is printed */
	const struct top_line *line;
	unsigned lines;
};

/* Print a refresh. Return as sheet_print_data does. */
int top_data_print(FILE *out, const struct top_look *look, enum util_format format);

#endif
