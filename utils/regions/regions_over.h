/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_over.h - how threads and processes differ, for a sheet of regions: least, most and mean of times,
 * counts and metrics, and which thread or process has the least and the most.
 * Terms: regions/regions_data.h.
 */
#ifndef REGIONS_OVER_H
#define REGIONS_OVER_H

#include "sheet/sheet.h"

struct regions_group;
struct regions_sheet;

/* Aspects of a time, a count or a metric in lists; also columns of sections. */
enum {
	OVER_N,
	OVER_SUM,
	OVER_MIN,
	OVER_LEAST, /* name of the thread or process with the min; its rank, pid and thread follow */
	OVER_LEAST_RANK,
	OVER_LEAST_PID,
	OVER_LEAST_THREAD,
	OVER_MAX,
	OVER_MOST,
	OVER_MOST_RANK,
	OVER_MOST_PID,
	OVER_MOST_THREAD,
	OVER_MEAN,
	OVER_DEVIATION,
	OVER_IMBALANCE,
	OVER_EXACTNESS,
	OVER_ASPECTS
};

enum { OVER_LISTS = 4, OVER_COLUMNS = 11, OVER_SECTIONS = 8 };

/* A section with a line for each region and measure. In CSV all lines of the section show the same statistic
 * (what). */
struct regions_over {
	const struct regions_group *group;
	bool processes; /* over processes, not over threads */
	unsigned kind;  /* in HTML: time, counts or metrics */
	unsigned what;  /* in CSV: OVER_MIN, OVER_MAX, OVER_MEAN or OVER_DEVIATION */
	struct sheet_column column[OVER_COLUMNS];
};

/* Make the lists of a region: counts over threads and over processes, and metrics over both. */
void regions_over_lists(struct regions_group *group, struct sheet_list list[OVER_LISTS]);

/* Add the sections to the sheet. Return the first one of HTML, or NULL. */
struct sheet_section *regions_over_sections(struct regions_sheet *sheet, const struct regions_group *group);

#endif
