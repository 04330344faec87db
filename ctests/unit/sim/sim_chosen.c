/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_chosen.c - slots in this process's memory are filled in each order, and the functions that
 * they hold are found when they begin. Files and mappings are the test's.
 */
#include "load/chosen.h"
#include "count/guest_memory.h"
#include "load/places_private.h"
#include "../unit_test.h"

enum { SLOTS = 3, FILES = 2 };
#define EMPTY 0x1111 /* what a file has in its slots */
#define BIAS 0       /* addresses in the file are those in memory */

struct upcs_places_file {
	struct upcs_slots slots;
	struct upcs_slot slot[SLOTS];
	uint64_t chooser[2], name[2]; /* at these offsets of it; 0: none */
	bool gone;
};

static struct upcs_places_file file[FILES];
static uint64_t memory[FILES][SLOTS];
static const struct upcs_options options;
static uint64_t found_at[8];
static uint16_t found_regions[8];
static unsigned found;

/* ---- places.c's part: code of file i is at 0x10000 * (i + 1) ------------------------------- */

struct upcs_places_file *upcs_places_file(const struct upcs_options *o, uint64_t address, uint64_t *offset)
{
	uint64_t i = address / 0x10000 - 1;

	(void)o;
	*offset = address % 0x10000;
	return i < FILES && !file[i].gone ? &file[i] : NULL;
}

void upcs_places_add(struct upcs_places_file *f, uint64_t offset, uint16_t regions)
{
	assert_true(f >= file && f < file + FILES && offset < 0x10000 && regions);
}

const struct upcs_slots *upcs_places_slots(const struct upcs_places_file *f)
{
	return &f->slots;
}

bool upcs_places_chooser_is(const struct upcs_places_file *f, uint64_t offset, uint64_t name)
{
	for (int i = 0; i < 2; i++)
		if (f->chooser[i] == offset && f->name[i] == name)
			return true;
	return false;
}

bool upcs_slots_bias(const struct upcs_slots *slots, uint64_t offset, uint64_t address, uint64_t *bias)
{
	(void)slots;
	*bias = BIAS;
	return address % 0x10000 == offset;
}

/* ---- the test's ------------------------------------------------------------------------ */

static void note(uint64_t address, uint16_t regions)
{
	assert_true(found < 8);
	found_at[found] = address;
	found_regions[found++] = regions;
}

static void look(void)
{
	found = 0;
	upcs_chosen_look(&options, UPCS_X86_64, note);
}

static void map(int i)
{
	file[i].slots.n = SLOTS;
	file[i].slots.slot = file[i].slot;
	for (int k = 0; k < SLOTS; k++) {
		memory[i][k] = EMPTY;
		file[i].slot[k].address = (uintptr_t)&memory[i][k];
		file[i].slot[k].lazy = EMPTY;
	}
}

static void slot_is(int i, int k, uint64_t name, uint16_t regions)
{
	file[i].slot[k].name = name;
	file[i].slot[k].regions = regions;
}

static void wait_in_vain(void)
{
	for (int i = 0; upcs_chosen_awaited(); i++) {
		look();
		assert_true(i < 10000 && found == 0);
	}
}

/*
 * All at once: what is mapped and known stays, as in a process. File 0 has what chooses: at 0x100
 * functions of names 1 and 2, at 0x200 of 1 in another version.
 */
TEST(test_chosen)
{
	if (UPCS_X86_64 != 0)
		fail();
	map(0);
	map(1);
	file[0].chooser[0] = file[0].chooser[1] = 0x100;
	file[0].name[0] = 1;
	file[0].name[1] = 2;
	slot_is(0, 0, 1, 1);
	slot_is(0, 1, 2, 2);
	slot_is(0, 2, 1, 1);
	slot_is(1, 0, 1, 1);
	slot_is(1, 1, 3, 4);

	/* Its first code is what chooses; the slot is filled some calls later. */
	assert_false(upcs_chosen_awaited());
	upcs_chosen_mapped(&file[0], 0x100, 0x10100);
	assert_true(upcs_chosen_awaited());
	upcs_chosen_begins(&options, 0x10100, 3);
	assert_int_equal(upcs_chosen_unseen(), 3);
	for (int i = 0; i < 10; i++) {
		look();
		assert_int_equal(found, 0);
		assert_true(upcs_chosen_awaited());
	}
	memory[0][0] = 0x20040;
	look();
	assert_int_equal(found, 1);
	assert_int_equal(found_at[0], 0x20040);
	/* Whoever chose it has another name, for another region. */
	assert_int_equal(found_regions[0], 3);
	assert_int_equal(upcs_chosen_unseen(), 0);
	assert_false(upcs_chosen_awaited());

	/* Known files are not looked into again without a reason; a second file is. */
	memory[0][2] = 0x20080;
	upcs_chosen_mapped(&file[0], 0x300, 0x10300);
	assert_false(upcs_chosen_awaited());
	memory[1][0] = 0x200c0; /* filled before its code was seen */
	upcs_chosen_mapped(&file[1], 0x10, 0x20010);
	look();
	assert_int_equal(found, 2);
	assert_int_equal(found_at[0] + found_at[1], 0x20080 + 0x200c0);
	assert_false(upcs_chosen_awaited());

	/* It chose, and nobody stored it: looked for, not for ever. Names that nobody chooses are no matter.
	 */
	file[0].chooser[1] = 0x200;
	file[0].name[1] = 3;
	upcs_chosen_begins(&options, 0x10200, 4);
	wait_in_vain();
	assert_int_equal(upcs_chosen_unseen(), 4);
	/* Chosen again, for a file that is not there any more. */
	file[1].gone = true;
	memory[1][1] = 0x10400;
	upcs_chosen_begins(&options, 0x10200, 4);
	wait_in_vain();
	assert_int_equal(upcs_chosen_unseen(), 4);
	file[1].gone = false;
	upcs_chosen_mapped(&file[1], 0x10, 0x20010);
	look();
	assert_int_equal(upcs_chosen_unseen(), 0);
	assert_int_equal(found_regions[0] | found_regions[found - 1], 7);
}

int main(void)
{
	return run_own_tests(NULL, NULL);
}
