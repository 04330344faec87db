/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine.h - units that see input signals cycle by cycle: one contract, three
 * engines that must agree in every bit (UPC, sections 4 to 6).
 *
 * An engine is a unit's registers and a clock that counts cycles from 0. Between
 * cycles software accesses it; a run of cycles takes the 1024 input signals.
 * The events of an access or a cycle go to a sink, in the order in which they happen:
 * in a cycle first the parity error of the array update, then the interrupts,
 * counters in order.
 *
 * Engines return no error but UPC_EFAULT, allocate nothing after their creation,
 * and call nothing but the sink. The sink must not access the engine: one engine may
 * call it in mid-cycle, another when the run is over. Only where an engine has
 * run_until, the sink may read, write and flip from there and from read: the engine is
 * at rest then. A caller can thus act on an interrupt before the next cycle.
 */
#ifndef UPCI_ENGINE_H
#define UPCI_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "upc.h"

/* Input signals of one cycle: bit i of bank k (bank[k][i / 64] >> i % 64) is id
 * 256 * k + i. 128 bytes, 32-byte aligned in arrays that the cycle engine gets. */
struct upci_signals {
	_Alignas(32) uint64_t bank[4][UPC_COUNTERS / 64];
};

/* A periodic signal: high in the k-th of a run's cycles, k from 0, when (k + phase)
 * mod period < high. high is 0 (always low) to period (always high); period >= 1;
 * phase < period. */
struct upci_wave {
	uint64_t period, high, phase;
};

enum upci_engine_event { UPCI_ENGINE_PARITY, UPCI_ENGINE_INTERRUPT };

/* cycle: the cycle t in which it happens, or, for an event of a software access, the
 * number of cycles so far. */
struct upci_engine_sink {
	void (*event)(void *arg, enum upci_engine_event event, unsigned counter, uint64_t cycle);
	void *arg;
};

struct upci_engine;

struct upci_engine_ops {
	const char *name; /* "reference", "cycle", "segment" */
	struct upci_engine *(*create)(const struct upci_engine_sink *sink); /* NULL: no memory */
	void (*destroy)(struct upci_engine *engine);
	/* Software accesses, by offset of the register map. 0 or UPC_EFAULT. */
	int (*read)(struct upci_engine *engine, unsigned offset, uint64_t *value);
	int (*write)(struct upci_engine *engine, unsigned offset, uint64_t value);
	/*
	 * All counters and fields as they are, without what reading them does: parity
	 * is not checked and nothing is told. suspect: whether a read would find an
	 * error. UPC_COUNTERS places each. NULL where an engine does not have it.
	 */
	void (*peek)(const struct upci_engine *engine, uint64_t *counter, uint8_t *field, bool *suspect);
	/* Flips bit 0..51 of a counter's array word, not its parity. */
	void (*flip)(struct upci_engine *engine, unsigned counter, unsigned bit);
	/* n >= 1 cycles in which id i has the waveform wave[i], 1024 of them. */
	void (*run_waves)(struct upci_engine *engine, const struct upci_wave *wave, uint64_t n);
	/*
	 * The same, at most n cycles: ends with the first that has an event, and calls the
	 * sink in order when that cycle is over; the sink's accesses do not withdraw any of
	 * its events. Returns the cycles run, 1 or more: the run goes on behind them with the
	 * waves' phases moved on by as much. NULL where an engine does not have it.
	 */
	uint64_t (*run_until)(struct upci_engine *engine, const struct upci_wave *wave, uint64_t n);
	/* n cycles with signals from memory; NULL where an engine takes waves only. */
	void (*run_signals)(struct upci_engine *engine, const struct upci_signals *signals, uint64_t n);
	/* Cycles run so far. */
	uint64_t (*cycles)(const struct upci_engine *engine);
	/* Cycles that were taken in closed form, without stepping. */
	uint64_t (*cycles_closed)(const struct upci_engine *engine);
};

extern const struct upci_engine_ops upci_engine_reference; /* engine_reference.c */
extern const struct upci_engine_ops upci_engine_cycle;     /* engine_cycle.c     */
extern const struct upci_engine_ops upci_engine_segment;   /* engine_segment.c   */

static inline bool upci_wave_at(const struct upci_wave *wave, uint64_t k)
{
	/* The sum of both may pass 2^64. */
	uint64_t rest = wave->period - wave->phase, at = k % wave->period;

	at = at < rest ? at + wave->phase : at - rest;
	return at < wave->high;
}

#endif
