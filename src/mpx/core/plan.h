/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - which events share a group, and in what order the groups take turns.
 *
 * Both are pure computations: a draft is a set of event lists, and the core opens one group for each list;
 * the order is a permutation of the groups that a handler steps through.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_PLAN_H
#define MPXI_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/group.h"

/* One list of a draft. Its event codes, in ascending order, are the elements of draft.code from begin to
 * the begin of the next list. */
struct mpxi_list {
	unsigned begin;
	unsigned from;  /* slot of the group from which the list was made; MPXI_NEW_LIST: none */
	unsigned taken; /* number of events that the list had when it was added */
	/* number of events that did not fit; value of draft.asked for the event tried last */
	unsigned refusals, tried;
};

#define MPXI_NEW_LIST (~0u)

struct mpxi_draft {
	unsigned lists, room_lists, codes, room_codes;
	unsigned asked;         /* number of events for which a list was sought so far */
	struct mpxi_list *list; /* [lists + 1]: the last element has only begin */
	uint32_t *code;
};

void mpxi_draft_clear(struct mpxi_draft *draft);

/* Append a list of the n events. With active_only, take only the active and pinned events. If no event
 * is left, append no list. */
int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n, bool active_only,
		   unsigned from);

/*
 * Add n events to the draft: each to an existing list that the counters still hold with it, trying the
 * shortest list first, or else to a new list. The result is a single list if the counters hold all events
 * together. Errors: MPXI_ENOMEM, MPXI_ECNFLCT (no counter holds an event even alone), the backend's. After
 * an error only mpxi_draft_clear may use the draft.
 */
int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n);

/* Remove each list whose events fit into the other lists, beginning with the shortest list. Errors: as
 * mpxi_draft_place. */
int mpxi_draft_shrink(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend);

/* Round robin order, shuffled again for each round. */
struct mpxi_order {
	unsigned n, next;
	unsigned *slot; /* [n] */
	uint64_t random;
};

/*
 * Set a new order of n slots. was[i] is the former index of slot i; for a new slot it is at least the
 * former number of slots. The slots that have had their turn in this round do not come again in it. The
 * other slots and the new ones are shuffled. slot is the caller's new array of n elements.
 */
void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n);

/* Return the next slot to run. order->n must not be 0. */
unsigned mpxi_order_next_sig(struct mpxi_order *order);

#endif
