/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_ranges.h - the code of PAPI and libupc, as addresses.
 */
#ifndef MPXI_INSIDE_RANGES_H
#define MPXI_INSIDE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The low 32 bits of a word decide first, as vectors of them are had with the fewest
 * instructions: whether it lies `less' or less behind `first', modulo 2^32. The signature of
 * an address lies above them; other words with such bits are told apart later.
 */
struct mpxi_span {
	uint32_t first, less;
};

/* A word as an address: without its signature. */
static inline uintptr_t mpxi_plain_sig(uintptr_t word)
{
#ifdef __aarch64__
	return word & (((uintptr_t)1 << 48) - 1);
#else
	return word;
#endif
}

/* Appends [begin, end), which stays. false: there is no room. The caller has a lock. */
bool mpxi_ranges_add_locked(uintptr_t begin, uintptr_t end);

/* How many there are, and where each lies, and all of them together. */
unsigned mpxi_ranges_used_sig(void);
struct mpxi_span mpxi_ranges_span_sig(unsigned i);
struct mpxi_span mpxi_ranges_hull_sig(void);

bool mpxi_ranges_have_sig(uintptr_t address);

/* Is any of them in part at [begin, end)? */
bool mpxi_ranges_meet(uintptr_t begin, uintptr_t end);

#endif
