/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metric.c - see metric.h: tables, and functions that use them.
 * Terms: pmda/agent.h.
 */
#include "pmda/metric.h"

#include <stdio.h>
#include <string.h>

const struct metric_kind metric_kind[FAMILIES] = {
	[FAMILY_CPU] = {"upc.cpu", WHAT_VALUE, SERVICE_CPU, false},
	[FAMILY_NUMA] = {"upc.numa", WHAT_VALUE, SERVICE_CPU, true},
	[FAMILY_NODE] = {"upc.node", WHAT_VALUE, SERVICE_NODE, false},
	[FAMILY_CGROUP] = {"upc.cgroup", WHAT_VALUE, SERVICE_CGROUP, false},
	[FAMILY_RUNNING_CPU] = {"upc.running.cpu", WHAT_RUNNING, SERVICE_CPU, false},
	[FAMILY_RUNNING_NUMA] = {"upc.running.numa", WHAT_RUNNING, SERVICE_CPU, true},
	[FAMILY_RUNNING_NODE] = {"upc.running.node", WHAT_RUNNING, SERVICE_NODE, false},
	[FAMILY_RUNNING_CGROUP] = {"upc.running.cgroup", WHAT_RUNNING, SERVICE_CGROUP, false},
	[FAMILY_STATE_CPU] = {"upc.state.cpu", WHAT_STATE, SERVICE_CPU, false},
	[FAMILY_STATE_NODE] = {"upc.state.node", WHAT_STATE, SERVICE_NODE, false},
	[FAMILY_STATE_CGROUP] = {"upc.state.cgroup", WHAT_STATE, SERVICE_CGROUP, false},
};

#define NO_UNIT PMDA_PMUNITS(0, 0, 0, 0, 0, 0)
#define COUNTS PMDA_PMUNITS(0, 0, 1, 0, 0, PM_COUNT_ONE)
#define NANOSECONDS PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_NSEC, 0)

const struct metric_always metric_always[] = {
	{COUNTER_NAME, "upc.counter.name", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_DISCRETE, NO_UNIT,
	 "name by which commands call the counter", "Its event's name, or the alias given with as=."},
	{COUNTER_EVENT, "upc.counter.event", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_DISCRETE, NO_UNIT,
	 "what the counter counts", "The event's full name, as upc_avail lists it."},
	{COUNTER_SCOPE, "upc.counter.scope", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_DISCRETE, NO_UNIT,
	 "cpu, node or cgroup", "Whether the counter has a value for each CPU, one, or one a control group."},
	{COUNTER_STATE, "upc.counter.state", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_INSTANT, NO_UNIT,
	 "the worst state among the counter's places",
	 "opening, counting, halted, taken (somebody else has the hardware counter), yielded (the\n"
	 "service stepped aside), failed, offline. Each place's own is in upc.state."},
	{COUNTER_STATUS, "upc.counter.status", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_INSTANT, NO_UNIT,
	 "why the counter is in this state", "One sentence; empty while all is well."},
	{COUNTER_METRIC, "upc.counter.metric", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_DISCRETE, NO_UNIT,
	 "the metric that has the counter's values", "Empty where there is no room for another metric."},
	{COUNTER_UNIT, "upc.counter.unit", PM_TYPE_STRING, INDOM_COUNTER, PM_SEM_DISCRETE, NO_UNIT,
	 "what one count is", "As upc_avail has it: events, bytes, ns ..."},
	{USER_PID, "upc.user.pid", PM_TYPE_U32, INDOM_USER, PM_SEM_INSTANT, NO_UNIT,
	 "process that has hardware counters",
	 "A process other than the service, seen to have perf events or MSRs open."},
	{USER_UID, "upc.user.uid", PM_TYPE_U32, INDOM_USER, PM_SEM_INSTANT, NO_UNIT,
	 "user of a process that has hardware counters", "The user's number."},
	{USER_COMMAND, "upc.user.command", PM_TYPE_STRING, INDOM_USER, PM_SEM_INSTANT, NO_UNIT,
	 "command of a process that has hardware counters", "The name that the kernel has of it."},
	{USER_DESCRIPTORS, "upc.user.descriptors", PM_TYPE_U32, INDOM_USER, PM_SEM_INSTANT, COUNTS,
	 "descriptors of perf events and MSRs that a process has", "Of all kinds of perf events together."},
	{SAMPLE_TIME, "upc.sample.time", PM_TYPE_U64, -1, PM_SEM_INSTANT, NANOSECONDS,
	 "when the values were read", "The middle of the sample, since the epoch of the wall clock."},
	{SAMPLE_DUE, "upc.sample.due", PM_TYPE_U64, -1, PM_SEM_INSTANT, NANOSECONDS,
	 "when the values should have been read",
	 "The multiple of the interval. Without an interval they are read when somebody asks: as upc.sample.time."},
	{SAMPLE_SKEW, "upc.sample.skew", PM_TYPE_64, -1, PM_SEM_INSTANT, NANOSECONDS,
	 "how far the sample was from when it was due", "upc.sample.time less upc.sample.due."},
	{SAMPLE_TOOK, "upc.sample.took", PM_TYPE_U64, -1, PM_SEM_INSTANT, NANOSECONDS,
	 "how long the reading took", "From the first counter to the last."},
	{SAMPLE_COUNT, "upc.sample.count", PM_TYPE_U64, -1, PM_SEM_COUNTER, COUNTS, "samples that were made",
	 "Since the service began; a restart begins anew."},
	{SAMPLE_INTERVAL, "upc.sample.interval", PM_TYPE_U64, -1, PM_SEM_DISCRETE, NANOSECONDS,
	 "interval of the samples", "0: they are made when somebody asks."},
	{CONTROL_GENERATION, "upc.control.generation", PM_TYPE_U64, -1, PM_SEM_INSTANT, NO_UNIT,
	 "grows with each change of the counters", "By a command, or as places come and go."},
	{CONTROL_STARTED, "upc.control.started", PM_TYPE_U64, -1, PM_SEM_DISCRETE, NANOSECONDS,
	 "when counts began",
	 "Since the epoch of the wall clock. Another one means that counts began anew: make no\n"
	 "rate of two records that differ in it."},
	{CONTROL_MESSAGE, "upc.control.message", PM_TYPE_STRING, -1, PM_SEM_INSTANT, NO_UNIT,
	 "what the operator should know", "Empty while all is well."},
	{CONTROL_SOCKET, "upc.control.socket", PM_TYPE_STRING, -1, PM_SEM_DISCRETE, NO_UNIT,
	 "the socket that takes commands",
	 "For upcctl. Empty: the service takes none. Stores are refused always."},
	{HINV_NCPU, "upc.hinv.ncpu", PM_TYPE_U32, -1, PM_SEM_DISCRETE, COUNTS, "CPUs of this node",
	 "Those that are offline as well."},
	{HINV_NNUMA, "upc.hinv.nnuma", PM_TYPE_U32, -1, PM_SEM_DISCRETE, COUNTS, "NUMA nodes of this node",
	 "Those that have CPUs."},
	{HINV_NUMA, "upc.hinv.numa", PM_TYPE_U32, INDOM_CPU, PM_SEM_DISCRETE, NO_UNIT,
	 "NUMA node of each CPU", "Its number."},
};
const unsigned metric_always_count = sizeof(metric_always) / sizeof(metric_always[0]);

const struct metric_always *metric_find(unsigned item)
{
	unsigned i;

	for (i = 0; i < metric_always_count; i++)
		if (metric_always[i].item == item)
			return &metric_always[i];
	return NULL;
}

enum metric_family metric_family(pmID pmid)
{
	return (enum metric_family)(pmID_cluster(pmid) >> 8);
}

/* Return the catalogue's unit in PCP's terms. An unknown unit becomes a count, or, for a level, no unit. */
static pmUnits units_of(const struct pmids_key *key)
{
	static const struct {
		const char *unit;
		pmUnits units;
	} known[] = {
		{"bytes", PMDA_PMUNITS(1, 0, 0, PM_SPACE_BYTE, 0, 0)},
		{"ns", NANOSECONDS},
		{"us", PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_USEC, 0)},
		{"ms", PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_MSEC, 0)},
		{"s", PMDA_PMUNITS(0, 1, 0, 0, PM_TIME_SEC, 0)},
	};
	static const pmUnits none = NO_UNIT, counts = COUNTS;
	unsigned i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(key->unit, known[i].unit))
			return known[i].units;
	return key->level ? none : counts;
}

void metric_desc(const struct pmids_entry *entry, enum metric_family family, int domain, pmDesc *desc)
{
	static const pmUnits none = NO_UNIT, nanoseconds = NANOSECONDS;
	const struct metric_kind *kind = &metric_kind[family];
	int indom = kind->numa                      ? INDOM_NUMA
		    : kind->scope == SERVICE_CPU    ? INDOM_CPU
		    : kind->scope == SERVICE_CGROUP ? INDOM_CGROUP
						    : -1;

	desc->pmid =
		pmID_build((unsigned)domain, (unsigned)family << 8 | entry->slot >> 10, entry->slot & 0x3ff);
	desc->type = kind->what == WHAT_STATE ? PM_TYPE_U32 : PM_TYPE_U64;
	desc->indom = indom < 0 ? PM_INDOM_NULL : pmInDom_build((unsigned)domain, (unsigned)indom);
	desc->sem = kind->what == WHAT_STATE || (kind->what == WHAT_VALUE && entry->key.level)
			    ? PM_SEM_INSTANT
			    : PM_SEM_COUNTER;
	desc->units = kind->what == WHAT_VALUE     ? units_of(&entry->key)
		      : kind->what == WHAT_RUNNING ? nanoseconds
						   : none;
}

void metric_name(const struct pmids_entry *entry, enum metric_family family, char name[METRIC_NAME_MAX])
{
	snprintf(name, METRIC_NAME_MAX, "%s.%s", metric_kind[family].branch, entry->metric);
}

enum metric_family metric_value_family(enum service_scope scope)
{
	return scope == SERVICE_CPU ? FAMILY_CPU : scope == SERVICE_NODE ? FAMILY_NODE : FAMILY_CGROUP;
}
