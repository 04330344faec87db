/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places_private.h - what places.c and chosen.c know of each other.
 */
#ifndef UPCS_PLACES_PRIVATE_H
#define UPCS_PLACES_PRIVATE_H

#include "load/places.h"
#include "load/slots.h"

/* A file that is or was mapped; it is kept. */
struct upcs_places_file;

/* The file that is mapped at an address of our memory, and where in it. NULL: none. */
struct upcs_places_file *upcs_places_file(const struct upcs_options *options, uint64_t address,
					  uint64_t *offset);
/* A function of regions is at this offset of it. */
void upcs_places_add(struct upcs_places_file *file, uint64_t offset, uint16_t regions);
/* NULL: none. */
const struct upcs_slots *upcs_places_slots(const struct upcs_places_file *file);
/* Has what chooses at this offset this name? */
bool upcs_places_chooser_is(const struct upcs_places_file *file, uint64_t offset, uint64_t name);

/* chosen.c: the file, which has slots, is mapped, and code at an offset lies at an address. */
void upcs_chosen_mapped(struct upcs_places_file *file, uint64_t offset, uint64_t address);

#endif
