/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.c - mean and standard deviation of a stream of numbers, and selection by rank (Hoare's
 * algorithm). Sums are of the differences from the first number, so that numbers which differ only
 * slightly lose no digits.
 */
#include <math.h>

#include "jobstat/spread.h"

double spread_mean(const struct spread *spread)
{
	return spread->n ? spread->first + spread->sum / spread->weight : NAN;
}

double spread_sd(const struct spread *spread)
{
	double squares;

	if (spread->n < 2)
		return NAN;
	squares = spread->squares - spread->sum * spread->sum / spread->weight;
	return sqrt(fmax(squares, 0) / spread->weight * spread->n / (spread->n - 1));
}

double spread_min(const struct spread *spread)
{
	return spread->n ? spread->min : NAN;
}

double spread_max(const struct spread *spread)
{
	return spread->n ? spread->max : NAN;
}

double spread_select(double *x, unsigned n, unsigned place)
{
	long low = 0, high = (long)n - 1;

	while (low < high) {
		/* The middle element as pivot, so that sorted numbers are not a bad case. */
		const double pivot = x[low + (high - low) / 2];
		long i = low, j = high;

		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i <= j) {
				const double other = x[i];

				x[i++] = x[j];
				x[j--] = other;
			}
		}
		if ((long)place <= j)
			high = j;
		else if ((long)place >= i)
			low = i;
		else
			break;
	}
	return x[place];
}

double spread_median(double *x, unsigned n)
{
	const double high = spread_select(x, n, n / 2);
	double low;

	if (n % 2)
		return high;
	low = x[0];
	/* After the selection, all numbers before n / 2 are at most high. */
	for (unsigned i = 1; i < n / 2; i++)
		if (x[i] > low)
			low = x[i];
	return low / 2 + high / 2;
}
