/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event_set.h - declarations shared by the files with the public calls on event sets.
 */
#ifndef MPXI_EVENT_SET_H
#define MPXI_EVENT_SET_H

#include "process/target.h"
#include "process/thread.h"

/* Check whether PAPI counts the event in the target's thread (target NULL: the calling thread). Running
 * groups are stopped during the check, so no slice ends meanwhile. Return 0, or PAPI's error with a
 * message. */
int mpxi_event_check(struct mpxi_target *target, uint32_t event);

/* Check whether the counters hold each event of this set together with the covariate and the events that
 * are always counted. Return 0, or PAPI_ECNFLCT with a message that names a conflicting event. set is the
 * handle's set, or a set that will replace it. */
int mpxi_handle_check(const struct mpxi_handle *handle, struct mpxi_set *set);

#endif
