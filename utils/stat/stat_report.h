/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_report.h - what upc_stat has counted, in one of three forms.
 */
#ifndef STAT_REPORT_H
#define STAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/common.h"
#include "lib/output.h"
#include "stat/stat_events.h"
#include "stat/stat_parts.h"
#include "stat/stat_runs.h"
#include "stat/stat_sample.h"

struct stat_report {
	struct util_output output;
	FILE *out; /* the output's file */
	enum util_format format;
	const struct stat_events *events;
	const struct stat_parts *parts; /* shown by themselves, too; NULL: none */
	enum stat_by by;                /* what the parts are     */
	const char *title;              /* whose counts they are  */
	const char *context;            /* the same, one word     */
	char *const *command;           /* of the program, or NULL */
	bool zeros;
	bool intervals;
	unsigned repeat; /* so many runs; 0 or 1: one */
	unsigned run;    /* that the sample is of, from 1 */
	double delay;    /* seconds that were not counted at first */
	unsigned top;    /* so many threads in the table; 0: all */
};

/* Prints what comes before the first sample. */
void stat_report_begin(const struct stat_report *report);

/* Prints one sample; an interval shows what parts have done in it, the last
 * one what they did since they began. */
void stat_report_print(const struct stat_report *report, const struct stat_sample *sample);

/* Prints all of several runs together. */
void stat_report_runs(const struct stat_report *report, const struct stat_runs *runs);

/* ---- what the forms have in common ------------------------------------- */

/* The part's count of event i in the sample. */
uint64_t stat_part_value(const struct stat_report *report, const struct stat_part *part, unsigned i,
			 bool last);

/* An interval does not list those that ended before it. */
bool stat_part_is_active(const struct stat_report *report, const struct stat_part *part, bool last);

/* Why a value is not all that happened, or NULL. */
const char *stat_shortcoming(unsigned flags);

/* How many CPUs the program or the processes used at a time, from the task clock: 0 where
 * that was not counted, or counts CPUs. */
double stat_cpus_used(const struct stat_report *report, const struct stat_sample *sample);

#endif
