/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_columns.c - converts points to columns. A column keeps the least and the most of its points, so that a
 * spike is visible however long the time is. A missing value interrupts the line.
 *
 * Terms: page/page.h.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "page/page_columns.h"

static bool times_grow(const struct page_chart *chart)
{
	size_t i;

	for (i = 0; i < chart->n; i++)
		if (!isfinite(chart->time[i]) || (i && chart->time[i] <= chart->time[i - 1]))
			return false;
	return true;
}

/* Return the number of a point's column, counting empty columns. */
static size_t column_of(const struct page_chart *chart, size_t i)
{
	const double first = chart->time[0] / 2, whole = chart->time[chart->n - 1] / 2 - first;

	if (chart->n <= PAGE_POINTS)
		return i;
	return (size_t)fmin(PAGE_POINTS - 1, (chart->time[i] / 2 - first) / whole * PAGE_POINTS);
}

static void take_column_number(struct page_column_value *value, double number)
{
	if (isnan(value->low)) {
		value->low = value->high = number;
	} else if (number < value->low) {
		value->low = number;
		value->down = true;
	} else if (number > value->high) {
		value->high = number;
		value->down = false;
	}
}

static void make_line(const struct page_chart *chart, const struct page_line *line,
		      struct page_column_value *value)
{
	size_t at = 0, column = 0, i;
	bool interrupted = true;

	for (i = 0; i < chart->n; i++) {
		if (!i || column_of(chart, i) != column) {
			at += !!i;
			column = column_of(chart, i);
			value[at] = (struct page_column_value){.low = NAN, .high = NAN};
		}
		if (i && chart->gap > 0 && chart->time[i] - chart->time[i - 1] > chart->gap)
			interrupted = true;
		if ((line->n && i >= line->n) || !isfinite(line->value[i])) {
			interrupted = true;
			continue;
		}
		value[at].interrupted |= interrupted;
		interrupted = false;
		take_column_number(&value[at], line->value[i]);
	}
}

int page_columns_make(const struct page_chart *chart, size_t lines, struct page_columns *columns)
{
	size_t i, before = 0;

	*columns = (struct page_columns){0};
	if (!times_grow(chart))
		return EINVAL;
	columns->own = calloc(PAGE_POINTS, sizeof(*columns->own));
	columns->value = calloc((lines ? lines : 1) * PAGE_POINTS, sizeof(*columns->value));
	if (!columns->own || !columns->value) {
		page_columns_free(columns);
		return ENOMEM;
	}
	for (i = 0; i < chart->n; i++) {
		if (i && column_of(chart, i) == before)
			continue;
		before = column_of(chart, i);
		columns->own[columns->n++] = chart->time[i];
	}
	columns->time = columns->own;
	for (i = 0; i < lines; i++)
		make_line(chart, &chart->line[i], columns->value + i * columns->n);
	return 0;
}

void page_columns_free(struct page_columns *columns)
{
	free(columns->own);
	free(columns->value);
	*columns = (struct page_columns){0};
}
