/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * level.c - quantiles for any confidence level. estimate.c has the quantiles for 95 % in a cheaper form,
 * since each read of a stopped set computes an interval.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>

#include "stat/level.h"
#include "stat/outcome.h"

#define HALVINGS 60
#define LARGE 1000 /* number of degrees of freedom from which on the expansion in 1/f is as accurate */

double mpxi_level_normal(double level)
{
	double low = 0, high = 8, z = 0;
	int i;

	for (i = 0; i < HALVINGS; i++) {
		z = (low + high) / 2;
		if (erfc(z / sqrt(2)) > 1 - level)
			low = z;
		else
			high = z;
	}
	return z;
}

/* Return x, or a tiny number if x is nearly zero, for use as a denominator of the continued fraction. */
static double not_zero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/* Evaluate the continued fraction of the incomplete beta function by Lentz's method, forward from the
 * first term. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), f = d, even, odd, step = 0;
	int m;

	for (m = 1; m < 1000 && fabs(step - 1) > 1e-15; m++) {
		even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		f *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		f *= step;
	}
	return f;
}

static double gamma_log(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

/* Return the probability that Student's t with f degrees of freedom is larger than t in absolute value:
 * I_x(f / 2, 1 / 2) at x = f / (f + t^2). */
static double probability_beyond(double t, double f)
{
	double a = f / 2, b = .5, x = f / (f + t * t), y = t * t / (f + t * t);
	double front = exp(gamma_log(a + b) - gamma_log(a) - gamma_log(b) + a * log(x) + b * log(y));

	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, y) / b;
}

static double student_exactly(double level, double f)
{
	double low = mpxi_level_normal(level), high, t = low;
	int i;

	/* The quantile for one degree of freedom is a tangent. It is an upper limit, since the quantile
	 * decreases with the degrees of freedom. */
	high = tan(level * acos(-1) / 2) * (1 + 1e-9);
	for (i = 0; i < HALVINGS; i++) {
		t = (low + high) / 2;
		if (probability_beyond(t, f) > 1 - level)
			low = t;
		else
			high = t;
	}
	return t;
}

double mpxi_level_student(double level, double f)
{
	double z, below, whole;

	/* The condition is negated so that NaN passes, too. */
	if (!(f > 1))
		return student_exactly(level, 1);
	if (f < 4) {
		whole = floor(f);
		below = student_exactly(level, whole);
		return below + (f - whole) * (student_exactly(level, whole + 1) - below);
	}
	if (f < LARGE)
		return student_exactly(level, f);
	z = mpxi_level_normal(level);
	return z + (z * z * z + z) / (4 * f) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * f * f);
}

double mpxi_level_chance(double t, double f)
{
	if (!(t > 0))
		return 1;
	return f < LARGE ? probability_beyond(t, fmax(f, 1)) : erfc(t / sqrt(2));
}

double mpxi_level_default_student(double f)
{
	return mpxi_student(f);
}

void mpxi_estimate_at_level(struct mpxi_estimate *estimate, double level)
{
	if (level == MPXI_LEVEL_DEFAULT || estimate->exact || estimate->never || !(estimate->basis.part > 0))
		return;
	mpxi_estimate_interval(estimate, mpxi_level_student(level, estimate->basis.freedom),
			       mpxi_level_normal(level));
}
