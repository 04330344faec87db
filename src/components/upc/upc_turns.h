/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * upc_turns.h - events of a set that cannot all have a counter at once: they take turns
 * in groups, by the core of MPX (core.h), and their counts are estimates.
 */
#ifndef UPC_TURNS_H
#define UPC_TURNS_H

#include <stdint.h>

#include "upc_library.h"

/* The value of an event that has had no time slice: neither zero nor any count. */
#define UPCP_NEVER UINT64_MAX

/*
 * Errors of the functions below, and of upc_mpx.h: libupc's, with its message; or, where
 * the words have been said already (upc_report.h), PAPI's less UPCP_TOLD.
 */
#define UPCP_TOLD 1000

struct upcp_turns;

struct upcp_turns_options {
	const struct upcp_library *lib;
	struct upc_catalogue *catalogue;
	struct upc_unit_options unit; /* whom and what each unit counts */
	uint64_t slice_ns;
	unsigned group_max; /* events in a group, 0: as many as fit */
};

int upcp_turns_create(const struct upcp_turns_options *options, struct upcp_turns **turns);
/* From any thread. NULL is nothing. */
void upcp_turns_destroy(struct upcp_turns *turns);

/* Adds an event of perf events alone. PAPI_ENOSUPP less UPCP_TOLD: a level or a quotient, which slices
 * cannot estimate; UPC_ECONFLICT: it has no counter even alone. */
int upcp_turns_add(struct upcp_turns *turns, uint32_t code);
void upcp_turns_remove(struct upcp_turns *turns, uint32_t code);
unsigned upcp_turns_events(const struct upcp_turns *turns);

/*
 * Events begin at 0. Where they do not fit together, ticks come to the calling thread,
 * which must be the counted one (counted, its number), and until the stop the others may
 * not use it (upcp_turns_check).
 */
int upcp_turns_start(struct upcp_turns *turns, int counted);
int upcp_turns_stop(struct upcp_turns *turns);
int upcp_turns_reset(struct upcp_turns *turns);
/* Counts in the order of adding: never less than the read before gave, UPCP_NEVER for
 * one that has had no slice. After an error they are those of the read before. */
int upcp_turns_read(struct upcp_turns *turns, uint64_t *counts);
/* As of the last read, or stop: time slices were lost since the start, or ended far too late. */
int upcp_turns_lost(const struct upcp_turns *turns);

/* The calling thread may use it: 0; or a told error where another one, whose signals
 * end the slices, does. */
int upcp_turns_check(const struct upcp_turns *turns);
/* It was made in another process: its groups are nobody's. */
int upcp_turns_inherited(const struct upcp_turns *turns);

/* Between the two a tick is put off. NULL is nothing. */
void upcp_turns_hold(struct upcp_turns *turns);
void upcp_turns_release(struct upcp_turns *turns);

/* Says the core's last message, and gives the error as one that was told. */
int upcp_turns_tell(int error);

#endif /* UPC_TURNS_H */
