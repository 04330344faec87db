/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed.c - a program's shared libraries, found as its dynamic linker would, and the
 * functions in them.
 */
#include "needed.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_file.h"
#include "nearest.h"
#include "symbols.h"

#define OBJECTS_MAX 256u
#define DYNAMICS_MAX 65536u /* bytes of PT_DYNAMIC that are looked at */

struct search {
	enum upcs_guest guest;
	const char *prefix, *search_path, *name;
	char *object[OBJECTS_MAX]; /* paths; those behind `looked` are still to be looked at */
	unsigned objects;
	struct upcs_needed *needed;
	unsigned distance[UPCS_NEAREST];
};

static const char *const triplet[UPCS_GUESTS] = {
	"x86_64-linux-gnu",
	"aarch64-linux-gnu",
	"powerpc-linux-gnu",
};

/* ---- objects ------------------------------------------------------------------------- */

/* 0 or -errno; twice the same is once. */
static int add_object(struct search *search, const char *path)
{
	unsigned i;

	for (i = 0; i < search->objects; i++)
		if (strcmp(search->object[i], path) == 0)
			return 0;
	if (search->objects == OBJECTS_MAX)
		return 0;
	search->object[search->objects] = strdup(path);
	if (!search->object[search->objects])
		return -ENOMEM;
	search->objects++;
	return 0;
}

/* A file that the guest can load: others of its name are passed over. */
static bool is_object(const struct search *search, const char *path)
{
	struct upcs_elf elf;
	bool fits;

	if (upcs_elf_open(&elf, path) != 0)
		return false;
	fits = upcs_elf_guest(&elf) == search->guest;
	upcs_elf_close(&elf);
	return fits;
}

/* A guest's absolute path is below the prefix where something is there. */
static bool try_path(const struct search *search, char path[PATH_MAX], const char *text)
{
	int n = -1;

	if (search->prefix && *search->prefix && text[0] == '/') {
		n = snprintf(path, PATH_MAX, "%s%s", search->prefix, text);
		if (n > 0 && n < PATH_MAX && is_object(search, path))
			return true;
	}
	n = snprintf(path, PATH_MAX, "%s", text);
	return n > 0 && n < PATH_MAX && is_object(search, path);
}

/* ---- where libraries are -------------------------------------------------------------- */

/* Copies one directory of a list with $ORIGIN and $LIB in it replaced. False: too long. */
static bool expand(char to[PATH_MAX], const char *from, size_t n, const char *origin,
		   enum upcs_guest guest)
{
	const struct {
		const char *name, *value;
	} word[] = {
		{ "$ORIGIN", origin },
		{ "${ORIGIN}", origin },
		{ "$LIB", guest == UPCS_X86_64 ? "lib/x86_64-linux-gnu" : "lib" },
		{ "${LIB}", guest == UPCS_X86_64 ? "lib/x86_64-linux-gnu" : "lib" },
	};
	size_t length = 0, i;

	while (n > 0) {
		const char *add = from;
		size_t take = 1, put = 1;

		for (i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
			size_t w = strlen(word[i].name);

			if (w <= n && strncmp(from, word[i].name, w) == 0) {
				add = word[i].value;
				take = w;
				put = strlen(add);
			}
		}
		if (put >= PATH_MAX - length)
			return false;
		memcpy(to + length, add, put);
		length += put;
		from += take;
		n -= take;
	}
	to[length] = '\0';
	return true;
}

static bool try_directory(const struct search *search, char path[PATH_MAX], const char *directory,
			  const char *library)
{
	char text[PATH_MAX];
	int n = snprintf(text, sizeof(text), "%s/%s", *directory ? directory : ".", library);

	return n > 0 && n < PATH_MAX && try_path(search, path, text);
}

/* Directories with colons between them (and semicolons, in LD_LIBRARY_PATH). */
static bool try_list(const struct search *search, char path[PATH_MAX], const char *list,
		     const char *origin, const char *library)
{
	char directory[PATH_MAX];

	if (!list || !*list)
		return false;
	for (;;) {
		size_t n = strcspn(list, ":;");

		if (expand(directory, list, n, origin, search->guest) &&
		    try_directory(search, path, directory, library))
			return true;
		if (!list[n])
			return false;
		list += n + 1;
	}
}

static bool try_usual(const struct search *search, char path[PATH_MAX], const char *library)
{
	static const char *const usual[] = { "/lib/%s", "/usr/lib/%s", "/usr/local/lib/%s", "/usr/%s/lib",
					     "/lib64", "/usr/lib64", "/lib", "/usr/lib",
					     "/usr/local/lib" };
	char directory[128];
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		const char *gap = strstr(usual[i], "%s");

		if (gap)
			snprintf(directory, sizeof(directory), "%.*s%s%s", (int)(gap - usual[i]),
				 usual[i], triplet[search->guest], gap + 2);
		else
			snprintf(directory, sizeof(directory), "%s", usual[i]);
		if (try_directory(search, path, directory, library))
			return true;
	}
	return false;
}

/* ---- what an object needs --------------------------------------------------------------- */

struct dynamic {
	char *entries, *strings;
	uint64_t bytes, strings_bytes;
	const char *rpath, *runpath;
};

static bool dynamic_at(const struct upcs_elf *elf, const struct dynamic *dynamic, uint64_t i,
		       uint64_t *tag, uint64_t *value)
{
	size_t word = elf->wide ? 8 : 4;

	if ((i + 1) * 2 * word > dynamic->bytes)
		return false;
	*tag = upcs_elf_word(elf, dynamic->entries + i * 2 * word);
	*value = upcs_elf_word(elf, dynamic->entries + i * 2 * word + word);
	return *tag != DT_NULL;
}

static const char *string_at(const struct dynamic *dynamic, uint64_t i)
{
	return i < dynamic->strings_bytes ? dynamic->strings + i : "";
}

static bool read_dynamic(const struct upcs_elf *elf, struct dynamic *dynamic)
{
	uint64_t i, tag, value, at = 0, offset;
	uint32_t flags;

	for (i = 0; i < elf->segments && elf->segment[i].type != PT_DYNAMIC; i++)
		;
	if (i == elf->segments)
		return false;
	dynamic->bytes = elf->segment[i].bytes < DYNAMICS_MAX ? elf->segment[i].bytes : DYNAMICS_MAX;
	dynamic->entries = upcs_elf_copy(elf, elf->segment[i].offset, dynamic->bytes);
	if (!dynamic->entries)
		return false;
	for (i = 0; dynamic_at(elf, dynamic, i, &tag, &value); i++) {
		if (tag == DT_STRTAB)
			at = value;
		else if (tag == DT_STRSZ)
			dynamic->strings_bytes = value;
	}
	if (!upcs_elf_offset(elf, at, &offset, &flags))
		return false;
	dynamic->strings = upcs_elf_copy(elf, offset, dynamic->strings_bytes);
	if (!dynamic->strings)
		return false;
	for (i = 0; dynamic_at(elf, dynamic, i, &tag, &value); i++) {
		if (tag == DT_RPATH)
			dynamic->rpath = string_at(dynamic, value);
		else if (tag == DT_RUNPATH)
			dynamic->runpath = string_at(dynamic, value);
	}
	return true;
}

static int add_library(struct search *search, const struct dynamic *dynamic, const char *origin,
		       const char *library)
{
	char path[PATH_MAX];
	bool found;

	if (strchr(library, '/'))
		found = try_path(search, path, library);
	else
		found = (!dynamic->runpath && try_list(search, path, dynamic->rpath, origin, library)) ||
			try_list(search, path, search->search_path, origin, library) ||
			try_list(search, path, dynamic->runpath, origin, library) ||
			try_usual(search, path, library);
	if (found)
		return add_object(search, path);
	if (!search->needed->missing[0])
		snprintf(search->needed->missing, sizeof(search->needed->missing), "%s", library);
	return 0;
}

static int add_needed(struct search *search, const char *object)
{
	struct dynamic dynamic = { NULL, NULL, 0, 0, NULL, NULL };
	char origin[PATH_MAX], real[PATH_MAX], *slash;
	uint64_t i, tag, value;
	struct upcs_elf elf;
	int error = upcs_elf_open(&elf, object);

	if (error)
		return error == -ENOMEM ? error : 0;
	snprintf(origin, sizeof(origin), "%s", realpath(object, real) ? real : object);
	slash = strrchr(origin, '/');
	if (slash)
		slash[slash == origin] = '\0';
	else
		strcpy(origin, ".");
	if (read_dynamic(&elf, &dynamic))
		for (i = 0; !error && dynamic_at(&elf, &dynamic, i, &tag, &value); i++)
			if (tag == DT_NEEDED && *string_at(&dynamic, value))
				error = add_library(search, &dynamic, origin, string_at(&dynamic, value));
	free(dynamic.entries);
	free(dynamic.strings);
	upcs_elf_close(&elf);
	return error;
}

/* ---- functions ---------------------------------------------------------------------------- */

/* Names are copied: those of the next object are not in the same memory. */
static void offer(struct search *search, const char *name)
{
	char (*nearest)[UPCS_NEAREST_NAME] = search->needed->nearest;
	unsigned d = upci_name_distance(search->name, name), i, k;

	if (d == UPCI_FAR || strlen(name) >= UPCS_NEAREST_NAME)
		return;
	for (i = 0; i < UPCS_NEAREST && nearest[i][0] && search->distance[i] <= d; i++)
		if (strcmp(nearest[i], name) == 0)
			return;
	if (i == UPCS_NEAREST)
		return;
	for (k = UPCS_NEAREST - 1; k > i; k--) {
		memcpy(nearest[k], nearest[k - 1], UPCS_NEAREST_NAME);
		search->distance[k] = search->distance[k - 1];
	}
	strcpy(nearest[i], name);
	search->distance[i] = d;
}

/* 0: it is here. -ENOENT: not, and its names are offered. */
static int look_into(struct search *search, const char *path, bool is_program)
{
	struct upcs_symbols *symbols = upcs_symbols_open(path);
	unsigned after = 0, i;
	uint64_t offset;
	int result = -ENOENT;

	if (!symbols)
		return is_program || errno == ENOMEM ? -errno : -ENOENT;
	if (is_program)
		search->needed->full = upcs_symbols_are_full(symbols);
	if (upcs_symbols_find(symbols, search->name, &after, &offset))
		result = 0;
	else if (!search->needed->chosen)
		search->needed->chosen = upcs_symbols_are_chosen(symbols, search->name);
	else
		path = NULL;
	if (path && (result == 0 || (search->needed->chosen && !search->needed->file[0])))
		snprintf(search->needed->file, sizeof(search->needed->file), "%s", path);
	for (i = 0; result && upcs_symbols_name(symbols, i); i++)
		offer(search, upcs_symbols_name(symbols, i));
	upcs_symbols_close(symbols);
	return result;
}

int upcs_symbols_needed(const char *program, const char *prefix, const char *search_path,
			const char *name, struct upcs_needed *needed)
{
	struct search search = {
		.prefix = prefix, .search_path = search_path, .name = name, .needed = needed
	};
	struct upcs_program_info info;
	char path[PATH_MAX];
	int result = upcs_program_look(program, &info);
	unsigned i;

	memset(needed, 0, sizeof(*needed));
	if (result != UPCS_PROGRAM_ELF)
		return result < 0 ? result : -ENOEXEC;
	search.guest = info.guest;
	result = add_object(&search, program);
	for (i = 0; i < search.objects; i++) {
		result = look_into(&search, search.object[i], i == 0);
		if (result != -ENOENT)
			break;
		if (i == 0 && info.dynamic && try_path(&search, path, info.interpreter) &&
		    add_object(&search, path) != 0) {
			result = -ENOMEM;
			break;
		}
		if (add_needed(&search, search.object[i]) != 0) {
			result = -ENOMEM;
			break;
		}
	}
	if (result == 0)
		needed->chosen = false;
	for (i = 0; i < search.objects; i++)
		free(search.object[i]);
	return result;
}
