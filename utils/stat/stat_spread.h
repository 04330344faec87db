/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_spread.h - the mean of repeated measurements, their spread, and the change between two means. All
 * functions are pure.
 */
#ifndef STAT_SPREAD_H
#define STAT_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct stat_spread {
	unsigned n;
	double mean;
	double deviation; /* standard deviation of one measurement (divisor n - 1); 0 if n is 1 */
	double error;     /* standard error of mean */
};

struct stat_spread stat_spread_of(const double *value, unsigned n);

/* Return half the width of the 95 % interval of the mean; infinite if n is less than 2. */
double stat_spread_half(const struct stat_spread *spread);

/* Return the nearest integer to a mean of counts from 0 to 2^64 - 1. */
uint64_t stat_spread_whole(double mean);

/* Return the standard error in percent of the mean, which perf stat shows after "+-". */
double stat_spread_percent(const struct stat_spread *spread);

/* Minimum number of runs on each side for a verdict. With fewer runs no order of the results is improbable
 * enough: if the two sides do not differ, all 3 results of one side are above or below all 3 of the other
 * in one case of ten by chance; with 4 and 4 results, in one case of 35. */
#define STAT_CHANGE_RUNS 4

enum stat_verdict { STAT_UNKNOWN, STAT_SAME, STAT_LESS, STAT_MORE };

/* The change between two means, as b / a. */
struct stat_change {
	bool has_ratio; /* a's mean is not 0         */
	double ratio;
	bool has_interval; /* both sides have a spread, so that low and high are a 95 % interval */
	double low, high;
	enum stat_verdict verdict; /* STAT_SAME: no difference is visible */
};

struct stat_change stat_spread_change(const struct stat_spread *a, const struct stat_spread *b);

#endif
