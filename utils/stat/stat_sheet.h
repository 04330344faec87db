/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sheet.h - what upc_stat has counted, as a sheet (sheet/sheet.h).
 */
#ifndef STAT_SHEET_H
#define STAT_SHEET_H

#include "sheet/sheet.h"
#include "stat/stat_report.h"

#define STAT_SHEET_FAILED 6 /* failed runs with a note each */
#define STAT_SHEET_NOTES (STAT_SHEET_FAILED + 4)
#define STAT_SHEET_NOTE_MAX 100

/* The parts that text shows: the busiest ones, and all others together. */
struct stat_shown {
	const struct stat_part **part; /* in the order in which they came */
	unsigned n;
	struct stat_part others; /* the last one, where there are more than the report's top */
};

/* Chooses those of a sample, or of the whole. False: out of memory. To be freed in any case. */
bool stat_shown_choose(struct stat_shown *shown, const struct stat_report *report, bool last);
void stat_shown_free(struct stat_shown *shown);

/* A row is an event of all parts or of one part, or a part, a run, or a refused event. */
struct stat_sheet_row {
	unsigned event;
	const struct stat_part *part; /* NULL: all of them */
	const struct stat_one_run *run;
	const struct stat_refused *refused;
};

struct stat_sheet {
	struct sheet sheet;
	const struct stat_report *report;
	const struct stat_sample *sample; /* NULL: there is none yet */
	const struct stat_runs *runs;     /* all runs together; NULL: one */
	struct sheet_section section[4];
	struct sheet_list list, rest; /* of the events that parts have, and of the others */
	struct sheet_measure *measure;
	unsigned *event;                     /* of each measure */
	char (*group)[SHEET_GROUP_MAX];      /* of each measure */
	unsigned own;                        /* measures of list; those of rest follow */
	struct stat_shown shown;             /* parts in text */
	char *text, buffer[UTIL_NUMBER_MAX]; /* of a cell, until the next */
	struct sheet_fact fact[17];
	const char *keys[8];
	struct sheet_cell *command;
	struct sheet_note note[STAT_SHEET_NOTES];
	char what[STAT_SHEET_NOTES][STAT_SHEET_NOTE_MAX], name[STAT_SHEET_NOTES][STAT_SHEET_NOTE_MAX];
};

/* Makes the sheet of a sample, of all runs, or of what is known before the first sample. False: out of
 * memory. To be freed in any case. */
bool stat_sheet_make(struct stat_sheet *sheet, const struct stat_report *report,
		     const struct stat_sample *sample, const struct stat_runs *runs);
void stat_sheet_free(struct stat_sheet *sheet);

/* Prints the sheet as text. False: out of memory. */
bool stat_text_print(const struct stat_sheet *sheet);

/* Fills the cell of a mean over two runs or more. */
void stat_sheet_set_mean(struct sheet_cell *cell, const struct stat_spread *spread);

#endif
