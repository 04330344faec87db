/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * threshold.h - gives any number of a unit's events a threshold each, although the unit has only one
 * threshold register (UPC, section 5). A counter's register is set so that it reaches that threshold when the
 * event's count reaches the event's own threshold.
 *
 * Terms:
 *   period    the threshold of a single event, which interrupts at every multiple of it
 *   preload   the value to which a counter's register is set for this purpose, and the setting itself
 *   offset    a counter's register less the count of its event, modulo 2^64
 *   boundary  the register value at which counters fire
 *
 * Invariants
 *   value(i) = register(i) - offset[i], modulo 2^64, is the event's count. A
 *   preload changes the register and offset[i] by the same amount.
 *
 *   A counter fires when it reaches boundary = 4096 * (threshold word + 1), modulo
 *   2^64, from below (regs.h). A counter that is written to boundary - d thus fires
 *   after exactly d counts, for d = 1 .. 2^64 - 1. For an event with count v and
 *   period p, which is to interrupt at the next multiple of p,
 *   d = p - v mod p; 1 <= d <= p.
 *
 *   If the preload is written at the moment of firing, v is a multiple of p and
 *   p counts remain: nothing drifts.
 */
#ifndef UPCI_THRESHOLD_H
#define UPCI_THRESHOLD_H

#include <stdint.h>

#include "upc.h"

struct upci_thresholds {
	uint64_t period[UPC_COUNTERS]; /* 0: none */
	uint64_t offset[UPC_COUNTERS]; /* 0 if the event has no period */
};

/* Return the preload for the register of a counter whose event has the count value. */
static inline uint64_t upci_threshold_preload(uint64_t threshold_register, uint64_t value, uint64_t period)
{
	uint64_t boundary = ((threshold_register >> 12) + 1) << 12;

	return boundary - (period - value % period);
}

#endif
