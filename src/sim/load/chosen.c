/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen.c - finds the functions that IFUNC resolvers choose, by watching slots in the guest's memory.
 *
 * A resolver returns the chosen address in a register, which the plugin does not see. But the resolver's
 * caller stores the address: the dynamic linker stores it in the slot of a relocation, before it relocates
 * anything else, or before it jumps to the function (at a function's first call). After a resolver has begun,
 * all slots are therefore read at each block that may begin a function, until a slot has changed. The slots
 * of a file may have been filled before the first code of the file is seen, so they are also read at that
 * time. dlsym stores nothing, so its choice is known only if another caller has chosen the same function.
 *
 * Terms: load/symbols.h.
 */
#include "load/chosen.h"

#include <stdlib.h>

#include "count/guest_memory.h"
#include "load/places_private.h"

#define LOOKS 1024u /* reads of the slots after a resolver began, whose own calls use up some */

/* A loaded file, and some code of it. */
struct object {
	struct object *next;
	struct upcs_places_file *file;
	uint64_t code, code_offset, bias; /* code, bias: addresses of the guest */
	uint64_t *seen;                   /* value of each slot when it was read last */
};

/* An IFUNC resolver that has begun. */
struct chooser {
	struct chooser *next;
	const struct upcs_places_file *file;
	uint64_t offset;
	uint16_t regions;
	uint16_t known; /* regions whose chosen function is known */
	bool awaited;   /* the resolver may still be running */
};

uint32_t upcs_chosen_awaits;
static struct object *objects;
static struct chooser *choosers;

static void await_looks(uint32_t looks)
{
	if (__atomic_load_n(&upcs_chosen_awaits, __ATOMIC_RELAXED) < looks)
		__atomic_store_n(&upcs_chosen_awaits, looks, __ATOMIC_RELAXED);
}

void upcs_chosen_mapped(struct upcs_places_file *file, uint64_t offset, uint64_t address)
{
	const struct upcs_slots *slots = upcs_places_slots(file);
	struct object *object;
	uint64_t bias;

	address -= upcs_guest_base();
	if (!upcs_slots_bias(slots, offset, address, &bias))
		return;
	for (object = objects; object; object = object->next)
		if (object->file == file && object->bias == bias)
			return;
	object = calloc(1, sizeof(*object));
	if (!object)
		return;
	object->seen = calloc(slots->n, sizeof(*object->seen));
	if (!object->seen) {
		free(object);
		return;
	}
	object->file = file;
	object->code = address;
	object->code_offset = offset;
	object->bias = bias;
	object->next = objects;
	objects = object;
	await_looks(1);
}

void upcs_chosen_begins(const struct upcs_options *options, uint64_t address, uint16_t regions)
{
	const struct upcs_places_file *file;
	struct chooser *chooser;
	uint64_t offset;

	file = upcs_places_file(options, upcs_guest_base() + address, &offset);
	for (chooser = choosers; chooser && (chooser->file != file || chooser->offset != offset);
	     chooser = chooser->next)
		;
	if (!chooser) {
		chooser = calloc(1, sizeof(*chooser));
		if (!chooser)
			return;
		chooser->file = file;
		chooser->offset = offset;
		chooser->regions = regions;
		chooser->next = choosers;
		choosers = chooser;
	}
	chooser->awaited = true;
	await_looks(LOOKS);
}

uint16_t upcs_chosen_unseen(void)
{
	const struct chooser *chooser;
	uint16_t regions = 0;

	for (chooser = choosers; chooser; chooser = chooser->next)
		regions |= chooser->regions & (uint16_t)~chooser->known;
	return regions;
}

/* ---- looking --------------------------------------------------------------------------- */

/* True if the object is still loaded. After an unmap, its address holds code of another file, or no code. */
static bool is_object_there(const struct upcs_options *options, const struct object *object)
{
	uint64_t offset;

	return upcs_places_file(options, upcs_guest_base() + object->code, &offset) == object->file &&
	       offset == object->code_offset;
}

static void forget_object(struct object *object)
{
	struct object **at = &objects;

	while (*at != object)
		at = &(*at)->next;
	*at = object->next;
	free(object->seen);
	free(object);
}

/* True if a slot is filled. Before that, the slot holds 0, the value in the file, or this value plus the load
 * bias. */
static bool is_filled(const struct object *object, const struct upcs_slot *slot, uint64_t value)
{
	return value && value != slot->lazy && value != slot->lazy + object->bias;
}

static bool is_name_of_chooser(const struct chooser *chooser, uint64_t name)
{
	return chooser->file && upcs_places_chooser_is(chooser->file, chooser->offset, name);
}

/*
 * Return the regions of a slot's function. The resolver that chose the function may have other names, which
 * may be regions as well. But different versions of a function may share a name. Then the resolver is known
 * only if a single one may be running.
 */
static uint16_t choose_regions(const struct upcs_slot *slot)
{
	struct chooser *chooser, *by = NULL;
	unsigned n = 0, awaited = 0;
	uint16_t regions = slot->regions;

	for (chooser = choosers; chooser; chooser = chooser->next)
		awaited += is_name_of_chooser(chooser, slot->name) && chooser->awaited;
	for (chooser = choosers; chooser; chooser = chooser->next)
		if (is_name_of_chooser(chooser, slot->name) && (!awaited || chooser->awaited)) {
			by = chooser;
			n++;
		}
	if (n == 1)
		regions |= by->regions;
	for (chooser = choosers; chooser; chooser = chooser->next)
		if (is_name_of_chooser(chooser, slot->name)) {
			chooser->known |= regions;
			chooser->awaited = false;
		}
	return regions;
}

static bool is_awaited(void)
{
	const struct chooser *chooser;

	for (chooser = choosers; chooser && !chooser->awaited; chooser = chooser->next)
		;
	return chooser;
}

static void take_chosen_function(const struct upcs_options *options, const struct upcs_slot *slot,
				 uint64_t address, void (*found)(uint64_t address, uint16_t regions))
{
	uint64_t host = upcs_guest_base() + address, offset;
	struct upcs_places_file *file = upcs_places_file(options, host, &offset);
	uint16_t regions = choose_regions(slot);

	if (file)
		upcs_places_add(file, offset, regions);
	found(address, regions);
}

static void look_at_object(const struct upcs_options *options, enum upcs_guest guest, struct object *object,
			   void (*found)(uint64_t address, uint16_t regions))
{
	const struct upcs_slots *slots = upcs_places_slots(object->file);
	uint64_t value;
	size_t i;

	for (i = 0; i < slots->n; i++) {
		if (upcs_guest_pointer(guest, object->bias + slots->slot[i].address, &value) ||
		    value == object->seen[i])
			continue;
		object->seen[i] = value;
		if (is_filled(object, &slots->slot[i], value))
			take_chosen_function(options, &slots->slot[i], value, found);
	}
}

void upcs_chosen_look(const struct upcs_options *options, enum upcs_guest guest,
		      void (*found)(uint64_t address, uint16_t regions))
{
	uint32_t looks = __atomic_load_n(&upcs_chosen_awaits, __ATOMIC_RELAXED);
	struct object *object, *next;
	struct chooser *chooser;

	if (!looks)
		return;
	/* Cleared first: files that are found mapped from here on are for the next look. */
	__atomic_store_n(&upcs_chosen_awaits, 0, __ATOMIC_RELAXED);
	for (object = objects; object; object = next) {
		next = object->next;
		if (is_object_there(options, object))
			look_at_object(options, guest, object, found);
		else
			forget_object(object);
	}
	if (looks > 1 && is_awaited())
		await_looks(looks - 1);
	else
		for (chooser = choosers; chooser; chooser = chooser->next)
			chooser->awaited = false;
}
