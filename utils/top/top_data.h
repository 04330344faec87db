/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * top_data.h - a look at a shared unit for other programs: JSON and CSV.
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
	const char *notice; /* something that went wrong, or NULL */
	pid_t process, changed_by;
	long refresh;     /* from 1 */
	double unix_time; /* of the look */
	double age;       /* of the counts, s */
	double seconds;   /* that the rates are over */
	uint64_t generation;
	bool changed;
	bool continued; /* another look was printed before */
	const struct top_line *line;
	unsigned lines;
};

/* Prints a look: UTIL_OK, or UTIL_FAILED as sheet_print_data. */
int top_data_print(FILE *out, const struct top_look *look, enum util_format format);

#endif
