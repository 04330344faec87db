/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * daxpy.c - a loop with a known amount of work: a million multiplications and a million additions. The
 * program calls no library of this project. See "A first measurement" in README.md.
 */
#include <stdio.h>

enum { N = 1000, ROUNDS = 1000 };

static double x[N], y[N];

__attribute__((noinline)) static void daxpy(double a)
{
	for (int i = 0; i < N; i++)
		y[i] += a * x[i];
}

int main(void)
{
	for (int i = 0; i < N; i++)
		x[i] = i;
	for (int k = 0; k < ROUNDS; k++)
		daxpy(0.5);
	printf("%g\n", y[N - 1]);
	return 0;
}
