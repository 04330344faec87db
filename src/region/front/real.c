/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.c - finds the functions that this library's functions stand in for.
 * Terms: region/front/front.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr */
#endif
#include "region/front/real.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "region/region.h"

struct search {
	const char *library;
	uintptr_t own; /* base address of this library, whose file may have the name of the searched one */
	char path[PATH_MAX];
};

/* Callback of dl_iterate_phdr. It only stores the path: a dlopen here would take the loader's locks in the
 * wrong order. */
static int real_search(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (info->dlpi_addr == search->own ||
	    strncmp(slash ? slash + 1 : info->dlpi_name, search->library, strlen(search->library)) != 0 ||
	    strlen(info->dlpi_name) >= sizeof(search->path))
		return 0;
	strcpy(search->path, info->dlpi_name);
	return 1;
}

static void *real_in_library(const char *name, const char *library, const void *own)
{
	struct search search = {.library = library, .own = (uintptr_t)own};
	void *handle, *found;

	handle = dl_iterate_phdr(real_search, &search) ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!handle)
		return NULL;
	found = dlsym(handle, name);
	dlclose(handle);
	return found;
}

static void *real_other_than(const void *own, void *symbol)
{
	Dl_info info;

	return symbol && dladdr(symbol, &info) && info.dli_fbase != own ? symbol : NULL;
}

void *upcr_real(void *_Atomic *place, const char *name, const char *library)
{
	static char none;
	void *there = atomic_load_explicit(place, memory_order_relaxed), *found;
	const void *own_base;
	Dl_info own;

	if (there)
		return there == &none ? NULL : there;
	own_base = dladdr(&none, &own) ? own.dli_fbase : NULL;
	found = real_other_than(own_base, dlsym(RTLD_NEXT, name));
	if (!found)
		found = real_other_than(own_base, real_in_library(name, library, own_base));
	atomic_store_explicit(place, found ? found : &none, memory_order_relaxed);
	return found;
}

/* Find a function for a library that was opened without RTLD_GLOBAL: in the libraries that the caller was
 * linked with. */
static void *real_find_near(const void *caller, const char *name)
{
	Dl_info object;
	void *library, *symbol = NULL;

	if (!dladdr(caller, &object))
		return NULL;
	library = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (library) {
		symbol = dlsym(library, name);
		dlclose(library);
	}
	return symbol;
}

void *upcr_real_of(void *_Atomic *place, const char *name, const void *caller)
{
	void *symbol = atomic_load_explicit(place, memory_order_relaxed);

	if (symbol)
		return symbol;
	symbol = dlsym(RTLD_NEXT, name);
	if (!symbol)
		symbol = real_find_near(caller, name);
	if (!symbol) {
		upcr_say("%s is in no library that the program has loaded", name);
		abort();
	}
	atomic_store_explicit(place, symbol, memory_order_relaxed);
	return symbol;
}
