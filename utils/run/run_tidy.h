/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_tidy.h - removes a run's files and unit when upc_run is killed by what it cannot take.
 *
 * The program goes on then, as one does whose perf or strace is killed; nobody will ask for its
 * counts. A child of upc_run's waits for that, with upc_run's lock on the results.
 */
#ifndef RUN_TIDY_H
#define RUN_TIDY_H

#include <sys/types.h>

#include "count/results.h"

struct run_tidy {
	pid_t child; /* 0: none */
	int alive;   /* a pipe that ends when we do */
};

/* Before anything else has a lock or a unit. Where there can be no child, the next run of the same user
 * removes what is left. */
void run_tidy_begin(struct run_tidy *tidy, struct upcs_results *results, const char *path, int lock);
/* The files are removed. */
void run_tidy_end(struct run_tidy *tidy);

#endif
