/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extents.c - computes the extent of each function of an ELF file.
 *
 * Terms: load/symbols.h.
 */
#include "load/extents.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "load/elf_file.h"
#include "load/symbols.h"

/* Depth of functions within functions. A function that is nested more deeply ends all functions around it. */
#define DEPTH 8u

struct section {
	uint64_t begin, end;
};

struct upcs_extents {
	struct upcs_symbols *symbols; /* owns the names */
	struct upcs_extent *extent;   /* in order, without gaps */
	size_t n, room;
	bool full; /* memory was short: the list is incomplete */
};

/* A function that has begun and not ended. */
struct open {
	const char *symbol;
	uint64_t end;
};

struct sweep {
	struct upcs_extents *to;
	struct section *section;
	size_t sections;
	struct open open[DEPTH];
	unsigned depth;
	uint64_t at; /* end of the extents made so far */
};

/* ---- extents --------------------------------------------------------------------------- */

/* Add an extent from sweep->at to end for this function. */
static void put_sweep_extent(struct sweep *sweep, uint64_t end, const char *symbol)
{
	struct upcs_extents *to = sweep->to;

	if (end <= sweep->at || to->full)
		return;
	if (to->n == to->room) {
		size_t more = to->room ? 2 * to->room : 256;
		struct upcs_extent *larger = realloc(to->extent, more * sizeof(*larger));

		to->full = !larger;
		if (!larger)
			return;
		to->extent = larger;
		to->room = more;
	}
	to->extent[to->n++] = (struct upcs_extent){.begin = sweep->at, .end = end, .symbol = symbol};
	sweep->at = end;
}

/* End the functions that end before an offset. */
static void close_until(struct sweep *sweep, uint64_t offset)
{
	while (sweep->depth && sweep->open[sweep->depth - 1].end <= offset) {
		put_sweep_extent(sweep, sweep->open[sweep->depth - 1].end,
				 sweep->open[sweep->depth - 1].symbol);
		sweep->depth--;
	}
	put_sweep_extent(sweep, offset, sweep->depth ? sweep->open[sweep->depth - 1].symbol : "");
}

static void open_function(struct sweep *sweep, const struct upcs_function *function, uint64_t end)
{
	close_until(sweep, function->offset);
	if (sweep->depth == DEPTH)
		sweep->depth = 0;
	sweep->open[sweep->depth++] = (struct open){function->symbol, end};
}

/* ---- names ------------------------------------------------------------------------------- */

static bool is_better(const struct upcs_function *a, const struct upcs_function *b)
{
	size_t x = strspn(a->symbol, "_"), y = strspn(b->symbol, "_");

	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (x != y)
		return x < y;
	x = strlen(a->symbol);
	y = strlen(b->symbol);
	return x != y ? x < y : strcmp(a->symbol, b->symbol) < 0;
}

/* Read all names of the function with index i. Return the index of the next function, and in *best the
 * function with the best of its names and the largest of its sizes. */
static unsigned take_place_names(const struct upcs_symbols *symbols, unsigned i, struct upcs_function *best)
{
	struct upcs_function other;

	if (!upcs_symbols_get(symbols, i, best))
		return i;
	while (upcs_symbols_get(symbols, ++i, &other) && other.offset == best->offset) {
		if (other.size < best->size)
			other.size = best->size;
		if (is_better(&other, best))
			*best = other;
		else
			best->size = other.size;
	}
	return i;
}

/* Return the end of the section that contains an offset, or the offset itself if none does. */
static uint64_t section_end(const struct sweep *sweep, uint64_t offset)
{
	size_t i;

	for (i = 0; i < sweep->sections; i++)
		if (offset >= sweep->section[i].begin && offset < sweep->section[i].end)
			return sweep->section[i].end;
	return offset;
}

/* Add all functions. A function without a size ends where the next one begins. A name without a size that
 * lies inside another function is not a function. */
static void put_functions(struct sweep *sweep, const struct upcs_symbols *symbols)
{
	struct upcs_function now, next;
	unsigned i, after;

	for (i = 0; upcs_symbols_get(symbols, i, &now); i = after) {
		uint64_t end = section_end(sweep, now.offset);

		after = take_place_names(symbols, i, &now);
		if (now.size && now.size < UINT64_MAX - now.offset) {
			end = now.offset + now.size;
		} else {
			close_until(sweep, now.offset);
			if (sweep->depth)
				continue;
			if (upcs_symbols_get(symbols, after, &next) && next.offset < end)
				end = next.offset;
		}
		open_function(sweep, &now, end);
	}
	close_until(sweep, UINT64_MAX);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Read the file's sections of code and data. Return false if memory is short. */
static bool read_sections(struct sweep *sweep, const struct upcs_elf *elf)
{
	struct upcs_elf_section section;
	uint32_t i;

	sweep->section = calloc(elf->sections + 1u, sizeof(*sweep->section));
	for (i = 0; sweep->section && upcs_elf_section(elf, i, &section); i++)
		if (section.type == SHT_PROGBITS && section.bytes < elf->size && section.offset < elf->size)
			sweep->section[sweep->sections++] =
				(struct section){section.offset, section.offset + section.bytes};
	return sweep->section;
}

/* Name stubs after their sections, since stubs have no symbols. */
static void name_stubs(struct upcs_extents *extents, const struct upcs_elf *elf)
{
	static const char *const name[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
	struct upcs_elf_section section;
	struct upcs_extent *extent;
	unsigned i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		if (!upcs_elf_section_named(elf, name[i], &section) || section.type != SHT_PROGBITS)
			continue;
		extent = upcs_extents_at(extents, section.offset);
		if (!extent->symbol[0])
			extent->symbol = "[plt]";
	}
}

/* Split gaps at the borders of sections, so that stubs get separate extents. */
static void split_gaps(struct sweep *sweep)
{
	struct upcs_extents *to = sweep->to;
	struct upcs_extent *old = to->extent;
	size_t n = to->n, i, s;

	to->extent = NULL;
	to->n = to->room = 0;
	sweep->at = 0;
	for (i = 0; i < n; i++) {
		for (s = 0; !old[i].symbol[0] && s < sweep->sections; s++) {
			if (sweep->section[s].begin > sweep->at && sweep->section[s].begin < old[i].end)
				put_sweep_extent(sweep, sweep->section[s].begin, "");
			if (sweep->section[s].end > sweep->at && sweep->section[s].end < old[i].end)
				put_sweep_extent(sweep, sweep->section[s].end, "");
		}
		put_sweep_extent(sweep, old[i].end, old[i].symbol);
	}
	free(old);
}

static int by_begin(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void make_extents(struct upcs_extents *extents, const struct upcs_elf *elf)
{
	struct sweep sweep = {.to = extents};

	extents->full = !read_sections(&sweep, elf);
	if (sweep.sections)
		qsort(sweep.section, sweep.sections, sizeof(*sweep.section), by_begin);
	put_functions(&sweep, extents->symbols);
	split_gaps(&sweep);
	if (!extents->full)
		name_stubs(extents, elf);
	free(sweep.section);
}

struct upcs_extents *upcs_extents_read(const char *path)
{
	struct upcs_extents *extents = calloc(1, sizeof(*extents));
	struct upcs_elf elf;

	if (!extents || upcs_elf_open(&elf, path)) {
		free(extents);
		return NULL;
	}
	extents->symbols = upcs_symbols_open(path);
	if (extents->symbols)
		make_extents(extents, &elf);
	upcs_elf_close(&elf);
	if (!extents->symbols || extents->full) {
		upcs_extents_free(extents);
		return NULL;
	}
	return extents;
}

void upcs_extents_free(struct upcs_extents *extents)
{
	upcs_symbols_close(extents->symbols);
	free(extents->extent);
	free(extents);
}

static int compare_extent_offset(const void *key, const void *member)
{
	const uint64_t *offset = key;
	const struct upcs_extent *extent = member;

	return *offset < extent->begin ? -1 : *offset >= extent->end;
}

struct upcs_extent *upcs_extents_at(struct upcs_extents *extents, uint64_t offset)
{
	if (offset == UINT64_MAX)
		offset--;
	return bsearch(&offset, extents->extent, extents->n, sizeof(*extents->extent), compare_extent_offset);
}
