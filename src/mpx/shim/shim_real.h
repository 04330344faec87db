/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_real.h - pointers to PAPI's real functions, whose names the preloaded shim exports itself.
 *
 * The dynamic linker sends the program's PAPI calls to the shim, and also libpapi's calls to itself, which
 * use the same names. The event set's number shows which calls come from libpapi, since the shim's numbers
 * are far above PAPI's own. PAPI_create_eventset has no number, so its stand-in checks its return address
 * (shim_is_papi).
 *
 * libmpx is linked into the shim with ld's --wrap for every PAPI function that libmpx calls. These calls
 * use the pointers of this file directly, also in libmpx's signal handler. All pointers are therefore
 * resolved in ordinary context, before the first event set is created.
 *
 * Terms: shim/shim.h.
 */
#ifndef MPXI_SHIM_REAL_H
#define MPXI_SHIM_REAL_H

#include <papi.h>
#include <stdbool.h>

/* PAPI's calls that the shim and libmpx use. */
#define SHIM_REAL(X)                 \
	X(accum)                     \
	X(add_event)                 \
	X(add_events)                \
	X(add_named_event)           \
	X(assign_eventset_component) \
	X(attach)                    \
	X(cleanup_eventset)          \
	X(create_eventset)           \
	X(destroy_eventset)          \
	X(detach)                    \
	X(enum_cmp_event)            \
	X(event_code_to_name)        \
	X(event_name_to_code)        \
	X(get_component_index)       \
	X(get_component_info)        \
	X(get_event_component)       \
	X(get_event_info)            \
	X(get_eventset_component)    \
	X(get_multiplex)             \
	X(get_opt)                   \
	X(get_overflow_event_index)  \
	X(get_real_cyc)              \
	X(is_initialized)            \
	X(library_init)              \
	X(list_events)               \
	X(list_threads)              \
	X(num_components)            \
	X(num_events)                \
	X(overflow)                  \
	X(profil)                    \
	X(read)                      \
	X(read_ts)                   \
	X(remove_event)              \
	X(remove_events)             \
	X(remove_named_event)        \
	X(reset)                     \
	X(set_multiplex)             \
	X(set_opt)                   \
	X(shutdown)                  \
	X(sprofil)                   \
	X(start)                     \
	X(state)                     \
	X(stop)                      \
	X(strerror)                  \
	X(thread_id)                 \
	X(thread_init)               \
	X(unregister_thread)         \
	X(write)

struct shim_real {
#define SHIM_FIELD(name) __typeof__(PAPI_##name) *name;
	SHIM_REAL(SHIM_FIELD)
#undef SHIM_FIELD
};

/* Find PAPI's functions if libpapi is loaded. Called by the constructor, and again at each call of PAPI
 * until libpapi is found. */
void shim_real_find(void);

/* Do what the C library's dlsym does. The shim exports a dlsym of its own (shim_lookup.c). */
void *shim_symbol(void *handle, const char *name);

/* Return PAPI's functions. If libpapi is not loaded, print a message and end the process, as the dynamic
 * linker does for an undefined symbol. Context: any, but the first call is not async-signal-safe. */
const struct shim_real *shim_real(void);

/* True if address is in the code of libpapi, or in the code of a libmpx.so that the program has loaded. */
bool shim_is_papi(const void *address);

/* Return the path of libpapi. Must be called after libpapi was found. */
const char *shim_real_file(void);

/* Return the file of the program, or of a library other than libpapi, if PAPI is linked into it; else
 * NULL. */
const char *shim_real_elsewhere(void);

#endif
