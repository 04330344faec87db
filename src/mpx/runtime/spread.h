/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - a spread set: a multiplexed set whose events do not all fit into its unit. Events that need no
 * counter of the PMU go into additional units, which count all the time, together with the first unit. The
 * other events take turns (turns.h). This code uses nothing of PAPI except the values of its error numbers.
 *
 * Terms: runtime/turns.h.
 */
#ifndef MPXI_SPREAD_H
#define MPXI_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/turns.h"

struct mpxi_spread;

/* The resources that a spread set uses. */
struct mpxi_spread_options {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue;
	struct upc_unit *unit; /* the set's unit; the caller destroys it */
	uint64_t slice_ns;
	int (*tell)(int error); /* turns.h */
};

/*
 * The target of a set: the options of a unit that counts the target (unit), and the id of the thread whose
 * events can take turns (turning; 0: events cannot take turns).
 */
struct mpxi_spread_target {
	struct upc_unit_options unit;
	int turning;
};

/* Counts that the values of a read lack. */
struct mpxi_spread_gaps {
	uint32_t never; /* code + 1 of an event that has had no slice, or 0 */
	int lost;       /* slices of the events that take turns were lost since the start */
};

/*
 * True if $UPC_MULTIPLEX_GROUP makes events take turns even if they fit, for tests on machines
 * without a PMU.
 */
bool mpxi_spread_is_forced(void);

/*
 * Spread a set that has n events in its unit. Events that need counters of the PMU leave the unit. On
 * failure these events go back into the unit. If even this fails, *made is set in spite of the error.
 */
int mpxi_spread_create(const struct mpxi_spread_options *options, const struct mpxi_spread_target *target,
		       const uint32_t *codes, unsigned n, struct mpxi_spread **made);
/* Destroy everything except the set's first unit. Does nothing if spread is NULL. */
void mpxi_spread_destroy(struct mpxi_spread *spread);

/* Add n_fresh events and remove n_gone events, all or none. */
int mpxi_spread_change(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		       const uint32_t *gone, unsigned n_gone, const uint32_t *fresh, unsigned n_fresh);
/*
 * Free additional units and turns that have no events. True if only the set's unit remains; the
 * caller then destroys the spread.
 */
bool mpxi_spread_shrink(struct mpxi_spread *spread);
/* Move all events that take turns back into the unit. Returns an error if an event does not fit. */
int mpxi_spread_revert(struct mpxi_spread *spread);
/* Note where each of the n events in the set's list is counted. Must be called after each change of the
 * list. */
void mpxi_spread_settle(struct mpxi_spread *spread, const uint32_t *codes, unsigned n);

/* Change the target of all units, or of none. before is the current target. */
int mpxi_spread_aim(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		    const struct upc_unit_options *before);

/*
 * mpxi_spread_is_inherited returns true if the groups that take turns are a forked child's copies
 * of its parent's. mpxi_spread_renew replaces such groups by new ones.
 */
bool mpxi_spread_is_inherited(const struct mpxi_spread *spread);
int mpxi_spread_renew(struct mpxi_spread *spread, const struct mpxi_spread_target *target);

int mpxi_spread_start(struct mpxi_spread *spread);
int mpxi_spread_stop(struct mpxi_spread *spread);
int mpxi_spread_reset(struct mpxi_spread *spread);
/* Read the values into counts, in the order of the codes passed to mpxi_spread_settle. */
int mpxi_spread_read(struct mpxi_spread *spread, uint64_t *counts, struct mpxi_spread_gaps *gaps);

#endif
