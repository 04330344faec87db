/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen.c - slots in the guest's memory, looked at when they may have been filled.
 *
 * The address that an IFUNC's resolver returns is in a register, which we do not see. But its caller
 * stores the address: the dynamic linker in the slot of a relocation, before it relocates anything else,
 * or before it jumps there (a function's first call). When a resolver has begun, slots
 * are therefore looked at wherever a function may begin, until one has changed. A file whose code was not
 * seen yet may have slots that were filled before: these are looked at when it is.
 * dlsym stores nothing: then it is known only what others have chosen.
 */
#include "load/chosen.h"

#include <stdlib.h>

#include "count/guest_memory.h"
#include "load/places_private.h"

#define LOOKS 1024u /* so often; a resolver that calls much takes some of them */

/* A file that is loaded, and code of it. */
struct object {
	struct object *next;
	struct upcs_places_file *file;
	uint64_t code, code_offset, bias; /* addresses of the guest */
	uint64_t *seen;                   /* of each slot */
};

/* A resolver that has begun. */
struct chooser {
	struct chooser *next;
	const struct upcs_places_file *file;
	uint64_t offset;
	uint16_t regions;
	uint16_t known; /* what it chose for them */
	bool awaited;   /* it may be at it */
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

/* Code that was there is another file's, or none, after the file was unmapped. */
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

/* A slot is empty, has what the file has, or that where it is loaded: until it is filled. */
static bool is_filled(const struct object *object, const struct upcs_slot *slot, uint64_t value)
{
	return value && value != slot->lazy && value != slot->lazy + object->bias;
}

static bool is_name_of_chooser(const struct chooser *chooser, uint64_t name)
{
	return chooser->file && upcs_places_chooser_is(chooser->file, chooser->offset, name);
}

/*
 * The regions of a slot's function. The resolver that has chosen it may have other names, which are
 * regions as well. But other versions of a function may have the same name: then the resolver is known
 * only if no other one may be choosing now.
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
	/* Files that are seen mapped meanwhile are for the next time. */
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
