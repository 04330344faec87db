/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - the simulated node: four cores, and the tallies of each.
 *
 * Static tallies depend on the instruction alone: the decoder computes them, and each execution of an
 * instruction adds the same. Therefore only the executions of blocks are counted when a program runs. Dynamic
 * tallies depend on memory accesses, which may be hits or misses: only code that is called at each access can
 * count them. There are none yet.
 *
 * 35 tallies are the events of one core. Tally t of core c is the event with the id upcs_core_first[c] +
 * upcs_tally_place[t]. Blue Gene/P has no events for the two other tallies, INSTRUCTIONS and UNKNOWN.
 * doc/reference/CLASSES.md lists the tallies of each instruction.
 *
 * Terms: decode/decode.h.
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

/* A tally's place: its index among a core's events in the order of their ids. INSTRUCTIONS and UNKNOWN are
 * last. The doorbell (node/doorbell.h) passes tallies in this order. */
extern const uint8_t upcs_tally_place[UPCS_TALLIES];
/* The tally at a place. */
extern const uint8_t upcs_tally_at[UPCS_TALLIES];

/* A tally's name, without that of a core, such as "JPIPE_ADD_SUB"; "INSTRUCTIONS" and "UNKNOWN". */
extern const char *const upcs_tally_name[UPCS_TALLIES];

/* Items of reports, for one thread or for all: the tallies, then numbers that are derived from tallies. */
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
/* Return the item with this name, which may have a prefix such as upc:::, PAPI_, BGP_ and PU_. Return
 * UPCS_ITEMS if there is no such item, or running a program does not produce it. */
unsigned upcs_item_of(const char *name);
/* Compute the derived items from the tallies. */
void upcs_items_derive(uint64_t item[UPCS_ITEMS]);

/* True if running a program produces the item. Dynamic tallies are not produced. */
static inline bool upcs_is_produced(unsigned item)
{
	return item < UPCS_STATIC || item >= UPCS_TALLIES;
}

#endif
