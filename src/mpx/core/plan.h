/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - which events share a group, and in what order the groups take turns.
 *
 * Both only compute: a draft is lists of events, which the core then makes groups of;
 * the order is a permutation that a handler steps through.
 */
#ifndef MPXI_PLAN_H
#define MPXI_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/group.h"

/* One list of a draft: its codes go from begin to the next one's begin, ascending. */
struct mpxi_list {
	unsigned begin;
	unsigned from;            /* the slot that it comes from; MPXI_NEW_LIST: none */
	unsigned taken;           /* events that it had when it was added             */
	unsigned refusals, tried; /* how often it was full; the last event that asked */
};

#define MPXI_NEW_LIST (~0u)

struct mpxi_draft {
	unsigned lists, room_lists, codes, room_codes;
	unsigned asked;         /* events that were to be placed */
	struct mpxi_list *list; /* [lists + 1]: the last one only begins */
	uint32_t *code;
};

void mpxi_draft_clear(struct mpxi_draft *draft);

/* Appends a list, of which only the events with an activation, or a place that is kept,
 * are taken when active_only says so. Empty lists are left out. */
int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n, bool active_only,
		   unsigned from);

/*
 * Puts more events where the counters hold them: into the lists that are there, the
 * shortest first, else into new ones. The result has a single list if the counters hold all
 * events together. Errors: MPXI_ENOMEM, MPXI_ECNFLCT (an event that no counter holds
 * even alone), the backend's; the draft is good for mpxi_draft_clear only then.
 */
int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n);

/* Gives up lists whose events fit into the others, the shortest first. Errors: as
 * mpxi_draft_place. */
int mpxi_draft_shrink(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend);

/* Round robin, shuffled anew for each round. */
struct mpxi_order {
	unsigned n, next;
	unsigned *slot; /* [n] */
	uint64_t random;
};

/*
 * From now on n slots take turns. was[i] is what slot i was before, n_before or more
 * for a newcomer: those that had their turn in this round stay behind the others, which
 * are shuffled with the newcomers. slot is the caller's new array of n.
 */
void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n);

/* The slot whose turn it is. For handlers. n is not 0. */
unsigned mpxi_order_next_sig(struct mpxi_order *order);

#endif
