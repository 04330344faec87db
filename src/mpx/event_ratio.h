/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_ratio.h - what the public calls on event sets share of ratios and relations.
 */
#ifndef MPXI_EVENT_RATIO_H
#define MPXI_EVENT_RATIO_H

#include "process/thread.h"

/* An event's estimate as relations leave it. */
struct mpxi_moved {
	bool by_relation; /* else it is as it was */
	unsigned flags;   /* MPX_RECONCILED, ...  */
	struct mpxi_estimate estimate;
};

/* All events of a set that has been brought up, for the caller to free; NULL: out of memory. */
struct mpxi_moved *mpxi_asked_moved(const struct mpxi_handle *handle);

/* The event has left the set, and what was asked for with it goes. */
void mpxi_asked_remove(struct mpxi_handle *handle, uint32_t event);

#endif
