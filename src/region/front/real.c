/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.c - finds functions behind those of this library.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr */
#endif
#include "region/front/real.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct search {
	const char *name, *library;
	const void *own; /* this library's base: it may have the other one's name */
	void *found;
};

static void *real_other_than(const void *own, void *symbol)
{
	Dl_info info;

	return symbol && dladdr(symbol, &info) && info.dli_fbase != own ? symbol : NULL;
}

static int real_search(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct search *search = argument;
	const char *slash = strrchr(info->dlpi_name, '/');
	void *handle;

	(void)size;
	if (strncmp(slash ? slash + 1 : info->dlpi_name, search->library, strlen(search->library)) != 0)
		return 0;
	handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return 0;
	search->found = real_other_than(search->own, dlsym(handle, search->name));
	dlclose(handle);
	return search->found != NULL;
}

void *upcr_real(void *_Atomic *place, const char *name, const char *library)
{
	static char none;
	void *there = atomic_load_explicit(place, memory_order_relaxed);
	struct search search = {.name = name, .library = library};
	Dl_info own;

	if (there)
		return there == &none ? NULL : there;
	search.own = dladdr(&none, &own) ? own.dli_fbase : NULL;
	search.found = real_other_than(search.own, dlsym(RTLD_NEXT, name));
	if (!search.found)
		dl_iterate_phdr(real_search, &search);
	atomic_store_explicit(place, search.found ? search.found : &none, memory_order_relaxed);
	return search.found;
}
