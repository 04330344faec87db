/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_program.c - finds PAPI and libupc in the symbol table of /proc/self/exe.
 *
 * Terms: ticker/inside.h.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ticker/inside_program.h"

/* Prefixes of the names of PAPI's functions and of its components' functions ("upcp_": the component
 * upc), and of libupc's functions. */
static const char *const papi_names[] = {"PAPI_", "_papi_", "_pe_", "_peu_", "upcp_", NULL};
static const char *const upc_names[] = {"upc_", "upci_", NULL};
/* Functions of libupc's source files that libmpx is also built from. Libmpx's copies belong to neither
 * PAPI nor libupc, so these names are left out. */
static const char *const own_names[] = {"upci_name_", "upci_nearest_", "upci_sized_", "upci_words", NULL};

struct file {
	const unsigned char *bytes;
	size_t size;
};

/* Return the address of n elements of the given size at an offset, or NULL if they exceed the file or
 * are misaligned. */
static const void *part_of_file(const struct file *file, uint64_t offset, uint64_t n, size_t size)
{
	if (offset > file->size || n > (file->size - offset) / size || offset % 8)
		return NULL;
	return file->bytes + offset;
}

static bool begins_with(const char *name, const char *const *prefix)
{
	for (; *prefix; prefix++)
		if (!strncmp(name, *prefix, strlen(*prefix)))
			return true;
	return false;
}

static void widen_code(struct mpxi_code *code, uintptr_t begin, uintptr_t size)
{
	if (!code->end || begin < code->begin)
		code->begin = begin;
	if (begin + size > code->end)
		code->end = begin + size;
}

/*
 * The program's own code: from _start to PAPI's first function, since a program's object files are linked
 * before the libraries, and main, which compilers place elsewhere. If the memory allocator, which PAPI
 * calls, lies in the former interval, that interval does not count as the program's own code.
 */
struct own {
	struct mpxi_code main;
	uintptr_t start, called[4];
};

static void note_own(struct own *own, const char *name, uintptr_t at, uintptr_t size)
{
	static const char *const allocator[] = {"malloc", "calloc", "realloc", "free"};
	unsigned i;

	if (!strcmp(name, "_start"))
		own->start = at;
	else if (!strcmp(name, "main"))
		widen_code(&own->main, at, size);
	for (i = 0; i < 4; i++)
		if (!strcmp(name, allocator[i]))
			own->called[i] = at;
}

static void find_own(const struct own *own, const struct mpxi_code code[4], struct mpxi_code found[2])
{
	struct mpxi_code objects = {own->start, code[0].begin};
	unsigned i;

	if (code[1].end && code[1].begin < objects.end)
		objects.end = code[1].begin;
	for (i = 0; i < 4; i++)
		if (own->called[i] >= objects.begin && own->called[i] < objects.end)
			return;
	if (objects.begin && objects.begin < objects.end)
		found[0] = objects;
	found[1] = own->main;
}

static void program_look(const struct file *file, uintptr_t bias, struct mpxi_code code[4], struct own *own)
{
	const ElfW(Ehdr) *head = part_of_file(file, 0, 1, sizeof(*head));
	const ElfW(Shdr) *section = NULL;
	const ElfW(Sym) * symbol;
	const char *names;
	uint64_t i, k, n;

	if (head && !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == ELFCLASS64 &&
	    head->e_shentsize == sizeof(*section))
		section = part_of_file(file, head->e_shoff, head->e_shnum, sizeof(*section));
	for (i = 0; section && i < head->e_shnum; i++) {
		const ElfW(Shdr) *table = &section[i], *strings;

		if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
			continue;
		strings = &section[table->sh_link];
		n = table->sh_size / sizeof(*symbol);
		symbol = part_of_file(file, table->sh_offset, n, sizeof(*symbol));
		if (strings->sh_offset > file->size || strings->sh_size > file->size - strings->sh_offset ||
		    !strings->sh_size)
			continue;
		names = (const char *)file->bytes + strings->sh_offset;
		/* Reject a table whose last name is not terminated. */
		if (!symbol || names[strings->sh_size - 1])
			continue;
		for (k = 0; k < n; k++) {
			const char *name = names + symbol[k].st_name;
			unsigned cold;

			if (ELF64_ST_TYPE(symbol[k].st_info) != STT_FUNC || !symbol[k].st_value ||
			    symbol[k].st_name >= strings->sh_size || begins_with(name, own_names))
				continue;
			note_own(own, name, bias + symbol[k].st_value, symbol[k].st_size);
			/* Compilers place the cold parts of functions elsewhere, before the rest of the
			 * program. */
			cold = strstr(name, ".cold") ? 2 : 0;
			if (begins_with(name, papi_names))
				widen_code(&code[cold], bias + symbol[k].st_value, symbol[k].st_size);
			else if (begins_with(name, upc_names))
				widen_code(&code[1 + cold], bias + symbol[k].st_value, symbol[k].st_size);
		}
	}
}

unsigned mpxi_inside_program(uintptr_t bias, struct mpxi_code code[4], struct mpxi_code own[2])
{
	struct own found = {0};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct file file = {0};
	struct stat status;
	unsigned i, n;
	void *bytes;

	memset(code, 0, 4 * sizeof(code[0]));
	memset(own, 0, 2 * sizeof(own[0]));
	if (fd < 0)
		return 0;
	if (!fstat(fd, &status) && status.st_size > 0) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			file.bytes = bytes;
			file.size = (size_t)status.st_size;
			program_look(&file, bias, code, &found);
			munmap(bytes, file.size);
		}
	}
	close(fd);
	if (code[0].end)
		find_own(&found, code, own);
	for (i = n = 0; i < 4; i++)
		if (code[i].end)
			code[n++] = code[i];
	return n;
}
