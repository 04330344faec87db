/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle.h - the instruction sets for which the cycle engine is compiled, from one source and with the
 * same results. upci_engine_cycle.create takes the best that the machine has. Tests and benchmarks choose
 * each.
 */
#ifndef UPCI_ENGINE_CYCLE_H
#define UPCI_ENGINE_CYCLE_H

#include <stdbool.h>

#include "engine/engine.h"

enum upci_isa {
	UPCI_ISA_PLAIN, /* the compiler's target: SSE2, NEON or plain C */
	UPCI_ISA_AVX2,
	UPCI_ISA_AVX512, /* 256-bit vectors with AVX-512VL instructions */
	UPCI_ISAS,
};

const char *upci_isa_name(enum upci_isa isa);

/* True if this build and this machine have the instruction set. */
bool upci_isa_usable(enum upci_isa isa);

/* Create a cycle engine for an instruction set that is usable. */
struct upci_engine *upci_engine_cycle_create(const struct upci_engine_sink *sink, enum upci_isa isa);

#endif
