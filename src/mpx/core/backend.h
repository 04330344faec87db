/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend.h - what the core of MPX counts with: groups of events that the
 * counters hold together. There are two: PAPI's public calls (papi_open.c) and
 * the units of the PAPI component (its upc_turns.c).
 *
 * A group is opened and closed in ordinary context. The functions that end in
 * _sig are also called by the handler that ends a time slice: they take no
 * lock, allocate nothing and keep to what their own file lists as safe there.
 * All calls for one backend come from the thread whose events it counts.
 */
#ifndef MPXI_BACKEND_H
#define MPXI_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

/* The counts of a group since its start. Groups of unlimited events have neither size nor covariate,
 * since one of the others always runs beside them. */
struct mpxi_sample {
	uint64_t size;      /* its length in the backend's clock: cycles or ns of the thread */
	uint64_t covariate; /* the event counted beside every group, 0 without one            */
	uint64_t *count;    /* [n]: of the group's events, in the order of open()             */
};

enum mpxi_role {
	MPXI_ORDINARY,
	MPXI_UNLIMITED, /* counted beside any others, in a group that runs with theirs */
	MPXI_OUTSIDE,   /* the same, and no handler may touch it: its groups have no others */
	MPXI_CLOCK,     /* the event that mpxi_sample's size is: in no group's list    */
	MPXI_BESIDE,    /* the covariate: in no group's list                           */
	/* Ordinary to the backend: the core has it in each group that takes turns. */
	MPXI_ALWAYS,
};

struct mpxi_backend_ops {
	/*
	 * Do the counters hold these n events together? 1 yes, 0 no, or an error
	 * (negative, the library's own code, with a message set). Changes nothing.
	 */
	int (*fits)(void *backend, const uint32_t *event, unsigned n);

	/* The role that the core may rely on for an event. MPXI_ORDINARY is always right. */
	enum mpxi_role (*role)(void *backend, uint32_t event);

	/* Makes a stopped group; it stays open, so that starting it is cheap. The events
	 * are all MPXI_UNLIMITED, or all MPXI_OUTSIDE, or none is either; n = 0 is a group of
	 * the clock and the covariate. */
	int (*open)(void *backend, const uint32_t *event, unsigned n, void **group);
	void (*close)(void *backend, void *group);

	/* Counts from 0. Groups of unlimited events, and one other, run at once. Those of
	 * MPXI_OUTSIDE are started, read and stopped in ordinary context only. */
	int (*start_sig)(void *group);
	int (*read_sig)(void *group, struct mpxi_sample *sample);
	/* Reads and stops. After an error the group is stopped and the sample lost. */
	int (*stop_sig)(void *group, struct mpxi_sample *sample);

	/* Groups that are asked for by fits, or opened, from now on have this covariate; NULL: none.
	 * Without the function there is the one that the backend was made with, or none. */
	void (*choose)(void *backend, const uint32_t *covariate);

	/* Whether each count of the event delays the program. Absent: no event does. */
	bool (*slows)(void *backend, uint32_t event);
};

#endif
