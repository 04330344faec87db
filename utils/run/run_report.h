/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_report.h - what a run has counted: as a table, as JSON, as CSV.
 */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include <stdio.h>
#include <sys/types.h>

#include "run/run_functions.h"
#include "run/run_gather.h"
#include "run/run_options.h"
#include "sheet/sheet.h"

struct run_report {
	FILE *out;
	const struct run_options *options;
	const struct upcs_results *results;
	const struct run_gathered *gathered;
	struct run_counts counts;       /* of it */
	struct run_functions functions; /* none where they are not asked for */
	double seconds;
	int status; /* as wait gives it */
};

/* The report in a form; false: out of memory, or it could not be written, which out tells. */
bool run_report_print(const struct run_report *report, enum run_form form);

/* ---- for them ------------------------------------------------------------------------- */

/* Whether a place of the events (0: the sum, 1 + core) has a column: it was asked for by
 * name, or the core was used. */
bool run_report_has_place(const struct run_report *report, unsigned place);

/* Its counts in a column of the results. */
const struct run_vector *run_report_vector(const struct run_report *report, unsigned column, unsigned place);

/* Exactness of a number with these doubts. */
enum sheet_exactness run_report_exactness(unsigned doubt);
/* "cut: a thread ended within a block": the reason of each bit of enum upcs_doubt, from bit 0 on, with a word
 * before the colon; NULL behind the last. */
const char *run_report_doubt(unsigned bit);
/* Calls note for each sentence that the reader needs beside the counts. */
void run_report_notes(const struct run_report *report, void (*note)(void *to, const char *text), void *to);

/* The command with blanks between. */
void run_report_title(const struct run_report *report, char *text, size_t size);

/* The name of a process's program without directories, always ended. */
void run_process_name(const struct upcs_process *process, char name[UPCS_WORD_MAX]);

#endif
