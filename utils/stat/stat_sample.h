/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sample.h - what upc_stat has counted in some time, or in one run of a program.
 */
#ifndef STAT_SAMPLE_H
#define STAT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Times of a program that has ended. */
enum stat_time { STAT_ELAPSED, STAT_USER, STAT_SYSTEM, STAT_TIMES };

/* The end of a program, or the means of several. */
struct stat_end {
	double seconds[STAT_TIMES];
	uint64_t max_resident_kib;
	int status;     /* as wait gives it */
	bool timed_out; /* --timeout has ended it */
};

/* Values and flags in the order of the events. */
struct stat_sample {
	double time;    /* since the start, at the end of the sample */
	double seconds; /* that it covers */
	const uint64_t *values;
	const unsigned *flags;
	bool last; /* the whole run, not an interval */

	/* The fields of the last sample, where there was a program. */
	bool has_program;
	struct stat_end end;
};
/* Flags of two values together: not counted is what neither has counted. */
static inline unsigned stat_flags_both(unsigned a, unsigned b)
{
	const unsigned never = UPC_COUNTER_NEVER;

	return ((a | b) & ~never) | (a & b & never) | ((a ^ b) & never ? UPC_COUNTER_PARTIAL : 0);
}

#endif
