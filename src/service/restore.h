/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restore.h - restores a saved state: the counters go on from the values that were published.
 * Terms: service/service.h.
 */
#ifndef SERVICE_RESTORE_H
#define SERVICE_RESTORE_H

#include "service/counters.h"
#include "service/saved.h"

/* Number of ids that are skipped if the ids in published samples are not known. */
#define RESTORE_SKIP 65536u

/* Set the next id, number and generation, before any counter is added, so that no id is used again. */
void restore_ids(struct counters *counters, const struct saved_state *was);

/* Restore the counters as they were, with the changes by commands. Used if the configuration is the same as
 * before. Counters that cannot be opened now are kept, as failed. Errors: UPC_ENOMEM. */
int restore_all(struct counters *counters, const struct saved_state *was);

/* Continue the saved counts in those counters that have the name, event and scope of a saved counter. Used if
 * the configuration has changed; it has been executed before this call. Return their number. */
unsigned restore_same(struct counters *counters, const struct saved_state *was);

#endif
