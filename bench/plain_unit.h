/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plain_unit.h - the unit as a plain loop over cycles and counters, with which the cycle engine is compared.
 */
#ifndef PLAIN_UNIT_H
#define PLAIN_UNIT_H

#include "engine/engine.h"

struct plain_counter {
	uint64_t array; /* the array word        */
	uint32_t low;   /* the low-order counter */
	uint8_t latch, p, input, mode, enabled, armed, pending;
};

/* All zero is the reset state, except that p must then be set to the previous sample. Parity and start/stop
 * are left out, which makes the plain loop slightly too fast, never too slow. */
struct plain_unit {
	struct plain_counter counter[UPC_COUNTERS];
	uint64_t threshold, t, interrupts;
};

void plain_unit_configure(struct plain_unit *unit, unsigned counter, uint8_t field);
void plain_unit_run(struct plain_unit *unit, const struct upci_signals *signals, uint64_t n);
uint64_t plain_unit_read(const struct plain_unit *unit, unsigned counter);

#endif
