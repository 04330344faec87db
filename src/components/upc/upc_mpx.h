/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_mpx.h - a multiplexed set whose events do not all fit into its unit. Events that need no counter
 * of the PMU go into more units, which count beside the first one, all the time; the rest take turns
 * (runtime/turns.h). It uses nothing of PAPI but its numbers of errors.
 */
#ifndef UPC_MPX_H
#define UPC_MPX_H

#include <stdint.h>

#include "runtime/turns.h"
#include "upc_set.h"

struct upcp_mpx;

/* Whether the set's events are to be tried in its unit alone first. */
int upcp_mpx_tries_unit(const struct upcp_set *set);

/*
 * Takes n_gone events out and puts n_fresh in, all or none; makes set->mpx where it is
 * needed. error is why the unit alone does not take them, and is returned where
 * multiplexing cannot help. The set lists them after it (upcp_mpx_settle).
 */
int upcp_mpx_change(struct upcp_set *set, const uint32_t *gone, unsigned n_gone, const uint32_t *fresh,
		    unsigned n_fresh, int error);
/* The set's list of events is as it is to be: finds the place of each. */
void upcp_mpx_settle(struct upcp_set *set);

/* Counts somebody else; options are those of its target. All units, or none. */
int upcp_mpx_aim(struct upcp_set *set, const struct upcp_target *target,
		 const struct upc_unit_options *options);

/* As those of upc_set.h, for a set that has set->mpx. */
int upcp_mpx_start(struct upcp_set *set);
int upcp_mpx_stop(struct upcp_set *set);
int upcp_mpx_reset(struct upcp_set *set);
/* Into set->counts, in the order of set->codes; sets set->never. */
int upcp_mpx_read(struct upcp_set *set);

/* All but the set's first unit. */
void upcp_mpx_destroy(struct upcp_set *set);

/* Told: thresholds, presets and multiplexing exclude each other. */
int upcp_mpx_refuse_overflow(void);
int upcp_mpx_refuse_write(void);

#endif /* UPC_MPX_H */
