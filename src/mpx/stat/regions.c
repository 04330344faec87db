/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - pools of a set's events by region.
 *
 * Terms: stat/stat.h.
 */
#include <stdlib.h>
#include <string.h>

#include "stat/regions.h"

/* Return the index of the region, or the index at which to insert it. */
static unsigned place_of_region(const struct mpxi_regions *regions, int id)
{
	unsigned low = 0, high = regions->n;

	/* Try the index equal to the number first: it is right if the user numbers the regions from 0. */
	if (id >= 0 && (unsigned)id < high && regions->region[id].id == id)
		return (unsigned)id;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (regions->region[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct mpxi_regions *regions, unsigned place, int id)
{
	return place < regions->n && regions->region[place].id == id;
}

bool mpxi_regions_reserve(struct mpxi_regions *regions, unsigned room)
{
	unsigned i;

	if (!regions->n && !mpxi_regions_choose(regions, 0))
		return false;
	for (i = 0; i < regions->n && room > regions->room; i++) {
		struct mpxi_pool *more = realloc(regions->region[i].pool, room * sizeof(*more));

		if (!more)
			return false;
		memset(more + regions->room, 0, (room - regions->room) * sizeof(*more));
		regions->region[i].pool = more;
	}
	regions->room = room > regions->room ? room : regions->room;
	return true;
}

bool mpxi_regions_choose(struct mpxi_regions *regions, int id)
{
	unsigned place = place_of_region(regions, id);
	struct mpxi_region *more;
	struct mpxi_pool *pool;

	if (!is_at(regions, place, id)) {
		more = realloc(regions->region, (regions->n + 1) * sizeof(*more));
		if (!more)
			return false;
		regions->region = more;
		pool = calloc(regions->room ? regions->room : 1, sizeof(*pool));
		if (!pool)
			return false;
		memmove(more + place + 1, more + place, (regions->n - place) * sizeof(*more));
		more[place] = (struct mpxi_region){.id = id, .pool = pool};
		regions->n++;
	}
	regions->current = place;
	return true;
}

struct mpxi_pool *mpxi_regions_find(const struct mpxi_regions *regions, int id)
{
	unsigned place = place_of_region(regions, id);

	return is_at(regions, place, id) ? regions->region[place].pool : NULL;
}

struct mpxi_pool *mpxi_regions_current(const struct mpxi_regions *regions)
{
	return regions->n ? regions->region[regions->current].pool : NULL;
}

int mpxi_regions_id(const struct mpxi_regions *regions)
{
	return regions->n ? regions->region[regions->current].id : 0;
}

void mpxi_regions_remove(struct mpxi_regions *regions, unsigned i, unsigned n)
{
	unsigned k;

	for (k = 0; k < regions->n; k++) {
		struct mpxi_pool *pool = regions->region[k].pool;

		memmove(pool + i, pool + i + 1, (n - i - 1) * sizeof(*pool));
		pool[n - 1] = (struct mpxi_pool){0};
	}
}

void mpxi_regions_clear(struct mpxi_regions *regions)
{
	unsigned i;

	for (i = 0; i < regions->n; i++)
		free(regions->region[i].pool);
	free(regions->region);
	*regions = (struct mpxi_regions){0};
}

size_t mpxi_regions_memory(const struct mpxi_regions *regions)
{
	return regions->n * (sizeof(struct mpxi_region) + regions->room * sizeof(struct mpxi_pool));
}
