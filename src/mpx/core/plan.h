/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - which events share a group, and in what order the groups take turns.
 *
 * Both are pure computations: a draft is a set of event lists, from which the core opens groups; the order
 * is a permutation that a handler steps through.
 */
#ifndef MPXI_PLAN_H
#define MPXI_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/group.h"

/* One list of a draft: its codes, in ascending order, extend from begin to the begin of the next list. */
struct mpxi_list {
	unsigned begin;
	unsigned from;            /* slot of its former group; MPXI_NEW_LIST: none */
	unsigned taken;           /* number of events when it was added */
	unsigned refusals, tried; /* number of failed tries; the last event tried */
};

#define MPXI_NEW_LIST (~0u)

struct mpxi_draft {
	unsigned lists, room_lists, codes, room_codes;
	unsigned asked;         /* number of events placed so far */
	struct mpxi_list *list; /* [lists + 1]: the last element has only begin */
	uint32_t *code;
};

void mpxi_draft_clear(struct mpxi_draft *draft);

/* Append a list. With active_only, take only the events that are active or whose place is pinned. Empty
 * lists are left out. */
int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n, bool active_only,
		   unsigned from);

/*
 * Place more events where the counters hold them: in existing lists, the shortest first, else in new lists.
 * The result is a single list if the counters hold all events together. Errors: MPXI_ENOMEM, MPXI_ECNFLCT
 * (no counter holds an event even alone), the backend's. After an error only mpxi_draft_clear may use the
 * draft.
 */
int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n);

/* Remove lists whose events fit into the others, the shortest first. Errors: as mpxi_draft_place. */
int mpxi_draft_shrink(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend);

/* Round robin order, shuffled again for each round. */
struct mpxi_order {
	unsigned n, next;
	unsigned *slot; /* [n] */
	uint64_t random;
};

/*
 * Set a new order of n slots. was[i] is the former index of slot i, or at least the former n for a new
 * slot. Slots that had their turn in this round stay behind the others, which are shuffled with the new
 * slots. slot is the caller's new array of n.
 */
void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n);

/* Return the next slot to run. For handlers. n must not be 0. */
unsigned mpxi_order_next_sig(struct mpxi_order *order);

#endif
