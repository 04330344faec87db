/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_columns.h - what of a line over time is drawn: as many columns as a picture can show.
 */
#ifndef UTIL_PAGE_COLUMNS_H
#define UTIL_PAGE_COLUMNS_H

#include "page/page.h"

/* The values of a line in a column. */
struct page_column_value {
	double low, high; /* NAN: no value */
	bool down;        /* the most came first */
	bool interrupted; /* it is not joined to what was before */
};

struct page_columns {
	size_t n;                        /* columns that have a point */
	const double *time;              /* [n]: of each one's first point */
	struct page_column_value *value; /* [lines][n] */
	double *own;
};

/* Makes the columns of the first so many lines. 0, ENOMEM, or EINVAL: times do not grow, or are no
 * numbers. */
int page_columns_make(const struct page_chart *chart, size_t lines, struct page_columns *columns);
void page_columns_free(struct page_columns *columns);

#endif
