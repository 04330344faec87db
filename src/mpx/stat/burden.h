/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burden.h - how far counting slows the program: a tracepoint in a hot loop takes time with each count, in
 * the slices of its own group and in no others. Pure; not for handlers: floating point.
 */
#ifndef MPXI_BURDEN_H
#define MPXI_BURDEN_H

#include "stat/pool.h"
#include "stat/ratio.h"

/* Smaller shares are not reported. */
#define MPXI_BURDEN .01

/*
 * cost: the clock's time that one count of a tracepoint takes. Where counts took more than MPXI_BURDEN of the
 * event's slices, or of all time, the result is slowed. The estimate is then off by the difference between
 * those shares, and its interval reaches one and a half times as far as that on both sides. Exact results,
 * and those without an estimate, stay as they are.
 */
void mpxi_burden_judge(struct mpxi_result *result, double cost);

/*
 * The same for a ratio of two events that do not share all of their slices (those that do are slowed alike).
 * a, b: delaying counts in a unit of the numerator's slices, and of the denominator's. The ratio is slowed
 * where the larger share of the time is above MPXI_BURDEN. Its interval then reaches further on both sides by
 * the difference of their shares, and by half of the larger share, as a count of one tracepoint may cost more
 * than one of another.
 */
void mpxi_burden_judge_ratio(struct mpxi_ratio *ratio, double a, double b, double cost);

#endif
