/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_build.h - ELF files for tests, of any word size and byte order: one segment that
 * loads all of the file at ELF_BASE, and what is asked for.
 */
#ifndef ELF_BUILD_H
#define ELF_BUILD_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "../unit_test.h"

#define ELF_BASE 0x10000u

struct elf_symbol {
	const char *name;
	uint8_t info;
	uint16_t section; /* 0: undefined */
	uint32_t offset;
};

/* Until one without a type; at and addend are offsets in the file, addend 0: none. */
struct elf_rela {
	uint32_t type, symbol, at, addend;
};

struct elf_build {
	bool wide, big;
	uint16_t machine, type;
	const char *interpreter;
	uint32_t table;                   /* SHT_SYMTAB or SHT_DYNSYM, 0 none */
	const struct elf_symbol *symbols; /* until one without a name */
	const char *needed, *runpath, *rpath;
	const struct elf_rela *relas;
	const char *build_id; /* of 20 characters */
	const char *link;     /* name of its debug file */
	uint32_t link_crc;

	unsigned char file[8192];
	size_t size;
};

static inline void elf_put(struct elf_build *b, uint64_t value, size_t bytes)
{
	assert_true(b->size + bytes < sizeof(b->file));
	for (size_t i = 0; i < bytes; i++)
		b->file[b->size++] = (unsigned char)(value >> 8 * (b->big ? bytes - 1 - i : i));
}

static inline void elf_word(struct elf_build *b, uint64_t value)
{
	elf_put(b, value, b->wide ? 8 : 4);
}

static inline size_t elf_text(struct elf_build *b, const char *text)
{
	size_t at = b->size;

	for (; *text; text++)
		elf_put(b, (unsigned char)*text, 1);
	elf_put(b, 0, 1);
	return at;
}

static inline void elf_segment(struct elf_build *b, uint32_t type, uint64_t offset, uint64_t bytes)
{
	elf_put(b, type, 4);
	if (b->wide)
		elf_put(b, PF_R | PF_X, 4);
	elf_word(b, offset);
	elf_word(b, ELF_BASE + offset);
	elf_word(b, ELF_BASE + offset);
	elf_word(b, bytes);
	elf_word(b, bytes);
	if (!b->wide)
		elf_put(b, PF_R | PF_X, 4);
	elf_word(b, 4096);
}

static inline void elf_section(struct elf_build *b, uint32_t type, uint64_t offset, uint64_t bytes,
			       uint32_t link, uint64_t entry, size_t name)
{
	elf_put(b, name, 4);
	elf_put(b, type, 4);
	elf_word(b, 0);
	elf_word(b, 0);
	elf_word(b, offset);
	elf_word(b, bytes);
	elf_put(b, link, 4);
	elf_put(b, 0, 4);
	elf_word(b, 8);
	elf_word(b, entry);
}

/* The headers are written last, when it is known where all is. */
static inline void elf_build(struct elf_build *b)
{
	const size_t header = b->wide ? 64 : 52, segment = b->wide ? 56 : 32, section = b->wide ? 64 : 40,
		     symbol = b->wide ? 24 : 16;
	size_t interpreter, interpreter_bytes = 0, strings, strings_bytes, table, dynamic, end, sections,
			    segments = 1 + !!b->interpreter + !!b->needed, names[32], n = 0;
	size_t needed, path, link, link_bytes, link_name, note, note_bytes, relas;
	const bool has_sections = b->table || b->build_id || b->link;

	memset(b->file, 0, sizeof(b->file));
	b->size = header + 3 * segment;
	interpreter = b->size;
	if (b->interpreter) {
		elf_text(b, b->interpreter);
		interpreter_bytes = b->size - interpreter;
	}
	strings = elf_text(b, "");
	for (n = 0; b->symbols && b->symbols[n].name; n++)
		names[n] = elf_text(b, b->symbols[n].name);
	needed = elf_text(b, b->needed ? b->needed : "");
	path = elf_text(b, b->runpath ? b->runpath : b->rpath ? b->rpath : "");
	link_name = elf_text(b, ".gnu_debuglink");
	strings_bytes = b->size - strings;
	link = b->size;
	if (b->link) {
		elf_text(b, b->link);
		while ((b->size - link) % 4)
			elf_put(b, 0, 1);
		elf_put(b, b->link_crc, 4);
	}
	link_bytes = b->size - link;
	note = b->size;
	if (b->build_id) {
		elf_put(b, 4, 4);
		elf_put(b, 20, 4);
		elf_put(b, NT_GNU_BUILD_ID, 4);
		elf_text(b, "GNU");
		for (size_t i = 0; i < 20; i++)
			elf_put(b, (unsigned char)b->build_id[i], 1);
	}
	note_bytes = b->size - note;
	table = b->size;
	for (size_t i = 0; i < n; i++) {
		const struct elf_symbol *s = &b->symbols[i];

		elf_put(b, names[i] - strings, 4);
		if (b->wide) {
			elf_put(b, s->info, 1);
			elf_put(b, 0, 1);
			elf_put(b, s->section, 2);
		}
		elf_word(b, ELF_BASE + s->offset);
		elf_word(b, 0);
		if (!b->wide) {
			elf_put(b, s->info, 1);
			elf_put(b, 0, 1);
			elf_put(b, s->section, 2);
		}
	}
	assert_int_equal(b->size, table + n * symbol);
	relas = b->size;
	for (const struct elf_rela *r = b->relas; r && r->type; r++) {
		elf_word(b, ELF_BASE + r->at);
		elf_word(b, b->wide ? (uint64_t)r->symbol << 32 | r->type : r->symbol << 8 | r->type);
		elf_word(b, r->addend ? ELF_BASE + r->addend : 0);
	}
	dynamic = b->size;
	elf_word(b, DT_STRTAB);
	elf_word(b, ELF_BASE + strings);
	elf_word(b, DT_STRSZ);
	elf_word(b, strings_bytes);
	elf_word(b, DT_NEEDED);
	elf_word(b, needed - strings);
	if (b->runpath || b->rpath) {
		elf_word(b, b->runpath ? DT_RUNPATH : DT_RPATH);
		elf_word(b, path - strings);
	}
	elf_word(b, DT_NULL);
	elf_word(b, 0);
	sections = b->size;
	if (has_sections) {
		elf_section(b, 0, 0, 0, 0, 0, 0);
		elf_section(b, b->table, table, relas - table, 2, symbol, 0);
		elf_section(b, SHT_STRTAB, strings, strings_bytes, 0, 0, 0);
		elf_section(b, SHT_NOTE, note, note_bytes, 0, 0, 0);
		elf_section(b, SHT_PROGBITS, link, link_bytes, 0, 0, link_name - strings);
		elf_section(b, SHT_RELA, relas, dynamic - relas, 1, b->wide ? 24 : 12, 0);
	}
	end = b->size;

	b->size = 0;
	memcpy(b->file, ELFMAG, SELFMAG);
	b->file[EI_CLASS] = b->wide ? ELFCLASS64 : ELFCLASS32;
	b->file[EI_DATA] = b->big ? ELFDATA2MSB : ELFDATA2LSB;
	b->file[EI_VERSION] = EV_CURRENT;
	b->size = EI_NIDENT;
	elf_put(b, b->type ? b->type : ET_DYN, 2);
	elf_put(b, b->machine, 2);
	elf_put(b, EV_CURRENT, 4);
	elf_word(b, 0);
	elf_word(b, header);
	elf_word(b, has_sections ? sections : 0);
	elf_put(b, 0, 4);
	elf_put(b, header, 2);
	elf_put(b, segment, 2);
	elf_put(b, segments, 2);
	elf_put(b, section, 2);
	elf_put(b, has_sections ? 6 : 0, 2);
	elf_put(b, has_sections ? 2 : 0, 2);
	assert_int_equal(b->size, header);
	elf_segment(b, PT_LOAD, 0, end);
	if (b->interpreter)
		elf_segment(b, PT_INTERP, interpreter, interpreter_bytes);
	if (b->needed)
		elf_segment(b, PT_DYNAMIC, dynamic, sections - dynamic);
	b->size = end;
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

#endif
