/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * define_value.c - computes the values of metric definitions on all nodes of a job, interval by interval.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobstat/define.h"
#include "jobstat/define_private.h"
#include "jobstat/spread.h"
#include "lib/list.h"

struct define_work {
	const struct define *define;
	unsigned nodes;
	struct define_vector *value;  /* [operations][nodes] */
	struct define_vector *before; /* likewise: the previous interval's argument of delta and rate */
};

int define_resize(struct define_vector *vector, unsigned n)
{
	if (n > vector->room) {
		if (!util_resize(&vector->x, n, sizeof(*vector->x)) ||
		    !util_resize(&vector->number, n, sizeof(*vector->number)))
			return -1;
		vector->room = n;
	}
	vector->n = n;
	return 0;
}

static int copy_define_vector(struct define_vector *to, const struct define_vector *from)
{
	if (define_resize(to, from->n) != 0)
		return -1;
	to->vector = from->vector;
	if (from->n > 0) {
		memcpy(to->x, from->x, from->n * sizeof(*to->x));
		memcpy(to->number, from->number, from->n * sizeof(*to->number));
	}
	return 0;
}

static int set_number(struct define_vector *vector, double x)
{
	if (define_resize(vector, 1) != 0)
		return -1;
	vector->vector = false;
	vector->number[0] = -1;
	vector->x[0] = x;
	return 0;
}

/* Return the part of a vector that has this number, or NAN. guess is its likely index. A plain number is
 * the value of each part. */
static double part_of_vector(const struct define_vector *vector, unsigned guess, int number)
{
	if (!vector->vector)
		return vector->n ? vector->x[0] : NAN;
	if (guess < vector->n && vector->number[guess] == number)
		return vector->x[guess];
	for (unsigned i = 0; i < vector->n; i++)
		if (vector->number[i] == number)
			return vector->x[i];
	return NAN;
}

static double of_two(enum define_kind kind, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	switch (kind) {
	case DEFINE_ADD:
		return a + b;
	case DEFINE_SUBTRACT:
		return a - b;
	case DEFINE_MULTIPLY:
		return a * b;
	case DEFINE_DIVIDE:
		return b != 0 ? a / b : NAN;
	case DEFINE_LEAST:
		return a < b ? a : b;
	case DEFINE_GREATEST:
		return a > b ? a : b;
	default:
		return a > b ? 1 : 0;
	}
}

static int run_two(const struct define_op *op, const struct define_vector *a, const struct define_vector *b,
		   struct define_vector *out)
{
	const struct define_vector *shape = a->vector || !b->vector ? a : b;

	if (define_resize(out, shape->n) != 0)
		return -1;
	out->vector = shape->vector;
	for (unsigned i = 0; i < shape->n; i++) {
		const int number = shape->number[i];

		out->number[i] = number;
		out->x[i] = of_two(op->kind, part_of_vector(a, i, number), part_of_vector(b, i, number));
	}
	return 0;
}

/* Reduce a vector over its parts. The result is NAN if any part is unknown. */
static int run_over(const struct define_op *op, const struct define_vector *a, struct define_vector *out)
{
	struct spread spread = {0};
	double sum = 0;

	for (unsigned i = 0; i < a->n; i++) {
		if (isnan(a->x[i]))
			return set_number(out, NAN);
		spread_add(&spread, a->x[i], 1);
		sum += a->x[i];
	}
	if (a->n == 0)
		return set_number(out, NAN);
	switch (op->kind) {
	case DEFINE_SUM:
		return set_number(out, sum);
	case DEFINE_MIN:
		return set_number(out, spread.min);
	case DEFINE_MAX:
		return set_number(out, spread.max);
	default:
		return set_number(out, sum / a->n);
	}
}

static int run_change(const struct define_op *op, const struct define_vector *a, struct define_vector *before,
		      double seconds, struct define_vector *out)
{
	if (define_resize(out, a->n) != 0)
		return -1;
	out->vector = a->vector;
	for (unsigned i = 0; i < a->n; i++) {
		out->number[i] = a->number[i];
		out->x[i] = of_two(DEFINE_SUBTRACT, a->x[i], part_of_vector(before, i, a->number[i]));
		if (op->kind == DEFINE_RATE)
			out->x[i] = seconds > 0 ? out->x[i] / seconds : NAN;
	}
	return copy_define_vector(before, a);
}

/* Return a node's value: the sum of a vector's parts, or their mean. An empty vector gives NAN. */
static double whole_of_vector(const struct define_vector *a, bool sums)
{
	double sum = 0;

	for (unsigned i = 0; i < a->n; i++)
		sum += a->x[i];
	return a->n == 0 ? NAN : sums || !a->vector ? sum : sum / a->n;
}

static int run_nodes(struct define_work *work, const struct define_op *op, unsigned at)
{
	const struct define_vector *a = &work->value[(unsigned)op->a * work->nodes];
	struct spread spread = {0};
	double x = NAN;

	for (unsigned k = 0; k < work->nodes; k++)
		spread_add(&spread, whole_of_vector(&a[k], work->define->op[op->a].sums), 1);
	if (op->kind == DEFINE_NODES_MEAN)
		x = spread_mean(&spread);
	else if (op->kind == DEFINE_NODES_SD)
		x = spread_sd(&spread);
	else if (op->kind == DEFINE_NODES_MIN)
		x = spread_min(&spread);
	else if (op->kind == DEFINE_NODES_MAX)
		x = spread_max(&spread);
	else if (spread.n > 0)
		x = spread_mean(&spread) * spread.n;
	for (unsigned k = 0; k < work->nodes; k++)
		if (set_number(&work->value[at * work->nodes + k], x) != 0)
			return -1;
	return 0;
}

static int run_node(struct define_work *work, define_fill *fill, void *arg, double seconds, unsigned at,
		    unsigned node)
{
	const struct define_op *op = &work->define->op[at], *first = op;
	struct define_vector *out = &work->value[at * work->nodes + node];
	const struct define_vector *a = NULL, *b = NULL;

	if (op->a >= 0) {
		first = &work->define->op[op->a];
		a = &work->value[(unsigned)op->a * work->nodes + node];
	}
	if (op->b >= 0)
		b = &work->value[(unsigned)op->b * work->nodes + node];
	if (op->kind == DEFINE_NUMBER)
		return set_number(out, op->number);
	if (op->kind == DEFINE_METRIC || op->counter) {
		if (fill(arg, node, first->input, op->kind == DEFINE_DELTA, out))
			return 0;
		out->vector = first->scope != JOBSTAT_NODE;
		return define_resize(out, 0);
	}
	if (b != NULL)
		return run_two(op, a, b, out);
	if (op->kind == DEFINE_DELTA || op->kind == DEFINE_RATE)
		return run_change(op, a, &work->before[at * work->nodes + node], seconds, out);
	return run_over(op, a, out);
}

int define_run(struct define_work *work, define_fill *fill, void *arg, double seconds)
{
	for (unsigned at = 0; at < work->define->ops; at++) {
		const struct define_op *op = &work->define->op[at];
		int error = 0;

		if (op->kind >= DEFINE_NODES_MEAN)
			error = run_nodes(work, op, at);
		else
			for (unsigned node = 0; error == 0 && node < work->nodes; node++)
				error = run_node(work, fill, arg, seconds, at, node);
		if (error != 0)
			return -1;
	}
	return 0;
}

void define_forget(struct define_work *work)
{
	for (size_t i = 0; i < (size_t)work->define->ops * work->nodes; i++)
		work->before[i].n = 0;
}

const struct define_vector *define_value(const struct define_work *work, unsigned i, unsigned node)
{
	return &work->value[(unsigned)work->define->result[i].op * work->nodes + node];
}

struct define_work *define_begin(const struct define *define, unsigned nodes)
{
	struct define_work *work = calloc(1, sizeof(*work));
	const size_t cells = (size_t)define->ops * nodes;

	if (work == NULL)
		return NULL;
	work->define = define;
	work->nodes = nodes;
	work->value = calloc(cells ? cells : 1, sizeof(*work->value));
	work->before = calloc(cells ? cells : 1, sizeof(*work->before));
	if (work->value != NULL && work->before != NULL)
		return work;
	define_end(work);
	return NULL;
}

void define_end(struct define_work *work)
{
	if (work == NULL)
		return;
	for (size_t i = 0; i < (size_t)work->define->ops * work->nodes; i++) {
		struct define_vector *both[2] = {work->value != NULL ? &work->value[i] : NULL,
						 work->before != NULL ? &work->before[i] : NULL};

		for (int j = 0; j < 2; j++)
			if (both[j] != NULL) {
				free(both[j]->x);
				free(both[j]->number);
			}
	}
	free(work->value);
	free(work->before);
	free(work);
}
