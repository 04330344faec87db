/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_options.h - the command line of upc_jobstat.
 */
#ifndef JOBSTAT_OPTIONS_H
#define JOBSTAT_OPTIONS_H

#include "jobstat/gather.h"
#include "jobstat/jobs.h"
#include "lib/options.h"

/* Values of --format. */
enum jobstat_format {
	JOBSTAT_TEXT = UTIL_TEXT,
	JOBSTAT_JSON = UTIL_JSON,
	JOBSTAT_CSV = UTIL_CSV,
	JOBSTAT_HTML
};

struct jobstat_options {
	struct gather_options gather;
	struct jobs jobs;
	struct nodelist nodes;
	struct util_format_choice format;
	const char *output; /* path of the output, or NULL */
	bool timeline, per_node, per_cpu;
	const char **host;
	unsigned hosts;
	/* Options that become definitions, after all --define options. */
	const char *bandwidth, *flops;
	double line;
};

/* Read the command line. Return 0 with the operands beginning at optind, or -1 if the tool must end with
 * *status. In both cases the caller calls jobstat_options_free. */
int jobstat_options_read(struct jobstat_options *o, int argc, char **argv, int *status);
void jobstat_options_free(struct jobstat_options *o);

#endif
