/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - weighted mean, standard deviation, minimum and maximum of a stream of numbers.
 */
#ifndef JOBSTAT_SPREAD_H
#define JOBSTAT_SPREAD_H

/* The accumulated sums. All bytes zero: no numbers yet. */
struct spread {
	unsigned n;
	double weight, first; /* first: the first number */
	double sum, squares;  /* weighted sums of x - first and of its square */
	double min, max;
};

/* Add a number. A number that is NAN or has no weight is ignored. */
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

/* Return the mean, or NAN if there are no numbers. The standard deviation (weighted, with divisor n - 1) is
 * NAN for fewer than two numbers. */
double spread_mean(const struct spread *spread);
double spread_sd(const struct spread *spread);
double spread_min(const struct spread *spread);
double spread_max(const struct spread *spread);

/* Return the number at an index of the sorted order of n > 0 numbers. The array is reordered. */
double spread_select(double *x, unsigned n, unsigned place);

/* Return the median; for an even count, the mean of the middle two. The array is reordered. */
double spread_median(double *x, unsigned n);

#endif
