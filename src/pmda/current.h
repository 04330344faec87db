/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * current.h - the service as the agent sees it now: the sample at hand, what its counters' metrics are,
 * and what these counted. Knows no PCP.
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
	const char *store;       /* the agent's own file, or NULL */
	const char *socket;      /* the path for commands, or "" */
	const struct service_sample *sample;
	struct pmids_entry **of; /* of the sample's counters; NULL where there is none */
	struct pmids pmids;
	struct places places[SERVICE_SCOPES];
	uint64_t generation, epoch;
	unsigned version;              /* grows where names, places or counters changed */
	void (*say)(const char *line); /* what the operator should read */
};

/* Reads the agent's file. 0, or -ENOMEM; a file that is damaged is put aside, and say()'s. */
int current_init(struct current *current);

/* Has the service and its first sample. It is current's from here on. */
void current_open(struct current *current, struct service *service);

/* Brings the sample up to date: always, or only where the service changed since. */
void current_refresh(struct current *current, bool always);

/* Saves, and closes the service. */
void current_close(struct current *current);

#endif
