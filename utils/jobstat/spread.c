/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.c - mean and deviation of numbers that come one by one, from what they are beyond the first (so that
 * no digits are lost where they differ by little), and numbers by their order (Hoare's selection).
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
		/* The middle one: numbers that are in order already are no bad case. */
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
	/* Those before it are none greater. */
	for (unsigned i = 1; i < n / 2; i++)
		if (x[i] > low)
			low = x[i];
	return low / 2 + high / 2;
}
