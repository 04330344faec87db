/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * now.h - the time of a clock that never steps back.
 */
#ifndef UPCI_NOW_H
#define UPCI_NOW_H

#include <stdint.h>
#include <time.h>

/* Return CLOCK_MONOTONIC in ns. Async-signal-safe. */
static inline uint64_t upci_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
