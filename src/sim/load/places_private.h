/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places_private.h - the interface between places.c and chosen.c.
 *
 * Terms: load/symbols.h.
 */
#ifndef UPCS_PLACES_PRIVATE_H
#define UPCS_PLACES_PRIVATE_H

#include "load/places.h"
#include "load/slots.h"

/* A file that is or was mapped. It is never freed. */
struct upcs_places_file;

/* Return the file mapped at a host address and the offset in it, or NULL. */
struct upcs_places_file *upcs_places_file(const struct upcs_options *options, uint64_t address,
					  uint64_t *offset);
/* Add a function of these regions at an offset of the file. */
void upcs_places_add(struct upcs_places_file *file, uint64_t offset, uint16_t regions);
/* Return the file's slots, or NULL if there are none. */
const struct upcs_slots *upcs_places_slots(const struct upcs_places_file *file);
/* True if the resolver at this offset has the name with this hash. */
bool upcs_places_chooser_is(const struct upcs_places_file *file, uint64_t offset, uint64_t name);

/* In chosen.c: note that a file with slots is mapped, with the code at offset at this host address. */
void upcs_chosen_mapped(struct upcs_places_file *file, uint64_t offset, uint64_t address);

#endif
