/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sum.h - what is known of one event of a set: of one thread's window, or of several
 * threads', added up. Pure.
 */
#ifndef MPXI_SUM_H
#define MPXI_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat.h"

struct mpxi_result {
	struct mpxi_estimate estimate;
	uint64_t count, size, time, slices;
	unsigned threads, missed;
	bool lost, partial;
};

/* One thread's window as a result. */
void mpxi_result_of_window(const struct mpxi_window *window, enum mpxi_estimator estimator, bool lost,
			   struct mpxi_result *result);

/* Zeroed at first. The threads' errors are independent: variances add up, and so do the
 * squares of how far the intervals reach. */
struct mpxi_sum {
	double value, variance, below, above;
	uint64_t count, size, time, slices;
	unsigned exact, estimated, unknown; /* threads that had time to count in */
	bool rough, lost;
};

void mpxi_sum_add(struct mpxi_sum *sum, const struct mpxi_result *part);

/*
 * Exact where all parts are; never where no part is known. A thread that ran and whose
 * event was never counted makes the sum rough: what it did is missing from it.
 * threads, missed and partial stay 0.
 */
void mpxi_sum_result(const struct mpxi_sum *sum, struct mpxi_result *result);

#endif
