/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * objects.c - finds a program's shared libraries as its dynamic linker would.
 *
 * Terms: load/symbols.h.
 */
#include "load/objects.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/elf_file.h"

#define DYNAMICS_MAX 65536u /* bytes of PT_DYNAMIC that are read */

/* ---- objects ------------------------------------------------------------------------- */

int upcs_objects_add(struct upcs_objects *objects, const char *path)
{
	unsigned i;

	for (i = 0; i < objects->n; i++)
		if (strcmp(objects->path[i], path) == 0)
			return 0;
	if (objects->n == UPCS_OBJECTS_MAX)
		return 0;
	objects->path[objects->n] = strdup(path);
	if (!objects->path[objects->n])
		return -ENOMEM;
	objects->n++;
	return 0;
}

bool upcs_objects_find(const struct upcs_objects *objects, char path[PATH_MAX], const char *text)
{
	int n;

	/* A file of this name for another guest is skipped. */
	if (objects->prefix && *objects->prefix && text[0] == '/') {
		n = snprintf(path, PATH_MAX, "%s%s", objects->prefix, text);
		if (n > 0 && n < PATH_MAX && upcs_elf_is_of(path, objects->guest))
			return true;
	}
	n = snprintf(path, PATH_MAX, "%s", text);
	return n > 0 && n < PATH_MAX && upcs_elf_is_of(path, objects->guest);
}

/* ---- directories of libraries ------------------------------------------------------------ */

/* Copy one directory of a list, replacing $ORIGIN and $LIB. Return false if it is too long. */
static bool expand_list_directory(char to[PATH_MAX], const char *from, size_t n, const char *origin,
				  enum upcs_guest guest)
{
	char library[64] = "lib";
	const struct {
		const char *name, *value;
	} word[] = {
		{"$ORIGIN", origin},
		{"${ORIGIN}", origin},
		{"$LIB", library},
		{"${LIB}", library},
	};
	size_t length = 0, i;

	/* Native libraries are in a directory named after the triplet. A cross compiler's libraries are in
	 * "lib" below a directory for the target. */
	if (upcs_guest_is_native(guest))
		snprintf(library, sizeof(library), "lib/%s", upcs_guests[guest].triplet);
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

static bool try_directory(const struct upcs_objects *objects, char path[PATH_MAX], const char *directory,
			  const char *library)
{
	char text[PATH_MAX];
	int n = snprintf(text, sizeof(text), "%s/%s", *directory ? directory : ".", library);

	return n > 0 && n < PATH_MAX && upcs_objects_find(objects, path, text);
}

/* Try a list of directories separated by colons, or by semicolons in LD_LIBRARY_PATH. */
static bool try_directory_list(const struct upcs_objects *objects, char path[PATH_MAX], const char *list,
			       const char *origin, const char *library)
{
	char directory[PATH_MAX];

	if (!list || !*list)
		return false;
	for (;;) {
		size_t n = strcspn(list, ":;");

		if (expand_list_directory(directory, list, n, origin, objects->guest) &&
		    try_directory(objects, path, directory, library))
			return true;
		if (!list[n])
			return false;
		list += n + 1;
	}
}

static bool try_usual(const struct upcs_objects *objects, char path[PATH_MAX], const char *library)
{
	static const char *const usual[] = {"/lib/%s",     "/usr/lib/%s", "/usr/local/lib/%s",
					    "/usr/%s/lib", "/lib64",      "/usr/lib64",
					    "/lib",        "/usr/lib",    "/usr/local/lib"};
	char directory[128];
	size_t i;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		const char *gap = strstr(usual[i], "%s");

		if (gap)
			snprintf(directory, sizeof(directory), "%.*s%s%s", (int)(gap - usual[i]), usual[i],
				 upcs_guests[objects->guest].triplet, gap + 2);
		else
			snprintf(directory, sizeof(directory), "%s", usual[i]);
		if (try_directory(objects, path, directory, library))
			return true;
	}
	return false;
}

/* ---- libraries that an object needs --------------------------------------------------------- */

struct dynamic {
	char *entries, *strings;
	uint64_t bytes, strings_bytes;
	const char *rpath, *runpath;
};

static bool dynamic_at(const struct upcs_elf *elf, const struct dynamic *dynamic, uint64_t i, uint64_t *tag,
		       uint64_t *value)
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

static int add_library(struct upcs_objects *objects, const struct dynamic *dynamic, const char *origin,
		       const char *library)
{
	char path[PATH_MAX];
	bool found;

	if (objects->stem && !objects->named[0] && strlen(library) < sizeof(objects->named) &&
	    strncmp(library, objects->stem, strlen(objects->stem)) == 0)
		strcpy(objects->named, library);
	if (strchr(library, '/'))
		found = upcs_objects_find(objects, path, library);
	else
		found = (!dynamic->runpath &&
			 try_directory_list(objects, path, dynamic->rpath, origin, library)) ||
			try_directory_list(objects, path, objects->search_path, origin, library) ||
			try_directory_list(objects, path, dynamic->runpath, origin, library) ||
			try_usual(objects, path, library);
	if (found)
		return upcs_objects_add(objects, path);
	if (!objects->missing[0])
		snprintf(objects->missing, sizeof(objects->missing), "%s", library);
	return 0;
}

int upcs_objects_follow(struct upcs_objects *objects, unsigned of)
{
	const char *object = objects->path[of];
	struct dynamic dynamic = {NULL, NULL, 0, 0, NULL, NULL};
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
				error = add_library(objects, &dynamic, origin, string_at(&dynamic, value));
	free(dynamic.entries);
	free(dynamic.strings);
	upcs_elf_close(&elf);
	return error;
}

void upcs_objects_free(struct upcs_objects *objects)
{
	while (objects->n > 0)
		free(objects->path[--objects->n]);
}
