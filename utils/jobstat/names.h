/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - what a metric of the service's agent is, by its name.
 */
#ifndef JOBSTAT_NAMES_H
#define JOBSTAT_NAMES_H

#include "jobstat/jobstat_data.h"

enum names_kind {
	NAMES_VALUE,      /* upc.SCOPE.NAME               */
	NAMES_RUNNING,    /* upc.running.SCOPE.NAME       */
	NAMES_STATE,      /* upc.state.SCOPE.NAME         */
	NAMES_STARTED,    /* upc.control.started: another one is another epoch of counts */
	NAMES_GENERATION, /* upc.control.generation       */
	NAMES_INTERVAL,   /* upc.sample.interval          */
	NAMES_USER,       /* upc.user.command             */
	NAMES_OF_NUMA,    /* upc.hinv.numa                */
	NAMES_FOREIGN,    /* not of the agent             */
	NAMES_OTHER       /* of the agent, and not needed */
};

/* *name: "SCOPE.NAME", a part of full, of the first three. */
enum names_kind names_kind(const char *full, enum jobstat_scope *scope, const char **name);

#endif
