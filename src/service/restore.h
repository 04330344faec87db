/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restore.h - restores a saved state: the counters go on from the values that were published.
 */
#ifndef SERVICE_RESTORE_H
#define SERVICE_RESTORE_H

#include "service/counters.h"
#include "service/saved.h"

/* How far ids skip if the published ones are not known. */
#define RESTORE_SKIP 65536u

/* Set the next id, number and generation, before any counter is added, so that no id is used again. */
void restore_ids(struct counters *counters, const struct saved_state *was);

/* Restore the counters as they were, with the changes by commands; for the same configuration. Counters that
 * cannot be opened now are kept, as failed. Errors: UPC_ENOMEM. */
int restore_all(struct counters *counters, const struct saved_state *was);

/* Let counters go on that existed before, by name, event and scope; for another configuration, which is
 * already executed. Return their number. */
unsigned restore_same(struct counters *counters, const struct saved_state *was);

#endif
