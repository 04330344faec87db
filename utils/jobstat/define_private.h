/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * define_private.h - the operations into which the parser translates definitions.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_DEFINE_PRIVATE_H
#define JOBSTAT_DEFINE_PRIVATE_H

#include "jobstat/define.h"

#define DEFINE_OPS_MAX 512
#define DEFINE_INPUTS_MAX 64
#define DEFINE_MAX_RESULTS 64

enum define_kind {
	DEFINE_NONE,
	DEFINE_NUMBER,
	DEFINE_METRIC,
	/* Operations on two values, part by part. */
	DEFINE_ADD,
	DEFINE_SUBTRACT,
	DEFINE_MULTIPLY,
	DEFINE_DIVIDE,
	DEFINE_LEAST,
	DEFINE_GREATEST,
	DEFINE_ABOVE,
	/* Reductions over the parts of one vector. */
	DEFINE_SUM,
	DEFINE_MIN,
	DEFINE_MAX,
	DEFINE_MEAN,
	/* Differences between intervals. */
	DEFINE_DELTA,
	DEFINE_RATE,
	/* Reductions over the nodes. */
	DEFINE_NODES_MEAN,
	DEFINE_NODES_SD,
	DEFINE_NODES_MIN,
	DEFINE_NODES_MAX,
	DEFINE_NODES_SUM,
};

struct define_op {
	enum define_kind kind;
	int a, b;       /* indices of earlier operations */
	unsigned input; /* index in input, for DEFINE_METRIC */
	double number;
	enum jobstat_scope scope;
	bool sums, constant;
	bool counter; /* for DEFINE_DELTA and DEFINE_RATE: the operand is a counter */
};

struct define_input {
	char *name;
	enum jobstat_scope scope;
	bool level, known;
};

struct define_result {
	char *name, *text;
	int op;
};

struct define {
	struct define_op op[DEFINE_OPS_MAX];
	unsigned ops;
	struct define_input input[DEFINE_INPUTS_MAX];
	unsigned inputs;
	struct define_result result[DEFINE_MAX_RESULTS];
	unsigned n;
};

#endif
