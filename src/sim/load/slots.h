/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots.h - where a file keeps the addresses of functions that are chosen when it is loaded or
 * first called (IFUNCs). Files may be anything.
 *
 * The resolver of such a function returns the address of the one that is to run, and
 * the dynamic linker, or a static program's own start, stores that in slots: in the file that
 * defines it by relocations IRELATIVE, in others by those with its name.
 */
#ifndef UPCS_SLOTS_H
#define UPCS_SLOTS_H

#include "load/elf_file.h"
#include "load/names.h"

struct upcs_slot {
	uint64_t address; /* as in the file */
	uint64_t lazy;    /* what the file has there: until it is filled, that or where that is loaded */
	uint64_t name;    /* of the function: its hash */
	uint16_t regions;
};

/* The resolver of a function of regions, by one of its names. */
struct upcs_chooser {
	uint64_t offset; /* in the file */
	uint64_t name;
	uint16_t regions;
};

struct upcs_slots {
	struct upcs_elf_segment *segment;
	uint32_t segments;
	size_t n;
	struct upcs_slot *slot;
};

/* Region r is what fits name[r]. NULL: there are none, or they cannot be read. */
struct upcs_slots *upcs_slots_read(const char *path, const struct upcs_name *name, unsigned names,
				   const struct upcs_chooser *chooser, size_t choosers);
void upcs_slots_free(struct upcs_slots *slots);

/* How much further up the file is loaded than it says, if its code at an offset is at address.
 * False: there is no code. */
bool upcs_slots_bias(const struct upcs_slots *slots, uint64_t offset, uint64_t address, uint64_t *bias);

#endif
