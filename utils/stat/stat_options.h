/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_options.h - the options of upc_stat's command line.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "lib/options.h"
#include "stat/stat_session.h"

struct stat_options {
	struct stat_plan plan;
	const char *whom_text; /* the argument of -p, -C or -G */
	const char *lists[64]; /* the argument of each -e */
	unsigned n_lists;
	enum stat_choice choice; /* used if there are no lists */
	bool zeros;
	struct util_format_choice format;
	long top;
	const char *output, *wiring;
	const char *before, *after; /* reports to compare; NULL: none */
	bool sim;
};

/* Parse the command line. Return 0, or -1 if the tool must exit with *status. */
int stat_options_parse(struct stat_options *options, int argc, char **argv, int *status);

#endif
