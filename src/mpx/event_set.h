/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_set.h - what the files of calls on event sets share.
 */
#ifndef MPXI_EVENT_SET_H
#define MPXI_EVENT_SET_H

#include "process/target.h"
#include "process/thread.h"

/* Whether PAPI counts the event in that thread; target NULL: in the calling one. PAPI is asked with the
 * groups that run stopped: no slice may end in between. PAPI's error, with a message. */
int mpxi_event_check(struct mpxi_target *target, uint32_t event);

/* Do the counters hold each event of this set beside its covariate, and those of it that are always
 * counted? PAPI_ECNFLCT, with words that name one. set is that of the handle, or is about to be. */
int mpxi_handle_check(const struct mpxi_handle *handle, struct mpxi_set *set);

#endif
