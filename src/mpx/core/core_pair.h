/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_pair.h - two events of a set, and the sum of their counts in the slices in which one group
 * counted both: it goes through the same sums as an event. Variances are quadratic in counts, so
 * the sum's says with the events' own how their errors go together.
 */
#ifndef MPXI_CORE_PAIR_H
#define MPXI_CORE_PAIR_H

#include "core/core_set.h"

struct mpxi_pair {
	struct mpxi_pair *next; /* of the core, while the set runs */
	struct mpxi_event *a, *b;
	unsigned references;                       /* how often it was asked for      */
	uint64_t base_run, base_begin, base_count; /* as an event's (group.h) */
	struct mpxi_stat stat;
	struct mpxi_mark start;
	struct mpxi_window window; /* as of the last read or stop */
};

/* The set begins to count: after its events have been activated, at this T. */
void mpxi_pairs_open(struct mpxi_set *set);
void mpxi_pairs_close(struct mpxi_set *set);
/* A stretch begins; ends, or is read, after the entries have been. */
void mpxi_pairs_start(struct mpxi_set *set);
void mpxi_pairs_read(struct mpxi_set *set);
void mpxi_pairs_forget(struct mpxi_set *set);
/* A group's run has ended: T is at its end. */
void mpxi_pairs_halt_sig(struct mpxi_core *core, const struct mpxi_group *group);

/* ---- core_pair_list.c ---- */

/* The event leaves the set. */
void mpxi_pairs_remove(struct mpxi_set *set, const struct mpxi_event *event);
void mpxi_pairs_clear(struct mpxi_set *set);

#endif
