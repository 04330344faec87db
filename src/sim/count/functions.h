/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * functions.h - the functions that a run has executed, by number: one table for all of its processes,
 * in the results file. It is there when a count for each function is asked for.
 *
 * Any thread of any process takes a place, by a compare-and-swap, and nobody gives one back. Two that come
 * at a time, or one that is killed meanwhile, may leave a function with two numbers: who reads the table
 * adds up what has the same name.
 */
#ifndef UPCS_FUNCTIONS_H
#define UPCS_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define UPCS_FUNCTIONS_MAX 65536u       /* numbers, from 1 on; 0 is that of all others */
#define UPCS_FUNCTIONS_TEXT (32u << 20) /* bytes of names */

struct upcs_functions {
	uint32_t n;       /* places that were taken; a quarter stays free */
	uint32_t used;    /* of the text */
	uint32_t without; /* so many had no place, or no memory: of those some more than once */
	uint32_t pad;
	struct {
		uint32_t state; /* enum upcs_state: FREE, MAKING, ENDED when the rest is written */
		uint32_t text;  /* where its names are */
		uint64_t hash;  /* of them */
	} slot[UPCS_FUNCTIONS_MAX];
	char text[UPCS_FUNCTIONS_TEXT]; /* "/lib/libm.so.6", 0, "sin", 0 */
};

/* upc_run: has its memory taken. False: there is none. */
bool upcs_functions_begin(struct upcs_functions *table);
/* The number of a function of a file. Symbol "": what no symbol is for; of no file: code that is in none. */
uint32_t upcs_functions_number(struct upcs_functions *table, const char *file, const char *symbol);
/* More had no place. */
void upcs_functions_miss(struct upcs_functions *table);
/* The names of a number, always ended; the file may be anything. False: it is nobody's. */
bool upcs_functions_name(const struct upcs_functions *table, uint32_t number, const char **file,
			 const char **symbol);

#endif
