/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_places.h - what an event set has counted, by the place in the program that started it:
 * where its call of PAPI_start returns to. Kept for mpx_run --by-place only.
 *
 * There are at most SHIM_PLACES of a set; what was started elsewhere is in one more, without an
 * address.
 */
#ifndef MPXI_SHIM_PLACES_H
#define MPXI_SHIM_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/pool.h"

enum { SHIM_PLACES = 64 };

struct shim_place {
	const void *address; /* NULL: of all others */
	char *name;
	uint64_t starts;        /* 0: none has succeeded */
	struct mpxi_pool *pool; /* [room], of stretches that are over */
};

/* Zeroed at first; in the hands of who has the record that it is of. */
struct shim_places {
	struct shim_place *place; /* [n] */
	unsigned n, current, room;
	struct mpxi_pool *stretch; /* [room], the one that runs, as it was read last */
	bool dropped;              /* there was no memory for them */
};

/* Is there a place of this address? */
bool shim_places_know(const struct shim_places *places, const void *address);
/* The next start is at the place, of so many events. name is taken over; it may be NULL. */
void shim_places_choose(struct shim_places *places, const void *address, char *name, unsigned rows);
void shim_places_start(struct shim_places *places);
/* Notes the counts of event i in the stretch. Allocates nothing. */
void shim_places_note(struct shim_places *places, unsigned i, const struct mpxi_pool *stretch);
/* The stretch is over; the next one begins here, too. */
void shim_places_end(struct shim_places *places, enum mpxi_estimator estimator);
struct mpxi_result shim_places_result(const struct shim_places *places, unsigned place, unsigned i,
				      enum mpxi_estimator estimator);
/* Those of another set with the same events, which has ended. */
void shim_places_merge(struct shim_places *to, const struct shim_places *from, enum mpxi_estimator estimator);
void shim_places_clear(struct shim_places *places);

/* "FILE+0xOFFSET", with the symbol that it is in where that is known; NULL: out of memory. Not
 * for handlers. */
char *shim_place_name(const void *address);

#endif
