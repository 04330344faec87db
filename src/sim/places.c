/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places.c - from an address of code to the file that is mapped there, and its functions.
 *
 * A mapping is looked up when code in it is first translated, and again after anything was
 * mapped or unmapped. A file's symbols are read once, whatever becomes of its mappings.
 */
#include "places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols.h"

/* A function in a file. */
struct function {
	uint64_t offset;
	uint16_t regions;
};

struct file {
	struct file *next;
	dev_t device;
	ino_t inode;
	struct timespec changed;
	size_t n;
	struct function *function;
};

/* A part of our memory; file NULL: code of no file. */
struct mapping {
	struct mapping *next;
	uint64_t begin, end, offset;
	const struct file *file;
};

static struct file *files;
static struct mapping *mappings;
static uint32_t changes, seen_changes;

void upcs_places_changed(void)
{
	__atomic_fetch_add(&changes, 1, __ATOMIC_RELEASE);
}

/* ---- files --------------------------------------------------------------------------- */

static void add_function(struct file *file, uint64_t offset, unsigned region)
{
	struct function *larger;
	size_t i;

	for (i = 0; i < file->n; i++)
		if (file->function[i].offset == offset) {
			file->function[i].regions |= (uint16_t)(1u << region);
			return;
		}
	larger = realloc(file->function, (file->n + 1) * sizeof(*larger));
	if (!larger)
		return;
	file->function = larger;
	file->function[file->n++] = (struct function){offset, (uint16_t)(1u << region)};
}

static void read_symbols(struct file *file, const struct upcs_options *options, const char *path)
{
	struct upcs_symbols *symbols = upcs_symbols_open(path);
	uint64_t offset;
	unsigned r, after;

	if (!symbols)
		return;
	for (r = 0; r < options->regions && r < UPCS_REGIONS_MAX; r++)
		for (after = 0; upcs_symbols_find(symbols, options->region[r], &after, &offset);)
			add_function(file, offset, r);
	upcs_symbols_close(symbols);
}

static const struct file *file_of(const struct upcs_options *options, const char *path)
{
	struct file *file;
	struct stat st;

	if (path[0] != '/' || stat(path, &st) || !S_ISREG(st.st_mode))
		return NULL;
	for (file = files; file; file = file->next)
		if (file->device == st.st_dev && file->inode == st.st_ino &&
		    file->changed.tv_sec == st.st_mtim.tv_sec && file->changed.tv_nsec == st.st_mtim.tv_nsec)
			return file;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	file->changed = st.st_mtim;
	read_symbols(file, options, path);
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

/* The mapping's line of /proc/self/maps. */
static bool find_line(uint64_t address, struct mapping *m, char **path)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;
	int at;

	while (!found && maps && getline(&line, &room, maps) > 0) {
		at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &m->begin, &m->end, &m->offset,
			   &at) < 3)
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

static const struct mapping *mapping_at(const struct upcs_options *options, uint64_t address, uint32_t *found)
{
	uint32_t now = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
	struct mapping *m;
	char *path = NULL;
	size_t i;

	if (now != seen_changes)
		forget_mappings();
	seen_changes = now;
	for (m = mappings; m; m = m->next)
		if (address >= m->begin && address < m->end)
			return m;
	m = calloc(1, sizeof(*m));
	if (!m || !find_line(address, m, &path)) {
		free(m);
		return NULL;
	}
	m->file = file_of(options, path);
	free(path);
	m->next = mappings;
	mappings = m;
	for (i = 0; m->file && i < m->file->n; i++)
		if (m->file->function[i].offset >= m->offset &&
		    m->file->function[i].offset - m->offset < m->end - m->begin)
			*found |= m->file->function[i].regions;
	return m;
}

uint16_t upcs_places_at(const struct upcs_options *options, uint64_t address, uint32_t *found)
{
	const struct mapping *m = mapping_at(options, address, found);
	size_t i;

	for (i = 0; m && m->file && i < m->file->n; i++)
		if (m->file->function[i].offset == address - m->begin + m->offset)
			return m->file->function[i].regions;
	return 0;
}
