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

#include "group.h"

/* A draft: list k is code[begin[k]..begin[k + 1]), ascending. */
struct mpxi_draft {
	unsigned lists, room_lists, codes, room_codes;
	unsigned *begin; /* [lists + 1] */
	uint32_t *code;
};

void mpxi_draft_clear(struct mpxi_draft *draft);

/* Appends a list, of which only the events with an activation are taken when
 * active_only says so. Empty lists are left out. */
int mpxi_draft_add(struct mpxi_draft *draft, struct mpxi_event *const *event, unsigned n,
		   bool active_only);

/*
 * Puts more events where the counters hold them: into the lists that are there, first
 * fit, else into new ones. The result has a single list if the counters hold all
 * events together. Errors: MPXI_ENOMEM, MPXI_ECNFLCT (an event that no counter holds
 * even alone), the backend's.
 */
int mpxi_draft_place(struct mpxi_draft *draft, const struct mpxi_backend_ops *ops, void *backend,
		     struct mpxi_event *const *event, unsigned n);

/* Round robin, shuffled anew for each round. */
struct mpxi_order {
	unsigned n, next;
	unsigned *slot; /* [n] */
	uint64_t random;
};

/*
 * From now on n slots take turns. was[i] is what slot i was before, n_before or more
 * for a newcomer: those that had their turn in this round stay behind the others, and
 * newcomers join at the end of the round. slot is the caller's new array of n.
 */
void mpxi_order_set(struct mpxi_order *order, const unsigned *was, unsigned *slot, unsigned n);

/* The slot whose turn it is. For handlers. n is not 0. */
unsigned mpxi_order_next_sig(struct mpxi_order *order);

#endif
