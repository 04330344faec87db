/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpx_elf.c - reads a program's interpreter and symbols from its ELF file.
 *
 * The file may be arbitrary data. Every offset is checked against the file's length. Structures are copied
 * out before use, since they may be unaligned in the file.
 */
#include "shim/mpx_elf.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif
#if defined(__x86_64__)
#define NATIVE_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define NATIVE_MACHINE EM_AARCH64
#elif defined(__powerpc64__)
#define NATIVE_MACHINE EM_PPC64
#elif defined(__riscv)
#define NATIVE_MACHINE EM_RISCV
#elif defined(__s390__)
#define NATIVE_MACHINE EM_S390
#endif

struct file {
	const unsigned char *bytes;
	size_t n;
};

static bool get_file_bytes(const struct file *file, uint64_t offset, void *to, size_t size)
{
	if (offset > file->n || size > file->n - offset)
		return false;
	memcpy(to, file->bytes + offset, size);
	return true;
}

static enum mpx_elf check_elf_header(const struct file *file, ElfW(Ehdr) * header)
{
	unsigned char ident[EI_NIDENT];

	if (file->n < SELFMAG || memcmp(file->bytes, ELFMAG, SELFMAG) != 0)
		return MPX_ELF_NONE;
	if (!get_file_bytes(file, 0, ident, sizeof(ident)))
		return MPX_ELF_BROKEN;
	if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != NATIVE_DATA)
		return MPX_ELF_FOREIGN;
	if (!get_file_bytes(file, 0, header, sizeof(*header)))
		return MPX_ELF_BROKEN;
#ifdef NATIVE_MACHINE
	if (header->e_machine != NATIVE_MACHINE)
		return MPX_ELF_FOREIGN;
#endif
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return MPX_ELF_BROKEN;
	if (header->e_phentsize < sizeof(ElfW(Phdr)))
		return MPX_ELF_BROKEN;
	return MPX_ELF_OK;
}

static enum mpx_elf check_interpreter(const struct file *file, const ElfW(Ehdr) * header)
{
	ElfW(Phdr) segment;
	unsigned i;

	for (i = 0; i < header->e_phnum; i++) {
		if (header->e_phoff > file->n ||
		    !get_file_bytes(file, header->e_phoff + (uint64_t)i * header->e_phentsize, &segment,
				    sizeof(segment)))
			return MPX_ELF_BROKEN;
		if (segment.p_type == PT_INTERP)
			return MPX_ELF_OK;
	}
	return MPX_ELF_STATIC;
}

static bool symbol_is_named(const struct file *file, const ElfW(Shdr) * strings, uint32_t name,
			    const char *wanted)
{
	const size_t size = strlen(wanted) + 1;

	return strings->sh_offset <= file->n && name < strings->sh_size &&
	       strings->sh_offset + name <= file->n && file->n - (strings->sh_offset + name) >= size &&
	       memcmp(file->bytes + strings->sh_offset + name, wanted, size) == 0;
}

static bool table_defines(const struct file *file, const ElfW(Shdr) * table, const ElfW(Shdr) * strings,
			  const char *function)
{
	uint64_t i, n;
	ElfW(Sym) symbol;

	if (table->sh_entsize != sizeof(symbol) || table->sh_offset > file->n)
		return false;
	n = table->sh_size / sizeof(symbol);
	for (i = 0; i < n; i++) {
		if (!get_file_bytes(file, table->sh_offset + i * sizeof(symbol), &symbol, sizeof(symbol)))
			return false; /* this symbol and all later ones lie beyond the end of the file */
		if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    symbol_is_named(file, strings, symbol.st_name, function))
			return true;
	}
	return false;
}

static bool file_defines(const struct file *file, const ElfW(Ehdr) * header, const char *function)
{
	ElfW(Shdr) table, strings;
	unsigned i;

	if (header->e_shentsize != sizeof(table) || header->e_shoff > file->n)
		return false;
	for (i = 0; i < header->e_shnum; i++) {
		if (!get_file_bytes(file, header->e_shoff + (uint64_t)i * sizeof(table), &table,
				    sizeof(table)))
			return false;
		if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM)
			continue;
		if (table.sh_link < header->e_shnum &&
		    get_file_bytes(file, header->e_shoff + (uint64_t)table.sh_link * sizeof(strings),
				   &strings, sizeof(strings)) &&
		    table_defines(file, &table, &strings, function))
			return true;
	}
	return false;
}

enum mpx_elf mpx_elf_check(const unsigned char *bytes, size_t n)
{
	const struct file file = {bytes, n};
	ElfW(Ehdr) header;
	enum mpx_elf found = check_elf_header(&file, &header);

	if (found != MPX_ELF_OK)
		return found;
	found = check_interpreter(&file, &header);
	if (found == MPX_ELF_OK && file_defines(&file, &header, "PAPI_start"))
		return MPX_ELF_STATIC_PAPI;
	return found;
}

bool mpx_elf_defines(const unsigned char *bytes, size_t n, const char *function)
{
	const struct file file = {bytes, n};
	ElfW(Ehdr) header;

	return check_elf_header(&file, &header) == MPX_ELF_OK && file_defines(&file, &header, function);
}
