/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols.c - reads the functions that an ELF file defines. A stripped file's names are in its debug file, if
 * there is one; the file itself maps addresses to offsets.
 */
#include "load/symbols.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load/debug_file.h"
#include "load/elf_file.h"

/* Sorted by offset. */
struct function {
	uint32_t name; /* offset in strings */
	bool chosen;   /* an IFUNC, whose address is its resolver's */
	uint8_t rank;
	uint64_t offset, size;
};

struct upcs_symbols {
	char *strings;
	struct function *function;
	unsigned functions;
	bool full;
};

/* Number of symbols read at a time. */
#define CHUNK 1024u

struct symbol {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t address, size;
};

static struct symbol symbol_at(const struct upcs_elf *elf, const char *at)
{
#define AT(field) (at + (elf->wide ? offsetof(Elf64_Sym, field) : offsetof(Elf32_Sym, field)))
	struct symbol symbol = {
		.name = upcs_elf_32(elf, AT(st_name)),
		.info = (uint8_t)*AT(st_info),
		.section = upcs_elf_16(elf, AT(st_shndx)),
		.address = upcs_elf_word(elf, AT(st_value)),
		.size = upcs_elf_word(elf, AT(st_size)),
	};
#undef AT
	return symbol;
}

/* True if a symbol may be a function. Assemblers mark functions only on request, so any global name of code
 * may be one. */
static bool may_be_function_symbol(const struct symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS || symbol->section == SHN_COMMON)
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC ||
	       (type == STT_NOTYPE && ELF64_ST_BIND(symbol->info) != STB_LOCAL);
}

/* Return the rank of a symbol among the names of one function. The lowest rank is the best: first by type
 * (function, IFUNC, other), then by binding (global, weak and others, local). */
static uint8_t rank_of(const struct symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info), bind = ELF64_ST_BIND(symbol->info);

	return (uint8_t)((type == STT_FUNC        ? 0
			  : type == STT_GNU_IFUNC ? 4
						  : 8) +
			 (bind == STB_GLOBAL  ? 0
			  : bind == STB_LOCAL ? 2
					      : 1));
}

/* Append a function. Return false if memory is short. */
static bool keep_function(struct upcs_symbols *symbols, unsigned *room, const struct function *function)
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

/* Read functions from a symbol table. loaded is the file with the code; elf is the same file, or its debug
 * file. */
static int read_functions(struct upcs_symbols *symbols, const struct upcs_elf *elf,
			  const struct upcs_elf_section *table, uint64_t strings,
			  const struct upcs_elf *loaded)
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
				.rank = rank_of(&symbol),
				.size = symbol.size,
			};
			uint32_t flags;

			if (may_be_function_symbol(&symbol) && symbol.name < strings &&
			    symbols->strings[symbol.name] &&
			    upcs_elf_offset(loaded, symbol.address, &function.offset, &flags) &&
			    (flags & PF_X) && !keep_function(symbols, &room, &function))
				return -ENOMEM;
		}
	}
	return 0;
}

static int read_table(struct upcs_symbols *symbols, const struct upcs_elf *elf, uint32_t type,
		      const struct upcs_elf *loaded)
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
	return read_functions(symbols, elf, &table, strings.bytes, loaded);
}

static int compare_functions_offset(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void forget_symbols(struct upcs_symbols *symbols)
{
	free(symbols->strings);
	free(symbols->function);
	memset(symbols, 0, sizeof(*symbols));
}

static int read_elf_symbols(struct upcs_symbols *symbols, const struct upcs_elf *elf, const char *path)
{
	int error = read_table(symbols, elf, SHT_SYMTAB, elf);
	struct upcs_elf debug;

	if (error != -ENOENT)
		return error;
	if (upcs_debug_file_open(&debug, elf, path)) {
		error = read_table(symbols, &debug, SHT_SYMTAB, elf);
		upcs_elf_close(&debug);
		if (error == 0 || error == -ENOMEM)
			return error;
		forget_symbols(symbols);
	}
	error = read_table(symbols, elf, SHT_DYNSYM, elf);
	return error == -ENOENT ? 0 : error; /* a stripped static program has no symbols */
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
	if (!symbols)
		error = -ENOMEM;
	else if (upcs_elf_guest(&elf) == UPCS_GUESTS || (elf.type != ET_EXEC && elf.type != ET_DYN))
		error = -ENOEXEC;
	else
		error = read_elf_symbols(symbols, &elf, path);
	upcs_elf_close(&elf);
	if (error) {
		upcs_symbols_close(symbols);
		errno = -error;
		return NULL;
	}
	if (symbols->functions)
		qsort(symbols->function, symbols->functions, sizeof(symbols->function[0]),
		      compare_functions_offset);
	return symbols;
}

void upcs_symbols_close(struct upcs_symbols *symbols)
{
	if (!symbols)
		return;
	forget_symbols(symbols);
	free(symbols);
}

static bool symbol_matches_name(const struct upcs_symbols *symbols, unsigned i, const struct upcs_name *name)
{
	return upcs_name_fits(name, symbols->strings + symbols->function[i].name);
}

/* True if an earlier entry is another name of the same function, and matches too. */
static bool was_before(const struct upcs_symbols *symbols, unsigned i, const struct upcs_name *name)
{
	const struct function *function = &symbols->function[i], *before;

	for (before = function; before-- > symbols->function && before->offset == function->offset;)
		if (!before->chosen &&
		    symbol_matches_name(symbols, (unsigned)(before - symbols->function), name))
			return true;
	return false;
}

bool upcs_symbols_get(const struct upcs_symbols *symbols, unsigned i, struct upcs_function *found)
{
	const struct function *function;

	if (i >= symbols->functions)
		return false;
	function = &symbols->function[i];
	*found = (struct upcs_function){
		.symbol = symbols->strings + function->name,
		.offset = function->offset,
		.size = function->size,
		.chosen = function->chosen,
		.rank = function->rank,
	};
	return true;
}

bool upcs_symbols_find(const struct upcs_symbols *symbols, const struct upcs_name *name, unsigned *next,
		       struct upcs_function *found)
{
	unsigned i;

	for (i = *next; i < symbols->functions; i++) {
		if (!symbol_matches_name(symbols, i, name) ||
		    (!symbols->function[i].chosen && was_before(symbols, i, name)))
			continue;
		*next = i + 1;
		return upcs_symbols_get(symbols, i, found);
	}
	*next = symbols->functions;
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

uint64_t upcs_symbols_offset(const struct upcs_symbols *symbols, unsigned i)
{
	return i < symbols->functions ? symbols->function[i].offset : 0;
}
