/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.c - determines how Linux would execute a file.
 *
 * Terms: load/symbols.h.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "load/elf_file.h"
#include "load/symbols.h"

/* Number of bytes that Linux reads to determine a file's kind. */
#define HEAD 256

/*
 * Parse "#!", blanks, the interpreter, and the rest of the line without surrounding blanks as one argument. A
 * line longer than the head is cut there, but the interpreter must not be cut. A carriage return is part of
 * the name, as it is for Linux.
 */
static bool parse_script(char head[HEAD + 1], struct upcs_program_info *info)
{
	char *line = head + 2, *end = strchr(line, '\n'), *word;
	bool cut = !end && strlen(head) == HEAD;

	if (!end)
		end = line + strlen(line);
	while (end > line && (end[-1] == ' ' || end[-1] == '\t')) {
		end--;
		cut = false;
	}
	*end = '\0';
	line += strspn(line, " \t");
	word = line + strcspn(line, " \t");
	if (word == line || (cut && word == end))
		return false;
	if (*word)
		*word++ = '\0';
	word += strspn(word, " \t");
	snprintf(info->interpreter, sizeof(info->interpreter), "%s", line);
	snprintf(info->argument, sizeof(info->argument), "%s", word);
	return true;
}

static const char *foreign_name(const struct upcs_elf *elf)
{
	switch (elf->machine) {
	case EM_386:
		return "32-bit x86";
	case EM_X86_64:
		return elf->wide ? "x86-64 of the wrong byte order" : "x86-64 with 32-bit pointers (x32)";
	case EM_ARM:
		return "32-bit ARM";
	case EM_AARCH64:
		return elf->wide ? "big-endian AArch64" : "AArch64 with 32-bit pointers";
	case EM_PPC:
		return elf->wide ? "PowerPC of the wrong word size" : "little-endian 32-bit PowerPC";
	case EM_PPC64:
		return elf->big ? "64-bit PowerPC" : "64-bit PowerPC, little-endian";
	case EM_RISCV:
		return elf->wide ? "big-endian RISC-V" : "32-bit RISC-V";
	case EM_S390:
		return elf->wide ? "64-bit IBM Z" : "31-bit IBM S/390";
	case EM_MIPS:
		return elf->wide ? "64-bit MIPS" : "MIPS";
	case EM_SPARC:
	case EM_SPARC32PLUS:
		return "32-bit SPARC";
	case EM_SPARCV9:
		return "64-bit SPARC";
	case EM_ALPHA:
		return "Alpha";
	case EM_PARISC:
		return "PA-RISC";
	case EM_IA_64:
		return "Itanium";
	case EM_68K:
		return "Motorola 68000";
	case EM_SH:
		return "SuperH";
	case 258:
		return "LoongArch";
	case EM_BPF:
		return "BPF";
	default:
		return NULL;
	}
}

static int look_at_elf(const struct upcs_elf *elf, struct upcs_program_info *info)
{
	enum upcs_guest guest = upcs_elf_guest(elf);
	const struct upcs_elf_segment *segment;
	const char *name;
	uint32_t i;

	if (elf->type != ET_EXEC && elf->type != ET_DYN)
		return UPCS_PROGRAM_NONE; /* an object file, a core */
	if (guest == UPCS_GUESTS) {
		name = foreign_name(elf);
		if (name)
			snprintf(info->machine, sizeof(info->machine), "%s", name);
		else
			snprintf(info->machine, sizeof(info->machine), "ELF machine %u", elf->machine);
		return UPCS_PROGRAM_FOREIGN;
	}
	info->guest = guest;
	for (i = 0; i < elf->segments; i++) {
		segment = &elf->segment[i];
		if (segment->type != PT_INTERP || info->dynamic)
			continue;
		if (segment->bytes > sizeof(info->interpreter))
			return -ENAMETOOLONG;
		if (segment->bytes < 2 ||
		    !upcs_elf_read(elf, segment->offset, info->interpreter, (size_t)segment->bytes) ||
		    info->interpreter[segment->bytes - 1]) {
			info->interpreter[0] = '\0';
			return UPCS_PROGRAM_NONE;
		}
		info->dynamic = true;
	}
	return elf->segments ? UPCS_PROGRAM_ELF : UPCS_PROGRAM_NONE;
}

static int look_at_script(const char *path, struct upcs_program_info *info)
{
	char head[HEAD + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = pread(fd, head, HEAD, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	head[n] = '\0';
	return n >= 2 && head[0] == '#' && head[1] == '!' && parse_script(head, info) ? UPCS_PROGRAM_SCRIPT
										      : UPCS_PROGRAM_NONE;
}

int upcs_program_look(const char *path, struct upcs_program_info *info)
{
	struct upcs_elf elf;
	int result;

	memset(info, 0, sizeof(*info));
	info->guest = UPCS_GUESTS;
	result = upcs_elf_open(&elf, path);
	if (result == -ENOEXEC)
		return look_at_script(path, info);
	if (result)
		return result;
	result = look_at_elf(&elf, info);
	upcs_elf_close(&elf);
	return result;
}
