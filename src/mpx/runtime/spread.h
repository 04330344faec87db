/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - a multiplexed set whose events do not all fit into its unit. Events that need no counter
 * of the PMU go into more units, which count beside the first one, all the time; the rest take turns
 * (turns.h). It uses nothing of PAPI but its numbers of errors.
 */
#ifndef MPXI_SPREAD_H
#define MPXI_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/turns.h"

struct mpxi_spread;

/* What its set is made of. */
struct mpxi_spread_options {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue;
	struct upc_unit *unit; /* the set's own, which it keeps */
	uint64_t slice_ns;
	int (*tell)(int error); /* turns.h */
};

/* Whom it counts: the options of a unit that does, and the thread whose events can take turns, 0: none
 * can. */
struct mpxi_spread_target {
	struct upc_unit_options unit;
	int turning;
};

/* What the values of a read do not have. */
struct mpxi_spread_gaps {
	uint32_t never; /* code + 1 of an event that has had no slice, or 0 */
	int lost;       /* what takes turns has lost slices since the start */
};

/* For tests on machines without a PMU: events take turns though they fit. */
bool mpxi_spread_is_forced(void);

/* The set as it is, with n events in its unit, becomes a spread one: what needs counters of the PMU
 * leaves the unit. Where that fails it goes back; with an error, too, *made is there if even that failed. */
int mpxi_spread_create(const struct mpxi_spread_options *options, const struct mpxi_spread_target *target,
		       const uint32_t *codes, unsigned n, struct mpxi_spread **made);
/* All but the set's first unit. NULL is nothing. */
void mpxi_spread_destroy(struct mpxi_spread *spread);

/* Puts n_fresh events in and takes n_gone out, all or none. */
int mpxi_spread_change(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		       const uint32_t *gone, unsigned n_gone, const uint32_t *fresh, unsigned n_fresh);
/* Gives back to the unit what it can have alone. Whether it has all: the caller destroys the spread. */
bool mpxi_spread_shrink(struct mpxi_spread *spread);
/* All events that take turns into the unit. An error where one does not fit. */
int mpxi_spread_revert(struct mpxi_spread *spread);
/* The set's list of events is as it is to be: finds the place of each. */
void mpxi_spread_settle(struct mpxi_spread *spread, const uint32_t *codes, unsigned n);

/* Counts somebody else; before is whom it counts now. All units, or none. */
int mpxi_spread_aim(struct mpxi_spread *spread, const struct mpxi_spread_target *target,
		    const struct upc_unit_options *before);

/* A forked child has copies of the parent's groups: whether these are such, and new ones for them. */
bool mpxi_spread_is_inherited(const struct mpxi_spread *spread);
int mpxi_spread_renew(struct mpxi_spread *spread, const struct mpxi_spread_target *target);

int mpxi_spread_start(struct mpxi_spread *spread);
int mpxi_spread_stop(struct mpxi_spread *spread);
int mpxi_spread_reset(struct mpxi_spread *spread);
/* Into counts, in the order of mpxi_spread_settle's codes. */
int mpxi_spread_read(struct mpxi_spread *spread, uint64_t *counts, struct mpxi_spread_gaps *gaps);

#endif
