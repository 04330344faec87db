/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_shown.h - the parts that a table shows: the busiest ones, and all others together.
 */
#ifndef STAT_SHOWN_H
#define STAT_SHOWN_H

#include "stat/stat_report.h"

struct stat_shown {
	const struct stat_part **part; /* in the order in which they came */
	unsigned n;
	struct stat_part others; /* the last one, where there are more than the report's top */
};

/* Chooses those of a sample, or of the whole. False: out of memory. To be freed in any case. */
bool stat_shown_choose(struct stat_shown *shown, const struct stat_report *report, bool last);
void stat_shown_free(struct stat_shown *shown);

#endif
