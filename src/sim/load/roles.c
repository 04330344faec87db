/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roles.c - finds the functions of a file that unwind, switch stacks, belong to OpenMP or mark regions.
 *
 * The whole file of a shared OpenMP runtime counts as code of the runtime. A statically linked runtime
 * consists of the functions that have its names, each up to the next function of the file. Our libraries
 * that mark regions define a function upc_region_marks.
 *
 * Terms: load/symbols.h.
 */
#include "load/roles.h"

#include <stdlib.h>
#include <string.h>

#include "count/region.h"

struct range {
	uint64_t begin, end;
};

struct place {
	uint64_t offset;
	uint8_t role;
};

struct upcs_roles {
	bool is_runtime; /* the whole file */
	bool is_marks;
	unsigned places, ranges;
	struct place *place;
	struct range *range; /* sorted */
};

static const struct {
	const char *name;
	uint8_t role;
} known[] = {
	{"_Unwind_RaiseException", UPCS_REGION_UNWINDS},
	{"_Unwind_Resume", UPCS_REGION_UNWINDS},
	{"_Unwind_Resume_or_Rethrow", UPCS_REGION_UNWINDS},
	{"_Unwind_ForcedUnwind", UPCS_REGION_UNWINDS},
	{"__libunwind_Registers_x86_64_jumpto", UPCS_REGION_UNWINDS},
	{"swapcontext", UPCS_REGION_SWITCHES},
	{"setcontext", UPCS_REGION_SWITCHES},
	{"jump_fcontext", UPCS_REGION_SWITCHES},
	{"ontop_fcontext", UPCS_REGION_SWITCHES},
};

/* True for name and name@VERSION. */
static bool is_symbol_named(const char *have, const char *name)
{
	size_t n = strlen(name);

	return strncmp(have, name, n) == 0 && (!have[n] || have[n] == '@');
}

static bool begins_with_prefix(const char *name, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
			return true;
	return false;
}

static bool is_runtime_library(const char *path)
{
	static const char *const names[] = {"libgomp.", "libomp.", "libomp-", "libiomp5.", NULL};
	const char *slash = strrchr(path, '/');

	return begins_with_prefix(slash ? slash + 1 : path, names);
}

/* True for functions of libgomp and libomp, but not for functions that a compiler has made from the bodies of
 * the program's parallel regions. */
static bool is_of_runtime(const char *name)
{
	static const char *const prefixes[] = {"GOMP_", "gomp_", "omp_",      "priority_",
					       "__kmp", "kmp_",  "_ZN6__kmp", NULL};

	return begins_with_prefix(name, prefixes) && !strstr(name, "._omp_fn.");
}

static const char marks[] = "upc_region_marks";

static void add_place(struct upcs_roles *roles, uint64_t offset, uint8_t role)
{
	struct place *larger = realloc(roles->place, (roles->places + 1) * sizeof(*larger));

	if (!larger)
		return;
	roles->place = larger;
	larger[roles->places++] = (struct place){offset, role};
}

/* Add a range, or extend the last range if it ends at begin. */
static void add_role_range(struct upcs_roles *roles, uint64_t begin, uint64_t end)
{
	struct range *larger;

	if (roles->ranges && roles->range[roles->ranges - 1].end == begin) {
		roles->range[roles->ranges - 1].end = end;
		return;
	}
	larger = realloc(roles->range, (roles->ranges + 1) * sizeof(*larger));
	if (!larger)
		return;
	roles->range = larger;
	larger[roles->ranges++] = (struct range){begin, end};
}

static void look_for_roles(struct upcs_roles *roles, const char *name, uint64_t offset, bool *forks)
{
	size_t k;

	for (k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		if (is_symbol_named(name, known[k].name))
			add_place(roles, offset, known[k].role);
	*forks |= is_symbol_named(name, "GOMP_parallel") || is_symbol_named(name, "__kmpc_fork_call");
	roles->is_marks |= is_symbol_named(name, marks);
}

/* Collect the ranges of the runtime's functions. Symbols are sorted by offset, and any of the symbols at one
 * offset may have the name. */
static void find_ranges(struct upcs_roles *roles, const struct upcs_symbols *symbols)
{
	const char *name;
	uint64_t begin = 0, offset;
	bool runtime = false;
	unsigned i;

	for (i = 0; (name = upcs_symbols_name(symbols, i)); i++) {
		offset = upcs_symbols_offset(symbols, i);
		if (offset != begin) {
			if (runtime)
				add_role_range(roles, begin, offset);
			runtime = false;
		}
		begin = offset;
		runtime |= is_of_runtime(name);
	}
}

struct upcs_roles *upcs_roles_create(const struct upcs_symbols *symbols, const char *path)
{
	struct upcs_roles *roles = calloc(1, sizeof(*roles));
	bool forks = false;
	const char *name;
	unsigned i;

	if (!roles)
		return NULL;
	for (i = 0; (name = upcs_symbols_name(symbols, i)); i++)
		look_for_roles(roles, name, upcs_symbols_offset(symbols, i), &forks);
	roles->is_runtime = forks && is_runtime_library(path);
	if (forks && !roles->is_runtime)
		find_ranges(roles, symbols);
	if (!roles->places && !roles->ranges && !roles->is_runtime && !roles->is_marks) {
		upcs_roles_destroy(roles);
		return NULL;
	}
	return roles;
}

void upcs_roles_destroy(struct upcs_roles *roles)
{
	if (!roles)
		return;
	free(roles->place);
	free(roles->range);
	free(roles);
}

bool upcs_roles_is_marks(const struct upcs_roles *roles)
{
	return roles->is_marks;
}

uint8_t upcs_roles_at(const struct upcs_roles *roles, uint64_t offset)
{
	unsigned i;

	for (i = 0; i < roles->places; i++)
		if (roles->place[i].offset == offset)
			return roles->place[i].role;
	return 0;
}

bool upcs_roles_is_runtime(const struct upcs_roles *roles, uint64_t offset)
{
	unsigned low = 0, high = roles->ranges, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (offset >= roles->range[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	return roles->is_runtime || (low < roles->ranges && offset >= roles->range[low].begin);
}
