/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_sheet.h - the counts of a run as a sheet (sheet/sheet.h).
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_SHEET_H
#define RUN_SHEET_H

#include "run/run_report.h"
#include "sheet/sheet.h"

#define RUN_SHEET_TEXT UPCS_WORD_MAX
#define RUN_FUNCTION_COLUMNS 5

struct run_row {
	const struct run_vector *vector;
	unsigned column; /* column of a record: 0 the whole run, 1 + r region r */
	/* The row's object, by the sort of row. The others are NULL. */
	const struct run_process_row *process;
	const struct run_thread_row *thread;
	const struct run_function *function;
	const struct upcs_unknown *unknown;
	const char *name; /* in text: name of the row's column, and a number below the name; 0: no number */
	int number;
};

/* An item of a place, such as PU0_LD_INS. */
struct run_placed {
	unsigned place, item;
	char name[RUN_EVENT_NAME_MAX];
};

struct run_sheet {
	struct sheet sheet;
	const struct run_report *report;
	struct sheet_section section[5];
	struct sheet_fact fact[10];
	struct sheet_cell *command, core[UPCS_CORES];
	struct sheet_note *note;
	struct sheet_list items_list, beside_list, places_list, functions_list;
	struct sheet_measure measure[UPCS_ITEMS], function_measure[RUN_FUNCTION_COLUMNS];
	struct sheet_measure placed_measure[(1 + UPCS_CORES) * UPCS_ITEMS + 1];
	struct run_placed placed[(1 + UPCS_CORES) * UPCS_ITEMS];
	unsigned item[UPCS_ITEMS], items, placeds;
	char *text, buffer[RUN_SHEET_TEXT]; /* text of a cell, valid until the next cell is made */
	bool failed;
};

/* Make the sections of a form. Return false if memory is short. Call run_sheet_free in any case. */
bool run_sheet_make(struct run_sheet *sheet, const struct run_report *report, enum run_form form);
void run_sheet_free(struct run_sheet *sheet);

#endif
