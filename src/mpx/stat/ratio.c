/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ratio.c - the quotient of two estimates a and b. Its interval consists of the ratios r for which a - r b
 * differs from 0 by no more than its error (Fieller). The variance of a count is proportional to the true
 * count.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>
#include <string.h>

#include "stat/ratio.h"

#define EXACT_FREEDOM 1e9

void mpxi_part_of(const struct mpxi_window *w, enum mpxi_estimator estimator, struct mpxi_part *part)
{
	memset(part, 0, sizeof(*part));
	part->count = (double)w->sums.count;
	if (w->exact) {
		part->exact = true;
		part->coverage = 1;
		part->outcome.value = part->count;
		part->outcome.freedom = EXACT_FREEDOM;
		return;
	}
	if (!w->sums.size || !w->time) {
		part->never = true;
		return;
	}
	part->outcome = mpxi_outcome_of(w, estimator);
	part->coverage = fmin((double)w->sums.size / (double)w->time, 1);
	part->floor = mpxi_outcome_floor(&part->outcome, part->count, part->coverage);
	part->variance = part->outcome.variance + part->outcome.unseen * part->outcome.unseen;
}

/* ---- correlation of errors ------------------------------------------------------------------ */

static bool is_one_sample(const struct mpxi_window *a, const struct mpxi_window *b)
{
	return a->sums.size == b->sums.size && a->sums.slices == b->sums.slices;
}

bool mpxi_pair_is_one_sample(const struct mpxi_pair_windows *pair)
{
	return pair->both && is_one_sample(pair->a, pair->both) && is_one_sample(pair->b, pair->both);
}

static double polar_covariance(double both, double a, double b)
{
	return (both - a - b) / 2;
}

/* Limit a covariance to its possible range. */
static double limit_covariance(double covariance, double a, double b)
{
	const double most = sqrt(fmax(a, 0) * fmax(b, 0));

	return fmin(fmax(covariance, -most), most);
}

static void bond_alike(const struct mpxi_outcome *a, const struct mpxi_outcome *b,
		       const struct mpxi_outcome *both, struct mpxi_bond *bond)
{
	/* Leave out the variance that is due to counts being integers, since these errors of the two
	 * events are independent. */
	bond->of_noise = limit_covariance(polar_covariance(both->of_noise - both->whole,
							   a->of_noise - a->whole, b->of_noise - b->whole),
					  a->of_noise - a->whole, b->of_noise - b->whole);
	bond->of_change = limit_covariance(polar_covariance(both->of_change - both->whole,
							    a->of_change - a->whole, b->of_change - b->whole),
					   a->of_change - a->whole, b->of_change - b->whole);
	bond->closely =
		polar_covariance(both->closely - both->whole, a->closely - a->whole, b->closely - b->whole);
}

/* Return the factor by which taking turns limits the covariance of two events' errors: the smaller of 1
 * and 1/x, where x is the product of (1 - p) / p of both events, and p is an event's coverage. The
 * reason: the variance of an event's error is (1 - p) / p times the variance of its counts over all the
 * time, and the covariance of the errors of two events that take turns is minus the covariance of their
 * counts. */
static double odds_of_both(const struct mpxi_part *a, const struct mpxi_part *b)
{
	const double p = a->coverage, q = b->coverage, product = (1 - p) / p * ((1 - q) / q);

	return product > 1 ? 1 / product : 1;
}

void mpxi_bond_of(const struct mpxi_pair_windows *pair, const struct mpxi_part *a, const struct mpxi_part *b,
		  enum mpxi_estimator estimator, struct mpxi_bond *bond)
{
	const double unseen = fabs(a->outcome.unseen * b->outcome.unseen);
	struct mpxi_outcome both;

	memset(bond, 0, sizeof(*bond));
	bond->kind = MPXI_APART;
	if (a->exact || b->exact)
		return;
	bond->kind = MPXI_UNKNOWN;
	bond->worst = sqrt(fmax(a->variance, a->floor) * fmax(b->variance, b->floor));
	if (!pair->both || a->never || b->never || a->outcome.left || b->outcome.left)
		return;
	if (!pair->both->sums.size) {
		bond->kind = MPXI_APART;
		bond->worst = sqrt(fmax(a->outcome.variance, a->floor) * fmax(b->outcome.variance, b->floor) *
				   odds_of_both(a, b)) +
			      unseen;
		return;
	}
	if (!mpxi_pair_is_one_sample(pair))
		return;
	both = mpxi_outcome_of(pair->both, estimator);
	if (both.left)
		return;
	bond->kind = MPXI_ALIKE;
	bond->worst = unseen;
	bond_alike(&a->outcome, &b->outcome, &both, bond);
}

/* ---- a - r b ------------------------------------------------------------------------------ */

struct difference {
	double variance, freedom;
};

static double variance_component(double a, double b, double both, double r)
{
	return fmax(a - 2 * r * both + r * r * b, 0);
}

/* Return the degrees of freedom of a - r b, with the formula of Welch and Satterthwaite. */
static double freedom_of_two(const struct mpxi_part *a, const struct mpxi_part *b, double r)
{
	double va = fmax(a->variance, a->floor), vb = r * r * fmax(b->variance, b->floor);
	double below = va * va / fmax(a->outcome.freedom, .5) + vb * vb / fmax(b->outcome.freedom, .5);

	return below > 0 ? (va + vb) * (va + vb) / below : fmin(a->outcome.freedom, b->outcome.freedom);
}

static struct difference difference_alike(const struct mpxi_part *a, const struct mpxi_part *b,
					  const struct mpxi_bond *bond, double r)
{
	const struct mpxi_outcome *x = &a->outcome, *y = &b->outcome;
	double whole = x->whole + r * r * y->whole;
	struct difference d = {.freedom = fmin(x->freedom, y->freedom)};
	double noise = variance_component(x->of_noise - x->whole, y->of_noise - y->whole, bond->of_noise, r);
	double change =
		variance_component(x->of_change - x->whole, y->of_change - y->whole, bond->of_change, r);
	double closely = variance_component(x->closely - x->whole, y->closely - y->whole, bond->closely, r);

	d.variance = mpxi_outcome_variance(noise, change, closely, 3 * d.freedom) + whole +
		     x->unseen * x->unseen + r * r * y->unseen * y->unseen + 2 * r * bond->worst;
	return d;
}

static struct difference difference_of(const struct mpxi_part *a, const struct mpxi_part *b,
				       const struct mpxi_bond *bond, double r)
{
	struct difference d;

	if (bond->kind == MPXI_ALIKE)
		return difference_alike(a, b, bond, r);
	d.variance = a->variance + r * r * b->variance + 2 * r * bond->worst;
	d.freedom = freedom_of_two(a, b, r);
	return d;
}

/* ---- the interval ------------------------------------------------------------------------- */

/* The values of a and b, the squared half widths of their intervals, and the correlation of their
 * errors. */
struct fieller {
	double a, b;
	double aa, bb;       /* squared half widths at the estimates */
	double per_a, per_b; /* squared half widths per true count */
	double together;     /* correlation, -1 to 1 */
};

/* Return a positive number if the interval excludes the ratio r. The error is computed for the likeliest
 * pair of true counts that has this ratio. */
static double refusal_of_ratio(const struct fieller *f, double r)
{
	double weights = f->aa + r * r * f->bb;
	double b = weights > 0 ? (f->b * f->aa + r * f->a * f->bb) / weights : f->b;
	double aa = f->per_a * r * b, bb = f->per_b * b, off = f->a - r * f->b;

	return off * off - (aa - 2 * r * f->together * sqrt(aa * bb) + r * r * bb);
}

/* Find the edge of the interval by bisection, between a ratio in the interval (inside) and a ratio that
 * is not (outside). */
static double find_edge(const struct fieller *f, double inside, double outside)
{
	unsigned i;

	for (i = 0; i < 100; i++) {
		double middle = inside + (outside - inside) / 2;

		if (refusal_of_ratio(f, middle) > 0)
			outside = middle;
		else
			inside = middle;
	}
	return outside;
}

static double find_low(const struct fieller *f, double value)
{
	return f->a > 0 && refusal_of_ratio(f, 0) > 0 ? find_edge(f, value, 0) : 0;
}

static double find_high(const struct fieller *f, double value)
{
	double outside = value > 0 ? value : f->per_a / f->b;
	unsigned i;

	for (i = 0; i < 200 && !(refusal_of_ratio(f, outside) > 0); i++)
		outside *= 2;
	return i < 200 ? find_edge(f, value, outside) : INFINITY;
}

static double half_width(double t, double variance, double floor)
{
	return fmax(t * t * variance, MPXI_NORMAL * MPXI_NORMAL * floor);
}

static void fill_ratio(const struct mpxi_part *a, const struct mpxi_part *b, const struct mpxi_bond *bond,
		       struct mpxi_ratio *ratio)
{
	const double r = a->outcome.value / b->outcome.value;
	const double floor = a->floor + r * r * b->floor;
	struct difference d = difference_of(a, b, bond, r);
	struct fieller f = {.a = a->outcome.value, .b = b->outcome.value};
	double t = mpxi_student(d.freedom), most;

	f.aa = half_width(t, a->variance, a->floor);
	f.bb = half_width(t, b->variance, b->floor);
	f.per_a = f.aa / (a->exact ? fmax(f.a, 1) : fmax(f.a, 1 / a->coverage));
	f.per_b = f.bb / (b->exact ? fmax(f.b, 1) : fmax(f.b, 1 / b->coverage));
	most = 2 * r * sqrt(f.aa * f.bb);
	if (most > 0)
		f.together = (f.aa + r * r * f.bb - half_width(t, d.variance, floor)) / most;
	f.together = fmin(fmax(f.together, -1), 1);
	ratio->value = r;
	ratio->standard_error = sqrt(fmax(d.variance, floor)) / f.b;
	ratio->low = find_low(&f, r);
	ratio->open = f.bb >= f.b * f.b;
	ratio->high = ratio->open ? INFINITY : find_high(&f, r);
	ratio->rough = d.freedom < 2;
	ratio->uneven = pow(a->outcome.unseen, 2) + pow(r * b->outcome.unseen, 2) > d.variance / 2;
}

void mpxi_ratio(const struct mpxi_pair_windows *pair, enum mpxi_estimator estimator, struct mpxi_ratio *ratio)
{
	struct mpxi_part a, b;
	struct mpxi_bond bond;

	memset(ratio, 0, sizeof(*ratio));
	mpxi_part_of(pair->a, estimator, &a);
	mpxi_part_of(pair->b, estimator, &b);
	ratio->never = a.never || b.never;
	ratio->exact = a.exact && b.exact;
	if (ratio->never || !(b.outcome.value > 0)) {
		ratio->value = ratio->standard_error = NAN;
		ratio->high = INFINITY;
		ratio->open = true;
		ratio->rough = !ratio->exact;
		return;
	}
	if (ratio->exact) {
		ratio->value = ratio->low = ratio->high = a.count / b.count;
		return;
	}
	mpxi_bond_of(pair, &a, &b, estimator, &bond);
	ratio->guessed = bond.kind == MPXI_UNKNOWN;
	fill_ratio(&a, &b, &bond, ratio);
	ratio->rough |= a.outcome.left || b.outcome.left || (!a.exact && a.outcome.freedom < 2) ||
			(!b.exact && b.outcome.freedom < 2);
}
