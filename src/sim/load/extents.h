/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extents.h - from where to where each function of an ELF file reaches. Files may be anything.
 *
 * A function ends where its symbol says, or, where that says nothing, with its section or where the
 * next one begins. The code of a function that lies within another is not the other's. If a place
 * has several names, one is taken: that of a function, which all see, with the fewest underscores in front.
 */
#ifndef UPCS_EXTENTS_H
#define UPCS_EXTENTS_H

#include <stdint.h>

struct upcs_extent {
	uint64_t begin, end; /* offsets in the file */
	const char *symbol;  /* "": no symbol's; "[plt]": leads to functions of other files */
	uint32_t number;     /* the caller's; 0 at first */
};

struct upcs_extents;

/* NULL: it has no functions that can be read. */
struct upcs_extents *upcs_extents_read(const char *path);
void upcs_extents_free(struct upcs_extents *extents);

/* The extent in which an offset lies: there is one everywhere. */
struct upcs_extent *upcs_extents_at(struct upcs_extents *extents, uint64_t offset);

#endif
