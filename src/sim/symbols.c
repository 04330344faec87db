/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols.c - the functions that an ELF file defines.
 *
 * Names are those of the file, C++ ones mangled (nm shows them): a demangler would have to
 * come with the library of another language. Two liberties are taken. "name" is also
 * name@VERSION and name@@VERSION, and the copies of a function that GCC made for certain
 * arguments (name.constprop.0, name.isra.0, name.lto_priv.0): these are all that is left of
 * it. A part that GCC took out of it (name.part.0, name.cold) is not the function.
 */
#include "symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"

/* In the order of their offsets. */
struct function {
	uint32_t name; /* at strings */
	bool chosen;   /* its address is that of what chooses one at run time */
	uint64_t offset;
};

struct upcs_symbols {
	char *strings;
	struct function *function;
	unsigned functions;
	bool full;
};

/* Symbols are looked at so many at a time. */
#define CHUNK 1024u

struct symbol {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t address;
};

static struct symbol symbol_at(const struct upcs_elf *elf, const char *at)
{
#define AT(field) (at + (elf->wide ? offsetof(Elf64_Sym, field) : offsetof(Elf32_Sym, field)))
	struct symbol symbol = {
		.name = upcs_elf_32(elf, AT(st_name)),
		.info = (uint8_t)*AT(st_info),
		.section = upcs_elf_16(elf, AT(st_shndx)),
		.address = upcs_elf_word(elf, AT(st_value)),
	};
#undef AT
	return symbol;
}

/* Assemblers do not say what is a function unless they are told: a global name of code. */
static bool may_be_function(const struct symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS || symbol->section == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && ELF64_ST_BIND(symbol->info) != STB_LOCAL);
}

/* False: no memory. */
static bool keep(struct upcs_symbols *symbols, unsigned *room, const struct function *function)
{
	if (symbols->functions == *room) {
		unsigned more = *room ? 2 * *room : 256;
		struct function *moved = realloc(symbols->function, more * sizeof(*moved));

		if (!moved)
			return false;
		symbols->function = moved;
		*room = more;
	}
	symbols->function[symbols->functions++] = *function;
	return true;
}

static int read_functions(struct upcs_symbols *symbols, const struct upcs_elf *elf,
			  const struct upcs_elf_section *table, uint64_t strings)
{
	size_t size = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), k, n;
	uint64_t i, all = table->bytes / size;
	char chunk[CHUNK * sizeof(Elf64_Sym)];
	unsigned room = 0;

	for (i = 0; i < all; i += n) {
		n = all - i < CHUNK ? (size_t)(all - i) : CHUNK;
		if (!upcs_elf_read(elf, table->offset + i * size, chunk, n * size))
			return -ENOEXEC;
		for (k = 0; k < n; k++) {
			struct symbol symbol = symbol_at(elf, chunk + k * size);
			struct function function = {
				.name = symbol.name,
				.chosen = ELF64_ST_TYPE(symbol.info) == STT_GNU_IFUNC,
			};
			uint32_t flags;

			if (may_be_function(&symbol) && symbol.name < strings &&
			    symbols->strings[symbol.name] &&
			    upcs_elf_offset(elf, symbol.address, &function.offset, &flags) &&
			    (flags & PF_X) && !keep(symbols, &room, &function))
				return -ENOMEM;
		}
	}
	return 0;
}

static int read_table(struct upcs_symbols *symbols, const struct upcs_elf *elf, uint32_t type)
{
	size_t size = elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct upcs_elf_section table, strings;
	bool found = false;
	uint32_t i;

	for (i = 0; !found && upcs_elf_section(elf, i, &table); i++)
		found = table.type == type;
	if (!found)
		return -ENOENT;
	if (table.entry != size || table.offset > elf->size || table.bytes > elf->size - table.offset ||
	    !upcs_elf_section(elf, table.link, &strings) || strings.type != SHT_STRTAB)
		return -ENOEXEC;
	symbols->strings = upcs_elf_copy(elf, strings.offset, strings.bytes);
	if (!symbols->strings)
		return -ENOEXEC;
	symbols->full = type == SHT_SYMTAB;
	return read_functions(symbols, elf, &table, strings.bytes);
}

static int by_offset(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

struct upcs_symbols *upcs_symbols_open(const char *path)
{
	struct upcs_symbols *symbols;
	struct upcs_elf elf;
	int error = upcs_elf_open(&elf, path);

	if (error) {
		errno = -error;
		return NULL;
	}
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols) {
		error = -ENOMEM;
	} else if (upcs_elf_guest(&elf) == UPCS_GUESTS || (elf.type != ET_EXEC && elf.type != ET_DYN)) {
		error = -ENOEXEC;
	} else {
		error = read_table(symbols, &elf, SHT_SYMTAB);
		if (error == -ENOENT)
			error = read_table(symbols, &elf, SHT_DYNSYM);
		if (error == -ENOENT)
			error = 0; /* a stripped static program has none */
	}
	upcs_elf_close(&elf);
	if (error) {
		upcs_symbols_close(symbols);
		errno = -error;
		return NULL;
	}
	if (symbols->functions)
		qsort(symbols->function, symbols->functions, sizeof(symbols->function[0]), by_offset);
	return symbols;
}

void upcs_symbols_close(struct upcs_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->strings);
	free(symbols->function);
	free(symbols);
}

/* .constprop.0.isra.1 and its like, and nothing behind. */
static bool is_copy(const char *suffix)
{
	static const char *const kinds[] = { ".constprop.", ".isra.", ".lto_priv." };

	while (*suffix) {
		size_t i, n = 0;

		for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !n; i++)
			if (strncmp(suffix, kinds[i], strlen(kinds[i])) == 0)
				n = strlen(kinds[i]);
		suffix += n;
		i = strspn(suffix, "0123456789");
		if (!n || !i)
			return false;
		suffix += i;
	}
	return true;
}

static bool is_named(const char *have, const char *name)
{
	size_t n = strlen(name);

	return strncmp(have, name, n) == 0 && (!have[n] || have[n] == '@' || is_copy(have + n));
}

static bool matches(const struct upcs_symbols *symbols, unsigned i, const char *name)
{
	return *name && is_named(symbols->strings + symbols->function[i].name, name);
}

/* Has the function before this one the same place, by another of its names? */
static bool was_before(const struct upcs_symbols *symbols, unsigned i, const char *name)
{
	uint64_t offset = symbols->function[i].offset;

	while (i-- > 0 && symbols->function[i].offset == offset)
		if (!symbols->function[i].chosen && matches(symbols, i, name))
			return true;
	return false;
}

bool upcs_symbols_find(const struct upcs_symbols *symbols, const char *name, unsigned *after,
		       uint64_t *file_offset)
{
	unsigned i, found = 0;

	for (i = 0; i < symbols->functions; i++) {
		if (symbols->function[i].chosen || !matches(symbols, i, name) ||
		    was_before(symbols, i, name) || found++ < *after)
			continue;
		*file_offset = symbols->function[i].offset;
		++*after;
		return true;
	}
	return false;
}

bool upcs_symbols_are_chosen(const struct upcs_symbols *symbols, const char *name)
{
	unsigned i;

	for (i = 0; i < symbols->functions; i++)
		if (symbols->function[i].chosen && matches(symbols, i, name))
			return true;
	return false;
}

bool upcs_symbols_are_full(const struct upcs_symbols *symbols)
{
	return symbols->full;
}

const char *upcs_symbols_name(const struct upcs_symbols *symbols, unsigned i)
{
	return i < symbols->functions ? symbols->strings + symbols->function[i].name : NULL;
}
