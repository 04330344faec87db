/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.h - the pools of a set's events, separately for each region. A region is a number that the user
 * chooses with mpx_switch; each stretch belongs to one region. Pure.
 *
 * Terms: stat/stat.h.
 */
#ifndef MPXI_REGIONS_H
#define MPXI_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/pool.h"

struct mpxi_region {
	int id;
	struct mpxi_pool *pool; /* [room] */
};

/* Must be zeroed at first; the first mpxi_regions_reserve creates region 0. */
struct mpxi_regions {
	struct mpxi_region *region; /* [n], ascending by id */
	unsigned n, room, current;
};

/* Reserve room for this number of events; the pools of new events are empty. Return false if out of
 * memory; then nothing has changed for the caller. */
bool mpxi_regions_reserve(struct mpxi_regions *regions, unsigned room);
/* Make the region the current one, and create it if it is new. Return false if out of memory. */
bool mpxi_regions_choose(struct mpxi_regions *regions, int id);
/* Return the region's pools, one for each event; NULL: no such region. */
struct mpxi_pool *mpxi_regions_find(const struct mpxi_regions *regions, int id);
/* Return the current region's pools. */
struct mpxi_pool *mpxi_regions_current(const struct mpxi_regions *regions);
/* Return the current region's number. */
int mpxi_regions_id(const struct mpxi_regions *regions);
/* Remove event i of n; later events move down by one. */
void mpxi_regions_remove(struct mpxi_regions *regions, unsigned i, unsigned n);
void mpxi_regions_clear(struct mpxi_regions *regions);
size_t mpxi_regions_memory(const struct mpxi_regions *regions);

#endif
