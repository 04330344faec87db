/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * elf_file.c - reads headers, segments and sections of an ELF file.
 */
#include "load/elf_file.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint16_t upcs_elf_16(const struct upcs_elf *elf, const void *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return elf->big ? be16toh(value) : le16toh(value);
}

uint32_t upcs_elf_32(const struct upcs_elf *elf, const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return elf->big ? be32toh(value) : le32toh(value);
}

uint64_t upcs_elf_64(const struct upcs_elf *elf, const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return elf->big ? be64toh(value) : le64toh(value);
}

uint64_t upcs_elf_word(const struct upcs_elf *elf, const void *at)
{
	return elf->wide ? upcs_elf_64(elf, at) : upcs_elf_32(elf, at);
}

bool upcs_elf_read(const struct upcs_elf *elf, uint64_t offset, void *to, size_t bytes)
{
	size_t done = 0;

	if (offset > elf->size || bytes > elf->size - offset)
		return false;
	while (done < bytes) {
		ssize_t n = pread(elf->fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

char *upcs_elf_copy(const struct upcs_elf *elf, uint64_t offset, uint64_t bytes)
{
	char *copy;

	if (offset > elf->size || bytes > elf->size - offset || bytes > UPCS_ELF_PIECE)
		return NULL;
	copy = malloc((size_t)bytes + 1);
	if (!copy)
		return NULL;
	if (!upcs_elf_read(elf, offset, copy, (size_t)bytes)) {
		free(copy);
		return NULL;
	}
	copy[bytes] = '\0';
	return copy;
}

#define AT(type, field) (header + (elf->wide ? offsetof(Elf64_##type, field) : offsetof(Elf32_##type, field)))
#define SIZE(type) (elf->wide ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

/* Linux accepts at most 64 KiB of program headers. */
#define SEGMENTS_MAX 1024u

static int read_segments(struct upcs_elf *elf, uint64_t at, uint32_t segments)
{
	uint32_t i;
	char *headers, *header;

	if (segments > SEGMENTS_MAX)
		return -ENOEXEC;
	headers = upcs_elf_copy(elf, at, segments * SIZE(Phdr));
	if (!headers)
		return -ENOEXEC;
	elf->segment = calloc(segments + 1, sizeof(*elf->segment));
	if (!elf->segment) {
		free(headers);
		return -ENOMEM;
	}
	elf->segments = segments;
	for (i = 0, header = headers; i < segments; i++, header += SIZE(Phdr))
		elf->segment[i] = (struct upcs_elf_segment){
			.type = upcs_elf_32(elf, AT(Phdr, p_type)),
			.flags = upcs_elf_32(elf, AT(Phdr, p_flags)),
			.offset = upcs_elf_word(elf, AT(Phdr, p_offset)),
			.address = upcs_elf_word(elf, AT(Phdr, p_vaddr)),
			.bytes = upcs_elf_word(elf, AT(Phdr, p_filesz)),
		};
	free(headers);
	return 0;
}

bool upcs_elf_section(const struct upcs_elf *elf, uint32_t i, struct upcs_elf_section *section)
{
	char header[sizeof(Elf64_Shdr)];

	if (i >= elf->sections || elf->sections_at > elf->size ||
	    !upcs_elf_read(elf, elf->sections_at + (uint64_t)i * elf->section_size, header, SIZE(Shdr)))
		return false;
	section->name = upcs_elf_32(elf, AT(Shdr, sh_name));
	section->type = upcs_elf_32(elf, AT(Shdr, sh_type));
	section->link = upcs_elf_32(elf, AT(Shdr, sh_link));
	section->offset = upcs_elf_word(elf, AT(Shdr, sh_offset));
	section->bytes = upcs_elf_word(elf, AT(Shdr, sh_size));
	section->entry = upcs_elf_word(elf, AT(Shdr, sh_entsize));
	return true;
}

bool upcs_elf_section_named(const struct upcs_elf *elf, const char *name, struct upcs_elf_section *section)
{
	struct upcs_elf_section names;
	size_t n = strlen(name) + 1;
	char have[32];
	uint32_t i;

	if (n > sizeof(have) || !upcs_elf_section(elf, elf->names, &names) || names.type != SHT_STRTAB)
		return false;
	for (i = 0; upcs_elf_section(elf, i, section); i++)
		if (section->name <= names.bytes && n <= names.bytes - section->name &&
		    names.offset <= elf->size && upcs_elf_read(elf, names.offset + section->name, have, n) &&
		    memcmp(have, name, n) == 0)
			return true;
	return false;
}

bool upcs_elf_offset(const struct upcs_elf *elf, uint64_t address, uint64_t *offset, uint32_t *flags)
{
	uint32_t i;

	for (i = 0; i < elf->segments; i++) {
		const struct upcs_elf_segment *load = &elf->segment[i];

		if (load->type != PT_LOAD || address < load->address ||
		    address - load->address >= load->bytes)
			continue;
		if (load->offset > elf->size || address - load->address >= elf->size - load->offset)
			return false;
		*offset = load->offset + (address - load->address);
		*flags = load->flags;
		return true;
	}
	return false;
}

static int read_header(struct upcs_elf *elf)
{
	char header[sizeof(Elf64_Ehdr)];
	uint32_t segments;
	uint64_t segments_at;

	if (!upcs_elf_read(elf, 0, header, EI_NIDENT) || memcmp(header, ELFMAG, SELFMAG) != 0 ||
	    (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return -ENOEXEC;
	elf->wide = header[EI_CLASS] == ELFCLASS64;
	elf->big = header[EI_DATA] == ELFDATA2MSB;
	if (!upcs_elf_read(elf, 0, header, SIZE(Ehdr)))
		return -ENOEXEC;
	elf->type = upcs_elf_16(elf, AT(Ehdr, e_type));
	elf->machine = upcs_elf_16(elf, AT(Ehdr, e_machine));
	elf->sections_at = upcs_elf_word(elf, AT(Ehdr, e_shoff));
	elf->sections = upcs_elf_16(elf, AT(Ehdr, e_shnum));
	elf->section_size = upcs_elf_16(elf, AT(Ehdr, e_shentsize));
	elf->names = upcs_elf_16(elf, AT(Ehdr, e_shstrndx));
	segments = upcs_elf_16(elf, AT(Ehdr, e_phnum));
	if (segments && upcs_elf_16(elf, AT(Ehdr, e_phentsize)) != SIZE(Phdr))
		return -ENOEXEC;
	segments_at = upcs_elf_word(elf, AT(Ehdr, e_phoff));
	if (elf->section_size != SIZE(Shdr))
		elf->sections = 0; /* sections are optional; programs run without them */
	if (!elf->sections && elf->sections_at && elf->section_size == SIZE(Shdr)) {
		/* There are too many sections for e_shnum, so their number is in the first section's size. */
		struct upcs_elf_section first;

		elf->sections = 1;
		if (!upcs_elf_section(elf, 0, &first) || first.bytes > elf->size / elf->section_size)
			first.bytes = 0;
		elf->sections = (uint32_t)first.bytes;
	}
	return segments ? read_segments(elf, segments_at, segments) : 0;
}

int upcs_elf_open(struct upcs_elf *elf, const char *path)
{
	struct stat about;
	int error;

	*elf = (struct upcs_elf){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
	if (elf->fd < 0)
		return -errno;
	if (fstat(elf->fd, &about) != 0)
		error = -errno;
	else if (!S_ISREG(about.st_mode))
		error = S_ISDIR(about.st_mode) ? -EISDIR : -EACCES;
	else {
		elf->size = (uint64_t)about.st_size;
		error = read_header(elf);
	}
	if (error)
		upcs_elf_close(elf);
	return error;
}

void upcs_elf_close(struct upcs_elf *elf)
{
	close(elf->fd);
	free(elf->segment);
	elf->segment = NULL;
	elf->fd = -1;
}

enum upcs_guest upcs_elf_guest(const struct upcs_elf *elf)
{
	return upcs_guest_of_elf(elf->machine, elf->wide, elf->big);
}

bool upcs_elf_is_of(const char *path, enum upcs_guest guest)
{
	struct upcs_elf elf;
	bool is;

	if (upcs_elf_open(&elf, path) != 0)
		return false;
	is = upcs_elf_guest(&elf) == guest;
	upcs_elf_close(&elf);
	return is;
}
