/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_progress.h - a line on the terminal that shows a simulated program's progress.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run_counts.h"
#include "run/run_options.h"

struct run_progress_line {
	bool shown;   /* lines may be shown */
	bool alone;   /* the program does not write to the terminal: lines overwrite each other */
	bool written; /* a line is on the terminal */
	uint64_t instructions;
	int64_t time, start; /* ns; time: when the last line was printed */
};

bool run_progress_is_shown(enum run_progress progress);
/* Begin; ns is the present monotonic time. */
void run_progress_begin(struct run_progress_line *line, enum run_progress progress, int64_t ns);
/* Return the time in ns when the next line is due, or -1. */
int64_t run_progress_due(const struct run_progress_line *line);
/* Print a line. counts are those of ended threads. */
void run_progress_show(struct run_progress_line *line, const struct run_counts *counts,
		       const struct upcs_results *results, int64_t ns);
/* Erase the line. */
void run_progress_end(struct run_progress_line *line);

#endif
