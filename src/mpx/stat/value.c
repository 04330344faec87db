/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * value.c - computes an estimate without its error (mpxi_stat_line). It needs no window; the 128-bit sums
 * of a window would take ten times as long.
 *
 * Terms: stat/stat.h.
 */
#include "stat/stat.h"

#define LIMIT ((uint64_t)1 << 62)

/* Convert a number below 2^63 to double. A conversion from the unsigned type takes three times as long. */
static double u63_to_double(uint64_t x)
{
	return (double)(int64_t)x;
}

/* Compute the counts in the gaps of the time from start to now, including the gap since the event's last
 * slice. Return false if they cannot be computed here. */
static bool gap_counts(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		       const struct mpxi_mark *start, struct mpxi_line *line)
{
	const uint64_t one = (uint64_t)1 << MPXI_GAP_BITS;
	uint64_t g = (running ? running->begin : now) - stat->gap_begin;
	uint64_t count = stat->last.count, size = stat->last.size;
	mpxi_i128 gap = stat->sums.gap - start->sums.gap, whole = gap >> MPXI_GAP_BITS;

	if ((int64_t)whole != whole)
		return false;
	line->rest = (double)(int64_t)whole + u63_to_double((uint64_t)gap & (one - 1)) * (1. / (double)one);
	if (!size)
		/* If the event has had no slice before, return true only if it has been counted since it
		 * became active: then there is no gap. */
		return running && !g && !start->unfilled;
	if (running && running->end != running->begin) {
		count += running->count;
		size += running->end - running->begin;
	}
	line->slope = u63_to_double(count) / u63_to_double(size);
	line->rest += u63_to_double(g) * line->slope;
	if (start->unfilled)
		line->rest -= u63_to_double(start->unfilled) * u63_to_double(stat->first.count) /
			      u63_to_double(stat->first.size);
	return true;
}

bool mpxi_stat_line(const struct mpxi_stat *stat, const struct mpxi_slice *running, uint64_t now,
		    const struct mpxi_mark *start, enum mpxi_estimator estimator, struct mpxi_line *line)
{
	uint64_t count = stat->sums.count - start->sums.count;
	uint64_t size = stat->sums.size - start->sums.size, time = now - start->now;

	if (running) {
		count += running->count;
		size += running->end - running->begin;
	}
	/* Below this limit no sum that is used here has saturated. */
	if (count >= LIMIT || stat->sums.count >= LIMIT || !size)
		return false;
	*line = (struct mpxi_line){.count = (int64_t)count};
	/* The event was counted all the time so far. If its group does not run, the value's slope is
	 * unknown. */
	if (size >= time)
		return running;
	if (estimator == MPXI_RATIO) {
		line->slope = u63_to_double(count) / u63_to_double(size);
		line->rest = u63_to_double(time - size) * line->slope;
	} else if (estimator != MPXI_INTERPOLATED || !gap_counts(stat, running, now, start, line)) {
		return false;
	}
	return line->rest < (double)LIMIT;
}
