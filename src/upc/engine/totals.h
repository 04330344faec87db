/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totals.h - the engine for sources that give only numbers of single counts of an
 * event, while the unit's clock stands still.
 *
 * The registers are those of regs.h and the thresholds of single events those of
 * threshold.h; here counts meet them, and interrupts are told.
 *
 * Invariants
 *   The invariants of regs.h and threshold.h hold, and
 *
 *   pending is clear where there is a period: such an interrupt is acknowledged in
 *   the moment in which it is raised, by the preload for the next one.
 *
 *   any_damaged is whether any bit of damaged is set. Where it is not, and the
 *   counter's interrupt is not enabled, counts change its value and nothing else:
 *   one addition, however many they are.
 *
 *   shown[i], where there is one, is the count of counter i whenever the sink is
 *   called and whenever a call returns.
 *
 * Parity
 *   With no clock, the array is visited when there is something to take in: before
 *   the count that carries into it, and by reads. The parity error comes before the
 *   interrupt of the same count, as in a cycle. Preloads for thresholds move the
 *   register and its offset together, the damage with them: the count is as wrong
 *   as before, so that what is known of it, or not yet known, stays.
 */
#ifndef UPCI_TOTALS_H
#define UPCI_TOTALS_H

#include <stdbool.h>

#include "engine/engine.h"
#include "engine/regs.h"
#include "engine/threshold.h"

struct upci_totals {
	struct upci_regs regs;
	bool any_damaged;
	/* Where the counts (register - offset) are shown to others, UPC_COUNTERS
	 * places that are stored to one by one, or NULL. Whoever sets it shows the
	 * counts of that moment, by upci_totals_read_all. */
	uint64_t *shown;
	struct upci_thresholds thresholds;
	/* Bit per counter: an odd number of bits of its array word was flipped since
	 * its parity was made. */
	uint64_t damaged[UPC_COUNTERS / 64];
	/* Called when the event happens, and before any later count; cycle is 0. It may
	 * call everything here but adds; the counts that are left meet what it made of
	 * the registers. */
	struct upci_engine_sink sink;
};

/* Reset state. The sink is copied, and must be one. */
void upci_totals_init(struct upci_totals *totals, const struct upci_engine_sink *sink);

/* The same as upci_totals_add, step by step. */
void upci_totals_add_watched(struct upci_totals *totals, unsigned id, uint64_t k);

/* The count of a counter's event. */
static inline uint64_t upci_totals_count(const struct upci_totals *totals, unsigned counter)
{
	return totals->regs.counter[counter] - totals->thresholds.offset[counter];
}

/* Whether a counter counts the counts of event id. */
static inline bool upci_totals_counts(const struct upci_totals *totals, unsigned id)
{
	unsigned input = totals->regs.field[id % UPC_COUNTERS] & UPC_FIELD_INPUT;

	return totals->regs.run & (id / UPC_COUNTERS == input);
}

/* Stores the count where others see it. Release, for their loads: a reader that sees
 * this count also sees those that were stored before it. */
static inline void upci_totals_show(struct upci_totals *totals, unsigned counter)
{
	if (totals->shown)
		__atomic_store_n(&totals->shown[counter], upci_totals_count(totals, counter),
				 __ATOMIC_RELEASE);
}

/*
 * k single counts of event id 0..1023: of the counter whose input it is, if that
 * chooses it and the unit runs. Each threshold that is met on the way is told, in
 * order; a repeating one as often as it is met.
 */
static inline void upci_totals_add(struct upci_totals *totals, unsigned id, uint64_t k)
{
	unsigned i = id % UPC_COUNTERS;
	bool watched = totals->regs.field[i] & UPC_FIELD_INTERRUPT_ENABLE;

	if (__builtin_expect(watched | totals->any_damaged, 0)) {
		upci_totals_add_watched(totals, id, k);
		return;
	}
	/* No branch: a predictor could not learn which ids are chosen. */
	totals->regs.counter[i] += k & -(uint64_t)upci_totals_counts(totals, id);
	upci_totals_show(totals, i);
}

/*
 * A signal that was high in so many cycles, in so many separate stretches: the
 * signal mode of the counter picks one (level-high the cycles, both edges the
 * stretches). Level-low counts need the number of low cycles, which is not given:
 * nothing is counted, and the event's source refuses the mode.
 */
void upci_totals_add_signal(struct upci_totals *totals, unsigned id, uint64_t edges, uint64_t high);

/*
 * Gives a counter the event threshold period, 0 none; its count stays. The first
 * interrupt is at the next multiple of period, and each as many counts after the one
 * before. Sets the counter's interrupt enable, or clears it where there was a
 * period and is none any more.
 */
void upci_totals_set_threshold(struct upci_totals *totals, unsigned counter, uint64_t period);

/* Gives the counter's event the count value, and the counter the preload that goes
 * with it: the next interrupt of an event threshold is at the next multiple of its
 * period. Otherwise as a write of the counter: it mends a parity error. */
void upci_totals_preset(struct upci_totals *totals, unsigned counter, uint64_t value);

/* Counts of all 256 counters: registers less offsets. No side effect. */
void upci_totals_read_all(const struct upci_totals *restrict totals, uint64_t values[restrict UPC_COUNTERS]);

/*
 * Register map; 0 or UPC_EFAULT. It is the unit's: counters are read and written
 * without regard to event thresholds, whose offsets stay, so that a write of a counter
 * that has one moves both its count and the place where it next fires. After that it
 * repeats by its period again.
 * A write that changes bits 63..12 of the threshold register preloads all counters
 * with event thresholds for it, counts unchanged, and one that sets the interrupt
 * enable of such a counter preloads that: the next interrupt is at the next multiple.
 */
int upci_totals_read(struct upci_totals *totals, unsigned offset, uint64_t *value);
int upci_totals_write(struct upci_totals *totals, unsigned offset, uint64_t value);

/* Flips bit 0..51 of a counter's array word, not its parity. */
void upci_totals_flip(struct upci_totals *totals, unsigned counter, unsigned bit);

#endif
