/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim_real.h - PAPI itself, behind the names that the preloaded shim has taken.
 *
 * The program's calls of PAPI_start come to the shim, and so do libpapi's calls to
 * itself, which go by the same name. Most say by the number of the event set whose they
 * are: numbers that the shim gives out are far above PAPI's own. The one call without a
 * number, PAPI_create_eventset, is told by where it comes from (shim_is_papi). libmpx is
 * linked into the shim with ld's --wrap for every PAPI call it makes: those go straight
 * to the pointers here, also in its signal handler, which is why nothing is resolved
 * later than in ordinary context before the first event set.
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

/* Finds PAPI if it is loaded by now; at start, and again at a call if it was not. */
void shim_real_find(void);

/* dlsym as it is without the shim, which stands in for it (shim_lookup.c). */
void *shim_symbol(void *handle, const char *name);

/* PAPI's functions. Ends the process with a message where there are none, as the dynamic
 * linker does for a name that is nowhere. Context: any but a first call in a handler. */
const struct shim_real *shim_real(void);

/* Is this a place in the library that holds PAPI (or in a libmpx of the program's own)? */
bool shim_is_papi(const void *address);

/* The file of PAPI's library, once it was found. */
const char *shim_real_file(void);

/* Does the program, or a library that is not PAPI's, hold PAPI itself? Its file or NULL. */
const char *shim_real_elsewhere(void);

#endif
