/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_file.h - reads ELF files of either word size and byte order in pieces.
 *
 * A file may have any content, and may change while it is read. Pieces are copied with pread, because a
 * mapping would fault if the file is truncated meanwhile. Offsets outside of the file are errors.
 */
#ifndef UPCS_ELF_FILE_H
#define UPCS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/guest.h"

struct upcs_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, bytes; /* bytes: size in the file */
};

struct upcs_elf {
	int fd;
	uint64_t size;
	bool wide, big; /* wide: 64 bit; big: big endian */
	uint16_t type, machine;
	struct upcs_elf_segment *segment;
	uint64_t sections_at;
	uint32_t segments, sections, section_size, names; /* names: index of the section names' section */
};

struct upcs_elf_section {
	uint32_t name, type, link;
	uint64_t offset, bytes, entry;
};

/* Open a file. Return 0, -ENOEXEC if the file is not an ELF file, or another -errno. Only regular files are
 * opened (-EISDIR, -EACCES). */
int upcs_elf_open(struct upcs_elf *elf, const char *path);
void upcs_elf_close(struct upcs_elf *elf);

/* Return the guest that runs the file, or UPCS_GUESTS. */
enum upcs_guest upcs_elf_guest(const struct upcs_elf *elf);
/* True if this guest can run or load the file. */
bool upcs_elf_is_of(const char *path, enum upcs_guest guest);

/* Read a section's header by index or by name. Return false if there is no such section. */
bool upcs_elf_section(const struct upcs_elf *elf, uint32_t i, struct upcs_elf_section *section);
bool upcs_elf_section_named(const struct upcs_elf *elf, const char *name, struct upcs_elf_section *section);

/* Read bytes at an offset. Return false if not all of them can be read. */
bool upcs_elf_read(const struct upcs_elf *elf, uint64_t offset, void *to, size_t bytes);
/* Return an allocated copy of the bytes, followed by a 0, or NULL. At most UPCS_ELF_PIECE bytes. */
#define UPCS_ELF_PIECE (UINT64_C(512) << 20)
char *upcs_elf_copy(const struct upcs_elf *elf, uint64_t offset, uint64_t bytes);

/* Convert an address of a loaded segment to an offset in the file, with the segment's flags. Return false if
 * no segment contains the address. */
bool upcs_elf_offset(const struct upcs_elf *elf, uint64_t address, uint64_t *offset, uint32_t *flags);

/* Return a number in the file's byte order. */
uint16_t upcs_elf_16(const struct upcs_elf *elf, const void *at);
uint32_t upcs_elf_32(const struct upcs_elf *elf, const void *at);
uint64_t upcs_elf_64(const struct upcs_elf *elf, const void *at);
/* Return a number of the file's word size. */
uint64_t upcs_elf_word(const struct upcs_elf *elf, const void *at);

#endif
