/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wave.c - the way back: from a number of counts to the cycle of the last of them.
 */
#include "engine/wave.h"

uint64_t upci_wave_count_cycle(const struct upci_counting *counting, uint64_t n)
{
	const struct upci_wave *w = &counting->pulse;
	unsigned __int128 pulse;

	/* A count that is no pulse is cycle 0's, and the first. */
	if (counting->first > 0 && n == 1)
		return 0;
	/*
	 * The pulse, numbered from 0 at position 0: min(phase, high) lie before the
	 * run; then one is skipped that does not count, or none that counted without.
	 * Pulse number g is at position period * (g div high) + g mod high. 128 bits,
	 * since a position may be phase past 2^64, and this is done once an interrupt.
	 */
	pulse = (unsigned __int128)n - 1 - counting->first + (w->phase < w->high ? w->phase : w->high);
	return (uint64_t)(pulse / w->high * w->period + pulse % w->high - w->phase);
}
