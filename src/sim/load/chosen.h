/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen.h - functions of regions that are chosen when the program runs (IFUNCs, as memcpy): which
 * were they?
 *
 * One thread at a time, the one of places.h, but for upcs_chosen_awaited.
 */
#ifndef UPCS_CHOSEN_H
#define UPCS_CHOSEN_H

#include "count/results.h"

/* A resolver that chooses functions of regions begins at an address of the guest. */
void upcs_chosen_begins(const struct upcs_options *options, uint64_t address, uint16_t regions);

/* Something may have been chosen meanwhile: from the begin of what chooses until it is known. Any
 * thread, where a function may begin: it calls upcs_chosen_look before anything else. */
extern uint32_t upcs_chosen_awaits;
static inline bool upcs_chosen_awaited(void)
{
	return __atomic_load_n(&upcs_chosen_awaits, __ATOMIC_RELAXED) != 0;
}

/* Calls found for each function that was chosen since, with its address of the guest. From now on
 * upcs_places_at knows it. */
void upcs_chosen_look(const struct upcs_options *options, enum upcs_guest guest,
		      void (*found)(uint64_t address, uint16_t regions));

/* Bit per region: what chooses a function of it has run, and which one that chose was not seen. */
uint16_t upcs_chosen_unseen(void);

#endif
