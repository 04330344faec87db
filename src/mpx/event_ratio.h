/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_ratio.h - declarations that the public calls on event sets share for ratios and relations.
 */
#ifndef MPXI_EVENT_RATIO_H
#define MPXI_EVENT_RATIO_H

#include "process/thread.h"

/* An event's estimate after reconciliation with the relations. */
struct mpxi_moved {
	bool by_relation; /* false: the estimate is unchanged */
	unsigned flags;   /* MPX_RECONCILED, ...  */
	struct mpxi_estimate estimate;
};

/* Reconcile the estimates of all events of a set whose windows are up to date. The caller frees the result.
 * NULL: out of memory. */
struct mpxi_moved *mpxi_asked_moved(const struct mpxi_handle *handle);

/* Remove the ratios and relations of an event that has left the set. */
void mpxi_asked_remove(struct mpxi_handle *handle, uint32_t event);

#endif
