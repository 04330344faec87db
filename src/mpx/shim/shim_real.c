/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_real.c - finds the real PAPI functions, and passes libmpx's PAPI calls to them.
 *
 * Terms: shim/shim.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT, dl_iterate_phdr */
#endif
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim/shim.h"
#include "shim/shim_real.h"

enum { RANGES = 8, NOT_FOUND = 127 };

static struct shim_real real;
/* True once `real' and `ranges' are complete. Stored after them; pairs with the acquire load in
 * shim_real, on any thread. */
static atomic_bool found;
/* serializes the search; taken before any other lock of the shim */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	uintptr_t begin, end;
} range[RANGES];
static unsigned ranges;

#define SHIM_ENTRY(name) {"PAPI_" #name, offsetof(struct shim_real, name)},
static const struct {
	const char *name;
	size_t field;
} entry[] = {SHIM_REAL(SHIM_ENTRY)};
#undef SHIM_ENTRY

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_libpapi(const char *path)
{
	return !strncmp(base_name(path), "libpapi.", 8);
}

/* Find libpapi among the loaded libraries. If the program has opened libpapi with dlopen, it may be
 * missing from the global scope. */
static int find_local(struct dl_phdr_info *info, size_t size, void *argument)
{
	void **handle = argument;

	(void)size;
	if (!is_libpapi(info->dlpi_name))
		return 0;
	*handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return *handle != NULL;
}

static int add_papi_range(struct dl_phdr_info *info, size_t size, void *argument)
{
	size_t i;

	(void)size;
	(void)argument;
	if (!is_libpapi(info->dlpi_name) && strncmp(base_name(info->dlpi_name), "libmpx.", 7))
		return 0;
	for (i = 0; i < info->dlpi_phnum && ranges < RANGES; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		range[ranges].begin = info->dlpi_addr + p->p_vaddr;
		range[ranges].end = range[ranges].begin + p->p_memsz;
		ranges++;
	}
	return 0;
}

void shim_real_find(void)
{
	struct shim_real next = {0};
	void *handle = RTLD_NEXT;
	size_t i;

	pthread_mutex_lock(&lock);
	if (atomic_load(&found)) {
		pthread_mutex_unlock(&lock);
		return;
	}
	if (!shim_symbol(RTLD_NEXT, "PAPI_create_eventset")) {
		handle = NULL;
		dl_iterate_phdr(find_local, &handle);
	}
	for (i = 0; handle && i < sizeof(entry) / sizeof(entry[0]); i++) {
		void *symbol = shim_symbol(handle, entry[i].name);

		if (!symbol)
			handle = NULL;
		else
			memcpy((char *)&next + entry[i].field, &symbol, sizeof(symbol));
	}
	if (handle) {
		dl_iterate_phdr(add_papi_range, NULL);
		real = next;
		atomic_store(&found, true);
	}
	pthread_mutex_unlock(&lock);
}

const struct shim_real *shim_real(void)
{
	if (!atomic_load_explicit(&found, memory_order_acquire)) {
		shim_real_find();
		if (!atomic_load(&found)) {
			shim_say("PAPI is called, and its library is not loaded, or lacks calls that this "
				 "mpx_run was built with (version %d.%d)",
				 PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
			_exit(NOT_FOUND);
		}
	}
	return &real;
}

bool shim_is_papi(const void *address)
{
	uintptr_t a = (uintptr_t)address;
	unsigned i;

	for (i = 0; i < ranges; i++)
		if (a - range[i].begin < range[i].end - range[i].begin)
			return true;
	return false;
}

const char *shim_real_file(void)
{
	Dl_info info;
	void *address;

	memcpy(&address, &real.create_eventset, sizeof(address));
	return dladdr(address, &info) && info.dli_fname ? info.dli_fname : "libpapi";
}

const char *shim_real_elsewhere(void)
{
	/* Look up the first definition in search order, in which the program comes before all preloaded
	 * libraries. Compare the base addresses of the libraries and not the functions, since ld's
	 * --wrap changes the meaning of the function's name in this file. */
	void *first = dlsym(RTLD_DEFAULT, "PAPI_create_eventset");
	void *next = dlsym(RTLD_NEXT, "PAPI_create_eventset");
	Dl_info own, info;

	if (!dladdr(entry, &own))
		return NULL;
	if (first && dladdr(first, &info) && info.dli_fbase != own.dli_fbase)
		return info.dli_fname;
	if (next && dladdr(next, &info) && !is_libpapi(info.dli_fname))
		return info.dli_fname;
	return NULL;
}

/* ---- libmpx's calls ------------------------------------------------------------------ */

/* Pass a PAPI call of libmpx on, without checking found: libmpx runs only after shim_real has succeeded.
 * Async-signal-safe as far as PAPI's function is, since libmpx's signal handler calls these wrappers. */
#define PASS(type, name, parameters, arguments) \
	type __wrap_PAPI_##name parameters;     \
	type __wrap_PAPI_##name parameters      \
	{                                       \
		return real.name arguments;     \
	}

PASS(int, add_event, (int set, int code), (set, code))
PASS(int, assign_eventset_component, (int set, int component), (set, component))
PASS(int, attach, (int set, unsigned long tid), (set, tid))
PASS(int, cleanup_eventset, (int set), (set))
PASS(int, create_eventset, (int *set), (set))
PASS(int, destroy_eventset, (int *set), (set))
PASS(int, enum_cmp_event, (int *code, int modifier, int component), (code, modifier, component))
PASS(int, event_code_to_name, (int code, char *name), (code, name))
PASS(int, event_name_to_code, (const char *name, int *code), (name, code))
PASS(int, get_component_index, (const char *name), (name))
PASS(const PAPI_component_info_t *, get_component_info, (int component), (component))
PASS(int, get_event_component, (int code), (code))
PASS(int, get_event_info, (int code, PAPI_event_info_t *info), (code, info))
PASS(int, get_opt, (int option, PAPI_option_t *value), (option, value))
PASS(int, is_initialized, (void), ())
PASS(int, library_init, (int version), (version))
PASS(int, list_threads, (PAPI_thread_id_t * list, int *n), (list, n))
PASS(int, num_components, (void), ())
PASS(int, read, (int set, long long *values), (set, values))
PASS(int, set_opt, (int option, PAPI_option_t *value), (option, value))
PASS(int, start, (int set), (set))
PASS(int, stop, (int set, long long *values), (set, values))
PASS(char *, strerror, (int error), (error))
PASS(unsigned long, thread_id, (void), ())
PASS(int, thread_init, (unsigned long (*id)(void)), (id))
PASS(int, unregister_thread, (void), ())
