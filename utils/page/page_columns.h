/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_columns.h - the visible part of a line over time: as many columns as a picture can show.
 *
 * Terms: page/page.h.
 */
#ifndef UTIL_PAGE_COLUMNS_H
#define UTIL_PAGE_COLUMNS_H

#include "page/page.h"

/* The values of a line in a column. */
struct page_column_value {
	double low, high; /* NAN: no value */
	bool down;        /* the column's highest point comes before its lowest */
	bool interrupted; /* the line is not joined to the column before */
};

struct page_columns {
	size_t n;                        /* number of columns that have a point */
	const double *time;              /* [n]: time of each column's first point */
	struct page_column_value *value; /* [lines][n] */
	double *own;
};

/* Make the columns of the first `lines` lines. Return 0, ENOMEM, or EINVAL if times do not increase or are
 * not finite. */
int page_columns_make(const struct page_chart *chart, size_t lines, struct page_columns *columns);
void page_columns_free(struct page_columns *columns);

#endif
