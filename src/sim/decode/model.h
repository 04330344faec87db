/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - the simulated node: four cores, and the tallies of each.
 *
 * A tally is the number of times that an event happened. Static tallies depend on the instruction alone: the
 * decoder knows them, and each execution adds the same. Therefore only blocks are counted when a program
 * runs. Dynamic tallies depend on memory accesses, which may be hits or misses: only code that is called at
 * each access can count them. There are none yet.
 *
 * 35 tallies are the events of one core. Tally t of core c is the event with the id upcs_core_first[c] +
 * upcs_tally_place[t]. Blue Gene/P has no event for the two others, INSTRUCTIONS and UNKNOWN.
 * doc/reference/CLASSES.md lists the tallies of each instruction.
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
	UPCS_INSTRUCTIONS, /* the guest's instructions, each counted once */
	UPCS_UNKNOWN,      /* instructions unknown to the decoder */
	UPCS_STATIC,       /* number of static tallies; dynamic ones begin here */
	UPCS_STATIC_LAST = UPCS_STATIC - 1,
#define UPCS_DYNAMIC_EXACT(tally)
#define UPCS_DYNAMIC_MEMORY(tally) tally,
#define UPC_SIM_CORE(name, how) UPCS_DYNAMIC_##how(UPCS_##name)
#include "catalogue/bgp_simulated.def"
	UPCS_TALLIES,
	UPCS_EVENTS = UPCS_TALLIES - 2, /* number of events of one core: all but INSTRUCTIONS and UNKNOWN */
};

/* The id of a core's first event. */
extern const uint16_t upcs_core_first[UPCS_CORES];

/* A tally's place among a core's events; INSTRUCTIONS and UNKNOWN are last. The doorbell has tallies in this
 * order. */
extern const uint8_t upcs_tally_place[UPCS_TALLIES];
/* The tally at a place. */
extern const uint8_t upcs_tally_at[UPCS_TALLIES];

/* The name without the core's, such as "JPIPE_ADD_SUB"; "INSTRUCTIONS" and "UNKNOWN". */
extern const char *const upcs_tally_name[UPCS_TALLIES];

/* Items for reports: the tallies, then those derived from them, of one thread or of all. */
enum upcs_item {
	UPCS_TOT_INS = UPCS_TALLIES,
	UPCS_FP_OPS, /* instructions weighted by their operations */
	UPCS_FMA_INS,
	UPCS_LD_INS,
	UPCS_SR_INS,
	UPCS_BR_INS,
	UPCS_ITEMS,
};

/* Return an item's name without a core: "JPIPE_ADD_SUB", "TOT_INS". */
const char *upcs_item_name(unsigned item);
/* Return the item of a name, with or without a prefix such as upc:::, PAPI_, BGP_ and PU_. Return UPCS_ITEMS
 * if there is none, or it is not produced. */
unsigned upcs_item_of(const char *name);
/* Compute the derived items from the tallies. */
void upcs_items_derive(uint64_t item[UPCS_ITEMS]);

/* True if running a program produces the item. Dynamic tallies are not produced. */
static inline bool upcs_is_produced(unsigned item)
{
	return item < UPCS_STATIC || item >= UPCS_TALLIES;
}

#endif
