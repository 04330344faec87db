/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_data.h - what is known of a job when its archives have been read: numbers of nodes, NUMA
 * nodes and CPUs, their spread over nodes as time goes, and findings in words. Reports are made of
 * this and of nothing else.
 *
 * A number that was not counted is NAN, never zero. A metric is what a counter counts, as a rate in
 * the time that it counted; or a level, as it was; or what --define, --bandwidth and --flops have
 * made of others. Its values lie on places: CPUs, NUMA nodes, control groups, or the node itself.
 */
#ifndef JOBSTAT_DATA_H
#define JOBSTAT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A share of the time that is all of it: reports print it as 100 %. */
#define JOBSTAT_WHOLE .9995

enum jobstat_scope {
	JOBSTAT_CPU,
	JOBSTAT_NUMA,
	JOBSTAT_NODE,
	JOBSTAT_CGROUP,
	JOBSTAT_OTHER, /* of another agent than the service's: instances are whatever it has */
	JOBSTAT_SCOPES
};

enum jobstat_role { JOBSTAT_PLAIN, JOBSTAT_BANDWIDTH, JOBSTAT_FLOPS };

/* Whether the nodes' rates of a metric could be compared. */
enum jobstat_comparison {
	JOBSTAT_NOT_COMPARED, /* a level, or a sum that another metric has, too */
	JOBSTAT_COMPARED,
	JOBSTAT_FEW,  /* fewer nodes have values than a comparison needs */
	JOBSTAT_ZERO, /* the median is zero                              */
	JOBSTAT_WIDE, /* nodes differ so much that half or twice the median would not be named */
	JOBSTAT_COMPARISONS
};

struct jobstat_metric {
	const char *name; /* "cpu.instructions": as in PCP, without "upc." */
	const char *unit; /* "/s", "B/s", "FLOP/s", or "" of a level and of what is defined */
	enum jobstat_scope scope;
	enum jobstat_role role;
	bool level;         /* as it was, not a rate                                        */
	bool sums;          /* a node has the sum of its places; else their mean              */
	const char *define; /* the expression that it is, or NULL                             */
	enum jobstat_comparison comparison;
	double less, more; /* smallest differences that name a node, below and above: shares of the median */
	const char *named_at; /* ... in words, or why there are none */
};

/* One CPU, NUMA node, control group, or the node itself: over the job's time. */
struct jobstat_place {
	int number;       /* of the CPU or NUMA node; else the instance           */
	const char *name; /* "cpu0", "node3", a label; "" of the node             */
	uint64_t total;   /* what was counted while it was counted; 0 of what is defined and levels */
	double mean;      /* what was counted by the time in which it counted      */
	double min, max;  /* of intervals                                         */
	double covered;   /* share of the job's time in which it counted, 0 to 1  */
	unsigned intervals;
};

/* Why a metric did not count for some of the job's time: shares of it. */
struct jobstat_lost {
	double opening, halted, taken, yielded, failed, offline; /* as the service's states  */
	double unknown;                                          /* absent, and no state says why */
	double record;                                           /* no record in the archive */
};

/* A metric on a node. Without places it is not there: the node does not have it. */
struct jobstat_value {
	struct jobstat_place *place;
	unsigned places;
	double mean, min, max, sd; /* of the node, over intervals in which all its places counted */
	double covered;            /* mean over its places */
	unsigned intervals;
	bool part; /* in some intervals it, or what it is computed from, counted for a part of the time */
	struct jobstat_lost lost;
};

struct jobstat_node {
	const char *name;
	struct jobstat_value *value; /* [metrics of the job] */
	double recorded;             /* share of the job's time between records */
	const char *note;            /* of its archives: where they end, what is damaged, or "" */
};

/* Over the nodes of a job, in one step of its time. */
struct jobstat_point {
	unsigned nodes; /* that have a value */
	double mean, min, max, sd;
	unsigned lacking; /* nodes of the job, and archives that could not be read, without a value */
	bool part;        /* some values are of a part of the step */
};

/* A row of tables III to VII: a NUMA node's number over all nodes of the job that have one. */
struct jobstat_row {
	int number;
	unsigned nodes;
	double min, min_sd, max, max_sd, mean, mean_sd; /* means over nodes, and their standard deviations */
	double covered;
};

enum jobstat_finding_kind {
	JOBSTAT_DIVERGENT,  /* the node's rate stands apart from the others'     */
	JOBSTAT_UNCOUNTED,  /* counters were taken, yielded, halted, absent ... for longer than on others */
	JOBSTAT_UNRECORDED, /* the archive has no records for some of the time    */
	JOBSTAT_UNUSED,     /* CPUs or NUMA nodes on which nothing happens         */
	JOBSTAT_UNBALANCED, /* CPUs or NUMA nodes whose rates differ              */
	JOBSTAT_GROUPS,     /* many nodes differ from the others: no node is named  */
	JOBSTAT_FINDINGS
};

const char *jobstat_finding_name(enum jobstat_finding_kind kind); /* "divergent", "uncounted", ... */
const char *jobstat_scope_name(enum jobstat_scope scope);         /* "cpu", "numa", "node", ...     */

struct jobstat_finding {
	enum jobstat_finding_kind kind;
	bool bad;               /* it names a node as bad; else it is to be known */
	const char *nodes;      /* a list as nid[001-003,7] */
	unsigned first_node;    /* place in node[] of the first of them */
	int metric;             /* the one that shows it best, or -1    */
	double value, usual;    /* of that metric: here, and over the nodes (median); or NAN */
	double share;           /* of the job's time for which it holds */
	int64_t from_ns, to_ns; /* when it held, first and last */
	const char *text;       /* one sentence */
};

/* Result of comparing a job's nodes. */
enum jobstat_told {
	JOBSTAT_TOLD_NOT,  /* nodes are missing, or no metric could be compared */
	JOBSTAT_TOLD_PART, /* some metrics could not be compared */
	JOBSTAT_TOLD_ALL
};

const char *jobstat_comparison_name(enum jobstat_comparison comparison); /* "compared", "wide", ... */
const char *jobstat_told_name(enum jobstat_told told);                   /* "all", "part", "not"    */

/* The values of one place of a node in each step, for metrics with a role. */
struct jobstat_line {
	unsigned node;
	int number;         /* the place; -1: the node as a whole */
	const float *value; /* [steps]; NAN: not counted */
};

struct jobstat_lines {
	int metric;
	struct jobstat_line *line; /* by node, then by place; the node as a whole first */
	unsigned lines;
};

struct jobstat_job {
	const char *id; /* "" where no job was named */
	int64_t start_ns, end_ns;
	uint64_t interval_ns; /* of samples                                                 */
	uint64_t step_ns;     /* of points and lines: a multiple of the interval             */
	unsigned steps;       /* step i begins at first_ns + i * step_ns                     */
	int64_t first_ns;

	struct jobstat_metric *metric;
	unsigned metrics;
	struct jobstat_node *node;
	unsigned nodes;
	struct jobstat_point **point; /* [metrics], each [steps] */
	struct jobstat_lines *lines;  /* of metrics with a role */
	unsigned n_lines;

	struct jobstat_row *row; /* of the bandwidth, or none */
	unsigned rows;
	int bandwidth, flops;    /* the metrics, or -1 */
	double line_bytes, peak; /* 0: no peak was stated */

	struct jobstat_finding *finding; /* bad ones first */
	unsigned findings;
	const char *missing;    /* nodes of the job without any archive, as a list, or "" */
	unsigned unread;        /* archives that could not be read and may be of the job's nodes */
	const char *unread_why; /* of the first of them */
	enum jobstat_told told;
	const char *verdict; /* whether a node stands apart, or why that is not known; sentences */
};

/* The assumption about locality that the paper makes of such a bandwidth, for under each table. */
extern const char jobstat_locality[];

/* The receiver of the jobs as they end, in this order: begin once, job for each, end once; begin and
 * end may be NULL. The receiver owns each job, and frees it with jobstat_job_free. Errors: -1, said. */
struct jobstat_report {
	int (*begin)(struct jobstat_report *report);
	int (*job)(struct jobstat_report *report, struct jobstat_job *job);
	int (*end)(struct jobstat_report *report);
};

void jobstat_job_free(struct jobstat_job *job);

#endif
