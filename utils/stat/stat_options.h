/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_options.h - what upc_stat was asked for on its command line.
 */
#ifndef STAT_OPTIONS_H
#define STAT_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "lib/options.h"
#include "stat/stat_session.h"

struct stat_options {
	struct stat_plan plan;
	const char *whom_text; /* of -p, -C or -G, as it was given */
	const char *lists[64]; /* of -e, each                  */
	unsigned n_lists;
	enum stat_choice choice; /* without lists                */
	bool zeros;
	struct util_format_choice format;
	long top;
	const char *output, *wiring;
	const char *before, *after; /* reports to compare; NULL: none */
	bool sim;
};

/* 0, or -1 when the tool is done with *status. */
int stat_options_parse(struct stat_options *options, int argc, char **argv, int *status);

#endif
