/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * define.h - metrics defined as functions of other metrics: --define NAME=EXPR. A definition may use
 * earlier ones.
 *
 *   expr   = term { ("+" | "-") term }
 *   term   = factor { ("*" | "/") factor }
 *   factor = ["-"] ( NUMBER | NAME | FUNCTION "(" expr { "," expr } ")" | "(" expr ")" )
 *
 * A NAME is an earlier definition or a metric. The value of a metric is its rate or its level. A metric of
 * CPUs or NUMA nodes is a vector: cpu.instructions has a part for each CPU. An operation on a number and a
 * vector combines the number with each part. An operation on two vectors of the same scope combines the
 * parts of the same CPU or NUMA node.
 *
 *   sum min max mean (x)             over the parts of a vector; the result is one number per node
 *   sum min max mean (x, y, ...)     over the arguments; if they are vectors, part by part
 *   difference product ratio (x, y)  x - y, x * y, x / y
 *   scale(x, k)                      x * k
 *   threshold(x, limit)              1 if x is above limit, else 0
 *   delta(x)                         a counter: its count in the interval;
 *                                    else the change since the previous interval
 *   rate(x)                          a counter: the same as its name;
 *                                    else delta divided by the seconds of an interval
 *   nodes_mean nodes_sd nodes_min    over the nodes of the job; the result is the
 *   nodes_max nodes_sum (x)          same for each node
 *
 * A value that was not counted is unknown. A value computed from an unknown value, or by a division by
 * zero, is unknown too. The nodes_ functions leave out the nodes whose value is unknown.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_DEFINE_H
#define JOBSTAT_DEFINE_H

#include <stdbool.h>

#include "jobstat/jobstat_data.h"

struct define;

struct define_vector {
	bool vector; /* true: a vector; false: a number, which is x[0] */
	unsigned n, room;
	int *number; /* numbers of the places */
	double *x;   /* NAN: unknown */
};

/* Add a definition. Return 0, or -1 with "COLUMN: ..." in message. The first call passes *define == NULL. */
int define_add(struct define **define, const char *name, const char *text, char message[300]);
void define_free(struct define *define);

unsigned define_count(const struct define *define); /* NULL: 0 */
const char *define_name(const struct define *define, unsigned i);
const char *define_text(const struct define *define, unsigned i);

/* Return the number of metrics that the definitions need, and the name of one as the user wrote it. */
unsigned define_inputs(const struct define *define);
const char *define_input(const struct define *define, unsigned i);

/* Set the scope of an input (a metric that definitions need), and whether it is a level. Return 0, or -1 with
 * message if an expression combines vectors of two scopes. */
int define_set_input(struct define *define, unsigned i, enum jobstat_scope scope, bool level,
		     char message[300]);

/* define_scope returns the scope of a definition; all inputs must be set before. define_sums is true if
 * the parts of the definition may be added up over a node. */
enum jobstat_scope define_scope(const struct define *define, unsigned i);
bool define_sums(const struct define *define, unsigned i);

/* The values of one job. The work keeps the previous interval's values, for deltas. define_begin returns
 * NULL if out of memory. */
struct define_work;
struct define_work *define_begin(const struct define *define, unsigned nodes);
void define_end(struct define_work *work);

/* Fill in the values of an input metric on a node. counts: fill in the count in the interval instead of
 * the rate. Return false if the node does not have the metric. */
typedef bool define_fill(void *arg, unsigned node, unsigned input, bool counts, struct define_vector *vector);

/* Compute one interval, whose length is given in seconds. Return 0, or -1 if out of memory. */
int define_run(struct define_work *work, define_fill *fill, void *arg, double seconds);

/* Forget the previous interval's values, because the next interval does not follow it. */
void define_forget(struct define_work *work);

/* Return the value of a definition on a node, after define_run. */
const struct define_vector *define_value(const struct define_work *work, unsigned i, unsigned node);

/* Set the length of a vector and make room in number and x. Return 0, or -1 if out of memory. */
int define_resize(struct define_vector *vector, unsigned n);

#endif
