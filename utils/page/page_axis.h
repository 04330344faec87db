/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_axis.h - scales of pictures: positions and labels of their marks.
 *
 * Terms: page/page.h.
 */
#ifndef UTIL_PAGE_AXIS_H
#define UTIL_PAGE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* A range that contains least, most and 0. low and high are two different multiples of step. */
struct page_scale {
	double low, high, step;
	unsigned decimals; /* decimals of the labels */
};

/* Return a scale of about this number of steps. NAN counts as 0; limits are cut to -1e300 and 1e300. */
struct page_scale page_scale_of(double least, double most, unsigned steps);

/* Return the number of marks, and the value at a mark. */
unsigned page_scale_marks(const struct page_scale *scale);
double page_scale_mark(const struct page_scale *scale, unsigned k);

/* Return the power of 1000 by which size must be divided to be between 1 and 1000, and the letter of its
 * prefix, such as "G" for 2e9. Return 1 and "" for 0 and for sizes without a prefix. */
double page_prefix_of(double size, const char **letters);

/* Return the seconds between the marks of a time axis of this length, as on a clock. */
double page_time_step(double seconds, unsigned steps);

/* Write a time since the start. The form depends on the step between marks: "0:30" if the step is minutes or
 * hours, "0:00:30" if it is seconds, "2.5 s" if it is less, "3 d" if it is days. */
#define PAGE_TIME_MAX 48
void page_format_time(double seconds, double step, char text[PAGE_TIME_MAX]);
const char *page_time_unit(double step); /* form of the text: "h:mm" */

#endif
