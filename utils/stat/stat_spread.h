/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stat_spread.h - the mean of repeated measurements, how far they spread, and how far two
 * means are from each other: functions of numbers.
 */
#ifndef STAT_SPREAD_H
#define STAT_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

struct stat_spread {
	unsigned n;
	double mean;
	double deviation; /* of one measurement (n - 1); 0 where n is 1 */
	double error;     /* the standard error of the mean             */
};

struct stat_spread stat_spread_of(const double *value, unsigned n);

/* Half of the 95 % interval of the mean; infinite where n is less than 2. */
double stat_spread_half(const struct stat_spread *spread);

/* The next whole number to a mean of counts, which are 0 to 2^64 - 1. */
uint64_t stat_spread_whole(double mean);

/* The standard error in percent of the mean, which is what perf stat shows behind "+-". */
double stat_spread_percent(const struct stat_spread *spread);

/* With fewer runs of each kind no order of theirs is so rare by chance that it says anything:
 * 3 and 3 are apart in one case of ten where nothing differs, 4 and 4 in one of 35. */
#define STAT_CHANGE_RUNS 4

enum stat_verdict { STAT_UNKNOWN, STAT_SAME, STAT_LESS, STAT_MORE };

/* The change of two means, b to a. */
struct stat_change {
	bool has_ratio; /* a's mean is not 0         */
	double ratio;
	bool has_interval; /* both have spread: 95 %    */
	double low, high;
	enum stat_verdict verdict; /* STAT_SAME: no difference is to be seen */
};

struct stat_change stat_spread_change(const struct stat_spread *a, const struct stat_spread *b);

#endif
