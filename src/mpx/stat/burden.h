/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burden.h - counting that slows the counted: a tracepoint in a hot loop takes time each time that it
 * counts, in the slices of its own group and in no others'. Pure; not for handlers: floating point.
 */
#ifndef MPXI_BURDEN_H
#define MPXI_BURDEN_H

#include "stat/pool.h"

/* A smaller share of the time is not worth a word. */
#define MPXI_BURDEN .01

/*
 * A count that slows takes so much of the clock's time. Where that is more than MPXI_BURDEN of the
 * event's slices, or of all, the result is slowed: and its interval has in it, one and a half times,
 * what the estimate is off by where the program was slower in the event's slices than in all, or
 * faster. Nothing where the estimate is exact, or there is none.
 */
void mpxi_burden_judge(struct mpxi_result *result, double cost);

#endif
