/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.c - the four loops of STREAM, for scripts/service/validate: stream ELEMENTS TIMES says how many
 * bytes it has moved by STREAM's own reckoning, in which a store is what it stores and no more.
 */
#include <stdio.h>
#include <stdlib.h>

static double *a, *b, *c;

/* Named, so that upc_run counts it alone; what one loop leaves is not known to the next. */
__attribute__((noinline)) void stream_loops(long n, int times);

void stream_loops(long n, int times)
{
	const double scalar = 3;
	long i;
	int k;

	for (k = 0; k < times; k++) {
		for (i = 0; i < n; i++)
			c[i] = a[i];
		__asm__ volatile("" ::: "memory");
		for (i = 0; i < n; i++)
			b[i] = scalar * c[i];
		__asm__ volatile("" ::: "memory");
		for (i = 0; i < n; i++)
			c[i] = a[i] + b[i];
		__asm__ volatile("" ::: "memory");
		for (i = 0; i < n; i++)
			a[i] = b[i] + scalar * c[i];
		__asm__ volatile("" ::: "memory");
	}
}

int main(int argc, char **argv)
{
	const long n = argc > 1 ? atol(argv[1]) : 0;
	const int times = argc > 2 ? atoi(argv[2]) : 0;
	long i;

	if (n < 1 || n > 100000000 || times < 1)
		return 2;
	a = malloc((size_t)n * sizeof(*a));
	b = malloc((size_t)n * sizeof(*b));
	c = malloc((size_t)n * sizeof(*c));
	if (!a || !b || !c)
		return 1;
	for (i = 0; i < n; i++) {
		a[i] = 1;
		b[i] = 2;
		c[i] = 0;
	}
	stream_loops(n, times);
	/* Copy and Scale move two elements, Add and Triad three. */
	printf("%.0f\n", 10. * sizeof(*a) * (double)n * times);
	return a[n / 2] < 0;
}
