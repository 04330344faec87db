/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - the node that programs are run on: four cores, and what is tallied of each.
 *
 * A tally is the number of times that something happened. Static ones are of an instruction: its
 * decoder knows them, and each execution adds the same. Blocks are therefore counted, and nothing
 * else is done when they run. Dynamic ones are of an access to memory, which may be a hit or a miss: only
 * code that is called at the access can tally them. There is none yet.
 *
 * 35 tallies are the events of one core: that of tally t of core c has the id upcs_core_first[c] +
 * upcs_tally_place[t]. Blue Gene/P has no event for the two others.
 * doc/reference/CLASSES.md says which instruction counts as what.
 */
#ifndef UPCS_MODEL_H
#define UPCS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define UPCS_CORES 4u

enum upcs_tally {
#define UPCS_STATIC_EXACT(tally) tally,
#define UPCS_STATIC_MEMORY(tally)
#define UPC_SIM_CORE(name, how) UPCS_STATIC_##how(UPCS_##name)
#include "catalogue/bgp_simulated.def"
	UPCS_INSTRUCTIONS, /* of the guest, each counted once */
	UPCS_UNKNOWN,      /* of these, those that the decoder does not know */
	UPCS_STATIC,       /* so many; dynamic ones begin with it */
	UPCS_STATIC_LAST = UPCS_STATIC - 1,
#define UPCS_DYNAMIC_EXACT(tally)
#define UPCS_DYNAMIC_MEMORY(tally) tally,
#define UPC_SIM_CORE(name, how) UPCS_DYNAMIC_##how(UPCS_##name)
#include "catalogue/bgp_simulated.def"
	UPCS_TALLIES,
	UPCS_EVENTS = UPCS_TALLIES - 2, /* of one core: all but INSTRUCTIONS and UNKNOWN */
};

/* The id of a core's first event. */
extern const uint16_t upcs_core_first[UPCS_CORES];

/* Where a tally is among a core's events; INSTRUCTIONS and UNKNOWN come behind them. The doorbell has
 * tallies in this order. */
extern const uint8_t upcs_tally_place[UPCS_TALLIES];
/* The tally at a place. */
extern const uint8_t upcs_tally_at[UPCS_TALLIES];

/* The name without the core's, such as "JPIPE_ADD_SUB"; "INSTRUCTIONS" and "UNKNOWN". */
extern const char *const upcs_tally_name[UPCS_TALLIES];

/* The items that can be reported: the tallies, then those derived from them, of one thread or of all. */
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

/* Whether running a program produces it: what only the memory model would is not. */
static inline bool upcs_is_produced(unsigned item)
{
	return item < UPCS_STATIC || item >= UPCS_TALLIES;
}

#endif
