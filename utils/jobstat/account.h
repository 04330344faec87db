/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - one job while it is read: what its nodes have counted so far, and their spread in each
 * step of its time. The number of points and lines has a limit: when there would be more, two steps
 * become one.
 */
#ifndef JOBSTAT_ACCOUNT_H
#define JOBSTAT_ACCOUNT_H

#include "jobstat/define.h"
#include "jobstat/gather.h"
#include "jobstat/series.h"
#include "jobstat/spread.h"

#define ACCOUNT_BLOCKS 32u /* parts of the time in which nodes are compared; at least half of them */

struct account_place {
	int number;
	char *name;
	unsigned n; /* intervals */
	uint64_t total;
	double weight, sum; /* sum: of rates by weight */
	double min, max;
	double covered_ns;
};

/* A metric on a node. */
struct account {
	struct account_place *place;
	unsigned places;
	struct spread spread; /* of the node, over intervals in which all places counted */
	struct account_block {
		float sum, n;
	} block[ACCOUNT_BLOCKS];
	double lost_ns[SERIES_STATES];
	bool part; /* as in struct jobstat_value */
};

struct account_node {
	unsigned node;           /* place among all nodes */
	struct account **metric; /* NULL: it does not have it */
	unsigned metrics;
	double recorded_ns;
	char users[160];
};

/* Sums over the intervals of a step. */
struct account_step {
	unsigned intervals, nodes;
	double mean, min, max, variance;
	bool part;
};

struct account_line {
	unsigned node;
	int metric, number;
	float *sum;
	float *weight;
	unsigned room;
};

/* The values of an interval that not all nodes have had. */
struct account_slot {
	double *x; /* [metrics][nodes] */
	bool *has; /* [metrics] */
	bool *part;
	unsigned metrics;
};

struct account_job {
	const struct jobs_job *job;
	int64_t start_ns, end_ns; /* of what was read of it so far, in follow; else the job's */
	struct account_node *node;
	unsigned nodes;
	int *place;                     /* of each of all nodes in node, or -1 */
	char *missing;                  /* those without an archive, as a list */
	unsigned missing_nodes, unread; /* how many, and archives that may be of the job's nodes */
	uint64_t interval_ns;
	int64_t first_ns;   /* of step 0 */
	unsigned intervals; /* so far */
	unsigned per_step, steps_max;
	unsigned per_block;
	struct account_step **step; /* [metrics], each steps_max or NULL */
	unsigned metrics;
	struct account_line *line;
	unsigned lines, line_next;
	struct define_work *work;
	struct account_slot *slot;
	unsigned slots;
	double *x; /* [nodes]: of one metric in one interval */
	bool part; /* ... of what is defined: of a part of the interval */
};

struct account_job *account_begin(const struct jobs_job *job, const struct series_node *node, unsigned nodes,
				  uint64_t interval_ns, int64_t first_ns, unsigned slots,
				  const struct define *define);

/* Adds the open interval of its node k, whose number is interval: as many ahead of those that are closed as
 * there are slots. 0, or -1: out of memory. */
int account_take(struct account_job *job, unsigned k, const struct series_node *from,
		 const struct series_names *names, unsigned interval, const struct gather_watch *watch);

/* Ends an interval that all nodes have had. Defined metrics need it to be open in all of them. */
int account_close(struct account_job *job, struct series_node *node, const struct series_names *names,
		  const struct gather_options *options, const int *defined, unsigned interval,
		  const struct gather_watch *watch);

/* A metric by its name, which may be without its scope; -1: there is none yet. */
int account_resolve(const struct series_names *names, const char *name);

/* How many of the job's nodes, and of archives that could not be read, have no value of a metric where so
 * many nodes have one. */
unsigned account_lacking(const struct account_job *job, unsigned metric, unsigned nodes);

void account_end(struct account_job *job);

#endif
