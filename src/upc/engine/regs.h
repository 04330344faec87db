/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regs.h - the unit's registers for sources that report only totals: k counts arrive at once, while the
 * unit's clock stands still (engine "totals"; UPC, sections 4 and 5).
 *
 * Invariants
 *   counter[i] is the 64-bit value that a read of counter i returns: the 52-bit
 *   word (array word plus carry latch, modulo 2^52) in bits 63..12 and the
 *   low-order counter in bits 11..0. A carry out of bit 11 sets the carry latch,
 *   which the array update takes in. Without a clock between counts, the latch
 *   cannot be observed, so it is not stored. A carry out of bit 63 is lost, as is
 *   a carry out of the 52-bit word.
 *
 *   A count on low-order 4095 with word n fires if n equals bits 63..12 of the
 *   threshold, the interrupt is enabled and none is pending. k counts thus fire
 *   exactly if they reach (threshold word + 1) * 4096, modulo 2^64, from below:
 *   k >= distance, where distance is that value minus counter[i], and 0 means
 *   2^64.
 *
 *   Armed is evaluated after every change of anything that it depends on.
 *
 * Terms: engine/engine.h.
 */
#ifndef UPCI_REGS_H
#define UPCI_REGS_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

struct upci_regs {
	uint64_t counter[UPC_COUNTERS];
	uint8_t field[UPC_COUNTERS]; /* UPC_FIELD_*, flags included */
	uint64_t threshold;
	bool run;
};

#define UPCI_FIELD_WRITABLE (UPC_FIELD_INPUT | UPC_FIELD_MODE | UPC_FIELD_INTERRUPT_ENABLE)

static inline uint64_t upci_word(uint64_t value)
{
	return value >> 12;
}

static inline void upci_regs_arm(struct upci_regs *r, unsigned i)
{
	uint8_t f = r->field[i] & (uint8_t)~UPC_FIELD_ARMED;

	if ((f & UPC_FIELD_INTERRUPT_ENABLE) && !(f & UPC_FIELD_INTERRUPT_PENDING) &&
	    upci_word(r->counter[i]) == upci_word(r->threshold))
		f |= UPC_FIELD_ARMED;
	r->field[i] = f;
}

/* Return the number of counts after which counter i fires, including the last; 0 if it does not fire within
 * 2^64 - 1 counts. */
static inline uint64_t upci_regs_distance(const struct upci_regs *r, unsigned i)
{
	if ((r->field[i] & (UPC_FIELD_INTERRUPT_ENABLE | UPC_FIELD_INTERRUPT_PENDING)) !=
	    UPC_FIELD_INTERRUPT_ENABLE)
		return 0;
	return ((upci_word(r->threshold) + 1) << 12) - r->counter[i];
}

/* Add k counts. Return true if the counter's threshold fired. */
static inline bool upci_regs_add(struct upci_regs *r, unsigned i, uint64_t k)
{
	uint64_t distance = upci_regs_distance(r, i);
	bool fired = distance && k >= distance;

	r->counter[i] += k;
	if (fired)
		r->field[i] |= UPC_FIELD_INTERRUPT_PENDING;
	upci_regs_arm(r, i);
	return fired;
}

/* Set a counter to the present value of a level. A level is no count, so nothing fires, but the word has
 * changed. */
static inline void upci_regs_set_level(struct upci_regs *r, unsigned i, uint64_t value)
{
	r->counter[i] = value;
	upci_regs_arm(r, i);
}

/* Write a counter as software does, which acknowledges a pending interrupt and a parity error. */
void upci_regs_write_counter(struct upci_regs *r, unsigned i, uint64_t value);

/* Set input, mode and interrupt enable; flags in field are ignored. */
void upci_regs_write_field(struct upci_regs *r, unsigned i, uint8_t field);

void upci_regs_write_threshold(struct upci_regs *r, uint64_t value);

/* Access the register map. Return 0, or UPC_EFAULT outside of it. Reads have no side effect here. */
int upci_regs_read(const struct upci_regs *r, unsigned offset, uint64_t *value);
int upci_regs_write(struct upci_regs *r, unsigned offset, uint64_t value);

#endif
