/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kokkos.c - the calls of Kokkos Tools. Kokkos loads the library that KOKKOS_TOOLS_LIBS names, and calls the
 * functions that the library exports. This file declares the parts of the interface that it uses.
 * Terms: region/front/front.h.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "region/front/front.h"
#include "region/front/nest.h"

/* The name of a memory space, which Kokkos passes by value. It fills all bytes, or ends with a NUL. */
struct space {
	char name[64];
};

struct settings {
	bool fences; /* Kokkos waits for all devices before each call */
	bool others[255];
};

enum { REGIONS = UPCR_OF_KOKKOS, COPIES };

/* Check a number that the program passes back. Return the number if it is that of a name, else UPCR_ALL. */
static unsigned number_of_section(uint64_t id)
{
	return id < UPCR_ALL && upcr_is_name((unsigned)id) ? (unsigned)id : UPCR_ALL;
}

static void pop_kokkos_region(unsigned kind, const char *what)
{
	/* No region is pushed: upcr_exit finds none open, and notes this. */
	if (upcr_pop(kind) < 0)
		(void)upcr_exit(upcr_name_of(what));
}

/* ---- the library ------------------------------------------------------------------------------- */

UPCR_FUNCTION(void, kokkosp_init_library, int sequence, uint64_t version, uint32_t devices, void *device)
{
	(void)sequence;
	(void)version;
	(void)devices;
	(void)device;
	upcr_thread_begin();
}

/* Without this function, Kokkos fences (waits for all devices) at each call: kernels that could overlap would
 * not overlap, and each fence would be a region. */
UPCR_FUNCTION(void, kokkosp_request_tool_settings, uint32_t version, struct settings *settings)
{
	(void)version;
	if (settings)
		settings->fences = false;
}

/* Does nothing: the file is written at the end of the program, since other front ends may go on. */
UPCR_FUNCTION(void, kokkosp_finalize_library, void)
{
}

/* ---- regions, sections, marks -------------------------------------------------------------------- */

UPCR_FUNCTION(void, kokkosp_push_profile_region, const char *name)
{
	(void)upcr_push(REGIONS, upcr_name_of(name));
}

UPCR_FUNCTION(void, kokkosp_pop_profile_region, void)
{
	pop_kokkos_region(REGIONS, "pop of a Kokkos region");
}

/* A section's number is that of its name. Sections may overlap. */
UPCR_FUNCTION(void, kokkosp_create_profile_section, const char *name, uint32_t *id)
{
	if (id)
		*id = upcr_name_of(name);
}

UPCR_FUNCTION(void, kokkosp_start_profile_section, uint32_t id)
{
	upcr_enter(upcr_is_name(id) ? id : upcr_name_of("unknown section of Kokkos"));
}

UPCR_FUNCTION(void, kokkosp_stop_profile_section, uint32_t id)
{
	(void)upcr_exit(upcr_is_name(id) ? id : upcr_name_of("unknown section of Kokkos"));
}

UPCR_FUNCTION(void, kokkosp_destroy_profile_section, uint32_t id)
{
	(void)id;
}

/* Mark a region without duration. */
UPCR_FUNCTION(void, kokkosp_profile_event, const char *name)
{
	unsigned number = upcr_name_of(name);

	upcr_enter(number);
	(void)upcr_exit(number);
}

/* ---- kernels, fences, copies --------------------------------------------------------------------- */

/* A kernel's number is that of its name. The kernel ends in the thread where it began. */
#define KERNEL(kind)                                                                               \
	UPCR_FUNCTION(void, kokkosp_begin_##kind, const char *name, uint32_t device, uint64_t *id) \
	{                                                                                          \
		unsigned number = upcr_name_of(name);                                              \
                                                                                                   \
		(void)device;                                                                      \
		if (id)                                                                            \
			*id = number;                                                              \
		upcr_enter(number);                                                                \
	}                                                                                          \
	UPCR_FUNCTION(void, kokkosp_end_##kind, uint64_t id)                                       \
	{                                                                                          \
		(void)upcr_exit_closing(number_of_section(id));                                    \
	}

KERNEL(parallel_for)
KERNEL(parallel_reduce)
KERNEL(parallel_scan)
KERNEL(fence)

/* The region's name consists of the two memory spaces: with the names of views there would be too many
 * regions. */
UPCR_FUNCTION(void, kokkosp_begin_deep_copy, struct space to, const char *to_name, const void *to_data,
	      struct space from, const char *from_name, const void *from_data, uint64_t size)
{
	char name[sizeof(to.name) + sizeof(from.name) + 32];
	int length = snprintf(name, sizeof(name), "deep copy to %.*s from %.*s", (int)sizeof(to.name),
			      to.name, (int)sizeof(from.name), from.name);

	(void)to_name;
	(void)to_data;
	(void)from_name;
	(void)from_data;
	(void)size;
	(void)upcr_push(COPIES, upcr_name(name, length > 0 ? (size_t)length : 0));
}

UPCR_FUNCTION(void, kokkosp_end_deep_copy, void)
{
	pop_kokkos_region(COPIES, "end of a deep copy");
}
