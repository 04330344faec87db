/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agent.h - the agent's answers to pmcd. pmda.c has the options and the loop.
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
	unsigned version; /* current's version that tree and indom represent */
	int domain;
};

/* The only agent: PCP's callbacks have no argument through which to find it. */
extern struct agent agent;

/* Register the callbacks, with the metrics that exist before the service is open. Return 0, or PCP's
 * error. */
int agent_init(pmdaInterface *dispatch);

/* Update names and instances to the service's present state. always: the sample, too. */
void agent_refresh(pmdaExt *ext, bool always);

void agent_free(void);

#endif
