/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * catalogue.c - the list of events: codes, names and memory. lookup.c has the public lookups.
 * Terms: catalogue/catalogue.h, replay/replay.h, node/sim.h.
 */
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "node/doorbell.h"
#include "catalogue/nearest.h"
#include "base/process.h"
#include "base/text.h"

#define BLOCK_EVENTS 1024u
#define BLOCKS_MAX 1024u /* a million events */
#define CHUNK_BYTES 65536u
#define MISSING_MAX 16

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

/*
 * A catalogue. Readers take no lock: an event's pointer is stored with release and loaded with acquire. A
 * replaced entry stays in the arena, so a reader's pointer to it stays valid. count is stored after the
 * pointer (release; paired with the acquire load in upci_catalogue_event).
 */
struct upc_catalogue {
	_Atomic(_Atomic(const struct upci_event *) *) block[BLOCKS_MAX];
	_Atomic uint32_t count;
	/* Protected by the process lock: */
	uint32_t *table; /* hash table with open addressing on the folded name: code + 1 */
	uint32_t table_size;
	struct chunk *chunks;
	const char *missing[MISSING_MAX];
	_Atomic unsigned missing_count;
	char wiring_hash[65];
	struct upci_on_demand on_demand;
	/* The script or the simulated node that drives all units. If there is neither, this machine drives
	 * them. */
	struct upci_script *script;
	bool simulated;
	struct upci_doorbell_hello node;
};

/* ---- memory ------------------------------------------------------------ */

static void *alloc_locked(struct upc_catalogue *c, size_t size)
{
	struct chunk *chunk = c->chunks;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		chunk = malloc(sizeof(*chunk) + bytes);
		if (!chunk)
			return NULL;
		chunk->used = 0;
		chunk->size = bytes;
		chunk->next = c->chunks;
		c->chunks = chunk;
	}
	p = chunk->bytes + chunk->used;
	chunk->used += size;
	return p;
}

void *upci_catalogue_alloc(struct upc_catalogue *c, size_t size)
{
	void *p;

	upci_process_lock();
	p = alloc_locked(c, size);
	upci_process_unlock();
	return p;
}

const char *upci_catalogue_printf(struct upc_catalogue *c, const char *format, ...)
{
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		return NULL;
	text = upci_catalogue_alloc(c, (size_t)n + 1);
	if (!text)
		return NULL;
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return text;
}

/* ---- names and codes --------------------------------------------------- */

static uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a over lower case */

	for (; *name; name++)
		h = (h ^ (unsigned char)upci_lower(*name)) * 16777619u;
	return h;
}

const struct upci_event *upci_catalogue_event(struct upc_catalogue *c, uint32_t code)
{
	if (code >= atomic_load_explicit(&c->count, memory_order_acquire))
		return NULL;
	return atomic_load_explicit(&c->block[code / BLOCK_EVENTS][code % BLOCK_EVENTS],
				    memory_order_acquire);
}

/* Find an exact match or, with fold, a name that differs only in case. Return its code, or UPC_ENOEVENT. */
static int64_t lookup_locked(struct upc_catalogue *c, const char *name, bool fold)
{
	uint32_t i;
	int64_t folded = UPC_ENOEVENT;

	if (!c->table_size)
		return UPC_ENOEVENT;
	for (i = name_hash(name) & (c->table_size - 1); c->table[i]; i = (i + 1) & (c->table_size - 1)) {
		uint32_t code = c->table[i] - 1;
		const char *known = upci_catalogue_event(c, code)->name;

		if (!strcmp(known, name))
			return code;
		if (fold && folded < 0 && !upci_fold_compare(known, name))
			folded = code;
	}
	return folded;
}

static int64_t lookup_name(struct upc_catalogue *c, const char *name, bool fold)
{
	int64_t code;

	upci_process_lock();
	code = lookup_locked(c, name, fold);
	upci_process_unlock();
	return code;
}

int64_t upci_catalogue_lookup(struct upc_catalogue *c, const char *name)
{
	return lookup_name(c, name, false);
}

int64_t upci_catalogue_lookup_folded(struct upc_catalogue *c, const char *name)
{
	return lookup_name(c, name, true);
}

static void table_insert(uint32_t *table, uint32_t size, const char *name, uint32_t code)
{
	uint32_t i = name_hash(name) & (size - 1);

	while (table[i])
		i = (i + 1) & (size - 1);
	table[i] = code + 1;
}

static int table_grow_locked(struct upc_catalogue *c)
{
	uint32_t size = c->table_size ? c->table_size * 2 : 4096, code;
	uint32_t *table = calloc(size, sizeof(*table));

	if (!table)
		return UPC_ENOMEM;
	for (code = 0; code < c->count; code++)
		table_insert(table, size, upci_catalogue_event(c, code)->name, code);
	free(c->table);
	c->table = table;
	c->table_size = size;
	return 0;
}

static int64_t put_locked(struct upc_catalogue *c, const struct upci_event *event)
{
	struct upci_event *copy = alloc_locked(c, sizeof(*copy));
	int64_t known = lookup_locked(c, event->name, false);
	uint32_t code = c->count;

	if (!copy)
		return UPC_ENOMEM;
	*copy = *event;
	if (known >= 0) {
		code = (uint32_t)known;
		atomic_store_explicit(&c->block[code / BLOCK_EVENTS][code % BLOCK_EVENTS], copy,
				      memory_order_release);
		return known;
	}
	if (code == BLOCK_EVENTS * BLOCKS_MAX)
		return UPC_ENOMEM;
	if (code >= c->table_size / 2 && table_grow_locked(c) < 0)
		return UPC_ENOMEM;
	if (!c->block[code / BLOCK_EVENTS]) {
		_Atomic(const struct upci_event *) *block = alloc_locked(c, BLOCK_EVENTS * sizeof(*block));

		if (!block)
			return UPC_ENOMEM;
		c->block[code / BLOCK_EVENTS] = block;
	}
	atomic_store_explicit(&c->block[code / BLOCK_EVENTS][code % BLOCK_EVENTS], copy,
			      memory_order_release);
	atomic_store_explicit(&c->count, code + 1, memory_order_release);
	table_insert(c->table, c->table_size, copy->name, code);
	return code;
}

int64_t upci_catalogue_put(struct upc_catalogue *c, const struct upci_event *event)
{
	int64_t code;

	if (!event->name || !event->name[0] || strlen(event->name) >= UPC_NAME_MAX)
		return UPC_EINVAL;
	upci_process_lock();
	code = put_locked(c, event);
	upci_process_unlock();
	return code;
}

int upci_catalogue_add_missing(struct upc_catalogue *c, const char *sentence)
{
	unsigned n = atomic_load(&c->missing_count);

	if (!sentence)
		return UPC_ENOMEM;
	if (n == MISSING_MAX)
		return 0;
	c->missing[n] = sentence;
	atomic_store(&c->missing_count, n + 1);
	return 0;
}

void upci_name_sanitize(char *name)
{
	for (; *name; name++)
		if (!upci_is_alnum(*name) && !strchr("_.:+-", *name))
			*name = '_';
}

/* ---- creation and destruction ------------------------------------------------ */

struct upc_catalogue *upci_catalogue_create(struct upci_script *script,
					    const struct upci_doorbell_hello *node)
{
	struct upc_catalogue *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->script = script;
	c->simulated = node != NULL;
	if (node)
		c->node = *node;
	return c;
}

void upci_catalogue_free(struct upc_catalogue *c)
{
	struct chunk *chunk, *next;

	for (chunk = c->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(c->table);
	free(c);
}

struct upci_script *upci_catalogue_script(struct upc_catalogue *c)
{
	return c->script;
}

const struct upci_doorbell_hello *upci_catalogue_node(struct upc_catalogue *c)
{
	return c->simulated ? &c->node : NULL;
}

void upci_catalogue_set_wiring_hash(struct upc_catalogue *c, const char hash[65])
{
	memcpy(c->wiring_hash, hash, sizeof(c->wiring_hash));
}

/* ---- contents ---------------------------------------------------------------- */

struct upci_on_demand *upci_catalogue_on_demand(struct upc_catalogue *c)
{
	return &c->on_demand;
}

uint32_t upci_catalogue_size(struct upc_catalogue *c)
{
	return atomic_load_explicit(&c->count, memory_order_acquire);
}

struct upci_catalogue_mark upci_catalogue_mark(struct upc_catalogue *c)
{
	return (struct upci_catalogue_mark){upci_catalogue_size(c), atomic_load(&c->missing_count)};
}

void upci_catalogue_truncate(struct upc_catalogue *c, struct upci_catalogue_mark mark)
{
	uint32_t code;

	upci_process_lock();
	atomic_store_explicit(&c->count, mark.size, memory_order_release);
	atomic_store(&c->missing_count, mark.missing);
	if (c->table_size)
		memset(c->table, 0, c->table_size * sizeof(*c->table));
	for (code = 0; code < mark.size; code++)
		table_insert(c->table, c->table_size, upci_catalogue_event(c, code)->name, code);
	upci_process_unlock();
}

static bool catalogue_is_driven(const struct upci_event *event)
{
	return event->driver.source != UPC_SOURCE_NONE;
}

int upci_catalogue_nearest(struct upc_catalogue *c, const char *name, const char **names, int max, bool any)
{
	struct upci_nearest nearest = {.max = max > 8 ? 8 : max};
	uint32_t count = upci_catalogue_size(c), code;
	int i;

	for (code = 0; code < count; code++) {
		const struct upci_event *event = upci_catalogue_event(c, code);

		if (any || catalogue_is_driven(event))
			upci_nearest_offer(&nearest, name, event->name);
	}
	for (i = 0; i < nearest.count; i++)
		names[i] = nearest.name[i];
	return nearest.count;
}

/* Add a pattern to the n patterns that are equally near, unless the list contains it or has max patterns.
 * Return the new number. */
static int catalogue_add_pattern(const char **patterns, int n, int max, const char *pattern)
{
	int i;

	for (i = 0; i < n; i++)
		if (!strcmp(patterns[i], pattern))
			return n;
	if (n == max)
		return n;
	patterns[n] = pattern;
	return n + 1;
}

int upci_catalogue_nearest_patterns(struct upc_catalogue *c, const char *pattern, const char **patterns,
				    int max)
{
	uint32_t count = upci_catalogue_size(c), code;
	unsigned best = UPCI_FAR - 1;
	int n = 0;

	for (code = 0; code < count; code++) {
		const struct upci_event *event = upci_catalogue_event(c, code);
		char text[UPC_NAME_MAX + 16];
		const char *stable;
		unsigned d;

		if (!catalogue_is_driven(event))
			continue;
		d = upci_nearest_pattern(pattern, event->name, best, text, sizeof(text));
		if (d == UPCI_FAR || !(stable = upci_catalogue_printf(c, "%s", text)))
			continue;
		n = catalogue_add_pattern(patterns, d < best ? 0 : n, max, stable);
		best = d;
	}
	return n;
}

const char *upci_catalogue_missing(struct upc_catalogue *c, unsigned i)
{
	return i < atomic_load(&c->missing_count) ? c->missing[i] : NULL;
}

const char *upc_catalogue_wiring_hash(struct upc_catalogue *c)
{
	return c->wiring_hash;
}
