/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extents.h - the extent of each function of an ELF file. Files may have any content.
 *
 * The symbol of a function gives its size. If the symbol has no size, the function ends with its section or
 * where the next function begins. Code of a function inside another function belongs to the inner function
 * only. If a function has several names, a global function's name with the fewest leading underscores is
 * used.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_EXTENTS_H
#define UPCS_EXTENTS_H

#include <stdint.h>

struct upcs_extent {
	uint64_t begin, end; /* offsets in the file */
	const char *symbol;  /* "": no symbol; "[plt]": stubs for functions of other files */
	uint32_t number;     /* the caller's number of the function; 0 at first */
};

struct upcs_extents;

/* Read a file's extents. Return NULL if the file has no functions that can be read. */
struct upcs_extents *upcs_extents_read(const char *path);
void upcs_extents_free(struct upcs_extents *extents);

/* Return the extent that contains an offset. Extents cover all offsets. */
struct upcs_extent *upcs_extents_at(struct upcs_extents *extents, uint64_t offset);

#endif
