/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_options.h - what upc_run was asked for.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include <stdbool.h>

#include "lib/common.h"
#include "count/results.h"
#include "run/run_events.h"
#include "run/run_unit.h"

/* As env(1) and timeout(1): what is above is execvp's or the program's. */
enum { RUN_ERROR = 125 };

/* What --format says: as enum util_format, and one more. */
enum run_form {
	RUN_TEXT = UTIL_TEXT,
	RUN_JSON = UTIL_JSON,
	RUN_CSV = UTIL_CSV,
	RUN_STAT, /* the table of upc_stat, for upc_stat --sim */
};

enum run_progress {
	RUN_PROGRESS_TERMINAL, /* where there is one */
	RUN_PROGRESS_ON,
	RUN_PROGRESS_OFF,
};

/* The libpapi.so that programs are given in place of theirs. */
enum run_papi {
	RUN_PAPI_AUTO,   /* the one with presets, where they need one */
	RUN_PAPI_ALWAYS, /* also where they may load one later */
	RUN_PAPI_OWN,    /* none */
};

struct run_options {
	struct run_events events;
	unsigned form; /* enum run_form */
	enum run_progress progress;
	unsigned children; /* enum upcs_children */
	unsigned papi;     /* enum run_papi */
	const char *region[UPCS_REGIONS_MAX];
	char *fits[UPCS_REGIONS_MAX]; /* of several functions: which; NULL: of one, or not known */
	unsigned regions;
	bool late; /* regions may be in what is loaded later */
	bool per_thread, per_process, zeros, randomise, accounts;
	bool functions;                              /* each by itself */
	unsigned function_rows;                      /* so many of them in the table */
	const char *qemu, *plugin, *prefix, *output; /* NULL: not given */
	const char *unit;                            /* name; NULL: is not shown */
	enum run_unit_cores unit_cores;
	bool unit_cores_given;
	char **command;
};

/* 0, or -1 when the tool is done with *status. */
int run_options_parse(struct run_options *options, int argc, char **argv, int *status);

#endif
