/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sample.h - the counts of upc_stat in an interval or in a whole run of a program.
 *
 * Terms: stat/stat_session.h.
 */
#ifndef STAT_SAMPLE_H
#define STAT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Times of a program that has ended. */
enum stat_time { STAT_ELAPSED, STAT_USER, STAT_SYSTEM, STAT_TIMES };

/* Times, memory and status of a program that has ended. For several runs, times are means. */
struct stat_end {
	double seconds[STAT_TIMES];
	uint64_t max_resident_kib;
	int status;     /* wait status, as wait() returns it */
	bool timed_out; /* --timeout ended the program */
};

/* Values and flags in the order of the events. */
struct stat_sample {
	double time;    /* seconds from the start to the end of the sample */
	double seconds; /* length of the sample in seconds */
	const uint64_t *values;
	const unsigned *flags;
	bool last; /* the sample covers the whole run, not an interval */

	/* Fields of the last sample of a program. */
	bool has_program;
	struct stat_end end;
};
/* Return the combined flags of two values. The combination is UPC_COUNTER_NEVER if neither value was counted,
 * and UPC_COUNTER_PARTIAL if only one was. */
static inline unsigned stat_flags_both(unsigned a, unsigned b)
{
	const unsigned never = UPC_COUNTER_NEVER;

	return ((a | b) & ~never) | (a & b & never) | ((a ^ b) & never ? UPC_COUNTER_PARTIAL : 0);
}

#endif
