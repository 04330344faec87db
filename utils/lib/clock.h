/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h - reads clocks.
 */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include "base/now.h"

static inline uint64_t util_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Return the seconds of CLOCK_MONOTONIC. */
static inline uint64_t util_now_s(void)
{
	return upci_now_ns() / 1000000000u;
}

#endif
