/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totals.h - the engine "totals", for sources that report only how many counts an event had, while the unit's
 * clock stands still.
 *
 * The registers are those of regs.h, and the thresholds of single events those of threshold.h. This engine
 * adds counts to them and reports interrupts to the sink.
 *
 * Invariants
 *   The invariants of regs.h and threshold.h hold, and:
 *
 *   pending is clear for a counter with a period: the preload for the next
 *   interrupt acknowledges an interrupt at the moment at which it is raised.
 *
 *   any_damaged is true if any bit of damaged is set. If it is false and a
 *   counter's interrupt is not enabled, counts change only its value, by one
 *   addition for any number of counts.
 *
 *   shown[i], if shown is set, is the count of counter i whenever the sink is
 *   called and whenever a call returns.
 *
 * Parity
 *   Without a clock, the array is visited when there is something to take in:
 *   before the count that carries into it, and by reads. The parity error comes
 *   before the interrupt of the same count, as in a cycle. Preloads for thresholds
 *   move the register and its offset together, and the damage with them. The count
 *   is as wrong as before, so its damage stays found or not found.
 *
 * Terms: engine/engine.h, engine/threshold.h.
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
	/* Array in which others see the counts (register - offset): UPC_COUNTERS elements, each stored
	 * separately, or NULL. After the caller sets it, the caller stores the present counts with
	 * upci_totals_read_all. */
	uint64_t *shown;
	struct upci_thresholds thresholds;
	/* One bit per counter: an odd number of bits of its array word was flipped since its parity was
	 * computed. */
	uint64_t damaged[UPC_COUNTERS / 64];
	/* Called when the event happens and before any later count; cycle is 0. The sink may call every
	 * function of this file except those that add counts. The rest of the counts is then added to the
	 * registers as the sink leaves them. */
	struct upci_engine_sink sink;
};

/* Set the reset state. The sink is copied and must have a function. */
void upci_totals_init(struct upci_totals *totals, const struct upci_engine_sink *sink);

/* Do the same as upci_totals_add for a watched counter: its interrupt is enabled, or it is damaged. */
void upci_totals_add_watched(struct upci_totals *totals, unsigned id, uint64_t k);

/* Return the count of a counter's event. */
static inline uint64_t upci_totals_count(const struct upci_totals *totals, unsigned counter)
{
	return totals->regs.counter[counter] - totals->thresholds.offset[counter];
}

/* True if a counter counts the event id and the unit runs. */
static inline bool upci_totals_counts(const struct upci_totals *totals, unsigned id)
{
	unsigned input = totals->regs.field[id % UPC_COUNTERS] & UPC_FIELD_INPUT;

	return totals->regs.run & (id / UPC_COUNTERS == input);
}

/* Store the count where others read it. Release, paired with their acquire loads: a reader that sees this
 * count also sees all counts that were stored before it. */
static inline void upci_totals_show(struct upci_totals *totals, unsigned counter)
{
	if (totals->shown)
		__atomic_store_n(&totals->shown[counter], upci_totals_count(totals, counter),
				 __ATOMIC_RELEASE);
}

/*
 * Add k single counts of event id 0..1023 to the counter that has it as an input, if the counter chooses that
 * input and the unit runs. Each threshold that is met is reported, in order; a periodic threshold as often as
 * it is met.
 */
static inline void upci_totals_add(struct upci_totals *totals, unsigned id, uint64_t k)
{
	unsigned i = id % UPC_COUNTERS;
	bool watched = totals->regs.field[i] & UPC_FIELD_INTERRUPT_ENABLE;

	if (__builtin_expect(watched | totals->any_damaged, 0)) {
		upci_totals_add_watched(totals, id, k);
		return;
	}
	/* No branch: a branch predictor could not learn which ids are chosen. */
	totals->regs.counter[i] += k & -(uint64_t)upci_totals_counts(totals, id);
	upci_totals_show(totals, i);
}

/*
 * Add a signal that was high in the given number of cycles (high), which formed the given number of separate
 * pulses (edges). The counter's signal mode selects the number that is added: level-high adds the cycles,
 * both edge modes add the pulses. Level-low would need the number of low cycles, which is not given. Nothing
 * is counted in that mode, and the event's source refuses it.
 */
void upci_totals_add_signal(struct upci_totals *totals, unsigned id, uint64_t edges, uint64_t high);

/*
 * Set the threshold period of a counter's event, 0: none. The count stays. The first interrupt comes at the
 * next multiple of period, and each later one after period more counts. Sets the counter's interrupt enable,
 * or clears it if a period is removed.
 */
void upci_totals_set_threshold(struct upci_totals *totals, unsigned counter, uint64_t period);

/* Set the count of a counter's event, and the counter's preload for it: the next interrupt of the event's
 * threshold comes at the next multiple of its period. In other respects this is a write of the counter, which
 * repairs a parity error. */
void upci_totals_preset(struct upci_totals *totals, unsigned counter, uint64_t value);

/* Copy the counts of all 256 counters: registers less offsets. No side effect. */
void upci_totals_read_all(const struct upci_totals *restrict totals, uint64_t values[restrict UPC_COUNTERS]);

/*
 * Access the unit's register map. Return 0 or UPC_EFAULT. Counters are read and written without regard to
 * event thresholds, whose offsets stay. A write of a counter with a threshold therefore moves both its count
 * and the place where it next fires; after that it repeats by its period again.
 *
 * A write that changes bits 63..12 of the threshold register preloads all counters with event thresholds for
 * the new value; their counts stay. A write that sets the interrupt enable of such a counter preloads that
 * counter. The next interrupt comes at the next multiple.
 */
int upci_totals_read(struct upci_totals *totals, unsigned offset, uint64_t *value);
int upci_totals_write(struct upci_totals *totals, unsigned offset, uint64_t value);

/* Flip bit 0..51 of a counter's array word, but not its parity. */
void upci_totals_flip(struct upci_totals *totals, unsigned counter, unsigned bit);

#endif
