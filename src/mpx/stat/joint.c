/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * joint.c - adjusts estimates so that relations hold: each estimate in proportion to the covariance of its
 * error with the relation's. The relations are applied one after the other, which has the same result as
 * applying all at once.
 *
 * Terms: stat/stat.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/joint.h"

struct mpxi_joint *mpxi_joint_create(unsigned n)
{
	struct mpxi_joint *joint = calloc(1, sizeof(*joint) + (3 + 2 * (size_t)n) * n * sizeof(double));

	if (!joint)
		return NULL;
	joint->n = n;
	joint->value = (double *)(joint + 1);
	joint->least = joint->value + n;
	joint->freedom = joint->least + n;
	joint->covariance = joint->freedom + n;
	joint->worst = joint->covariance + (size_t)n * n;
	return joint;
}

void mpxi_joint_free(struct mpxi_joint *joint)
{
	free(joint);
}

static double *matrix_at(double *matrix, const struct mpxi_joint *joint, unsigned i, unsigned k)
{
	return &matrix[(size_t)i * joint->n + k];
}

void mpxi_joint_event(struct mpxi_joint *joint, unsigned i, const struct mpxi_part *part)
{
	joint->value[i] = part->outcome.value;
	joint->least[i] = part->count;
	joint->freedom[i] = part->outcome.freedom;
	*matrix_at(joint->covariance, joint, i, i) = fmax(part->variance, part->floor);
}

void mpxi_joint_bond(struct mpxi_joint *joint, unsigned i, unsigned k, const struct mpxi_bond *bond)
{
	double differences = 3 * fmin(joint->freedom[i], joint->freedom[k]), weight, together;
	double most =
		sqrt(*matrix_at(joint->covariance, joint, i, i) * *matrix_at(joint->covariance, joint, k, k));

	/* The weight is that of mpxi_outcome_variance. A covariance is not limited to the range from
	 * of_noise to of_change, but to its possible range. */
	weight = fmax(differences - 3, 0) / (fmax(differences - 3, 0) + 4);
	together = weight * bond->closely + (1 - weight) * bond->of_noise;
	together = fmin(fmax(together, -most), most);
	*matrix_at(joint->covariance, joint, i, k) = *matrix_at(joint->covariance, joint, k, i) = together;
	*matrix_at(joint->worst, joint, i, k) = *matrix_at(joint->worst, joint, k, i) = bond->worst;
}

/* ---- one relation ------------------------------------------------------------------------- */

/* Return the deviation from the relation, which is the sum that should be 0. *scale becomes the sum of
 * the terms' absolute values. */
static double distance_from_relation(const struct mpxi_joint *joint, const struct mpxi_relation *r,
				     double *scale)
{
	double sum = 0;
	unsigned i;

	*scale = 0;
	for (i = 0; i < r->n; i++) {
		sum += r->coefficient[i] * joint->value[r->event[i]];
		*scale += fabs(r->coefficient[i] * joint->value[r->event[i]]);
	}
	return sum;
}

/* Return the covariance of an event's error with the error of the relation's sum. */
static double with_event(const struct mpxi_joint *joint, const struct mpxi_relation *r, unsigned event)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < r->n; i++)
		sum += r->coefficient[i] * *matrix_at(joint->covariance, joint, event, r->event[i]);
	return sum;
}

static double own_variance(const struct mpxi_joint *joint, const struct mpxi_relation *r)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < r->n; i++)
		sum += r->coefficient[i] * with_event(joint, r, r->event[i]);
	return sum;
}

/* Return the largest variance of the relation's sum that the unknown covariances allow. */
static double most_variance(const struct mpxi_joint *joint, const struct mpxi_relation *r)
{
	double sum = fmax(own_variance(joint, r), 0);
	unsigned i, k;

	for (i = 0; i < r->n; i++)
		for (k = 0; k < r->n; k++)
			sum += i == k ? 0
				      : fabs(r->coefficient[i] * r->coefficient[k]) *
						*matrix_at(joint->worst, joint, r->event[i], r->event[k]);
	return sum;
}

static double freedom_of_relation(const struct mpxi_joint *joint, const struct mpxi_relation *r)
{
	double all = 0, below = 0, v;
	unsigned i;

	for (i = 0; i < r->n; i++) {
		unsigned e = r->event[i];

		v = r->coefficient[i] * r->coefficient[i] * *matrix_at(joint->covariance, joint, e, e);
		all += v;
		below += v * v / fmax(joint->freedom[e], .5);
	}
	return below > 0 ? all * all / below : 1e9;
}

/* Return the value that Student's t with f degrees of freedom exceeds in absolute value once in a
 * thousand cases. */
static double student_far(double f)
{
	static const double table[] = {636.62, 636.62, 31.599, 12.924, 8.610, 6.869, 5.959};
	const double z = 3.290527;

	if (f < 1)
		return table[1];
	if (f < 6) {
		unsigned below = (unsigned)f;

		return table[below] + (f - below) * (table[below + 1] - table[below]);
	}
	return z + (z * z * z + z) / (4 * f) + (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * f * f) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * z * z * z - 15 * z) / (384 * f * f * f);
}

static bool is_wrong(const struct mpxi_joint *joint, const struct mpxi_relation *r)
{
	double scale, d = distance_from_relation(joint, r, &scale),
		      t = student_far(freedom_of_relation(joint, r));

	return fabs(d) > 1e-9 * scale && d * d > t * t * most_variance(joint, r);
}

/* Adjust all estimates to one relation. share is a buffer of n numbers. */
static void apply_relation(struct mpxi_joint *joint, const struct mpxi_relation *r, double *share)
{
	double scale, d = distance_from_relation(joint, r, &scale), variance = own_variance(joint, r);
	unsigned i, k;

	/* The relation holds already, or has no error: all its events are exact, or were counted in the
	 * same slices, and the relation holds in each slice. It then adds no information. */
	if (fabs(d) <= 1e-9 * scale || variance <= 0)
		return;
	for (i = 0; i < joint->n; i++)
		share[i] = with_event(joint, r, i);
	for (i = 0; i < joint->n; i++) {
		joint->value[i] -= share[i] * d / variance;
		for (k = 0; k < joint->n; k++)
			*matrix_at(joint->covariance, joint, i, k) -= share[i] * share[k] / variance;
		*matrix_at(joint->covariance, joint, i, i) =
			fmax(*matrix_at(joint->covariance, joint, i, i), 0);
	}
}

/* ---- all relations ------------------------------------------------------------------------ */

static void copy_joint(struct mpxi_joint *to, const struct mpxi_joint *from)
{
	memcpy(to->value, from->value, (3 + 2 * (size_t)from->n) * from->n * sizeof(double));
}

/* Fix an event's value at its actual count, so that relations do not change it any more. The value's
 * uncertainty does not become smaller by that; keep_above restores its variance. */
static void fix_joint_value(struct mpxi_joint *joint, unsigned i)
{
	unsigned k;

	joint->value[i] = joint->least[i];
	for (k = 0; k < joint->n; k++)
		*matrix_at(joint->covariance, joint, i, k) = *matrix_at(joint->covariance, joint, k, i) = 0;
}

/* Return the event whose value is furthest below its count, or n if there is none. */
static unsigned furthest_below(const struct mpxi_joint *joint)
{
	unsigned i, found = joint->n;
	double most = 0;

	for (i = 0; i < joint->n; i++) {
		double below = joint->least[i] - joint->value[i];

		if (below > most + 1e-9 * joint->least[i]) {
			most = below;
			found = i;
		}
	}
	return found;
}

static void apply_all(struct mpxi_joint *joint, const struct mpxi_relation *relation, unsigned n,
		      const bool *wrong, double *share)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (!wrong[i])
			apply_relation(joint, &relation[i], share);
}

/* Raise values that fell below their counts to these, and adjust the other values again from base, the
 * estimates before any relation was applied. The variances keep their values from before this function.
 * room is a buffer of 2 * joint->n numbers. */
static void keep_above(struct mpxi_joint *joint, struct mpxi_joint *base,
		       const struct mpxi_relation *relation, unsigned n, const bool *wrong, double *room)
{
	double *variance = room + joint->n;
	unsigned round, below, i;

	for (i = 0; i < joint->n; i++)
		variance[i] = *matrix_at(joint->covariance, joint, i, i);
	for (round = 0; round < joint->n; round++) {
		below = furthest_below(joint);
		if (below == joint->n)
			break;
		fix_joint_value(base, below);
		copy_joint(joint, base);
		apply_all(joint, relation, n, wrong, room);
	}
	for (i = 0; i < joint->n; i++) {
		joint->value[i] = fmax(joint->value[i], joint->least[i]);
		*matrix_at(joint->covariance, joint, i, i) = variance[i];
	}
}

bool mpxi_joint_reconcile(struct mpxi_joint *joint, const struct mpxi_relation *relation, unsigned n,
			  bool *wrong)
{
	struct mpxi_joint *base = mpxi_joint_create(joint->n);
	double *room = calloc(joint->n ? 2 * (size_t)joint->n : 1, sizeof(*room));
	unsigned i;
	bool done;

	if (base && room) {
		copy_joint(base, joint);
		for (i = 0; i < n; i++) {
			wrong[i] = is_wrong(joint, &relation[i]);
			if (!wrong[i])
				apply_relation(joint, &relation[i], room);
		}
		keep_above(joint, base, relation, n, wrong, room);
	}
	done = base && room;
	free(room);
	mpxi_joint_free(base);
	return done;
}

void mpxi_part_moved(const struct mpxi_part *part, double value, double variance,
		     struct mpxi_estimate *estimate)
{
	double t = mpxi_student(part->outcome.freedom);
	/* The variance is proportional to the true count, as in mpxi_estimate_interval. */
	double a = t * t * variance / fmax(value, 1 / part->coverage);

	*estimate = (struct mpxi_estimate){
		.value = value,
		.standard_error = sqrt(variance),
		.high = value + a / 2 + sqrt(a * value + a * a / 4),
		.coverage = part->coverage,
		.rough = part->outcome.freedom < 2 || part->outcome.left,
		.uneven = part->outcome.unseen * part->outcome.unseen > variance / 2,
	};
	estimate->low =
		value > 0 ? fmin(fmax(value * (value / estimate->high), part->count), value) : part->count;
}
