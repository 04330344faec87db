/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * burden.h - how much counting slows the program. A tracepoint in a hot loop costs time with each count,
 * but only in the slices of its own group. Pure; not for handlers: floating point.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_BURDEN_H
#define MPXI_BURDEN_H

#include "stat/pool.h"
#include "stat/ratio.h"

/* Share of the time below which slowing is not reported. */
#define MPXI_BURDEN .01

/*
 * Mark a result as slowed, and widen its interval, if counting took more than MPXI_BURDEN of the event's
 * slices or of all time. cost is the time, in units of T, that one count of a tracepoint takes. The
 * estimate may be wrong by the difference between the shares of the event's slices and of all time. The
 * interval is extended on both sides by one and a half times that error. Exact results and results without
 * an estimate do not change.
 */
void mpxi_burden_judge(struct mpxi_result *result, double cost);

/*
 * Mark a ratio of two events as slowed, and widen its interval. Only for events that do not share all of
 * their slices: shared slices slow both events alike. a and b are the delaying counts per unit of time in
 * the slices of the numerator and in those of the denominator. The ratio is slowed if the larger of the two
 * resulting shares of the time is above MPXI_BURDEN. Its interval is then extended on both sides by the
 * difference of the two shares, and by half of the larger share, since the cost of a count may differ
 * between tracepoints.
 */
void mpxi_burden_judge_ratio(struct mpxi_ratio *ratio, double a, double b, double cost);

#endif
