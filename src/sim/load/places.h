/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places.h - whose code is at which address, and where functions that are regions begin, in the files that
 * are mapped now: the program, its libraries, and what it opens later.
 *
 * One thread at a time: the one that translates, or holds the lock of fork.
 */
#ifndef UPCS_PLACES_H
#define UPCS_PLACES_H

#include "count/results.h"

/*
 * Bit per region: its function begins at the address of our memory, which holds code. *found
 * gets a bit for each region that was found in files seen anew.
 */
uint16_t upcs_places_at(const struct upcs_options *options, uint64_t address, uint32_t *found);

/* The role of the code at an address of our memory for stacks, teams, and regions that are chosen. */
struct upcs_place {
	uint8_t role;        /* bits of enum upcs_region_role, where a function begins */
	bool runtime;        /* of OpenMP */
	bool marks;          /* of a library that programs mark regions with */
	uint16_t chooses;    /* bit per region: what chooses its function begins there (chosen.h) */
	uint64_t begin, end; /* what is mapped there from one file; 0: nothing */
};
struct upcs_place upcs_places_about(const struct upcs_options *options, uint64_t address);

/* The number (functions.h) of the function whose code is at an address of our memory, or of code that no
 * function has, and the range around the address in which the number is the same. */
struct upcs_place_function {
	uint32_t number;
	uint64_t begin, end;
};
struct upcs_place_function upcs_places_function(struct upcs_results *results, uint64_t address);

/* Something was mapped or unmapped. Any thread. */
void upcs_places_changed(void);

#endif
