/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_options.h - the command line of upc_jobstat.
 */
#ifndef JOBSTAT_OPTIONS_H
#define JOBSTAT_OPTIONS_H

#include "jobstat/gather.h"
#include "jobstat/jobs.h"
#include "lib/options.h"

/* As --format has them. */
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
	const char *output; /* or NULL */
	bool wide, per_node, per_cpu;
	const char **host;
	unsigned hosts;
	/* Options that become definitions, behind those of --define. */
	const char *bandwidth, *flops;
	double line;
};

/* 0: operands begin at optind; else -1, and the tool ends with *status. Either way it is freed. */
int jobstat_options_read(struct jobstat_options *o, int argc, char **argv, int *status);
void jobstat_options_free(struct jobstat_options *o);

#endif
