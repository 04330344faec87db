/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics_value.c - computes metrics from counts, with their intervals.
 *
 * A formula is above / below, two sums of counts with integer factors. For any R, "above - R * below" is also
 * a sum of counts. The interval of a metric of several estimates contains all R for which this sum does not
 * differ significantly from 0 (Fieller's interval). The interval is unbounded if below does not differ
 * significantly from 0. A metric of one estimate is a monotonic function of this estimate, and the interval
 * of the metric is computed from the estimate's interval.
 *
 * Terms: metrics/metrics.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/common.h"
#include "metrics/metrics_set.h"
#include "stat/level.h"

#define MOST_FREEDOM 1e6
#define DOUBLINGS 1100 /* enough to double the smallest double to the largest */
#define HALVINGS 200

/* ---- columns ---------------------------------------------------------------------------------- */

struct metrics_columns {
	unsigned n; /* number of counts */
	int of[];   /* [events of the set]: index of the event's count, or -1 */
};

static bool is_same_metric_event(const char *a, const char *b)
{
	return !strcmp(a + util_papi_prefix(a), b + util_papi_prefix(b));
}

struct metrics_columns *metrics_bind(const struct metrics *metrics, const char *const *events, unsigned n)
{
	struct metrics_columns *columns = malloc(sizeof(*columns) + metrics->events * sizeof(columns->of[0]));
	unsigned i, k;

	if (!columns)
		return NULL;
	columns->n = n;
	for (i = 0; i < metrics->events; i++) {
		for (k = 0; k < n && !is_same_metric_event(metrics->event[i], events[k]); k++)
			;
		columns->of[i] = k < n ? (int)k : -1;
	}
	return columns;
}

void metrics_unbind(struct metrics_columns *columns)
{
	free(columns);
}

/* ---- terms ------------------------------------------------------------------------------------ */

struct term {
	double above, below; /* factors of the count in the two sums */
	struct upcr_value count;
	int column; /* index of the count; -1: the term is time or calls */
};

struct terms {
	struct term term[UPCI_TERMS_MAX];
	unsigned n;
	double above, below; /* values of the two sums */
	double constant;     /* the value of below, if below is a number; else 0 */
	const double *correlation;
	unsigned columns;
};

static bool is_missing(const struct upcr_value *count)
{
	return count->uncounted && !count->estimated && !count->whole && !(count->value > 0);
}

/* Return the count of an event, or NULL if it was not counted. */
static const struct upcr_value *count_of_event(const struct metrics_columns *columns,
					       const struct metrics_counts *counts, uint32_t code)
{
	int column = columns->of[code - METRICS_EVENTS];

	return column < 0 || is_missing(&counts->value[column]) ? NULL : &counts->value[column];
}

unsigned metrics_missing(const struct metrics *metrics, unsigned metric,
			 const struct metrics_columns *columns, const struct metrics_counts *counts,
			 const char **names, unsigned max)
{
	const struct upci_formula *formula = metrics->derived[metric].formula;
	unsigned i, n = 0;

	for (i = 0; i < formula->terms; i++) {
		uint32_t code = formula->term[i].code;

		if (code < METRICS_EVENTS || (counts ? count_of_event(columns, counts, code) != NULL
						     : columns->of[code - METRICS_EVENTS] >= 0))
			continue;
		if (n < max)
			names[n] = metrics->event[code - METRICS_EVENTS];
		n++;
	}
	return n;
}

static struct upcr_value make_known_value(double value)
{
	return (struct upcr_value){
		.value = value, .freedom = INFINITY, .low = value, .high = value, .coverage = 1};
}

/* Set the error of a count whose interval is known but not its error. If neither is known, both are infinite.
 */
static void tidy_count_error(struct upcr_value *count)
{
	if (isnan(count->error) || isnan(count->low) || isnan(count->high)) {
		count->error = INFINITY;
		count->low = -INFINITY;
		count->high = INFINITY;
	} else if (!(count->error > 0) && count->low < count->value) {
		count->error = (count->value - count->low) / mpxi_level_default_student(MOST_FREEDOM);
		count->freedom = INFINITY;
	}
	if (!(count->freedom >= 1))
		count->freedom = 1;
}

static void get_terms(const struct upci_formula *formula, const struct metrics_columns *columns,
		      const struct metrics_counts *counts, struct terms *terms)
{
	unsigned i;

	*terms = (struct terms){.n = formula->terms,
				.constant = (double)formula->divisor,
				.below = (double)formula->divisor,
				.correlation = counts->correlation,
				.columns = columns->n};
	for (i = 0; i < formula->terms; i++) {
		const struct upci_term *from = &formula->term[i];
		struct term *t = &terms->term[i];

		*t = (struct term){.above = (double)from->coefficient, .column = -1};
		/* from->under is meaningful only if the divisor is not a number. */
		t->below = formula->divisor ? 0 : (double)from->under;
		if (from->code == METRICS_TIME) {
			t->count = make_known_value(counts->seconds);
		} else if (from->code == METRICS_CALLS) {
			t->count = make_known_value(counts->calls);
		} else {
			t->column = columns->of[from->code - METRICS_EVENTS];
			t->count = counts->value[t->column];
			tidy_count_error(&t->count);
		}
		terms->above += t->above * t->count.value;
		terms->below += t->below * t->count.value;
	}
}

/* True if the count has an error or an interval. */
static bool is_estimate(const struct term *t)
{
	return t->count.error > 0 || t->count.low < t->count.value ||
	       (t->count.high > t->count.value && !upcr_is_lower_bound(&t->count));
}

/* True if neither sum can be negative. */
static bool is_positive(const struct terms *terms)
{
	unsigned i;

	for (i = 0; i < terms->n; i++)
		if (terms->term[i].above < 0 || terms->term[i].below < 0)
			return false;
	return true;
}

/* ---- errors ----------------------------------------------------------------------------------- */

static double correlation_of_terms(const struct terms *terms, unsigned i, unsigned k)
{
	const struct term *a = &terms->term[i], *b = &terms->term[k];

	return i == k ? 1
	       : !terms->correlation || a->column < 0 || b->column < 0
		       ? NAN
		       : terms->correlation[(size_t)a->column * terms->columns + (size_t)b->column];
}

/* Return the standard error of the sum of weight[i] times count i. Unknown correlations take their worst
 * value. */
static double error_of(const struct terms *terms, const double *weight)
{
	double variance = 0;
	unsigned i, k;

	for (i = 0; i < terms->n; i++) {
		double a = weight[i] != 0 ? weight[i] * terms->term[i].count.error : 0;

		for (k = 0; k <= i; k++) {
			double b = weight[k] != 0 ? weight[k] * terms->term[k].count.error : 0;
			double together = correlation_of_terms(terms, i, k);
			double product = isnan(together) ? fabs(a * b) : a * b * together;

			variance += a != 0 && b != 0 ? (i == k ? product : 2 * product) : 0;
		}
	}
	return isnan(variance) ? INFINITY : sqrt(fmax(variance, 0));
}

/* Return the degrees of freedom of the sum of weight[i] times count i. They are a weighted mean, as for sums
 * within a thread, as if all errors were one error. */
static double freedom_of_terms(const struct terms *terms, const double *weight)
{
	double error = 0, below = 0;
	unsigned i;

	for (i = 0; i < terms->n; i++) {
		double one = fabs(weight[i]) * terms->term[i].count.error;

		if (!(one > 0))
			continue;
		error += one;
		below += one / sqrt(terms->term[i].count.freedom);
	}
	return below > 0 ? fmax(1, error * error / (below * below)) : INFINITY;
}

/* Compute the weight of each count in (above - ratio * below) * scale. */
static void weigh_terms(const struct terms *terms, double ratio, double scale, double *weight)
{
	unsigned i;

	for (i = 0; i < terms->n; i++)
		weight[i] = (terms->term[i].above - ratio * terms->term[i].below) * scale;
}

static double student_by_freedom(double freedom)
{
	return mpxi_level_default_student(fmin(freedom, MOST_FREEDOM));
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Return the value that the metric would have if the value of count i were `count`. */
static double value_with_count(const struct terms *terms, unsigned i, double count)
{
	const struct term *t = &terms->term[i];
	double change = count - t->count.value;
	double below = terms->below + t->below * change;

	if (isinf(count))
		return t->below != 0 ? (t->below > 0 ? t->above / t->below : NAN)
				     : (t->above > 0 ? count : -count);
	return below > 0 ? (terms->above + t->above * change) / below : NAN;
}

static void interval_of_one(const struct terms *terms, unsigned i, struct metric_value *v)
{
	double a = value_with_count(terms, i, terms->term[i].count.low),
	       b = value_with_count(terms, i, terms->term[i].count.high);

	v->open = isnan(a) || isnan(b);
	if (v->open)
		return;
	v->low = fmin(v->value, fmin(a, b));
	v->high = fmax(v->value, fmax(a, b));
}

/* Return the distance from value to the ratio R at which "above - R * below" becomes significant, below value
 * (side is -1) or above value (side is 1). */
static double edge_of_ratio(const struct terms *terms, double value, double t, int side)
{
	double weight[UPCI_TERMS_MAX] = {0}, low = 0, high, middle;
	int i;

	/* The starting value does not matter: `low` and `high` double until they enclose the result, then
	 * halve their distance. */
	high = fabs(value) > 0 ? fabs(value) * 0x1p-20 : 0x1p-60;
	for (i = 0; i < DOUBLINGS; i++) {
		weigh_terms(terms, value + side * high, 1, weight);
		if (high * terms->below > t * error_of(terms, weight))
			break;
		low = high;
		high *= 2;
	}
	for (i = 0; i < HALVINGS && high - low > 1e-12 * high; i++) {
		middle = low + (high - low) / 2;
		weigh_terms(terms, value + side * middle, 1, weight);
		if (middle * terms->below > t * error_of(terms, weight))
			high = middle;
		else
			low = middle;
	}
	return high;
}

static void interval_of_several(const struct terms *terms, struct metric_value *v)
{
	double weight[UPCI_TERMS_MAX] = {0}, t = student_by_freedom(v->freedom), of_below;
	unsigned i;

	for (i = 0; i < terms->n; i++)
		weight[i] = terms->term[i].below;
	of_below = error_of(terms, weight);
	if (isinf(v->error)) {
		v->open = isinf(of_below);
		v->low = -INFINITY;
		v->high = INFINITY;
		return;
	}
	if (!(of_below > 0)) {
		v->low = v->value - t * v->error;
		v->high = v->value + t * v->error;
		return;
	}
	v->open = !(terms->below >
		    student_by_freedom(freedom_of_terms(terms, weight)) * of_below * (1 + 1e-9)) ||
		  !(terms->below > t * of_below * (1 + 1e-9));
	if (v->open)
		return;
	v->low = v->value - edge_of_ratio(terms, v->value, t, -1);
	v->high = v->value + edge_of_ratio(terms, v->value, t, 1);
}

/* If some counts are lower bounds, set at_least if the metric can only rise when these counts rise, otherwise
 * set unsure. */
static void bound_metric_value(const struct terms *terms, struct metric_value *v)
{
	bool rises = true, alone;
	unsigned i, bounds = 0;

	for (i = 0; i < terms->n; i++)
		bounds += upcr_is_lower_bound(&terms->term[i].count);
	alone = bounds == 1;
	for (i = 0; i < terms->n; i++) {
		const struct term *t = &terms->term[i];

		if (!upcr_is_lower_bound(&t->count))
			continue;
		if (alone && t->below != 0)
			rises = t->above - v->value * t->below >= 0;
		else
			rises = rises && t->above >= 0 && t->below == 0;
	}
	v->at_least = bounds && rises;
	v->unsure = bounds && !rises;
}

static void settle_ends(const struct terms *terms, struct metric_value *v)
{
	if (v->open || v->unsure || isnan(v->low) || isnan(v->high)) {
		v->low = -INFINITY;
		v->high = INFINITY;
	}
	if (v->at_least)
		v->high = INFINITY;
	if (is_positive(terms) && v->low < 0)
		v->low = isnan(v->value) ? 0 : fmin(v->value, 0);
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void estimate_metric_error(struct terms *terms, struct metric_value *v)
{
	double weight[UPCI_TERMS_MAX] = {0};
	unsigned i, last = 0, estimates = 0;

	v->value = terms->above / terms->below;
	weigh_terms(terms, v->value, 1 / terms->below, weight);
	v->error = error_of(terms, weight);
	v->freedom = freedom_of_terms(terms, weight);
	v->low = v->high = v->value;
	bound_metric_value(terms, v);
	for (i = 0; i < terms->n; i++)
		if (is_estimate(&terms->term[i])) {
			estimates++;
			last = i;
		}
	/* The high end of a count that is a lower bound is unknown. Here it is assumed to be as far away as
	 * the low end, and settle_ends() removes the metric's high end later. */
	for (i = 0; i < terms->n; i++)
		if (upcr_is_lower_bound(&terms->term[i].count))
			terms->term[i].count.high =
				fmax(terms->term[i].count.value,
				     2 * terms->term[i].count.value - terms->term[i].count.low);
	if (estimates == 1)
		interval_of_one(terms, last, v);
	else if (estimates)
		interval_of_several(terms, v);
}

/* True if the formula contains time, whose clock is read separately from the counters. */
static bool is_of_time(const struct upci_formula *formula)
{
	unsigned i;

	for (i = 0; i < formula->terms; i++)
		if (formula->term[i].code == METRICS_TIME)
			return true;
	return false;
}

void metrics_value(const struct metrics *metrics, unsigned metric, const struct metrics_columns *columns,
		   const struct metrics_counts *counts, struct metric_value *value)
{
	const struct upci_formula *formula = metrics->derived[metric].formula;
	struct terms terms;
	unsigned i;

	*value = (struct metric_value){.value = NAN, .error = NAN, .low = -INFINITY, .high = INFINITY};
	value->missing = metrics_missing(metrics, metric, columns, counts, NULL, 0);
	if (value->missing)
		return;
	get_terms(formula, columns, counts, &terms);
	value->exact = true;
	for (i = 0; i < terms.n; i++) {
		value->flags |= terms.term[i].count.flags;
		value->exact = value->exact && upcr_is_exact(&terms.term[i].count);
	}
	if (!(terms.below > 0)) {
		/* If below is exactly 0, the metric has no value. If below is an estimate, the value may be
		 * any number. */
		value->open = true;
		bound_metric_value(&terms, value);
	} else {
		estimate_metric_error(&terms, value);
	}
	settle_ends(&terms, value);
	/* The two clocks are not read at the same moment, and a difference of times may be as small as the
	 * time between the two readings. */
	if (value->exact && is_of_time(formula) && !is_positive(&terms)) {
		value->exact = false;
		value->unsure = true;
	}
}
