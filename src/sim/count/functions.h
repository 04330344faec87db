/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * functions.h - the functions that a run has executed, by number: one table for all processes of the run, in
 * the results file. The table is used if counts for each function are requested.
 *
 * Any thread of any process takes a slot by compare-and-swap. Slots are never released. Two threads that
 * race, or a thread that is killed meanwhile, may leave a function with two numbers, so readers of the table
 * add up the functions with the same name.
 */
#ifndef UPCS_FUNCTIONS_H
#define UPCS_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define UPCS_FUNCTIONS_MAX 65536u       /* numbers from 1 on; 0 stands for all other functions */
#define UPCS_FUNCTIONS_TEXT (32u << 20) /* bytes of names */

struct upcs_functions {
	uint32_t n;       /* number of slots taken; a quarter of the slots stays free */
	uint32_t used;    /* bytes used of the text */
	uint32_t without; /* number of failed requests for a slot; a function may fail more than once */
	uint32_t pad;
	struct {
		uint32_t state; /* enum upcs_state: FREE, MAKING, or ENDED when the slot is written */
		uint32_t text;  /* offset of its names in the text */
		uint64_t hash;  /* hash of the names */
	} slot[UPCS_FUNCTIONS_MAX];
	char text[UPCS_FUNCTIONS_TEXT]; /* "/lib/libm.so.6", 0, "sin", 0 */
};

/* Called by upc_run: allocate the table's memory. Return false if memory is short. */
bool upcs_functions_begin(struct upcs_functions *table);
/* Return the number of a file's function, or 0 if the table is full. symbol "" stands for code without a
 * symbol, file "" for code in no file. */
uint32_t upcs_functions_number(struct upcs_functions *table, const char *file, const char *symbol);
/* Count one more function that found no slot. */
void upcs_functions_miss(struct upcs_functions *table);
/* Look up the names of a number. Both names are always terminated, even if the file is corrupt. Return false
 * if the number has no function. */
bool upcs_functions_name(const struct upcs_functions *table, uint32_t number, const char **file,
			 const char **symbol);

#endif
