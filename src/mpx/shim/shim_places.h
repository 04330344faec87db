/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_places.h - the counts of an event set, separately for each place in the program that starts it. A
 * place is the return address of a PAPI_start call. Counts by place are kept for mpx_run --by-place only.
 *
 * A set has at most SHIM_PLACES places with an address. One more place, without an address, has the counts
 * of starts from all other addresses.
 *
 * Terms: shim/shim.h.
 */
#ifndef MPXI_SHIM_PLACES_H
#define MPXI_SHIM_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/pool.h"

enum { SHIM_PLACES = 64 };

struct shim_place {
	const void *address; /* NULL: the place for all other addresses */
	char *name;
	uint64_t starts;        /* successful starts */
	struct mpxi_pool *pool; /* [room]: counts of the ended stretches, for each event */
};

/* The places of one record, zeroed at first. The record's lock protects them. */
struct shim_places {
	struct shim_place *place; /* [n] */
	unsigned n, current, room;
	/* [room]: counts of the running stretch at the last read, for each event */
	struct mpxi_pool *stretch;
	bool dropped; /* memory has run out, and all places were deleted */
};

/* True if there is a place with this address. */
bool shim_places_know(const struct shim_places *places, const void *address);
/* Make the place with this address the current one, for the next start. rows: the number of events. The
 * function takes ownership of name, which may be NULL. */
void shim_places_choose(struct shim_places *places, const void *address, char *name, unsigned rows);
void shim_places_start(struct shim_places *places);
/* Store the counts of event i in the current stretch. Allocates nothing. */
void shim_places_note(struct shim_places *places, unsigned i, const struct mpxi_pool *stretch);
/* Add the counts of the stretch that has ended to the current place. The next stretch belongs to the
 * same place. */
void shim_places_end(struct shim_places *places, enum mpxi_estimator estimator);
struct mpxi_result shim_places_result(const struct shim_places *places, unsigned place, unsigned i,
				      enum mpxi_estimator estimator);
/* Add the places of `from', which belong to a destroyed set with the same events. */
void shim_places_merge(struct shim_places *to, const struct shim_places *from, enum mpxi_estimator estimator);
void shim_places_clear(struct shim_places *places);

/* Return "FILE+0xOFFSET", followed by " (SYMBOL)" if the symbol is known. The caller frees the string.
 * Return NULL if memory runs out. Not async-signal-safe. */
char *shim_place_name(const void *address);

#endif
