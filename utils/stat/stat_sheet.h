/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sheet.h - upc_stat's counts as a sheet (sheet/sheet.h).
 *
 * Terms: stat/stat_session.h, sheet/sheet.h.
 */
#ifndef STAT_SHEET_H
#define STAT_SHEET_H

#include "sheet/sheet.h"
#include "stat/stat_report.h"

#define STAT_SHEET_FAILED 6 /* number of failed runs that have a separate note */
#define STAT_SHEET_NOTES (STAT_SHEET_FAILED + 4)
#define STAT_SHEET_NOTE_MAX 100

/* The parts that the text form shows: the busiest parts, and the sum of all others. */
struct stat_shown {
	const struct stat_part **part; /* the shown parts, in the order of their creation */
	unsigned n;
	struct stat_part others; /* the last element of part, if there are more parts than report->top */
};

/* Choose the parts to show for an interval, or with last set for the whole run. Return false if memory is
 * short. Call stat_shown_free in any case. */
bool stat_shown_choose(struct stat_shown *shown, const struct stat_report *report, bool last);
void stat_shown_free(struct stat_shown *shown);

/* A row is an event of all parts or of one part, a part, a run, or a refused event. */
struct stat_sheet_row {
	unsigned event;
	const struct stat_part *part; /* NULL: all parts */
	const struct stat_one_run *run;
	const struct stat_refused *refused;
};

struct stat_sheet {
	struct sheet sheet;
	const struct stat_report *report;
	const struct stat_sample *sample; /* NULL: before the first sample */
	const struct stat_runs *runs;     /* summary of all runs; NULL: a single run */
	struct sheet_section section[4];
	struct sheet_list list, rest; /* list: events that parts have; rest: other events */
	struct sheet_measure *measure;
	unsigned *event;                     /* index of each measure's event */
	char (*group)[SHEET_GROUP_MAX];      /* text of each measure's group */
	unsigned own;                        /* number of measures in list; the measures of rest follow */
	struct stat_shown shown;             /* parts that the text form shows */
	char *text, buffer[UTIL_NUMBER_MAX]; /* text of the current cell, until the next one */
	struct sheet_fact fact[17];
	const char *keys[8];
	struct sheet_cell *command;
	struct sheet_note note[STAT_SHEET_NOTES];
	char what[STAT_SHEET_NOTES][STAT_SHEET_NOTE_MAX], name[STAT_SHEET_NOTES][STAT_SHEET_NOTE_MAX];
};

/* Make the sheet of a sample, of all runs, or of the facts before the first sample. Return false if memory is
 * short. Call stat_sheet_free in any case. */
bool stat_sheet_make(struct stat_sheet *sheet, const struct stat_report *report,
		     const struct stat_sample *sample, const struct stat_runs *runs);
void stat_sheet_free(struct stat_sheet *sheet);

/* Print the sheet as text. Return false if memory is short. */
bool stat_text_print(const struct stat_sheet *sheet);

/* Set the cell to a mean over two or more runs. */
void stat_sheet_set_mean(struct sheet_cell *cell, const struct stat_spread *spread);

#endif
