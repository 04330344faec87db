/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_estimate.c - the estimators of MPX without libm, because programs that link libpapi.a do not
 * link libm. The estimators need libm's functions only for error bounds, and PAPI returns values
 * without error bounds.
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

/* Return base to the power of a small non-negative integer. */
static double upcp_power(double base, int exponent)
{
	double product = 1;

	while (exponent-- > 0)
		product *= base;
	return product;
}

/*
 * Return the square root, by Newton's method. A step halves an estimate that is far too large; near
 * the root, a step doubles the number of correct digits.
 */
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
