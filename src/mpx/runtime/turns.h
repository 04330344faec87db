/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * turns.h - events of a set that cannot all have a counter at once: they take turns
 * in groups, by the core of MPX (core.h), and their counts are estimates.
 */
#ifndef MPXI_TURNS_H
#define MPXI_TURNS_H

#include <stdint.h>

#include "runtime/libupc.h"

/* The value of an event that has had no time slice: neither zero nor any count. */
#define MPXI_NEVER UINT64_MAX

/*
 * Errors of the functions below, and of spread.h: libupc's, with its message; or, where
 * the words have been said already (tell, below), PAPI's less MPXI_TOLD.
 */
#define MPXI_TOLD 1000

struct mpxi_turns;

struct mpxi_turns_options {
	const struct mpxi_libupc *lib;
	struct upc_catalogue *catalogue;
	struct upc_unit_options unit; /* whom and what each unit counts */
	int counted;                  /* the thread that these count */
	uint64_t slice_ns;
	unsigned group_max; /* events in a group, 0: as many as fit */
	/* Says the core's last message, and gives the error as one that was told. */
	int (*tell)(int error);
};

int mpxi_turns_create(const struct mpxi_turns_options *options, struct mpxi_turns **turns);
/* From any thread. NULL is nothing. */
void mpxi_turns_destroy(struct mpxi_turns *turns);

/* Adds an event of perf events alone. PAPI_ENOSUPP less MPXI_TOLD: a level or a quotient, which slices
 * cannot estimate; UPC_ECONFLICT: it has no counter even alone. */
int mpxi_turns_add(struct mpxi_turns *turns, uint32_t code);
void mpxi_turns_remove(struct mpxi_turns *turns, uint32_t code);
unsigned mpxi_turns_events(const struct mpxi_turns *turns);

/*
 * Events begin at 0. Where they do not fit together, ticks come to the calling thread,
 * which must be the counted one, and until the stop the others may
 * not use it (mpxi_turns_check).
 */
int mpxi_turns_start(struct mpxi_turns *turns);
int mpxi_turns_stop(struct mpxi_turns *turns);
int mpxi_turns_reset(struct mpxi_turns *turns);
/* Counts in the order of adding: never less than the read before gave, MPXI_NEVER for
 * one that has had no slice. After an error they are those of the read before. */
int mpxi_turns_read(struct mpxi_turns *turns, uint64_t *counts);
/* As of the last read, or stop: time slices were lost since the start, or ended far too late. */
int mpxi_turns_lost(const struct mpxi_turns *turns);

/* The calling thread may use it: 0; or a told error where another one, whose signals
 * end the slices, does. */
int mpxi_turns_check(const struct mpxi_turns *turns);
/* It was made in another process: its groups are nobody's. */
int mpxi_turns_inherited(const struct mpxi_turns *turns);

/* Between the two a tick is put off. NULL is nothing. */
void mpxi_turns_hold(struct mpxi_turns *turns);
void mpxi_turns_release(struct mpxi_turns *turns);

#endif /* MPXI_TURNS_H */
