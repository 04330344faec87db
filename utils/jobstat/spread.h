/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - mean, standard deviation, least and greatest of numbers that come one by one, with weights.
 */
#ifndef JOBSTAT_SPREAD_H
#define JOBSTAT_SPREAD_H

/* Zero bytes: of none. */
struct spread {
	unsigned n;
	double weight, first; /* first: of the numbers */
	double sum, squares;  /* of what they are beyond the first, by weight */
	double min, max;
};

/* A number that is NAN, or has no weight, is left out. */
static inline void spread_add(struct spread *spread, double x, double weight)
{
	double far;

	if (x != x || !(weight > 0))
		return;
	if (spread->n++ == 0)
		spread->first = spread->min = spread->max = x;
	far = x - spread->first;
	spread->weight += weight;
	spread->sum += weight * far;
	spread->squares += weight * far * far;
	spread->min = x < spread->min ? x : spread->min;
	spread->max = x > spread->max ? x : spread->max;
}

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
