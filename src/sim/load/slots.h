/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots.h - the words in a file's data in which addresses chosen by IFUNC resolvers are stored, at load time
 * or at the first call. Files may have any content.
 *
 * A resolver returns the address of the function to run. The dynamic linker, or a static program's startup
 * code, stores the address in slots: by IRELATIVE relocations in the file that defines the function, and by
 * relocations with its name in other files.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_SLOTS_H
#define UPCS_SLOTS_H

#include "load/elf_file.h"
#include "load/names.h"

struct upcs_slot {
	uint64_t address; /* unrelocated address, as in the file */
	uint64_t lazy;    /* value in the file; perhaps relocated in memory until the slot is filled */
	uint64_t name;    /* hash of the function's name */
	uint16_t regions;
};

/* The resolver of a region's function, by one of its names. */
struct upcs_chooser {
	uint64_t offset; /* the resolver's offset in the file */
	uint64_t name;
	uint16_t regions;
};

struct upcs_slots {
	struct upcs_elf_segment *segment;
	uint32_t segments;
	size_t n;
	struct upcs_slot *slot;
};

/* Find a file's slots. Region r is the functions that match name[r]. Return NULL if the file has no slots or
 * they cannot be read. */
struct upcs_slots *upcs_slots_read(const char *path, const struct upcs_name *name, unsigned names,
				   const struct upcs_chooser *chooser, size_t choosers);
void upcs_slots_free(struct upcs_slots *slots);

/* Compute the file's load bias from code that is at offset in the file and at address in memory. Return false
 * if there is no code at offset. */
bool upcs_slots_bias(const struct upcs_slots *slots, uint64_t offset, uint64_t address, uint64_t *bias);

#endif
