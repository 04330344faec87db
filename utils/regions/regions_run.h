/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_run.h - runs a program with the preloaded library, which handles annotation calls. The program's
 * processes leave files.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_RUN_H
#define REGIONS_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct upc_catalogue;

struct regions_plan {
	char **command;
	const char *against; /* a program that takes turns with command[0]; or NULL */
	const char *
		files; /* name of each process's file, with %p, %r, %h; NULL: files go to our own directory */
	char *events;  /* separated by commas; NULL: none */
	uint64_t slice_ns; /* 0: the default */
	long max_regions;  /* 0: the default */
	bool simulate; /* simulated by upc_run, whose own report is next to the files (regions_whole_path) */

	/* For all runs, set by regions_prepare. directory stays NULL if nothing is to be stored in it. */
	char *directory;
	struct upc_catalogue *catalogue;
};

/* Prepare runs of the plan. Return 0, or this tool's exit status after a message. Call regions_tidy in either
 * case. */
int regions_prepare(struct regions_plan *plan);

/*
 * Run the program and wait for it. *status becomes its status, as wait returns it. *place becomes the
 * directory with the files of the run, for regions_drop; NULL if the files are not ours. Return 0, or this
 * tool's exit status after a message if the program was not run.
 */
int regions_run(const struct regions_plan *plan, char **place, int *status);
void regions_drop(char *place);

/* Return the name of upc_run's report of the whole run, for the place of a run. The caller frees it; NULL:
 * out of memory. */
char *regions_whole_path(const char *directory);

/* Remove the directory with its contents, and close the catalogue. */
void regions_tidy(struct regions_plan *plan);

#endif
