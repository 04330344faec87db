/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_estimate.c - the estimators of MPX without libm, which programs that are linked
 * with libpapi.a do not name. PAPI hands on values alone; what functions of libm are
 * for, their errors, it does not.
 */
#include <math.h>

static double upcp_max(double a, double b)
{
	return a > b ? a : b;
}

static double upcp_min(double a, double b)
{
	return a < b ? a : b;
}

/* The exponent is small and whole. */
static double upcp_power(double base, int exponent)
{
	double product = 1;

	while (exponent-- > 0)
		product *= base;
	return product;
}

/* Newton's steps halve what is far too large, and soon double the digits. */
static double upcp_root(double square)
{
	double root = square > 1 ? square : 1, next;

	if (!(square > 0))
		return 0;
	while ((next = (root + square / root) / 2) < root)
		root = next;
	return root;
}

#undef fmax
#undef fmin
#undef pow
#undef sqrt
#define fmax upcp_max
#define fmin upcp_min
#define pow upcp_power
#define sqrt upcp_root
#include "stat/estimate.c"
