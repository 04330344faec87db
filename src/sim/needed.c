/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed.c - the functions in a program and its shared libraries.
 */
#include "needed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nearest.h"
#include "objects.h"
#include "symbols.h"

struct search {
	const char *name;
	struct upcs_needed *needed;
	unsigned distance[UPCS_NEAREST];
};

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
	struct upcs_objects objects = { .prefix = prefix, .search_path = search_path };
	struct search search = { .name = name, .needed = needed };
	struct upcs_program_info info;
	char path[PATH_MAX];
	int result = upcs_program_look(program, &info);
	unsigned i;

	memset(needed, 0, sizeof(*needed));
	if (result != UPCS_PROGRAM_ELF)
		return result < 0 ? result : -ENOEXEC;
	objects.guest = info.guest;
	result = upcs_objects_add(&objects, program);
	for (i = 0; i < objects.n; i++) {
		result = look_into(&search, objects.path[i], i == 0);
		if (result != -ENOENT)
			break;
		if (i == 0 && info.dynamic && upcs_objects_find(&objects, path, info.interpreter) &&
		    upcs_objects_add(&objects, path) != 0) {
			result = -ENOMEM;
			break;
		}
		if (upcs_objects_follow(&objects, i) != 0) {
			result = -ENOMEM;
			break;
		}
	}
	if (result == 0)
		needed->chosen = false;
	strcpy(needed->missing, objects.missing);
	upcs_objects_free(&objects);
	return result;
}
