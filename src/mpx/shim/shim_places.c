/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_places.c - sums the counts of an event set for each place that starts it.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1, asprintf */
#endif
#include "shim/shim_places.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *shim_place_name(const void *address)
{
	struct link_map *map = NULL;
	char *name = NULL;
	Dl_info about;
	size_t offset;
	int length;

	if (!dladdr1(address, &about, (void **)&map, RTLD_DL_LINKMAP) || !about.dli_fname) {
		length = asprintf(&name, "%p", address);
	} else {
		/* Subtract the load bias, since addr2line expects addresses as in the ELF file. */
		offset = (uintptr_t)address - (map ? (uintptr_t)map->l_addr : (uintptr_t)about.dli_fbase);
		if (about.dli_sname)
			length = asprintf(&name, "%s+0x%zx (%s)", about.dli_fname, offset, about.dli_sname);
		else
			length = asprintf(&name, "%s+0x%zx", about.dli_fname, offset);
	}
	return length < 0 ? NULL : name;
}

static unsigned find_place(const struct shim_places *places, const void *address)
{
	unsigned i;

	for (i = 0; i < places->n && places->place[i].address != address; i++)
		;
	return i;
}

bool shim_places_know(const struct shim_places *places, const void *address)
{
	return find_place(places, address) < places->n;
}

void shim_places_clear(struct shim_places *places)
{
	unsigned i;

	for (i = 0; i < places->n; i++) {
		free(places->place[i].name);
		free(places->place[i].pool);
	}
	free(places->place);
	free(places->stretch);
	*places = (struct shim_places){.dropped = places->dropped};
}

/* Delete all places after an allocation failure, since a user would take incomplete places for complete
 * ones. */
static void drop_places(struct shim_places *places)
{
	shim_places_clear(places);
	places->dropped = true;
}

static bool grow_pool(struct mpxi_pool **pool, unsigned room, unsigned wanted)
{
	struct mpxi_pool *more = realloc(*pool, wanted * sizeof(*more));

	if (!more)
		return false;
	memset(more + room, 0, (wanted - room) * sizeof(*more));
	*pool = more;
	return true;
}

static bool reserve_rows(struct shim_places *places, unsigned rows)
{
	unsigned i;

	if (rows <= places->room)
		return true;
	for (i = 0; i < places->n; i++)
		if (!grow_pool(&places->place[i].pool, places->room, rows))
			return false;
	if (!grow_pool(&places->stretch, places->room, rows))
		return false;
	places->room = rows;
	return true;
}

/* Return the index of the place with this address, and create the place if necessary. If there are too
 * many places, return the index of the place for all other addresses. Return places->n if memory runs
 * out. */
static unsigned take_place(struct shim_places *places, const void *address, char *name)
{
	unsigned i = find_place(places, address);
	struct shim_place *more;
	struct mpxi_pool *pool;

	if (i == places->n && i >= SHIM_PLACES) {
		free(name);
		name = NULL;
		address = NULL;
		i = find_place(places, NULL);
	}
	if (i < places->n) {
		free(name);
		return i;
	}
	more = realloc(places->place, (i + 1) * sizeof(*more));
	pool = calloc(places->room ? places->room : 1, sizeof(*pool));
	if (more)
		places->place = more;
	if (!more || !pool) {
		free(pool);
		free(name);
		return i;
	}
	more[i] = (struct shim_place){.address = address, .name = name, .pool = pool};
	places->n++;
	return i;
}

void shim_places_choose(struct shim_places *places, const void *address, char *name, unsigned rows)
{
	unsigned i = 0;
	bool whole = !places->dropped && reserve_rows(places, rows);

	if (whole)
		i = take_place(places, address, name);
	else
		free(name);
	if (!whole || i == places->n) {
		drop_places(places);
		return;
	}
	places->current = i;
}

void shim_places_start(struct shim_places *places)
{
	if (places->n)
		places->place[places->current].starts++;
}

void shim_places_note(struct shim_places *places, unsigned i, const struct mpxi_pool *stretch)
{
	if (i < places->room)
		places->stretch[i] = *stretch;
}

void shim_places_end(struct shim_places *places, enum mpxi_estimator estimator)
{
	unsigned i;

	for (i = 0; places->n && i < places->room; i++) {
		mpxi_pool_merge(&places->place[places->current].pool[i], &places->stretch[i], estimator);
		places->stretch[i] = (struct mpxi_pool){0};
	}
}

struct mpxi_result shim_places_result(const struct shim_places *places, unsigned place, unsigned i,
				      enum mpxi_estimator estimator)
{
	struct mpxi_result result;
	struct mpxi_pool all = {0};

	if (i < places->room)
		all = places->place[place].pool[i];
	if (i < places->room && place == places->current)
		mpxi_pool_merge(&all, &places->stretch[i], estimator);
	mpxi_pool_result(&all, estimator, &result);
	return result;
}

void shim_places_merge(struct shim_places *to, const struct shim_places *from, enum mpxi_estimator estimator)
{
	unsigned k, i, at;

	if (to->dropped || from->dropped || !reserve_rows(to, from->room)) {
		drop_places(to);
		return;
	}
	for (k = 0; k < from->n; k++) {
		const struct shim_place *place = &from->place[k];

		at = take_place(to, place->address, place->name ? strdup(place->name) : NULL);
		if (at == to->n) {
			drop_places(to);
			return;
		}
		to->place[at].starts += place->starts;
		for (i = 0; i < from->room; i++)
			mpxi_pool_merge(&to->place[at].pool[i], &place->pool[i], estimator);
	}
}
