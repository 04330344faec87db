/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_tidy.h - removes a run's files and unit if upc_run is killed by a signal that it cannot handle.
 *
 * The program then continues, as it does if perf or strace is killed, but its counts are lost. A child
 * process of upc_run waits for upc_run's death, and shares upc_run's lock on the results file.
 */
#ifndef RUN_TIDY_H
#define RUN_TIDY_H

#include <sys/types.h>

#include "count/results.h"

struct run_tidy {
	pid_t child; /* 0: none */
	int alive;   /* a pipe that is closed when upc_run ends */
};

/* Start the child. Called before other files are locked and before a unit is shown. If the child process
 * cannot be made, the next run of the same user removes the leftovers. */
void run_tidy_begin(struct run_tidy *tidy, struct upcs_results *results, const char *path, int lock);
/* End the child, after the files are removed. */
void run_tidy_end(struct run_tidy *tidy);

#endif
