/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_progress.h - a line on the terminal that says how far a simulated program is.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/run_counts.h"
#include "run/run_options.h"

struct run_progress_line {
	bool shown;   /* it may be */
	bool alone;   /* nobody else is known to write there: each goes over the one before */
	bool written; /* there is one on the terminal */
	uint64_t instructions;
	int64_t time, start; /* ns, of the last one */
};

bool run_progress_is_shown(enum run_progress progress);
/* ns is monotonic. */
void run_progress_begin(struct run_progress_line *line, enum run_progress progress, int64_t ns);
/* When the next line is due, or -1. */
int64_t run_progress_due(const struct run_progress_line *line);
/* counts: of what has ended. */
void run_progress_show(struct run_progress_line *line, const struct run_counts *counts,
		       const struct upcs_results *results, int64_t ns);
/* Takes the line away. */
void run_progress_end(struct run_progress_line *line);

#endif
