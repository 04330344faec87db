/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_sheet.h - counts of regions as a sheet (sheet/sheet.h).
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_SHEET_H
#define REGIONS_SHEET_H

#include "regions/regions_over.h"
#include "regions/regions_report.h"
#include "sheet/sheet.h"

enum { REGIONS_COLUMNS = 20, REGIONS_LISTS = 2 + OVER_LISTS, REGIONS_SECTIONS = 11 + OVER_SECTIONS };

/* A section of the sheet with one row for each region or call path, or for each region or path of each
 * thread. */
struct regions_group {
	const struct regions_sheet *sheet;
	enum regions_by by;
	const struct regions_sums *sums;
	const struct regions_runs *runs; /* NULL: only one run */
	const uint32_t *order;
	uint32_t n;
	double whole; /* seconds */
	struct sheet_column column[REGIONS_COLUMNS];
	struct sheet_list list[REGIONS_LISTS];
	struct sheet_aspect over[OVER_LISTS][OVER_ASPECTS];
};

struct regions_sheet {
	struct sheet sheet;
	const struct regions_report *report;
	unsigned form; /* SHEET_IN_* */
	struct sheet_section section[REGIONS_SECTIONS];
	struct sheet_fact fact[4];
	struct sheet_cell *event; /* names of events */
	struct regions_notes notes;
	struct sheet_note *note;
	struct sheet_measure *counts, *metrics, *spread;
	uint32_t *order[2], n[2]; /* by enum regions_by */
	struct regions_group group[5];
	struct regions_over over[OVER_SECTIONS];
	unsigned overs;
	char *text, buffer[2048]; /* text of a cell, until the next cell */
	/* Pointers into section; NULL: no such section. */
	struct sheet_section *opening, *regions, *paths, *imbalance, *threads;
};

/* Make the sheet. form: a bit of SHEET_IN_*. False: out of memory. The caller frees the sheet in either
 * case. */
bool regions_sheet_make(struct regions_sheet *sheet, const struct regions_report *report, unsigned form);
/* Return the line of a row of regions or call paths; NULL for a row of one thread. */
const struct regions_line *regions_line_of(const void *row);

void regions_sheet_free(struct regions_sheet *sheet);

#endif
