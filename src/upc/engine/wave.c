/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wave.c - the inverse of wave.h: the cycle of the n-th count.
 */
#include "engine/wave.h"

uint64_t upci_wave_count_cycle(const struct upci_counting *counting, uint64_t n)
{
	const struct upci_wave *w = &counting->pulse;
	unsigned __int128 pulse;

	/* If first is 1, the first count is in cycle 0 and is not a pulse. */
	if (counting->first > 0 && n == 1)
		return 0;
	/*
	 * Compute the number of the pulse; pulse 0 is at position 0. min(phase, high) pulses lie before the
	 * run. A pulse that does not count is then skipped, or a count without a pulse is taken off. Pulse
	 * number g is at position period * (g div high) + g mod high. 128 bits, since a position may exceed
	 * 2^64 by phase; this runs only once per interrupt.
	 */
	pulse = (unsigned __int128)n - 1 - counting->first + (w->phase < w->high ? w->phase : w->high);
	return (uint64_t)(pulse / w->high * w->period + pulse % w->high - w->phase);
}
