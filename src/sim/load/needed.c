/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * needed.c - finds functions by name in a program and its shared libraries.
 *
 * Terms: load/symbols.h.
 */
#include "load/needed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalogue/nearest.h"
#include "load/objects.h"
#include "load/symbols.h"

struct search {
	const char *text;
	struct upcs_name name;
	struct upcs_needed *needed;
	unsigned distance[UPCS_NEAREST];
};

/* Insert a name at distance d into the list of nearest names. Names are copied, because their object's
 * symbols are freed before the next object is read. */
static void offer_nearest_name(struct search *search, const char *name, unsigned d)
{
	char(*nearest)[UPCS_NEAREST_NAME] = search->needed->nearest;
	unsigned i, k;

	if (d >= UPCI_BEGINNING || strlen(name) >= UPCS_NEAREST_NAME)
		return;
	for (i = 0; i < UPCS_NEAREST && nearest[i][0] && search->distance[i] <= d; i++)
		if (strcmp(nearest[i], name) == 0)
			return;
	if (i == UPCS_NEAREST)
		return;
	/* The name may be in the list with a larger distance. */
	for (k = i; k < UPCS_NEAREST - 1 && nearest[k][0] && strcmp(nearest[k], name) != 0; k++)
		;
	for (; k > i; k--) {
		memcpy(nearest[k], nearest[k - 1], UPCS_NEAREST_NAME);
		search->distance[k] = search->distance[k - 1];
	}
	strcpy(nearest[i], name);
	search->distance[i] = d;
}

/* Offer a symbol as a suggestion. A C++ name with arguments may differ in its arguments only. */
static void offer_symbol(struct search *search, const char *symbol)
{
	char name[UPCS_DEMANGLED_MAX], all[UPCS_DEMANGLED_MAX];
	size_t n = strcspn(search->text, "(");
	unsigned d;

	if (search->name.mangled || !upcs_is_mangled(symbol)) {
		offer_nearest_name(search, symbol, upci_name_distance(search->text, symbol));
		return;
	}
	upcs_name_show(name, symbol, false);
	if (!search->name.arguments) {
		offer_nearest_name(search, name, upci_name_distance(search->text, name));
		return;
	}
	upcs_name_show(all, symbol, true);
	d = upci_name_distance(search->text, all);
	if (d > 1 && strlen(name) == n && strncmp(name, search->text, n) == 0)
		d = 1;
	offer_nearest_name(search, all, d);
}

static void note_fit(struct upcs_needed *needed, const char *symbol, const char *path)
{
	char name[UPCS_DEMANGLED_MAX];
	unsigned i;

	if (needed->functions++ == 0)
		snprintf(needed->file, sizeof(needed->file), "%s", path);
	upcs_name_show(name, symbol, true);
	if (strlen(name) >= UPCS_NEAREST_NAME)
		return;
	for (i = 0; i < UPCS_NEAREST; i++) {
		if (strcmp(needed->fits[i], name) == 0)
			return;
		if (!needed->fits[i][0]) {
			strcpy(needed->fits[i], name);
			return;
		}
	}
}

static int look_into(struct search *search, const char *path, bool is_program)
{
	struct upcs_symbols *symbols = upcs_symbols_open(path);
	struct upcs_needed *needed = search->needed;
	struct upcs_function function;
	unsigned next = 0, i;

	if (!symbols)
		return is_program || errno == ENOMEM ? -errno : 0;
	if (is_program)
		needed->full = upcs_symbols_are_full(symbols);
	else if (!upcs_symbols_are_full(symbols) && needed->stripped++ == 0)
		snprintf(needed->stripped_name, sizeof(needed->stripped_name), "%s",
			 path + (strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0));
	while (upcs_symbols_find(symbols, &search->name, &next, &function))
		note_fit(needed, function.symbol, path);
	for (i = 0; !needed->functions && upcs_symbols_name(symbols, i); i++)
		offer_symbol(search, upcs_symbols_name(symbols, i));
	upcs_symbols_close(symbols);
	return 0;
}

static int look_into_all(struct search *search, struct upcs_objects *objects,
			 const struct upcs_program_info *info)
{
	char path[PATH_MAX];
	unsigned i;
	int error;

	for (i = 0; i < objects->n; i++) {
		error = look_into(search, objects->path[i], i == 0);
		if (!error && i == 0 && info->dynamic && upcs_objects_find(objects, path, info->interpreter))
			error = upcs_objects_add(objects, path);
		if (!error)
			error = upcs_objects_follow(objects, i);
		if (error)
			return error;
	}
	return 0;
}

int upcs_symbols_needed(const char *program, const char *prefix, const char *search_path, const char *name,
			struct upcs_needed *needed)
{
	struct upcs_objects objects = {.prefix = prefix, .search_path = search_path};
	struct search search = {.text = name, .needed = needed};
	struct upcs_program_info info;
	int result = upcs_program_look(program, &info);

	memset(needed, 0, sizeof(*needed));
	if (result != UPCS_PROGRAM_ELF)
		return result < 0 ? result : -ENOEXEC;
	if (!upcs_name_parse(&search.name, name))
		return -EINVAL;
	objects.guest = info.guest;
	result = upcs_objects_add(&objects, program);
	if (!result)
		result = look_into_all(&search, &objects, &info);
	if (!result && !needed->functions)
		result = -ENOENT;
	strcpy(needed->missing, objects.missing);
	upcs_objects_free(&objects);
	return result;
}
