/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * define.h - functions of metrics, one's output another's input: --define NAME=EXPR.
 *
 *   expr   = term { ("+" | "-") term }
 *   term   = factor { ("*" | "/") factor }
 *   factor = ["-"] ( NUMBER | NAME | FUNCTION "(" expr { "," expr } ")" | "(" expr ")" )
 *
 * A NAME is a definition before this one, or a metric: cpu.instructions, a vector over CPUs; its rate, or its
 * level. A number goes with each part of a vector, and parts of two vectors of one scope go by CPU or NUMA
 * node.
 *
 *   sum min max mean (x)          over the parts of a vector: a number of the node
 *   sum min max mean (x, y, ...)  of numbers, or part by part
 *   difference product ratio (x, y)    scale(x, k)
 *   threshold(x, limit)           1 where x is above limit, else 0
 *   delta(x)                      of a counter: what it counted in the interval; else the change since the
 * one before rate(x)                       of a counter: as its name alone; else delta by the seconds of an
 * interval nodes_mean nodes_sd nodes_min nodes_max nodes_sum (x)   over the nodes of the job: the same for
 * each
 *
 * A value that was not counted is unknown, and so are values made of it and a ratio to zero.
 */
#ifndef JOBSTAT_DEFINE_H
#define JOBSTAT_DEFINE_H

#include <stdbool.h>

#include "jobstat/jobstat_data.h"

struct define;

struct define_vector {
	bool vector; /* else a number, which is x[0] */
	unsigned n, room;
	int *number; /* of places */
	double *x;   /* NAN: not known */
};

/* Adds a definition. 0; or -1 with "COLUMN: ..." in message; *define begins as NULL. */
int define_add(struct define **define, const char *name, const char *text, char message[300]);
void define_free(struct define *define);

unsigned define_count(const struct define *define); /* of NULL: 0 */
const char *define_name(const struct define *define, unsigned i);
const char *define_text(const struct define *define, unsigned i);

/* Metrics that the definitions need: names, as they were written. */
unsigned define_inputs(const struct define *define);
const char *define_input(const struct define *define, unsigned i);

/* Sets the scope and kind of an input. 0; or -1 with message: vectors of two scopes meet. */
int define_set_input(struct define *define, unsigned i, enum jobstat_scope scope, bool level,
		     char message[300]);

/* The scope of a definition when all inputs are known. sums: parts of it may be added up over a node. */
enum jobstat_scope define_scope(const struct define *define, unsigned i);
bool define_sums(const struct define *define, unsigned i);

/* Values of one job, from interval to interval: deltas are kept in it. NULL: out of memory. */
struct define_work;
struct define_work *define_begin(const struct define *define, unsigned nodes);
void define_end(struct define_work *work);

/* Fills in what a metric has on a node: false, if the node does not have it. counts: what it
 * counted in the interval, not its rate. */
typedef bool define_fill(void *arg, unsigned node, unsigned input, bool counts, struct define_vector *vector);

/* Computes one interval of so many seconds. 0, or -1: out of memory. */
int define_run(struct define_work *work, define_fill *fill, void *arg, double seconds);

/* The interval that comes does not follow the last one: there is nothing before it. */
void define_forget(struct define_work *work);

/* The value of a definition on a node, after define_run. */
const struct define_vector *define_value(const struct define_work *work, unsigned i, unsigned node);

/* Sets the length of a vector: its number and x have room then. 0, or -1. */
int define_resize(struct define_vector *vector, unsigned n);

#endif
