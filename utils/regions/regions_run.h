/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_run.h - runs a program with the library that stands in for annotations' calls, whose
 * processes leave files.
 */
#ifndef REGIONS_RUN_H
#define REGIONS_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct upc_catalogue;

struct regions_plan {
	char **command;
	const char *against; /* a program that takes turns with that of command; or NULL */
	const char *
		files; /* where each process leaves its file, with %p, %r, %h; NULL: in a directory of ours */
	char *events;  /* with commas between, NULL: none */
	uint64_t slice_ns; /* 0: as it is */
	long max_regions;  /* 0: as it is */
	bool simulate;     /* by upc_run, whose report is beside the files (regions_whole_path) */

	/* For all runs, of regions_prepare; no directory where nothing is to be in it. */
	char *directory;
	struct upc_catalogue *catalogue;
};

/* Prepares runs of it: 0, or this tool's exit status, said. For regions_tidy in any case. */
int regions_prepare(struct regions_plan *plan);

/*
 * Runs it and waits. *status: what became of it, as wait has it; *place: where the files of the run are,
 * for regions_drop; NULL where it has none of ours. 0, or this tool's exit status where the program was not
 * run; it has been said.
 */
int regions_run(const struct regions_plan *plan, char **place, int *status);
void regions_drop(char *place);

/* Where upc_run's report of the whole run is, of a run's place. For the caller to free; NULL: out of memory.
 */
char *regions_whole_path(const char *directory);

/* Removes the directory and what is in it, and closes the catalogue. */
void regions_tidy(struct regions_plan *plan);

#endif
