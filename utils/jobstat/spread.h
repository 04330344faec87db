/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - mean, standard deviation, least and greatest of numbers that come one by one, with weights.
 */
#ifndef JOBSTAT_SPREAD_H
#define JOBSTAT_SPREAD_H

/* Zero bytes: of none. */
struct spread {
	unsigned n;
	double weight, mean, squares; /* squares: of deviations from the mean, weighted */
	double min, max;
};

/* A number that is NAN, or has no weight, is left out. */
void spread_add(struct spread *spread, double x, double weight);

/* NAN: of none; the deviation (with n - 1, by weight) of fewer than two. */
double spread_mean(const struct spread *spread);
double spread_sd(const struct spread *spread);
double spread_min(const struct spread *spread);
double spread_max(const struct spread *spread);

/* The number at a place of n > 0 numbers in their order: they are moved about. */
double spread_select(double *x, unsigned n, unsigned place);

/* The median; of an even count the mean of the two in the middle. */
double spread_median(double *x, unsigned n);

#endif
