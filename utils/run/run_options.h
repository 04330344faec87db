/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_options.h - the options of upc_run.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <stdbool.h>

#include "lib/common.h"
#include "count/results.h"
#include "run/run_events.h"
#include "run/run_unit.h"

/* Exit status of upc_run's own errors, as in env(1) and timeout(1). Larger values are from execvp or the
 * program. */
enum { RUN_ERROR = 125 };

/* The form that --format selects: enum util_format and one form more. */
enum run_form {
	RUN_TEXT = UTIL_TEXT,
	RUN_JSON = UTIL_JSON,
	RUN_CSV = UTIL_CSV,
	RUN_STAT, /* upc_stat's table, for upc_stat --sim */
};

enum run_progress {
	RUN_PROGRESS_TERMINAL, /* if stderr is a terminal and stdout is not */
	RUN_PROGRESS_ON,
	RUN_PROGRESS_OFF,
};

/* The libpapi.so that programs use instead of theirs. */
enum run_papi {
	RUN_PAPI_AUTO,   /* a PAPI with presets for the node's events, if the program needs libpapi.so */
	RUN_PAPI_ALWAYS, /* the same, also for programs that may load libpapi.so later */
	RUN_PAPI_OWN,    /* the program's own */
};

struct run_options {
	struct run_events events;
	unsigned form; /* enum run_form */
	enum run_progress progress;
	unsigned children; /* enum upcs_children */
	unsigned papi;     /* enum run_papi */
	const char *region[UPCS_REGIONS_MAX];
	char *fits[UPCS_REGIONS_MAX]; /* names of a region's functions; NULL: one function, or unknown */
	unsigned regions;
	bool late; /* regions may be in files loaded later */
	bool per_thread, per_process, zeros, randomise, accounts;
	bool functions;                              /* count each function separately */
	unsigned function_rows;                      /* number of functions in the table */
	const char *qemu, *plugin, *prefix, *output; /* NULL: not given */
	const char *unit;                            /* name of the unit; NULL: no unit is shown */
	enum run_unit_cores unit_cores;
	bool unit_cores_given;
	char **command;
};

/* Parse the command line. Return 0, or -1 if the tool ends with *status. */
int run_options_parse(struct run_options *options, int argc, char **argv, int *status);

#endif
