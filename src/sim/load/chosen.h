/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen.h - finds the functions that IFUNC resolvers choose for regions (memcpy, for example).
 *
 * Called by one thread at a time, under the same lock as places.h, except for upcs_chosen_awaited.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_CHOSEN_H
#define UPCS_CHOSEN_H

#include "count/results.h"

/* Note that the resolver of a region's function begins, at an address of the guest. */
void upcs_chosen_begins(const struct upcs_options *options, uint64_t address, uint16_t regions);

/* Not 0 while slots must be read: from a resolver's beginning until its choice is known, and after a file
 * with slots is mapped. Any thread may read this variable. A thread that begins a function while the variable
 * is not 0 calls upcs_chosen_look first. */
extern uint32_t upcs_chosen_awaits;
static inline bool upcs_chosen_awaited(void)
{
	return __atomic_load_n(&upcs_chosen_awaits, __ATOMIC_RELAXED) != 0;
}

/* Read the slots. For each function that was chosen since the last look, call the argument found with the
 * function's address in the guest. From then on upcs_places_at knows the function. */
void upcs_chosen_look(const struct upcs_options *options, enum upcs_guest guest,
		      void (*found)(uint64_t address, uint16_t regions));

/* Return a bit per region of which a resolver has run, but the chosen function was not seen. */
uint16_t upcs_chosen_unseen(void);

#endif
