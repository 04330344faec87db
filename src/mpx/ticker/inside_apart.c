/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inside_apart.c - lists the code that PAPI and libupc do not call ("apart"). Objects are the program and
 * its shared libraries.
 *
 * Apart are the program and its dependencies (DT_NEEDED), as the loader has loaded them, except
 *
 * PAPI, libupc and their dependencies: libc, the loader, libm, ...; objects that define a function which
 * PAPI, libupc or one of their dependencies references by name, since PAPI's calls may be bound to it.
 * Examples are a program with its own malloc, and a sanitizer.
 *
 * If PAPI is linked into the program, the program's own object files are apart (inside_program.c). None of
 * these objects is ever unloaded. Objects that were loaded by dlopen or preloaded may belong to PAPI
 * (libcupti), and are not listed. PAPI also calls functions that a program passes to it. An overflow
 * handler normally runs in a signal, but with the PAPI component upc it may run in a read. Therefore, if an
 * object of the program references a function that takes such a handler, nothing is listed. The function
 * passed to PAPI_thread_init does not matter: PAPI calls it for a thread's id before it takes a lock and
 * before it changes data that libmpx's sets use.
 *
 * Terms: ticker/inside.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ticker/inside_apart.h"

#define OBJECTS 256
#define CODES 4 /* maximum number of executable segments of an object */

struct table {
	struct table *before; /* previous table; a handler may still read it */
	unsigned n;
	struct mpxi_code code[];
};
static _Atomic(struct table *) current; /* read by handlers of all threads */

struct object {
	const char *file, *soname; /* file name without directories; DT_SONAME, or NULL */
	uintptr_t base;
	struct mpxi_code code[CODES];
	unsigned codes;
	const ElfW(Dyn) * dynamic;
	const char *strings;
	const ElfW(Sym) * symbols;
	const uint32_t *hash; /* DT_GNU_HASH */
	bool needed, papis;   /* the object is a dependency of the program; of PAPI, or PAPI itself */
};

struct objects {
	struct object *object;
	unsigned n;
};

/* ---- data of the loader ---------------------------------------------------------------- */

/* Return the address of an entry of the dynamic section. glibc relocates these entries; other loaders
 * leave offsets from the load address. */
static const void *address_in(const struct object *object, ElfW(Addr) value)
{
	return (const void *)(value < object->base ? object->base + value : value);
}

static void take_dynamic(struct object *object)
{
	const ElfW(Dyn) * d, *soname = NULL;

	for (d = object->dynamic; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SONAME)
			soname = d;
		else if (d->d_tag == DT_STRTAB)
			object->strings = address_in(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_SYMTAB)
			object->symbols = address_in(object, d->d_un.d_ptr);
		else if (d->d_tag == DT_GNU_HASH)
			object->hash = address_in(object, d->d_un.d_ptr);
	}
	if (soname && object->strings)
		object->soname = object->strings + soname->d_un.d_val;
}

static int take_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct objects *all = argument;
	struct object *object = &all->object[all->n];
	const char *slash = strrchr(info->dlpi_name, '/');
	size_t i;

	(void)size;
	*object = (struct object){.file = slash ? slash + 1 : info->dlpi_name, .base = info->dlpi_addr};
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_DYNAMIC)
			object->dynamic = (const ElfW(Dyn) *)at;
		if (p->p_type == PT_LOAD && p->p_flags & PF_X && object->codes < CODES)
			object->code[object->codes++] = (struct mpxi_code){at, at + p->p_memsz};
	}
	take_dynamic(object);
	return ++all->n == OBJECTS;
}

static bool is_called(const struct object *object, const char *name)
{
	return !strcmp(object->file, name) || (object->soname && !strcmp(object->soname, name));
}

/* Mark all direct and indirect dependencies of the marked objects. */
static void apart_mark_needed(const struct objects *all, bool *(*mark)(struct object *))
{
	const ElfW(Dyn) * d;
	bool more = true;
	unsigned i, k;

	while (more) {
		more = false;
		for (i = 0; i < all->n; i++) {
			if (!*mark(&all->object[i]) || !all->object[i].strings)
				continue;
			for (d = all->object[i].dynamic; d->d_tag != DT_NULL; d++) {
				for (k = 0; d->d_tag == DT_NEEDED && k < all->n; k++) {
					bool *marked = mark(&all->object[k]);

					if (*marked || !is_called(&all->object[k],
								  all->object[i].strings + d->d_un.d_val))
						continue;
					*marked = more = true;
				}
			}
		}
	}
}

static bool *object_needed(struct object *object)
{
	return &object->needed;
}

static bool *object_papis(struct object *object)
{
	return &object->papis;
}

/* ---- names --------------------------------------------------------------------------- */

static uint32_t hash_of_symbol(const char *name)
{
	uint32_t h = 5381;

	while (*name)
		h = h * 33 + (unsigned char)*name++;
	return h;
}

/* True if the object defines a function of this name; h is the name's hash. Layout of DT_GNU_HASH:
 * number of buckets, first symbol, number of filter words, shift; filter; buckets; chains. */
static bool object_defines(const struct object *object, const char *name, uint32_t h)
{
	const uint32_t *t = object->hash;
	const ElfW(Addr) *filter = (const void *)(t + 4);
	const unsigned bits = 8 * sizeof(*filter);
	const uint32_t *bucket = (const void *)(filter + t[2]), *chain = bucket + t[0];
	const ElfW(Addr) word = t[2] ? filter[h / bits % t[2]] : 0;
	uint32_t i;

	if (!(word >> h % bits & word >> (h >> t[3]) % bits & 1) || !t[0])
		return false;
	for (i = bucket[h % t[0]]; i >= t[1]; i++) {
		const uint32_t link = chain[i - t[1]];

		if ((link | 1) == (h | 1) && object->symbols[i].st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(object->symbols[i].st_info) != STT_OBJECT &&
		    !strcmp(object->strings + object->symbols[i].st_name, name))
			return true;
		if (link & 1)
			break;
	}
	return false;
}

/* Return the name of symbol i if the symbol is undefined, else NULL. Undefined symbols are not in the
 * hash table; they come before the symbols in it. */
static const char *asked_for(const struct object *object, uint32_t i)
{
	const ElfW(Sym) *symbol = &object->symbols[i];

	return symbol->st_shndx == SHN_UNDEF && symbol->st_name ? object->strings + symbol->st_name : NULL;
}

static bool has_names(const struct object *object)
{
	return object->hash && object->symbols && object->strings;
}

static bool defines_any(const struct object *object, const struct object *asks)
{
	const char *name;
	uint32_t i;

	for (i = 1; i < asks->hash[1]; i++) {
		name = asked_for(asks, i);
		if (name && object_defines(object, name, hash_of_symbol(name)))
			return true;
	}
	return false;
}

static bool hands_functions(const struct object *object)
{
	static const char *const takers[] = {"PAPI_overflow", "upc_set_message_callback",
					     "upc_unit_set_interrupt"};
	const char *name;
	uint32_t i;
	unsigned k;

	for (i = 1; i < object->hash[1]; i++) {
		name = asked_for(object, i);
		if (name && !strncmp(name, "papi_sde_", 9))
			return true;
		for (k = 0; name && k < sizeof(takers) / sizeof(*takers); k++)
			if (!strcmp(name, takers[k]))
				return true;
	}
	return false;
}

static bool is_apart(const struct objects *all, const struct object *object)
{
	unsigned i;

	if (!object->needed || object->papis || !has_names(object))
		return false;
	for (i = 0; i < all->n; i++)
		if (all->object[i].papis &&
		    (!has_names(&all->object[i]) || defines_any(object, &all->object[i])))
			return false;
	return true;
}

/* ---- the list ------------------------------------------------------------------------ */

static void apart_list(struct table *table, const struct objects *all)
{
	unsigned i, k;

	for (i = 0; i < all->n; i++)
		if (all->object[i].needed && has_names(&all->object[i]) && !all->object[i].papis &&
		    hands_functions(&all->object[i]))
			return;
	for (i = 0; i < all->n; i++)
		if (is_apart(all, &all->object[i]))
			for (k = 0; k < all->object[i].codes; k++)
				table->code[table->n++] = all->object[i].code[k];
}

void mpxi_apart_find_locked(bool (*is_of_papi)(uintptr_t begin, uintptr_t end), const struct mpxi_code own[2])
{
	struct objects all = {.object = malloc(OBJECTS * sizeof(*all.object))};
	struct table *table = NULL;
	unsigned i, k;

	if (all.object) {
		dl_iterate_phdr(take_object, &all);
		table = calloc(1, sizeof(*table) + ((size_t)all.n * CODES + 2) * sizeof(table->code[0]));
	}
	if (table) {
		for (i = 0; i < all.n; i++)
			for (k = 0; k < all.object[i].codes; k++)
				all.object[i].papis |=
					is_of_papi(all.object[i].code[k].begin, all.object[i].code[k].end);
		all.object[0].needed = true; /* the program */
		apart_mark_needed(&all, object_papis);
		apart_mark_needed(&all, object_needed);
		apart_list(table, &all);
		for (i = 0; i < 2; i++)
			if (own[i].end)
				table->code[table->n++] = own[i];
		table->before = atomic_load(&current);
	}
	/* Earlier tables are never freed, since a handler may still read them. They are few: one for
	 * each library with code of PAPI. */
	atomic_store(&current, table);
	free(all.object);
}

bool mpxi_apart_has_sig(uintptr_t pc)
{
	const struct table *table = atomic_load_explicit(&current, memory_order_acquire);
	unsigned i;

	for (i = 0; table && i < table->n; i++)
		if (pc - table->code[i].begin < table->code[i].end - table->code[i].begin)
			return true;
	return false;
}
