/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - the running totals of one job while its archives are read: what its nodes have counted so
 * far, and the spread over nodes in each time step. The number of points and lines is limited. When the
 * limit is reached, each pair of steps is merged into one step.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_ACCOUNT_H
#define JOBSTAT_ACCOUNT_H

#include "jobstat/define.h"
#include "jobstat/gather.h"
#include "jobstat/series.h"
#include "jobstat/spread.h"

#define ACCOUNT_BLOCKS 32u /* parts of the time in which nodes are compared; at least half are in use */

struct account_place {
	int number;
	char *name;
	unsigned n; /* number of intervals */
	uint64_t total;
	double weight, sum; /* sums of the weights, and of the rates times their weights */
	double min, max;
	double covered_ns;
};

/* The totals of one metric on one node. */
struct account {
	struct account_place *place;
	unsigned places;
	struct spread spread; /* spread of the node's value, over intervals in which all places counted */
	struct account_block {
		float sum, n;
	} block[ACCOUNT_BLOCKS];
	double lost_ns[SERIES_STATES];
	bool part; /* in some intervals the metric counted only for a part of the time */
};

struct account_node {
	unsigned node;           /* index among the nodes of all archives */
	struct account **metric; /* NULL: the node does not have the metric */
	unsigned metrics;
	double recorded_ns;
	char users[160];
};

/* One step of a metric. mean and variance are sums over the step's intervals, nodes is the highest number of
 * nodes with a value in an interval. */
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

/* The values of an interval that some nodes have not reached yet. */
struct account_slot {
	double *x; /* [metrics][nodes] */
	bool *has; /* [metrics] */
	bool *part;
	unsigned metrics;
};

struct account_job {
	const struct jobs_job *job;
	int64_t start_ns, end_ns; /* the job's time; with --follow, the time span that has been read */
	struct account_node *node;
	unsigned nodes;
	int *place;                     /* [all nodes]: index in the array node of this job, or -1 */
	char *missing;                  /* the job's nodes without an archive, as a list */
	unsigned missing_nodes, unread; /* unread: unreadable archives that may belong to the job's nodes */
	uint64_t interval_ns;
	int64_t first_ns;   /* start of step 0 */
	unsigned intervals; /* number of intervals so far */
	unsigned per_step, steps_max;
	unsigned per_block;
	struct account_step **step; /* [metrics], each steps_max or NULL */
	unsigned metrics;
	struct account_line *line;
	unsigned lines, line_next;
	struct define_work *work;
	struct account_slot *slot;
	unsigned slots;
	double *x; /* [nodes]: values of one metric in one interval */
	bool part; /* a defined metric's values cover only a part of the interval */
};

struct account_job *account_begin(const struct jobs_job *job, const struct series_node *node, unsigned nodes,
				  uint64_t interval_ns, int64_t first_ns, unsigned slots,
				  const struct define *define);

/* Add the open interval of the job's node k. interval may be at most the number of slots after the last
 * interval that account_close has ended. Return 0, or -1 if out of memory. */
int account_take(struct account_job *job, unsigned k, const struct series_node *from,
		 const struct series_names *names, unsigned interval, const struct gather_watch *watch);

/* End an interval after all nodes have added theirs. If metrics are defined, the interval must still be
 * open in all nodes. Return 0, or -1 if out of memory. */
int account_close(struct account_job *job, struct series_node *node, const struct series_names *names,
		  const struct gather_options *options, const int *defined, unsigned interval,
		  const struct gather_watch *watch);

/* Return the index of a metric by its name, with or without its scope; -1: no node has the metric yet. */
int account_resolve(const struct series_names *names, const char *name);

/* Return how many of the job's nodes and of the unreadable archives lack a value of the metric if the given
 * number of nodes has a value. */
unsigned account_lacking(const struct account_job *job, unsigned metric, unsigned nodes);

void account_end(struct account_job *job);

#endif
