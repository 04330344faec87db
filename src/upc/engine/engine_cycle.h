/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle.h - the instruction sets that the cycle engine is compiled for: one
 * source, the same bits. upci_engine_cycle.create takes the best that the machine
 * has; tests and benchmarks ask for each.
 */
#ifndef UPCI_ENGINE_CYCLE_H
#define UPCI_ENGINE_CYCLE_H

#include <stdbool.h>

#include "engine/engine.h"

enum upci_isa {
	UPCI_ISA_PLAIN, /* what the compiler was told to assume: SSE2, NEON, plain C */
	UPCI_ISA_AVX2,
	UPCI_ISA_AVX512, /* 256-bit vectors with AVX-512VL's instructions */
	UPCI_ISAS,
};

const char *upci_isa_name(enum upci_isa isa);

/* Whether this build and this machine have it. */
bool upci_isa_usable(enum upci_isa isa);

/* As upci_engine_cycle.create, for an instruction set that is usable. */
struct upci_engine *upci_engine_cycle_create(const struct upci_engine_sink *sink, enum upci_isa isa);

#endif
