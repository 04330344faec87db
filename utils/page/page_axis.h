/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_axis.h - scales of pictures: where their marks are, and what is written at them.
 */
#ifndef UTIL_PAGE_AXIS_H
#define UTIL_PAGE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* From low to high, both multiples of step, and never the same: what has from least to most in it, 0 too. */
struct page_scale {
	double low, high, step;
	unsigned decimals; /* of what is written at a mark */
};

/* A scale of about so many steps. NAN is taken as 0; limits are cut to -1e300 and 1e300. */
struct page_scale page_scale_of(double least, double most, unsigned steps);

/* How many marks there are, and where one is. */
unsigned page_scale_marks(const struct page_scale *scale);
double page_scale_mark(const struct page_scale *scale, unsigned k);

/* The power of 1000 that brings size to between 1 and 1000, and its letters: "G" of 2e9; 1 and "" of 0 and
 * of what no prefix can name. */
double page_prefix_of(double size, const char **letters);

/* Seconds between marks of a time of so many seconds: those that clocks have. */
double page_time_step(double seconds, unsigned steps);

/* A time since the start: "0:30" where steps are of minutes and hours, "0:00:30" of seconds, "2.5 s" of less,
 * "3 d" of days. */
#define PAGE_TIME_MAX 48
void page_format_time(double seconds, double step, char text[PAGE_TIME_MAX]);
const char *page_time_unit(double step); /* what such a text is: "h:mm" */

#endif
