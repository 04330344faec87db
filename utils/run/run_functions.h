/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run_functions.h - what each function of a run has done itself, without what it calls.
 *
 * They are all that was done: their sum is the whole run's, number by number.
 */
#ifndef RUN_FUNCTIONS_H
#define RUN_FUNCTIONS_H

#include "run/run_counts.h"

struct run_function {
	char *name;         /* as people write it; "[libm.so.6]", "[unknown]", "[others]" where it has none */
	const char *symbol; /* in its file; "": none */
	const char *file;   /* its path; "": code of no file */
	struct run_vector vector;
};

struct run_functions {
	struct run_function *function; /* most instructions first */
	unsigned n;
	uint64_t untold; /* instructions of functions that found no room, or are not known */
};

/* Makes the functions from the sums of each number, which have to make a whole. -1: no memory. */
int run_functions_make(struct run_functions *functions, const struct upcs_functions *table,
		       uint64_t sums[UPCS_FUNCTIONS_MAX + 1][UPCS_STATIC], const struct run_vector *whole);
void run_functions_free(struct run_functions *functions);

/* All from the i-th on. */
struct run_vector run_functions_rest(const struct run_functions *functions, unsigned i);
/* A file without directories. */
const char *run_function_file(const struct run_function *function);

#endif
