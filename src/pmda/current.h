/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * current.h - the agent's present view of the service: the current sample, the metrics of its counters, and
 * their tallies. Does not depend on PCP.
 * Terms: pmda/agent.h.
 */
#ifndef PMDA_CURRENT_H
#define PMDA_CURRENT_H

#include <stdbool.h>
#include <stdint.h>

#include "pmda/pmids.h"
#include "pmda/tally.h"
#include "service/service.h"

struct current {
	struct service *service; /* NULL: not open yet */
	const char *store;       /* path of the agent's own file, or NULL */
	const char *socket;      /* path of the control socket, or "" */
	const struct service_sample *sample;
	struct pmids_entry **of; /* [sample->counters]: the counters' entries; NULL: no metric */
	struct pmids pmids;
	struct places places[SERVICE_SCOPES];
	uint64_t generation, epoch;
	unsigned version;              /* incremented when names, places or counters change */
	void (*say)(const char *line); /* reports a line to the operator */
};

/* Read the agent's file. Return 0, or -ENOMEM. A damaged file is renamed, and reported through say(). */
int current_init(struct current *current);

/* Take over the open service, and take its first sample. */
void current_open(struct current *current, struct service *service);

/* Take a new sample: always, or only if the service's generation has changed since the current one. */
void current_refresh(struct current *current, bool always);

/* Save the agent's file, and close the service. */
void current_close(struct current *current);

#endif
