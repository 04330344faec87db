/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_sample.h - what upc_stat has counted in some time, or in one run of a program.
 */
#ifndef STAT_SAMPLE_H
#define STAT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Values and flags in the order of the events. */
struct stat_sample {
	double time;    /* since the start, at the end of the sample */
	double seconds; /* that it covers */
	const uint64_t *values;
	const unsigned *flags;
	bool last; /* the whole run, not an interval */

	/* The fields of the last sample, where there was a program. */
	bool has_program;
	bool timed_out; /* --timeout has ended it */
	int status;     /* as wait gives it */
	struct rusage usage;
};

/* CPU time of a program as wait has told. */
double stat_user_seconds(const struct rusage *usage);
double stat_system_seconds(const struct rusage *usage);

#endif
