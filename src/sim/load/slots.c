/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slots.c - finds relocations of a file that store addresses chosen by IFUNC resolvers.
 *
 * The file's sections are read, rather than the dynamic section that the dynamic linker reads. Static
 * programs have only sections, and without sections there are no symbols either.
 *
 * Terms: load/symbols.h.
 */
#include "load/slots.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 1024u
#define SLOTS_MAX 65536u

struct named {
	uint64_t name;
	uint16_t regions;
};

struct reader {
	const struct upcs_elf *elf;
	const struct upcs_guest_info *guest;
	const struct upcs_chooser *chooser;
	size_t choosers, room;
	struct named *named; /* one per symbol of .dynsym */
	uint64_t symbols;
	struct upcs_slots *slots;
};

/* ---- symbols ------------------------------------------------------------------------- */

static uint16_t regions_of_symbol(const char *symbol, const struct upcs_name *name, unsigned names)
{
	uint16_t regions = 0;
	unsigned r;

	for (r = 0; r < names; r++)
		if (upcs_name_fits(&name[r], symbol))
			regions |= (uint16_t)(1u << r);
	return regions;
}

static bool may_be_slot_function(uint8_t info)
{
	unsigned type = ELF64_ST_TYPE(info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Find the regions among the symbols that relocations name. Return false if no symbol is a region. */
static bool read_slot_symbols(struct reader *reader, const struct upcs_elf_section *table,
			      const struct upcs_name *name, unsigned names)
{
	const struct upcs_elf *elf = reader->elf;
	size_t size = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct upcs_elf_section section;
	char *symbols, *strings = NULL;
	bool any = false;
	uint64_t i;

	if (table->entry != size || !upcs_elf_section(elf, table->link, &section) ||
	    section.type != SHT_STRTAB)
		return false;
	symbols = upcs_elf_copy(elf, table->offset, table->bytes);
	if (symbols)
		strings = upcs_elf_copy(elf, section.offset, section.bytes);
	if (strings)
		reader->named = calloc(table->bytes / size + 1, sizeof(*reader->named));
	if (reader->named)
		reader->symbols = table->bytes / size;
	for (i = 0; i < reader->symbols; i++) {
		const char *symbol = symbols + i * size;
		uint32_t at = upcs_elf_32(elf, symbol);
		uint8_t info = (uint8_t)
			symbol[elf->wide ? offsetof(Elf64_Sym, st_info) : offsetof(Elf32_Sym, st_info)];

		if (!at || at >= section.bytes || !may_be_slot_function(info))
			continue;
		reader->named[i].regions = regions_of_symbol(strings + at, name, names);
		if (reader->named[i].regions) {
			reader->named[i].name = upcs_name_hash(strings + at);
			any = true;
		}
	}
	free(symbols);
	free(strings);
	return any;
}

/* ---- relocations --------------------------------------------------------------------- */

static void add_slot(struct reader *reader, uint64_t address, uint64_t name, uint16_t regions)
{
	struct upcs_slots *slots = reader->slots;
	uint64_t offset;
	uint32_t flags;
	char word[8];

	if (!regions || slots->n == SLOTS_MAX)
		return;
	if (slots->n == reader->room) {
		size_t more = reader->room ? 2 * reader->room : 16;
		struct upcs_slot *larger = realloc(slots->slot, more * sizeof(*larger));

		if (!larger)
			return;
		slots->slot = larger;
		reader->room = more;
	}
	memset(word, 0, sizeof(word));
	if (upcs_elf_offset(reader->elf, address, &offset, &flags) &&
	    !upcs_elf_read(reader->elf, offset, word, reader->elf->wide ? 8 : 4))
		return;
	slots->slot[slots->n++] =
		(struct upcs_slot){address, upcs_elf_word(reader->elf, word), name, regions};
}

/* Add a slot for each name of the resolver. */
static void add_chosen(struct reader *reader, uint64_t address, uint64_t by)
{
	uint64_t offset;
	uint32_t flags;
	size_t i;

	if (!upcs_elf_offset(reader->elf, by, &offset, &flags))
		return;
	for (i = 0; i < reader->choosers; i++)
		if (reader->chooser[i].offset == offset)
			add_slot(reader, address, reader->chooser[i].name, reader->chooser[i].regions);
}

/* Read an Elf64_Rela or Elf32_Rela: address, symbol and type, addend. */
static void look_at_relocation(struct reader *reader, const char *relocation, bool named)
{
	size_t word = reader->elf->wide ? 8 : 4;
	uint64_t address = upcs_elf_word(reader->elf, relocation);
	uint64_t info = upcs_elf_word(reader->elf, relocation + word);
	uint64_t addend = upcs_elf_word(reader->elf, relocation + 2 * word);
	uint64_t symbol = reader->elf->wide ? info >> 32 : info >> 8;
	uint32_t type = (uint32_t)(reader->elf->wide ? info : info & 255);
	size_t i;

	if (type == reader->guest->chosen) {
		add_chosen(reader, address, addend);
		return;
	}
	for (i = 0; i < 3 && reader->guest->named[i]; i++)
		if (named && type == reader->guest->named[i] && !addend && symbol < reader->symbols)
			add_slot(reader, address, reader->named[symbol].name, reader->named[symbol].regions);
}

static void read_relocations(struct reader *reader, const struct upcs_elf_section *table, bool named)
{
	size_t size = reader->elf->wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela), n, k;
	char chunk[CHUNK * sizeof(Elf64_Rela)];
	uint64_t i, all = table->bytes / size;

	if (table->entry != size || table->offset > reader->elf->size ||
	    table->bytes > reader->elf->size - table->offset)
		return;
	for (i = 0; i < all; i += n) {
		n = all - i < CHUNK ? (size_t)(all - i) : CHUNK;
		if (!upcs_elf_read(reader->elf, table->offset + i * size, chunk, n * size))
			return;
		for (k = 0; k < n; k++)
			look_at_relocation(reader, chunk + k * size, named);
	}
}

static void read_slot_tables(struct reader *reader, const struct upcs_name *name, unsigned names)
{
	struct upcs_elf_section section;
	uint32_t i, dynsym = 0;
	bool any = false;

	for (i = 0; !dynsym && upcs_elf_section(reader->elf, i, &section); i++)
		if (section.type == SHT_DYNSYM) {
			dynsym = i;
			any = read_slot_symbols(reader, &section, name, names);
		}
	for (i = 0; (any || reader->choosers) && upcs_elf_section(reader->elf, i, &section); i++)
		if (section.type == SHT_RELA)
			read_relocations(reader, &section, any && section.link == dynsym);
	free(reader->named);
}

struct upcs_slots *upcs_slots_read(const char *path, const struct upcs_name *name, unsigned names,
				   const struct upcs_chooser *chooser, size_t choosers)
{
	struct upcs_elf elf;
	struct reader reader = {.elf = &elf, .chooser = chooser, .choosers = choosers};
	enum upcs_guest guest;

	if (upcs_elf_open(&elf, path) != 0)
		return NULL;
	guest = upcs_elf_guest(&elf);
	reader.slots = calloc(1, sizeof(*reader.slots));
	if (reader.slots && guest != UPCS_GUESTS) {
		reader.guest = &upcs_guests[guest];
		read_slot_tables(&reader, name, names);
	}
	if (reader.slots && reader.slots->n) {
		reader.slots->segment = elf.segment;
		reader.slots->segments = elf.segments;
		elf.segment = NULL;
	} else {
		upcs_slots_free(reader.slots);
		reader.slots = NULL;
	}
	upcs_elf_close(&elf);
	return reader.slots;
}

void upcs_slots_free(struct upcs_slots *slots)
{
	if (!slots)
		return;
	free(slots->segment);
	free(slots->slot);
	free(slots);
}

bool upcs_slots_bias(const struct upcs_slots *slots, uint64_t offset, uint64_t address, uint64_t *bias)
{
	uint32_t i;

	for (i = 0; i < slots->segments; i++) {
		const struct upcs_elf_segment *load = &slots->segment[i];

		if (load->type != PT_LOAD || !(load->flags & PF_X) || offset < load->offset ||
		    offset - load->offset >= load->bytes)
			continue;
		*bias = address - (load->address + (offset - load->offset));
		return true;
	}
	return false;
}
