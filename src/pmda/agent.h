/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agent.h - the agent's answers to pmcd. pmda.c has the options and the loop.
 *
 * Terms:
 * - agent: pmdaupc, this program, through which PCP (Performance Co-Pilot) gets the node service's values
 * - pmcd: PCP's daemon; it starts the agent, and asks it for values
 * - counter, place, sample, level: as in service/service.h
 * - metric: a series of values with a name in PCP; a counter has one metric of each family for its scope
 * - family: the values, running times or states of counters of one scope (metric.h)
 * - PMID, cluster, item: PCP's number of a metric, and two parts of it
 * - instance: one of a metric's values, such as that of a CPU; indom: an instance domain, a set of instances
 * - name space: PCP's tree of names; branch, leaf: a prefix of names, a name in it
 * - entry: what the agent keeps for ever about a counter's metrics (pmids.h); slot: its part of the PMIDs
 * - tally: an entry's values in all places, summed over all its counters (tally.h)
 * - epoch: the time since the service's counts began anew (service_sample.started_ns)
 * - the agent's file: its entries and their values, from which a restarted agent continues (store.h)
 * - clean: of a text, valid UTF-8 that can be shown (clean.h)
 * - pure: depending on the arguments alone, without I/O and global state
 */
#ifndef PMDA_AGENT_H
#define PMDA_AGENT_H

#include "pmda/current.h"
#include "pmda/indoms.h"
#include "pmda/pcp.h"
#include "pmda/tree.h"

struct agent {
	struct current current;
	struct tree tree;
	pmdaIndom indom[INDOM_COUNT];
	unsigned version; /* current.version for which tree and indom were made */
	int domain;
};

/* The only agent: PCP's callbacks have no argument through which to find it. */
extern struct agent agent;

/* Register the callbacks, with the metrics that exist before the service is open. Return 0, or PCP's
 * error. */
int agent_init(pmdaInterface *dispatch);

/* Update names and instances to the service's present state. always: take a new sample even if nothing has
 * changed. */
void agent_refresh(pmdaExt *ext, bool always);

void agent_free(void);

#endif
