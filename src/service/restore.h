/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restore.h - takes a saved state up: the counters go on from what was given out.
 */
#ifndef SERVICE_RESTORE_H
#define SERVICE_RESTORE_H

#include "service/counters.h"
#include "service/saved.h"

/* How far ids skip where it is not known which were given out. */
#define RESTORE_SKIP 65536u

/* Before any counter is added: no id of before is given again. */
void restore_ids(struct counters *counters, const struct saved_state *was);

/* With the same configuration: the counters as they were, as commands had made them. Counters that
 * cannot be opened now are kept, as failed. Errors: UPC_ENOMEM. */
int restore_all(struct counters *counters, const struct saved_state *was);

/* With another configuration, which was executed: of its counters those that were there before, by name,
 * event and scope, go on. Returns how many. */
unsigned restore_same(struct counters *counters, const struct saved_state *was);

#endif
