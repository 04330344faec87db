/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jobstat_data.h - the data of a job after its archives were read: values of nodes, NUMA nodes and CPUs,
 * their spread over nodes as a time series, and findings in words. All reports are made from this data
 * alone.
 *
 * Terms:
 *   record        the values and the time of one fetch; a record without metrics is a mark (archive.h)
 *   place         a CPU, a NUMA node, a control group or the whole node that a metric has a value for
 *   interval      the time between two samples; the open interval is the one that records are being added to
 *   step          one or more intervals, merged to limit the number of points and lines (account.h)
 *   point         the spread of a metric over the nodes in one step
 *   spread        mean, minimum, maximum and standard deviation
 *   role          bandwidth or FLOP rate; a metric with a role has lines and is shown first
 *   line          the values of one place in each step
 *   part          of a job: one of at most 32 equal lengths of its time (block in account.h)
 *   stands apart  a node's rate is outside the limits of divergent.h
 *   named         a node that stands apart in the whole job and in half of its parts (compare.h)
 *   state         of a counter: counting, taken (used by others), yielded (stopped for a user) ... (series.h)
 *   agent         the program through which PCP reads the node service's counters
 *   all others    lib/common.h
 *
 * A value that was not counted is NAN, never zero. A metric is a counter's rate over the time in which the
 * counter ran, or a level, or a metric computed by --define, --bandwidth or --flops. Its values belong to
 * places: CPUs, NUMA nodes, control groups, or the node itself.
 */
#ifndef JOBSTAT_DATA_H
#define JOBSTAT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The share of time that counts as all of it. Reports print it as 100 %. */
#define JOBSTAT_WHOLE .9995

enum jobstat_scope {
	JOBSTAT_CPU,
	JOBSTAT_NUMA,
	JOBSTAT_NODE,
	JOBSTAT_CGROUP,
	JOBSTAT_OTHER, /* metric of another agent; its instances may be anything */
	JOBSTAT_SCOPES
};

enum jobstat_role { JOBSTAT_PLAIN, JOBSTAT_BANDWIDTH, JOBSTAT_FLOPS };

/* Whether the nodes' rates of a metric could be compared. */
enum jobstat_comparison {
	JOBSTAT_NOT_COMPARED, /* a level, or the same counter as another metric */
	JOBSTAT_COMPARED,
	JOBSTAT_FEW,  /* too few nodes have values */
	JOBSTAT_ZERO, /* the median is zero                              */
	JOBSTAT_WIDE, /* nodes differ so much that half or twice the median would not be named */
	JOBSTAT_COMPARISONS
};

struct jobstat_metric {
	const char *name; /* "cpu.instructions": as in PCP, without "upc." */
	const char *unit; /* "/s", "B/s", "FLOP/s", or "" for levels and defined metrics */
	enum jobstat_scope scope;
	enum jobstat_role role;
	bool level;         /* a level, not a rate */
	bool sums;          /* a node's value is the sum of its places; else their mean */
	const char *define; /* the expression that defines the metric, or NULL */
	enum jobstat_comparison comparison;
	double less, more;    /* smallest differences that name a node, as shares of the median */
	const char *named_at; /* less and more in words, or why they are unknown */
};

/* One CPU, NUMA node, control group, or the node itself, over the job's time. */
struct jobstat_place {
	int number;       /* number of the CPU or NUMA node; else the instance */
	const char *name; /* "cpu0", "node3", a label; "" for the node itself */
	uint64_t total;   /* events counted; 0 for defined metrics and levels */
	double mean;      /* events divided by the time in which they were counted */
	double min, max;  /* minimum and maximum over intervals */
	double covered;   /* share of the job's time in which the metric counted, 0 to 1 */
	unsigned intervals;
};

/* Reasons why a metric did not count, each as a share of the job's time. */
struct jobstat_lost {
	double opening, halted, taken, yielded, failed, offline; /* the service's states */
	double unknown;                                          /* no value, and no state gives the reason */
	double record;                                           /* no record in the archive */
};

/* A metric on a node. If there are no places, the node does not have the metric. */
struct jobstat_value {
	struct jobstat_place *place;
	unsigned places;
	double mean, min, max, sd; /* spread over the intervals in which all places counted */
	double covered;            /* mean of the places' covered */
	unsigned intervals;
	bool part; /* in some intervals the metric, or an input of its definition, counted only for a part of
		      the time */
	struct jobstat_lost lost;
};

struct jobstat_node {
	const char *name;
	struct jobstat_value *value; /* [metrics of the job] */
	double recorded;             /* share of the job's time that records cover */
	const char *note;            /* problems of the node's archives: an early end, damage; or "" */
};

/* The spread over the nodes of a job in one step of time. */
struct jobstat_point {
	unsigned nodes; /* number of nodes with a value */
	double mean, min, max, sd;
	unsigned lacking; /* number of the job's nodes and of unreadable archives without a value */
	bool part;        /* some values cover only a part of the step */
};

/* A row of tables III to VII: a NUMA node's value over all nodes of the job that have this NUMA node. */
struct jobstat_row {
	int number;
	unsigned nodes;
	/* mean and standard deviation, over the nodes, of the place's minimum, maximum and mean */
	double min, min_sd, max, max_sd, mean, mean_sd;
	double covered;
};

enum jobstat_finding_kind {
	JOBSTAT_DIVERGENT,  /* the node's rate stands apart from the others' */
	JOBSTAT_UNCOUNTED,  /* counters did not count (taken, halted, ...) for longer than elsewhere */
	JOBSTAT_UNRECORDED, /* the archive has no records for some of the time */
	JOBSTAT_UNUSED,     /* idle CPUs or NUMA nodes */
	JOBSTAT_UNBALANCED, /* CPUs or NUMA nodes whose rates differ */
	JOBSTAT_GROUPS,     /* many nodes differ from the others: no node is named  */
	JOBSTAT_FINDINGS
};

const char *jobstat_finding_name(enum jobstat_finding_kind kind); /* "divergent", "uncounted", ... */
const char *jobstat_scope_name(enum jobstat_scope scope);         /* "cpu", "numa", "node", ...     */

struct jobstat_finding {
	enum jobstat_finding_kind kind;
	bool bad;               /* the finding names a node as bad; else it is for information */
	const char *nodes;      /* a list as nid[001-003,7] */
	unsigned first_node;    /* index in job.node of the first node of the list */
	int metric;             /* the metric that shows the finding best, or -1 */
	double value, usual;    /* the metric's value on the node, and its median over nodes; or NAN */
	double share;           /* share of the job's time for which the finding holds */
	int64_t from_ns, to_ns; /* first and last time at which the finding held */
	const char *text;       /* the finding as a sentence */
};

/* How far the comparison of a job's nodes succeeded. */
enum jobstat_told {
	JOBSTAT_TOLD_NOT,  /* nodes are missing, or no metric could be compared */
	JOBSTAT_TOLD_PART, /* some metrics could not be compared */
	JOBSTAT_TOLD_ALL
};

const char *jobstat_comparison_name(enum jobstat_comparison comparison); /* "compared", "wide", ... */
const char *jobstat_told_name(enum jobstat_told told);                   /* "all", "part", "not"    */

/* The values of one place of a node in each step. Only metrics with a role have lines. */
struct jobstat_line {
	unsigned node;
	int number;         /* number of the place; -1: the whole node */
	const float *value; /* [steps]; NAN: not counted */
};

struct jobstat_lines {
	int metric;
	struct jobstat_line *line; /* sorted by node, then by place; first the whole node */
	unsigned lines;
};

struct jobstat_job {
	const char *id; /* "" if no job was named */
	int64_t start_ns, end_ns;
	uint64_t interval_ns; /* sampling interval */
	uint64_t step_ns;     /* time step of points and lines, a multiple of interval_ns */
	unsigned steps;       /* step i begins at first_ns + i * step_ns                     */
	int64_t first_ns;

	struct jobstat_metric *metric;
	unsigned metrics;
	struct jobstat_node *node;
	unsigned nodes;
	struct jobstat_point **point; /* [metrics], each [steps] */
	struct jobstat_lines *lines;  /* lines of the metrics with a role */
	unsigned n_lines;

	struct jobstat_row *row; /* rows of the bandwidth table, or NULL */
	unsigned rows;
	int bandwidth, flops;    /* indices of the metrics, or -1 */
	double line_bytes, peak; /* peak 0: no peak was given */

	struct jobstat_finding *finding; /* bad ones first */
	unsigned findings;
	const char *missing;    /* the job's nodes without any archive, as a list, or "" */
	unsigned unread;        /* unreadable archives that may belong to the job's nodes */
	const char *unread_why; /* why the first unreadable archive cannot be read */
	enum jobstat_told told;
	const char *verdict; /* sentences: whether a node stands apart, or why this is unknown */
};

/* The MSR paper's assumption about the locality of memory accesses, on which the bandwidth of a NUMA node is
 * based. It is printed below each bandwidth table. */
extern const char jobstat_locality[];

/* The receiver of finished jobs. The calls are: begin once, job for each job, end once; begin and end may
 * be NULL. The receiver owns each job and frees it with jobstat_job_free. Return 0, or -1 after an error
 * message. */
struct jobstat_report {
	int (*begin)(struct jobstat_report *report);
	int (*job)(struct jobstat_report *report, struct jobstat_job *job);
	int (*end)(struct jobstat_report *report);
};

void jobstat_job_free(struct jobstat_job *job);

#endif
