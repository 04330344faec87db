/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core_pair.h - two events of a set, and the sum of their counts in the slices in which one group counted
 * both. The sum is treated like the count of an event (stat.h). Variances are quadratic in counts, so the
 * covariance of the two events' errors is half the amount by which the variance of the sum exceeds the sum
 * of the two events' variances.
 *
 * Terms: core/core.h, stat/stat.h.
 *
 * Terms: core/core.h, stat/stat.h.
 */
#ifndef MPXI_CORE_PAIR_H
#define MPXI_CORE_PAIR_H

#include "core/core_set.h"

struct mpxi_pair {
	struct mpxi_pair *next; /* next pair in core->first_pair, while the set runs */
	struct mpxi_event *a, *b;
	unsigned references;                       /* number of calls of mpxi_set_pair for it */
	uint64_t base_run, base_begin, base_count; /* base of the sum, as an event's (group.h) */
	struct mpxi_stat stat;
	struct mpxi_mark start;
	struct mpxi_window window; /* as of the last read or stop */
};

/* Begin to count the pairs of a set, or end it. mpxi_pairs_open is called after the set's events were
 * activated, and after T was advanced to the present. */
void mpxi_pairs_open(struct mpxi_set *set);
void mpxi_pairs_close(struct mpxi_set *set);
/* mpxi_pairs_start marks the begin of a stretch. mpxi_pairs_read updates the pairs' windows at a read or
 * stop, after the entries' windows. mpxi_pairs_forget clears the windows. */
void mpxi_pairs_start(struct mpxi_set *set);
void mpxi_pairs_read(struct mpxi_set *set);
void mpxi_pairs_forget(struct mpxi_set *set);
/* Record the pairs' slices when a group's run has ended. T is the end of that run. */
void mpxi_pairs_halt_sig(struct mpxi_core *core, const struct mpxi_group *group);

/* ---- core_pair_list.c ---- */

/* Remove the pairs of an event that leaves the set. */
void mpxi_pairs_remove(struct mpxi_set *set, const struct mpxi_event *event);
void mpxi_pairs_clear(struct mpxi_set *set);

#endif
