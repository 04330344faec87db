/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_functions.h - the counts of each function of a run, without its callees.
 *
 * For each tally, the functions' counts add up to the count of the whole run.
 *
 * Terms: run/run_counts.h.
 */
#ifndef RUN_FUNCTIONS_H
#define RUN_FUNCTIONS_H

#include "run/run_counts.h"

struct run_function {
	char *name;         /* demangled; "[libm.so.6]", "[unknown]" or "[others]" if it has no symbol */
	const char *symbol; /* symbol in the file; "": none */
	const char *file;   /* path; "": code of no file */
	struct run_vector vector;
};

struct run_functions {
	struct run_function *function; /* sorted by instructions, descending */
	unsigned n;
	uint64_t untold; /* instructions that belong to no named function: the row "[others]" */
};

/* Make the list from the tallies of each function number (count/functions.h) and the whole run's counts.
 * Return 0, or -1 if memory is short. */
int run_functions_make(struct run_functions *functions, const struct upcs_functions *table,
		       uint64_t sums[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC], const struct run_vector *whole);
void run_functions_free(struct run_functions *functions);

/* Return the sum of all functions from index i on. */
struct run_vector run_functions_rest(const struct run_functions *functions, unsigned i);
/* Return the name of the function's file without directories. */
const char *run_function_file(const struct run_function *function);

#endif
