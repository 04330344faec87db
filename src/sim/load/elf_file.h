/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_file.h - ELF files of either word size and byte order, read piece by piece.
 *
 * A file may be anything, and may change while it is read: pieces are copied out with
 * pread (a mapping would fault where the file is cut meanwhile), and whatever lies outside
 * of the file is not there.
 */
#ifndef UPCS_ELF_FILE_H
#define UPCS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"

struct upcs_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, bytes; /* bytes in the file */
};

struct upcs_elf {
	int fd;
	uint64_t size;
	bool wide, big; /* 64 bit; big endian */
	uint16_t type, machine;
	struct upcs_elf_segment *segment;
	uint64_t sections_at;
	uint32_t segments, sections, section_size, names; /* names: section of the sections' names */
};

struct upcs_elf_section {
	uint32_t name, type, link;
	uint64_t offset, bytes, entry;
};

/* 0; -ENOEXEC where it is no ELF file; -errno. Nothing but a regular file is opened
 * (-EISDIR, -EACCES). */
int upcs_elf_open(struct upcs_elf *elf, const char *path);
void upcs_elf_close(struct upcs_elf *elf);

/* Which guest runs it, UPCS_GUESTS: none. */
enum upcs_guest upcs_elf_guest(const struct upcs_elf *elf);
/* A file that this guest runs, or can load. */
bool upcs_elf_is_of(const char *path, enum upcs_guest guest);

/* False: it is not there. */
bool upcs_elf_section(const struct upcs_elf *elf, uint32_t i, struct upcs_elf_section *section);
bool upcs_elf_section_named(const struct upcs_elf *elf, const char *name, struct upcs_elf_section *section);

/* Reads so many bytes from an offset. False: not all of them are there. */
bool upcs_elf_read(const struct upcs_elf *elf, uint64_t offset, void *to, size_t bytes);
/* The same in memory of their own with a 0 behind them, at most UPCS_ELF_PIECE; NULL. */
#define UPCS_ELF_PIECE (UINT64_C(512) << 20)
char *upcs_elf_copy(const struct upcs_elf *elf, uint64_t offset, uint64_t bytes);

/* The offset in the file of an address that it loads. */
bool upcs_elf_offset(const struct upcs_elf *elf, uint64_t address, uint64_t *offset, uint32_t *flags);

/* A number in the file's byte order. */
uint16_t upcs_elf_16(const struct upcs_elf *elf, const void *at);
uint32_t upcs_elf_32(const struct upcs_elf *elf, const void *at);
uint64_t upcs_elf_64(const struct upcs_elf *elf, const void *at);
/* A number of the file's word size. */
uint64_t upcs_elf_word(const struct upcs_elf *elf, const void *at);

#endif
