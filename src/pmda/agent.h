/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * agent.h - what the agent answers pmcd with. pmda.c has the options and the loop.
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
	unsigned version; /* of current, that tree and indom are of */
	int domain;
};

/* There is one: PCP's callbacks are given no better way to find it. */
extern struct agent agent;

/* Registers the callbacks, with what is known before the service is open. 0, or PCP's error. */
int agent_init(pmdaInterface *dispatch);

/* Brings names and instances up to what the service has now; always: and the sample. */
void agent_refresh(pmdaExt *ext, bool always);

void agent_free(void);

#endif
