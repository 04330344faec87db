/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * backend.h - the counting interface that the multiplexing core (core.h) calls: it opens, starts, reads and
 * stops groups of events. There are two backends: one uses PAPI's public calls (papi/papi_open.c), the
 * other counts with UPC units (runtime/turns.c).
 *
 * A group is opened and closed in ordinary context. The handler that ends a time slice also calls the
 * functions that end in _sig: they take no lock, allocate nothing, and restrict themselves to the calls
 * that their own file lists as safe in handlers. All calls for one backend come from the thread whose
 * events it counts.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_BACKEND_H
#define MPXI_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

/* The counts of a group since its start. The size and the covariate of an unlimited group
 * (MPXI_UNLIMITED, MPXI_OUTSIDE) are not used, since another group, which has both, always runs at the
 * same time. */
struct mpxi_sample {
	uint64_t size;      /* time for which the group has counted the thread: cycles or ns of CPU time */
	uint64_t covariate; /* count of the covariate, 0 without a covariate */
	uint64_t *count;    /* [n]: counts of the group's events, in the order of open() */
};

enum mpxi_role {
	MPXI_ORDINARY,
	MPXI_UNLIMITED, /* unlimited: needs no turn, since its group runs at the same time as any other */
	MPXI_OUTSIDE,   /* unlimited, but no handler may start, read or stop it: kept in separate groups */
	MPXI_CLOCK,     /* the event whose count is mpxi_sample.size; open() never lists it */
	MPXI_BESIDE,    /* the event whose count is mpxi_sample.covariate; open() never lists it */
	/* Set by the core for an event that it puts into each group that takes turns. The backend's role of
	 * such an event is MPXI_ORDINARY. */
	MPXI_ALWAYS,
};

struct mpxi_backend_ops {
	/*
	 * Check whether the counters can hold these n events at the same time. Return 1 for yes, 0 for no,
	 * or a negative library error with a message set. Changes nothing.
	 */
	int (*fits)(void *backend, const uint32_t *event, unsigned n);

	/* Return the role that the core may assume for an event. MPXI_ORDINARY is always right. */
	enum mpxi_role (*role)(void *backend, uint32_t event);

	/* Open a group, without starting it. The group stays open, so that starting it is cheap. Either
	 * all events are MPXI_UNLIMITED, or all are MPXI_OUTSIDE, or none has one of these two roles. n
	 * = 0 opens a group with only the clock and the covariate. */
	int (*open)(void *backend, const uint32_t *event, unsigned n, void **group);
	void (*close)(void *backend, void *group);

	/* Start a group at count 0. Unlimited groups run at the same time as one other group. Groups of
	 * MPXI_OUTSIDE events are started, read and stopped in ordinary context only. */
	int (*start_sig)(void *group);
	int (*read_sig)(void *group, struct mpxi_sample *sample);
	/* Read and stop a group. After an error the group is stopped and the sample is lost. */
	int (*stop_sig)(void *group, struct mpxi_sample *sample);

	/* Set the covariate of groups that are checked by fits or opened from now on; NULL: none. A
	 * backend without this function keeps the covariate with which it was created, if any. */
	void (*choose)(void *backend, const uint32_t *covariate);

	/* True if each count of the event delays the program. Without this function no event delays the
	 * program. */
	bool (*slows)(void *backend, uint32_t event);
};

#endif
