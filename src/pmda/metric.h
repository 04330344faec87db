/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metric.h - the metrics: their names, numbers, types, units and help. Some describe the service and always
 * exist; the others belong to counters.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_METRIC_H
#define PMDA_METRIC_H

#include "pmda/pcp.h"
#include "pmda/pmids.h"

/* Instance domains, by their serial numbers. */
enum metric_indom {
	INDOM_CPU = 0,
	INDOM_NUMA = 1,
	INDOM_CGROUP = 2,
	INDOM_COUNTER = 3,
	INDOM_USER = 4,
	INDOM_COUNT
};

/*
 * The family of a metric: the upper 4 bits of the cluster of its PMID. These numbers, and the items of
 * metrics that always exist, are in archives and must not change.
 */
enum metric_family {
	FAMILY_FIXED = 0,
	FAMILY_CPU = 1,
	FAMILY_NUMA = 2,
	FAMILY_NODE = 3,
	FAMILY_CGROUP = 4,
	FAMILY_RUNNING_CPU = 5,
	FAMILY_RUNNING_NUMA = 6,
	FAMILY_RUNNING_NODE = 7,
	FAMILY_RUNNING_CGROUP = 8,
	FAMILY_STATE_CPU = 9,
	FAMILY_STATE_NODE = 10,
	FAMILY_STATE_CGROUP = 11,
	FAMILIES
};

/* The property of a counter that a family shows. */
enum metric_what { WHAT_VALUE, WHAT_RUNNING, WHAT_STATE };

struct metric_kind {
	const char *branch; /* "upc.cpu" */
	enum metric_what what;
	enum service_scope scope; /* of counters with this family */
	bool numa;                /* instances are NUMA nodes, with sums over their CPUs */
};

/* The kinds from FAMILY_CPU on; [FAMILY_FIXED] is empty. */
extern const struct metric_kind metric_kind[FAMILIES];

/* Metrics that always exist: items of cluster 0. */
enum metric_fixed {
	COUNTER_NAME = 0,
	COUNTER_EVENT = 1,
	COUNTER_SCOPE = 2,
	COUNTER_STATE = 3,
	COUNTER_STATUS = 4,
	COUNTER_METRIC = 5,
	COUNTER_UNIT = 6,
	USER_PID = 16,
	USER_UID = 17,
	USER_COMMAND = 18,
	USER_DESCRIPTORS = 19,
	SAMPLE_TIME = 32,
	SAMPLE_DUE = 33,
	SAMPLE_SKEW = 34,
	SAMPLE_TOOK = 35,
	SAMPLE_COUNT = 36,
	SAMPLE_INTERVAL = 37,
	CONTROL_GENERATION = 48,
	CONTROL_STARTED = 49,
	CONTROL_MESSAGE = 50,
	CONTROL_SOCKET = 51,
	HINV_NCPU = 64,
	HINV_NNUMA = 65,
	HINV_NUMA = 66
};

struct metric_always {
	enum metric_fixed item;
	const char *name;
	int type, indom, sem; /* indom -1: a single value */
	pmUnits units;
	const char *line, *help;
};

extern const struct metric_always metric_always[];
extern const unsigned metric_always_count;
const struct metric_always *metric_find(unsigned item); /* NULL: no such item */

#define METRIC_NAME_MAX (NAMES_MAX + 32)

/* For a counter's metric: return the family in its PMID; fill in PCP's description of it; write its full
 * name. */
enum metric_family metric_family(pmID pmid);
void metric_desc(const struct pmids_entry *entry, enum metric_family family, int domain, pmDesc *desc);
void metric_name(const struct pmids_entry *entry, enum metric_family family, char name[METRIC_NAME_MAX]);

/* Return the family of a counter's values in its places. */
enum metric_family metric_value_family(enum service_scope scope);

#endif
