/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_ranges.c - see inside_ranges.h. The _sig functions call nothing of libc.
 *
 * Terms: ticker/inside.h.
 */
#include <stdatomic.h>

#include "ticker/inside_ranges.h"

#define RANGES 16

/* The ranges. Elements are only appended. used is stored after the new element, so that handlers on any
 * thread see complete elements; the loads in mpxi_ranges_used_sig pair with that store. */
static struct {
	uintptr_t begin, end;
} ranges[RANGES];
static atomic_uint used;
/* The hull of all ranges, packed as hull_of_ranges does; stored after used. */
static atomic_uint_least64_t hull_of_all;

static struct mpxi_span span_of(uintptr_t begin, uintptr_t end)
{
	uintptr_t less = end - begin - 1;

	return (struct mpxi_span){(uint32_t)begin, less > UINT32_MAX ? UINT32_MAX : (uint32_t)less};
}

/* Pack the hull of the first n ranges: its first address and its length - 1, in 32 bits each. */
static uint64_t hull_of_ranges(unsigned n)
{
	uintptr_t low = ranges[0].begin, high = ranges[0].end;
	unsigned i;

	for (i = 1; i < n; i++) {
		low = ranges[i].begin < low ? ranges[i].begin : low;
		high = ranges[i].end > high ? ranges[i].end : high;
	}
	return (uint64_t)(uint32_t)low << 32 | span_of(low, high).less;
}

bool mpxi_ranges_add_locked(uintptr_t begin, uintptr_t end)
{
	unsigned n = atomic_load(&used), i;

	for (i = 0; i < n; i++)
		if (begin >= ranges[i].begin && end <= ranges[i].end)
			return true;
	if (n == RANGES)
		return false;
	ranges[n].begin = begin;
	ranges[n].end = end;
	atomic_store(&used, n + 1);
	atomic_store(&hull_of_all, hull_of_ranges(n + 1));
	return true;
}

unsigned mpxi_ranges_used_sig(void)
{
	return atomic_load_explicit(&used, memory_order_acquire);
}

struct mpxi_span mpxi_ranges_span_sig(unsigned i)
{
	return span_of(ranges[i].begin, ranges[i].end);
}

struct mpxi_span mpxi_ranges_hull_sig(void)
{
	const uint64_t packed = atomic_load_explicit(&hull_of_all, memory_order_acquire);

	return (struct mpxi_span){(uint32_t)(packed >> 32), (uint32_t)packed};
}

bool mpxi_ranges_have_sig(uintptr_t address)
{
	const unsigned n = mpxi_ranges_used_sig();
	unsigned i;

	for (i = 0; i < n; i++)
		if (address - ranges[i].begin < ranges[i].end - ranges[i].begin)
			return true;
	return false;
}

bool mpxi_ranges_meet(uintptr_t begin, uintptr_t end)
{
	const unsigned n = mpxi_ranges_used_sig();
	unsigned i;

	for (i = 0; i < n; i++)
		if (begin < ranges[i].end && end > ranges[i].begin)
			return true;
	return false;
}
