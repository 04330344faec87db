/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * debug_file.c - finds a file's debug file, next to the file or below usr/lib/debug.
 *
 * A debug file is accepted if it has the same build ID. If one of the two files has no build ID, the debug
 * file's checksum must match the checksum in .gnu_debuglink.
 */
#include "load/debug_file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_MAX 64u
#define NOTES_MAX 65536u

struct wanted {
	const struct upcs_elf *elf;
	unsigned char id[ID_MAX];
	size_t id_bytes; /* 0: none */
	bool linked;
	char name[NAME_MAX + 1];
	uint32_t crc;
};

/* ---- build ID and link of a file ------------------------------------------------------------ */

/* Find the build ID among notes. Return its size, or 0 if there is none. */
static size_t find_id(const struct upcs_elf *elf, const char *notes, size_t bytes, unsigned char id[ID_MAX])
{
	size_t at = 0;

	while (bytes - at >= 12) {
		size_t name = upcs_elf_32(elf, notes + at), n = upcs_elf_32(elf, notes + at + 4);
		uint32_t type = upcs_elf_32(elf, notes + at + 8);
		size_t description = at + 12 + (name + 3) / 4 * 4;

		if (name > bytes || n > bytes || description > bytes || n > bytes - description)
			return 0;
		if (type == NT_GNU_BUILD_ID && name == 4 && memcmp(notes + at + 12, "GNU", 4) == 0 && n > 1 &&
		    n <= ID_MAX) {
			memcpy(id, notes + description, n);
			return n;
		}
		at = description + (n + 3) / 4 * 4;
		if (at > bytes)
			return 0;
	}
	return 0;
}

static size_t read_build_id(const struct upcs_elf *elf, unsigned char id[ID_MAX])
{
	struct upcs_elf_section section;
	size_t n = 0;
	char *notes;
	uint32_t i;

	for (i = 0; !n && upcs_elf_section(elf, i, &section); i++) {
		if (section.type != SHT_NOTE || section.bytes > NOTES_MAX)
			continue;
		notes = upcs_elf_copy(elf, section.offset, section.bytes);
		if (notes)
			n = find_id(elf, notes, (size_t)section.bytes, id);
		free(notes);
	}
	return n;
}

/* Read .gnu_debuglink: name, padding to four bytes, checksum. */
static bool read_link(const struct upcs_elf *elf, struct wanted *wanted)
{
	char link[NAME_MAX + 8];
	struct upcs_elf_section section;
	size_t n;

	if (!upcs_elf_section_named(elf, ".gnu_debuglink", &section) || section.type != SHT_PROGBITS ||
	    section.bytes > sizeof(link) || section.bytes < 8 ||
	    !upcs_elf_read(elf, section.offset, link, (size_t)section.bytes))
		return false;
	n = strnlen(link, (size_t)section.bytes);
	if (!n || n > NAME_MAX || (n + 4) / 4 * 4 + 4 > section.bytes || memchr(link, '/', n))
		return false;
	memcpy(wanted->name, link, n);
	wanted->name[n] = '\0';
	wanted->crc = upcs_elf_32(elf, link + (n + 4) / 4 * 4);
	return true;
}

/* ---- checking a candidate ------------------------------------------------------------------- */

/* True if the file has this CRC-32, computed as for Ethernet and zip files. */
static bool has_crc(const struct upcs_elf *elf, uint32_t wanted)
{
	uint32_t table[256], crc = ~0u, i, k;
	char piece[16384];
	uint64_t at;
	size_t n;

	for (i = 0; i < 256; i++) {
		table[i] = i;
		for (k = 0; k < 8; k++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (at = 0; at < elf->size; at += n) {
		n = elf->size - at < sizeof(piece) ? (size_t)(elf->size - at) : sizeof(piece);
		if (!upcs_elf_read(elf, at, piece, n))
			return false;
		for (i = 0; i < n; i++)
			crc = table[(crc ^ (unsigned char)piece[i]) & 255] ^ crc >> 8;
	}
	return ~crc == wanted;
}

static bool try_file(const struct wanted *wanted, const char *path, struct upcs_elf *debug)
{
	unsigned char id[ID_MAX];
	size_t n;
	bool is = false;

	if (upcs_elf_open(debug, path) != 0)
		return false;
	if (debug->machine == wanted->elf->machine && debug->wide == wanted->elf->wide &&
	    debug->big == wanted->elf->big) {
		n = read_build_id(debug, id);
		if (n && wanted->id_bytes)
			is = n == wanted->id_bytes && memcmp(id, wanted->id, n) == 0;
		else
			is = wanted->linked && has_crc(debug, wanted->crc);
	}
	if (!is)
		upcs_elf_close(debug);
	return is;
}

/* ---- places of debug files ------------------------------------------------------------------ */

/* Try /usr/lib/debug/.build-id/12/3456.debug below the first length characters of directory. */
static bool try_id(const struct wanted *wanted, const char *directory, size_t length, struct upcs_elf *debug)
{
	char path[PATH_MAX], digits[2 * ID_MAX + 1];
	size_t i;
	int n;

	if (!wanted->id_bytes)
		return false;
	for (i = 0; i < wanted->id_bytes; i++)
		sprintf(digits + 2 * i, "%02x", wanted->id[i]);
	n = snprintf(path, sizeof(path), "%.*s/usr/lib/debug/.build-id/%.2s/%s.debug", (int)length, directory,
		     digits, digits + 2);
	return n > 0 && n < (int)sizeof(path) && try_file(wanted, path, debug);
}

static bool try_link(const struct wanted *wanted, const char *directory, size_t length,
		     struct upcs_elf *debug)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s/usr/lib/debug%s/%s", (int)length, directory,
			 directory + length, wanted->name);

	return wanted->linked && n > 0 && n < (int)sizeof(path) && try_file(wanted, path, debug);
}

static bool try_beside(const struct wanted *wanted, const char *directory, const char *below,
		       struct upcs_elf *debug)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s/%s", directory, below, wanted->name);

	return wanted->linked && n > 0 && n < (int)sizeof(path) && try_file(wanted, path, debug);
}

bool upcs_debug_file_open(struct upcs_elf *debug, const struct upcs_elf *elf, const char *path)
{
	struct wanted wanted = {.elf = elf};
	char directory[PATH_MAX], *slash;
	size_t n;

	wanted.id_bytes = read_build_id(elf, wanted.id);
	wanted.linked = read_link(elf, &wanted);
	if ((!wanted.id_bytes && !wanted.linked) || !realpath(path, directory))
		return false;
	slash = strrchr(directory, '/');
	*slash = '\0';
	/* First below the root, then below each directory of the path. */
	for (n = 0;; n += 1 + strcspn(directory + n + 1, "/")) {
		if (try_id(&wanted, directory, n, debug))
			return true;
		if (!directory[n])
			break;
	}
	if (try_beside(&wanted, directory, "", debug) || try_beside(&wanted, directory, "/.debug", debug))
		return true;
	for (n = 0; directory[n]; n += 1 + strcspn(directory + n + 1, "/"))
		if (try_link(&wanted, directory, n, debug))
			return true;
	return false;
}
