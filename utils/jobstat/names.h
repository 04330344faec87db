/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - the kinds of the service agent's metrics, recognized by their names.
 *
 * Terms: jobstat/jobstat_data.h.
 */
#ifndef JOBSTAT_NAMES_H
#define JOBSTAT_NAMES_H

#include "jobstat/jobstat_data.h"

enum names_kind {
	NAMES_VALUE,      /* upc.SCOPE.NAME               */
	NAMES_RUNNING,    /* upc.running.SCOPE.NAME       */
	NAMES_STATE,      /* upc.state.SCOPE.NAME         */
	NAMES_STARTED,    /* upc.control.started: a new value means that all counts began anew */
	NAMES_GENERATION, /* upc.control.generation       */
	NAMES_INTERVAL,   /* upc.sample.interval          */
	NAMES_USER,       /* upc.user.command             */
	NAMES_OF_NUMA,    /* upc.hinv.numa                */
	NAMES_FOREIGN,    /* metric of another agent */
	NAMES_OTHER       /* metric of the agent that is not needed */
};

/* Return the kind of a metric. For the first three kinds, set *scope, and set *name to the part
 * "SCOPE.NAME" of full. */
enum names_kind names_kind(const char *full, enum jobstat_scope *scope, const char **name);

#endif
