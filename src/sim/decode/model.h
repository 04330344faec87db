/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - the node that programs are run on: four cores, and what is tallied of each.
 *
 * A tally is the number of times that something happened. The first 35 are the events of
 * one core, in the order of their event ids: the event of tally k of core c has the id
 * upcs_core_first[c] + k (design section 4). Behind them lie tallies that Blue Gene/P has no
 * event for. doc/reference/CLASSES.md says which instruction counts as what.
 */
#ifndef UPCS_MODEL_H
#define UPCS_MODEL_H

#include <stdint.h>

#include "catalogue/bgp_simulated.h"

#define UPCS_CORES 4u

enum upcs_tally {
#define UPC_SIM_CORE(name, how) UPCS_##name,
#include "catalogue/bgp_simulated.def"
	UPCS_EVENTS, /* of one core */

	/* Of no event id. */
	UPCS_INSTRUCTIONS = UPCS_EVENTS, /* of the guest, each counted once */
	UPCS_UNKNOWN,                    /* of these, those that the decoder does not know */
	UPCS_TALLIES,
};

/* The id of tally 0 of each core. */
extern const uint16_t upcs_core_first[UPCS_CORES];

/* The name without the core's, such as "JPIPE_ADD_SUB"; "INSTRUCTIONS" and "UNKNOWN" for the last. */
extern const char *const upcs_tally_name[UPCS_TALLIES];

/* What can be reported: the tallies, then what is derived from them, of one thread or of all. */
enum upcs_item {
	UPCS_TOT_INS = UPCS_TALLIES,
	UPCS_FP_OPS, /* each instruction weighted by the operations that it does */
	UPCS_FMA_INS,
	UPCS_LD_INS,
	UPCS_SR_INS,
	UPCS_BR_INS,
	UPCS_ITEMS,
};

/* "JPIPE_ADD_SUB", "TOT_INS": without a core. */
const char *upcs_item_name(unsigned item);
/* The item of a name, with prefixes as upc:::, PAPI_, BGP_ and PU_ or without; UPCS_ITEMS: there is none, or
 * it is not produced. */
unsigned upcs_item_of(const char *name);
/* The items behind the tallies. */
void upcs_items_derive(uint64_t item[UPCS_ITEMS]);

/* Whether running a program tallies it: what only the memory model would is not produced. */
static inline int upcs_is_produced(enum upcs_tally tally)
{
	switch (tally) {
#define UPC_SIM_CORE(name, how) \
	case UPCS_##name:       \
		return UPCI_SIM_##how == UPCI_SIM_EXACT;
#include "catalogue/bgp_simulated.def"
	default:
		return 1;
	}
}

#endif
