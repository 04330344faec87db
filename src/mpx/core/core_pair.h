/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_pair.h - two events of a set, and the sum of their counts in the slices in which one group
 * counted both. The sum passes through the same statistics as an event. Variances are quadratic in
 * counts, so the variance of the sum, with those of the two events, gives the covariance of their errors.
 */
#ifndef MPXI_CORE_PAIR_H
#define MPXI_CORE_PAIR_H

#include "core/core_set.h"

struct mpxi_pair {
	struct mpxi_pair *next; /* list of the core, while the set runs */
	struct mpxi_event *a, *b;
	unsigned references;                       /* number of requests */
	uint64_t base_run, base_begin, base_count; /* as an event's (group.h) */
	struct mpxi_stat stat;
	struct mpxi_mark start;
	struct mpxi_window window; /* as of the last read or stop */
};

/* Begin to count the pairs of a set. Called after its events were activated, with T at now. */
void mpxi_pairs_open(struct mpxi_set *set);
void mpxi_pairs_close(struct mpxi_set *set);
/* Mark the begin of a stretch; update the pairs' windows at a read or stop, after those of the entries; clear
 * the windows. */
void mpxi_pairs_start(struct mpxi_set *set);
void mpxi_pairs_read(struct mpxi_set *set);
void mpxi_pairs_forget(struct mpxi_set *set);
/* Record the pairs' slices when a group's run has ended. T is at its end. */
void mpxi_pairs_halt_sig(struct mpxi_core *core, const struct mpxi_group *group);

/* ---- core_pair_list.c ---- */

/* Remove the pairs of an event that leaves the set. */
void mpxi_pairs_remove(struct mpxi_set *set, const struct mpxi_event *event);
void mpxi_pairs_clear(struct mpxi_set *set);

#endif
