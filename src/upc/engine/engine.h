/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine.h - the interface of three engines, which run a unit's registers on input signals, cycle by cycle.
 * All three must agree in every bit (UPC, sections 4 to 6).
 *
 * Terms:
 *   low-order counter  bits 11..0 of a counter
 *   array word         bits 63..12 of a counter, which lie in a memory array and have a parity bit
 *   latch              remembers that the low-order counter wrapped (carry), until the array update adds it
 *   word               array word plus latch, modulo 2^52
 *   array update       the visit, every 16 cycles, to the next array word: it checks the parity, adds the
 *                      latch, and arms the counter or not
 *   armed              interrupt enabled and not pending, and the word equals bits 63..12 of the threshold
 *                      register (the threshold word)
 *   fire               to raise the interrupt: the next carry of an armed counter does
 *   damaged            of a counter: its array word has wrong parity, which the next visit or read reports
 *   input              one of the four signals that a counter chooses from
 *   field              a counter's byte in the configuration registers: input, mode, interrupt enable, flags
 *   mode               signal mode: what a counter counts, cycles high or low, or rising or falling edges
 *   sample             the value of a counter's chosen input in one cycle
 *   run                a number of cycles that one call of an engine computes
 *
 * More terms: engine/threshold.h.
 *
 * An engine is a unit's registers and a clock that counts cycles from 0. Software accesses the registers
 * between cycles. A run takes the 1024 input signals. Parity errors and interrupts are the engine's events.
 * The engine passes them to a function, the sink, in the order in which they happen: in a cycle first the
 * parity error of the array update, then the interrupts in the order of the counters.
 *
 * Engines return no error but UPC_EFAULT, allocate nothing after their creation, and call nothing but the
 * sink. The sink must not access the engine: one engine may call it in mid-cycle, another when the run is
 * over. If an engine has run_until, the sink may call read, write and flip while it is called from run_until
 * or read, since the engine has then completed its cycle. A caller can thus act on an interrupt before the
 * next cycle.
 */
#ifndef UPCI_ENGINE_H
#define UPCI_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Input signals of one cycle. Bit i of bank k (bank[k][i / 64] >> i % 64) is the signal with id 256 * k + i.
 * 128 bytes; arrays for the cycle engine are 32-byte aligned. */
struct upci_signals {
	_Alignas(32) uint64_t bank[4][UPC_COUNTERS / 64];
};

/* A periodic signal. It is high in cycle k of a run, k from 0, if (k + phase) mod period < high. high is 0
 * (always low) to period (always high); period >= 1; phase < period. */
struct upci_wave {
	uint64_t period, high, phase;
};

enum upci_engine_event { UPCI_ENGINE_PARITY, UPCI_ENGINE_INTERRUPT };

/* cycle is the cycle t in which the event happens or, for an event of a software access, the number of cycles
 * so far. */
struct upci_engine_sink {
	void (*event)(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle);
	void *arg;
};

struct upci_engine;

struct upci_engine_ops {
	const char *name; /* "reference", "cycle", "segment" */
	struct upci_engine *(*create)(const struct upci_engine_sink *sink); /* NULL: no memory */
	void (*destroy)(struct upci_engine *engine);
	/* Software accesses by offset in the register map. Return 0 or UPC_EFAULT. */
	int (*read)(struct upci_engine *engine, unsigned offset, uint64_t *value);
	int (*write)(struct upci_engine *engine, unsigned offset, uint64_t value);
	/*
	 * Copies all counters and fields without the side effects of a read: parity is not checked, and the
	 * sink is not called. suspect[i] is true if a read of counter i would find an error. Each array has
	 * UPC_COUNTERS elements. NULL if an engine does not have the operation.
	 */
	void (*peek)(const struct upci_engine *engine, uint64_t *counter, uint8_t *field, bool *suspect);
	/* Flips bit 0..51 of a counter's array word, but not its parity. */
	void (*flip)(struct upci_engine *engine, unsigned counter, unsigned bit);
	/* Runs n >= 1 cycles in which the signal with id i has the waveform wave[i]; wave has 1024
	 * elements. */
	void (*run_waves)(struct upci_engine *engine, const struct upci_wave *wave, uint64_t n);
	/*
	 * Like run_waves, for at most n cycles, but ends with the first cycle that has an event, and calls
	 * the sink in order when that cycle is over. Accesses by the sink do not withdraw any events of that
	 * cycle. Returns the number of cycles that it ran, 1 or more. To continue, the caller advances the
	 * phases of the waves by that number. NULL if an engine does not have the operation.
	 */
	uint64_t (*run_until)(struct upci_engine *engine, const struct upci_wave *wave, uint64_t n);
	/* Runs n cycles with signals from memory. NULL if an engine takes only waves. */
	void (*run_signals)(struct upci_engine *engine, const struct upci_signals *signals, uint64_t n);
	/* Number of cycles run so far. */
	uint64_t (*cycles)(const struct upci_engine *engine);
	/* Number of cycles that were computed in closed form, without stepping. */
	uint64_t (*cycles_closed)(const struct upci_engine *engine);
};

extern const struct upci_engine_ops upci_engine_reference; /* engine_reference.c */
extern const struct upci_engine_ops upci_engine_cycle;     /* engine_cycle.c */
extern const struct upci_engine_ops upci_engine_segment;   /* engine_segment.c */

static inline bool upci_wave_at(const struct upci_wave *wave, uint64_t k)
{
	/* Compare first, since the sum of at and phase may exceed 2^64. */
	uint64_t rest = wave->period - wave->phase, at = k % wave->period;

	at = at < rest ? at + wave->phase : at - rest;
	return at < wave->high;
}

#endif
