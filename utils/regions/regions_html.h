/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions_html.h - tables of a page, by name of region or by call path.
 */
#ifndef REGIONS_HTML_H
#define REGIONS_HTML_H

#include "page/page.h"
#include "regions/regions_report.h"

struct regions_tables {
	struct page *page;
	const struct regions_report *report;
	const struct regions_sums *sums;
	uint32_t *order, n;
	struct page_column *column; /* of the table that is made */
	struct page_cell *cell;
	char (*words)[128]; /* of its cells */
	size_t columns, room;
};

/* False: out of memory. To be ended in any case. */
bool regions_tables_begin(struct regions_tables *tables, struct page *page,
			  const struct regions_report *report, const struct regions_sums *sums);
void regions_tables_end(struct regions_tables *tables);

/* Times, counts, metrics; which: "by region", for their captions. */
void regions_put_tables(struct regions_tables *tables, const char *which);

/* How unlike threads are, and processes, in time and counts. */
void regions_put_imbalance(struct regions_tables *tables);

/* Each region of each thread. False: out of memory. */
bool regions_put_threads(struct regions_tables *tables);

#endif
