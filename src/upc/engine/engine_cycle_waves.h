/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * engine_cycle_waves.h - waveforms as bits, 64 cycles at a time. The next 64 samples of a lane are computed
 * in one word without a loop or a division, and 64 such words are transposed into 64 cycles of 64 lanes.
 * Terms: engine/engine.h.
 */
#ifndef UPCI_ENGINE_CYCLE_WAVES_H
#define UPCI_ENGINE_CYCLE_WAVES_H

#include "engine/engine.h"

#define WAVE_SPAN 64

/* at is the position of the next sample in the period. For a period of up to 64, pattern repeats it, from its
 * beginning, over 128 bits. The next word is then the 64 bits from position at, which is below 64. */
struct wave_lane {
	uint64_t period, high, at;
	uint64_t step;       /* WAVE_SPAN mod period */
	uint64_t pattern[2]; /* for periods up to WAVE_SPAN */
};

static inline uint64_t wave_ones(uint64_t n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

static inline bool wave_is_constant(const struct upci_wave *wave)
{
	return wave->high == 0 || wave->high == wave->period;
}

/* Start a lane back cycles before cycle k of a run. */
static void wave_start(struct wave_lane *l, const struct upci_wave *wave, uint64_t k, unsigned back)
{
	uint64_t forth = k % wave->period, again = wave->period - back % wave->period;
	unsigned i;

	/* A sum of two values up to the period may exceed 2^64, so subtract instead. */
	l->period = wave->period;
	l->high = wave->high;
	l->at = wave->phase;
	l->at = l->at >= l->period - forth ? l->at - (l->period - forth) : l->at + forth;
	l->at = l->at >= l->period - again ? l->at - (l->period - again) : l->at + again;
	l->step = WAVE_SPAN % l->period;
	l->pattern[0] = l->pattern[1] = 0;
	if (l->period <= WAVE_SPAN)
		for (i = 0; i < 2 * WAVE_SPAN; i++)
			l->pattern[i / 64] |= (uint64_t)(i % l->period < l->high) << i % 64;
}

static inline uint64_t wave_next(struct wave_lane *l)
{
	uint64_t at = l->at, left = l->period - at, word;

	if (l->period <= WAVE_SPAN) {
		/* Two shifts, because a shift by 64 is undefined. */
		word = l->pattern[0] >> at | l->pattern[1] << 1 << (63 - at);
		l->at = at + l->step < l->period ? at + l->step : at + l->step - l->period;
		return word;
	}
	/* At most one new period begins within the word. */
	word = at < l->high ? wave_ones(l->high - at) : 0;
	if (left < WAVE_SPAN)
		word |= wave_ones(l->high) << left;
	l->at = left <= WAVE_SPAN ? WAVE_SPAN - left : at + WAVE_SPAN;
	return word;
}

/* Transpose: bit j of word i becomes bit i of word j. Blocks of 32, 16, ... bits off the diagonal are
 * exchanged. */
static inline void wave_transpose(uint64_t word[64])
{
	uint64_t mask = UINT64_C(0x00000000ffffffff);
	unsigned width, i;

	for (width = 32; width; width /= 2, mask ^= mask << width)
		for (i = 0; i < 64; i = (i + width + 1) & ~width) {
			uint64_t swap = (word[i] >> width ^ word[i + width]) & mask;

			word[i] ^= swap << width;
			word[i + width] ^= swap;
		}
}

#endif
