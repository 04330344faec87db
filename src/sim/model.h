/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model.h - the node that programs are run on: four cores, and what is tallied of each.
 *
 * A tally is the number of times that something happened. The first 35 are the events of
 * one core, in the order of their event ids: the event of tally k of core c has the id
 * upcs_core_first[c] + k (design section 4). Behind them lie tallies that Blue Gene/P has no
 * event for. doc/EVENTS.md says which instruction counts as what.
 */
#ifndef UPCS_MODEL_H
#define UPCS_MODEL_H

#include <stdint.h>

#define UPCS_CORES 4u

enum upcs_tally {
	UPCS_JPIPE_INSTRUCTIONS,
	UPCS_JPIPE_ADD_SUB,
	UPCS_JPIPE_LOGICAL_OPS,
	UPCS_JPIPE_SHROTMK,
	UPCS_IPIPE_INSTRUCTIONS,
	UPCS_IPIPE_MULT_DIV,
	UPCS_IPIPE_ADD_SUB,
	UPCS_IPIPE_LOGICAL_OPS,
	UPCS_IPIPE_SHROTMK,
	UPCS_IPIPE_BRANCHES,
	UPCS_IPIPE_TLB_OPS,
	UPCS_IPIPE_PROCESS_CONTROL,
	UPCS_IPIPE_OTHER,
	UPCS_DCACHE_LINEFILLINPROG, /* this and the next three: of the memory model */
	UPCS_ICACHE_LINEFILLINPROG,
	UPCS_DCACHE_MISS,
	UPCS_DCACHE_HIT,
	UPCS_DATA_LOADS,
	UPCS_DATA_STORES,
	UPCS_DCACHE_OPS,
	UPCS_ICACHE_MISS, /* this and the next: of the memory model */
	UPCS_ICACHE_HIT,
	UPCS_FPU_ADD_SUB_1,
	UPCS_FPU_MULT_1,
	UPCS_FPU_FMA_2,
	UPCS_FPU_DIV_1,
	UPCS_FPU_OTHER_NON_STORAGE_OPS,
	UPCS_FPU_ADD_SUB_2,
	UPCS_FPU_MULT_2,
	UPCS_FPU_FMA_4,
	UPCS_FPU_DUAL_PIPE_OTHER_NON_STORAGE_OPS,
	UPCS_FPU_QUADWORD_LOADS,
	UPCS_FPU_OTHER_LOADS,
	UPCS_FPU_QUADWORD_STORES,
	UPCS_FPU_OTHER_STORES,
	UPCS_EVENTS, /* of one core */

	/* Of no event id. */
	UPCS_INSTRUCTIONS = UPCS_EVENTS, /* of the guest, each counted once */
	UPCS_TALLIES,
};

/* The id of tally 0 of each core. */
extern const uint16_t upcs_core_first[UPCS_CORES];

/* The name without the core's, such as "JPIPE_ADD_SUB"; "INSTRUCTIONS" for the last. */
extern const char *const upcs_tally_name[UPCS_TALLIES];

/* Whether running a program tallies it: what only the memory model would is not produced. */
static inline int upcs_is_produced(enum upcs_tally tally)
{
	return tally != UPCS_DCACHE_LINEFILLINPROG && tally != UPCS_ICACHE_LINEFILLINPROG &&
	       tally != UPCS_DCACHE_MISS && tally != UPCS_DCACHE_HIT &&
	       tally != UPCS_ICACHE_MISS && tally != UPCS_ICACHE_HIT;
}

#endif
