/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim_slots.c - slots of chosen functions in files of the guests, made for it and spoilt.
 */
#include "elf_build.h"
#include "load/slots.h"

static char path[] = "/tmp/upc-slots-XXXXXX";
static struct upcs_name name[2];

static int make_file(void **state)
{
	(void)state;
	close(mkstemp(path));
	return upcs_name_parse(&name[0], "copy") && upcs_name_parse(&name[1], "far*") ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static const struct elf_symbol symbols[] = {
	{"", 0, 0, 0},
	{"copy", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 0},
	{"other", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 0},
	{"far_copy", ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1, 0x120},
	{"far_table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 0x140},
	{NULL, 0, 0, 0},
};
#define RELAS(irelative, absolute, glob_dat, jump_slot)                                                    \
	{                                                                                                  \
		{jump_slot, 1, 0x200, 0}, {glob_dat, 3, 0x208, 0}, {absolute, 1, 0x210, 0},                \
			{irelative, 0, 0x218, 0x120}, /* others: of no region, no function, behind one, by \
							 what chooses none, cut off */                     \
			{jump_slot, 2, 0x220, 0}, {glob_dat, 4, 0x228, 0}, {absolute, 1, 0x230, 8},        \
			{irelative, 0, 0x238, 0x130}, {jump_slot, 9, 0x240, 0}, {0, 0, 0, 0},              \
	}
static const struct elf_rela relas[][10] = {
	RELAS(R_X86_64_IRELATIVE, R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT),
	RELAS(R_AARCH64_IRELATIVE, R_AARCH64_ABS64, R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT),
	RELAS(R_PPC_IRELATIVE, R_PPC_ADDR32, R_PPC_GLOB_DAT, R_PPC_JMP_SLOT),
	RELAS(R_RISCV_IRELATIVE, R_RISCV_64, R_RISCV_64, R_RISCV_JUMP_SLOT),
};
static const struct elf_build guests[] = {
	{.wide = true, .machine = EM_X86_64, .table = SHT_DYNSYM, .symbols = symbols, .relas = relas[0]},
	{.wide = true, .machine = EM_AARCH64, .table = SHT_DYNSYM, .symbols = symbols, .relas = relas[1]},
	{.big = true, .machine = EM_PPC, .table = SHT_DYNSYM, .symbols = symbols, .relas = relas[2]},
	{.wide = true, .machine = EM_RISCV, .table = SHT_DYNSYM, .symbols = symbols, .relas = relas[3]},
};

static struct upcs_slots *read_built(struct elf_build *b, bool chosen)
{
	const struct upcs_chooser chooser = {0x120, upcs_name_hash("far_copy"), 2};

	write_file(path, b->file, b->size);
	return upcs_slots_read(path, name, 2, &chooser, chosen);
}

static void assert_slot(const struct upcs_slot *slot, uint64_t at, const char *function, uint16_t regions)
{
	assert_int_equal(slot->address, ELF_BASE + at);
	assert_int_equal(slot->name, upcs_name_hash(function));
	assert_int_equal(slot->regions, regions);
}

TEST(test_slots)
{
	for (int i = 0; i < UPCS_GUESTS; i++) {
		struct elf_build b = guests[i];
		struct upcs_slots *slots;
		uint64_t bias;

		elf_build(&b);
		slots = read_built(&b, true);
		assert_non_null(slots);
		assert_int_equal(slots->n, 4);
		assert_slot(&slots->slot[0], 0x200, "copy", 1);
		assert_slot(&slots->slot[1], 0x208, "far_copy", 2);
		assert_slot(&slots->slot[2], 0x210, "copy", 1);
		assert_slot(&slots->slot[3], 0x218, "far_copy", 2);
		/* In the file's order. */
		assert_int_equal(slots->slot[0].lazy & 0xff, b.file[0x200 + (b.big ? 3 : 0)]);
		assert_true(upcs_slots_bias(slots, 0x100, 0x7f0000000100, &bias));
		assert_int_equal(bias, 0x7f0000000000 - ELF_BASE);
		assert_false(upcs_slots_bias(slots, 0x300000, 0x7f0000300000, &bias));
		upcs_slots_free(slots);
		/* It chooses nothing that is asked for: by name alone. */
		slots = read_built(&b, false);
		assert_int_equal(slots->n, 3);
		upcs_slots_free(slots);
	}
}

/* A static program: what chooses is in .symtab, relocations name nothing. */
TEST(test_static)
{
	struct elf_build b = guests[0];
	struct upcs_slots *slots;

	b.table = SHT_SYMTAB;
	elf_build(&b);
	slots = read_built(&b, true);
	assert_non_null(slots);
	assert_int_equal(slots->n, 1);
	assert_slot(&slots->slot[0], 0x218, "far_copy", 2);
	upcs_slots_free(slots);
	assert_null(read_built(&b, false));
}

TEST(test_hostile)
{
	uint64_t seed = 1;

	assert_null(upcs_slots_read("/nonexistent", name, 2, NULL, 0));
	for (int i = 0; i < 3000; i++) {
		struct elf_build b = guests[i % 3];
		struct upcs_slots *slots;
		uint64_t bias;

		elf_build(&b);
		for (int k = 0; k < 3; k++)
			b.file[5 + random_next(&seed) % (b.size - 5)] =
				(unsigned char)(random_next(&seed) >> 9);
		if (i % 7 == 0)
			b.size = random_next(&seed) % b.size;
		slots = read_built(&b, true);
		if (slots)
			(void)upcs_slots_bias(slots, random_next(&seed) >> 50, random_next(&seed), &bias);
		for (size_t k = 0; slots && k < slots->n; k++)
			assert_true(slots->slot[k].regions > 0 && slots->slot[k].regions < 4);
		upcs_slots_free(slots);
	}
}

UNIT_TESTS(sim_slots, make_file, remove_file)
