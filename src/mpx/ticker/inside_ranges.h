/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_ranges.h - the address ranges of the code of PAPI and libupc.
 *
 * Terms: ticker/inside.h.
 */
#ifndef MPXI_INSIDE_RANGES_H
#define MPXI_INSIDE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A range in the low 32 bits of an address: `first' to `first' + `less', modulo 2^32. Words are first
 * compared by their low 32 bits, since 32-bit vector elements take the fewest instructions. The upper bits
 * are compared later, for words that pass; they may contain the pointer authentication code of a signed
 * address.
 */
struct mpxi_span {
	uint32_t first, less;
};

/* Return a word as an address, without a pointer authentication code (aarch64). */
static inline uintptr_t mpxi_plain_sig(uintptr_t word)
{
#ifdef __aarch64__
	return word & (((uintptr_t)1 << 48) - 1);
#else
	return word;
#endif
}

/* Append the range [begin, end), which is never removed. Return false if there is no room. The caller
 * holds a lock. */
bool mpxi_ranges_add_locked(uintptr_t begin, uintptr_t end);

/* Return the number of ranges; range i; the hull of all ranges. */
unsigned mpxi_ranges_used_sig(void);
struct mpxi_span mpxi_ranges_span_sig(unsigned i);
struct mpxi_span mpxi_ranges_hull_sig(void);

bool mpxi_ranges_have_sig(uintptr_t address);

/* True if any range overlaps [begin, end). */
bool mpxi_ranges_meet(uintptr_t begin, uintptr_t end);

#endif
