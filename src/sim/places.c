/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * places.c - from an address of code to the file that is mapped there, and its functions.
 *
 * A mapping is looked up when code in it is first translated, and again after anything was
 * mapped or unmapped. A file's symbols are read once, whatever becomes of its mappings.
 */
#include "places.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "roles.h"
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
	struct upcs_roles *roles; /* NULL: none */
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

/* Without memory the function is not found. */
static void add_function(struct file *file, size_t *room, uint64_t offset, unsigned region)
{
	if (file->n == *room) {
		size_t more = *room ? 2 * *room : 16;
		struct function *larger = realloc(file->function, more * sizeof(*larger));

		if (!larger)
			return;
		file->function = larger;
		*room = more;
	}
	file->function[file->n++] = (struct function){offset, (uint16_t)(1u << region)};
}

static int by_offset(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* In the order of their offsets, each of them once. */
static void sort_functions(struct file *file)
{
	size_t i, n = 0;

	if (file->n)
		qsort(file->function, file->n, sizeof(*file->function), by_offset);
	for (i = 0; i < file->n; i++)
		if (n && file->function[n - 1].offset == file->function[i].offset)
			file->function[n - 1].regions |= file->function[i].regions;
		else
			file->function[n++] = file->function[i];
	file->n = n;
}

struct reading {
	struct file *file;
	const struct upcs_options *options;
	const char *path;
};

static void *read_symbols(void *argument)
{
	const struct reading *reading = argument;
	struct upcs_symbols *symbols = upcs_symbols_open(reading->path);
	struct upcs_function function;
	struct upcs_name name;
	unsigned r, next;
	size_t room = 0;

	for (r = 0; symbols && r < reading->options->regions && r < UPCS_REGIONS_MAX; r++)
		for (next = 0; upcs_name_parse(&name, reading->options->region[r]) &&
			       upcs_symbols_find(symbols, &name, &next, &function);)
			if (!function.chosen)
				add_function(reading->file, &room, function.offset, r);
	if (symbols)
		reading->file->roles = upcs_roles_create(symbols, reading->path);
	upcs_symbols_close(symbols);
	sort_functions(reading->file);
	return NULL;
}

/* The stack of a guest's thread is too small to demangle names on. Signals are for those threads. */
static void read_functions(const struct reading *reading)
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
	begun = pthread_create(&thread, &attributes, read_symbols, (void *)reading) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (begun)
		pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
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
	read_functions(&(const struct reading){file, options, path});
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
	const struct function wanted = {m ? address - m->begin + m->offset : 0, 0}, *function;

	if (!m || !m->file || !m->file->n)
		return 0;
	function = bsearch(&wanted, m->file->function, m->file->n, sizeof(wanted), by_offset);
	return function ? function->regions : 0;
}

struct upcs_place upcs_places_about(const struct upcs_options *options, uint64_t address, uint32_t *found)
{
	const struct mapping *m = mapping_at(options, address, found);
	const struct upcs_roles *roles = m && m->file ? m->file->roles : NULL;
	uint64_t offset = roles ? address - m->begin + m->offset : 0;

	if (!roles)
		return (struct upcs_place){0};
	return (struct upcs_place){upcs_roles_at(roles, offset), upcs_roles_is_runtime(roles, offset)};
}
