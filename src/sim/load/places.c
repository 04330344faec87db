/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places.c - finds the mapped file and the function at an address of code.
 *
 * A mapping is looked up when code in it is first translated, and again after any mapping was added or
 * removed. A file's symbols are read once, even if its mappings change.
 *
 * Terms: load/symbols.h.
 */
#include "load/places.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "load/extents.h"
#include "load/places_private.h"
#include "load/roles.h"
#include "load/symbols.h"

/* A region's function in a file. */
struct function {
	uint64_t offset;
	uint16_t regions;
};

struct upcs_places_file {
	struct upcs_places_file *next;
	dev_t device;
	ino_t inode;
	struct timespec changed;
	size_t n, room;
	struct function *function; /* sorted by offset */
	size_t choosers;
	struct upcs_chooser *chooser;
	struct upcs_slots *slots;     /* NULL: none */
	struct upcs_roles *roles;     /* NULL: none */
	struct upcs_extents *extents; /* extents of the file's functions; NULL: not used, or none */
	char *path;
};

/* A mapping, by host addresses. file NULL: the code is not from a file. */
struct mapping {
	struct mapping *next;
	uint64_t begin, end, offset;
	struct upcs_places_file *file;
};

static struct upcs_places_file *files;
static struct mapping *mappings;
static uint32_t changes, seen_changes;
static uint32_t regions_seen; /* regions found since upcs_places_at reported them last */

void upcs_places_changed(void)
{
	__atomic_fetch_add(&changes, 1, __ATOMIC_RELEASE);
}

/* ---- files --------------------------------------------------------------------------- */

/* Add a function. If memory is short, the function is not found. */
static void add_function(struct upcs_places_file *file, const struct function *function)
{
	if (file->n == file->room) {
		size_t more = file->room ? 2 * file->room : 16;
		struct function *larger = realloc(file->function, more * sizeof(*larger));

		if (!larger)
			return;
		file->function = larger;
		file->room = more;
	}
	file->function[file->n++] = *function;
}

static int compare_places_offset(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sort functions by offset, and merge those at the same offset. */
static void sort_functions(struct upcs_places_file *file)
{
	struct function *function = file->function;
	size_t i, n = 0;

	if (file->n)
		qsort(function, file->n, sizeof(*function), compare_places_offset);
	for (i = 0; i < file->n; i++)
		if (n && function[n - 1].offset == function[i].offset)
			function[n - 1].regions |= function[i].regions;
		else
			function[n++] = function[i];
	file->n = n;
}

void upcs_places_add(struct upcs_places_file *file, uint64_t offset, uint16_t regions)
{
	add_function(file, &(const struct function){offset, regions});
	sort_functions(file);
}

const struct upcs_slots *upcs_places_slots(const struct upcs_places_file *file)
{
	return file->slots;
}

bool upcs_places_chooser_is(const struct upcs_places_file *file, uint64_t offset, uint64_t name)
{
	size_t i;

	for (i = 0; i < file->choosers; i++)
		if (file->chooser[i].offset == offset && file->chooser[i].name == name)
			return true;
	return false;
}

struct reading {
	struct upcs_places_file *file;
	const struct upcs_options *options;
	const char *path;
};

static void add_chooser(struct upcs_places_file *file, const struct upcs_function *found, uint16_t regions)
{
	struct upcs_chooser *larger = realloc(file->chooser, (file->choosers + 1) * sizeof(*larger));

	if (!larger)
		return;
	file->chooser = larger;
	file->chooser[file->choosers++] =
		(struct upcs_chooser){found->offset, upcs_name_hash(found->symbol), regions};
}

/* Read the functions of one region. */
static void take_region_functions(struct upcs_places_file *file, const struct upcs_symbols *symbols,
				  const struct upcs_name *name, unsigned region)
{
	uint16_t bit = (uint16_t)(1u << region);
	struct upcs_function found;
	unsigned next = 0;

	while (upcs_symbols_find(symbols, name, &next, &found))
		if (found.chosen)
			add_chooser(file, &found, bit);
		else
			add_function(file, &(const struct function){found.offset, bit});
}

static void read_regions(const struct reading *reading)
{
	struct upcs_symbols *symbols = upcs_symbols_open(reading->path);
	struct upcs_name name[UPCS_REGIONS_MAX];
	unsigned r, n = reading->options->regions;

	if (!symbols)
		return;
	for (r = 0; r < n && r < UPCS_REGIONS_MAX; r++) {
		if (!upcs_name_parse(&name[r], reading->options->region[r]))
			break;
		take_region_functions(reading->file, symbols, &name[r], r);
	}
	reading->file->roles = upcs_roles_create(symbols, reading->path);
	upcs_symbols_close(symbols);
	sort_functions(reading->file);
	reading->file->slots =
		upcs_slots_read(reading->path, name, r, reading->file->chooser, reading->file->choosers);
}

static void *read_places_file(void *argument)
{
	const struct reading *reading = argument;

	if (upcs_options_follow(reading->options))
		read_regions(reading);
	if (reading->options->functions)
		reading->file->extents = upcs_extents_read(reading->path);
	return NULL;
}

/* Read a file in a separate thread, because the stack of a guest's thread is too small for the demangler. The
 * thread blocks all signals, which are for the guest's threads. */
static void read_apart(const struct reading *reading)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	bool begun;

	if (pthread_attr_init(&attributes))
		return;
	pthread_attr_setstacksize(&attributes, UPCS_DEMANGLE_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	begun = pthread_create(&thread, &attributes, read_places_file, (void *)reading) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (begun)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
}

static struct upcs_places_file *file_of(const struct upcs_options *options, const char *path)
{
	struct upcs_places_file *file;
	struct stat st;

	if (path[0] != '/' || stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	for (file = files; file; file = file->next)
		if (file->device == st.st_dev && file->inode == st.st_ino &&
		    file->changed.tv_sec == st.st_mtim.tv_sec && file->changed.tv_nsec == st.st_mtim.tv_nsec)
			return file;
	file = calloc(1, sizeof(*file));
	if (file)
		file->path = strdup(path);
	if (!file || !file->path) {
		free(file);
		return NULL;
	}
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->changed = st.st_mtim;
	read_apart(&(const struct reading){file, options, path});
	file->next = files;
	files = file;
	return file;
}

/* ---- mappings ------------------------------------------------------------------------ */

static void forget_mappings(void)
{
	struct mapping *m;

	while ((m = mappings)) {
		mappings = m->next;
		free(m);
	}
}

/* Find the mapping of an address in /proc/self/maps, and its path. */
static bool find_maps_line(uint64_t address, struct mapping *m, char **path)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	int at;

	while (!found && maps && getline(&line, &room, maps) > 0) {
		at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m->begin, &m->end,
			   &m->offset, &at) < 3)
			continue;
		found = address >= m->begin && address < m->end;
		if (found) {
			line[strcspn(line, "\n")] = 0;
			*path = strdup(at ? line + at : "");
		}
	}
	free(line);
	if (maps)
		fclose(maps);
	return found && *path;
}

static bool is_offset_in_mapping(const struct mapping *m, uint64_t offset)
{
	return offset >= m->offset && offset - m->offset < m->end - m->begin;
}

/* Return a known mapping, and move it to the front of the list, because blocks that are translated one after
 * another lie close together. */
static struct mapping *take_found(uint64_t address)
{
	struct mapping **at = &mappings, *m;

	while (*at && (address < (*at)->begin || address >= (*at)->end))
		at = &(*at)->next;
	m = *at;
	if (m) {
		*at = m->next;
		m->next = mappings;
		mappings = m;
	}
	return m;
}

static const struct mapping *mapping_at(const struct upcs_options *options, uint64_t address)
{
	uint32_t now = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
	struct mapping *m;
	char *path = NULL;
	size_t i;

	if (now != seen_changes)
		forget_mappings();
	seen_changes = now;
	m = take_found(address);
	if (m)
		return m;
	m = calloc(1, sizeof(*m));
	if (!m || !find_maps_line(address, m, &path)) {
		free(m);
		return NULL;
	}
	m->file = file_of(options, path);
	free(path);
	m->next = mappings;
	mappings = m;
	if (!m->file)
		return m;
	for (i = 0; i < m->file->n; i++)
		if (is_offset_in_mapping(m, m->file->function[i].offset))
			regions_seen |= m->file->function[i].regions;
	for (i = 0; i < m->file->choosers; i++)
		if (is_offset_in_mapping(m, m->file->chooser[i].offset))
			regions_seen |= m->file->chooser[i].regions;
	if (m->file->slots)
		upcs_chosen_mapped(m->file, address - m->begin + m->offset, address);
	return m;
}

struct upcs_places_file *upcs_places_file(const struct upcs_options *options, uint64_t address,
					  uint64_t *offset)
{
	const struct mapping *m = mapping_at(options, address);

	if (!m)
		return NULL;
	*offset = address - m->begin + m->offset;
	return m->file;
}

uint16_t upcs_places_at(const struct upcs_options *options, uint64_t address, uint32_t *found)
{
	const struct mapping *m = mapping_at(options, address);
	const struct function wanted = {m ? address - m->begin + m->offset : 0, 0}, *function;

	*found |= regions_seen;
	regions_seen = 0;
	if (!m || !m->file || !m->file->n)
		return 0;
	function = bsearch(&wanted, m->file->function, m->file->n, sizeof(wanted), compare_places_offset);
	return function ? function->regions : 0;
}

struct upcs_place upcs_places_about(const struct upcs_options *options, uint64_t address)
{
	const struct mapping *m = mapping_at(options, address);
	const struct upcs_places_file *file = m ? m->file : NULL;
	uint64_t offset = m ? address - m->begin + m->offset : 0;
	struct upcs_place place = {.begin = m ? m->begin : 0, .end = m ? m->end : 0};
	size_t i;

	if (file && file->roles) {
		place.role = upcs_roles_at(file->roles, offset);
		place.runtime = upcs_roles_is_runtime(file->roles, offset);
		place.marks = upcs_roles_is_marks(file->roles);
	}
	for (i = 0; file && i < file->choosers; i++)
		if (file->chooser[i].offset == offset)
			place.chooses |= file->chooser[i].regions;
	return place;
}

/* ---- functions ----------------------------------------------------------------------- */

struct upcs_place_function upcs_places_function(struct upcs_results *results, uint64_t address)
{
	const struct mapping *m = mapping_at(&results->options, address);
	struct upcs_place_function function = {.begin = m ? m->begin : address,
					       .end = m ? m->end : address + 1};
	uint64_t offset = m ? address - m->begin + m->offset : 0;
	struct upcs_extent *extent;

	if (!m || !m->file) {
		function.number = upcs_functions_number(&results->functions, "", "");
		return function;
	}
	extent = m->file->extents ? upcs_extents_at(m->file->extents, offset) : NULL;
	if (!extent) {
		function.number = upcs_functions_number(&results->functions, m->file->path, "");
		return function;
	}
	if (!extent->number)
		extent->number = upcs_functions_number(&results->functions, m->file->path, extent->symbol);
	function.number = extent->number;
	/* If the mapping covers only a part of the file, it may end before the function does. */
	function.begin = address - (offset - extent->begin);
	function.end = extent->end - offset < m->end - address ? address + (extent->end - offset) : m->end;
	return function;
}
