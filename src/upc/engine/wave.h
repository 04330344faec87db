/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wave.h - periodic signals in closed form: how often a counter counts a signal in the first m cycles of a
 * run, for any m, and in which cycle its n-th count falls.
 *
 * Positions
 *   In cycle k of a run a wave is at position x = phase + k of an endless sequence
 *   of periods that begins at 0. The wave is high if x mod period < high. The
 *   number of high cycles among 0..m-1 is therefore G(phase + m) - G(phase), where
 *
 *       G(x) = high * (x div period) + min(x mod period, high)
 *
 *   is the number of high positions among 0..x-1.
 *
 * One shape for all signal modes
 *   The cycles that count form a wave themselves, whose high cycles are pulses:
 *
 *       level-high   x mod period < high               the wave itself
 *       level-low    (x - high) mod period < period - high
 *       low-high     x mod period = 0                  the first high position
 *       high-low     (x - high) mod period = 0         the first low position
 *
 *   A wave that is always high or always low has no transitions. Only cycle 0 of a
 *   run may differ from the pulses: its transition is the one from the sample
 *   before the run, which is not the wave's, and there is none without such a
 *   sample. The number of counts in cycles 0..m-1 is therefore the number of
 *   pulses plus, if m > 0, a correction of -1, 0 or 1.
 *
 * Overflow
 *   All fields and m may be up to 2^64 - 1, so phase + m may overflow. m is
 *   divided by the period first. phase plus the remainder is below two periods,
 *   and is reduced below one period, even if the 64-bit sum wrapped. The result
 *   fits, since it is at most m, so the sum modulo 2^64 is the sum.
 *
 * Terms: engine/engine.h.
 */
#ifndef UPCI_WAVE_H
#define UPCI_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

/* How a counter counts a wave, from cycle 0 of a run on. */
struct upci_counting {
	struct upci_wave pulse;
	int first; /* counts in cycle 0 less those of pulse */
};

static inline bool upci_wave_constant(const struct upci_wave *wave)
{
	return wave->high == 0 || wave->high == wave->period;
}

/* Return n div d. On many processors a 32-bit division takes a third of the time. */
static inline uint64_t upci_wave_divide(uint64_t n, uint64_t d)
{
	if ((n | d) >> 32)
		return n / d;
	return (uint32_t)n / (uint32_t)d;
}

/* Return (phase + rest) mod period, for two numbers below period. */
static inline uint64_t upci_wave_add(uint64_t phase, uint64_t rest, uint64_t period)
{
	uint64_t room = period - phase;

	return rest < room ? phase + rest : rest - room;
}

/* Return the number of high cycles among the first m. */
static inline uint64_t upci_wave_highs(const struct upci_wave *wave, uint64_t m)
{
	uint64_t period = wave->period, high = wave->high, phase = wave->phase;
	uint64_t turns, end;

	if (high == 0)
		return 0;
	if (high == period)
		return m;
	turns = upci_wave_divide(m, period);
	end = upci_wave_add(phase, m - turns * period, period);
	/* The remainder passed the end of a period exactly if it led back to before phase. */
	turns += end < phase;
	return turns * high + (end < high ? end : high) - (phase < high ? phase : high);
}

/* Return how a counter in this mode counts wave. sampled: p is a sample of this input from before the run. */
static inline struct upci_counting upci_wave_counting(const struct upci_wave *wave, enum upc_mode mode,
						      bool sampled, bool p)
{
	struct upci_counting c = {*wave, 0};
	bool s = wave->phase < wave->high;

	if (mode == UPC_MODE_LOW || mode == UPC_MODE_FALL) {
		/* The inverted wave, with its first low position at 0. */
		c.pulse.high = wave->period - wave->high;
		if (wave->phase >= wave->high)
			c.pulse.phase -= wave->high;
		else
			c.pulse.phase += c.pulse.high;
		s = !s;
		p = !p;
	}
	if (mode == UPC_MODE_RISE || mode == UPC_MODE_FALL) {
		c.pulse.high = !upci_wave_constant(wave);
		c.first = (sampled && s && !p) - (c.pulse.phase < c.pulse.high);
	}
	return c;
}

/* Return the number of counts in cycles 0..m-1. */
static inline uint64_t upci_wave_counts(const struct upci_counting *counting, uint64_t m)
{
	if (m == 0)
		return 0;
	return upci_wave_highs(&counting->pulse, m) + (uint64_t)(int64_t)counting->first;
}

/* Return the cycle, from 0, of the n-th count, n from 1. The cycle must be below 2^64. */
uint64_t upci_wave_count_cycle(const struct upci_counting *counting, uint64_t n);

#endif
