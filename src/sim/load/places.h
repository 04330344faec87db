/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places.h - the code at each address, and the beginnings of functions that are regions, in all mapped files:
 * the program, its libraries, and files that it opens later.
 *
 * Called by one thread at a time: a thread that translates a block, or that looks for functions chosen by an
 * IFUNC resolver (chosen.h), under the lock of translate.c.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_PLACES_H
#define UPCS_PLACES_H

#include "count/results.h"

/*
 * Return a bit per region whose function begins at a host address of code. In *found, a bit is set for each
 * region that was found in files that were mapped since the last call.
 */
uint16_t upcs_places_at(const struct upcs_options *options, uint64_t address, uint32_t *found);

/* Properties of the code at a host address, for stacks, teams, and IFUNC resolvers. */
struct upcs_place {
	uint8_t role;        /* bits of enum upcs_region_role, if a function begins here */
	bool runtime;        /* code of an OpenMP runtime */
	bool marks;          /* code of a library with which programs mark regions */
	uint16_t chooses;    /* bit per region whose IFUNC resolver begins here (chosen.h) */
	uint64_t begin, end; /* host addresses of the mapping that contains the code; 0: none */
};
struct upcs_place upcs_places_about(const struct upcs_options *options, uint64_t address);

/* The number (functions.h) of the function at a host address, or of code that belongs to no function, and the
 * range around the address that has the same number. */
struct upcs_place_function {
	uint32_t number;
	uint64_t begin, end;
};
struct upcs_place_function upcs_places_function(struct upcs_results *results, uint64_t address);

/* Note that a mapping was added or removed. May be called by any thread. */
void upcs_places_changed(void);

#endif
