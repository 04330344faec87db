/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_report.h - the report of a run: as a table, as JSON, as CSV.
 *
 * Terms: run/run_counts.h.
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
	struct run_counts counts;       /* counts of gathered */
	struct run_functions functions; /* empty unless --functions is given */
	double seconds;
	int status; /* wait status of the program */
};

/* Print the report in a form. Return false if memory is short or, with ferror(out) set, if writing failed. */
bool run_report_print(const struct run_report *report, enum run_form form);

/* ---- for the forms -------------------------------------------------------------------- */

/* True if a place of the events (0: the sum, 1 + core) has a column: the user selected it, or the core was
 * used. */
bool run_report_has_place(const struct run_report *report, unsigned place);

/* Return a place's counts in a column of the results. */
const struct run_vector *run_report_vector(const struct run_report *report, unsigned column, unsigned place);

/* Return the exactness of a number with these doubts. */
enum sheet_exactness run_report_exactness(unsigned doubt);
/* Return the reason for bit number bit of enum upcs_doubt, with a word before the colon, such as "cut: a
 * thread ended within a block", or NULL after the last. */
const char *run_report_doubt(unsigned bit);
/* Call note for each sentence that readers need in addition to the counts. */
void run_report_notes(const struct run_report *report, void (*note)(void *to, const char *text), void *to);

/* Write the command, separated by blanks. */
void run_report_title(const struct run_report *report, char *text, size_t size);

/* Write the name of a process's program without directories, always terminated. */
void run_process_name(const struct upcs_process *process, char name[UPCS_WORD_MAX]);

#endif
