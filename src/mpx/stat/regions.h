/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.h - what the events of a set have counted in each of its regions, over all
 * stretches. A region is a number that the user has chosen. Pure.
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

/* Zeroed at first; region 0 is there with the first room. */
struct mpxi_regions {
	struct mpxi_region *region; /* [n], ascending by id */
	unsigned n, room, current;
};

/* Room for so many events, of which new ones have counted nothing. False: out of memory, and
 * nothing has changed that can be seen. */
bool mpxi_regions_reserve(struct mpxi_regions *regions, unsigned room);
/* The current one from now on, made where it is new. False: out of memory. */
bool mpxi_regions_choose(struct mpxi_regions *regions, int id);
/* Its pools, one for each event; NULL: there is none of this number. */
struct mpxi_pool *mpxi_regions_find(const struct mpxi_regions *regions, int id);
/* The current region's pools. */
struct mpxi_pool *mpxi_regions_current(const struct mpxi_regions *regions);
/* Its number. */
int mpxi_regions_id(const struct mpxi_regions *regions);
/* Event i of n goes; those behind it move down. */
void mpxi_regions_remove(struct mpxi_regions *regions, unsigned i, unsigned n);
void mpxi_regions_clear(struct mpxi_regions *regions);
size_t mpxi_regions_memory(const struct mpxi_regions *regions);

#endif
